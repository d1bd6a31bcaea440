r"""How much wider deviations are in one context than in another.

One context may be unlike all others. With the strengths of the whole held still and the log-likelihood of a context taken as
quadratic about the fit, with eigenvalues :math:`\lambda_i` of its information and gradient :math:`g_i` at no deviation, the spread
:math:`\tau_c` of the context has

.. math::  \log m_c(\tau) = \frac12 \sum_i \left[ \frac{\tau^2 g_i^2}{1 + \tau^2 \lambda_i} - \log(1 + \tau^2 \lambda_i) \right],
           \qquad \log \tau_c \sim \text{Cauchy}(\mu, s),

with :math:`\mu` and *s* alike for all contexts and averaged over a grid by their probability. Where contexts deviate alike, *s* is
near zero and so all have one spread; the tails of Cauchy's law let a single one be far from the others. Of :math:`\tau_c` the mean is taken. The mean of its
logarithm draws one deviant among many too far; the root of its mean square makes contexts of few battles a third wider (see the page on contexts).
"""

import numpy as np
from scipy.special import logsumexp

from beatpath._arrays import Floats
from beatpath.inference.contexts.deviations import Deviations

SPREADS = np.geomspace(0.02, 4.0, 41)
CENTRES = np.log(np.geomspace(0.02, 4.0, 21))
WIDTHS = np.array([0.05, 0.3, 0.6, 1.0, 1.5])


def relative_spreads(pooled: Deviations) -> Floats:
    """Return the spread of every context over that of all, whose geometric mean is one.

    Parameters
    ----------
    pooled : Deviations
        Of one spread for all contexts, above zero.
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
    prior = -np.log1p(((x[None, None, :] - CENTRES[:, None, None]) / WIDTHS[None, :, None]) ** 2)
    prior = (prior - logsumexp(prior, axis=2, keepdims=True)).reshape(-1, len(x))
    joint = log_m[:, None, :] + prior[None, :, :]  # (C, hyper, spreads)
    each = logsumexp(joint, axis=2)
    hyper = each.sum(axis=0)
    weight = np.exp(hyper - logsumexp(hyper))
    mean = np.einsum("chx,x->ch", np.exp(joint - each[:, :, None]), SPREADS) @ weight
    return np.asarray(mean / np.exp(np.log(mean).mean()))
