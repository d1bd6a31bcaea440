r"""Sums of exponentials of products, :math:`\sum_b e^{x_{ab} y_{cb} / \gamma}`, by a few matrix products.

The exponential of a product does not separate, but near a centre :math:`x_0` it nearly does. With
:math:`s = (x - x_0) / h` and :math:`t = 2y - 1`, both in [-1, 1], and :math:`B = h / 2\gamma`,

.. math::  e^{xy/\gamma} = e^{(x - x_0)/2\gamma}\; e^{x_0 y/\gamma}\; e^{B s t}, \qquad
           e^{B u} \approx \sum_{k < K} c_k u^k \ \text{ within a relative error } \varepsilon,

so all :math:`x` within :math:`h` of the centre take K matrix products, whose error is relative to every term, hence to the sum.
A `Plan` says which intervals of :math:`x`; entries outside them take their exponentials one by one.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.polynomial import chebyshev

from beatpath._arrays import Bools, Floats

WIDE = 600.0  # largest exponent kept away from overflow
NOTHING = -60.0  # exponent below the largest at which a term is lost to rounding, however many there are
PER_EXPONENTIAL = 60.0  # multiplications and additions in a matrix product that cost as much as one exponential
FEW = 100  # agents up to which exponentials cost nothing worth saving
MOST_TERMS = 40  # beyond, rounding spoils what more terms would give
TOGETHER = 128  # rows of exponentials taken at a time, to stay in the processor's cache


@dataclass(frozen=True, slots=True)
class Plan:
    """How the sums are taken.

    Parameters
    ----------
    intervals : tuple of (low, high, terms)
        The values of x for which the exponential is expanded around the middle, and in how many terms; none for
        exponentials throughout.
    cost : float
        Multiplications and additions for every triple of agents, an exponential counting as `PER_EXPONENTIAL`.
    error : float
        Bound on the relative error of every sum.
    """

    intervals: tuple[tuple[float, float, int], ...]
    cost: float
    error: float


def log_sum_exp_products(X: Floats, Y: Floats, gamma: float, *, error: float) -> Floats:
    r"""Return :math:`\log \sum_b e^{X_{ab} Y_{cb} / \gamma}` for all rows a of `X` and c of `Y`.

    Parameters
    ----------
    X, Y : (n, n) float
        Entries in [0, 1].
    gamma : float
        Temperature, above zero.
    error : float
        Relative error that the sums may have.

    Returns
    -------
    (n, n) float
        Row a, column c.

    Examples
    --------
    >>> log_sum_exp_products(np.array([[0.0, 1.0]]), np.array([[1.0, 1.0]]), 1.0, error=1e-9).round(4)  # log(1 + e)
    array([[1.3133]])
    """
    if 1 / gamma > WIDE:
        return np.stack([_log_sum_exp(Y * (row / gamma)) for row in X])
    plan = expansion_plan(X, gamma, error)
    total, left_over = np.zeros((len(X), len(Y))), np.ones(X.shape, dtype=bool)
    for low, high, terms in plan.intervals:
        near = (X >= low) & (X <= high)
        left_over &= ~near
        offset = np.where(near, X - (low + high) / 2, 0.0)
        _add_expansion(total, offset, near, Y, (low, high, terms), gamma)
    _add_exponentials(total, X, left_over, Y, gamma)
    return np.log(total, out=total)


def expansion_plan(X: Floats, gamma: float, error: float) -> Plan:
    """Return the cheapest of: exponentials throughout; one expansion for all; one at each end of [0, 1].

    The last suits small temperatures, at which most soft edges are near 0 or 1.

    >>> X = np.random.default_rng(0).random((200, 200))
    >>> expansion_plan(X, 0.05, 1e-7).intervals
    ((0.0, 1.0, 17),)
    >>> expansion_plan(X > 0.5, 0.005, 1e-7).intervals
    ((0.0, 0.005, 6), (0.995, 1.0, 6))
    """
    plans = [Plan((), PER_EXPONENTIAL, 0.0)]
    if len(X) > FEW:
        for width in (1.0, *(width * gamma for width in (1, 2, 4, 8, 16) if width * gamma < 0.25)):
            terms, made = _enough_terms(width / (4 * gamma), error)
            ends = ((0.0, 1.0),) if width == 1.0 else ((0.0, width), (1 - width, 1.0))
            left = float(((X > ends[0][1]) & (X < ends[-1][0])).mean())
            cost = len(ends) * terms + left * PER_EXPONENTIAL
            plans.append(Plan(tuple((low, high, terms) for low, high in ends), cost, made))
    return min((plan for plan in plans if plan.error <= error), key=lambda plan: plan.cost)


@lru_cache(maxsize=256)
def exponential_coefficients(B: float, terms: int) -> tuple[tuple[float, ...], float]:
    r"""Return :math:`c_k` with :math:`e^{Bu} \approx \sum_{k < K} c_k u^k` on [-1, 1], and the relative error they reach.

    Least squares of the relative error on Chebyshev points; the error is the largest on a grid twenty times as fine, with
    what rounding may add when the terms cancel.

    >>> coefficients, error = exponential_coefficients(1.0, 8)
    >>> error < 1e-6, round(coefficients[1], 4)
    (True, 1.0)
    """
    u = np.cos(np.pi * (np.arange(8 * terms) + 0.5) / (8 * terms))
    fitted = np.linalg.lstsq(chebyshev.chebvander(u, terms - 1) * np.exp(-B * u)[:, None], np.ones(len(u)), rcond=None)[
        0
    ]
    coefficients = chebyshev.cheb2poly(fitted)
    coefficients = np.append(coefficients, np.zeros(terms - len(coefficients)))
    fine = np.cos(np.linspace(0, np.pi, 160 * terms))
    wrong = np.abs(np.polynomial.polynomial.polyval(fine, coefficients) * np.exp(-B * fine) - 1).max()
    rounding = np.finfo(float).eps * np.abs(coefficients).sum() * np.exp(B)
    return tuple(coefficients.tolist()), float(1.05 * wrong + 4 * rounding)


def _enough_terms(B: float, error: float) -> tuple[int, float]:
    """The fewest terms whose error will do, and that error; infinite when no number will."""
    for terms in range(2, MOST_TERMS + 1):
        made = exponential_coefficients(B, terms)[1] if terms > 0.8 * B else np.inf
        if made <= error:
            return terms, made
    return MOST_TERMS, np.inf


def _add_expansion(
    total: Floats,
    offset: Floats,
    near: Bools,
    Y: Floats,
    expansion: tuple[float, float, int],
    gamma: float,
) -> None:
    """Add the sums over the entries near one centre."""
    low, high, terms = expansion
    centre, half = (low + high) / 2, (high - low) / 2
    left = np.where(near, np.exp(offset / (2 * gamma)), 0.0)
    right = np.exp(centre * Y / gamma)
    s, t = offset / half, 2 * Y - 1
    for c in exponential_coefficients(half / (2 * gamma), terms)[0]:
        total += left @ (c * right).T
        left *= s
        right *= t


def _add_exponentials(total: Floats, X: Floats, chosen: Bools, Y: Floats, gamma: float) -> None:
    """Add the sums over chosen entries, one exponential each for every c."""
    across = np.ascontiguousarray(Y.T)
    for a in np.flatnonzero(chosen.any(axis=1)):
        own = np.flatnonzero(chosen[a])
        for b in np.split(own, range(TOGETHER, len(own), TOGETHER)):
            Z = across[b]
            Z *= (X[a, b] / gamma)[:, None]
            total[a] += np.exp(Z, out=Z).sum(axis=0)


def _log_sum_exp(Z: Floats) -> Floats:
    top = Z.max(axis=1)
    Z -= top[:, None]
    np.maximum(Z, NOTHING, out=Z)  # numbers too small to hold are slow, and add nothing
    out: Floats = top + np.log(np.exp(Z, out=Z).sum(axis=1))
    return out
