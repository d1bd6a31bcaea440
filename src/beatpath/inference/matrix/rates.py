r"""Win rates of the pairs that met, and their covariance in factor form.

A pair *p* = (*a*, *b*) holds :math:`N_p` battles (or their weight), of which *a* won the share :math:`r_p`, ties half. The
rates err with covariance

.. math::  V = \operatorname{diag}(\text{own}) + \sum_f \text{sign}_f\, U_f^\top U_f ,

*own* for battles that are units of their own, and a row of :math:`U_f` for what one cluster did to every rate. One-way
clustering has one factor, two-way three with signs +, +, - (Cameron, Gelbach, Miller 2011); independent battles have none.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from beatpath._arrays import Floats, Ints
from beatpath.fit.laplacian import incidence
from beatpath.inference.matrix.cluster_degrees import cluster_degrees
from beatpath.inference.matrix.cluster_sums import AgentMaps, agent_gram, gram
from beatpath.inference.win_rates.estimate import WinRateEstimate, column_squares
from beatpath.inference.win_rates.packed import SparseRows, columns_times


@dataclass(frozen=True, eq=False)
class ClusterFactor:
    """What every cluster does to every rate.

    Parameters
    ----------
    moved : (units, pairs) sparse, or worked out when asked for
        *U*, any small-sample correction already in it.
    held : (units, pairs) sparse, or worked out when asked for; optional
        :math:`n_{cp} / N_p`, on which degrees of freedom rest; without it they are infinite.
    sign : float
        -1 for what two clusterings share.
    times : (units,) float, optional
        How many units are just like this one, where equal ones are kept once; `moved` has its root in it, `held` not.
    """

    moved: SparseRows
    held: SparseRows | None = None
    sign: float = 1.0
    times: Floats | None = None

    @property
    def influence(self) -> csr_array:
        """All of `moved` as a sparse matrix."""
        return self.moved.tocsr()

    @property
    def counts(self) -> Floats:
        """How many units every row stands for."""
        return np.ones(self.moved.shape[0]) if self.times is None else self.times


@dataclass(frozen=True, eq=False)
class Rates:
    """Rates of all pairs that met.

    Parameters
    ----------
    n : int
        Number of agents.
    a, b : (p,) int
        The pairs, each once, ``a != b``.
    weight : (p,) float
        :math:`N_p`, the *number* of battles; that battles weigh differently is seen from *V*.
    rate : (p,) float
        :math:`r_p`, the share of *a*.
    own : (p,) float
        The diagonal part of *V*.
    factors : sequence of ClusterFactor
    units : (p,) float, optional
        How many independent things every rate rests on; `weight` where absent and no factor has shares.
    raw : (p,) float, optional
        Unbiased variances of the rates where `units` exceed 1, as far as the data tell; the diagonal of *V*, which may be
        smoothed to stay positive, where absent.
    """

    n: int
    a: Ints
    b: Ints
    weight: Floats
    rate: Floats
    own: Floats
    factors: Sequence[ClusterFactor] = field(default=())
    units: Floats | None = None
    raw: Floats | None = None

    @property
    def clustered(self) -> bool:
        """Whether *V* was seen by clusters, and not deduced from counts."""
        return len(self.factors) > 0

    @cached_property
    def variance(self) -> Floats:
        """The diagonal of *V*; two-way clustering can leave it negative."""
        total = self.own.copy()
        for one in self.factors:
            total += one.sign * column_squares(one.moved)
        return total

    @cached_property
    def effective(self) -> Floats:
        r"""How many independent units every rate rests on: Kish's :math:`(\sum_c s_c)^2 / \sum_c s_c^2` of shares."""
        if self.units is not None:
            return self.units
        squares = [
            column_squares(one.held, one.counts) for one in self.factors if one.held is not None and one.sign > 0
        ]
        if not squares:
            return self.weight
        return 1 / np.maximum(np.max(squares, axis=0), 1 / np.maximum(self.weight, 1))

    @cached_property
    def incidence(self) -> csr_array:
        """The (p, n) matrix *D* with rows :math:`e_a - e_b`."""
        return incidence(self.n, self.a, self.b)

    def quadratic(self, Z: Any, *, scale: Floats | None = None, extra: Floats | None = None) -> Floats:
        r"""Return :math:`Z^\top S V S Z + Z^\top \operatorname{diag}(\text{extra}) Z` for sparse *Z* (p, k), dense (k, k)."""
        Z = csr_array(Z)
        total = self.own_quadratic(Z, scale, extra)
        scaled = Z if scale is None else csr_array(Z.multiply(scale[:, None]))
        for one in self.factors:
            total += one.sign * gram(csr_array(one.influence @ scaled))
        return total

    def variance_along(self, z: Floats, *, scale: Floats, extra: Floats) -> float:
        r"""Return `quadratic` of one dense column *z*, (p,)."""
        moved = scale * z
        clusters = (one.sign * float(np.sum((one.influence @ moved) ** 2)) for one in self.factors)
        return float(self.own @ moved**2 + extra @ z**2) + sum(clusters)

    def own_quadratic(self, Z: csr_array, scale: Floats | None = None, extra: Floats | None = None) -> Floats:
        r"""Return what battles of their own add to `quadratic`."""
        own = self.own if scale is None else self.own * scale**2
        return weighted_gram(Z, own if extra is None else own + extra)

    def quadratic_of_scale(self, w: Floats, *, scale: Floats, extra: Floats, single: bool = False) -> Floats:
        r"""Return `quadratic` of :math:`\operatorname{diag}(w) D`, (n, n); `single` says that single precision will do."""
        total = self.own_quadratic(csr_array(self.incidence.multiply(w[:, None])), scale, extra)
        for one in self.factors:
            total += one.sign * agent_gram(one.moved, self.a, self.b, self.n, scale * w, single=single)
        return total

    def degrees(self, maps: AgentMaps) -> Floats:
        r"""Degrees of freedom of the variances of all differences of maps, of the maps on the diagonal, (n, n).

        With :math:`v_c = \sum_p A_p^2 (n_{cp} / N_p)^2`, Kish's number :math:`(\sum v_c)^2 / \sum v_c^2` less one; own
        battles count in the first sum alone (an outcome between 0 and 1 has a variance that its rate tells).
        """
        told = [one for one in self.factors if one.held is not None and one.sign > 0]
        if not told:
            return np.full((self.n, self.n), np.inf)
        coarsest = min(told, key=lambda one: float(one.counts.sum()))
        assert coarsest.held is not None
        alone = np.clip(self.own / np.maximum(self.variance, 1e-300), 0, 1) / self.weight
        return cluster_degrees(maps, coarsest.held, coarsest.counts, alone)


def independent(n: int, a: ArrayLike, b: ArrayLike, weight: ArrayLike, rate: ArrayLike, ties: ArrayLike = 0.0) -> Rates:
    r"""Return rates of independent battles, with :math:`V = (N + 1)\, \tilde r (1 - \tilde r) / N^2` less what ties take.

    One pseudo-count, half won, keeps every variance positive: :math:`\tilde r = (N r + 1/2) / (N + 1)`. A tie is half
    won for sure and lies at 1/2, so it varies by :math:`(1/2 - \tilde r)^2` alone.

    >>> independent(2, [0], [1], [10.0], [1.0]).variance.round(5)
    array([0.00477])
    """
    N, r, t = (np.broadcast_to(np.asarray(x, dtype=float), np.shape(weight)) for x in (weight, rate, ties))
    smooth = (N * r + 0.5) / (N + 1)
    won, lost = N * r - t / 2, N * (1 - r) - t / 2
    spread = won * (1 - smooth) ** 2 + lost * smooth**2 + t * (0.5 - smooth) ** 2
    imagined = ((1 - smooth) ** 2 + smooth**2) / 2
    raw = np.maximum(N * r * (1 - r) - t / 4, 0.0) / (N * np.maximum(N - 1, 1e-9))
    a, b = np.asarray(a, dtype=np.int64), np.asarray(b, dtype=np.int64)
    return Rates(n, a, b, N, r, (spread + imagined) / N**2, raw=np.where(N > 1, raw, 0.0))


def clustered(n: int, a: ArrayLike, b: ArrayLike, outcome: ArrayLike, clusters: Sequence[ArrayLike]) -> Rates:
    r"""Return rates of battles in clusters, by one column or two.

    Leaving a cluster out moves the smoothed rate by :math:`u_{cp} = (s_{cp} - \tilde r_p n_{cp}) / (N_p + 1 - n_{cp})`,
    the jackknife (as `beatpath.inference.pairwise`).

    >>> rows = np.zeros(100, dtype=int), np.ones(100, dtype=int), (np.arange(100) >= 10) * 1.0
    >>> float(clustered(2, *rows, [np.arange(100) // 10]).variance[0] ** 0.5).__round__(3)
    0.104
    """
    a, b, s = np.asarray(a, dtype=np.int64), np.asarray(b, dtype=np.int64), np.asarray(outcome, dtype=float)
    flip = a > b
    low, high, s = np.minimum(a, b), np.maximum(a, b), np.where(flip, 1 - s, s)
    code, pair = np.unique(low * n + high, return_inverse=True)
    N, S = np.bincount(pair).astype(float), np.bincount(pair, s)
    smooth = (S + 0.5) / (N + 1)
    names = [np.unique(np.asarray(one), return_inverse=True)[1] for one in clusters]
    signs = [1.0] * len(names)
    if len(names) == 2:
        names.append(np.unique(names[0] * (names[1].max() + 1) + names[1], return_inverse=True)[1])
        signs.append(-1.0)
    factors = tuple(_factor(one, pair, s, N, smooth, sign) for one, sign in zip(names, signs, strict=True))
    imagined = ((1 - smooth) ** 2 + smooth**2) / 2 / N**2
    made = Rates(n, code // n, code % n, N, S / N, imagined, factors)
    raw = np.maximum(made.variance - imagined, 0.0) * jackknife_lack(made.effective, 1 / N)
    own, factors = imagined_in_clusters(imagined, factors, imagined)
    return replace(made, own=own, factors=factors, raw=raw)


def _factor(cluster: Ints, pair: Ints, s: Floats, N: Floats, smooth: Floats, sign: float) -> ClusterFactor:
    cell, at = np.unique(cluster * len(N) + pair, return_inverse=True)
    c, p = np.divmod(cell, len(N))
    n_cp, s_cp = np.bincount(at).astype(float), np.bincount(at, s)
    u = (s_cp - smooth[p] * n_cp) / (N[p] + 1 - n_cp)
    shape = (int(cluster.max()) + 1, len(N))
    return ClusterFactor(csr_array((u, (c, p)), shape=shape), csr_array((n_cp / N[p], (c, p)), shape=shape), sign)


def jackknife_lack(units: Floats, imagined: Floats) -> Floats:
    r"""Return how many times too small the jackknife's variance of a rate is for its pseudo-count, at least 1.

    A cluster that holds the share :math:`1/n` of a pair is left out of :math:`1 - 1/n` and the pseudo-count's share *w* of it,
    around a mean that it is part of: the variance comes out :math:`(1 - 1/n) / (1 - 1/n + w)^2` times what it is. Below 1 that
    is only where clusters hold little more than one battle of a pair, as of a table with one score a task.

    >>> jackknife_lack(np.array([20.0, 20.0]), np.array([1 / 20, 1 / 400])).round(4)  # one battle a cluster, and twenty
    array([1.0526, 1.    ])
    """
    rest = 1 - 1 / np.maximum(units, 1.5)
    return np.maximum((rest + imagined) ** 2 / rest, 1.0)


def imagined_in_clusters(
    own: Floats, factors: Sequence[ClusterFactor], imagined: Floats
) -> tuple[Floats, tuple[ClusterFactor, ...]]:
    """Return *own* and factors with what the pseudo-count adds to a variance shared by the clusters of the pair.

    As noise of its own it would make rates that rest on the same clusters look less alike than they are: by a twentieth where
    agents are compared on twenty tasks. Where it is more than a quarter of what the clusters say, as of a pair met once, it stays.
    """
    seen = np.zeros_like(own)
    for one in factors:
        seen += one.sign * column_squares(one.moved)
    more = np.divide(imagined, seen, out=np.zeros_like(seen), where=imagined <= seen / 4)
    grown = (replace(one, moved=columns_times(one.moved, np.sqrt(1 + more))) for one in factors)
    return np.maximum(own - more * seen, 0.0), tuple(grown)


def weighted_gram(X: csr_array, weight: Floats) -> Floats:
    """Return :math:`X^T diag(weight) X`, dense."""
    return np.asarray((X.T @ X.multiply(weight[:, None])).toarray())


def rates_of(observed: WinRateEstimate) -> Rates:
    r"""Return the rates that the package's win rates are, with unsmoothed variances.

    Their *V* holds one pseudo-count of mean weight *u* a pair. Without it and around the rate itself, independent battles of
    effective number :math:`n = 1 / \text{alone}` have the unbiased variance
    :math:`(V - \text{imagined} - \text{alone} (r - \tilde r)^2)\, n / (n - 1)`; of clusters it is the jackknife's, see
    `jackknife_lack`. Where there are clusters the pseudo-count is theirs, see `imagined_in_clusters`.
    """
    W, r = observed.weight, observed.rate
    battles = np.maximum(observed.battles.astype(np.float64), 1.0)
    factors = tuple(ClusterFactor(c.moved, c.held, c.sign, c.times) for c in observed.clusterings)
    squares = [observed.alone + column_squares(c.held, c.times) for c in observed.clusterings if c.sign > 0]
    squares = squares or [observed.alone]
    units = np.maximum(1 / np.max(squares, axis=0), 1.0)
    u = (W / battles) if factors else observed.alone * W
    smooth = (W * r + u / 2) / (W + u)
    imagined = (u / W) ** 2 * ((1 - smooth) ** 2 + smooth**2) / 2
    raw, own = observed.variance - imagined, observed.own
    if factors:
        raw = raw * jackknife_lack(units, u / W)
        own, factors = imagined_in_clusters(own, factors, imagined)
    else:
        raw = (raw - observed.alone * (r - smooth) ** 2) * units / np.maximum(units - 1, 1e-9) * (units > 1)
    a, b = (np.asarray(x, dtype=np.int64) for x in (observed.a, observed.b))
    return Rates(len(observed.agents), a, b, battles, r, own, factors, units, np.maximum(raw, 0.0))
