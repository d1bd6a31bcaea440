r"""The same estimate for tens of thousands of agents: nothing of size n x n is ever made.

What changes from `estimate`:

* Strengths and inverse informations come from preconditioned conjugate gradients on the sparse PairLaplacian.
* Leverages come from random signs *z* (Spielman, Srivastava 2011): :math:`h_p = w g\, \overline{x_p^2}`, the mean over
  64 (below 10,000 agents 256) vectors :math:`x = D C D^\top \operatorname{diag}(w g)^{1/2} z`, each within about 18 % of itself, 1 at most; they are
  taken twice, once strengths have settled with what a pair's two agents tell, :math:`w g (1 / \ell_a + 1 / \ell_b)`.
  These alone miss bridges between groups of agents, whose strengths then run off (errors down to a fifth, measured).
* Scores need :math:`f(x) = \sum_b c_b\, \sigma(x - \theta_b)` at all strengths. It is worked out on a grid of spacing *d* with
  its slope, and interpolated by cubics; as :math:`|\sigma''''| \le 1/8`, the error of a mean is at most
  :math:`d^4 / 384 / 8`, :math:`8 \cdot 10^{-10}` at the spacing of 0.04 that is used (of :math:`g`, whose fourth derivative
  is at most 1/4 in size, twice that).
* Errors of scores: exact for the agents asked for, one solve each; for all agents from draws (a relative error of
  :math:`1 / \sqrt{2B}`), whatever no draw is needed for added exactly.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from beatpath._arrays import Floats, Ints
from beatpath._errors import DataError
from beatpath._progress import doing, partly
from beatpath.inference.matrix.dispersion import (
    TAU0,
    Dispersion,
    by_number,
    likelihood,
    limits,
    noise_around_pair,
    showing,
    steadied,
    top,
)
from beatpath.inference.matrix.estimate import brought_to, local_leverages, own_share, shape_of
from beatpath.inference.matrix.rates import Rates
from beatpath.inference.matrix.strengths import centred, slopes

SPACING = 0.04
ROUNDS, TOL = 30, 1e-4
CELLS = 1 << 24  # of a table of pairs by draws
FEWEST = 20  # draws that are worth an answer


# Sums over everybody


def kernel_sums(theta: Floats, c: Floats, *, slope: bool = False) -> Floats:
    r"""Return :math:`\sum_b c_b \sigma(\theta_a - \theta_b)` of every *a*, or of :math:`g = \sigma (1 - \sigma)`; *c* (n,) or (n, k).

    >>> theta = np.linspace(-3, 3, 50)
    >>> direct = expit(theta[:, None] - theta[None, :]).sum(axis=1)
    >>> bool(np.abs(kernel_sums(theta, np.ones(50)) - direct).max() < 50 * 1e-9)
    True
    """
    c = c[:, None] if c.ndim == 1 else c
    low, high = theta.min(), theta.max()
    points = max(int(np.ceil((high - low) / SPACING)), 1) + 1
    grid = np.linspace(low, high, points) if high > low else np.array([low, low + SPACING])
    value, change = np.empty((len(grid), c.shape[1])), np.empty((len(grid), c.shape[1]))
    step = max((1 << 22) // len(theta), 1)
    for start in range(0, len(grid), step):
        m = expit(grid[start : start + step, None] - theta[None, :])
        g = m * (1 - m)
        first, second = (g, g * (1 - 2 * m)) if slope else (m, g)
        value[start : start + step], change[start : start + step] = first @ c, second @ c
    return (
        _hermite(grid, value, change, theta).squeeze(axis=1)
        if c.shape[1] == 1
        else _hermite(grid, value, change, theta)
    )


def _hermite(grid: Floats, value: Floats, change: Floats, x: Floats) -> Floats:
    """Cubic through values and slopes."""
    d = grid[1] - grid[0]
    i = np.clip(((x - grid[0]) / d).astype(np.int64), 0, len(grid) - 2)
    t = ((x - grid[i]) / d)[:, None]
    s = 1 - t
    return (
        s**2 * (1 + 2 * t) * value[i]
        + t**2 * (1 + 2 * s) * value[i + 1]
        + d * s * t * (s * change[i] - t * change[i + 1])
    )


# Laplacians


@dataclass(frozen=True, eq=False)
class PairLaplacian:
    """:math:`D^T diag(weight) D` of pairs, and solves with it inside connected parts."""

    n: int
    a: Ints
    b: Ints
    weight: Floats
    part: Ints

    @cached_property
    def matrix(self) -> csr_array:
        """The matrix, sparse."""
        a, b, w = self.a, self.b, self.weight
        rows, columns = np.concatenate([a, b, a, b]), np.concatenate([b, a, a, b])
        return csr_array((np.concatenate([-w, -w, w, w]), (rows, columns)), shape=(self.n, self.n))

    @cached_property
    def _means(self) -> tuple[csr_array, Floats]:
        size = np.bincount(self.part).astype(float)
        return csr_array((np.ones(self.n), (self.part, np.arange(self.n)))), size

    def centred(self, X: Floats) -> Floats:
        """Less the mean over every part."""
        ones, size = self._means
        return X - ((ones @ X) / size[:, None])[self.part]

    def solve(self, Y: Floats, *, tol: float = 1e-8, most: int = 3000) -> Floats:
        """Return :math:`L^+ Y` for (n, k), by conjugate gradients with the diagonal as preconditioner.

        Raises
        ------
        DataError
            Where more than `most` agents need more than `most` steps: a step carries what is known one battle further, so
            that long chains of agents who each met few others need about as many as there are agents.
        """
        L, scale = self.matrix, 1 / np.maximum(self.matrix.diagonal(), 1e-300)[:, None]
        X, R = np.zeros_like(Y), self.centred(Y)
        Z = scale * R
        P, rz = Z.copy(), (R * Z).sum(axis=0)
        stop = tol**2 * np.maximum(rz, 1e-300)
        for _ in range(most):
            LP = L @ P
            step = np.divide(rz, (P * LP).sum(axis=0), out=np.zeros_like(rz), where=rz > stop)
            X += step * P
            R -= step * LP
            Z = scale * R
            after = (R * Z).sum(axis=0)
            if (after <= stop).all():
                break
            P = Z + np.divide(after, rz, out=np.zeros_like(rz), where=rz > stop) * P
            rz = after
        else:
            if self.n > most:
                raise DataError(
                    f"the strengths of {self.n:,} agents do not settle within {most:,} steps: long chains of battles are all "
                    "that connects some of them. Keep agents with more battles (`min_agent_battles`), or choose some with "
                    "`only`; `rank` by copeland or elo needs no steps."
                )
        return self.centred(X)


def fit_sparse(part: Ints, a: Ints, b: Ints, rate: Floats, w: Floats, h: Floats, theta: Floats) -> Floats:
    """Return strengths as `fit_scale` does, by Newton's method with conjugate gradients inside."""
    n, target, total = len(part), w * rate + h / 2, w + h

    def loss(theta: Floats) -> float:
        x = theta[a] - theta[b]
        return float(total @ np.logaddexp(0, x) - target @ x)

    value = loss(theta)
    for _ in range(60):
        m, g = slopes(theta, a, b)
        score = target - total * m
        y = (np.bincount(a, score, n) - np.bincount(b, score, n)).astype(np.float64)
        step = PairLaplacian(n, a, b, total * g, part).solve(y[:, None], tol=1e-4)[:, 0]
        size = float(np.abs(step).max(initial=0.0))
        step *= min(1.0, 4.0 / max(size, 1e-300))
        for _ in range(30):
            after = loss(theta + step)
            if after <= value + 1e-12 * abs(value):
                break
            step /= 2
        theta, value = theta + step, after
        if size < 1e-7:
            break
    return centred(theta, part)


def leverages(L: PairLaplacian, rng: np.random.Generator, *, probes: int = 64, block: int = 16) -> Floats:
    """Return the leverages of all pairs, at least what their two agents tell of them (less a tenth) and at most 1."""
    D = csr_array(
        (np.tile([1.0, -1.0], len(L.a)), np.stack([L.a, L.b], axis=1).ravel(), 2 * np.arange(len(L.a) + 1)),
        shape=(len(L.a), L.n),
    )
    root, total = np.sqrt(L.weight), np.zeros(len(L.a))
    for start in range(0, probes, block):
        z = rng.choice([-1.0, 1.0], (len(L.a), min(block, probes - start)))
        total += ((D @ L.solve(D.T @ (root[:, None] * z), tol=1e-3)) ** 2).sum(axis=1)
    local = local_leverages(L.n, L.a, L.b, L.weight)
    return np.where(local >= 1, 1.0, np.clip(L.weight * total / probes, 0.9 * local, 1.0))


# The estimate


@dataclass(frozen=True, eq=False)
class SparseMatrixEstimate:
    """As `MatrixEstimate`, without matrices of all pairs; always cautious."""

    rates: Rates
    part: Ints
    theta: Floats
    m: Floats
    g: Floats
    s: Floats
    v: Floats
    w: Floats
    k: Floats
    h: Floats
    found: Dispersion
    local: Floats
    shape: str

    @property
    def phi(self) -> float:
        """How many times the told noise there is."""
        return self.found.phi

    @cached_property
    def deviation(self) -> Floats:
        """:math:`T_m`."""
        return np.maximum(self.found.tau2_hi * self.s + (self.phi - 1) * self.v, self.local * self.s)

    @cached_property
    def _unmet(self) -> tuple[tuple[float, float], tuple[float, float]]:
        r"""Two pairs of numbers *t*, *c*: :math:`T_u` is the larger :math:`t s + c`."""
        N, units = self.rates.weight, self.rates.effective
        rare = float(np.median(self.v[N <= np.quantile(N, 0.2)]))
        return (self.found.tau2_hi, (self.phi - 1) * rare), (float(self.local[np.argmin(units)]), 0.0)

    @cached_property
    def _scaling(self) -> tuple[Floats, Floats]:
        return brought_to(self.v, self.rates.variance)

    @cached_property
    def laplacian(self) -> PairLaplacian:
        """Information of the strengths."""
        return PairLaplacian(self.rates.n, self.rates.a, self.rates.b, self.w * self.g, self.part)

    @cached_property
    def opponents(self) -> Floats:
        """How many other agents the part of every agent has."""
        return (np.bincount(self.part)[self.part] - 1).astype(np.float64)

    def _by_part(self, c: Floats, *, slope: bool) -> Floats:
        """`kernel_sums` inside every part, oneself included."""
        out = np.zeros(c.shape)
        order = np.argsort(self.part, kind="stable")
        ends = np.cumsum(np.bincount(self.part))
        for start, end in zip(np.append(0, ends[:-1]), ends, strict=True):
            if end - start > 1:
                some = order[start:end]
                out[some] = kernel_sums(self.theta[some], c[some], slope=slope)
        return out

    def _at_agents(self, of_a: Floats, of_b: Floats) -> Floats:
        n = self.rates.n
        return (np.bincount(self.rates.a, of_a, n) + np.bincount(self.rates.b, of_b, n)).astype(np.float64)

    @cached_property
    def score(self) -> Floats:
        """Mean win rate against all other agents of the part; NaN for an agent alone."""
        own = self.k * (self.rates.rate - self.m)
        total = self._by_part(np.ones(self.rates.n), slope=False) - 0.5 + self._at_agents(own, -own)
        return np.divide(total, self.opponents, out=np.full(len(total), np.nan), where=self.opponents > 0)

    @cached_property
    def slope_sums(self) -> Floats:
        r""":math:`\sum_{b \ne a} g_{ab}` over the part."""
        return self._by_part(np.ones(self.rates.n), slope=True) - 0.25

    @cached_property
    def unmet_variance(self) -> Floats:
        """What deviations of pairs that never met add to the variance of every score (the larger of two sums, not of terms)."""
        count = self.opponents - self._at_agents(np.ones_like(self.k), np.ones_like(self.k))
        s = 4 * (self.slope_sums - self._at_agents(self.g, self.g)) if self.shape == "beta" else count
        total = np.max([t * s + c * count for t, c in self._unmet], axis=0)
        return np.maximum(total, 0.0) / np.maximum(self.opponents, 1) ** 2

    def influence(self, agents: Ints) -> Floats:
        """*A* of the scores of some agents, (p, k) dense."""
        R, k = self.rates, len(agents)
        each = 1 / np.maximum(self.opponents[agents], 1)
        slope = slopes(self.theta, np.arange(R.n)[:, None], agents[None, :])[1] * (
            self.part[:, None] == self.part[agents][None, :]
        )
        column = np.full(R.n, -1)
        column[agents] = np.arange(k)
        for one, other in ((R.a, R.b), (R.b, R.a)):
            at = np.flatnonzero(column[one] >= 0)
            slope[other[at], column[one[at]]] *= 1 - self.k[at]
        slope[agents, np.arange(k)] = 0.0
        B = -slope
        B[agents, np.arange(k)] = slope.sum(axis=0)
        moved = self.laplacian.solve(B * each)
        A = self.w[:, None] * (moved[R.a] - moved[R.b])
        for one, sign in ((R.a, 1.0), (R.b, -1.0)):
            at = np.flatnonzero(column[one] >= 0)
            A[at, column[one[at]]] += sign * self.k[at] * each[column[one[at]]]
        return A

    def covariance(self, agents: Ints) -> Floats:
        """Cautious covariance of the scores of some agents, (k, k): one solve each; NaN across parts."""
        agents = np.asarray(agents, dtype=np.int64)
        R, A, k = self.rates, self.influence(agents), len(agents)
        scale, extra = self._scaling
        scaled = scale[:, None] * A
        noise = scaled.T @ (R.own[:, None] * scaled) + A.T @ (extra[:, None] * A)
        for factor in R.factors:
            moved = factor.influence @ scaled
            noise += factor.sign * (moved.T @ moved)
        each, column = 1 / np.maximum(self.opponents[agents], 1), np.full(R.n, -1)
        column[agents] = np.arange(k)
        for one, sign in ((R.a, 1.0), (R.b, -1.0)):  # A - Lambda
            at = np.flatnonzero(column[one] >= 0)
            A[at, column[one[at]]] -= sign * each[column[one[at]]]
        total = self.phi * noise + A.T @ (self.deviation[:, None] * A)
        s = shape_of(slopes(self.theta, agents[:, None], agents[None, :])[1], self.shape)
        T = np.max([t * s + c for t, c in self._unmet], axis=0)
        both = (column[R.a] >= 0) & (column[R.b] >= 0)
        T[column[R.a[both]], column[R.b[both]]] = T[column[R.b[both]], column[R.a[both]]] = 0.0
        total -= T * each[:, None] * each[None, :] * (1 - np.eye(k))
        total[np.arange(k), np.arange(k)] += self.unmet_variance[agents]
        total[self.part[agents][:, None] != self.part[agents][None, :]] = np.nan
        return total

    def stderr_by_draws(self, rng: np.random.Generator, n_draws: int = 200) -> tuple[Floats, int]:
        r"""Cautious standard errors of all scores, each within about :math:`1 / \sqrt{2 B}` of itself, and the draws made.

        With Gaussian errors of mean zero, a score less its true value over this error has Student's distribution with as many
        degrees of freedom as draws. An interrupt ends the draws where part of an answer is asked for.
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
        """Squared errors of all scores, added up over so many draws."""
        R, each = self.rates, 1 / np.maximum(self.opponents, 1)
        D, noise = R.incidence, self._noise(rng, size)
        d = np.sqrt(self.deviation)[:, None] * rng.standard_normal((len(self.k), size))
        moved = self.laplacian.solve(D.T @ (self.w[:, None] * (noise + d)), tol=1e-4)
        own = self.k[:, None] * noise - (1 - self.k)[:, None] * d
        own -= (self.k * self.g)[:, None] * (D @ moved)
        error = self.slope_sums[:, None] * moved + 0.25 * moved - self._by_part(moved, slope=True) + D.T @ own
        return np.asarray(((each[:, None] * error) ** 2).sum(axis=1))

    def _noise(self, rng: np.random.Generator, size: int) -> Floats:
        R, (scale, extra) = self.rates, self._scaling
        total = np.sqrt(R.own)[:, None] * rng.standard_normal((len(R.own), size))
        for one in R.factors:
            if one.sign > 0:
                total += one.influence.T @ rng.standard_normal((one.influence.shape[0], size))
        return np.sqrt(self.phi) * (scale[:, None] * total + np.sqrt(extra)[:, None] * rng.standard_normal(total.shape))


def estimate_sparse(
    rates: Rates, *, shape: str = "beta", free_phi: bool | None = None, tau0: float = TAU0
) -> SparseMatrixEstimate:
    """MatrixEstimate all scores where agents are too many for matrices of them."""
    a, b, n, N, r = rates.a, rates.b, rates.n, rates.weight, rates.rate
    free = not rates.clustered if free_phi is None else free_phi
    part = connected_components(csr_array((np.ones(len(a)), (a, b)), shape=(n, n)), directed=False)[1].astype(np.int64)
    units = np.maximum(rates.effective, 1.0)
    raw = rates.variance if rates.raw is None else rates.raw
    phi, tau2, theta = 1.0, 0.0, np.zeros(n)
    g, h, w = np.full(len(a), 0.25), local_leverages(n, a, b, N), N
    for step, probed in enumerate((False, True, True)):
        doing(f"estimating the strengths of {n:,} agents", step / 3)
        if probed:
            h = leverages(
                PairLaplacian(n, a, b, w * g, part), np.random.default_rng(0), probes=64 if n > 10_000 else 256
            )
        for _ in range(ROUNDS):
            w = g / (phi * steadied(N, r, raw, units, g) + tau2 * shape_of(g, shape) * showing(units))
            theta = fit_sparse(part, a, b, r, w, h, theta)
            m, g = slopes(theta, a, b)
            e, s, v = r - m, shape_of(g, shape), steadied(N, r, raw, units, g)
            w = g / (phi * v + tau2 * s * showing(units))
            h = h if probed else local_leverages(n, a, b, w * g)
            seen = likelihood(e, h, v, g, s, units, free_phi=free, tau0=tau0)
            before, (phi, tau2) = (phi, tau2), top(seen)
            if abs(phi - before[0]) + abs(np.sqrt(tau2) - np.sqrt(before[1])) < TOL:
                break
    found = Dispersion(phi, tau2, *limits(seen, phi, tau2))
    likely, local = by_number(e, h, v, g, s, units, phi, tau2)
    noise = noise_around_pair(found, v, s, phi * h * v / g, units)
    omega, k = own_share(phi, tau2, v, s, units, likely)
    return SparseMatrixEstimate(rates, part, theta, m, g, s, noise, g / omega, k, h, found, local, shape)
