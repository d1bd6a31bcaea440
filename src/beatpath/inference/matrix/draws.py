r"""Draws of the whole matrix of win rates.

A draw is :math:`\hat\psi` less a drawn error,

.. math::  \psi^* = \hat\psi + A \varepsilon^* + (A - I_m) d^*_m - I_u d^*_u, \qquad
           \varepsilon^* \sim N(0, \varphi V), \quad d^* \sim N(0, T),

so every linear functional of draws has exactly the cautious covariance that `MatrixEstimate` tells (one-way clusters or none). It is
the *sampling distribution of the error, turned around the estimate*: a confidence distribution. Were :math:`\varphi, \tau`
known and errors Gaussian it would be the posterior of :math:`\psi` under a flat prior of strengths and
:math:`d \sim N(0, \tau^2 s)`; with :math:`\tau_{hi}` it is wider than that. Deviations of different pairs are independent.

That is ``spread="cautious"``. With ``spread="posterior"`` every draw has a :math:`\tau` of its own, from the likelihood of
:math:`\tau` and its prior, in place of :math:`\tau_{hi}`: for probabilities that should be right on average rather than safe.

With two-way clusters :math:`V_1 + V_2 - V_{12}` need not be a covariance; errors are drawn from :math:`V_1 + V_2` and scaled
pair by pair to the variances of the former.

Rates that come near 0 or 1 (within four errors) are drawn from the Beta distribution with the same mean and variance, by
quantiles, so that no rate leaves (0, 1); others are left as they are.
"""

import numpy as np
from scipy.sparse import csr_array
from scipy.special import betaincinv, ndtr

from beatpath._arrays import Floats, Ints
from beatpath.fit.ties import slopes
from beatpath.inference.matrix.dispersion import profile
from beatpath.inference.matrix.estimate import MatrixEstimate

NEAR = 4.0
NODES = np.linspace(-5.0, 5.0, 41)


def draw(
    made: MatrixEstimate, rng: np.random.Generator, n_draws: int, *, spread: str = "cautious", inside: bool = True
) -> Floats:
    """Return (n_draws, n, n) matrices of win rates; NaN across parts."""
    R = made.rates
    a, b = R.a, R.b
    tau2 = None if spread == "cautious" else _drawn_tau2(made, rng, n_draws)
    noise, d = _noise(made, rng, n_draws), _deviations(made, a, b, rng, n_draws, tau2, met=True)
    strength = made.C @ (made._pull.T @ (noise + d))  # (n, draws)
    ua, ub = np.nonzero(np.triu(made.part[:, None] == made.part[None, :], 1))
    met = made.pair(ua, ub)[0] >= 0
    ua, ub = ua[~met], ub[~met]
    own = made.k[:, None] * noise - (1 - made.k)[:, None] * d
    own += ((1 - made.k) * made.g)[:, None] * (strength[a] - strength[b])
    other = slopes(made.theta, ua, ub)[1][:, None] * (strength[ua] - strength[ub])
    other -= _deviations(made, ua, ub, rng, n_draws, tau2, met=False)
    full = np.where(made.part[:, None] == made.part[None, :], 0.5, np.nan) * np.ones((n_draws, 1, 1))
    for i, j, error in ((a, b, own), (ua, ub, other)):
        values = made.psi[i, j][:, None] + error
        if inside:
            values = kept_inside(values, made.psi[i, j], made.psi_stderr[i, j])
        full[:, i, j], full[:, j, i] = values.T, 1 - values.T
    return full


def _drawn_tau2(made: MatrixEstimate, rng: np.random.Generator, n_draws: int) -> Floats:
    tau, share = profile(made.seen, made.phi, made.found.tau2_hi)
    return (rng.choice(tau, n_draws, p=share) + (rng.random(n_draws) - 0.5) * (tau[1] - tau[0])) ** 2


def _deviations(
    made: MatrixEstimate, a: Ints, b: Ints, rng: np.random.Generator, n_draws: int, tau2: Floats | None, *, met: bool
) -> Floats:
    """Draws from :math:`N(0, T)`, (pairs, draws)."""
    z = rng.standard_normal((len(a), n_draws))
    if tau2 is None:
        return np.sqrt(made.deviation if met else made.deviation_unmet(a, b))[:, None] * z
    s, v = (made.s, made.v) if met else (made.shape_at(a, b), np.full(len(a), made.rare))
    return np.sqrt(s[:, None] * tau2 + ((made.phi - 1) * v)[:, None]) * z


def _noise(made: MatrixEstimate, rng: np.random.Generator, n_draws: int) -> Floats:
    r"""Draws from :math:`N(0, \varphi V)`, (p, draws)."""
    R = made.rates
    scale, extra = made.scaling
    total = np.sqrt(R.own)[:, None] * rng.standard_normal((len(R.own), n_draws))
    positive = [one for one in R.factors if one.sign > 0]
    for one in positive:
        total += csr_array(one.influence.T) @ rng.standard_normal((one.influence.shape[0], n_draws))
    if len(positive) < len(R.factors):
        drawn = R.own + sum(np.asarray((one.influence**2).sum(axis=0)).ravel() for one in positive)
        total *= np.sqrt(np.maximum(R.variance, 0.0) / drawn)[:, None]
    total = scale[:, None] * total + np.sqrt(extra)[:, None] * rng.standard_normal(total.shape)
    return np.sqrt(made.phi) * total


def kept_inside(values: Floats, mean: Floats, stderr: Floats) -> Floats:
    """Return draws (k, draws) of rates, those of rates near 0 or 1 as Beta quantiles of the same probability.

    >>> kept_inside(np.array([[1.1, 0.9]]), np.array([0.95]), np.array([0.1])).round(3)
    array([[1.  , 0.97]])
    """
    near = np.minimum(mean, 1 - mean) < NEAR * stderr
    p, se = mean[near], stderr[near]
    size = np.maximum(p * (1 - p) / np.maximum(se, 1e-9) ** 2 - 1, 0.05)
    table = betaincinv((size * p)[:, None], (size * (1 - p))[:, None], ndtr(NODES))
    result = values.copy()
    result[near] = _interpolated(table, (values[near] - p[:, None]) / se[:, None])
    return np.clip(result, 1e-9, 1 - 1e-9)


def _interpolated(table: Floats, z: Floats) -> Floats:
    """Values at *z* (k, draws) of functions known at the nodes (k, nodes), by straight lines."""
    x = np.clip((z - NODES[0]) / (NODES[1] - NODES[0]), 0, len(NODES) - 1 - 1e-9)
    i = x.astype(np.int64)
    low, high = np.take_along_axis(table, i, axis=1), np.take_along_axis(table, i + 1, axis=1)
    return low + (x - i) * (high - low)
