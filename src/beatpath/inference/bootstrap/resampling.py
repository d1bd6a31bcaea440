r"""Resampling whole clusters: how often each is drawn, exactly, and without a list of what was drawn.

Drawing :math:`n` clusters with replacement from kinds of which there are :math:`t_k` gives multinomial counts
:math:`(n, t / n)`. Counts that are independent and Poisson with means :math:`\lambda t_k / n` are multinomial
:math:`(N, t / n)` given their total :math:`N`, whatever it is; with :math:`\lambda` a little below :math:`n`, what is left to
:math:`n` is drawn in the same way, and the last few one by one. This is exact, and costs a few random numbers a kind rather than
one a cluster.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]

FEW = 8  # clusters a kind up to which they are drawn one by one
SHORT = 3.0  # standard deviations by which the Poisson total is aimed low
VAST = 1e12  # a Poisson mean from which the Gaussian law is nearer than what floating point makes of the other


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """Clusters to draw from, those that are alike kept once.

    Parameters
    ----------
    times : (k,) int
        How many there are of each kind.
    upto : (k,) int
        How many there are up to each kind, itself included.
    kind : (number,) int or None
        The kind of every cluster; None where each is of a kind of its own, or so many that the list would be long.

    Examples
    --------
    >>> some = Clusters.of([1, 1, 3])
    >>> some.number, int(some.drawn(np.random.default_rng(0)).sum())
    (5, 5)
    """

    times: Codes
    upto: Codes
    kind: NDArray[np.int32] | None

    @classmethod
    def of(cls, times: NDArray[np.integer] | list[int]) -> "Clusters":
        """Clusters of which there are so many of each kind."""
        whole = np.asarray(times, dtype=np.int64)
        upto, kinds = np.cumsum(whole), np.arange(len(whole), dtype=np.int32)
        listed = len(whole) and upto[-1] <= 2 * FEW * len(whole) and not (whole == 1).all()
        return cls(whole, upto, np.repeat(kinds, whole) if listed else None)

    @property
    def number(self) -> int:
        """How many clusters there are, and are drawn."""
        return int(self.upto[-1]) if len(self.upto) else 0

    def drawn(self, rng: np.random.Generator) -> Codes:
        """Return how often each kind is drawn, shape (k,); they add up to `number`."""
        left, counts = self.number, np.zeros(len(self.upto), dtype=np.int64)
        while left > max(FEW * len(self.upto), 1000):
            rate = self.times * (left / self.number) * (1 - SHORT / np.sqrt(left))
            more = _poisson(rng, rate)
            if (total := int(more.sum())) <= left:
                counts, left = counts + more, left - total
        return counts + self._one_by_one(rng, left)

    def _one_by_one(self, rng: np.random.Generator, size: int) -> Codes:
        """Counts of `size` clusters drawn one after another."""
        which = rng.integers(self.number, size=size)
        if self.kind is not None:
            return np.bincount(self.kind[which], minlength=len(self.upto))
        if self.number > len(self.upto):
            which = np.searchsorted(self.upto, np.sort(which), side="right")
        return np.bincount(which, minlength=len(self.upto))


def _poisson(rng: np.random.Generator, mean: NDArray[np.float64]) -> Codes:
    """Poisson counts of any mean; skewness, the first thing a Gaussian lacks, is one in a million where it steps in."""
    counts: Codes = rng.poisson(np.where(mean < VAST, mean, 0.0))
    vast = mean >= VAST
    if vast.any():
        counts[vast] = np.rint(mean[vast] + np.sqrt(mean[vast]) * rng.standard_normal(int(vast.sum())))
    return counts


@dataclass(frozen=True, slots=True, eq=False)
class Resampling:
    """What is drawn, and what that does to the parts of the evidence.

    A part (a row, a ballot, a count) belongs to one cluster of every way of clustering; where there are two ways it is
    taken as often as both of its clusters are drawn, multiplied: the pigeonhole bootstrap of Owen [1]_.

    Parameters
    ----------
    units : tuple of str
        What is drawn, a noun in the singular for every way.
    ways : tuple of Clusters
    codes : tuple of (parts,) int
        The cluster of every part, for every way.
    scale : (parts,) int or None
        How often the part stands in its cluster; None where the parts are the clusters of the only way.

    Examples
    --------
    Two rows of one cluster are drawn together.

    >>> pair = Resampling(("prompt",), (Clusters.of([1, 1]),), (np.array([0, 0, 1]),), np.array([1, 1, 1]))
    >>> taken = pair.weights(np.random.default_rng(3), 4)
    >>> bool((taken[:, 0] == taken[:, 1]).all()), (taken[:, 0] + taken[:, 2]).tolist()
    (True, [2, 2, 2, 2])

    References
    ----------
    .. [1] A. B. Owen, "The pigeonhole bootstrap", *Annals of Applied Statistics* 1 (2007), 386-411.
    """

    units: tuple[str, ...]
    ways: tuple[Clusters, ...]
    codes: tuple[Codes, ...]
    scale: Codes | None

    @property
    def parts(self) -> int:
        """How many parts there are."""
        return len(self.codes[0])

    def weights(self, rng: np.random.Generator, draws: int) -> Codes:
        """Return how often every part is taken, shape (draws, parts)."""
        if self.scale is None:
            return np.array([self.ways[0].drawn(rng) for _ in range(draws)])
        taken = np.tile(self.scale, (draws, 1))
        for row in taken:
            for clusters, code in zip(self.ways, self.codes, strict=True):
                row *= clusters.drawn(rng)[code]
        return taken
