"""What `rank_sets` hands back: the ranks every agent may have, who is certainly above whom, and groups of ties."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beatpath._errors import UsageError
from beatpath._result import SCHEMA_VERSION, Result, json_number
from beatpath._text import counted, listed, percent, quoted, suggestion
from beatpath._threads import threads_for
from beatpath.evidence.arrays import frozen
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.ranks.critical import Critical
from beatpath.inference.ranks.differences import Array, Mask, estimable, t_critical
from beatpath.inference.ranks.score_intervals import of_all_scores, score_intervals

Int = NDArray[np.int64]


MEANS_OF_TASKS = ("mean_score", "iqm", "median", "optimality_gap", "probability_of_improvement")
STEERED = "outcomes did not steer who met whom"


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of two scores with its interval; NaN where it has no usable variance."""

    first: str
    second: str
    estimate: float
    stderr: float
    df: float
    low: float
    high: float

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        numbers = {name: json_number(getattr(self, name)) for name in ("estimate", "stderr", "df", "low", "high")}
        return {"first": self.first, "second": self.second, **numbers}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RankSets(Result):
    """The ranks that the agents of a board may truly have.

    Attributes
    ----------
    board : Leaderboard
    level : float
    simultaneous : bool
        Whether all sets hold at once with that confidence, or each by itself.
    method : str
    draws, seed : int
    low, high : (n,) float
        Interval of every score by itself.
    joint_low, joint_high : (n,) float
        Intervals of the scores that all hold at once, worked out when first asked for. To see who is above whom, use `above`,
        not the overlap of intervals.
    rank : (n,) int
        1 plus the number of agents of its part with a higher score; 0 for an agent without one.
    best, worst : (n,) int
        The ranks that an agent may have in its part, both included; 1 and the size of the part for one without a score.
    above : (n, n) bool
        Whether the row's agent is certainly above the column's; by the word of both where sets hold one by one.
    group : (n,) int
        The tie group of every agent, from 1, in an order that is certain; 0 for an agent without a score.
    order : (k,) int
        Agents that have a score, best first.
    runs : tuple of int arrays
        Longest stretches of the board within which nobody is certainly above anybody.
    skipped : int
        Pairs whose difference has no usable variance.
    borderline : int
        Pairs so close to the critical value that another seed might decide otherwise.
    critical, critical_error : (n,) float
        The Gaussian critical value of the last step behind each agent's set, equal where all hold at once, and the
        standard error that simulation leaves in it.
    interval_critical : Critical
        That of the intervals of differences: of all of them at once without stepping down, or of one by itself.
    notes : tuple of str
    """

    board: Leaderboard
    level: float
    simultaneous: bool
    method: str
    draws: int
    seed: int
    low: Array
    high: Array
    rank: Int
    best: Int
    worst: Int
    above: Mask
    group: Int
    order: Int
    runs: tuple[Int, ...]
    skipped: int
    borderline: int
    critical: Array
    critical_error: Array
    interval_critical: Critical
    notes: tuple[str, ...] = ()
    _joint: tuple[Array, Array] | None = field(default=None, init=False)

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents, in the order of the board's arrays."""
        return self.board.agents

    @property
    def joint_low(self) -> Array:
        """Lower ends of intervals that all hold at once."""
        return self._joint_intervals()[0]

    @property
    def joint_high(self) -> Array:
        """Upper ends of these."""
        return self._joint_intervals()[1]

    def _joint_intervals(self) -> tuple[Array, Array]:
        """Draw the errors of all scores once, when somebody asks."""
        if self._joint is None:
            with threads_for(len(self.agents)):
                critical = of_all_scores(self.board, self.level, self.draws, self.seed)
            frozen(self, _joint=score_intervals(self.board, critical))
        assert self._joint is not None
        return self._joint

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that was chosen."""
        told = ("level", "simultaneous", "method", "draws", "seed")
        return {**self.board.settings, **{name: getattr(self, name) for name in told}}

    @property
    def score(self) -> Array:
        """The board's scores."""
        return self.board.score

    @property
    def pairs(self) -> int:
        """How many pairs of agents there are, both of one part."""
        size = np.bincount(self.part)
        return int((size * (size - 1) // 2).sum())

    @property
    def part(self) -> Int:
        """The part of every agent, from 0, the largest first; ranks are those within a part."""
        return self.board.parts

    @property
    def resolved_pairs(self) -> int:
        """How many of them have a certain order."""
        return int(self.above.sum())

    @property
    def share_resolved(self) -> float:
        """Their share; NaN of no pairs."""
        return self.resolved_pairs / self.pairs if self.pairs else float("nan")

    @property
    def unique_ranks(self) -> tuple[str, ...]:
        """Agents with a single possible rank."""
        return self._named(self.best == self.worst)

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The tie groups, best first."""
        return tuple(self._named(self.group == k) for k in range(1, int(self.group.max(initial=0)) + 1))

    def top(self, tau: int) -> tuple[str, ...]:
        """Return the agents that may be among the best `tau`."""
        return self._named(self.best <= self._place(tau))

    def certainly_top(self, tau: int) -> tuple[str, ...]:
        """Return the agents that are certainly among the best `tau`."""
        return self._named(self.worst <= self._place(tau))

    def certain(self, first: str, second: str) -> bool:
        """Return whether the first agent is certainly above the second."""
        return bool(self.above[self._index(first), self._index(second)])

    def difference(self, first: str, second: str) -> Difference:
        """Return the first score less the second, with an interval.

        Where sets hold all at once, so do the intervals of all differences. These do not step down, which has no
        intervals: one may reach zero though the order is certain.
        """
        a, c = self._index(first), self._index(second)
        estimate, df = float(self.score[a] - self.score[c]), float(self.board.df[a, c])
        variance = self.board.variance_of_differences[a, c] if estimable(self.board)[a, c] else np.nan
        stderr = float(np.sqrt(variance))
        reach = float(t_critical(self.interval_critical.value, df)) * stderr
        return Difference(first, second, estimate, stderr, df, estimate - reach, estimate + reach)

    def _named(self, mask: Mask) -> tuple[str, ...]:
        """Names of a mask: as on the board, those without a score last."""
        rest = [i for i in range(len(self.agents)) if self.rank[i] == 0]
        return tuple(self.agents[i] for i in [*self.order, *rest] if mask[i])

    def _index(self, agent: str) -> int:
        if agent not in self.agents:
            raise UsageError(f"{quoted(agent)} must be one of the agents.{suggestion(agent, self.agents)}")
        return self.agents.index(agent)

    def _place(self, tau: int) -> int:
        if not 1 <= tau <= len(self.agents):
            raise UsageError(f"`tau` must be a rank, from 1 to {len(self.agents):,}; got {tau!r}.")
        return tau

    @property
    def sentences(self) -> tuple[str, ...]:
        """Who may be first, how much is certain, and how surely."""
        return tuple(_rank_sentences(self))

    def rows(self) -> list[dict[str, Any]]:
        """Return one row an agent, in the order of the board's arrays."""
        columns = ("score", "low", "high", "joint_low", "joint_high", "rank", "best", "worst", "group", "critical")
        found = self.columns(*columns)
        return [{"agent": name, "part": int(self.part[i]) + 1, **found[name]} for i, name in enumerate(self.agents)]

    def columns(self, *names: str) -> dict[str, dict[str, Any]]:
        """Return some of what is known of every agent as plain data, by its name."""
        plain = {name: [json_number(value) for value in getattr(self, name)] for name in names}
        return {agent: {name: plain[name][i] for name in names} for i, agent in enumerate(self.agents)}

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data that JSON can carry."""
        return {
            "schema_version": SCHEMA_VERSION,
            "type": "rank_sets",
            "estimand": self.board.estimand,
            "sentences": list(self.sentences),
            "agents": self.rows(),
            "order": [self.agents[i] for i in self.order],
            "groups": [list(group) for group in self.groups],
            "unresolved_runs": [[self.agents[i] for i in run] for run in self.runs],
            "above": [np.flatnonzero(row).tolist() for row in self.above],
            "pairs": self.pairs,
            "resolved_pairs": self.resolved_pairs,
            "share_resolved": json_number(self.share_resolved),
            "unique_ranks": list(self.unique_ranks),
            "skipped": self.skipped,
            "borderline": self.borderline,
            "critical_error": json_number(np.max(self.critical_error, initial=0.0)),
            "interval_critical": json_number(self.interval_critical.value),
            "settings": self.settings,
            "conventions": [made.to_dict() for made in self.board.conventions],
            "notes": list(self.notes),
        }


def _rank_sentences(sets: RankSets) -> Iterator[str]:
    n, unique = len(sets.agents), len(sets.unique_ranks)
    if n == 1:
        yield f"{quoted(sets.agents[0])} is the only agent."
        return
    yield _who_may_be_first(sets)
    yield f"{unique:,} of {n:,} agents {'has' if unique == 1 else 'have'} a unique rank."
    yield f"The data resolve {sets.resolved_pairs:,} of {counted(sets.pairs, 'pair')} ({percent(sets.share_resolved)})."
    if sets.simultaneous and len(sets.groups) > 1:
        yield f"The agents fall into {len(sets.groups):,} groups whose order is certain."
    missing = int((sets.rank == 0).sum())
    if missing:
        yield f"{counted(missing, 'agent has', 'agents have')} no score and may hold any rank."
    if sets.skipped:
        kept = counted(sets.skipped, "difference has", "differences have")
        yield f"{kept} no usable variance: {'its sign stays' if sets.skipped == 1 else 'their signs stay'} open."
    if sets.borderline:
        more = f"`draws={10 * sets.draws}` (`--draws {10 * sets.draws}`) would tell"
        yield f"Another seed might decide otherwise on {counted(sets.borderline, 'pair')}; {more}."
    held = (
        "All sets of ranks hold at once" if sets.simultaneous else "Each set of ranks holds by itself, not all at once,"
    )
    yield f"{held} with {100 * sets.level:g} % confidence ({sets.method}), {_conditions(sets.board)}."


def _who_may_be_first(sets: RankSets) -> str:
    """Who may be first."""
    largest = {name for name, part in zip(sets.agents, sets.part, strict=True) if part == 0}
    certain, may = ([name for name in some if name in largest] for some in (sets.certainly_top(1), sets.top(1)))
    of_part = "" if len(largest) == len(sets.agents) else f" of the {len(largest):,} of the largest part"
    if certain:
        return f"{quoted(certain[0])} is certainly first{of_part}."
    if len(may) == len(largest):
        return f"Any of the {counted(len(may), 'agent')}{' of the largest part' if of_part else ''} may be first."
    return f"The first{of_part} is one of {counted(len(may), 'agent')}: {listed(may, 10)}."


def _conditions(board: Leaderboard) -> str:
    """Under which conditions errors are what they are said to be."""
    settings = board.settings
    unit = " and ".join(
        "ballots or tasks" if name == "ballot" else f"{name}s" for name in settings.get("cluster") or ()
    )
    if settings.get("cluster") == ["run"]:
        return "if runs are independent of each other, and others would be like them; of other tasks it says nothing"
    if settings.get("estimand") in MEANS_OF_TASKS:
        return f"if {unit} are independent of each other, and those that might have been asked are like those that were"
    apart = f"battles of different {unit} are" if unit else "battles are"
    return f"if {apart} independent of each other and {STEERED}"
