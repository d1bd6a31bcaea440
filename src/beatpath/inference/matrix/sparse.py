r"""Sparse implementation of `estimate` for tens of thousands of agents: no n x n matrix is built.

Differences from `estimate`:

* Strengths and inverse informations come from preconditioned conjugate gradients on the sparse Laplacian.
* Leverages come from random signs *z* (Spielman, Srivastava 2011): :math:`h_p = w g\, \overline{x_p^2}`, the mean over
  64 (below 10,000 agents 256) vectors :math:`x = D C D^\top \operatorname{diag}(w g)^{1/2} z`, each accurate to about
  18 %, at most 1. They are computed twice, after strengths have converged with the local approximation
  :math:`w g (1 / \ell_a + 1 / \ell_b)`, which alone misses bridges between groups of agents, whose strengths then
  diverge (standard errors down to a fifth, measured).
* Scores need :math:`f(x) = \sum_b c_b\, \sigma(x - \theta_b)` at all strengths. It is computed on a grid of spacing
  0.04 with its slope, and interpolated by cubics. As :math:`|\sigma''''| \le 1/8`, the error of a mean at spacing *d*
  is at most :math:`d^4 / 384 / 8`, here :math:`8 \cdot 10^{-10}` (for :math:`g`, whose fourth derivative is at most
  1/4 in absolute value, twice that).
* Standard errors of scores come from *B* random draws (relative error :math:`1 / \sqrt{2B}`), plus exact terms where no
  draws are needed.
"""

from functools import cached_property

import numpy as np
from scipy.special import expit

from beatpath._arrays import Floats, Ints
from beatpath._progress import doing, partly
from beatpath.fit.laplacian import Laplacian, Solver, incidence, incident
from beatpath.inference.matrix.estimate import PairEstimate, Stage, components, local_leverages, pair_estimate
from beatpath.inference.matrix.rates import Rates

SPACING = 0.04  # of the interpolation grid, in log odds; its error is derived above
# coarser tolerances than the dense implementation, as random-sign leverages allow no better
ROUNDS, TOL, FLAT = 30, 1e-4, 1e-7
MOST_STEPS = 3000  # of conjugate gradients: a minute for a hundred thousand agents
# agents from which fewer random signs are used; 64 and 256 give leverages to 18 % and 9 %
MANY_AGENTS, FEW_PROBES, PROBES = 10_000, 64, 256
CELLS = 1 << 24  # numbers in a block of pairs by draws: 128 MB
FEWEST = 20  # draws below which an interrupted run has no answer


# Sums over everybody


def kernel_sums(theta: Floats, c: Floats, *, slope: bool = False) -> Floats:
    r"""Return :math:`\sum_b c_b \sigma(\theta_a - \theta_b)` for every *a*, or with :math:`g = \sigma (1 - \sigma)`.

    *c* is (n,) or (n, k).

    >>> theta = np.linspace(-3, 3, 50)
    >>> direct = expit(theta[:, None] - theta[None, :]).sum(axis=1)
    >>> bool(np.abs(kernel_sums(theta, np.ones(50)) - direct).max() < 50 * 1e-9)
    True
    """
    from scipy.interpolate import CubicHermiteSpline  # takes a tenth of a second to load

    low, high = theta.min(), theta.max()
    points = max(int(np.ceil((high - low) / SPACING)), 1) + 1
    grid = np.linspace(low, high, points) if high > low else np.array([low, low + SPACING])
    value, change = np.empty((2, len(grid), *c.shape[1:]))
    step = max((1 << 22) // len(theta), 1)
    for start in range(0, len(grid), step):
        m = expit(grid[start : start + step, None] - theta[None, :])
        g = m * (1 - m)
        first, second = (g, g * (1 - 2 * m)) if slope else (m, g)
        value[start : start + step], change[start : start + step] = first @ c, second @ c
    return np.asarray(CubicHermiteSpline(grid, value, change)(theta))


def leverages(L: Laplacian, rng: np.random.Generator, *, probes: int = 64, block: int = 16) -> Floats:
    """Estimate the leverages of all pairs, at least 0.9 times the local approximation and at most 1."""
    D, solve = incidence(L.n_agents, L.a, L.b), L.iterative_solver()
    root, total = np.sqrt(L.weight), np.zeros(len(L.a))
    for start in range(0, probes, block):
        z = rng.choice([-1.0, 1.0], (len(L.a), min(block, probes - start)))
        total += ((D @ solve(D.T @ (root[:, None] * z), 1e-3)) ** 2).sum(axis=1)
    local = local_leverages(L.n_agents, L.a, L.b, L.weight)
    return np.where(local >= 1, 1.0, np.clip(L.weight * total / probes, 0.9 * local, 1.0))


# The estimate


class SparseMatrixEstimate(PairEstimate):
    """Scores of all agents with standard errors, without n x n matrices."""

    @cached_property
    def _solve(self) -> Solver:
        """Solver for the information matrix of the strengths."""
        return graph(self.rates, self.part, self.w * self.g).iterative_solver()

    def _by_part(self, c: Floats, *, slope: bool) -> Floats:
        """Return `kernel_sums` within every component, including the agent itself."""
        out = np.zeros(c.shape)
        order = np.argsort(self.part, kind="stable")
        for some in np.split(order, np.cumsum(np.bincount(self.part))[:-1]):
            if len(some) > 1:
                out[some] = kernel_sums(self.theta[some], c[some], slope=slope)
        return out

    def _at_agents(self, of_a: Floats, of_b: Floats) -> Floats:
        return incident(self.rates.n, self.rates.a, self.rates.b, of_a, of_b)

    @cached_property
    def score(self) -> Floats:
        """Mean win rate against all other agents of the component; NaN for an agent alone."""
        own = self.k * (self.rates.rate - self.m)
        total = self._by_part(np.ones(self.rates.n), slope=False) - 0.5 + self._at_agents(own, -own)
        return np.divide(total, self.opponents, out=np.full(len(total), np.nan), where=self.opponents > 0)

    @cached_property
    def slope_sums(self) -> Floats:
        r""":math:`\sum_{b \ne a} g_{ab}` over the component."""
        return self._by_part(np.ones(self.rates.n), slope=True) - 0.25

    @cached_property
    def unmet_variance(self) -> Floats:
        """Variance of every score from deviations of pairs never compared directly (the larger of two sums)."""
        count = self.opponents - self._at_agents(np.ones_like(self.k), np.ones_like(self.k))
        s = 4 * (self.slope_sums - self._at_agents(self.g, self.g))
        total = np.max([t * s + c * count for t, c in self.unmet_bounds], axis=0)
        return np.maximum(total, 0.0) / np.maximum(self.opponents, 1) ** 2

    def stderr_by_draws(self, rng: np.random.Generator, n_draws: int = 200) -> tuple[Floats, int]:
        r"""Return cautious standard errors of all scores, to about :math:`1 / \sqrt{2 B}`, and the number of draws.

        With Gaussian errors, a score minus its true value over this standard error follows Student's distribution with
        as many degrees of freedom as draws. An interrupt ends the draws where a partial answer is accepted.
        """
        R, total, done = self.rates, np.zeros(self.rates.n), 0
        block = max(min(20, CELLS // max(len(R.a), 1)), 1)
        while done < n_draws:
            doing("drawing the errors of all scores", done / n_draws)
            size = min(block, n_draws - done)
            try:
                total += self._squares(rng, size)
            except KeyboardInterrupt:
                if not partly() or done < FEWEST:
                    raise
                break
            done += size
        return np.sqrt(total / done + self.unmet_variance), done

    def _squares(self, rng: np.random.Generator, size: int) -> Floats:
        """Sum squared errors of all scores over `size` draws."""
        R, each = self.rates, 1 / np.maximum(self.opponents, 1)
        D, noise = R.incidence, self.noise(rng, size)
        d = np.sqrt(self.deviation)[:, None] * rng.standard_normal((len(self.k), size))
        moved = self._solve(D.T @ (self.w[:, None] * (noise + d)), 1e-4)
        own = self.k[:, None] * noise - (1 - self.k)[:, None] * d
        own -= (self.k * self.g)[:, None] * (D @ moved)
        error = self.slope_sums[:, None] * moved + 0.25 * moved - self._by_part(moved, slope=True) + D.T @ own
        return np.asarray(((each[:, None] * error) ** 2).sum(axis=1))


def estimate_sparse(rates: Rates) -> SparseMatrixEstimate:
    """Estimate all scores where agents are too many for dense matrices; otherwise as `estimate`."""
    part, probes = components(rates), FEW_PROBES if rates.n > MANY_AGENTS else PROBES

    def two_agents(weight: Floats) -> Floats:
        return local_leverages(rates.n, rates.a, rates.b, weight)

    def probed(weight: Floats) -> Floats:
        return leverages(graph(rates, part, weight), np.random.default_rng(0), probes=probes)

    stages = [Stage(update=two_agents), Stage(begin=probed), Stage(begin=probed)]
    fit = pair_estimate(rates, part, stages, rounds=ROUNDS, tol=TOL, flat=FLAT, most_steps=MOST_STEPS)
    return SparseMatrixEstimate(**vars(fit))


def graph(rates: Rates, part: Ints, weight: Floats) -> Laplacian:
    """Return the weighted graph of pairs; raise for chains too long to converge in time."""
    return Laplacian(rates.n, rates.a, rates.b, weight, part=part, most_steps=MOST_STEPS)
