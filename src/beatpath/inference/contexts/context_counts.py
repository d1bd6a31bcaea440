"""Evidence as battles by context and pair, and as the same by cluster: all that strengths by context need."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from beatpath._arrays import Floats
from beatpath._errors import UsageError
from beatpath._text import counted, quoted, suggestion
from beatpath.evidence import Battles, Evidence, Factor, Pairs
from beatpath.evidence.conventions import DEFAULT, Conventions
from beatpath.evidence.pairs import WIN
from beatpath.evidence.select import columns_of
from beatpath.inference.contexts.context_data import ContextData, require_contexts
from beatpath.inference.contexts.deviations import Cells
from beatpath.inference.leaderboard import parts_met
from beatpath.inference.win_rates.cluster_cells import AUTO, cluster_names
from beatpath.inference.win_rates.design_of_battles import dependent_columns
from beatpath.methods.profile import profile_of
from beatpath.methods.rating.bradley_terry.design import shifts

SHIFT = "\0shift"  # the column of distinct covariates, a name that no column of a file has


def context_counts(
    evidence: Evidence,
    by: str,
    chosen: Conventions = DEFAULT,
    cluster: str | Sequence[str] | None = AUTO,
    covariates: Sequence[str] = (),
) -> ContextData:
    """Count battles by context and pair; with covariates, by their values too.

    >>> rows = [("ada", "bob", 1.0), ("ada", "bob", 0.5), ("bob", "ada", 1.0)]
    >>> found = context_counts(Battles.of(rows, factors={"task": Factor.of(["code", "code", "chat"])}), "task")
    >>> found.contexts, found.seen.won, found.seen.played, found.undecided
    (('chat', 'code'), array([0. , 1.5]), array([1., 2.]), 0.25)
    """
    if not isinstance(evidence, Battles | Pairs):
        raise UsageError(
            f"strengths by context are worked out from battles, counts by pair or scores; {evidence.kind.replace('_', ' ')} are "
            "neither. `--where` chooses one context, and a report has a board for each."
        )
    _require_column(evidence, by)
    source = profile_of(evidence, chosen).source
    assert isinstance(source, Battles | Pairs)
    names = _clusters(source, by, cluster)
    x, units = np.zeros((1, 0)), None
    if covariates:
        source, x, units = _shifted(source, covariates)
    split = (by, SHIFT) if covariates else (by,)

    def cells(*names: str) -> tuple[Pairs, Cells]:
        told = _told(source, names).settle(ties=chosen.ties, both_bad=chosen.both_bad)
        told = told.take((told.counts.sum(axis=1) > 0) & (told.keys[by].codes >= 0))
        return told, _cells(told, by, contexts or told.keys[by].levels, x)

    contexts: tuple[str, ...] = ()
    told, seen = cells(*split)
    contexts, n = told.keys[by].levels, len(told.agents)
    require_contexts(contexts, by, n)
    battles = np.zeros((len(contexts), n), dtype=np.int64)
    for side in (told.a, told.b):
        np.add.at(battles, (told.keys[by].codes, side), told.battles)
    clustered = []
    for name in names:
        fine, by_cluster = cells(*split, name)
        clustered.append((by_cluster, fine.keys[name].codes.astype(np.int64)))
    return ContextData(
        told.agents,
        by,
        contexts,
        seen,
        battles,
        np.asarray(np.bincount(seen.context, seen.played, len(contexts)), dtype=np.float64),
        parts_met(n, told.a, told.b),
        _undecided(_told(source, (by,)), chosen),
        tuple(clustered),
        names,
        tuple(covariates),
        units,
        None,
        told.conventions,
        _left_out(evidence, by),
    )


def _shifted(source: Battles | Pairs, covariates: Sequence[str]) -> tuple[Battles, Floats, Floats]:
    """The battles with a column of distinct covariates, seen from the agent with the lower code; these; and their units."""
    battles = source if isinstance(source, Battles) else None
    x = shifts(battles, False, covariates)
    assert battles is not None
    x = np.where((battles.a > battles.b)[:, None], -x, x) + 0.0  # no negative zeros
    units = np.sqrt((x**2).mean(axis=0))
    values, code = np.unique(x / units, axis=0, return_inverse=True)
    width = len(str(len(values)))
    factor = Factor.coded(code.ravel(), [f"{i:0{width}d}" for i in range(len(values))])
    return replace(battles, factors={**battles.factors, SHIFT: factor}), values, units


def _told(source: Battles | Pairs, names: tuple[str, ...]) -> Pairs:
    return source.by(*names) if isinstance(source, Pairs) else source.pairs(names)


def _cells(told: Pairs, by: str, contexts: tuple[str, ...], x: Floats) -> Cells:
    """Wins of all battles, every battle counting as much as its weights say."""
    total = told.counts.sum(axis=1)
    worth: Floats | float = 1.0 if told.squares is None else total / told.squares.sum(axis=1)
    place = {name: k for k, name in enumerate(contexts)}
    code = np.array([place[name] for name in told.keys[by].levels], dtype=np.int64)[told.keys[by].codes]
    a, b = told.a.astype(np.int64), told.b.astype(np.int64)
    won, played = told.counts[:, WIN] * worth, total * worth
    return Cells(len(told.agents), len(contexts), code, a, b, won, played, _values(told, x))


def _values(told: Pairs, x: Floats) -> Floats:
    """The covariates of every cell."""
    if SHIFT not in told.keys:
        return np.zeros((len(told.a), 0))
    number = np.array([int(level) for level in told.keys[SHIFT].levels], dtype=np.int64)
    return np.asarray(x[number[told.keys[SHIFT].codes]])


def _undecided(raw: Pairs, chosen: Conventions) -> float:
    """What ties counted as half, and soft preferences, hold of :math:`s (1 - s)`."""
    settled = raw.settle(ties=chosen.ties, both_bad=chosen.both_bad)
    halves = float(settled.counts.sum() - raw.counts[:, :2].sum())
    soft = 0.0 if raw.soft is None else float(raw.soft.sum())
    return (max(halves, 0.0) / 4 if chosen.ties == "half" else 0.0) + soft


def _clusters(source: Battles | Pairs, by: str, cluster: str | Sequence[str] | None) -> tuple[str, ...]:
    """The columns of clusters but for the contexts themselves."""
    if isinstance(source, Pairs):
        names: tuple[str, ...] = cluster_names(cluster, source.keys, ["cluster"])
        return tuple(name for name in names if name != by)
    if cluster != AUTO:
        return tuple(name for name in cluster_names(cluster, source.factors, ()) if name != by)
    return tuple(name for name in dependent_columns(source)[0] if name != by)


def _require_column(evidence: Battles | Pairs, by: str) -> None:
    columns = columns_of(evidence)
    if by not in columns:
        has = ", ".join(sorted(columns)) or "none"
        raise UsageError(
            f"contexts need a column the evidence has; {quoted(by)} is not among them: {has}. Name one with `by`, and carry "
            f"further columns along with `keep`.{suggestion(by, columns)}"
        )


def _left_out(evidence: Battles | Pairs, by: str) -> tuple[str, ...]:
    factor = columns_of(evidence)[by]
    lost = int((factor.codes < 0).sum())
    return (f"{counted(lost, 'row')} without a name in {quoted(by)} left out.",) if lost else ()
