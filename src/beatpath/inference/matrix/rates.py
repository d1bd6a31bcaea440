r"""Observed win rates of pairs, and their covariance in factor form.

A pair *p* = (*a*, *b*) has :math:`N_p` battles (or their weight), of which *a* won the share :math:`r_p`, ties half.
The rates have covariance

.. math::  V = \operatorname{diag}(\text{own}) + \sum_f \text{sign}_f\, U_f^\top U_f ,

*own* for battles outside clusters, and a row of :math:`U_f` for the influence of one cluster on every rate. One-way
clustering has one factor, two-way three with signs +, +, - (Cameron, Gelbach, Miller 2011); independent battles have
none.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from beatpath._arrays import Floats, Ints
from beatpath.fit.laplacian import incidence
from beatpath.inference.matrix.cluster_sums import AgentMaps, agent_gram, cluster_degrees
from beatpath.inference.win_rates.cluster_rows import blocks, columns_times, gram, times_vector
from beatpath.inference.win_rates.estimate import Clustering, WinRateEstimate

ONE_CLUSTER = 1.5  # effective clusters below which a pair counts as having one


@dataclass(frozen=True, eq=False)
class Rates:
    """Observed rates of all pairs compared directly.

    Parameters
    ----------
    n : int
        Number of agents.
    a, b : (p,) int
        The pairs, each once, ``a != b``.
    weight : (p,) float
        :math:`N_p`, the *number* of battles; unequal weights of battles enter through *V*.
    rate : (p,) float
        :math:`r_p`, the share of *a*.
    own : (p,) float
        The diagonal part of *V*.
    factors : sequence of Clustering
        The influence of clusters.
    units : (p,) float, optional
        Effective number of independent units behind every rate; by default `weight`, or from the factors.
    raw : (p,) float, optional
        Unbiased variances of the rates where `units` exceed 1; by default the diagonal of *V*, which may be smoothed
        to stay positive.
    alone : (p,) float, optional
        Sum of squared shares of battles outside clusters; by default none.
    common : (p,) float, optional
        Effect on each rate of one standard error of a quantity that all rates share: a row of *V* besides the factors.
    """

    n: int
    a: Ints
    b: Ints
    weight: Floats
    rate: Floats
    own: Floats
    factors: Sequence[Clustering] = field(default=())
    units: Floats | None = None
    raw: Floats | None = None
    alone: Floats | None = None
    common: Floats | None = None

    @property
    def clustered(self) -> bool:
        """Whether *V* was estimated by clusters, and not derived from counts."""
        return len(self.factors) > 0

    @cached_property
    def variance(self) -> Floats:
        """The diagonal of *V*; two-way clustering can make it negative."""
        total = self.own + self._common**2
        for one in self.factors:
            total += one.sign * one.variance
        return total

    @property
    def _common(self) -> Floats:
        return np.zeros(len(self.own)) if self.common is None else self.common

    @cached_property
    def effective(self) -> Floats:
        r"""Effective number of units behind every rate: Kish's :math:`(\sum_c s_c)^2 / \sum_c s_c^2` of shares."""
        if self.units is not None:
            return self.units
        squares = [one.concentration for one in self.factors if one.sign > 0]
        if not squares:
            return self.weight
        return 1 / np.maximum(np.max(squares, axis=0), 1 / np.maximum(self.weight, 1))

    @cached_property
    def incidence(self) -> csr_array:
        """The (p, n) matrix *D* with rows :math:`e_a - e_b`."""
        return incidence(self.n, self.a, self.b)

    def quadratic(self, Z: csr_array, *, scale: Floats, extra: Floats) -> Floats:
        r"""Return :math:`Z^\top S V S Z + Z^\top \operatorname{diag}(\text{extra}) Z` for sparse *Z* (p, k), dense (k, k)."""
        total, scaled = self.own_quadratic(Z, scale, extra), csr_array(Z.multiply(scale[:, None]))
        for one in self.factors:
            for block in blocks(one.moved, Z.shape[1]):
                total += one.sign * gram(csr_array(block @ scaled))
        return total

    def variance_along(self, z: Floats, *, scale: Floats, extra: Floats) -> float:
        r"""Return `quadratic` of one dense column *z*, (p,)."""
        moved = scale * z
        clusters = (one.sign * float(np.sum(times_vector(one.moved, moved) ** 2)) for one in self.factors)
        return float(self.own @ moved**2 + extra @ z**2 + (self._common @ moved) ** 2) + sum(clusters)

    def own_quadratic(self, Z: csr_array, scale: Floats, extra: Floats) -> Floats:
        """Return the contribution of battles outside clusters, and of the common term, to `quadratic`."""
        shared = Z.T @ (self._common * scale)
        return weighted_gram(Z, self.own * scale**2 + extra) + np.multiply.outer(shared, shared)

    def quadratic_of_scale(self, w: Floats, *, scale: Floats, extra: Floats, single: bool = False) -> Floats:
        r"""Return `quadratic` of :math:`\operatorname{diag}(w) D`, (n, n); `single` allows single precision."""
        total = self.own_quadratic(csr_array(self.incidence.multiply(w[:, None])), scale, extra)
        for one in self.factors:
            total += one.sign * agent_gram(one.moved, self.a, self.b, self.n, scale * w, single=single)
        return total

    def degrees(self, maps: AgentMaps) -> Floats:
        r"""Return degrees of freedom of the variances of all differences of maps, of the maps on the diagonal, (n, n).

        With :math:`v_c = \sum_p A_p^2 (n_{cp} / N_p)^2`, Kish's number :math:`(\sum v_c)^2 / \sum v_c^2` minus one.
        Battles outside clusters count in the first sum alone, because the variance of an outcome between 0 and 1
        follows from its rate; so does the pseudo-count of a pair with a single cluster, whose variance has no other
        source. For other pairs the pseudo-count does not count: it gave 9 degrees of freedom where agents were
        compared on 8 tasks with missing cells.
        """
        if not self.factors:
            return np.full((self.n, self.n), np.inf)
        coarsest = min((one for one in self.factors if one.sign > 0), key=lambda one: float(one.times.sum()))
        alone = np.zeros(len(self.a)) if self.alone is None else self.alone
        once = np.clip(self.own / np.maximum(self.variance, 1e-300), 0, 1) / self.weight
        alone = np.where(self.effective > ONE_CLUSTER, alone, once)
        return cluster_degrees(maps, coarsest, alone)


def jackknife_lack(units: Floats, imagined: Floats) -> Floats:
    """Return the factor by which a rate's pseudo-count makes its jackknife variance too small, at least 1.

    A cluster with the share :math:`1/n` of a pair is left out of :math:`1 - 1/n` plus the pseudo-count's share *w*,
    around a mean that includes it: the variance is :math:`(1 - 1/n) / (1 - 1/n + w)^2` times the true one. That is
    below 1 only where clusters have little more than one battle of a pair, as in a table with one score per task.

    >>> jackknife_lack(np.array([20.0, 20.0]), np.array([1 / 20, 1 / 400])).round(4)  # one battle a cluster, and twenty
    array([1.0526, 1.    ])
    """
    rest = 1 - 1 / np.maximum(units, 1.5)
    return np.maximum((rest + imagined) ** 2 / rest, 1.0)


def imagined_in_clusters(
    own: Floats, factors: Sequence[Clustering], imagined: Floats
) -> tuple[Floats, tuple[Clustering, ...]]:
    """Return *own* and factors with the variance of the pseudo-count distributed over the clusters of the pair.

    As independent noise it would make rates with common clusters look less correlated than they are: by a twentieth
    where agents are compared on twenty tasks. Where it exceeds a quarter of the clusters' variance, as for a pair with
    one battle, it stays independent.
    """
    variance = np.zeros_like(own)
    for one in factors:
        variance += one.sign * one.variance
    more = np.divide(imagined, variance, out=np.zeros_like(variance), where=imagined <= variance / 4)
    grown = (replace(one, moved=columns_times(one.moved, np.sqrt(1 + more))) for one in factors)
    return np.maximum(own - more * variance, 0.0), tuple(grown)


def weighted_gram(X: csr_array, weight: Floats) -> Floats:
    """Return :math:`X^T diag(weight) X`, dense."""
    return np.asarray((X.T @ X.multiply(weight[:, None])).toarray())


def rates_of(observed: WinRateEstimate) -> Rates:
    r"""Return the rates of a `WinRateEstimate`, with unsmoothed variances.

    Their *V* includes one pseudo-count of mean weight *u* per pair. Without it and around the rate itself, independent
    battles of effective number :math:`n = 1 / \text{alone}` have the unbiased variance :math:`(V - \text{imagined} -
    \text{alone} (r - \tilde r)^2)\, n / (n - 1)`; with clusters it is the jackknife's, see `jackknife_lack`. The
    pseudo-count then belongs to the clusters, see `imagined_in_clusters`.
    """
    W, r = observed.weight, observed.rate
    battles = np.maximum(observed.battles.astype(np.float64), 1.0)
    factors = observed.clusterings
    squares = [observed.alone + one.concentration for one in factors if one.sign > 0]
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
        # a pair may have fewer than one effective battle: see `design_effects`
        battles = np.minimum(battles, 1 / observed.alone)
    a, b = (np.asarray(x, dtype=np.int64) for x in (observed.a, observed.b))
    rest = (units, np.maximum(raw, 0.0), observed.alone, observed.common)
    return Rates(len(observed.agents), a, b, battles, r, own, factors, *rest)
