"""`design`: one description of how the evidence was collected, which all analyses follow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from beatpath._arrays import Codes, Ints
from beatpath._coerce import EvidenceLike, as_evidence
from beatpath._result import Record, Result
from beatpath._text import counted, listed, percent
from beatpath.evidence import Ballots, Battles, Evidence, Margins, Pairs, Scores
from beatpath.evidence_design.adaptive_sampling import adaptive_sampling
from beatpath.evidence_design.columns import ColumnUse, dependent_columns
from beatpath.evidence_design.field import field_of, hubs_of, placed_evidence, unplaced_sentence
from beatpath.evidence_design.position import position_effect
from beatpath.evidence_design.run_effects import run_effects
from beatpath.methods.graph.connection import members_of_groups, unconnected

SHOWN = 3  # most components that are named
ADAPTIVE = 0.05  # p-value below which sampling counts as adaptive


@dataclass(frozen=True, slots=True)
class ShownFirst(Record):
    """Position bias: the advantage of the side shown first.

    Attributes
    ----------
    share : float
        Win rate of the side shown first between equal agents.
    low, high : float
        The ends of its 95 % confidence interval.
    known : float
        Share of battles whose order is known.
    """

    share: float
    low: float
    high: float
    known: float


@dataclass(frozen=True, slots=True)
class ScoreTable(Record):
    """The shape of a table of scores.

    Attributes
    ----------
    tasks : int
        Number of tasks.
    low, high : float
        The smallest and the largest score; not a number where there is none.
    lower_is_better : tuple of str
        Metrics or tasks whose lower scores are better.
    runs : int
        The most runs of one agent on one task.
    no_common_task : int
        Pairs of agents without a common task.
    """

    tasks: int
    low: float
    high: float
    lower_is_better: tuple[str, ...]
    runs: int
    no_common_task: int

    @property
    def sentences(self) -> tuple[str, ...]:
        """The range of scores, metrics whose lower values are better, runs, and pairs without a common task."""
        sentences = [f"Scores on {counted(self.tasks, 'task')} range from {self.low:.4g} to {self.high:.4g}."]
        if self.lower_is_better:
            sentences.append(f"Lower is better on {listed(self.lower_is_better, 5)}.")
        if self.runs > 1:
            sentences.append(f"There are up to {self.runs:,} scores of an agent on a task.")
        if self.no_common_task:
            sentences.append(f"{counted(self.no_common_task, 'pair shares', 'pairs share')} no task.")
        return tuple(sentences)


@dataclass(frozen=True, eq=False, repr=False)
class Design(Result):
    """How the evidence was collected, and how all analyses handle it.

    Attributes
    ----------
    agents : tuple of str
        Names.
    kind : str
        Kind of evidence: battles, ballots, scores, pairs, margins or win rates.
    components : tuple of tuple of str
        Connected components, the largest first.
    unplaced : tuple of str
        Agents with too little data to be ranked.
    hubs : tuple of str
        Agents that take part in nearly all comparisons: scores are win rates against these.
    columns : tuple of ColumnUse
        Columns that could define clusters.
    position : ShownFirst or None
        Position bias; null where positions are unknown.
    schedule_p_value : float or None
        P-value of a schedule independent of outcomes; null where the order of battles is unknown.
    table : ScoreTable or None
        The shape of a table of scores.
    """

    document: ClassVar = (
        *("agents", "kind", "components", "unplaced", "hubs", "columns", "position", "schedule_p_value", "table"),
    )

    agents: tuple[str, ...]
    kind: str
    components: tuple[tuple[str, ...], ...]
    unplaced: tuple[str, ...]
    hubs: tuple[str, ...]
    columns: tuple[ColumnUse, ...]
    position: ShownFirst | None
    schedule_p_value: float | None
    table: ScoreTable | None

    @property
    def settings(self) -> dict[str, str]:
        """Empty: there are no options."""
        return {}

    @property
    def sentences(self) -> tuple[str, ...]:
        """The design as sentences, each with its consequence."""
        sentences = [self._connection]
        if self.unplaced:
            left = len(self.agents) - len(self.unplaced)
            sentences.append(unplaced_sentence(self.unplaced, f"Scores are against the {left:,} others"))
        if self.hubs:
            hubs = listed(self.hubs)
            sentences.append(f"Comparisons go through {hubs}: scores are win rates against {hubs}.")
        for one in self.columns:
            if one.effect is not None:
                nothing = f"No dependence on the {one.name} was found (p = {one.p_value:.2g})."
                sentences.append(one.note or nothing)
        clusters = [one.name for one in self.columns if one.use == "cluster"]
        sentences += [f"Standard errors are clustered by {name}." for name in clusters]
        if self.position is not None:
            share = percent(self.position.share, self.position.low, self.position.high)
            wins = f"{share} of battles between equal agents"
            sentences.append(f"The side shown first wins {wins}; results average over both orders.")
        if self.schedule_p_value is not None and self.schedule_p_value <= ADAPTIVE:
            followed = f"Pairs seem to have been chosen by earlier outcomes (p = {self.schedule_p_value:.2g})"
            sentences.append(f"{followed}; `anytime=True` holds for such schedules too.")
        return (*sentences, *(() if self.table is None else self.table.sentences))

    @property
    def _connection(self) -> str:
        if len(self.components) == 1:
            return f"All {len(self.agents):,} agents are connected by comparisons."
        more = "; ..." if len(self.components) > SHOWN else ""
        parts = "; ".join(listed(part, 3) for part in self.components[:SHOWN]) + more
        return (
            f"The agents form {len(self.components):,} connected components ({parts}): each is ranked by itself, and agents of "
            "different components are not compared."
        )


def design(evidence: EvidenceLike) -> Design:
    """Describe how the evidence was collected, and how all analyses handle it.

    Use it first on new data: it shows connected components, agents with few battles, dependent columns, position bias
    and adaptive sampling.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores, Pairs, Margins or WinRates, or what `read` takes
        The data.

    Returns
    -------
    Design

    See Also
    --------
    check : Checks of the data, with pass, warning or failure.

    Examples
    --------
    >>> rows = [("ada", "base", 1), ("bob", "base", 0), ("cyd", "base", 1)] * 20
    >>> design(Battles.of(rows)).hubs
    ('base',)
    """
    evidence = as_evidence(evidence)
    n, names = len(evidence.agents), evidence.agents
    field = field_of(evidence)
    a, b = _edges(evidence)
    part = unconnected(n, a, b)[1]
    placed = placed_evidence(evidence, field)
    met = placed.pairs() if isinstance(placed, Battles | Pairs) else None
    hubs = () if met is None else hubs_of(len(met.agents), met.a, met.b, met.battles)
    schedule = adaptive_sampling(evidence) if isinstance(evidence, Battles) else None
    return Design(
        names,
        evidence.kind,
        tuple(map(tuple, members_of_groups(names, part))),
        tuple(name for name, yes in zip(names, field.placed.tolist(), strict=True) if not yes),
        tuple(placed.agents[i] for i in hubs),
        _columns(placed),
        _first_position(placed) if isinstance(placed, Battles) else None,
        None if schedule is None else schedule.p_value,
        _table(evidence) if isinstance(evidence, Scores) else None,
    )


def _edges(evidence: Evidence) -> tuple[Codes | Ints, Codes | Ints]:
    """Return the two agents of every comparison, or a path through those of every ballot or task."""
    if isinstance(evidence, Battles | Pairs):
        weight = evidence.counts.sum(axis=1) if isinstance(evidence, Pairs) else evidence.weight
        some = slice(None) if weight is None else weight > 0
        return evidence.a[some], evidence.b[some]
    if isinstance(evidence, Ballots):
        goes_on = np.repeat(evidence.total > 0, np.diff(evidence.start))
        goes_on[evidence.start[1:] - 1] = False
        return evidence.agent[:-1][goes_on[:-1]], evidence.agent[1:][goes_on[:-1]]
    if isinstance(evidence, Scores):
        return _edges(evidence.ballots())
    met = evidence.played if isinstance(evidence, Margins) else ~np.isnan(evidence.matrix)
    a, b = np.nonzero(np.ones((len(evidence.agents),) * 2, dtype=bool) if met is None else met)
    return a.astype(np.int64), b.astype(np.int64)


def _columns(evidence: Evidence) -> tuple[ColumnUse, ...]:
    if isinstance(evidence, Battles | Pairs):
        return dependent_columns(evidence).uses
    effects = run_effects(evidence, evidence.who_votes("auto")) if isinstance(evidence, Scores) else None
    return () if effects is None else (effects.column,)


def _first_position(battles: Battles) -> ShownFirst | None:
    effect = position_effect(battles, battles.pairs(), "cluster" if "cluster" in battles.factors else None)
    if effect is None or battles.position is None:
        return None
    low, high = (1 / (1 + float(np.exp(-(effect.beta + k * 1.96 * effect.stderr)))) for k in (-1, 1))
    return ShownFirst(effect.share, low, high, float((battles.position != 0).mean()))


def _table(scores: Scores) -> ScoreTable:
    table, tasks = scores.table()
    filled = ~np.isnan(table)
    shared = filled.astype(np.float64) @ filled.T.astype(np.float64)
    lower = tuple(name for name, higher in scores.higher_is_better.items() if not higher)
    cell = scores.agent.astype(np.int64) * max(len(tasks), 1)
    if "task" in scores.factors:
        cell = cell + scores.factors["task"].codes
    runs = int(np.unique(cell, return_counts=True)[1].max(initial=1)) if "replicate" in scores.factors else 1
    apart = int(np.triu(shared == 0, 1).sum())
    low, high = (float(scores.value.min()), float(scores.value.max())) if len(scores) else (np.nan, np.nan)
    return ScoreTable(len(tasks), low, high, lower, runs, apart)
