r"""Pólya-Gamma variables, which make a logistic likelihood normal.

A variable of :math:`PG(b, c)` is

.. math::  \frac{1}{2 \pi^2} \sum_{k=1}^{\infty} \frac{g_k}{(k - 1/2)^2 + c^2 / 4 \pi^2},

with independent :math:`g_k` of the gamma distribution of shape *b* and scale 1 [1]_. The first terms are drawn, and what is
left of the sum, whose variance is a minute share of the whole, is drawn from the gamma distribution of its mean and variance.

References
----------
.. [1] N. G. Polson, J. G. Scott, J. Windle, "Bayesian inference for logistic models using Pólya-Gamma latent variables",
       *Journal of the American Statistical Association* 108 (2013), 1339-1349, arXiv:1205.0310, eq. (1).
"""

import numpy as np

from beatpath._arrays import Floats

TERMS = 32  # of the sum that are drawn one by one
CENTRES = (np.arange(TERMS) + 0.5) ** 2


def polya_gamma(shape: Floats, tilt: Floats, rng: np.random.Generator) -> Floats:
    """Return one draw of PG(shape, tilt) an entry.

    Parameters
    ----------
    shape : (m,) float
        Positive: how many trials.
    tilt : (..., m) float
        The log odds.
    rng : numpy.random.Generator

    Examples
    --------
    The mean of PG(b, 0) is b / 4.

    >>> rng = np.random.default_rng(0)
    >>> float(polya_gamma(np.full(20_000, 3.0), np.zeros(20_000), rng).mean().round(2))
    0.75
    """
    shift = (tilt / (2 * np.pi)) ** 2
    weight = 1.0 / np.add.outer(CENTRES, shift)
    drawn = (rng.standard_gamma(np.broadcast_to(shape, weight.shape)) * weight).sum(axis=0)
    mean, variance = (shape * one for one in _rest(shift))
    drawn += rng.standard_gamma(mean**2 / variance) * variance / mean
    return drawn / (2 * np.pi**2)


def _rest(shift: Floats) -> tuple[Floats, Floats]:
    """The sums of weights, and of their squares, over the terms not drawn one by one: integrals from where these begin.

    >>> far = 1 / (np.arange(TERMS, 10**6) + 0.5) ** 2
    >>> mean, variance = _rest(np.zeros(1))
    >>> bool(abs(mean[0] / far.sum() - 1) < 1e-4), bool(abs(variance[0] / (far**2).sum() - 1) < 1e-3)
    (True, True)
    """
    root = np.sqrt(np.maximum(shift, 1e-16))
    edge = TERMS**2 + shift
    return np.arctan(root / TERMS) / root - TERMS / (12 * edge**2), 1.0 / (3 * edge**1.5)
