r"""Dispersion around the Bradley-Terry fit: overdispersion of battles, and true deviations of pairs (lack of fit).

One battle (or cluster) varies around the fit by the same amount whether or not its pair deviates: a pair with one
battle carries no information about deviations. As :math:`\bar v_p` (see `steadied`) is the variance of battles around
the fit and not around the pair's own rate, it contains :math:`\tau^2 s / n` of the deviations, *n* the units of the
pair. So the noise around the pair's own win rate is :math:`\varphi \bar v - \tau^2 s / n`, and residuals :math:`e = r
- m` have variance :math:`(1 - h)\, \omega`,

.. math::  \omega_p = \varphi \bar v_p + \tau^2 s_p y_p, \qquad y = 1 - 1 / n .

The shape :math:`s_p` of deviations is :math:`4 m (1 - m)`, that of a Beta distribution around the fit: :math:`\tau`
points for an even pair, less near 0 and 1. The penalized restricted likelihood is

.. math::  \ell(\varphi, \tau) = -\tfrac12 \sum_p \Big[ (1 - h_p) \log \omega_p + \frac{e_p^2}{\omega_p} \Big]
           - \lambda (\varphi - 1) - \frac{\tau^2}{2 \tau_0^2} .

Where a pair has few battles that can go either way, :math:`e^2` has a larger variance than a Gaussian's, by :math:`g
(1 - 6 g) / n^3` beyond :math:`2 \omega^2`. Its terms get the weight :math:`q = 2 / (2 + \max(0, (1 - 6 g) / (n g)))`,
which matches the curvature of the likelihood to the variance of its slope. Without it, a few upsets would dominate.

The weight :math:`1 - h` removes a pair that is always fitted exactly. The first penalty favors deviations where
numbers of battles cannot separate them from noise (equal *N*); the second (half-normal) matters only with few cycles
of pairs: without any, :math:`\tau` is estimated as 0 with an upper limit of :math:`1.64 \tau_0`.

As :math:`\omega = s (\varphi x + \tau^2 y)` with :math:`x = \bar v / s`, very many pairs are binned by *x* and *y*.
"""

from dataclasses import dataclass

import numpy as np

from beatpath._arrays import Floats

TAU0 = 0.10  # prior scale of deviations: 10 percentage points for an even pair
LAMBDA = 2.0  # penalty per unit of overdispersion: favors deviations over noise where data cannot tell
ROUNDING = 1e-9  # relative to independent battles; a smaller variance counts as zero
PRIOR = 20.0  # units of prior weight in the smoothed variance
# most groups of pairs by number of battles, and independent cycles (degrees of freedom) that each must have
GROUPS, LEAST_CYCLES = 5, 20.0
DROP = 1.352772  # half the 0.90 quantile of chi squared with 1 degree of freedom: one-sided 95 %
BINS, PLACES = 20_000, 500  # pairs up to which nothing is binned, and number of bins of x
# bin edges of y, at these numbers of units per pair
EDGES = 1 - 1 / np.array([1.01, 1.5, 2.5, 3.5, 4.5, 6, 8, 12, 20, 50])
PHI_MOST = 100.0  # upper bound of the overdispersion in the search
TAU2_MOST = 0.25  # the largest variance of a rate between 0 and 1


@dataclass(frozen=True)
class Dispersion:
    """Overdispersion factor, squared lack of fit, and its lower and upper limit (95 % each, one-sided)."""

    phi: float
    tau2: float
    tau2_lo: float
    tau2_hi: float


@dataclass(frozen=True, eq=False)
class Likelihood:
    """Sufficient statistics by pair, or by bin of pairs: variance, effect of deviations, weight, squared residuals."""

    x: Floats
    y: Floats
    left: Floats  # 1 - h
    square: Floats  # e^2 / s
    free_phi: bool


def showing(units: Floats) -> Floats:
    """Return :math:`y = 1 - 1/n`: the share of a pair's deviation visible beyond its noise; 0 with one unit."""
    return np.clip(1 - 1 / units, 0.0, 1.0)


def steadied(N: Floats, rate: Floats, raw: Floats, units: Floats, g: Floats) -> Floats:
    r"""Return :math:`\bar v`, the smoothed variance of a rate from the fit and the pair's *design effect*.

    The ratio of the variance :math:`V_p` of a rate to that of independent battles without ties, :math:`q_p = r (1 - r)
    N / (N - 1)`, is shrunk toward that of all pairs with the weight of 20 units,

    .. math::  \bar v_p = \delta_p \frac{g_p}{N_p}, \qquad
               \delta_p = \frac{(n_p - 1) N_p V_p + 20\, \delta\, g_p}{(n_p - 1)\, q_p + 20\, g_p}, \qquad
               \delta = \frac{\sum (n - 1) N V}{\sum (n - 1)\, q} .

    Ties make :math:`\delta` smaller than 1, clusters larger. Using :math:`V_p` itself would weight pairs by how
    extreme they happened to come out, and make scores too extreme (by a tenth of a standard error, measured).

    >>> one = np.ones(2)
    >>> steadied(10 * one, 0.5 * one, np.array([0.25, 0.25]) / 9, 10 * one, np.array([0.25, 0.16])) * 10
    array([0.25, 0.16])
    """
    more = np.maximum(units - 1, 0.0)
    q = more * rate * (1 - rate) * N / np.maximum(N - 1, 1e-9) * (N > 1)
    within = more * N * raw
    delta = float(within.sum()) / float(q.sum()) if within.sum() > ROUNDING * q.sum() > 0 else 1.0
    own = (within + PRIOR * delta * g) / (q + PRIOR * g)
    return np.clip(own, delta / 20, 20 * delta) * g / N


def unfitted(y: Floats) -> Floats:
    r"""Return the factor that corrects :math:`m (1 - m)` for the sampling variance *y* of *m*.

    The variance *y* is in units of one battle. Fitted rates are too spread out, by the variance of *m*; Firth's half
    battles shrink them again. For a single pair with *N* battles, :math:`y = 1/N` and the mean of :math:`m (1 - m)` at
    even odds is :math:`(1 - N / (N + 1)^2) / 4`, so

    .. math::  1 + \frac{y}{1 + y + y^2} = \frac{(1 + y)^2}{1 + y + y^2}

    >>> unfitted(np.array([0.0, 0.25, 1.0])).round(4)  # met without end, four times, once: m is 3/4 or 1/4
    array([1.    , 1.1905, 1.3333])
    """
    y = np.minimum(y, 1.0)
    return (1 + y) ** 2 / (1 + y + y**2)


def noise_around_pair(dispersion: Dispersion, v: Floats, s: Floats, y: Floats, units: Floats) -> Floats:
    r"""Return the variance of a rate around its pair's own win rate, without the factor :math:`\varphi`.

    .. math::  v_p = \bar v_p \frac{(1 + y_p)^2}{1 + y_p + y_p^2} - \frac{\tau_{lo}^2 s_p}{\varphi n_p},
               \qquad y_p = \frac{\operatorname{var}(m_p)}{g_p},

    see `unfitted`. For independent battles :math:`\operatorname{var}(m) = \varphi h \bar v`: fitting uses up *h* of a
    pair's battles. Of the deviations in :math:`\bar v`, only the lower confidence limit is subtracted. With 8 equal
    agents and 15 battles per pair, 6.2 % of 2,000 boards had a false order without both corrections, 5.0 % of 2,000
    others with them.
    """
    whole = v * unfitted(y)
    return np.maximum(whole - dispersion.tau2_lo * s * (1 - showing(units)) / dispersion.phi, whole / 4)


def likelihood(e: Floats, h: Floats, v: Floats, g: Floats, s: Floats, units: Floats, *, free_phi: bool) -> Likelihood:
    """Return the likelihood of residuals; `free_phi` allows overdispersion (never underdispersion)."""
    q = _tail_weight(g, units)
    y = showing(units)
    return _binned(v / s, y, q * np.clip(1 - h, 0, 1), q * e**2 / s, free_phi)


def by_number(
    e: Floats, h: Floats, v: Floats, g: Floats, s: Floats, units: Floats, phi: float, tau2: float
) -> tuple[Floats, Floats]:
    r"""Return squared lack of fit by number of battles: pairs with few battles may deviate more than the rest.

    In up to five groups of pairs with similar numbers, each with at least 20 independent cycles, the moment estimate
    and its standard error are

    .. math::  t = \frac{\sum_p c_p (e_p^2 - (1 - h_p) \bar v_p)}{\sum_p c_p (1 - h_p) s_p y_p}, \qquad
               \text{se}^2 = \frac{2}{\sum_p c_p (1 - h_p) s_p y_p}, \qquad c = q\, s\, y / \omega^2 ,

    :math:`\omega` that of the model, then that of the group. A group *stands out* if *t* exceeds its value under
    :math:`\varphi` and :math:`\tau` by more than its standard error.

    Returns
    -------
    likely : (p,) float
        *t* where a group stands out, 0 elsewhere: how much such pairs deviate.
    at_most : (p,) float
        Upper limit: *t* plus one standard error where a group stands out, *t* elsewhere; at least 0.
    """
    left, y = np.clip(1 - h, 0, 1), showing(units)
    groups = int(min(GROUPS, left.sum() // LEAST_CYCLES))
    if groups < 2:
        return np.zeros(len(e)), np.zeros(len(e))
    group = np.searchsorted(np.unique(np.quantile(units, np.arange(1, groups) / groups)), units, side="left")
    q, t = _tail_weight(g, units), np.zeros(groups)
    omega = phi * v + tau2 * s * y
    for _ in range(2):
        c = q * s * y / omega**2
        below = np.maximum(np.bincount(group, c * left * s * y, groups), 1e-300)
        t = (np.bincount(group, c * (e**2 - left * v), groups) / below).clip(0, TAU2_MOST)
        omega = np.maximum(omega, v + t[group] * s * y)
    error = np.sqrt(2 / below)
    model = np.bincount(group, c * left * (tau2 * s * y + (phi - 1) * v), groups) / below
    out = t - error > model
    return np.where(out, t, 0.0)[group], np.where(out, t + error, t).clip(0, TAU2_MOST)[group]


def _tail_weight(g: Floats, units: Floats) -> Floats:
    """Return the weight *q* of a squared residual."""
    return 2 / (2 + np.maximum((1 - 6 * g) / (units * g), 0.0))


def top(data: Likelihood) -> tuple[float, float]:
    """Return phi and tau^2 of the maximum likelihood."""
    start = float(np.average(data.square - data.left * data.x)) if len(data.x) else 0.0
    tops = [_fisher_scoring(data, 1.0, float(np.clip(start, 0, 0.1)))]
    if data.free_phi:  # the likelihood may have two maxima
        tops.append(_fisher_scoring(data, 2.0, 0.0))
    return max(tops, key=lambda one: _value(data, *one))


def limits(data: Likelihood, phi: float, tau2: float) -> tuple[float, float]:
    """Return the profile-likelihood limits of tau^2: within `DROP` of the maximum, by bisection of tau."""
    best = _value(data, phi, tau2)

    def within(tau: float) -> bool:
        return best - _value(data, _fisher_scoring(data, phi, tau**2, fix_tau=True)[0], tau**2) < DROP

    def last(inside: float, outside: float) -> float:
        for _ in range(16):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if within(middle) else (inside, middle)
        return outside**2

    mode = float(np.sqrt(tau2))
    return 0.0 if within(0.0) else last(mode, 0.0), last(mode, float(np.sqrt(TAU2_MOST)))


def _binned(x: Floats, y: Floats, left: Floats, square: Floats, free_phi: bool) -> Likelihood:
    """Bin pairs by x and y where there are very many."""
    if len(x) <= BINS:
        return Likelihood(x, y, left, square, free_phi)
    level = np.digitize(y, EDGES)
    low, high = np.log(x.min()), np.log(x.max())
    place = np.minimum((PLACES * (np.log(x) - low) / max(high - low, 1e-12)).astype(np.int64), PLACES - 1)
    _, at, count = np.unique(level * PLACES + place, return_inverse=True, return_counts=True)
    sums: list[Floats] = [np.bincount(at, one).astype(np.float64) for one in (x, y, left, square)]
    return Likelihood(sums[0] / count, sums[1] / count, sums[2], sums[3], free_phi)


def _value(data: Likelihood, phi: float, tau2: float) -> float:
    """Return the penalized restricted log-likelihood."""
    omega = phi * data.x + tau2 * data.y
    fit = float(data.left @ np.log(omega) + data.square @ (1 / omega))
    return -fit / 2 - LAMBDA * (phi - 1) - tau2 / (2 * TAU0**2)


def _fisher_scoring(data: Likelihood, phi: float, tau2: float, *, fix_tau: bool = False) -> tuple[float, float]:
    """Maximize by Fisher scoring within bounds, halving steps until the value rises."""
    value = _value(data, phi, tau2)
    for _ in range(60):
        omega = phi * data.x + tau2 * data.y
        excess = (data.square / omega - data.left) / omega
        slope = np.array([data.x @ excess / 2 - LAMBDA, data.y @ excess / 2 - 1 / (2 * TAU0**2)])
        weight = data.left / omega**2 / 2
        cross = float(weight @ (data.x * data.y))
        info = np.array([[weight @ data.x**2, cross], [cross, weight @ data.y**2]])
        live = np.array([data.free_phi and (phi > 1 or slope[0] > 0), not fix_tau and (tau2 > 0 or slope[1] > 0)])
        if not live.any():
            break
        some = np.ix_(live, live)
        ridge = np.diag(1e-9 * info.diagonal() + [1e-9, 1 / (2 * TAU0**4)])[some]
        step = np.zeros(2)
        step[live] = np.linalg.solve(info[some] + ridge, slope[live])
        before = phi, tau2
        for _ in range(40):
            phi = float(np.clip(before[0] + step[0], 1.0, PHI_MOST))
            tau2 = float(np.clip(before[1] + step[1], 0.0, TAU2_MOST))
            after = _value(data, phi, tau2)
            if after >= value:
                break
            step /= 2
        else:
            phi, tau2 = before
            break
        gained, value = after - value, after
        if gained < 1e-6:
            break
    return phi, tau2
