"""Evidence as counts by pair and cluster, in parts: no cluster stands in two, and a few million battles at most in one.

Where every battle of a cluster is between another pair there are as many cells as battles, and a cell is larger than a
battle. So battles are never counted by cluster all at once.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from beatpath._errors import DataError, UsageError
from beatpath._text import counted, listed, quoted, suggestion
from beatpath.evidence import Ballots, Battles, Factor, Pairs
from beatpath.evidence.arrays import trusted
from beatpath.inference.win_rates.cells import Cells, Numbered, cells_of_pairs, sortable, sorted_cells
from beatpath.inference.win_rates.design_of_battles import dependent_columns, orders_averaged
from beatpath.inference.win_rates.runs import compared_runs
from beatpath.methods.profile import Profile

AUTO = "auto"
Names = tuple[str, ...]
Array = NDArray[np.float64]
BALLOT = "ballot"
PART = 1 << 22  # battles counted at a time where they are not sorted


@dataclass(frozen=True, slots=True, eq=False)
class ClusterCells:
    """Settled counts.

    Parameters
    ----------
    whole : Pairs
        Every pair that met once, in sorted order.
    parts : iterable of Cells
        The same battles by pair and cluster, pairs by their place in `whole`.
    names : tuple of str
        The columns that make a cluster.
    times : (levels,) float, optional
        How many clusters every level stands for; equal ballots are kept once.
    notes : tuple of str
        Why these columns, and whether orders of showing were averaged.
    """

    whole: Pairs
    parts: Iterable[Cells]
    names: tuple[str, ...]
    times: Array | None = None
    notes: tuple[str, ...] = ()


def cluster_cells(profile: Profile, cluster: str | Sequence[str] | None) -> ClusterCells:
    """Count a profile by whatever clusters there are.

    >>> from beatpath import Factor
    >>> from beatpath.methods.profile import profile_of
    >>> rows = [("ada", "bob", 1.0), ("bob", "ada", 0.0), ("ada", "bob", 0.5)]
    >>> made = cluster_cells(profile_of(Battles.of(rows, factors={"cluster": Factor.of(["x", "x", "y"])})), "auto")
    >>> made.whole.counts, [(part.weight.tolist(), part.won.tolist()) for part in made.parts]
    (array([[2.5, 0.5, 0. , 0. ]]), [([2.0, 1.0], [2.0, 0.5])])
    """
    source, settling = profile.source, {"ties": profile.ties, "both_bad": profile.both_bad}
    if isinstance(source, Battles | Pairs):
        if isinstance(source, Pairs):
            names = cluster_names(cluster, source.keys, ["cluster"])
            return _cells_counted(source.by(*names), names, settling)
        return _battle_cells(source, cluster, settling)
    if profile.scores is not None and cluster == AUTO:
        runs = compared_runs(profile.scores, profile.chosen)
        if runs is not None:
            return _cells_counted(runs, (BALLOT,), settling)
    if isinstance(source, Ballots):
        return _ballot_cells(source, cluster, settling)
    raise DataError(
        f"{source.kind.replace('_', ' ')} say who is ahead and not of how many battles; how sure one may be needs counts. "
        "Read the battles, ballots or scores themselves."
    )


def _battle_cells(battles: Battles, cluster: str | Sequence[str] | None, settling: Mapping[str, str]) -> ClusterCells:
    """Battles by the columns asked for, or by those that outcomes depend on; orders of showing averaged where they matter."""
    names, said = dependent_columns(battles) if cluster == AUTO else (cluster_names(cluster, battles.factors, ()), ())
    if cluster == AUTO:
        names, lacking = _in_every_battle(battles, names)
        said = (*said, *lacking)
    battles, shown = orders_averaged(battles, names[0] if names else None)
    whole = _settled_cells(battles.pairs(), settling)
    numbered = Numbered.of(whole)
    parts = _cells_in_parts(battles, names, settling, numbered) if names else (cells_of_pairs(whole, (), numbered),)
    return ClusterCells(whole, parts, names, notes=(*said, *shown))


def _in_every_battle(battles: Battles, names: Names) -> tuple[Names, tuple[str, ...]]:
    """Two columns only where every battle has both; else the one that more battles have, and a sentence that says so."""
    lacking = {name: int((battles.factors[name].codes < 0).sum()) for name in names}
    if len(names) < 2 or not any(lacking.values()):
        return names, ()
    kept, left = sorted(names, key=lambda name: lacking[name])
    without = f"{counted(lacking[left], 'battle')} {'has' if lacking[left] == 1 else 'have'} none"
    return (kept,), (f"Outcomes depend on {quoted(left)} too, which errors do not allow for: {without}.",)


def _ballot_cells(ballots: Ballots, cluster: str | Sequence[str] | None, settling: Mapping[str, str]) -> ClusterCells:
    """Comparisons by ballot, or by the column that several ballots share; equal ballots are kept once."""
    several = [n for n in ("cluster", "voter") if n in ballots.factors and repeats(ballots.factors[n])]
    names = cluster_names(cluster, ballots.factors, several)
    if names:
        return _cells_counted(ballots.pairs(by=names), names, settling)
    number = Factor.of(f"{i:012d}" for i in range(len(ballots)))
    counts = replace(ballots, count=np.minimum(ballots.count, 1), factors={BALLOT: number}).pairs(by=(BALLOT,))
    return _cells_counted(counts, (BALLOT,), settling, ballots.count)


def _cells_counted(
    counts: Pairs, names: tuple[str, ...], settling: Mapping[str, str], voters: NDArray[np.int64] | None = None
) -> ClusterCells:
    """Counts that are there already, and what they add up to; `voters` of ballots by their number."""
    cells, times, each = _settled_cells(counts, settling), None, np.ones(1)
    if voters is not None:
        ballot = cells.keys[BALLOT]  # without those that compare nobody
        times = voters[[int(level) for level in ballot.levels]].astype(np.float64)
        each = times[ballot.codes]
    whole = Pairs.from_cells(
        cells.agents,
        cells.a,
        cells.b,
        cells.counts * each[:, None],
        battles=cells.battles * each,
        squares=None if cells.squares is None else cells.squares * each[:, None],
        soft=None if cells.soft is None else cells.soft * each,
        conventions=cells.conventions,
    )
    return ClusterCells(whole, (cells_of_pairs(cells, names, Numbered.of(whole)),), names, times)


def _cells_in_parts(
    battles: Battles, names: tuple[str, ...], settling: Mapping[str, str], numbered: Numbered
) -> Iterator[Cells]:
    """Cells by pair and cluster, clusters in the order of their codes; by two columns all at once."""
    slim = trusted(battles, position=None, time=None, covariates={}, factors={n: battles.factors[n] for n in names})
    if len(names) == 1 and sortable(slim, names[0], numbered.n, **settling):
        yield from sorted_cells(slim, names[0], numbered)
        return
    for rows in _parts_of_rows(slim.factors[names[0]].codes) if len(names) == 1 else [slice(None)]:
        some = slim if isinstance(rows, slice) else slim.take(rows)
        yield cells_of_pairs(_settled_cells(some.pairs(by=names), settling), names, numbered)


def _parts_of_rows(code: NDArray[np.int32]) -> Iterator[NDArray[np.int64] | slice]:
    """Rows of a few million battles each, no cluster in two parts."""
    if len(code) <= PART:
        yield slice(None)
        return
    part = (np.cumsum(np.bincount(code + 1)) // PART).astype(np.uint16)[code + 1]
    for one in np.flatnonzero(np.bincount(part)):
        yield np.flatnonzero(part == one)


def _settled_cells(counts: Pairs, settling: Mapping[str, str]) -> Pairs:
    """Ties settled, and cells that this empties left out."""
    settled = counts.settle(**settling)
    full = settled.counts.sum(axis=1) > 0
    return settled if full.all() else settled.take(full)


def cluster_names(cluster: str | Sequence[str] | None, there: Mapping[str, Factor], auto: Sequence[str]) -> Names:
    """Return the columns to cluster by: those asked for, or the first of `auto` that is there and has two names or more.

    >>> two = Factor.of(["x", "y"])
    >>> cluster_names("auto", {"judge": two, "cluster": two}, ["cluster"]), cluster_names(None, {}, ["cluster"])
    (('cluster',), ())
    """
    if cluster == AUTO:
        return tuple(name for name in auto if name in there and len(there[name].levels) > 1)[:1]
    names = () if cluster is None else (cluster,) if isinstance(cluster, str) else tuple(cluster)
    if len(names) > 2 or len(set(names)) != len(names):
        raise UsageError(f"`cluster` must name one column or two different ones; got {listed(names)}.")
    for name in names:
        if name not in there:
            known = ", ".join(there) or "there are none"
            raise UsageError(
                f"`cluster` must name a column of the evidence ({known}); got {quoted(name)}.{suggestion(str(name), there)}"
            )
    return names


def repeats(factor: Factor) -> bool:
    """Whether any name stands in two rows."""
    return bool(np.bincount(factor.codes[factor.codes >= 0]).max(initial=0) > 1)
