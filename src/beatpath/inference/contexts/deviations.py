r"""Strengths by context as overall strengths plus deviations: the posterior mode for a given spread of the deviations.

In context *c* the log odds of *a* against *b* are :math:`\eta_{ca} - \eta_{cb}` with

.. math::  \eta_c = \theta + \delta_c, \qquad \delta_{ca} \sim N(0, \tau^2 \rho_c^2), \qquad \theta_a \sim N(0, 3^2),

the last so weak that it matters only for an agent that won, or lost, all its battles. With :math:`L_c` the information
of the context's battles, a Laplacian, :math:`\tau_c = \tau \rho_c` and :math:`K_c = I + \tau_c^2 L_c`, the restricted
log-likelihood of :math:`\tau`, with strengths and deviations integrated out (Laplace's approximation), is up to a
constant

.. math::  \ell(\hat\eta) - \sum_c \frac{|\hat\delta_c|^2}{2 \tau_c^2} - \frac{|\hat\theta|^2}{2 \cdot 3^2} - \frac12 \sum_c \log |K_c| -
           \frac12 \log |S|, \qquad S = \sum_c L_c K_c^{-1} + I / 3^2 .

Nothing divides by :math:`\tau`, so a spread of zero needs no special case. A Newton step solves one system of agents
for every context and one for the whole: :math:`O(C n^3)`. A covariate is one more overall strength that never
deviates: :math:`\tau_c^2` is then a diagonal matrix with zeros for covariates, and :math:`K_c` is not symmetric.
"""

from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np
from scipy.special import expit

from beatpath._arrays import Floats, Ints
from beatpath.fit.laplacian import incident, laplacian_of_table
from beatpath.fit.newton import Local, newton

PRIOR = 3.0  # standard deviation of strengths, in log odds: a weak prior
FLAT, MOST = 1e-6, 100  # gradient over curvature at which Newton's method stops, and most steps


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Battles by context and pair: number won and played, in units of independent battles.

    Parameters
    ----------
    n_agents, n_contexts : int
        Numbers of agents and contexts.
    context, a, b : (m,) int
        Context and pair of each cell.
    won, played : (m,) float
        Battles won by *a*, and played.
    x : (m, p) float, optional
        Covariates, positive where they favor *a*.
    """

    n_agents: int
    n_contexts: int
    context: Ints
    a: Ints
    b: Ints
    won: Floats
    played: Floats
    x: Floats = field(default_factory=lambda: np.zeros((0, 0)))

    @property
    def n_shifts(self) -> int:
        """Number of covariates."""
        return self.x.shape[1]

    def leads(self, eta: Floats) -> Floats:
        """Return the log odds of *a* in every cell."""
        n = self.n_agents
        lead = eta[self.context, self.a] - eta[self.context, self.b]
        return np.asarray(lead + self.x @ eta[0, n:] if self.n_shifts else lead)

    def log_likelihood(self, eta: Floats) -> float:
        """Return the log-likelihood of strengths."""
        x = self.leads(eta)
        return float(self.won @ x - self.played @ np.logaddexp(0, x))

    def score_and_information(self, eta: Floats) -> tuple[Floats, Floats]:
        """Return the gradient of the log-likelihood by context, and its information."""
        C, size, n = *eta.shape, self.n_agents
        m = expit(self.leads(eta))
        left, weight = self.won - self.played * m, self.played * m * (1 - m)

        def by_agent(value: Floats) -> Floats:
            a, b = (self.context * n + side for side in (self.a, self.b))
            return incident(C * n, a, b, value, -value).reshape(C, n)

        score = np.zeros((C, size))
        score[:, :n] = by_agent(left)
        at_pair = (self.context * size + self.a) * size + self.b
        table = np.bincount(at_pair, weight, C * size * size).astype(np.float64, copy=False)
        L = laplacian_of_table(table.reshape(C, size, size))
        for j in range(self.n_shifts):
            score[:, n + j] = np.bincount(self.context, left * self.x[:, j], C)
            L[:, :n, n + j] = L[:, n + j, :n] = by_agent(weight * self.x[:, j])
            for k in range(self.n_shifts):
                L[:, n + j, n + k] = np.bincount(self.context, weight * self.x[:, j] * self.x[:, k], C)
        return score, L

    def only(self, context: int) -> "Cells":
        """Return the battles of one context."""
        at = np.flatnonzero(self.context == context)
        own = {name: getattr(self, name)[at] for name in ("a", "b", "won", "played")}
        return replace(self, n_contexts=1, context=0 * at, x=self.x[at] if self.n_shifts else self.x, **own)


@dataclass(frozen=True, slots=True, eq=False)
class Means:
    """Mean scores by context as a Gaussian likelihood of strengths: its information, and information times means."""

    information: Floats
    pull: Floats
    n_shifts: int = 0  # scores have no covariates

    @property
    def n_agents(self) -> int:
        """Number of agents."""
        return self.pull.shape[1]

    @property
    def n_contexts(self) -> int:
        """Number of contexts."""
        return len(self.pull)

    def log_likelihood(self, eta: Floats) -> float:
        """Return the log-likelihood of strengths up to a constant."""
        return float((self.pull * eta).sum() - np.einsum("ci,cij,cj->", eta, self.information, eta) / 2)

    def score_and_information(self, eta: Floats) -> tuple[Floats, Floats]:
        """Return the gradient of the log-likelihood by context, and its information."""
        return self.pull - np.einsum("cij,cj->ci", self.information, eta), self.information

    def only(self, context: int) -> "Means":
        """Return the scores of one context."""
        return Means(self.information[[context]], self.pull[[context]])


# A likelihood of strengths by context, (C, n + p); the last columns are the effects of covariates.
Seen: TypeAlias = Cells | Means


@dataclass(frozen=True, slots=True, eq=False)
class Deviations:
    """The posterior mode of strengths for one spread.

    Parameters
    ----------
    spread : float
        Standard deviation of the deviations.
    variance : (C, n + p) float
        Variances of the deviations; covariates do not deviate.
    strength : (n + p,) float
        Overall strengths, and effects of covariates.
    eta : (C, n + p) float
        Strengths by context.
    information : (C, n + p, n + p) float
        Information matrix of each context.
    likelihood : float
        Restricted log-likelihood of the spread.
    n_agents : int
        Number of agents.
    """

    spread: float
    variance: Floats
    strength: Floats
    eta: Floats
    information: Floats
    likelihood: float
    n_agents: int

    def covariance(self) -> Floats:
        r"""Return the covariance of all strengths by context, (C (n + p), C (n + p)).

        :math:`\operatorname{cov}(\eta_c, \eta_d) = [c = d]\, K_c^{-1} \tau_c^2 + K_c^{-1} S^{-1} K_d^{-\top}`.
        """
        C, n = self.eta.shape
        inverse = np.linalg.inv(_shrinkage(self.information, self.variance))
        S = (self.information @ inverse).sum(axis=0) + np.eye(n) / PRIOR**2
        stacked = inverse.reshape(C * n, n)
        full = stacked @ np.linalg.solve((S + S.T) / 2, stacked.T)
        for c in range(C):
            at = slice(c * n, (c + 1) * n)
            full[at, at] += inverse[c] * self.variance[c]
        return np.asarray((full + full.T) / 2)


def deviations(
    observed: Seen, spread: float, relative: Floats | None = None, start: Deviations | None = None
) -> Deviations:
    """Return the posterior mode of strengths by context for a given spread, by Newton's method.

    Ada won 8 of 10 in one context and 2 of 10 in the other. Without deviations she equals bob; the larger the spread,
    the closer her lead comes to the log odds of each context, 1.39; a lead x solves 8 - 10 p(x) = x / (2 spread^2).

    >>> cells = Cells(2, 2, *(np.array(x) for x in ([0, 1], [0, 0], [1, 1], [8.0, 2.0], [10.0, 10.0])))
    >>> [(deviations(cells, s).eta @ [1, -1]).round(2).tolist() for s in (0.0, 0.5, 10.0)]
    [[0.0, 0.0], [0.68, -0.68], [1.38, -1.38]]
    """
    rho = np.ones(observed.n_contexts) if relative is None else relative
    size = observed.n_agents + observed.n_shifts
    wide = np.repeat(((spread * rho) ** 2)[:, None], size, axis=1)
    wide[:, observed.n_agents :] = 0.0
    begin = np.zeros((1 + observed.n_contexts, size))
    if start is not None:
        begin[0] = start.strength
        delta = (start.eta - start.strength) * (min(1.0, spread / start.spread) if start.spread > 0 else 0.0)
        begin[1:] = np.divide(delta, np.sqrt(wide), out=np.zeros_like(delta), where=wide > 0)
    ended = newton(
        lambda x: _expand(observed, x.reshape(begin.shape), np.sqrt(wide)), begin.ravel(), max_iter=MOST, flat=FLAT
    )
    theta, unit = ended.x[:size], ended.x[size:].reshape(wide.shape)
    eta = theta + np.sqrt(wide) * unit
    _, L = observed.score_and_information(eta)
    K = _shrinkage(L, wide)
    S = (L @ np.linalg.inv(K)).sum(axis=0) + np.eye(size) / PRIOR**2
    halves = np.linalg.slogdet(K)[1].sum() + np.linalg.slogdet((S + S.T) / 2)[1]
    return Deviations(spread, wide, theta, eta, L, float(ended.value - halves / 2), observed.n_agents)


def _expand(observed: Seen, x: Floats, scale: Floats) -> Local:
    """Expand the log posterior around strengths and scaled deviations, stacked."""
    theta, unit = x[0], x[1:]
    score, L = observed.score_and_information(theta + scale * unit)
    value = observed.log_likelihood(theta + scale * unit) - float((unit**2).sum() + theta @ theta / PRIOR**2) / 2
    slope, pull = score.sum(axis=0) - theta / PRIOR**2, scale * score - unit
    own = np.eye(len(theta))
    K, across = own + scale[:, :, None] * L * scale[:, None, :], L * scale[:, None, :]
    A = L.sum(axis=0) + own / PRIOR**2
    curvature = np.vstack([np.diag(A), K.diagonal(axis1=1, axis2=2)]).ravel()

    def step(accuracy: float) -> Floats:
        both = np.linalg.solve(K, np.concatenate([across.transpose(0, 2, 1), pull[:, :, None]], axis=2))
        S = A - (across @ both[:, :, :-1]).sum(axis=0)
        whole = np.linalg.solve((S + S.T) / 2, slope - np.einsum("cij,cj->i", across, both[:, :, -1]))
        return np.vstack([whole, both[:, :, -1] - both[:, :, :-1] @ whole]).ravel()

    return Local(value, np.vstack([slope, pull]).ravel(), curvature, 4 * curvature, step)


def _shrinkage(L: Floats, wide: Floats) -> Floats:
    return np.asarray(np.eye(L.shape[-1]) + wide[:, :, None] * L)
