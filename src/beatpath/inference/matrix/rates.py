r"""Win rates of the pairs compared directly, and their covariance in factor form.

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
from scipy.sparse import csr_array

from beatpath._arrays import Floats, Ints
from beatpath.fit.laplacian import incidence
from beatpath.inference.matrix.cluster_sums import AgentMaps, agent_gram, cluster_degrees
from beatpath.inference.win_rates.estimate import Clustering, WinRateEstimate, column_squares
from beatpath.inference.win_rates.packed import columns_times, gram

ONCE = 1.5  # clusters; a pair with fewer has one


@dataclass(frozen=True, eq=False)
class Rates:
    """Rates of all pairs compared directly.

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
    factors : sequence of Clustering
    units : (p,) float, optional
        How many independent things every rate rests on; `weight` where absent and no factor has shares.
    raw : (p,) float, optional
        Unbiased variances of the rates where `units` exceed 1, as far as the data tell; the diagonal of *V*, which may be
        smoothed to stay positive, where absent.
    alone : (p,) float, optional
        Squared shares of the battles that are clusters of their own, added up; none where absent.
    common : (p,) float, optional
        What one standard error of a quantity that all rates share does to each: a row of *V* besides the factors.
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
        """Whether *V* was seen by clusters, and not deduced from counts."""
        return len(self.factors) > 0

    @cached_property
    def variance(self) -> Floats:
        """The diagonal of *V*; two-way clustering can leave it negative."""
        total = self.own + self._common**2
        for one in self.factors:
            total += one.sign * column_squares(one.moved)
        return total

    @property
    def _common(self) -> Floats:
        return np.zeros(len(self.own)) if self.common is None else self.common

    @cached_property
    def effective(self) -> Floats:
        r"""How many independent units every rate rests on: Kish's :math:`(\sum_c s_c)^2 / \sum_c s_c^2` of shares."""
        if self.units is not None:
            return self.units
        squares = [column_squares(one.held, one.times) for one in self.factors if one.sign > 0]
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
        return float(self.own @ moved**2 + extra @ z**2 + (self._common @ moved) ** 2) + sum(clusters)

    def own_quadratic(self, Z: csr_array, scale: Floats | None = None, extra: Floats | None = None) -> Floats:
        r"""Return what battles of their own, and what all rates share, add to `quadratic`."""
        own = self.own if scale is None else self.own * scale**2
        total = weighted_gram(Z, own if extra is None else own + extra)
        if self.common is None:
            return total
        shared = Z.T @ (self.common if scale is None else self.common * scale)
        return total + np.multiply.outer(shared, shared)

    def quadratic_of_scale(self, w: Floats, *, scale: Floats, extra: Floats, single: bool = False) -> Floats:
        r"""Return `quadratic` of :math:`\operatorname{diag}(w) D`, (n, n); `single` says that single precision will do."""
        total = self.own_quadratic(csr_array(self.incidence.multiply(w[:, None])), scale, extra)
        for one in self.factors:
            total += one.sign * agent_gram(one.moved, self.a, self.b, self.n, scale * w, single=single)
        return total

    def degrees(self, maps: AgentMaps) -> Floats:
        r"""Degrees of freedom of the variances of all differences of maps, of the maps on the diagonal, (n, n).

        With :math:`v_c = \sum_p A_p^2 (n_{cp} / N_p)^2`, Kish's number :math:`(\sum v_c)^2 / \sum v_c^2` less one; own
        battles count in the first sum alone (an outcome between 0 and 1 has a variance that its rate tells), and so does the
        pseudo-count of a pair that one cluster holds, whose variance nothing else tells. Of other pairs it does not: it
        gave 9 degrees of freedom where agents were compared on 8 tasks with holes.
        """
        if not self.factors:
            return np.full((self.n, self.n), np.inf)
        coarsest = min((one for one in self.factors if one.sign > 0), key=lambda one: float(one.times.sum()))
        alone = np.zeros(len(self.a)) if self.alone is None else self.alone
        once = np.clip(self.own / np.maximum(self.variance, 1e-300), 0, 1) / self.weight
        alone = np.where(self.effective > ONCE, alone, once)
        return cluster_degrees(maps, coarsest.held, coarsest.times, alone)


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
    own: Floats, factors: Sequence[Clustering], imagined: Floats
) -> tuple[Floats, tuple[Clustering, ...]]:
    """Return *own* and factors with what the pseudo-count adds to a variance shared by the clusters of the pair.

    As noise of its own it would make rates that rest on the same clusters look less alike than they are: by a twentieth where
    agents are compared on twenty tasks. Where it is more than a quarter of what the clusters say, as of a pair met once, it stays.
    """
    variance = np.zeros_like(own)
    for one in factors:
        variance += one.sign * column_squares(one.moved)
    more = np.divide(imagined, variance, out=np.zeros_like(variance), where=imagined <= variance / 4)
    grown = (replace(one, moved=columns_times(one.moved, np.sqrt(1 + more))) for one in factors)
    return np.maximum(own - more * variance, 0.0), tuple(grown)


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
    factors = observed.clusterings
    squares = [observed.alone + column_squares(c.held, c.times) for c in factors if c.sign > 0]
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
        battles = np.minimum(
            battles, 1 / observed.alone
        )  # a pair may be worth less than one battle: see `design_effects`
    a, b = (np.asarray(x, dtype=np.int64) for x in (observed.a, observed.b))
    rest = (units, np.maximum(raw, 0.0), observed.alone, observed.common)
    return Rates(len(observed.agents), a, b, battles, r, own, factors, *rest)
