r"""Tiers: a board in the few steps that people publish, each step one that the data carry.

All of them are read off the relation *certainly above*, :math:`\succ`, so all that they say holds at once with the
confidence of that relation: where no certain order is wrong, no tier is.

`top`
    The first tier holds the agents that are not certainly below the leader, who has the best score; the second those
    of the rest that are not certainly below the leader of the rest, and so on. With leaders :math:`l_1, l_2, \dots`

    .. math::  T_k = \{a \in R_k : l_k \nsucc a\}, \qquad R_{k+1} = R_k \setminus T_k , \qquad l_k = \arg\max_{R_k} S .

    Every agent of a lower tier is certainly below the leader of each tier above, for it was left over there. Nobody of a
    lower tier is certainly above anybody of a higher one: from :math:`l_k \succ b` and :math:`b \succ a` would follow
    :math:`l_k \succ a`, and *a* would not be in :math:`T_k`. Two agents of one tier may differ, even certainly. Leaders
    with equal scores lead together: who is certainly below one of them is left over.
`letters`
    Agents that share no letter certainly differ; see `letters`.
`cuts`
    Groups of which each is certainly above the next, everyone above everyone; see `tie_groups`.

Agents that no chain of battles connects were never compared. Each such part has tiers and letters of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from beatpath._errors import UsageError
from beatpath._result import SCHEMA_VERSION, Result
from beatpath._text import confidence, counted, listed, quoted, suggestion
from beatpath._typing import TierScheme
from beatpath.inference.ranks.differences import Mask
from beatpath.inference.ranks.letters import letter, unresolved_cliques
from beatpath.inference.ranks.rank_sets_result import RankSets
from beatpath.inference.ranks.tie_groups import tie_groups

if TYPE_CHECKING:
    from beatpath.inference.matrix.win_matrix import WinMatrix

Int = NDArray[np.int64]
SCHEMES: tuple[TierScheme, ...] = get_args(TierScheme)
HEADINGS: dict[TierScheme, str] = {"top": "tier", "letters": "letters", "cuts": "group"}


class HasRanks(Protocol):
    """Sets of ranks, and who was ever compared, as a resolution holds them."""

    @property
    def ranks(self) -> RankSets:
        """Who is certainly above whom."""

    @property
    def matrix(self) -> "WinMatrix":
        """The part of every agent."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tiers(Result):
    """The steps of a board.

    Attributes
    ----------
    ranks : RankSets
        Who is certainly above whom.
    scheme : {"top", "letters", "cuts"}
    part : (n,) int
        The part of every agent, from 1, largest first; agents of different parts were never compared.
    tier, group : (n,) int
        Of every agent within its part: the tier from the top, and the group between cuts; 1 is first, 0 without a score.
    cliques : tuple of int arrays
        The agents of every letter, best first: largest sets without a certain order that cover every unresolved pair.
    """

    ranks: RankSets
    scheme: TierScheme
    part: Int
    tier: Int
    group: Int
    cliques: tuple[Int, ...]

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents, in the order of the board's arrays."""
        return self.ranks.agents

    @property
    def heading(self) -> str:
        """What the column is called: tier, letters or group."""
        return HEADINGS[self.scheme]

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The names in every tier, letter or group, best first, part by part."""
        sets = self.cliques if self.scheme == "letters" else self._steps
        return tuple(tuple(self.agents[i] for i in some) for some in sets)

    @property
    def _number(self) -> Int:
        return self.group if self.scheme == "cuts" else self.tier

    @property
    def _steps(self) -> list[Int]:
        """The agents of every tier or group."""
        orders = _orders_by_part(self.ranks, self.part)
        return [
            order[self._number[order] == k]
            for order in orders
            for k in range(1, int(self._number[order].max(initial=0)) + 1)
        ]

    @property
    def letters(self) -> tuple[str, ...]:
        """The letters of every agent, run together; nothing of one without a score."""
        return lettered(self.cliques, len(self.agents))

    @property
    def labels(self) -> tuple[str, ...]:
        """What the column says of every agent: a number, or letters; nothing of one without a score."""
        if self.scheme == "letters":
            return self.letters
        several = self.part.max(initial=1) > 1
        return tuple(
            "" if not k else f"{k} (part {p})" if several else f"{k}"
            for k, p in zip(self._number.tolist(), self.part.tolist(), strict=True)
        )

    @property
    def sentences(self) -> tuple[str, ...]:
        """How many there are, what they say and do not say, and how surely."""
        if len(self.agents) == 1:
            return (f"{quoted(self.agents[0])} is the only agent: there is nobody to part it from.",)
        parts = int(self.part.max(initial=1))
        apart = (f"The {parts:,} parts that no chain of battles connects have {_plural(self)} of their own.",)
        return (self._amount, self.meaning, *(apart if parts > 1 else ()), self._surety)

    @property
    def meaning(self) -> str:
        """What the column says, and what it does not say."""
        if self.scheme == "letters":
            within = " of one part" if self.part.max(initial=1) > 1 else ""
            return (
                f"Agents{within} that share no letter certainly differ, the one with the better score above; two that share "
                "one are not separated, which does not make them equal."
            )
        if self.scheme == "cuts":
            return "Everyone of a group is certainly above everyone of the next; within a group the order is not certain, or not wholly."
        never = " and certainly above nobody there" if self.ranks.simultaneous else ""
        return (
            "Everyone in a lower tier is certainly below the leader (the best score) of each tier above"
            f"{never}; two agents of one tier may differ."
        )

    @property
    def _amount(self) -> str:
        n = len(self.groups)
        if not n:
            return "No agent has a score: there are no tiers."
        if self.scheme == "letters":
            return f"{counted(n, 'letter')} tell apart whom the data resolve."
        if n == 1:
            why = f"nobody is certainly below {quoted(self.groups[0][0])}, the best score"
            why = why if self.scheme == "top" else "at no place is everyone above certainly above everyone below"
            return f"One {self.heading} holds everyone: {why}."
        kind = "tiers from the top" if self.scheme == "top" else "groups whose order is certain"
        first, whose = self.groups[0], " of the largest part" if self.part.max(initial=1) > 1 else ""
        held = f"{len(first):,} of {counted(len(self.agents), 'agent')}"
        return f"{n:,} {kind}; the first{whose} holds {held}: {listed(first, 10)}."

    @property
    def _surety(self) -> str:
        sure = confidence(self.ranks.level)
        if self.ranks.simultaneous:
            return f"All of this holds at once with {sure} confidence."
        return f"Each agent's place holds by itself with {sure} confidence, not all at once."

    def rows(self) -> list[dict[str, Any]]:
        """Return one row an agent, best first."""
        labels, order = self.labels, self.ranks.order.tolist()
        rest = sorted(set(range(len(self.agents))) - set(order), key=lambda i: self.agents[i])
        return [{"agent": self.agents[i], self.heading: labels[i], "part": int(self.part[i])} for i in [*order, *rest]]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data that JSON can carry."""
        return {
            "schema_version": SCHEMA_VERSION,
            "type": "tiers",
            "sentences": list(self.sentences),
            "scheme": self.scheme,
            "estimand": self.ranks.board.estimand,
            "labels": dict(zip(self.agents, self.labels, strict=True)),
            "groups": [list(some) for some in self.groups],
            "part": dict(zip(self.agents, self.part.tolist(), strict=True)),
            "settings": self.ranks.to_dict()["settings"],
        }


def tiers(asked: RankSets | HasRanks, scheme: TierScheme = "top") -> Tiers:
    """Put a board into tiers that hold at once with the confidence of its sets of ranks.

    Parameters
    ----------
    asked : Resolution, Report or RankSets
    scheme : {"top", "letters", "cuts"}
        Tiers from the top: those not certainly below the leader, then again among the rest. Letters: agents that share
        none certainly differ. Cuts: groups of which each is certainly above the next, everyone above everyone.

    Returns
    -------
    Tiers

    Raises
    ------
    UsageError
        When the scheme is unknown, or there is nothing to read who is certainly above whom from.

    Examples
    --------
    Bob is not certainly below ada, nor above cyd; ada is above cyd.

    >>> import beatpath as bp
    >>> score, known = np.array([0.80, 0.77, 0.74]), np.full((3, 3), np.inf)
    >>> board = bp.Leaderboard(("ada", "bob", "cyd"), score, 1e-4 * np.eye(3), known, "mean score")
    >>> sets = bp.rank_sets(board)
    >>> [bp.tiers(sets, scheme).labels for scheme in ("top", "letters", "cuts")]
    [('1', '1', '2'), ('a', 'ab', 'b'), ('1', '1', '1')]
    """
    require_scheme(scheme)
    ranks, part = _ranks_and_part(asked)
    tier, group = np.zeros_like(ranks.rank), np.zeros_like(ranks.rank)
    cliques: list[Int] = []
    for order in _orders_by_part(ranks, part):
        tier += from_the_top(ranks.above, ranks.rank, order)
        group += tie_groups(ranks.above, order)
        cliques += unresolved_cliques(ranks.above, order)
    return Tiers(ranks, scheme, part, tier, group, tuple(cliques))


def require_scheme(scheme: TierScheme) -> None:
    """Raise unless there is such a scheme."""
    if scheme not in SCHEMES:
        raise UsageError(
            f"tiers must be one of {listed(SCHEMES)}; got {quoted(scheme)}.{suggestion(str(scheme), SCHEMES)}"
        )


def tier_columns(asked: RankSets | HasRanks) -> dict[str, dict[str, Any]]:
    """Return by agent its tier from the top (nothing without a score), its letters, its group (0 without one), its part."""
    found = tiers(asked)
    columns = (found.tier.tolist(), found.letters, found.group.tolist(), found.part.tolist())
    return {
        name: {"tier": tier or None, "letters": letters, "group": group, "part": part}
        for name, tier, letters, group, part in zip(found.agents, *columns, strict=True)
    }


def from_the_top(above: Mask, rank: Int, order: Int) -> Int:
    """Return the tier from the top of every agent, from 1; 0 for those that are not in the order.

    Parameters
    ----------
    above : (n, n) bool
        Which agents are certainly above which.
    rank : (n,) int
        By score, equal scores with equal ranks.
    order : (k,) int
        Agents, best first.

    Examples
    --------
    Agents two places apart are resolved, neighbours are not.

    >>> from_the_top(np.triu(np.ones((4, 4), dtype=bool), 2), np.arange(1, 5), np.arange(4))
    array([1, 1, 2, 2])
    """
    tier = np.zeros(len(above), dtype=np.int64)
    left = order
    while len(left):
        leaders = left[rank[left] == rank[left[0]]]
        below = above[np.ix_(leaders, left)].any(axis=0)
        tier[left[~below]] = tier.max() + 1
        left = left[below]
    return tier


def lettered(sets: Sequence[Int], n: int) -> tuple[str, ...]:
    """Return the letters of every agent, run together; nothing for one that is in no set.

    >>> lettered([np.array([0, 1]), np.array([1, 2])], 4)
    ('a', 'ab', 'b', '')
    """
    found = [""] * n
    for k, some in enumerate(sets):
        for i in some.tolist():
            found[i] += letter(k)
    return tuple(found)


def _orders_by_part(ranks: RankSets, part: Int) -> list[Int]:
    """The agents of every part that have a score, best first."""
    return [ranks.order[part[ranks.order] == p] for p in range(1, int(part.max(initial=0)) + 1)]


def _ranks_and_part(asked: Any) -> tuple[RankSets, Int]:
    """Sets of ranks, and the part of every agent from 1, the largest first, of equal ones that which begins higher."""
    found = getattr(asked, "resolution", asked)
    ranks = found if isinstance(found, RankSets) else getattr(found, "ranks", None)
    if not isinstance(ranks, RankSets):
        raise UsageError(
            f"`tiers` are read off what `resolve`, `report` or `rank_sets` returns; got {type(asked).__name__}. "
            "Give it `resolve(evidence)`."
        )
    matrix = getattr(found, "matrix", None) or ranks.board.made
    code = np.zeros(len(ranks.agents), dtype=np.int64) if matrix is None else matrix.part
    place = np.full(len(code), len(code))
    place[ranks.order] = np.arange(len(ranks.order))
    size = np.bincount(code)
    first = [place[code == k].min(initial=len(code)) for k in range(len(size))]
    by_size = sorted(range(len(size)), key=lambda k: (-size[k], first[k]))
    number = np.empty(len(size), dtype=np.int64)
    number[by_size] = np.arange(1, len(size) + 1)
    return ranks, number[code]


def _plural(found: Tiers) -> str:
    return {"top": "tiers", "letters": "letters", "cuts": "groups"}[found.scheme]
