r"""Resampling of battles, ballots or tasks, one by one or in clusters: how often each unit is drawn.

Input order does not matter: clusters are sorted by name, and units without a name by content. Draw counts are exact,
without a list of draws.

Drawing :math:`n` clusters with replacement from kinds with multiplicities :math:`t_k` gives multinomial counts
:math:`(n, t / n)`. Independent Poisson counts with means :math:`\lambda t_k / n` are multinomial :math:`(N, t / n)`
given their total :math:`N`; with :math:`\lambda` slightly below :math:`n`, the remainder is drawn in the same way, and
the last few one by one. This is exact, and costs a few random numbers per kind rather than one per cluster.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import AnyInts, Floats, Ints
from beatpath._errors import DataError
from beatpath._text import counted, quoted
from beatpath.evidence import Ballots, Battles, Factor, Scores
from beatpath.inference.win_rates.cluster_cells import cluster_names, repeats
from beatpath.stats.codes import apart, dense

FEW = 8  # clusters per kind up to which they are drawn one by one
SHORT = 3.0  # standard deviations by which the Poisson total aims below n
VAST = 1e12  # Poisson mean from which the Gaussian approximation is more accurate than floating point


@dataclass(frozen=True, eq=False)
class Clusters:
    """Clusters to draw from, equal ones stored once.

    Parameters
    ----------
    times : (k,) int
        Number of clusters of each kind.

    Examples
    --------
    >>> some = Clusters(np.array([1, 1, 3]))
    >>> some.number, int(some.drawn(np.random.default_rng(0)).sum())
    (5, 5)
    """

    times: Ints

    @property
    def number(self) -> int:
        """Number of clusters, and of draws."""
        return int(self.times.sum())

    def drawn(self, rng: np.random.Generator) -> Ints:
        """Return how often each kind is drawn, shape (k,); sums to `number`."""
        # 3,675 kinds of 27 battles take 0.27 ms, rng.multinomial 0.68 (1000 resamples of Bradley-Terry: 0.4 s in all).
        kinds, number = len(self.times), self.number
        left, counts = number, np.zeros(kinds, dtype=np.int64)
        while left > max(FEW * kinds, 1000):
            more = _poisson(rng, self.times * (left / number) * (1 - SHORT / np.sqrt(left)))
            if (total := int(more.sum())) <= left:
                counts, left = counts + more, left - total
        which = rng.integers(number, size=left)
        if number <= 2 * FEW * kinds:
            return counts + np.bincount(self._kind[which], minlength=kinds)
        chosen = np.searchsorted(np.cumsum(self.times), np.sort(which), side="right")
        return counts + np.bincount(chosen, minlength=kinds)

    @cached_property
    def _kind(self) -> NDArray[np.int32]:
        """The kind of every cluster."""
        return np.repeat(np.arange(len(self.times), dtype=np.int32), self.times)


def _poisson(rng: np.random.Generator, mean: Floats) -> Ints:
    """Return Poisson counts of any mean; where the Gaussian takes over, the skewness it lacks is one in a million."""
    counts: Ints = rng.poisson(np.where(mean < VAST, mean, 0.0))
    vast = mean >= VAST
    if vast.any():
        counts[vast] = np.rint(mean[vast] + np.sqrt(mean[vast]) * rng.standard_normal(int(vast.sum())))
    return counts


@dataclass(frozen=True, slots=True, eq=False)
class Resampling:
    """What is resampled, and how that affects the parts of the evidence.

    A part (a row, a ballot, a count) belongs to one cluster of every clustering. With two clusterings it is taken as
    often as both of its clusters are drawn, multiplied: Owen's pigeonhole bootstrap [1]_.

    Parameters
    ----------
    units : tuple of str
        What is drawn, a singular noun per clustering.
    ways : tuple of Clusters
        The clusterings.
    codes : tuple of (parts,) int
        The cluster of every part, per clustering.
    scale : (parts,) int
        How often the part occurs in its cluster.

    Examples
    --------
    Two rows of one cluster are drawn together.

    >>> pair = Resampling(("prompt",), (Clusters(np.array([1, 1])),), (np.array([0, 0, 1]),), np.array([1, 1, 1]))
    >>> taken = pair.weights(np.random.default_rng(3), 4)
    >>> bool((taken[:, 0] == taken[:, 1]).all()), (taken[:, 0] + taken[:, 2]).tolist()
    (True, [2, 2, 2, 2])

    References
    ----------
    .. [1] A. B. Owen, "The pigeonhole bootstrap", *Annals of Applied Statistics* 1 (2007), 386-411.
    """

    units: tuple[str, ...]
    ways: tuple[Clusters, ...]
    codes: tuple[Ints, ...]
    scale: Ints

    @property
    def parts(self) -> int:
        """Number of parts."""
        return len(self.codes[0])

    def weights(self, rng: np.random.Generator, draws: int) -> Ints:
        """Return how often every part is taken, shape (draws, parts)."""
        taken = np.tile(self.scale, (draws, 1))
        for row in taken:
            for clusters, code in zip(self.ways, self.codes, strict=True):
                row *= clusters.drawn(rng)[code]
        return taken


def row_units(battles: Battles, cluster: str | Sequence[str] | None) -> Resampling:
    """Return how rows of battles are resampled: alone, or with all others of their cluster."""
    names = cluster_names(cluster, battles.factors, ["cluster"])
    columns = [battles.a, battles.b, battles.outcome, battles.both_bad, battles.weight, battles.position, battles.time]
    keys = [np.asarray(column) for column in (*columns, *battles.covariates.values()) if column is not None]
    codes = {name: battles.factors[name].codes for name in names}
    return resampling("battle", codes, np.ones(len(battles), dtype=np.int64), np.lexsort(keys))


def ballot_units(ballots: Ballots, cluster: str | Sequence[str] | None) -> Resampling:
    """Return how ballots are resampled: one by one for each voter, or all ballots of a cluster together."""
    repeated = [n for n in ("cluster", "voter") if n in ballots.factors and repeats(ballots.factors[n])]
    names = cluster_names(cluster, ballots.factors, repeated)
    codes = {name: ballots.factors[name].codes for name in names}
    return resampling("ballot", codes, ballots.count, _ballots_in_order(ballots))


def score_units(scores: Scores, per: str, cluster: str | Sequence[str] | None, voters: Sequence[str]) -> Resampling:
    """Return how tasks (or items) are resampled; parts are those named in `voters`, in that order."""
    names = cluster_names(scores.cluster(per, cluster), scores.factors, ())
    voter = scores.voters(per)
    place = {name: i for i, name in enumerate(voter.levels)}
    parts = np.array([place[name] for name in voters], dtype=np.int64)
    codes = {name: _by_voter(voter, scores.factors[name], name)[parts] for name in names}
    return resampling(per, codes, np.ones(len(parts), dtype=np.int64), np.argsort(parts))


def resampling(unit: str, columns: Mapping[str, AnyInts], count: Ints, order: Ints) -> Resampling:
    """Return how parts are resampled by one column of clusters, by two, or one by one.

    Parameters
    ----------
    unit : str
        What a part is, a noun.
    columns : mapping of name to (parts,) int
        Cluster codes, -1 where unknown: such a part is drawn by itself.
    count : (parts,) int
        Number of equal copies of each part.
    order : (parts,) int
        The parts in an order that depends on their content alone.

    Examples
    --------
    >>> result = resampling("battle", {"prompt": np.array([1, 1, -1])}, np.array([1, 1, 1]), np.arange(3))
    >>> result.ways[0].number, result.codes[0]
    (2, array([0, 0, 1]))
    """
    columns = columns or {unit: np.full(len(count), -1)}
    ways, codes = [], []
    for name, code in columns.items():
        lacking = code < 0
        if len(columns) > 1 and lacking.any():
            raise DataError(
                f"drawing by two columns needs both in every row; {counted(int(lacking.sum()), 'row')} lack {quoted(name)}. "
                "Leave these rows out, or cluster by one column."
            )
        clusters, where = np.unique(code[~lacking], return_inverse=True)
        alone = order[lacking[order]]
        own = np.empty(len(count), dtype=np.int64)
        own[~lacking], own[alone] = where, len(clusters) + np.arange(len(alone))
        ways.append(Clusters(np.concatenate([np.ones(len(clusters), dtype=np.int64), count[alone]])))
        codes.append(own)
        if ways[-1].number < 2:
            raise DataError(
                f"resampling needs at least two clusters to draw from; by {quoted(name)} there are {ways[-1].number}. Name "
                "another column, or `cluster=None` to draw one by one."
            )
    return Resampling(tuple(columns), tuple(ways), tuple(codes), np.where(lacking, 1, count))


def cluster_column(battles: Battles, cluster: str | None) -> str | None:
    """Return the column that defines clusters: the one named, or for "auto" ``cluster`` if there is one."""
    if cluster == "auto":
        return "cluster" if "cluster" in battles.factors else None
    if cluster is not None:
        battles.factor(cluster)
    return cluster


def battle_units(battles: Battles, column: str | None) -> Ints:
    """Return the cluster code of every battle, from 0; a battle without a name is its own cluster.

    >>> rows = [("ada", "bob", 1)] * 4
    >>> battle_units(Battles.of(rows, factors={"prompt": Factor.of(["q", None, "p", "q"])}), "prompt")
    array([1, 2, 0, 1])
    """
    return np.arange(len(battles)) if column is None else dense(apart(battles.factor(column).codes))[0]


def _by_voter(voter: Factor, column: Factor, name: str) -> Ints:
    """Return the cluster of every voter; all its rows must agree."""
    order = np.full(len(voter.levels), -1, dtype=np.int64)
    order[voter.codes] = column.codes
    split = np.flatnonzero(order[voter.codes] != column.codes)
    if split.size:
        raise DataError(
            f"a task or item must lie in one cluster; {quoted(voter.levels[voter.codes[split[0]]])} lies in several of "
            f"{quoted(name)}. Cluster by a column that tasks do not straddle."
        )
    return order


def _ballots_in_order(ballots: Ballots) -> Ints:
    """Sort ballots by content."""
    weight = np.ones(len(ballots)) if ballots.weight is None else ballots.weight
    keys = [
        (ballots.agent[low:high].tobytes(), ballots.place[low:high].tobytes(), w, n)
        for low, high, w, n in zip(ballots.start[:-1], ballots.start[1:], weight, ballots.count, strict=True)
    ]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)
