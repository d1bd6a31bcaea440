"""From evidence to observed win rates with cluster-robust standard errors, in one pass over the counts."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, Unpack

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Codes, Ints
from beatpath._coerce import EvidenceLike, as_evidence
from beatpath._errors import DataError
from beatpath._sentence import Caution
from beatpath._text import counted, quoted
from beatpath.evidence import Pairs
from beatpath.evidence.conventions import ConventionOptions, Conventions
from beatpath.evidence.pairs import WIN
from beatpath.inference.win_rates.cluster_cells import BALLOT, Cells, ClusterCells, cluster_cells
from beatpath.inference.win_rates.cluster_rows import ClusterRows
from beatpath.inference.win_rates.estimate import FEW_CLUSTERS, Array, Clustering, HasWinRates, WinRateEstimate
from beatpath.methods.profile import Profile, profile_of
from beatpath.stats.codes import sums_by_code

Number = TypeVar("Number", bound=np.generic)
SAME_WEIGHT = 1e-9  # relative difference up to which weights are equal


def win_rate_inference(
    evidence: EvidenceLike, *, cluster: str | Sequence[str] | None = "auto", **conventions: Unpack[ConventionOptions]
) -> WinRateEstimate:
    """Return the observed win rate of every pair compared directly, with cluster-robust standard errors.

    Use `win_matrix` for estimates of all pairs, including those never compared directly.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores or Pairs, or what `read` takes
        The data, with counts. Margins or win rates without counts have no standard errors.
    cluster : str, two of them, None or "auto"
        The column whose battles are dependent: prompt, session, judge, task. Two give two-way clustering. None treats
        battles as independent. "auto" takes the column ``cluster`` if there is one, and task and judge where outcomes
        depend on them, at most two columns. The comparisons of one ballot, or of one task of a score table, are never
        independent and always form a cluster.
    **conventions
        As for `rank`.

    Returns
    -------
    WinRateEstimate

    See Also
    --------
    win_matrix : Estimates of all win rates.

    Examples
    --------
    Ninety wins of a hundred, in clusters of ten that always agree, carry little more information than nine of ten.

    >>> from beatpath import Battles, Factor
    >>> rows = [("ada", "bob", float(i >= 10)) for i in range(100)]
    >>> battles = Battles.of(rows, factors={"cluster": Factor.of(i // 10 for i in range(100))})
    >>> one = win_rate_inference(battles, cluster=None)
    >>> float(one.rate[0]), round(float(one.stderr[0]), 3)
    (0.9, 0.031)
    >>> round(float(win_rate_inference(battles).stderr[0]), 3)
    0.104
    """
    return estimate_of_profile(profile_of(as_evidence(evidence), Conventions.of(**conventions)), cluster)


def estimate_of_profile(
    profile: Profile, cluster: str | Sequence[str] | None = "auto", *, weighed: bool = True
) -> WinRateEstimate:
    """Return the win rates of a profile; see `win_rate_inference`. Unless `weighed`, battles keep their weights."""
    key = repr((cluster, weighed))
    if key not in profile.estimates:
        cells = cluster_cells(profile, cluster, weighed=weighed)
        if not len(cells.whole):
            raise DataError(_nothing_compared(profile))
        profile.estimates[key] = _estimated(cells, profile.unit)
    return profile.estimates[key]


def _nothing_compared(profile: Profile) -> str:
    """Return the error for data in which no two agents meet."""
    if len(profile.agents) == 1:
        runs = " Two runs of it are compared by `beatpath compare`." if profile.scores is not None else ""
        return f"two agents or more must be compared; {quoted(profile.agents[0])} is the only one.{runs}"
    if profile.scores is not None:
        return f"two agents must have scores of the same {profile.unit}; no two have."
    return "there must be at least one battle between two agents; there is none."


def win_rates_of(source: EvidenceLike | WinRateEstimate | HasWinRates) -> WinRateEstimate:
    """Return the win rates of a source: of evidence with default conventions, or of a resolution.

    >>> pairs = Pairs(("ada", "bob"), [0], [1], [[3, 1, 0, 0]])
    >>> rates = win_rates_of(pairs)
    >>> rates.rate, win_rates_of(rates) is rates
    (array([0.75]), True)
    """
    if isinstance(source, WinRateEstimate):
        return source
    pairwise = getattr(source, "pairwise", None)
    if isinstance(pairwise, WinRateEstimate):
        return pairwise
    return win_rate_inference(source)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, eq=False)
class _Totals:
    """Totals of every pair: weight, weight won, mean weight of a battle, smoothed rate."""

    weight: Array
    won: Array
    unit: Array
    smooth: Array


@dataclass(slots=True, eq=False)
class _Builder:
    """A clustering under construction: cells of its rows, cells per row, clusters per row."""

    name: str
    sign: float = 1.0
    pair: list[NDArray[np.int32]] = field(default_factory=list)
    n: list[NDArray[np.floating[Any]]] = field(default_factory=list)
    s: list[NDArray[np.floating[Any]]] = field(default_factory=list)
    size: list[NDArray[np.int64]] = field(default_factory=list)
    times: list[Array] = field(default_factory=list)

    def done(self, totals: _Totals, singles: int) -> Clustering:
        """Return the clustering; pieces are freed as they are joined, and both matrices share their cells."""
        times, start = _joined_pieces(self.times), np.append(0, np.cumsum(_joined_pieces(self.size)))
        start = start.astype(np.int32 if start[-1] < 2**31 else np.int64)
        cells = (_joined_pieces(self.pair), _joined_pieces(self.n), _joined_pieces(self.s), start)
        one, root = np.ones(len(totals.weight)), None if (times == 1).all() else np.sqrt(times)
        moved = ClusterRows(*cells, one, -totals.smooth, totals.weight + totals.unit, left_out=True, times=root)
        held = ClusterRows(*cells, 0 * one, one, totals.weight, left_out=False)
        return Clustering(self.name, moved, held, times, self.sign, singles)


def _joined_pieces(pieces: list[NDArray[Number]]) -> NDArray[Number]:
    """Concatenate pieces, and free them."""
    whole = np.concatenate(pieces)
    pieces.clear()
    return whole


def _estimated(cells: ClusterCells, unit: str) -> WinRateEstimate:
    """Compute the estimate of `win_rates.estimate`, block by block."""
    pairs = cells.whole
    totals = _totals(pairs)
    spread, alike = np.zeros(len(pairs)), np.zeros(len(pairs))
    growing = [_Builder(unit if name == BALLOT else name) for name in cells.names]
    if len(cells.names) == 2:
        growing.append(_Builder(" and ".join(one.name for one in growing), -1.0))
    only, singles = "", 0
    for part in cells.parts:
        alone = _without_cluster(part, cells.names)
        if len(growing) == 1 and cells.times is None:
            single = _only_battle_of_cluster(part) & ~alone & _of_usual_weight(part, pairs.per_weight)
            singles += int(single.sum())
            alone |= single
        if alone.any():
            more, again = _independent(part, alone, totals)
            spread += more
            alike += again
        _grow(growing, part, ~alone, cells, totals)
        only = part.only or only
    clusterings = tuple(one.done(totals, singles) for one in growing)
    imagined = (totals.unit / totals.weight) ** 2 * ((1 - totals.smooth) ** 2 + totals.smooth**2) / 2
    rate, common, own = totals.won / totals.weight, None, np.maximum(spread, 0.0) / totals.weight**2 + imagined
    if cells.position is not None:
        rate, common = np.clip(rate - cells.position.shift, 0.0, 1.0), cells.position.error
        own += cells.position.own
    return WinRateEstimate(
        pairs.agents,
        pairs.a,
        pairs.b,
        rate,
        totals.weight,
        pairs.battles,
        own,
        alike / totals.weight**2,
        clusterings,
        pairs.conventions,
        (*cells.notes, *_cluster_notes(clusterings, only)),
        common,
        cells.fixed,
        unit,
    )


def _totals(pairs: Pairs) -> _Totals:
    weight, won = pairs.counts.sum(axis=1), pairs.counts[:, WIN]
    unit = np.ones(len(pairs)) if pairs.squares is None else pairs.squares.sum(axis=1) / weight
    return _Totals(weight, won, unit, (won + unit / 2) / (weight + unit))


def _without_cluster(cells: Cells, names: tuple[str, ...]) -> NDArray[np.bool_]:
    """Return which cells hold battles outside clusters."""
    if not names:
        return np.ones(len(cells.pair), dtype=bool)
    lost = np.array([codes < 0 for codes in cells.codes])
    if len(names) == 2 and lost.any():
        missing = int(cells.battles[lost.any(axis=0)].sum())
        raise DataError(
            f"clustering by two columns needs both in every battle; {counted(missing, 'battle')} lack "
            f"{' or '.join(quoted(n) for n, one in zip(names, lost, strict=True) if one.any())}. Leave these battles out "
            "with `--where`, or cluster by one column."
        )
    return np.asarray(lost.any(axis=0))


def _only_battle_of_cluster(cells: Cells) -> NDArray[np.bool_]:
    """Return which cells are the only battle of their cluster, and so outside clusters too."""
    code = cells.codes[0] - cells.codes[0].min(initial=0)
    return np.asarray(np.bincount(code, cells.battles, minlength=1)[code] == 1)


def _of_usual_weight(cells: Cells, per_weight: float) -> NDArray[np.bool_]:
    """Return which cells, of one battle each, have the weight that all battles have if weights are equal, or none left."""
    return np.asarray((np.abs(cells.weight * per_weight - 1) <= SAME_WEIGHT) | (cells.weight == 0))


def _independent(cells: Cells, alone: NDArray[np.bool_], totals: _Totals) -> tuple[Array, Array]:
    r"""Return :math:`\sum w^2 (s - \tilde\psi)^2` of battles outside clusters, and :math:`\sum w^2`."""
    rows = cells.pair[alone]
    zero, one, two = (sums_by_code(rows, q[alone], len(totals.weight)) for q in cells.squares)
    return two - 2 * totals.smooth * one + totals.smooth**2 * zero, zero


def _grow(growing: list[_Builder], part: Cells, rows: NDArray[np.bool_], cells: ClusterCells, totals: _Totals) -> None:
    """Add the clustered cells of a block: to one clustering per name, and for two names to their combination."""
    chosen = slice(None) if rows.all() else rows
    codes = [code[chosen].astype(np.int64, copy=False) for code in part.codes]
    if len(codes) == 2:
        codes.append(codes[0] * (int(codes[1].max(initial=0)) + 1) + codes[1])
    for one, code in zip(growing, codes, strict=True):
        _add_rows(one, code, part.pair[chosen], part.weight[chosen], part.won[chosen], cells)


def _starts(code: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where runs of equal codes begin."""
    return np.flatnonzero(np.append(np.ones(min(len(code), 1), dtype=bool), code[1:] != code[:-1]))


def _add_rows(one: _Builder, code: Ints, pair: Codes, n: Array, s: Array, cells: ClusterCells) -> None:
    """Sum cells of one cluster and pair, and add them to a clustering."""
    pairs = len(cells.whole)
    cell = code * pairs + pair
    if (cell[1:] <= cell[:-1]).any():
        cell, at = np.unique(cell, return_inverse=True)
        n, s = sums_by_code(at, n, len(cell)), sums_by_code(at, s, len(cell))
        code, pair = cell // pairs, cell % pairs
    first = _starts(code)
    one.pair.append(pair.astype(np.int32, copy=False))
    one.n.append(_narrowed(n))
    one.s.append(_narrowed(s))
    one.size.append(np.diff(first, append=len(code)))
    one.times.append(np.ones(len(first)) if cells.times is None else cells.times[code[first]])


def _narrowed(values: Array) -> NDArray[np.floating[Any]]:
    """Return values in the smallest floating-point type that represents them exactly.

    >>> [_narrowed(np.array([x])).dtype.itemsize for x in (1.5, 70_001.0, 0.1)]
    [2, 4, 8]
    """
    with np.errstate(over="ignore"):
        for kind in (np.float16, np.float32):
            narrow: NDArray[np.floating[Any]] = values.astype(kind)
            if (narrow == values).all():
                return narrow
    return values


def _cluster_notes(clusterings: tuple[Clustering, ...], only: str) -> tuple[str, ...]:
    """Return caveats about few and nested clusters; raise for a single cluster."""
    notes: list[str] = []
    for one in clusterings[:2]:
        if one.n_clusters == 1:
            raise DataError(
                f"standard errors by {one.name} need at least two {one.name}s; all battles are in one, "
                f"{quoted(only)}. No robust variance can be determined from it: leave `cluster` out to assume "
                "independent battles, or name another column."
            )
        if one.n_clusters < FEW_CLUSTERS:
            notes.append(
                Caution(
                    f"Standard errors rest on {one.n_clusters:,} {one.name}s; below {FEW_CLUSTERS} they are rough, and Student's t with "
                    "few degrees of freedom widens the intervals."
                )
            )
    if len(clusterings) == 3:
        x, y, both = clusterings
        for inner, outer in ((x, y), (y, x)):
            if both.n_clusters == inner.n_clusters:
                notes.append(
                    f"Every {inner.name} belongs to one {outer.name}, so clustering by both is clustering by "
                    f"{outer.name} alone."
                )
    return tuple(notes)
