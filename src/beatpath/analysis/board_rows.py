r"""The board of a report: one row per agent with its rank set, core probability and ranks by method.

The pair table has the win rates of all pairs that were compared directly, their intervals, and which differences are
significant.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import compress
from math import isfinite
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from beatpath._arrays import Floats
from beatpath._result import Record, plain
from beatpath._typing import TierScheme
from beatpath.checks.finding import DIGITS as CHECK_DIGITS
from beatpath.evidence import Margins, WinRates
from beatpath.inference.ranks.ranks import span
from beatpath.methods.profile import Profile

if TYPE_CHECKING:
    from beatpath.inference.core.core_result import Core
    from beatpath.inference.ranking.compare import Comparison
    from beatpath.inference.ranks.ranks import Ranks
    from beatpath.inference.resolve.pairwise_resolution import PairwiseResolution


SURE = 0.95  # probability from which an agent counts as inside the core; below one minus this it counts as outside


@dataclass(frozen=True, slots=True)
class Row(Record):
    """The row of one agent on the board; ``None`` for anything unknown.

    Parameters
    ----------
    agent : str
        Name of the agent.
    rank : int
        Rank by score: 1 plus the number of agents with a higher score.
    best, worst : int
        Ends of the rank set.
    score, low, high : float
        The score and its confidence interval.
    group : int
        Equal for agents whose order is not, or not fully, certain.
    tier, best_tier : int
        Tier from the top, by score, and the first tier whose leader is not certainly above the agent.
    letters : str
        Agents of one component that share no letter certainly differ.
    part : int
        Component; agents of different components are not connected by comparisons.
    core : float
        Probability of being in the top cycle; without counts, 1 for its members by majority and 0 for others.
    battles : int
        Number of battles or ballots; of a table of scores, of its tasks or items.
    ranks : mapping of method to int
        Rank by each method.
    may_be_first : bool
        Whether it may be first of its component; this is tested by itself, so `best` may be 1 where it may not.
    """

    agent: str
    rank: int | None
    best: int | None
    worst: int | None
    score: float | None
    low: float | None
    high: float | None
    group: int | None
    tier: int | None
    best_tier: int | None
    letters: str | None
    part: int | None
    core: float | None
    battles: int | None
    ranks: Mapping[str, int]
    may_be_first: bool | None = None

    @property
    def membership(self) -> str:
        """``inside`` the core, ``maybe``, ``outside``, or empty if unknown."""
        if self.core is None:
            return ""
        return "inside" if self.core >= SURE else "outside" if self.core <= 1 - SURE else "maybe"

    def tier_label(self, scheme: TierScheme) -> str:
        """Return the agent's tier, letters, or group; empty if it has none."""
        tier = "" if self.tier is None else span(self.best_tier or self.tier, self.tier)
        return str({"top": tier, "letters": self.letters, "cuts": self.group}[scheme] or "")


def board_rows(
    order: Sequence[str],
    resolution: "PairwiseResolution | None",
    core: "Core | None",
    comparison: "Comparison | None",
    battles: Mapping[str, int],
) -> tuple[Row, ...]:
    """Return the rows, agents in this order."""
    scored = {} if resolution is None else _scored(resolution)
    battles = battles if resolution is None else {row["agent"]: row["battles"] for row in resolution.rows()}
    chance = {} if core is None else _chance(core)
    compared = () if comparison is None else comparison.by_component
    ranks: dict[str, dict[str, int]] = {agent: {} for agent in order}
    for ranking in (ranking for one in compared for ranking in one.rankings):
        for agent in ranking.agents:
            ranks[agent][ranking.method] = ranking.rank(agent)
    fallback = {} if core is None or resolution is not None else core.win_rate
    nothing = dict.fromkeys(one.name for one in fields(Row))
    rows = []
    for agent in order:
        known = scored.get(agent) or {"score": plain(fallback.get(agent), CHECK_DIGITS)}
        counts = {"core": chance.get(agent), "battles": battles.get(agent), "ranks": ranks[agent]}
        rows.append(Row(**{**nothing, **known, **counts, "agent": agent}))
    return tuple(rows)


def first_rows_of(board: Sequence[Row]) -> tuple[str, ...]:
    """Return the agents that nothing but their names puts below the first row."""

    def place(row: Row) -> object:
        return (row.part, row.rank, row.best, row.worst) if row.rank is not None else sum(row.ranks.values())

    return tuple(row.agent for row in board if place(row) == place(board[0]))


def agents_by_place(agents: Sequence[str], ranks: "Ranks | None", comparison: "Comparison | None") -> list[str]:
    """Return the agents in the order of the board: by score or, without scores, by mean rank over the methods."""
    if ranks is not None:
        first = list(ranks.names)
        return [*first, *sorted(set(agents) - set(first))]
    return sorted(agents) if comparison is None else comparison.order()


def _scored(resolution: "PairwiseResolution") -> dict[str, dict[str, Any]]:
    """Scores, ranks and tiers by agent."""
    ranks = resolution.ranks
    columns = {**ranks.columns(), "rank": [rank or None for rank in ranks.rank.tolist()]}
    columns["may_be_first"] = ranks.may_be_first.tolist()
    agents = columns.pop("agent")
    return {agent: {name: column[i] for name, column in columns.items()} for i, agent in enumerate(agents)}


def _chance(core: "Core") -> dict[str, float]:
    if core.membership:
        return dict(plain(core.membership, CHECK_DIGITS))
    return {agent: float(agent in core.top_cycle.members) for agent in core.agents}


# A column of the pair table.
Column = list[Any]
# shares, and the column whose complement each is from the side of the other agent
COMPLEMENTS = {"rate": "rate", "predicted": "predicted", "low": "high", "high": "low"}
DIGITS = 4  # a hundredth of a percentage point, far below any standard error


@dataclass(frozen=True, slots=True)
class PairTable(Record):
    """Win rates of all compared pairs as columns; agents by index into `agents`, the better placed first.

    Parameters
    ----------
    agents : tuple of str
        In the order of the board.
    a, b : list of int
        The two agents of each pair.
    rate : list of float
        Share that *a* won, ties half.
    battles : list of int, or None
        Number of battles of each pair.
    low, high : list of float, or None
        Confidence interval of the share.
    resolved : list of bool, or None
        Whether the interval excludes one half.
    predicted : list of float, or None
        The share that the Bradley-Terry model predicts.
    compared, n_resolved : int
        Number of pairs compared directly, and of those resolved, also where only some are listed.
    """

    document: ClassVar[tuple[str, ...]] = ("a", "b", "rate", "battles", "low", "high", "resolved", "predicted")

    agents: tuple[str, ...]
    a: Column
    b: Column
    rate: Column
    battles: Column | None = None
    low: Column | None = None
    high: Column | None = None
    resolved: Column | None = None
    predicted: Column | None = None
    compared: int = 0
    n_resolved: int = 0

    @property
    def complete(self) -> bool:
        """Whether all compared pairs are listed."""
        return len(self.a) == self.compared

    def among_first(self, number: int) -> "PairTable":
        """Return the pairs among the first `number` agents of the board.

        >>> PairTable(("x", "y", "z"), [0, 0, 1], [1, 2, 2], [0.6, 0.7, 0.5], compared=3).among_first(2).rate
        [0.6]
        """
        among = [j < number for j in self.b]
        columns = {name: getattr(self, name) for name in self.document}
        some: dict[str, Any] = {name: column and list(compress(column, among)) for name, column in columns.items()}
        return replace(self, agents=self.agents[:number], **some)

    def matrix(self, name: str) -> Floats | None:
        """Return a column as a square matrix of the row agent against the column agent; NaN if never compared directly."""
        column, turned = getattr(self, name), getattr(self, COMPLEMENTS.get(name, name))
        if column is None or turned is None:
            return None
        full = np.full((len(self.agents), len(self.agents)), np.nan)
        full[self.a, self.b], full[self.b, self.a] = column, turned
        return np.where(np.tri(len(full), dtype=bool), 1 - full, full) if name in COMPLEMENTS else full

    def predictions(self) -> list[dict[str, Any]]:
        """Return one mapping per pair with the predicted and the observed win rate; empty without a prediction."""
        if self.predicted is None:
            return []
        columns = (self.a, self.b, self.rate, self.predicted, self.battles, self.low, self.high)
        keys = ("observed", "predicted", "battles", "low", "high")
        return [
            {"agent": self.agents[row[0]], "rival": self.agents[row[1]], **dict(zip(keys, row[2:], strict=True))}
            for row in zip(*(column or [] for column in columns), strict=True)
            if row[3] is not None
        ]

    def battles_by_agent(self) -> dict[str, int]:
        """Return the number of battles of every agent; empty if unknown."""
        if self.battles is None:
            return {}
        total = dict.fromkeys(self.agents, 0)
        for i, j, n in zip(self.a, self.b, self.battles, strict=True):
            total[self.agents[i]] += n
            total[self.agents[j]] += n
        return total


def pair_table(
    profile: Profile,
    agents: Sequence[str],
    resolution: "PairwiseResolution | None",
    level: float,
    first: int | None = None,
) -> PairTable:
    """Return the compared pairs of the evidence, agents in the order of the board; of a resolution those of the first."""
    names, evidence = tuple(agents), profile.source
    if resolution is not None:
        return _with_intervals(names, resolution, level, first)
    if isinstance(evidence, Margins):
        return PairTable(names, [], [], [])
    if isinstance(evidence, WinRates):
        a, b = np.nonzero(np.tril(np.isfinite(evidence.matrix), -1))
        return _ordered(names, evidence.agents, {"a": a, "b": b, "rate": evidence.matrix[a, b]})
    settled = profile.settled
    assert settled is not None
    won, lost = settled.counts[:, 0], settled.counts[:, 1]
    met = won + lost > 0
    rate = won[met] / (won + lost)[met]
    columns = {"a": settled.a[met], "b": settled.b[met], "rate": rate, "battles": settled.battles[met]}
    return _ordered(names, settled.agents, columns)


def _with_intervals(
    agents: tuple[str, ...], resolution: "PairwiseResolution", level: float, first: int | None
) -> PairTable:
    """Win rates with their individual confidence intervals, and the predictions of the Bradley-Terry model."""
    from beatpath.inference.resolve.majorities import pair_intervals

    pairwise, projection = resolution.pairwise, resolution.projection
    columns = {name: getattr(pairwise, name) for name in ("a", "b", "rate", "battles")}
    columns |= pair_intervals(pairwise, level)._asdict()
    columns |= {} if projection is None else {"predicted": projection.predicted}
    return _ordered(agents, pairwise.agents, columns, first)


def _ordered(
    agents: tuple[str, ...], own: Sequence[str], columns: Mapping[str, Any], most: int | None = None
) -> PairTable:
    """Columns with agents by index on the board, each pair oriented so that the better placed comes first."""
    place = {name: i for i, name in enumerate(agents)}
    code = np.array([place[name] for name in own], dtype=np.int64)
    a, b = code[columns["a"]], code[columns["b"]]
    first, second, turned = np.minimum(a, b), np.maximum(a, b), a > b
    ordered = {
        name: np.where(turned, 1 - columns[COMPLEMENTS[name]], column) if name in COMPLEMENTS else column
        for name, column in {**columns, "a": first, "b": second}.items()
    }
    order = np.lexsort((second, first))
    order = order[second[order] < (most or len(agents))]
    lists = {name: list(map(_four_digits, column[order].tolist())) for name, column in ordered.items()}
    return PairTable(agents, **lists, compared=len(a), n_resolved=int(np.sum(columns.get("resolved", ()))))


def _four_digits(value: Any) -> Any:
    """A share with four digits, None if missing, and anything else as it is."""
    if not isinstance(value, float):
        return value
    return None if not isfinite(value) else round(value, DIGITS)
