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

TERMS = 8  # of the sum that are drawn one by one
FLAT = 1.0  # shift below which a term hardly differs from one without
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

    >>> far = np.add.outer([0.0, 20.0], (np.arange(TERMS, 10**6) + 0.5) ** 2)
    >>> mean, variance = _rest(np.array([0.0, 20.0]))
    >>> (np.abs(mean * 1.0 - (1 / far).sum(axis=1)) < 1e-5).all(), (np.abs(variance / (1 / far**2).sum(axis=1) - 1) < 0.01).all()
    (np.True_, np.True_)
    """
    root, edge = np.sqrt(np.maximum(shift, 1e-16)), TERMS**2 + shift
    angle = np.arctan(root / TERMS) / root
    far = (angle - TERMS / edge) / (2 * np.maximum(shift, FLAT))
    return angle - TERMS / (12 * edge**2), np.where(shift > FLAT, far, 1.0 / (3 * edge**1.5))
