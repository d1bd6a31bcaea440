r"""Bradley-Terry strengths :math:`\theta = X \beta + b` with :math:`b \sim N(0, \sigma^2 I)`, by penalised quasi-likelihood.

For a given :math:`\sigma` the mode of :math:`\ell(X\beta + b) - b^\top b / 2 \sigma^2` is found by Newton's method. With *L* the
information on strengths there, and :math:`S = L - L X (X^\top L X)^{-1} X^\top L` what is left of it besides :math:`\beta`, of
eigenvalues :math:`\lambda`, restricted maximum likelihood of the working model asks for

.. math::  \frac{b^\top b}{\sigma^4} = \sum_i \frac{\lambda_i}{1 + \sigma^2 \lambda_i},

the score of Harville (1977) as Breslow and Clayton (1993) use it; its root is the estimate.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import brentq

from beatpath._arrays import Floats
from beatpath.methods.numeric.laplacian import incident
from beatpath.methods.rating.bradley_terry.paired import Comparisons
from beatpath.methods.rating.bradley_terry.tie_models import logistic

SPREADS = np.geomspace(0.01, 30.0, 25)  # standard deviations, in log odds, between which the root is looked for
SETTLED = 1e-10
MOST_STEPS = 100


@dataclass(frozen=True, slots=True, eq=False)
class MixedFit:
    """The mode at one spread, and what it is worth.

    Attributes
    ----------
    beta, effect : (k,) and (n,) float
    spread, spread_error : float
        The standard deviation of the effects, and its standard error, NaN where it was given.
    information : (n, n) float
        On strengths, at the mode.
    covariance : (k + n, k + n) float
        Of errors in `beta` and `effect`, battles taken as independent; zero for effects of spread zero.
    log_likelihood : float
        Of the battles given strengths.
    settled : bool
        Whether Newton's method ended.
    """

    beta: Floats
    effect: Floats
    spread: float
    spread_error: float
    information: Floats
    covariance: Floats
    log_likelihood: float
    settled: bool

    def sandwich(self, scores: Floats) -> Floats:
        r"""Return the covariance where battles of a cluster hang together, from the scores of strengths by cluster.

        The meat is that of the clusters, :math:`\frac{C}{C - 1} \sum_c s_c s_c^\top`, in the place of the information, plus
        what the normal distribution of the effects says.
        """
        many = len(scores) / (len(scores) - 1.0)
        return self.covariance @ (many * (scores.T @ scores) + self._prior()) @ self.covariance

    def _prior(self) -> Floats:
        told = np.full(len(self.covariance), 0.0)
        if self.spread:
            told[len(self.beta) :] = 1.0 / self.spread**2
        return np.diag(told)


def fit_mixed(rows: Comparisons, X: Floats, spread: float | None = None) -> MixedFit:
    """Fit coefficients and effects, at the spread given or at the one that the battles support.

    Parameters
    ----------
    rows : Comparisons
        Wins and losses by pair.
    X : (n, k) float
        What is known of agents, every column told apart from the others by the pairs that met.
    spread : float, optional
        Standard deviation of the effects; zero for strengths that are what is known of agents and nothing else.

    Examples
    --------
    Without columns and with a spread without end the fit is that of maximum likelihood: log 3 apart.

    >>> one = Comparisons(2, np.array([0]), np.array([1]), np.array([[3.0, 1.0, 0.0]]), np.zeros((1, 0)))
    >>> bool(np.isclose(np.ptp(fit_mixed(one, np.zeros((2, 0)), 1e4).effect), np.log(3), atol=1e-6))
    True
    """
    if spread is not None:
        return _fitted(rows, X, spread, estimated=False)
    modes = [mixed_mode(rows, X, value) for value in SPREADS]
    excess = [_excess(rows, X, mode) for mode in modes]
    found = [0.0]
    for low, high, before, after in zip(SPREADS, SPREADS[1:], excess, excess[1:], strict=False):
        if before > 0 >= after:
            found.append(_root(lambda s: _excess(rows, X, mixed_mode(rows, X, s)), float(low), float(high)))
    if excess[-1] > 0:
        found.append(float(SPREADS[-1]))
    return _fitted(rows, X, max(found, key=lambda s: _likely(rows, X, s)), estimated=True)


@dataclass(frozen=True, slots=True, eq=False)
class Mode:
    """Coefficients and effects of the largest penalised likelihood at a spread, and whether they settled."""

    beta: Floats
    effect: Floats
    spread: float
    settled: bool

    def strength(self, X: Floats) -> Floats:
        """Return the strengths."""
        return X @ self.beta + self.effect


def mixed_mode(rows: Comparisons, X: Floats, spread: float) -> Mode:
    """Return the mode at a spread, by Newton's method, steps halved until the penalised likelihood grows.

    >>> one = Comparisons(2, np.array([0]), np.array([1]), np.array([[3.0, 1.0, 0.0]]), np.zeros((1, 0)))
    >>> mixed_mode(one, np.array([[0.5], [-0.5]]), 0.0).beta.round(4)
    array([1.0986])
    """
    n, k = X.shape
    T = np.hstack([X, np.eye(n)]) if spread else X
    penalty = np.append(np.zeros(k), np.full(n, spread**-2.0)) if spread else np.zeros(k)
    x, settled = np.zeros(T.shape[1]), T.shape[1] == 0
    value = _log_likelihood(rows, T @ x)
    for _ in range(MOST_STEPS):
        if settled:
            break
        slope = T.T @ score_of_strengths(rows, T @ x) - penalty * x
        step = _solved(T.T @ information_on_strengths(rows, T @ x) @ T + np.diag(penalty), slope)
        length = 1.0
        while True:
            moved = x + length * step
            new = _log_likelihood(rows, T @ moved) - float(penalty @ moved**2) / 2
            if new >= value - 1e-12 * abs(value) or length < 1e-6:
                break
            length /= 2
        x, value, settled = moved, new, float(np.abs(length * step).max()) < SETTLED
    return Mode(x[:k], x[k:] if spread else np.zeros(n), spread, settled)


def _solved(matrix: Floats, side: Floats) -> Floats:
    try:
        found: Floats = cho_solve(cho_factor(matrix), side)
        return found
    except np.linalg.LinAlgError:  # nothing is known any more of a coefficient that runs away
        return np.asarray(np.linalg.lstsq(matrix, side, rcond=None)[0], dtype=np.float64)


def _left(rows: Comparisons, X: Floats, mode: Mode) -> Floats:
    """Eigenvalues of the information on effects while the coefficients are free."""
    L = information_on_strengths(rows, mode.strength(X))
    if X.shape[1]:
        side = L @ X
        L = L - side @ _solved(X.T @ side, side.T)
    return np.maximum(np.linalg.eigvalsh((L + L.T) / 2), 0.0)


def _excess(rows: Comparisons, X: Floats, mode: Mode) -> float:
    """The score of the variance, twice: positive where the effects are larger than their spread says."""
    size = _left(rows, X, mode)
    return float(mode.effect @ mode.effect / mode.spread**4 - (size / (1 + mode.spread**2 * size)).sum())


def _likely(rows: Comparisons, X: Floats, spread: float) -> float:
    """Laplace's approximation to the restricted likelihood, by which one of several roots is chosen."""
    mode = mixed_mode(rows, X, spread)
    value = _log_likelihood(rows, mode.strength(X))
    if spread:
        value -= float(mode.effect @ mode.effect) / (2 * spread**2)
        value -= float(np.log1p(spread**2 * _left(rows, X, mode)).sum()) / 2
    return value


def _root(excess: Callable[[float], float], low: float, high: float) -> float:
    return float(np.exp(brentq(lambda t: excess(float(np.exp(t))), np.log(low), np.log(high), xtol=1e-13, rtol=1e-13)))


def _fitted(rows: Comparisons, X: Floats, spread: float, *, estimated: bool) -> MixedFit:
    n, k = X.shape
    mode = mixed_mode(rows, X, spread)
    L = information_on_strengths(rows, mode.strength(X))
    covariance = np.zeros((k + n, k + n))
    error = np.nan
    if spread:
        T = np.hstack([X, np.eye(n)])
        H = T.T @ L @ T + np.diag(np.append(np.zeros(k), np.full(n, spread**-2.0)))
        covariance = np.linalg.inv(H)
        size = _left(rows, X, mode)
        told = spread**4 * float(((size / (1 + spread**2 * size)) ** 2).sum()) / 2
        error = spread / (2 * np.sqrt(told)) if estimated and told > 0 else np.nan
    elif k:
        covariance[:k, :k] = np.linalg.inv(X.T @ L @ X)
    value = _log_likelihood(rows, mode.strength(X))
    return MixedFit(mode.beta, mode.effect, spread, error, L, covariance, value, mode.settled)


def score_of_strengths(rows: Comparisons, strength: Floats) -> Floats:
    """Return the wins of every agent over those that were to be expected.

    >>> one = Comparisons(2, np.array([0]), np.array([1]), np.array([[3.0, 1.0, 0.0]]), np.zeros((1, 0)))
    >>> score_of_strengths(one, np.zeros(2))
    array([ 1., -1.])
    """
    p, _ = logistic(strength[rows.a] - strength[rows.b])
    over = rows.counts[:, 0] - (rows.counts[:, 0] + rows.counts[:, 1]) * p
    return incident(rows.n_agents, rows.a, rows.b, over, -over)


def information_on_strengths(rows: Comparisons, strength: Floats) -> Floats:
    """Return the (n, n) information on strengths, zero along a shift of all.

    >>> one = Comparisons(2, np.array([0]), np.array([1]), np.array([[3.0, 1.0, 0.0]]), np.zeros((1, 0)))
    >>> information_on_strengths(one, np.zeros(2))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    p, _ = logistic(strength[rows.a] - strength[rows.b])
    w = (rows.counts[:, 0] + rows.counts[:, 1]) * p * (1 - p)
    found = np.zeros((rows.n_agents,) * 2)
    np.add.at(found, (rows.a, rows.b), -w)
    found += found.T
    np.fill_diagonal(found, -found.sum(axis=1))
    return found


def _log_likelihood(rows: Comparisons, strength: Floats) -> float:
    lead = strength[rows.a] - strength[rows.b]
    wins, losses = rows.counts[:, 0], rows.counts[:, 1]
    return float(-(wins * np.logaddexp(0.0, -lead) + losses * np.logaddexp(0.0, lead)).sum())
