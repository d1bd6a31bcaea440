r"""Strengths by context with an estimated spread of deviations, whose uncertainty enters every standard error.

The spread :math:`\tau` has a likelihood of its own (see `deviations`) and Gelman's prior, a half-Cauchy distribution
of scale 1 log odds. Its point estimate would be zero too often, and intervals around it too narrow; so results are
averaged over its posterior,

.. math::  \operatorname{cov}(\eta) = \sum_k w_k \left[ V(\tau_k) + (\hat\eta(\tau_k) - \bar\eta)(\hat\eta(\tau_k) - \bar\eta)^\top
           \right], \qquad \bar\eta = \sum_k w_k \hat\eta(\tau_k) .

References
----------
A. Gelman, "Prior distributions for variance parameters in hierarchical models", *Bayesian Analysis* 1 (2006), 515-534.
C. N. Morris, "Parametric empirical Bayes inference", *Journal of the American Statistical Association* 78 (1983),
47-55.

Relative spread of deviations by context.

One context may differ from all others. With overall strengths fixed and the log-likelihood of a context expanded to
second order around the fit, with eigenvalues :math:`\lambda_i` of its information and gradient :math:`g_i` at no
deviation, the spread :math:`\tau_c` of the context has

.. math::  \log m_c(\tau) = \frac12 \sum_i \left[ \frac{\tau^2 g_i^2}{1 + \tau^2 \lambda_i} - \log(1 + \tau^2 \lambda_i) \right],
           \qquad \log \tau_c \sim \text{Cauchy}(\mu, s),

with :math:`\mu` and *s* common to all contexts and averaged over a grid by posterior probability. Where contexts
deviate alike, *s* is near zero and all share one spread; the Cauchy tails let a single one be far from the others. The
posterior mean of :math:`\tau_c` is used. The mean of its logarithm shrinks one deviant among many too much; the root
mean square makes contexts with few battles a third wider (see the page on contexts).
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from beatpath._arrays import Floats
from beatpath.inference.contexts.deviations import Deviations, Seen, deviations

SPREADS = np.geomspace(0.02, 4.0, 41)  # grid of spreads of a context, in log odds
CENTERS = np.log(np.geomspace(0.02, 4.0, 21))  # grid of the center mu of log spreads
WIDTHS = np.array([0.05, 0.3, 0.6, 1.0, 1.5])  # grid of the scale s of log spreads


def relative_spreads(pooled: Deviations) -> Floats:
    """Return the spread of each context relative to the whole; their geometric mean is one.

    Parameters
    ----------
    pooled : Deviations
        Fit with one common spread, above zero.
    """
    n = pooled.n_agents
    delta, information = (pooled.eta - pooled.strength)[:, :n], pooled.information[:, :n, :n]
    gradient = np.einsum("cij,cj->ci", information, delta) + delta / pooled.spread**2
    values, vectors = np.linalg.eigh(information)
    g = np.einsum("cij,ci->cj", vectors, gradient) ** 2
    wide = SPREADS[None, :, None] ** 2
    grown = 1 + wide * np.maximum(values, 0.0)[:, None, :]
    log_m = (wide * g[:, None, :] / grown - np.log(grown)).sum(axis=2) / 2  # (C, spreads)
    x = np.log(SPREADS)
    prior = -np.log1p(((x[None, None, :] - CENTERS[:, None, None]) / WIDTHS[None, :, None]) ** 2)
    prior = (prior - logsumexp(prior, axis=2, keepdims=True)).reshape(-1, len(x))
    joint = log_m[:, None, :] + prior[None, :, :]  # (C, hyper, spreads)
    each = logsumexp(joint, axis=2)
    hyper = each.sum(axis=0)
    weight = np.exp(hyper - logsumexp(hyper))
    mean = np.einsum("chx,x->ch", np.exp(joint - each[:, :, None]), SPREADS) @ weight
    return np.asarray(mean / np.exp(np.log(mean).mean()))


COARSE = np.concatenate([[0.0], np.geomspace(0.03, 4.0, 15)])  # first grid of the overall spread, in log odds
FINE = 13  # points of the second grid, around the mode
OPEN = 6.0  # log posterior below the best at which a spread is ignored


@dataclass(frozen=True, slots=True, eq=False)
class Shrunken:
    """Strengths by context with their joint covariance.

    Parameters
    ----------
    eta : (C, n) float
        In log odds.
    covariance : (C n, C n) float
        Of the strengths, context by context.
    spread, low, high : float
        Posterior mean and 95 % credible interval of the spread of deviations.
    relative : (C,) float
        Spread of each context relative to the whole; their geometric mean is one.
    shift, shift_covariance : (p,) and (p, p) float
        Effects of covariates on log odds, and their covariance.
    """

    eta: Floats
    covariance: Floats
    spread: float
    low: float
    high: float
    relative: Floats
    shift: Floats
    shift_covariance: Floats

    def full(self) -> Floats:
        """Return strengths by context followed by the effects of covariates, (C, n + p)."""
        return np.hstack([self.eta, np.tile(self.shift, (len(self.eta), 1))])


def shrunken(observed: Seen) -> Shrunken:
    """Return strengths by context, partially pooled as far as contexts agree.

    Ada wins 75 of 100 in each of seven contexts and neither of two battles in the eighth: the estimate there stays
    above even.

    >>> from beatpath.inference.contexts.deviations import Cells
    >>> won, played = np.array([75.0] * 7 + [0.0]), np.array([100.0] * 7 + [2.0])
    >>> result = shrunken(Cells(2, 8, np.arange(8), np.zeros(8, int), np.ones(8, int), won, played))
    >>> lead = result.eta @ [1, -1]
    >>> bool(abs(lead[0] - np.log(3)) < 0.1), bool(0.5 < lead[7] < lead[0])
    (True, True)
    """
    if observed.n_contexts == 1:
        only = deviations(observed, 0.0)
        return _split(observed, only.eta, only.covariance(), (0.0, 0.0, 0.0), np.ones(1))
    pooled = _fitted(observed, COARSE[1:], np.ones(observed.n_contexts))
    relative = relative_spreads(pooled[int(np.argmax(_log_probability(pooled)))])
    coarse = _fitted(observed, COARSE, relative)
    near = np.flatnonzero(_log_probability(coarse) > _log_probability(coarse).max() - OPEN)
    low, high = COARSE[max(near[0] - 1, 0)], COARSE[min(near[-1] + 1, len(COARSE) - 1)]
    grid = np.linspace(low, high, FINE)
    fits = _fitted(observed, grid, relative)
    log = _log_probability(fits)
    weight = np.exp(log - log.max())
    weight[[0, -1]] /= 2
    weight /= weight.sum()
    eta = np.asarray(sum(w * one.eta for w, one in zip(weight, fits, strict=True)))
    covariance = np.zeros((eta.size, eta.size))
    for w, one in zip(weight, fits, strict=True):
        if w > 1e-4:
            off = (one.eta - eta).ravel()
            covariance += w * (one.covariance() + np.outer(off, off))
    ends = np.interp([0.025, 0.975], np.cumsum(weight) - weight / 2, grid)
    return _split(observed, eta, covariance, (float(weight @ grid), float(ends[0]), float(ends[1])), relative)


def _split(
    observed: Seen, eta: Floats, covariance: Floats, spread: tuple[float, float, float], relative: Floats
) -> Shrunken:
    """Separate strengths and effects of covariates."""
    C, n, size = observed.n_contexts, observed.n_agents, eta.shape[1]
    agents = (size * np.arange(C)[:, None] + np.arange(n)).ravel()
    shift = np.arange(n, size)
    return Shrunken(
        eta[:, :n], covariance[np.ix_(agents, agents)], *spread, relative, eta[0, n:], covariance[np.ix_(shift, shift)]
    )


def _fitted(observed: Seen, spreads: Floats, relative: Floats) -> list[Deviations]:
    """Fit every spread, each starting from the one before."""
    fits: list[Deviations] = []
    for spread in spreads.tolist():
        fits.append(deviations(observed, spread, relative, fits[-1] if fits else None))
    return fits


def _log_probability(fits: list[Deviations]) -> Floats:
    return np.array([one.likelihood - np.log1p(one.spread**2) for one in fits])
