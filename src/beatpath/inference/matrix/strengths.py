r"""One scale: strengths whose logistic differences come nearest to the rates.

Strengths solve the weighted quasi-score of Bradley-Terry with Firth's correction,

.. math::  \sum_p \big[ w_p (r_p - m_p) + h_p (1/2 - m_p) \big] (e_a - e_b) = 0, \qquad m_p = \sigma(\theta_a - \theta_b),

where :math:`w_p` is the number of battles the pair is worth and :math:`h_p = w_p g_p (e_a - e_b)^\top C (e_a - e_b)`,
:math:`g = m (1 - m)`, its leverage. The correction adds half a win and half a loss *for every strength that is fitted*, put
where the data are thinnest; it takes the bias of order 1/N away and makes the solution finite wherever pairs connect the
agents, also for an agent that lost every battle (Firth 1993; Heinze, Schemper 2002 for the finiteness).

References
----------
D. Firth, "Bias reduction of maximum likelihood estimates", *Biometrika* 80 (1993), 27-38.
G. Heinze, M. Schemper, "A solution to the problem of separation in logistic regression", *Statistics in Medicine* 21 (2002).
"""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.special import expit

from beatpath._arrays import Floats, Ints

TOL, MOST = 1e-10, 100


def slopes(theta: Floats, a: Ints, b: Ints) -> tuple[Floats, Floats]:
    r"""Return :math:`m = \sigma(\theta_a - \theta_b)` and its slope :math:`g = m (1 - m)`."""
    m = expit(theta[a] - theta[b])
    return m, m * expit(theta[b] - theta[a])


def laplacian(n: int, a: Ints, b: Ints, weight: Floats) -> Floats:
    """Return :math:`D^T diag(weight) D`, dense."""
    L = np.zeros((n, n))
    np.add.at(L, (a, b), -weight)
    L += L.T
    np.fill_diagonal(L, -L.sum(axis=1))
    return L


def inverse_by_parts(L: Floats, part: Ints) -> Floats:
    r"""Return the pseudo-inverse of a Laplacian with connected parts: :math:`(L + c Z Z^\top)^{-1}` less what *Z* brought.

    *Z* are the indicators of the parts. Nothing of one part reaches another.
    """
    lifted, c = _lifted(L, part)
    inverse = _solved(lifted, np.eye(len(L)))
    same = part[:, None] == part[None, :]
    size = np.bincount(part)[part].astype(float)
    return np.where(same, (inverse + inverse.T) / 2 - 1 / (c * size[:, None] * size[None, :]), 0.0)


def _lifted(L: Floats, part: Ints) -> tuple[Floats, float]:
    c = float(np.trace(L)) / len(L) ** 2 or 1.0
    return L + c * (part[:, None] == part[None, :]), c


def _solved(A: Floats, y: Floats) -> Floats:
    """Solve a positive definite system; a part whose weights rounding has lost beside others' is held by a trace of its own."""
    try:
        found: Floats = cho_solve(cho_factor(A, lower=True), y)
    except LinAlgError:
        found = cho_solve(cho_factor(A + 1e-8 * np.diag(A).max() * np.eye(len(A)), lower=True), y)
    return found


def centred(x: Floats, part: Ints) -> Floats:
    """Return *x* less its mean over every part."""
    return x - (np.bincount(part, x) / np.bincount(part))[part]


def across(C: Floats, a: Ints, b: Ints) -> Floats:
    """Return :math:`(e_a - e_b)^T C (e_a - e_b)` of every pair."""
    own = np.diag(C)
    return own[a] + own[b] - 2 * C[a, b]


def fit_scale(part: Ints, a: Ints, b: Ints, rate: Floats, w: Floats, h: Floats, theta: Floats | None = None) -> Floats:
    """Return strengths of mean zero in every part for fixed worths *w* and leverages *h*, by Newton's method with halved steps.

    >>> theta = fit_scale(np.zeros(2, int), np.array([0]), np.array([1]), np.array([1.0]), np.array([10.0]), np.array([1.0]))
    >>> float(expit(theta[0] - theta[1]).round(6))  # 10.5 of 11
    0.954545
    """
    n = len(part)
    theta = np.zeros(n) if theta is None else theta.copy()
    target, total = w * rate + h / 2, w + h
    value = _loss(theta, a, b, target, total)
    for _ in range(MOST):
        m, g = slopes(theta, a, b)
        score = target - total * m
        y: Floats = (np.bincount(a, score, n) - np.bincount(b, score, n)).astype(np.float64)
        step = _solved(_lifted(laplacian(n, a, b, total * g), part)[0], y)
        size = float(np.abs(step).max(initial=0.0))
        step *= min(1.0, 4.0 / max(size, 1e-300))
        for _ in range(30):
            after = _loss(theta + step, a, b, target, total)
            if after <= value + 1e-12 * abs(value):
                break
            step /= 2
        theta, value = theta + step, after
        if size < TOL * (1 + np.abs(theta).max(initial=0.0)):
            break
    return centred(theta, part)


def _loss(theta: Floats, a: Ints, b: Ints, target: Floats, total: Floats) -> float:
    x = theta[a] - theta[b]
    return float(total @ np.logaddexp(0, x) - target @ x)
