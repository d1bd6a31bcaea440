r"""Strengths by context as strengths plus deviations: the most probable ones for a given spread of the deviations.

In context *c* the log odds of *a* against *b* are :math:`\eta_{ca} - \eta_{cb}` with

.. math::  \eta_c = \theta + \delta_c, \qquad \delta_{ca} \sim N(0, \tau^2 \rho_c^2), \qquad \theta_a \sim N(0, 3^2),

the last so weak that it matters only to an agent that won, or lost, all its battles. With :math:`L_c` the information of the
context's battles, a Laplacian, :math:`\tau_c = \tau \rho_c` and :math:`K_c = I + \tau_c^2 L_c`, the logarithm of the likelihood of :math:`\tau` with strengths and
deviations integrated out (Laplace's approximation; strengths too, so it is the restricted likelihood) is, but for a constant,

.. math::  \ell(\hat\eta) - \sum_c \frac{|\hat\delta_c|^2}{2 \tau_c^2} - \frac{|\hat\theta|^2}{2 \cdot 3^2} - \frac12 \sum_c \log |K_c| -
           \frac12 \log |S|, \qquad S = \sum_c L_c K_c^{-1} + I / 3^2 .

Nothing divides by :math:`\tau`, so that a spread of zero is a spread as any other. A step of Newton's method solves one system an
agent for every context and one for the whole: :math:`O(C n^3)`.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from beatpath._arrays import Floats, Ints

PRIOR = 3.0  # standard deviation of strengths, in log odds
TOL, MOST = 1e-9, 100


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Battles by context and pair: what was won of what was played, in battles that count as independent ones.

    Parameters
    ----------
    n_agents, n_contexts : int
    context, a, b : (m,) int
    won, played : (m,) float
    """

    n_agents: int
    n_contexts: int
    context: Ints
    a: Ints
    b: Ints
    won: Floats
    played: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Deviations:
    """The most probable strengths for one spread.

    Parameters
    ----------
    spread : float
    relative : (C,) float
        The spread of every context over that of all.
    strength : (n,) float
        Of the whole.
    eta : (C, n) float
        By context.
    information : (C, n, n) float
        Of the battles of every context.
    likelihood : float
        The logarithm of the restricted likelihood of the spread.
    """

    spread: float
    relative: Floats
    strength: Floats
    eta: Floats
    information: Floats
    likelihood: float

    def covariance(self) -> Floats:
        r"""Return that of all strengths by context, (C n, C n).

        :math:`\operatorname{cov}(\eta_c, \eta_d) = [c = d]\, \tau_c^2 K_c^{-1} + K_c^{-1} S^{-1} K_d^{-1}`.
        """
        C, n = self.eta.shape
        wide = (self.spread * self.relative) ** 2
        inverse = np.linalg.inv(_shrinkage(self.information, wide))
        S = (self.information @ inverse).sum(axis=0) + np.eye(n) / PRIOR**2
        stacked = inverse.reshape(C * n, n)
        full = stacked @ np.linalg.solve((S + S.T) / 2, stacked.T)
        for c in range(C):
            at = slice(c * n, (c + 1) * n)
            full[at, at] += wide[c] * inverse[c]
        return np.asarray((full + full.T) / 2)


def deviations(
    cells: Cells, spread: float, relative: Floats | None = None, start: Deviations | None = None
) -> Deviations:
    """Return the most probable strengths by context for a spread of the deviations, by Newton's method with halved steps.

    Ada won 8 of 10 in one context and 2 of 10 in the other. Without deviations she is as good as bob; the wider the spread may be,
    the nearer her lead comes to the log odds of each, 1.39; a lead x solves 8 - 10 p(x) = x / (2 spread^2).

    >>> cells = Cells(2, 2, *(np.array(x) for x in ([0, 1], [0, 0], [1, 1], [8.0, 2.0], [10.0, 10.0])))
    >>> [(deviations(cells, s).eta @ [1, -1]).round(2).tolist() for s in (0.0, 0.5, 10.0)]
    [[0.0, 0.0], [0.68, -0.68], [1.38, -1.38]]
    """
    rho = np.ones(cells.n_contexts) if relative is None else relative
    wide = (spread * rho) ** 2
    theta = np.zeros(cells.n_agents) if start is None else start.strength
    delta = np.zeros((cells.n_contexts, cells.n_agents))
    if start is not None and start.spread > 0:
        delta = (start.eta - start.strength) * min(1.0, spread / start.spread)
    value = _objective(cells, theta, delta, wide)
    for _ in range(MOST):
        score, L = _score_and_information(cells, theta + delta)
        K = _shrinkage(L, wide)
        pull = wide[:, None] * score - delta
        both = np.linalg.solve(K, np.concatenate([L, pull[:, :, None]], axis=2))  # K^-1 L and K^-1 pull
        S = both[:, :, :-1].sum(axis=0) + np.eye(len(theta)) / PRIOR**2
        right = score.sum(axis=0) - theta / PRIOR**2 - np.einsum("cij,cj->i", L, both[:, :, -1])
        step = np.linalg.solve((S + S.T) / 2, right)
        moved = both[:, :, -1] - wide[:, None] * (both[:, :, :-1] @ step)
        size = float(max(np.abs(step).max(initial=0.0), np.abs(moved).max(initial=0.0)))
        part = 1.0
        for _ in range(30):
            after = _objective(cells, theta + part * step, delta + part * moved, wide)
            if after >= value - 1e-12 * abs(value):
                break
            part /= 2
        theta, delta, value = theta + part * step, delta + part * moved, after
        if size < TOL:
            break
    _, L = _score_and_information(cells, theta + delta)
    K = _shrinkage(L, wide)
    S = np.linalg.solve(K, L).sum(axis=0) + np.eye(len(theta)) / PRIOR**2
    halves = np.linalg.slogdet(K)[1].sum() + np.linalg.slogdet((S + S.T) / 2)[1]
    return Deviations(spread, rho, theta, theta + delta, L, float(value - halves / 2))


def _shrinkage(L: Floats, wide: Floats) -> Floats:
    return np.asarray(np.eye(L.shape[-1]) + wide[:, None, None] * L)


def _leads(cells: Cells, eta: Floats) -> Floats:
    return np.asarray(eta[cells.context, cells.a] - eta[cells.context, cells.b])


def _objective(cells: Cells, theta: Floats, delta: Floats, wide: Floats) -> float:
    """The logarithm of likelihood times priors."""
    x = _leads(cells, theta + delta)
    fit = float(cells.won @ x - cells.played @ np.logaddexp(0, x))
    apart = float(((delta**2).sum(axis=1)[wide > 0] / wide[wide > 0]).sum()) / 2
    return fit - apart - float(theta @ theta) / (2 * PRIOR**2)


def _score_and_information(cells: Cells, eta: Floats) -> tuple[Floats, Floats]:
    """The gradient of the log-likelihood by context, (C, n), and its information, (C, n, n)."""
    C, n = eta.shape
    m = expit(_leads(cells, eta))
    left, weight = cells.won - cells.played * m, cells.played * m * (1 - m)
    score = np.bincount(cells.context * n + cells.a, left, C * n) - np.bincount(
        cells.context * n + cells.b, left, C * n
    )
    L = np.zeros((C, n, n))
    np.add.at(L, (cells.context, cells.a, cells.b), -weight)
    L += L.transpose(0, 2, 1)
    at = np.arange(n)
    L[:, at, at] = -L.sum(axis=2)
    return np.asarray(score.reshape(C, n), dtype=np.float64), L
