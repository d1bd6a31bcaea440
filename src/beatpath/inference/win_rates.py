"""Evidence to the matrix of win rates with robust errors: counts by pair and cluster, added up once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from beatpath._errors import DataError
from beatpath._text import counted, quoted
from beatpath.evidence import Ballots, Battles, Evidence, Pairs, Scores
from beatpath.evidence.pairs import WIN
from beatpath.inference.clusters import AUTO, cluster_names, repeats
from beatpath.inference.pairwise import Array, Clustering, Pairwise
from beatpath.inference.runs import compared_runs
from beatpath.methods.profile import profile_of

FEW_CLUSTERS = 20  # below these, errors by cluster rest on little; the same rule as in `check`
BALLOT = "ballot"


def win_rate_inference(
    evidence: Evidence,
    *,
    cluster: str | Sequence[str] | None = "auto",
    ties: str = "half",
    both_bad: str = "tie",
    **conventions: Any,
) -> Pairwise:
    """Return the win rate of every pair that met, with errors that allow for clusters of battles.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores or Pairs
        With counts; margins and win rates alone say nothing of errors.
    cluster : str, two of them, None or "auto"
        The column whose battles belong together: prompt, session, judge, task. Two give two-way clustering. None takes
        battles as independent, "auto" the column ``cluster`` where there is one. The comparisons of one ballot, or of
        one task of a score table, are never independent: they are a cluster whatever is said.
    ties, both_bad, **conventions
        As for `rank`.

    Examples
    --------
    Ninety wins of a hundred, in clusters of ten that always agree, are worth little more than nine of ten.

    >>> from beatpath import Battles, Factor
    >>> rows = [("ada", "bob", float(i >= 10)) for i in range(100)]
    >>> told = Battles.of(rows, factors={"cluster": Factor.of(i // 10 for i in range(100))})
    >>> one = win_rate_inference(told, cluster=None)
    >>> float(one.rate[0]), round(float(one.stderr[0]), 3)
    (0.9, 0.031)
    >>> round(float(win_rate_inference(told).stderr[0]), 3)
    0.104
    """
    cells = _cells(evidence, cluster, ties, both_bad, conventions)
    if not len(cells.pairs):
        raise DataError("there must be at least one battle between two agents; there is none.")
    return _inferred(cells)


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """Settled counts by pair and cluster, and how many clusters each cell stands for."""

    pairs: Pairs
    names: tuple[str, ...]
    times: Mapping[str, Array]
    notes: tuple[str, ...] = ()


def _cells(
    evidence: Evidence, cluster: str | Sequence[str] | None, ties: str, both_bad: str, conventions: Mapping[str, Any]
) -> _Cells:
    """Count once, by whatever clusters there are."""
    if isinstance(evidence, Battles | Pairs):
        profile = profile_of(evidence, ties=ties, both_bad=both_bad, **conventions)
        source = profile.source
        assert isinstance(source, Battles | Pairs)
        there = source.factors if isinstance(source, Battles) else source.keys
        names = cluster_names(cluster, there, ["cluster"])
        counts = source.pairs(by=names) if isinstance(source, Battles) else source.by(*names)
        return _Cells(_settled(counts, ties, both_bad), names, {})
    if isinstance(evidence, Scores) and cluster == AUTO:
        runs = compared_runs(evidence, **conventions)
        if runs is not None:
            return _Cells(_settled(runs, ties, both_bad), (BALLOT,), {})
    if isinstance(evidence, Ballots | Scores):
        ballots = profile_of(evidence, **conventions).ballots
        assert ballots is not None
        return _ballot_cells(ballots, cluster, ties, both_bad)
    raise DataError(
        f"{evidence.kind.replace('_', ' ')} say who is ahead and not of how many battles; how sure one may be needs counts. "
        "Read the battles, ballots or scores themselves."
    )


def _ballot_cells(ballots: Ballots, cluster: str | Sequence[str] | None, ties: str, both_bad: str) -> _Cells:
    """Comparisons by ballot, or by the column that several ballots share; equal ballots are kept once."""
    several = [n for n in ("cluster", "voter") if n in ballots.factors and repeats(ballots.factors[n])]
    names = cluster_names(cluster, ballots.factors, several)
    if names:
        return _Cells(_settled(ballots.pairs(by=names), ties, both_bad), names, {})
    one_each = replace(ballots, count=np.minimum(ballots.count, 1))
    counts = one_each.pairs(by=(BALLOT,))
    return _Cells(_settled(counts, ties, both_bad), (BALLOT,), {BALLOT: ballots.count.astype(np.float64)})


def _settled(counts: Pairs, ties: str, both_bad: str) -> Pairs:
    """Ties settled, and cells that this empties left out."""
    settled = counts.settle(ties=ties, both_bad=both_bad)
    full = settled.counts.sum(axis=1) > 0
    if full.all():
        return settled
    return Pairs(
        settled.agents,
        settled.a[full],
        settled.b[full],
        settled.counts[full],
        battles=settled.battles[full],
        squares=None if settled.squares is None else settled.squares[full],
        soft=None if settled.soft is None else settled.soft[full],
        keys={name: factor.take(full) for name, factor in settled.keys.items()},
        conventions=settled.conventions,
        reading=settled.reading,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Totals:
    """What every pair adds up to: weight, weight won, mean weight of a battle, smoothed rate."""

    weight: Array
    won: Array
    unit: Array
    smooth: Array


def _inferred(cells: _Cells) -> Pairwise:
    """The module docstring of `pairwise`, line by line."""
    told = cells.pairs
    code = told.a.astype(np.int64) * len(told.agents) + told.b
    distinct, pair = np.unique(code, return_inverse=True)
    p = len(distinct)
    times = np.ones(len(pair))
    if cells.times:
        (name,) = cells.times
        times = cells.times[name][told.keys[name].codes]
    n, s = told.counts.sum(axis=1), told.counts[:, WIN]
    squares = told.counts if told.squares is None else told.squares
    weight, won = sums(pair, times * n, p), sums(pair, times * s, p)
    unit = sums(pair, times * squares.sum(axis=1), p) / weight
    totals = _Totals(weight, won, unit, (won + unit / 2) / (weight + unit))
    alone = _without_cluster(told, cells.names)
    own, share = _independent(told, squares, pair, alone, totals)
    own += (unit / weight) ** 2 * ((1 - totals.smooth) ** 2 + totals.smooth**2) / 2
    within = ~alone
    clusterings, notes = _clusterings(cells, pair[within], n[within], s[within], times[within], within, totals)
    battles = sums(pair, times * told.battles, p)
    return Pairwise(
        told.agents,
        (distinct // len(told.agents)).astype(np.int32),
        (distinct % len(told.agents)).astype(np.int32),
        won / weight,
        weight,
        np.rint(battles).astype(np.int64),
        own,
        share,
        clusterings,
        told.conventions,
        (*cells.notes, *notes),
    )


def _without_cluster(told: Pairs, names: tuple[str, ...]) -> NDArray[np.bool_]:
    """Which cells hold battles that are clusters of their own."""
    if not names:
        return np.ones(len(told), dtype=bool)
    lost = np.array([told.keys[name].codes < 0 for name in names])
    if len(names) == 2 and lost.any():
        missing = int(told.battles[lost.any(axis=0)].sum())
        raise DataError(
            f"clustering by two columns needs both in every battle; {counted(missing, 'battle')} lack "
            f"{' or '.join(quoted(n) for n, one in zip(names, lost, strict=True) if one.any())}. Leave these battles out "
            "with `--where`, or cluster by one column."
        )
    return np.asarray(lost.any(axis=0))


def _independent(
    told: Pairs, squares: Array, pair: NDArray[np.int64], alone: NDArray[np.bool_], totals: _Totals
) -> tuple[Array, Array]:
    r"""The variance :math:`\sum w^2 (s - \tilde\psi)^2 / N^2` of battles that are clusters of their own, and their share."""
    p = len(totals.weight)
    soft = np.zeros(len(pair)) if told.soft is None else told.soft
    rows = pair[alone]
    q0, q1 = squares[alone].sum(axis=1), squares[alone][:, WIN]
    zero, one, two = (sums(rows, q, p) for q in (q0, q1, q1 - soft[alone]))
    spread = two - 2 * totals.smooth * one + totals.smooth**2 * zero
    return np.maximum(spread, 0.0) / totals.weight**2, zero / totals.weight**2


def _clusterings(
    cells: _Cells,
    pair: NDArray[np.int64],
    n: Array,
    s: Array,
    times: Array,
    rows: NDArray[np.bool_],
    totals: _Totals,
) -> tuple[tuple[Clustering, ...], tuple[str, ...]]:
    """One clustering a name; for two names also, with a minus sign, what they share."""
    codes = {name: cells.pairs.keys[name].codes[rows].astype(np.int64) for name in cells.names}
    notes: list[str] = []
    for name, code in codes.items():
        clusters = int(np.unique(code).size if not cells.times else cells.times[name].sum())
        _require_clusters(clusters, name, n, code, cells)
        if clusters < FEW_CLUSTERS:
            notes.append(
                f"Errors rest on {clusters:,} {name}s; below {FEW_CLUSTERS} they are rough, and Student's t with "
                "few degrees of freedom makes the intervals wide."
            )

    def of(name: str, code: NDArray[np.int64], sign: float = 1.0) -> Clustering:
        return _clustering(name, code, pair, n, s, times, totals, sign)

    if len(codes) < 2:
        return tuple(of(name, code) for name, code in codes.items()), tuple(notes)
    (x, first), (y, second) = codes.items()
    both = first * (int(second.max(initial=0)) + 1) + second
    n_both = np.unique(both).size
    for inner, outer, number in ((x, y, np.unique(first).size), (y, x, np.unique(second).size)):
        if n_both == number:
            notes.append(f"Every {inner} belongs to one {outer}, so clustering by both is clustering by {outer} alone.")
    return (of(x, first), of(y, second), of(f"{x} and {y}", both, -1.0)), tuple(notes)


def _require_clusters(clusters: int, name: str, n: Array, code: NDArray[np.int64], cells: _Cells) -> None:
    if clusters == 1:
        (only,) = np.unique(code)
        raise DataError(
            f"errors by {name} need at least two {name}s; all battles are in one, "
            f"{quoted(cells.pairs.keys[name].levels[only])}. No robust variance can be told from it: leave `cluster` out to "
            "take battles as independent, or name another column."
        )


def _clustering(
    name: str,
    code: NDArray[np.int64],
    pair: NDArray[np.int64],
    n: Array,
    s: Array,
    times: Array,
    totals: _Totals,
    sign: float,
) -> Clustering:
    """Add up cells of one cluster and pair, and see what each does to the pair's rate."""
    p = len(totals.weight)
    levels, cluster = np.unique(code, return_inverse=True)
    cell, at = np.unique(cluster * p + pair, return_inverse=True)
    total_n, total_s = np.bincount(at, n), np.bincount(at, s)
    of_pair, of_cluster = cell % p, cell // p
    alike = np.ones(len(levels))
    alike[cluster] = times
    u = (total_s - totals.smooth[of_pair] * total_n) / ((totals.weight + totals.unit)[of_pair] - total_n)
    shape = (len(levels), p)
    start = np.searchsorted(of_cluster, np.arange(len(levels) + 1))
    influence = csr_array((np.sqrt(alike)[of_cluster] * u, of_pair, start), shape=shape)
    share = csr_array((total_n / totals.weight[of_pair], of_pair, start), shape=shape)
    return Clustering(name, influence, share, alike, sign)


def sums(codes: NDArray[np.integer], values: Array, n: int) -> Array:
    """Return the sum of the values under each of the codes 0 to ``n - 1``."""
    return np.bincount(codes, values, minlength=n).astype(np.float64, copy=False)
