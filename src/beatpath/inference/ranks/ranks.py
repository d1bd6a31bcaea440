"""Ranks: scores with confidence intervals, rank sets, and who is certainly above whom."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NotRequired, Self, TypedDict

import numpy as np

from beatpath._arrays import Bools, Floats, Ints
from beatpath._errors import UsageError
from beatpath._result import Delegate, Record, TableResult, plain
from beatpath._text import any_of, counted, listed, percent, quoted
from beatpath._validate import require_agents
from beatpath.evidence.conventions import Convention
from beatpath.inference.leaderboard import Leaderboard, measure_of
from beatpath.inference.ranks.claims import Claim, Verdict
from beatpath.inference.ranks.grouping import Groups, best_first, groups_of, lettered, point_ranks, unresolved_runs


@dataclass(frozen=True, slots=True)
class Difference(Record):
    """The difference of two scores with its confidence interval; NaN without a usable variance."""

    first: str
    second: str
    estimate: float
    stderr: float
    df: float
    low: float
    high: float


class RankRow(TypedDict):
    """Scores and ranks of one agent.

    Attributes
    ----------
    agent : str
        Its name; elsewhere the key.
    tier : int or None
        Tier from the top, by score; 1 is first, null without a score.
    best_tier : int or None
        The first tier whose leader is not certainly above it: `tier` itself, or less where its interval spans tiers.
    letters : str
        Compact letter display (a, ..., Z, a1, ...): agents of one component that share no letter certainly differ;
        empty on long boards.
    group : int
        Group between cuts: the order of groups is certain; 0 without a score.
    part : int
        Connected component; agents of different components were never compared, and ranks are within it.
    score, low, high : float
        Its score, and the ends of its own confidence interval; null without a score.
    best, worst : int or None
        The ranks it may have; null for an agent with too little data to be ranked.
    may_be_first : bool or None
        Whether it may be first of its component, tested by itself: `best` may be 1 where it may not. Null for an agent with
        too little data to be ranked.
    """

    agent: NotRequired[str]
    tier: int | None
    best_tier: int | None
    letters: str
    group: int
    part: int
    score: float
    low: float
    high: float
    best: int | None
    worst: int | None
    may_be_first: bool | None


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Ranks(TableResult):
    """The ranks that agents may truly have, whatever method found them.

    Attributes
    ----------
    agents : tuple of str
        Names, in the order of the arrays.
    score : (n,) float
        NaN for an agent without a score.
    low, high : (n,) float
        Confidence interval of every score, each one separate.
    rank : (n,) int
        1 plus the number of agents of the same component with a higher score; 0 without a score.
    best, worst : (n,) int
        Ranks that an agent may have in its component, inclusive; 1 and the size of the component without a score.
    above : (n, n) bool
        Whether the row's agent is certainly above the column's; where sets hold separately, by the tests of both
        agents.
    part : (n,) int
        Connected component of every agent, from 0, the largest first.
    order : (k,) int
        Agents that have a score, by component, best first.
    level : float
        Confidence level of everything called certain.
    simultaneous : bool
        Whether all rank sets hold simultaneously with that confidence, or each one separately.
    estimand : str
        What a score estimates, as a phrase.
    bounds : two floats
        Range of possible scores: 0 and 1 for a win rate.
    settings : mapping
        All settings of the analysis.
    conventions : tuple of Convention
        How evidence became scores.
    notes : tuple of str
        Caveats.
    first : (n,) bool, optional
        Whether every agent may be first of its component, where that is tested as its own family; see `multiple_with_best`.
    """

    agents: tuple[str, ...]
    score: Floats
    low: Floats
    high: Floats
    rank: Ints
    best: Ints
    worst: Ints
    above: Bools
    part: Ints
    order: Ints
    level: float
    simultaneous: bool
    estimand: str
    bounds: tuple[float, float] = (-np.inf, np.inf)
    settings: Mapping[str, Any] = field(default_factory=dict)
    conventions: tuple[Convention, ...] = ()
    notes: tuple[str, ...] = ()
    first: Bools | None = None

    @classmethod
    def of_board(cls, board: Leaderboard, best: Ints, worst: Ints, above: Bools, /, **more: Any) -> Self:
        """Return the ranks of a board; further fields, and those that differ from the board's, are keywords."""
        rank = point_ranks(board.score, board.parts)
        order = best_first(rank, best, worst, board.agents, board.parts)
        names = ("agents", "score", "estimand", "bounds", "conventions", "notes")
        fields: dict[str, Any] = {name: getattr(board, name) for name in names} | more
        return cls(**fields, rank=rank, best=best, worst=worst, above=above, part=board.parts, order=order)

    @property
    def is_share(self) -> bool:
        """Whether scores are shares from 0 to 1, which people read in percent."""
        return self.bounds == (0.0, 1.0)

    @property
    def measure(self) -> str:
        """What a score is, in a few words."""
        return measure_of(self.estimand)

    @property
    def pairs(self) -> int:
        """Number of pairs of agents within components."""
        size = np.bincount(self.part)
        return int((size * (size - 1) // 2).sum())

    @property
    def resolved_pairs(self) -> int:
        """Number of pairs with a certain order."""
        return int(self.above.sum())

    @property
    def share_resolved(self) -> float:
        """Share of pairs with a certain order; NaN without pairs."""
        return self.resolved_pairs / self.pairs if self.pairs else float("nan")

    @property
    def listed(self) -> list[int]:
        """All agents in display order: by component and score; those without a score last, by name."""
        rest = [i for i in range(len(self.agents)) if self.rank[i] == 0]
        return [*self.order.tolist(), *sorted(rest, key=lambda i: self.agents[i])]

    @property
    def names(self) -> tuple[str, ...]:
        """The agents in display order."""
        return tuple(self.agents[i] for i in self.listed)

    @property
    def orders(self) -> list[Ints]:
        """The scored agents of each component, best first."""
        return by_part(self.order, self.part)

    @property
    def unique_ranks(self) -> tuple[str, ...]:
        """Agents with a single possible rank."""
        return self.named(self.best == self.worst)

    @cached_property
    def grouping(self) -> Groups:
        """Tiers from the top, groups between cuts, and letters."""
        return groups_of(self.above, self.rank, self.orders)

    tier = Delegate[Ints]("grouping.tier", "Tier of every agent in its component: 1 is first, 0 without a score.")
    best_tier = Delegate[Ints]("grouping.best_tier", "The first tier whose leaders are not certainly above an agent.")

    @cached_property
    def letters(self) -> tuple[str, ...]:
        """Letters of every agent as one string: agents of one component that share none certainly differ."""
        return lettered(self.grouping.cliques, len(self.agents))

    group = Delegate[Ints]("grouping.cut", "Group of every agent between certain cuts; 0 without a score.")

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The names in each group between cuts, best first, by component."""
        return self.names_by(self.group)

    def names_by(self, number: Ints) -> tuple[tuple[str, ...], ...]:
        """Return names by a number that counts from 1 in each component, by component, in display order."""
        return tuple(
            tuple(self.agents[i] for i in order[number[order] == k])
            for order in self.orders
            for k in range(1, int(number[order].max(initial=0)) + 1)
        )

    @property
    def unresolved_runs(self) -> tuple[Ints, ...]:
        """Longest runs of the board within which no order is certain."""
        return tuple(run for order in self.orders for run in unresolved_runs(self.above, order))

    @property
    def may_be_first(self) -> Bools:
        """Whether every agent may be first of its component."""
        return np.asarray(self.best == 1) if self.first is None else self.first

    @property
    def certainly_first(self) -> Bools:
        """Whether every agent is certainly first of its component: no other may be."""
        return np.asarray(self.may_be_first & (np.bincount(self.part, self.may_be_first)[self.part] == 1))

    def top(self, tau: int) -> tuple[str, ...]:
        """Return the agents that may be among the best `tau`."""
        return self.named(self.may_be_first if self._place(tau) == 1 else self.best <= tau)

    def certainly_top(self, tau: int) -> tuple[str, ...]:
        """Return the agents that are certainly among the best `tau`."""
        return self.named(self._certainly_among(self._place(tau)))

    def _certainly_among(self, tau: int) -> Bools:
        """Return whether every agent is certainly among the best `tau`; first place has a test of its own."""
        return self.certainly_first if tau == 1 else np.asarray(self.certainly_first | (self.worst <= tau))

    def certain(self, first: str, second: str) -> bool:
        """Return whether the first agent is certainly above the second."""
        return bool(self.above[self.index(first), self.index(second)])

    def difference(self, first: str, second: str, n_claims: float | None = None) -> Difference:
        """Return the first score minus the second, with a confidence interval; each kind of ranks has its own."""
        i, j = self.index(first), self.index(second)
        return Difference(first, second, float(self.score[i] - self.score[j]), np.nan, np.nan, np.nan, np.nan)

    def supports(self, claim: Claim, n_claims: int | None = None) -> bool:
        """Return whether the data support a claim about this board.

        With `n_claims`, the claim is one of that many fixed before the data were seen, and is corrected for these
        alone, where the kind of ranks allows it. Without, it may have been picked after looking, and is corrected for
        all comparisons of the board. Nobody is first, last or among the best of agents that are not connected, and a
        claim about an unknown agent is not supported.
        """
        if not {claim.agent, claim.below or claim.agent} <= set(self.agents):
            return False
        i, n = self.index(claim.agent), len(self.agents)
        if claim.below is not None:
            if not claim.has_margin:
                return self.certain(claim.agent, claim.below)
            gap = self._gap(claim, n_claims)
            connected = self.part[i] == self.part[self.index(claim.below)]
            return bool(connected and claim.holds(gap.low, gap.high, claim.unit(self.is_share)))
        top = 1 if claim.top is None else claim.top
        placed = self.best[i] > n - top if claim.last else self._certainly_among(top)[i]
        return bool(placed and (self.part == self.part[i]).all())

    def verdict(self, claim: Claim, n_claims: int | None = None, parts: int = 1) -> Verdict:
        """Return whether the data support a claim, show it to be false, or neither.

        Of claims joined by ``and`` each must be supported, which needs no correction; as one false part makes the whole false, tests
        of falsehood are corrected for the number of `parts`.
        """
        if self.supports(claim, n_claims):
            return "supported"
        more = None if n_claims is None else n_claims * parts
        false = any(self.supports(one, more) for one in claim.opposites(len(self.agents)))
        return "shown to be false" if false else "not shown"

    def _gap(self, claim: Claim, n_claims: float | None) -> Difference:
        """The difference that a claim is about; two one-sided tests take the interval of twice the error."""
        shares = n_claims / 2 if n_claims and claim.is_equivalence else n_claims
        return self.difference(claim.agent, claim.below or claim.agent, shares)

    def interval(self, claim: Claim, n_claims: int | None = None) -> tuple[float, float] | None:
        """Return the confidence interval of the difference that a claim is about; None for a place."""
        if claim.below is None:
            return None
        gap = self._gap(claim, n_claims)
        return (gap.low, gap.high) if np.isfinite(gap.low) else None

    def reason(self, claim: Claim, n_claims: int | None = None) -> str:
        """Return why the data support a claim or do not: a difference with its interval, or ranks."""
        i = self.index(claim.agent)
        if claim.below is None:
            best, worst, n = int(self.best[i]), int(self.worst[i]), int((self.part == self.part[i]).sum())
            apart = "" if n == len(self.agents) else " in its component, and no battles connect the components"
            others, side = n - (claim.top or 1), "below" if claim.last else "above"
            if (best < n if claim.last else worst > n - others) and self.supports(claim, n_claims):  # tested by itself
                return f"it is {side} {'each of the' if others == n - 1 else 'at least'} {others:,} others"
            return f"its rank {'is' if best == worst else 'may be'} {span(best, worst, ' to ')} of {n:,}{apart}"
        if self.part[i] != self.part[self.index(claim.below)]:
            return "no chain of battles connects the two"
        gap = self._gap(claim, n_claims)
        if not np.isfinite(gap.low):
            return "their difference has no usable variance"
        times, unit = (100, " percentage points") if self.is_share else (1, "")
        less, low, high = (f"{times * value:+.3g}" for value in (gap.estimate, gap.low, gap.high))
        above = not claim.has_margin and gap.low <= 0 and self.supports(claim, n_claims)
        around = f"above 0, up to {high}" if above else f"{low} to {high}"
        return f"{quoted(gap.first)} minus {quoted(gap.second)} is {less}{unit} ({around})"

    def named(self, mask: Bools) -> tuple[str, ...]:
        """Return the names of a mask in display order."""
        return tuple(self.agents[i] for i in self.listed if mask[i])

    def index(self, agent: str) -> int:
        """Return the row of an agent, or raise for an unknown name."""
        require_agents([agent], self.agents)
        return self.agents.index(agent)

    def _place(self, tau: int) -> int:
        """Check that a board has so many places."""
        if not 1 <= tau <= len(self.agents):
            raise UsageError(f"`tau` must be a rank, from 1 to {len(self.agents):,}; got {tau!r}.")
        return tau

    @property
    def first_sentence(self) -> str:
        """Who may be first, as a sentence."""
        if len(self.agents) == 1:
            return f"{quoted(self.agents[0])} is the only agent."
        largest = self.part == 0
        certain, may = (self.named(largest & first) for first in (self.certainly_first, self.may_be_first))
        of_part = "" if largest.all() else " of the largest component"
        if certain:
            return f"{quoted(certain[0])} is certainly first{f' of {int(largest.sum()):,} agents{of_part}' if of_part else ''}."
        if len(may) == largest.sum():
            return f"{any_of(len(may)).capitalize()} agents{of_part} may be first."
        return f"{len(may):,} of {counted(int(largest.sum()), 'agent')}{of_part} may be first: {listed(may, 10)}."

    @property
    def resolved_sentence(self) -> str:
        """How many pairs have a certain order, as a sentence."""
        return f"The data resolve {self.resolved_pairs:,} of {counted(self.pairs, 'pair')} ({percent(self.share_resolved)})."

    @property
    def sentences(self) -> tuple[str, ...]:
        """Who may be first, and how much is certain."""
        return (self.first_sentence, self.resolved_sentence)

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per agent, best first, those without a score last."""
        return self.board_rows()

    def board_rows(self, **more: list[Any]) -> list[dict[str, Any]]:
        """Return one row per agent, best first, those without a score last, with additional columns."""
        columns = {**self.columns(), **more}
        return [{name: column[i] for name, column in columns.items()} for i in self.listed]

    def by_agent(self, **more: list[Any]) -> Any:
        """Return the rows as a mapping by agent."""
        return {row.pop("agent"): row for row in self.board_rows(**more)}

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns of the board as plain data, agents in the order of the arrays."""
        return {
            "agent": list(self.agents),
            **{name: [tier or None for tier in getattr(self, name).tolist()] for name in ("tier", "best_tier")},
            "letters": list(self.letters),
            "group": self.group.tolist(),
            "part": (self.part + 1).tolist(),
            **{name: plain(getattr(self, name)) for name in ("score", "low", "high")},
            "best": self.best.tolist(),
            "worst": self.worst.tolist(),
            "may_be_first": self.may_be_first.tolist(),
        }


def by_part(order: Ints, part: Ints) -> list[Ints]:
    """Split agents sorted by component into components.

    >>> by_part(np.array([2, 0, 1]), np.array([1, 1, 0]))
    [array([2]), array([0, 1])]
    """
    return np.split(order, np.flatnonzero(np.diff(part[order])) + 1) if len(order) else []


def span(best: int, worst: int, to: str = "-") -> str:
    """Return a range of ranks as text.

    >>> span(1, 1), span(2, 1300)
    ('1', '2-1,300')
    """
    return f"{best:,}" if best == worst else f"{best:,}{to}{worst:,}"
