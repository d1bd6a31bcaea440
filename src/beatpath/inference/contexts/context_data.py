"""Evidence by context: battles by context and pair, also by cluster, or mean scores by context.

Contexts may be a column, or a list of tasks for each context.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from beatpath._arrays import Floats, Ints
from beatpath._errors import DataError, UsageError
from beatpath._text import counted, listed, quoted
from beatpath._validate import require_few, require_known
from beatpath.evidence import Battles, Convention, Evidence, Factor, Pairs, Scores
from beatpath.evidence.conventions import DEFAULT, Conventions
from beatpath.evidence.pairs import WIN
from beatpath.evidence.select import columns_of
from beatpath.evidence_design.columns import dependent_columns
from beatpath.inference.contexts.deviations import Cells, Seen
from beatpath.inference.leaderboard import connected_parts
from beatpath.inference.win_rates.cluster_cells import AUTO, cluster_names
from beatpath.methods.profile import profile_of
from beatpath.methods.rating.bradley_terry.design import shifts

MOST_STRENGTHS = 4000  # most contexts times agents, whose full covariance fits into memory


@dataclass(frozen=True, slots=True, eq=False)
class ContextData:
    """Battles by context and pair, or mean scores by context.

    Parameters
    ----------
    agents : tuple of str
        Names.
    by : str
        The column that defines contexts.
    contexts : tuple of str
        Names of the contexts.
    seen : Seen
        The battles as `Cells`, or the scores as `Means`.
    amount : (C, n) int
        Battles, or scores, of every agent in every context.
    weight : (C,) float
        Default weights of contexts: their battles, or their tasks.
    part : (n,) int
        Connected component of every agent over all contexts.
    undecided : float
        The sum of :math:`s (1 - s)` over outcomes *s* of battles: a quarter per tie.
    clustered : tuple of (Cells, codes)
        The same battles by cluster, once for every column of clusters.
    clusters : tuple of str
        These columns.
    shifts : tuple of str
        Covariates of battles, in the order of the last columns.
    units : (p,) float
        Scales by which covariates were divided.
    levels : Levels, optional
        Conversion of strengths to mean scores.
    conventions : tuple of Convention
        How evidence was counted.
    notes : tuple of str
        Caveats.
    """

    agents: tuple[str, ...]
    by: str
    contexts: tuple[str, ...]
    seen: Seen
    amount: Ints
    weight: Floats
    part: Ints
    undecided: float = 0.0
    clustered: tuple[tuple[Cells, Ints], ...] = ()
    clusters: tuple[str, ...] = ()
    shifts: tuple[str, ...] = ()
    units: Floats | None = None
    levels: "Levels | None" = None
    conventions: tuple[Convention, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """Conversion of strengths to mean scores: difficulty of contexts, and the unit.

    Parameters
    ----------
    unit : float
        Scores per unit of strength.
    mean : (C,) float
        The mean over tasks of the mean over the agents with a score there.
    share : (C, n) float
        Weight of each agent in it.
    variance : (C,) float
        Variance of the mean, over other tasks of the context.
    degrees : float
        Degrees of freedom of the standard errors.
    bounds : two floats
        Range of possible scores.
    per : str
        What scores are averaged over: task or item.
    """

    unit: float
    mean: Floats
    share: Floats
    variance: Floats
    degrees: float
    bounds: tuple[float, float]
    per: str


def require_contexts(contexts: Sequence[str], by: str, n: int, what: str = "battles") -> None:
    """Raise unless there are at least two contexts, and no more than fit into memory."""
    if not contexts:
        raise DataError(f"strengths by context need {what} with a name in {quoted(by)}; there are none.")
    if len(contexts) == 1:
        raise DataError(
            f"strengths by context need two contexts or more; {quoted(by)} names one, {quoted(contexts[0])}. Use `resolve` "
            "without contexts."
        )
    limit = "strengths by context are computed for at most {} contexts times agents"
    require_few(len(contexts) * n, MOST_STRENGTHS, limit, "Choose agents with `--only`, or a coarser column.")


COLUMN = "context"  # name of the column that lists of tasks become


def with_contexts(
    evidence: Evidence, tasks_of: Mapping[str, Sequence[str]], name: str = COLUMN
) -> tuple[Evidence, str]:
    """Return the evidence with a column of contexts, and the column's name; unlisted tasks have none.

    >>> scores = Scores.from_table([[1.0, 2.0, 0.0]], ["ada"], ["sql", "rust", "poem"])
    >>> result, column = with_contexts(scores, {"code": ["sql", "rust"], "prose": ["poem"]})
    >>> result.factors[column].names()
    ['code', 'code', 'prose']
    """
    if not isinstance(evidence, Scores | Battles) or "task" not in evidence.factors:
        raise UsageError("contexts are given as lists of tasks where battles or scores name their task; these do not.")
    task = evidence.factors["task"]
    context_of: dict[str, str] = {}
    for context, tasks in tasks_of.items():
        if isinstance(tasks, str) or not all(isinstance(one, str) for one in tasks):
            raise UsageError(f"a context must have a list of names of tasks; {quoted(context)} has {tasks!r}.")
        for one in tasks:
            must = f"a context must list existing tasks; {quoted(one)} of {quoted(context)} is none."
            require_known(one, task.levels, f"{must} There are {listed(task.levels, 8)}.")
            if context_of.setdefault(one, str(context)) != context:
                raise UsageError(
                    f"a task must belong to one context; {quoted(one)} is in {quoted(context_of[one])} and {quoted(context)}."
                )
    names = [None if code < 0 else context_of.get(task.levels[code]) for code in task.codes.tolist()]
    return replace(evidence, factors={**evidence.factors, name: Factor.of(names)}), name


SHIFT = "\0shift"  # the column of distinct covariates, a name that no file has


def context_counts(
    evidence: Evidence,
    by: str,
    chosen: Conventions = DEFAULT,
    cluster: str | Sequence[str] | None = AUTO,
    covariates: Sequence[str] = (),
) -> ContextData:
    """Count battles by context and pair; with covariates, by their values too.

    >>> rows = [("ada", "bob", 1.0), ("ada", "bob", 0.5), ("bob", "ada", 1.0)]
    >>> result = context_counts(Battles.of(rows, factors={"task": Factor.of(["code", "code", "chat"])}), "task")
    >>> result.contexts, result.seen.won, result.seen.played, result.undecided
    (('chat', 'code'), array([0. , 1.5]), array([1., 2.]), 0.25)
    """
    if not isinstance(evidence, Battles | Pairs):
        raise UsageError(
            f"strengths by context are computed from battles, counts by pair or scores; {evidence.kind.replace('_', ' ')} are "
            "neither. `--where` chooses one context, and a report has a board for each."
        )
    require_column(columns_of(evidence), by)
    source = profile_of(evidence, chosen).source
    assert isinstance(source, Battles | Pairs)
    names = _clusters(source, by, cluster)
    x, units = np.zeros((1, 0)), None
    if covariates:
        source, x, units = _shifted(source, covariates)
    split = (by, SHIFT) if covariates else (by,)

    def cells(*names: str) -> tuple[Pairs, Cells]:
        counts = _counts(source, names).settle(ties=chosen.ties, both_bad=chosen.both_bad)
        counts = counts.take((counts.counts.sum(axis=1) > 0) & (counts.keys[by].codes >= 0))
        return counts, _cells(counts, by, contexts or counts.keys[by].levels, x)

    contexts: tuple[str, ...] = ()
    counts, observed = cells(*split)
    contexts, n = counts.keys[by].levels, len(counts.agents)
    require_contexts(contexts, by, n)
    battles = np.zeros((len(contexts), n), dtype=np.int64)
    for side in (counts.a, counts.b):
        np.add.at(battles, (counts.keys[by].codes, side), counts.battles)
    clustered = []
    for name in names:
        fine, by_cluster = cells(*split, name)
        clustered.append((by_cluster, fine.keys[name].codes.astype(np.int64)))
    return ContextData(
        counts.agents,
        by,
        contexts,
        observed,
        battles,
        np.asarray(np.bincount(observed.context, observed.played, len(contexts)), dtype=np.float64),
        connected_parts(n, counts.a, counts.b),
        _undecided(_counts(source, (by,)), chosen),
        tuple(clustered),
        names,
        tuple(covariates),
        units,
        None,
        counts.conventions,
        _left_out(evidence, by),
    )


def _shifted(source: Battles | Pairs, covariates: Sequence[str]) -> tuple[Battles, Floats, Floats]:
    """Return battles with a column of distinct covariates for the lower agent, the covariates, and their units."""
    battles = source if isinstance(source, Battles) else None
    x = shifts(battles, False, covariates)
    assert battles is not None
    x = np.where((battles.a > battles.b)[:, None], -x, x) + 0.0  # no negative zeros
    units = np.sqrt((x**2).mean(axis=0))
    values, code = np.unique(x / units, axis=0, return_inverse=True)
    width = len(str(len(values)))
    factor = Factor.coded(code.ravel(), [f"{i:0{width}d}" for i in range(len(values))])
    return replace(battles, factors={**battles.factors, SHIFT: factor}), values, units


def _counts(source: Battles | Pairs, names: tuple[str, ...]) -> Pairs:
    return source.by(*names) if isinstance(source, Pairs) else source.pairs(names)


def _cells(counts: Pairs, by: str, contexts: tuple[str, ...], x: Floats) -> Cells:
    """Return weighted wins and battles by context and pair."""
    total = counts.counts.sum(axis=1)
    worth: Floats | float = 1.0 if counts.squares is None else total / counts.squares.sum(axis=1)
    place = {name: k for k, name in enumerate(contexts)}
    code = np.array([place[name] for name in counts.keys[by].levels], dtype=np.int64)[counts.keys[by].codes]
    a, b = counts.a.astype(np.int64), counts.b.astype(np.int64)
    won, played = counts.counts[:, WIN] * worth, total * worth
    return Cells(len(counts.agents), len(contexts), code, a, b, won, played, _values(counts, x))


def _values(counts: Pairs, x: Floats) -> Floats:
    """Return the covariates of every cell."""
    if SHIFT not in counts.keys:
        return np.zeros((len(counts.a), 0))
    number = np.array([int(level) for level in counts.keys[SHIFT].levels], dtype=np.int64)
    return np.asarray(x[number[counts.keys[SHIFT].codes]])


def _undecided(raw: Pairs, chosen: Conventions) -> float:
    """Return the sum of :math:`s (1 - s)` over ties counted as half and soft preferences."""
    settled = raw.settle(ties=chosen.ties, both_bad=chosen.both_bad)
    halves = float(settled.counts.sum() - raw.counts[:, :2].sum())
    soft = 0.0 if raw.soft is None else float(raw.soft.sum())
    return (max(halves, 0.0) / 4 if chosen.ties == "half" else 0.0) + soft


def _clusters(source: Battles | Pairs, by: str, cluster: str | Sequence[str] | None) -> tuple[str, ...]:
    """Return the columns of clusters except the contexts themselves."""
    if isinstance(source, Pairs):
        names: tuple[str, ...] = cluster_names(cluster, source.keys, ["cluster"])
        return tuple(name for name in names if name != by)
    if cluster != AUTO:
        return tuple(name for name in cluster_names(cluster, source.factors, ()) if name != by)
    return tuple(name for name in dependent_columns(source).clusters if name != by)


def require_column(columns: Mapping[str, Factor], by: str) -> None:
    """Raise an error unless the evidence has a column of contexts with this name."""
    must = f"contexts need a column the evidence has; {quoted(by)} is not among them"
    has = ", ".join(sorted(columns)) or "none"
    require_known(by, columns, f"{must}: {has}. Name one with `by`; `keep` carries further columns along.")


def _left_out(evidence: Battles | Pairs, by: str) -> tuple[str, ...]:
    factor = columns_of(evidence)[by]
    lost = int((factor.codes < 0).sum())
    return (f"{counted(lost, 'row')} without a name in {quoted(by)} left out.",) if lost else ()
