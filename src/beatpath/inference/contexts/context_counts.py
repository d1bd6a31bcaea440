"""Evidence as battles by context and pair, and as the same by cluster: all that strengths by context need."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from beatpath._arrays import Floats, Ints
from beatpath._errors import DataError, UsageError
from beatpath._text import counted, listed, quoted, suggestion
from beatpath.evidence import Battles, Convention, Evidence, Pairs
from beatpath.evidence.conventions import DEFAULT, Conventions
from beatpath.evidence.pairs import WIN
from beatpath.evidence.select import columns_of
from beatpath.inference.contexts.deviations import Cells
from beatpath.inference.leaderboard import parts_met
from beatpath.inference.win_rates.cluster_cells import AUTO, cluster_names
from beatpath.inference.win_rates.design_of_battles import dependent_columns
from beatpath.methods.profile import profile_of

MOST_STRENGTHS = 4000  # contexts times agents, whose covariance is held whole


@dataclass(frozen=True, slots=True, eq=False)
class ContextCounts:
    """Battles by context and pair.

    Parameters
    ----------
    agents : tuple of str
    by : str
        The column that tells contexts apart.
    contexts : tuple of str
    cells : Cells
    undecided : float
        The total of :math:`s (1 - s)` over outcomes *s*: a quarter a tie.
    clustered : tuple of (Cells, codes)
        The same battles by cluster, once for every column of clusters.
    clusters : tuple of str
        These columns.
    battles : (C, n) int
        Of every agent in every context.
    part : (n,) int
        The part of every agent; no chain of battles of any context connects two parts.
    conventions : tuple of Convention
    notes : tuple of str
    """

    agents: tuple[str, ...]
    by: str
    contexts: tuple[str, ...]
    cells: Cells
    undecided: float
    clustered: tuple[tuple[Cells, Ints], ...]
    clusters: tuple[str, ...]
    battles: Ints
    part: Ints
    conventions: tuple[Convention, ...] = ()
    notes: tuple[str, ...] = ()


def context_counts(
    evidence: Evidence, by: str, chosen: Conventions = DEFAULT, cluster: str | Sequence[str] | None = AUTO
) -> ContextCounts:
    """Count battles by context and pair.

    >>> from beatpath import Factor
    >>> rows = [("ada", "bob", 1.0), ("ada", "bob", 0.5), ("bob", "ada", 1.0)]
    >>> found = context_counts(Battles.of(rows, factors={"task": Factor.of(["code", "code", "chat"])}), "task")
    >>> found.contexts, found.cells.won, found.cells.played, found.undecided
    (('chat', 'code'), array([0. , 1.5]), array([1., 2.]), 0.25)
    """
    if not isinstance(evidence, Battles | Pairs):
        raise UsageError(
            f"strengths by context are worked out from battles or counts by pair; {evidence.kind.replace('_', ' ')} are neither. "
            "`--where` chooses one context, and a report has a board for each."
        )
    _require_column(evidence, by)
    source = profile_of(evidence, chosen).source
    assert isinstance(source, Battles | Pairs)
    names, said = _clusters(source, by, cluster)
    settling = {"ties": chosen.ties, "both_bad": chosen.both_bad}
    told = _told(source, (by,)).settle(**settling)
    told = told.take((told.counts.sum(axis=1) > 0) & (told.keys[by].codes >= 0))
    contexts, n = told.keys[by].levels, len(told.agents)
    _require_contexts(contexts, by, n)
    cells = _cells(told, by, contexts)
    battles = np.zeros((len(contexts), n), dtype=np.int64)
    for side in (told.a, told.b):
        np.add.at(battles, (told.keys[by].codes, side), told.battles)
    clustered = []
    for name in names:
        fine = _told(source, (by, name)).settle(**settling)
        fine = fine.take((fine.counts.sum(axis=1) > 0) & (fine.keys[by].codes >= 0))
        clustered.append((_cells(fine, by, contexts), fine.keys[name].codes.astype(np.int64)))
    return ContextCounts(
        told.agents,
        by,
        contexts,
        cells,
        _undecided(_told(source, (by,)), chosen),
        tuple(clustered),
        names,
        battles,
        parts_met(n, told.a, told.b),
        told.conventions,
        (*_left_out(evidence, by), *said),
    )


def _told(source: Battles | Pairs, names: tuple[str, ...]) -> Pairs:
    return source.by(*names) if isinstance(source, Pairs) else source.pairs(names)


def _cells(told: Pairs, by: str, contexts: tuple[str, ...]) -> Cells:
    """Wins of all battles, every battle counting as much as its weights say."""
    total = told.counts.sum(axis=1)
    worth: Floats | float = 1.0 if told.squares is None else total / told.squares.sum(axis=1)
    place = {name: k for k, name in enumerate(contexts)}
    code = np.array([place[name] for name in told.keys[by].levels], dtype=np.int64)[told.keys[by].codes]
    a, b = told.a.astype(np.int64), told.b.astype(np.int64)
    return Cells(len(told.agents), len(contexts), code, a, b, told.counts[:, WIN] * worth, total * worth)


def _undecided(raw: Pairs, chosen: Conventions) -> float:
    """What ties counted as half, and soft preferences, hold of :math:`s (1 - s)`."""
    settled = raw.settle(ties=chosen.ties, both_bad=chosen.both_bad)
    halves = float(settled.counts.sum() - raw.counts[:, :2].sum())
    soft = 0.0 if raw.soft is None else float(raw.soft.sum())
    return (max(halves, 0.0) / 4 if chosen.ties == "half" else 0.0) + soft


def _clusters(
    source: Battles | Pairs, by: str, cluster: str | Sequence[str] | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The columns of clusters but for the contexts themselves, and what to say of them."""
    if isinstance(source, Pairs):
        names: tuple[str, ...] = cluster_names(cluster, source.keys, ["cluster"])
        return tuple(name for name in names if name != by), ()
    if cluster != AUTO:
        return tuple(name for name in cluster_names(cluster, source.factors, ()) if name != by), ()
    return tuple(name for name in dependent_columns(source)[0] if name != by), ()


def _require_column(evidence: Battles | Pairs, by: str) -> None:
    columns = columns_of(evidence)
    if by not in columns:
        has = ", ".join(sorted(columns)) or "none"
        raise UsageError(
            f"contexts need a column the evidence has; {quoted(by)} is not among them: {has}. Name one with `by`, and carry "
            f"further columns along with `keep`.{suggestion(by, columns)}"
        )


def _require_contexts(contexts: tuple[str, ...], by: str, n: int) -> None:
    if not contexts:
        raise DataError(f"strengths by context need battles with a name in {quoted(by)}; there are none.")
    if len(contexts) == 1:
        raise DataError(
            f"strengths by context need two contexts or more; {quoted(by)} names one, {quoted(contexts[0])}. `resolve` without "
            "contexts tells all there is."
        )
    if len(contexts) * n > MOST_STRENGTHS:
        raise UsageError(
            f"strengths by context are worked out for at most {MOST_STRENGTHS:,} contexts times agents; "
            f"{counted(len(contexts), 'context')} of {counted(n, 'agent')} are more. Choose agents with `only`, or a coarser column."
        )


def _left_out(evidence: Battles | Pairs, by: str) -> tuple[str, ...]:
    factor = columns_of(evidence)[by]
    lost = int((factor.codes < 0).sum())
    return (f"{counted(lost, 'row')} without a name in {quoted(by)} left out.",) if lost else ()


def require_known(names: Sequence[str], contexts: Sequence[str], by: str) -> None:
    """Raise unless every name is that of a context."""
    for name in names:
        if name not in contexts:
            raise UsageError(
                f"a context must be one that {quoted(by)} names; {quoted(name)} is none. It has {listed(contexts, 8)}."
                f"{suggestion(str(name), contexts)}"
            )
