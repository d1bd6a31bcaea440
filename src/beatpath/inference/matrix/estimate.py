r"""Mean win rate against all agents, assisted by a Bradley-Terry model.

The win rate of a pair is :math:`\psi_p = m_p + d_p`: the Bradley-Terry prediction, :math:`m_p = \sigma(\theta_a -
\theta_b)`, and a deviation of mean 0 and variance :math:`\tau^2 s_p`. Observed rates have error covariance
:math:`\varphi V`. The estimate shrinks each rate toward the fit,

.. math::  \hat\psi_p = m_p + k_p (r_p - m_p),

with the weight :math:`k_p` of its own rate (`own_share` defines it); a pair never compared directly has
:math:`\hat\psi = m`. Any linear functional :math:`\Lambda \psi` (a score, a difference, a mixture, a pair) is
estimated by :math:`\Lambda \hat\psi`, whose derivative by the rates is

.. math::  A = \Lambda_m \operatorname{diag}(k) + B C D^\top \operatorname{diag}(w), \qquad
           B = \Lambda_m \operatorname{diag}((1 - k) g) D_m + \Lambda_u \operatorname{diag}(g_u) D_u,

*m* for pairs compared directly and *u* for the others, :math:`w = g / \omega`, :math:`C = (D^\top
\operatorname{diag}(w g) D)^+`. Its error :math:`\Lambda (\hat\psi - \psi)` is, to first order, :math:`A \varepsilon +
(A - \Lambda_m) d_m - \Lambda_u d_u`, so

.. math::  \operatorname{Cov} = \varphi A V A^\top + (A - \Lambda_m) \operatorname{diag}(T_m) (A - \Lambda_m)^\top
           + \Lambda_u \operatorname{diag}(T_u) \Lambda_u^\top .

:math:`T_m = \max(\tau_{hi}^2 s + (\varphi - 1) v,\; t_{hi} s)`, as overdispersion may be deviations after
all, with :math:`t_{hi}` the lack of fit of pairs with about as many battles (`by_number`); :math:`T_u` is the same
with the median *v* of the fifth of pairs with the fewest battles and their :math:`t_{hi}`.

Connected components are fitted separately, and every number across components is NaN.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, hstack

from beatpath._arrays import Floats, Ints
from beatpath._progress import doing
from beatpath.fit.laplacian import Codes, across, centered_inverse, incident, laplacian_matrix
from beatpath.fit.newton import FLAT
from beatpath.fit.pairs import decided, fit_pairs
from beatpath.fit.ties import slopes
from beatpath.inference.matrix.cluster_sums import AgentMaps, from_both_sides, of_differences
from beatpath.inference.matrix.dispersion import (
    Dispersion,
    by_number,
    likelihood,
    limits,
    noise_around_pair,
    showing,
    steadied,
    top,
    unfitted,
)
from beatpath.inference.matrix.rates import Rates, weighted_gram
from beatpath.inference.win_rates.cluster_rows import blocks, columns_times
from beatpath.methods.graph.connection import unconnected

ROUNDS, TOL = 40, 1e-5  # most rounds of strengths and dispersion, and the relative change at which they stop
WELL_CONDITIONED = 1e3  # condition number up to which single precision is accurate enough
CELLS = 4_000_000  # numbers of differences of covariances in memory at a time
ILL_CONDITIONED = 1e4  # condition number from which differences of covariances have too few digits


@dataclass(frozen=True, eq=False)
class PairEstimate:
    """The estimate for pairs compared directly, shared by the dense and the sparse implementation.

    Attributes
    ----------
    rates : Rates
        Observed rates and their covariance.
    part : (n,) int
        Connected component of every agent.
    theta : (n,) float
        Bradley-Terry strengths, of mean zero in every component.
    m, g, s, v, w, k, h : (p,) float
        Prediction, its slope, shape of deviations, smoothed variance, effective battles, weight of the own rate,
        leverage.
    found : Dispersion
        phi, tau2 and its limits.
    local : (p,) float
        Squared lack of fit of pairs with about as many battles; see `by_number`.
    old : (p,) float or 1
        Share of battles already played, below 1 where more are planned; see `MatrixEstimate.planned`.
    """

    rates: Rates
    part: Ints
    theta: Floats
    m: Floats
    g: Floats
    s: Floats
    v: Floats
    w: Floats
    k: Floats
    h: Floats
    found: Dispersion
    local: Floats
    old: Floats | float = 1.0

    @property
    def phi(self) -> float:
        """Overdispersion factor."""
        return self.found.phi

    @cached_property
    def deviation(self) -> Floats:
        """:math:`T_m`, the variance of true deviations of pairs compared directly."""
        return np.maximum(self.found.tau2_hi * self.s + (self.phi - 1) * self.v, self.local * self.s)

    @cached_property
    def unmet_bounds(self) -> tuple[tuple[float, float], ...]:
        """Pairs of numbers *t*, *c*: for a pair never compared directly, :math:`T_u` is the largest :math:`t s + c`.

        The first has the median variance of the fifth of pairs with the fewest battles, the second their squared lack
        of fit.
        """
        N = self.rates.weight
        if not len(N):
            return ((self.found.tau2_hi, 0.0),)
        variance = float(np.median((self.v / self.old)[N <= np.quantile(N, 0.2)]))
        rarest = float(self.local[np.argmin(self.rates.effective)])
        return (self.found.tau2_hi, (self.phi - 1) * variance), (rarest, 0.0)

    def shape_at(self, a: Ints, b: Ints) -> Floats:
        """Return the shape *s* of deviations of any pairs."""
        return shape_of(slopes(self.theta, a, b)[1])

    def deviation_unmet(self, a: Ints, b: Ints) -> Floats:
        """Return :math:`T_u` of pairs never compared directly."""
        s = self.shape_at(a, b)
        return np.max([t * s + c for t, c in self.unmet_bounds], axis=0)

    @cached_property
    def scaling(self) -> tuple[Floats, Floats]:
        """Rescaling of the diagonal of *V* to the smoothed variances; see `rescaled_to`.

        Planned battles dilute the covariance of existing ones with other pairs, and add a variance of their own.
        """
        v = self.v / self.old
        scale, extra = rescaled_to(v, self.rates.variance)
        return scale * self.old, extra * self.old**2 + v * self.old * (1 - self.old)

    def noise(self, rng: np.random.Generator, n_draws: int) -> Floats:
        r"""Draw errors of the rates from :math:`N(0, \varphi V)`, (p, draws).

        With two-way clusters :math:`V_1 + V_2 - V_{12}` may be no covariance; errors are drawn from :math:`V_1 + V_2`
        and rescaled by pair to the variances of the former.
        """
        R, (scale, extra) = self.rates, self.scaling
        total = np.sqrt(R.own)[:, None] * rng.standard_normal((len(R.own), n_draws))
        if R.common is not None:
            total += np.multiply.outer(R.common, rng.standard_normal(n_draws))
        positive = [one for one in R.factors if one.sign > 0]
        for one in positive:
            for block in blocks(one.moved, n_draws):
                total += block.T @ rng.standard_normal((block.shape[0], n_draws))
        if len(positive) < len(R.factors):
            variance = R.own + sum(one.variance for one in positive)
            total *= np.sqrt(np.maximum(R.variance, 0.0) / variance)[:, None]
        total = scale[:, None] * total + np.sqrt(extra)[:, None] * rng.standard_normal(total.shape)
        return np.asarray(np.sqrt(self.phi) * total)

    @cached_property
    def opponents(self) -> Floats:
        """Number of other agents in the component of every agent."""
        return (np.bincount(self.part)[self.part] - 1).astype(np.float64)


@dataclass(frozen=True, eq=False)
class MatrixEstimate(PairEstimate):
    """The estimate of all win rates, with covariances of any linear functional.

    Attributes
    ----------
    C : (n, n) float
        Inverse information matrix of the strengths.
    """

    C: Floats = field(kw_only=True)

    def variance_of_rates(self, A: Floats) -> Floats:
        r"""Return :math:`\varphi A V`, (n, p), of maps *A* (n, p)."""
        scale, extra = self.scaling
        moved = A * scale
        total = moved * self.rates.own * scale + A * extra
        if self.rates.common is not None:
            shared = scale * self.rates.common
            total += np.multiply.outer(A @ shared, shared)
        for one in self.rates.factors:
            for block in blocks(one.moved, len(A)):
                total += one.sign * scale * np.asarray((block.T @ (block @ moved.T)).T)
        return self.phi * total

    @cached_property
    def _pull(self) -> csr_array:
        """:math:`diag(w) D`, (p, n): the derivative of the score equations by the rates."""
        return csr_array(self.rates.incidence.multiply(self.w[:, None]))

    @cached_property
    def _index(self) -> Ints:
        """The index of every pair, (n, n); -1 if never compared directly."""
        full = np.full((self.rates.n,) * 2, -1)
        full[self.rates.a, self.rates.b] = full[self.rates.b, self.rates.a] = np.arange(len(self.k))
        return full

    def pair(self, a: Ints, b: Ints) -> tuple[Ints, Floats]:
        """Return the index of every pair, -1 if never compared directly, and the sign -1 if stored in reverse order."""
        number = self._index[a, b]
        return number, np.where(self.rates.a[number] == a, 1.0, -1.0)

    # Win rates

    @cached_property
    def psi(self) -> Floats:
        """The (n, n) matrix of win rates, 1/2 on the diagonal, NaN across components."""
        x = self.theta[:, None] - self.theta[None, :]
        full = 1 / (1 + np.exp(-x))
        a, b, own = self.rates.a, self.rates.b, self.m + self.k * (self.rates.rate - self.m)
        full[a, b], full[b, a] = own, 1 - own
        full[self.part[:, None] != self.part[None, :]] = np.nan
        return full

    @cached_property
    def theta_covariance(self) -> Floats:
        r""":math:`C D^\top W (\varphi V + T) W D C`."""
        return self.C @ self._noise_of_scores @ self.C

    @cached_property
    def _noise_of_scores(self) -> Floats:
        r""":math:`D^\top W (\varphi V + T) W D`."""
        scale, extra = self.scaling
        noise = self.phi * self.rates.quadratic_of_scale(self.w, scale=scale, extra=extra)
        return noise + weighted_gram(self._pull, self.deviation)

    @cached_property
    def psi_stderr(self) -> Floats:
        r"""Standard error of every win rate, (n, n); 0 on the diagonal, NaN across components.

        For a pair compared directly, with :math:`\delta = e_a - e_b` and :math:`A = k e_p + (1 - k) g\, \delta^\top C
        D^\top W`: its own noise and deviation, those of the strengths, and twice their covariance.
        """
        a, b = self.rates.a, self.rates.b
        n = self.rates.n
        grid = np.arange(n)
        G = slopes(self.theta, grid[:, None], grid[None, :])[1]
        own = np.diag(self.theta_covariance)
        of_scale = own[:, None] + own[None, :] - 2 * self.theta_covariance
        variance = G**2 * of_scale + self.deviation_unmet(grid[:, None], grid[None, :])
        variance[a, b] = variance[b, a] = self._pair_variance(of_scale[a, b])
        np.fill_diagonal(variance, 0.0)
        variance[self.part[:, None] != self.part[None, :]] = np.nan
        return np.sqrt(np.maximum(variance, 0.0))  # below zero by rounding

    def _pair_variance(self, of_scale: Floats) -> Floats:
        a, b = self.rates.a, self.rates.b
        k, rest, T, q = self.k, (1 - self.k) * self.g, self.deviation, across(self.C, a, b)
        if _condition(self.rates, self.w * self.g, self.C) > ILL_CONDITIONED:
            # as squares of differences, which do not cancel
            step = max(1, CELLS // self.rates.n)
            parts = (self.C[a[i : i + step]] - self.C[b[i : i + step]] for i in range(0, len(a), step))
            of_scale = np.concatenate([np.einsum("pn,pn->p", part @ self._noise_of_scores, part) for part in parts])
        own = k**2 * self.phi * self.v + (1 - k) ** 2 * T
        shared = k * self.phi * self._noise_with_prediction() - (1 - k) * self.w * T * q
        return own + 2 * rest * shared + rest**2 * of_scale

    def _noise_with_prediction(self) -> Floats:
        r"""Return :math:`e_p^\top V W D C (e_a - e_b)` of every pair."""
        a, b, C = self.rates.a, self.rates.b, self.C
        scale, extra = self.scaling
        total = (self.rates.own * scale**2 + extra) * self.w * across(C, a, b)
        if self.rates.common is not None:
            shared = scale * self.rates.common
            pulled = C @ (self._pull.T @ shared)
            total += shared * (pulled[a] - pulled[b])
        for one in self.rates.factors:
            for block in blocks(columns_times(one.moved, scale), self.rates.n):
                moved, (c, p) = np.asarray((block @ self._pull) @ C), block.tocoo().coords
                total += one.sign * np.bincount(p, block.data * (moved[c, a[p]] - moved[c, b[p]]), len(total))
        return total

    # Scores

    @cached_property
    def score(self) -> Floats:
        """Mean win rate against all other agents of the component; NaN for an agent alone."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return (np.nansum(self.psi, axis=1) - 0.5) / self.opponents

    @cached_property
    def _score_maps(self) -> tuple[csr_array, Floats, Floats]:
        r"""Maps of the scores: :math:`\Lambda_m` (n, p), :math:`F = B C` (n, n), :math:`\Lambda_u T_u \Lambda_u^\top` (n, n)."""
        Lm, B, unmet = self._own_maps()
        return Lm, B @ self.C, unmet

    def _own_maps(self) -> tuple[csr_array, Floats, Floats]:
        r"""Return :math:`\Lambda_m`, *B* and :math:`\Lambda_u T_u \Lambda_u^\top`; see `_score_maps`."""
        n, a, b = self.rates.n, self.rates.a, self.rates.b
        p, grid, each = len(a), np.arange(n), 1 / np.maximum(self.opponents, 1)
        where = np.concatenate([a, b]), np.tile(np.arange(p), 2)
        Lm = csr_array((np.concatenate([each[a], -each[b]]), where), shape=(n, p))
        slope = slopes(self.theta, grid[:, None], grid[None, :])[1]
        slope[a, b] *= 1 - self.k
        slope[b, a] *= 1 - self.k
        apart = self.part[:, None] != self.part[None, :]
        slope[apart] = 0.0
        np.fill_diagonal(slope, 0.0)
        B = each[:, None] * (np.diag(slope.sum(axis=1)) - slope)
        T = self.deviation_unmet(grid[:, None], grid[None, :])
        T[a, b] = T[b, a] = T[apart] = 0.0
        np.fill_diagonal(T, 0.0)
        unmet = each[:, None] * (np.diag(T.sum(axis=1)) - T) * each[None, :]
        return Lm, B, unmet

    @cached_property
    def covariance(self) -> Floats:
        """Covariance of the scores, (n, n); NaN across components and for an agent alone."""
        Lm, F, unmet = self._score_maps
        full = self.score_noise + self._of_deviations(Lm, F) + unmet
        full[self.part[:, None] != self.part[None, :]] = np.nan
        full[self.opponents == 0] = np.nan
        return full

    def _beside_pull(self, Lm: csr_array, share: Floats) -> csr_array:
        r""":math:`[K \Lambda_m^\top\; W D]`."""
        return hstack([csr_array(Lm.multiply(share[None, :])).T, self._pull], format="csr")

    def _of_deviations(self, Lm: csr_array, F: Floats) -> Floats:
        r""":math:`(A - \Lambda_m) T (A - \Lambda_m)^\top`."""
        return from_both_sides(weighted_gram(self._beside_pull(Lm, self.k - 1), self.deviation), F)

    @cached_property
    def _maps(self) -> AgentMaps:
        """*A* of the scores, as maps through agents."""
        each = 1 / np.maximum(self.opponents, 1)
        return AgentMaps(self.rates.a, self.rates.b, each, self.k, self.w, self._score_maps[1])

    @cached_property
    def score_noise(self) -> Floats:
        r""":math:`\varphi A V A^\top` of the scores."""
        Lm, F, _ = self._score_maps
        scale, extra = self.scaling
        total = from_both_sides(self.rates.own_quadratic(self._beside_pull(Lm, self.k), scale, extra), F)
        for one in self.rates.factors:
            total += one.sign * self._maps.moved(one.moved, scale, exact=len(self.rates.factors) > 1)
        return self.phi * total

    def variance_of_difference(self, i: int, j: int) -> float:
        """Return the variance of the difference of two scores, without building the full covariance."""
        Lm, B, unmet = self._own_maps()
        direct = (Lm[[i]] - Lm[[j]]).toarray().ravel()
        projected = self._pull @ ((B[i] - B[j]) @ self.C)
        A, rest = direct * self.k + projected, direct * (self.k - 1) + projected
        scale, extra = self.scaling
        noise = self.phi * self.rates.variance_along(A, scale=scale, extra=extra)
        return noise + float(rest**2 @ self.deviation) + float(unmet[i, i] + unmet[j, j] - 2 * unmet[i, j])

    @cached_property
    def influence(self) -> Floats:
        """*A* of the scores, (n, p) dense; for moderate numbers of pairs."""
        Lm, F, _ = self._score_maps
        return np.asarray(Lm.multiply(self.k[None, :]).toarray() + F @ self._pull.T.toarray())

    def scores_along(self, right: csr_array) -> Floats:
        """Return *A* of the scores times a sparse matrix (p, k)."""
        Lm, F, _ = self._score_maps
        return np.asarray((Lm.multiply(self.k[None, :]) @ right).toarray() + F @ (self._pull.T @ right).toarray())

    def scores_square(self, weight: Floats) -> Floats:
        r"""Return :math:`A \operatorname{diag}(\text{weight}) A^\top` of the scores, (n, n)."""
        Lm, F, _ = self._score_maps
        return np.asarray(from_both_sides(weighted_gram(self._beside_pull(Lm, self.k), weight), F))

    @cached_property
    def direct(self) -> csr_array:
        r""":math:`\Lambda_m` of the scores, (n, p): the weight of a pair's own win rate in them."""
        return self._score_maps[0]

    def planned(self, share: Floats) -> "MatrixEstimate":
        r"""Return the estimate with more battles, where *share* is the share of a pair's battles already played.

        Variances fall with the battles, and a pair keeps more of its own rate: with :math:`\kappa(f) = T / (T +
        \varphi f v)`, its weight if the lack of fit were as large as the data admit, :math:`1 - k` falls as :math:`1 -
        \kappa(f)` does, and its weight *w* in the fit grows as :math:`1 / (T + \varphi f v)`, which its deviation
        bounds however many battles it has. Strengths, :math:`\varphi` and :math:`\tau` stay. At ``share = 1`` nothing
        changes; with infinitely many battles the estimates are the observed rates.
        """
        noise, y = self.phi * self.v, self.h * self.v / self.g
        high = self.deviation / np.maximum(self.deviation + noise, 1e-300)
        after = self.deviation / np.maximum(self.deviation + noise * share, 1e-300)
        k = 1 - (1 - self.k) * (1 - after) / np.maximum(1 - high, 1e-300)
        w = self.w * (self.deviation + noise) / (self.deviation + noise * share)
        C, h = _exact_leverages(self.rates, self.part, w * self.g)
        v = self.v * share * unfitted(share * y) / unfitted(y)
        return replace(self, v=v, w=w, k=np.clip(k, 0.0, 1.0), C=C, h=h, old=self.old * share)

    @cached_property
    def degrees(self) -> Floats:
        """Degrees of freedom of differences of scores, and of the scores on the diagonal; infinite without clusters."""
        if not self.rates.clustered:
            return np.full((self.rates.n,) * 2, np.inf)
        noise, total = of_differences(self.score_noise), of_differences(np.nan_to_num(self.covariance))
        df = self.rates.degrees(self._maps)
        # Satterthwaite; the other variance is known
        return np.maximum(df * (total / np.maximum(noise, 1e-300)).clip(1.0, 1e6) ** 2, 1.0)

    # Anything linear

    def functional(self, row: Ints, a: Ints, b: Ints, weight: Floats) -> tuple[Floats, Floats]:
        r"""Return values and covariance of :math:`f_i = \sum \text{weight}\, \psi_{ab}` over entries (row i, a, b, weight).

        >>> from beatpath import Pairs, win_matrix
        >>> pairs = Pairs(("ada", "bob", "cyd"), [0, 1], [1, 2], [[240, 160, 0, 0]] * 2)
        >>> result = win_matrix(pairs).estimate
        >>> value, covariance = result.functional([0, 1], [0, 2], [2, 0], [1.0, 1.0])  # a pair that never met, both ways
        >>> value.round(2), bool(np.isclose(covariance[0, 1], -covariance[0, 0]))
        (array([0.69, 0.31]), True)
        """
        row, a, b = (np.asarray(x, dtype=np.int64) for x in (row, a, b))
        weight = np.broadcast_to(weight, row.shape)
        size, n, p = int(row.max(initial=-1)) + 1, self.rates.n, len(self.k)
        value = np.bincount(row, weight * self.psi[a, b], size).astype(np.float64)
        use = (a != b) & (self.part[a] == self.part[b])
        row, a, b, weight = row[use], a[use], b[use], weight[use]
        number, sign = self.pair(a, b)
        met = number >= 0
        Lm = csr_array(((weight * sign)[met], (row[met], number[met])), shape=(size, p))
        slope = weight * slopes(self.theta, a, b)[1] * np.where(met, 1 - self.k[number], 1.0)
        B = csr_array((np.concatenate([slope, -slope]), (np.tile(row, 2), np.concatenate([a, b]))), shape=(size, n))
        ua, ub = np.minimum(a, b)[~met], np.maximum(a, b)[~met]
        code, column = np.unique(ua * n + ub, return_inverse=True)
        sign = np.where(a[~met] < b[~met], 1.0, -1.0)
        Lu = csr_array((weight[~met] * sign, (row[~met], column)), shape=(size, len(code)))
        T = self.deviation_unmet(code // n, code % n)
        F, (scale, extra) = np.asarray(B @ self.C), self.scaling
        noise = self.phi * self.rates.quadratic(self._beside_pull(Lm, self.k), scale=scale, extra=extra)
        unmet = (Lu.multiply(T[None, :]) @ Lu.T).toarray()
        covariance = from_both_sides(noise, F) + self._of_deviations(Lm, F) + unmet
        lost = ~np.isfinite(value)
        covariance[lost], covariance[:, lost] = np.nan, np.nan
        return value, covariance


def shape_of(g: Floats) -> Floats:
    """Return the shape of deviations, that of a Beta distribution around the prediction."""
    return np.maximum(4 * g, 1e-6)


def estimate(rates: Rates) -> MatrixEstimate:
    """Estimate all win rates; overdispersion is estimated only where battles were taken as independent.

    >>> from beatpath import Pairs
    >>> from beatpath.metrics import win_rate_inference
    >>> from beatpath.inference.matrix.rates import rates_of
    >>> counts = [[60, 40, 0, 0], [70, 30, 0, 0], [60, 40, 0, 0]]
    >>> result = estimate(rates_of(win_rate_inference(Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], counts))))
    >>> result.score.round(2)
    array([0.65, 0.5 , 0.35])
    """
    part, C = components(rates), np.zeros((0, 0))

    def exact(weight: Floats) -> Floats:
        nonlocal C
        C, h = _exact_leverages(rates, part, weight)
        return h

    def sandwich(w: Floats, g: Floats, v: Floats) -> Floats:
        scale, extra = rescaled_to(v, rates.variance)
        single = _condition(rates, w * g, C) < WELL_CONDITIONED
        noise = rates.quadratic_of_scale(w, scale=scale, extra=extra, single=single)
        return g**2 * across(C @ noise @ C, rates.a, rates.b)

    fit = pair_estimate(rates, part, [Stage(update=exact)], sandwich if rates.clustered else None)
    C, h = _exact_leverages(rates, part, fit.w * fit.g)  # the last round's weights, also where rounds did not converge
    return MatrixEstimate(**{**vars(fit), "h": h}, C=C)


def components(rates: Rates) -> Ints:
    """Return the connected component of every agent."""
    return unconnected(rates.n, rates.a, rates.b)[1].astype(np.int64)


def _exact_leverages(rates: Rates, part: Ints, weight: Floats) -> tuple[Floats, Floats]:
    """Return the inverse information of strengths, (n, n), and the leverages of pairs with these weights."""
    C = centered_inverse(laplacian_matrix(rates.n, rates.a, rates.b, weight), part)
    return C, np.clip(weight * across(C, rates.a, rates.b), 0.0, 1.0)


def _condition(rates: Rates, weight: Floats, C: Floats) -> float:
    """Return about the condition number of the information, from its inverse."""
    known = incident(rates.n, rates.a, rates.b, weight, weight)
    return float(np.diag(C).max(initial=0.0) * known.max(initial=0.0))


class Stage(NamedTuple):
    """How leverages follow from the weights of pairs: at the start of a stage of the fit, and after every round."""

    begin: Callable[[Floats], Floats] | None = None
    update: Callable[[Floats], Floats] | None = None


def pair_estimate(
    rates: Rates,
    part: Ints,
    stages: Sequence[Stage],
    sandwich: Callable[[Floats, Floats, Floats], Floats] | None = None,
    *,
    rounds: int = ROUNDS,
    tol: float = TOL,
    flat: float = FLAT,
    most_steps: int | None = None,
) -> PairEstimate:
    r"""Fit strengths and dispersion in turn until both converge, and return the estimate for pairs compared directly.

    Strengths solve the weighted quasi-score equations of Bradley-Terry with Firth's correction: half a win and half a
    loss per fitted strength, allocated by leverage. It removes the bias of order 1/N, and makes the solution finite
    wherever pairs connect the agents (Firth 1993; Heinze, Schemper 2002 for the finiteness).

    `sandwich` returns the sampling variance of every prediction without the factor :math:`\varphi`, from *w*, *g* and
    :math:`\bar v`; by default it is :math:`h \bar v`, as for independent battles.
    """
    a, b, n, N, r = rates.a, rates.b, rates.n, rates.weight, rates.rate
    units = np.maximum(rates.effective, 1.0)
    raw = rates.variance if rates.raw is None else rates.raw
    several = part if part.any() else None
    phi, tau2, theta = 1.0, 0.0, np.zeros(n)
    g, h, w = np.full(len(a), 0.25), local_leverages(n, a, b, N), N
    for number, stage in enumerate(stages):
        if len(stages) > 1:
            doing(f"estimating the strengths of {n:,} agents", number / len(stages))
        h = h if stage.begin is None else stage.begin(w * g)
        for _ in range(rounds):
            w = _effective_battles(phi, tau2, steadied(N, r, raw, units, g), units, g)
            rows = decided(n, a, b, w * r + h / 2, w + h, part=several)
            theta = fit_pairs(rows, start=theta, flat=flat, most_steps=most_steps).strength
            m, g = slopes(theta, a, b)
            v, s = steadied(N, r, raw, units, g), shape_of(g)
            w = _effective_battles(phi, tau2, v, units, g)
            h = h if stage.update is None else stage.update(w * g)
            profile = likelihood(r - m, h, v, g, s, units, free_phi=not rates.clustered)
            before, (phi, tau2) = (phi, tau2), top(profile)
            if abs(phi - before[0]) + abs(np.sqrt(tau2) - np.sqrt(before[1])) < tol:
                break
    dispersion = Dispersion(phi, tau2, *limits(profile, phi, tau2))
    likely, local = by_number(r - m, h, v, g, s, units, phi, tau2)
    of_scale = h * v if sandwich is None else sandwich(w, g, v)
    noise = noise_around_pair(dispersion, v, s, phi * of_scale / g, units)
    omega, k = own_share(phi, tau2, v, s, units, likely)
    return PairEstimate(rates, part, theta, m, g, s, noise, g / omega, k, h, dispersion, local)


def rescaled_to(v: Floats, V: Floats) -> tuple[Floats, Floats]:
    """Return a factor and an addition (where *V* is nearly zero) that rescale a diagonal *V* to variances *v*."""
    sound = V > 0.2 * v
    return np.sqrt(np.divide(v, V, out=np.ones_like(V), where=sound)), np.where(sound, 0.0, v - V)


def own_share(phi: float, tau2: float, v: Floats, s: Floats, units: Floats, likely: Floats) -> tuple[Floats, Floats]:
    r"""Return the variance :math:`\omega` of observed rates around the fit, and the weight *k* of each pair's own rate.

    .. math::  k_p = \min\left(1, \frac{\max\left(\tau^2 s_p + (\varphi - 1) \bar v_p,\; t_p s_p\right)}
               {\max\left(\omega_p,\; \bar v_p + t_p s_p (1 - 1/n_p)\right)}\right), \qquad
               \omega_p = \varphi \bar v_p + \tau^2 s_p (1 - 1/n_p)

    The best linear prediction of a deviation :math:`d_p` from :math:`r_p - m_p` has the weight of their covariance
    over the variance :math:`\omega_p` (`dispersion` derives it: :math:`\bar v` contains :math:`\tau^2 s / n` of the
    deviations). Overdispersion, :math:`(\varphi - 1) \bar v`, may be noise or deviations of pairs with few battles,
    and no data can tell. It counts as deviations here, so that an estimate stays near the observation, and also as
    noise in the standard errors: the estimate is noisier than necessary if it was noise, and less biased if it was
    not.

    Parameters
    ----------
    phi, tau2 : float
        :math:`\varphi` and :math:`\tau^2`.
    v, s, units : (p,) float
        :math:`\bar v` of `steadied`, the shape of deviations, and *n*.
    likely : (p,) float
        *t*, the lack of fit of a group of pairs that stands out, 0 elsewhere (`by_number`).
    """
    y = showing(units)
    omega = phi * v + tau2 * s * y
    share = np.maximum(tau2 * s + (phi - 1) * v, likely * s) / np.maximum(omega, v + likely * s * y)
    return omega, np.minimum(share, 1.0)


def _effective_battles(phi: float, tau2: float, v: Floats, units: Floats, g: Floats) -> Floats:
    r"""Return :math:`w = g / \omega`, the effective number of battles of a pair in the fit."""
    return g / (phi * v + tau2 * shape_of(g) * showing(units))


def local_leverages(n: int, a: Codes, b: Codes, weight: Floats) -> Floats:
    """Approximate leverages from a pair's two agents alone: its share of the information about each."""
    known = incident(n, a, b, weight, weight)
    return np.minimum(weight / known[a] + weight / known[b], 1.0)
