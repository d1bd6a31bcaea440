r"""Bradley-Terry strengths :math:`\theta = X \beta + b` with :math:`b \sim N(0, \sigma^2 I)`, by penalised quasi-likelihood.

For a given :math:`\sigma` the mode of :math:`\ell(X\beta + b) - b^\top b / 2 \sigma^2` is found by Newton's method. With *L* the
information on strengths there, and :math:`S = L - L X (X^\top L X)^{-1} X^\top L` what is left of it besides :math:`\beta`, of
eigenvalues :math:`\lambda`, restricted maximum likelihood of the working model asks for

.. math::  \frac{b^\top b}{\sigma^4} = \sum_i \frac{\lambda_i}{1 + \sigma^2 \lambda_i},

the score of Harville (1977) as Breslow and Clayton (1993) use it; its root is the estimate.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.optimize import brentq

from beatpath._arrays import Floats
from beatpath.fit.laplacian import laplacian_matrix, solved
from beatpath.fit.pairs import Comparisons, Fit, fit_pairs, pairs_model
from beatpath.fit.ties import Prior

SPREADS = np.geomspace(0.01, 30.0, 25)  # standard deviations, in log odds, between which the root is looked for


@dataclass(frozen=True, slots=True, eq=False)
class MixedFit:
    """The mode at one spread, and what it is worth.

    Attributes
    ----------
    beta, effect : (k,) and (n,) float
    spread, spread_error : float
        The standard deviation of the effects, and its standard error, NaN where it was given.
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


@dataclass(frozen=True, eq=False)
class Mode:
    """Coefficients and effects of the largest penalized likelihood at a spread.

    Parameters
    ----------
    X : (n, k) float
        What is known of agents.
    spread : float
    fit : Fit
        Strengths are the effects, coefficients those of the differences of *X*.
    """

    X: Floats
    spread: float
    fit: Fit

    @property
    def beta(self) -> Floats:
        """The coefficients, (k,)."""
        return self.fit.coefficients

    @property
    def effect(self) -> Floats:
        """What is left of every strength, (n,)."""
        return self.fit.ended.x[: len(self.X)]

    @property
    def settled(self) -> bool:
        """Whether Newton's method ended."""
        return self.fit.ended.converged

    @cached_property
    def information(self) -> Floats:
        """On strengths, (n, n), the battles' alone."""
        rows = self.fit.rows
        weight = pairs_model(rows, prior=self.fit.prior).terms(self.fit.ended.x).lead_lead
        return laplacian_matrix(rows.n_agents, rows.a, rows.b, weight)

    @cached_property
    def left(self) -> Floats:
        """Eigenvalues of the information on effects while the coefficients are free."""
        L = self.information
        if self.X.shape[1]:
            side = L @ self.X
            L = L - side @ solved(self.X.T @ side, side.T)
        return np.maximum(np.linalg.eigvalsh((L + L.T) / 2), 0.0)

    @property
    def excess(self) -> float:
        """The score of the variance, twice: positive where the effects are larger than their spread says."""
        told = (self.left / (1 + self.spread**2 * self.left)).sum()
        return float(self.effect @ self.effect / self.spread**4 - told)

    @property
    def restricted_likelihood(self) -> float:
        """Laplace's approximation to it, by which one of several roots is chosen."""
        value = self.fit.log_likelihood
        if self.spread:
            value -= float(self.effect @ self.effect) / (2 * self.spread**2)
            value -= float(np.log1p(self.spread**2 * self.left).sum()) / 2
        return value


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

    >>> one = Comparisons(2, np.array([0]), np.array([1]), np.array([[3.0, 1.0, 0.0]]))
    >>> bool(np.isclose(np.ptp(fit_mixed(one, np.zeros((2, 0)), 1e4).effect), np.log(3), atol=1e-6))
    True
    """
    if spread is not None:
        return _fitted(mixed_mode(rows, X, spread), estimated=False)
    excess = [mixed_mode(rows, X, value).excess for value in SPREADS]
    found = [0.0]
    for low, high, before, after in zip(SPREADS, SPREADS[1:], excess, excess[1:], strict=False):
        if before > 0 >= after:
            found.append(_root(lambda s: mixed_mode(rows, X, s).excess, float(low), float(high)))
    if excess[-1] > 0:
        found.append(float(SPREADS[-1]))
    modes = [mixed_mode(rows, X, value) for value in found]
    return _fitted(max(modes, key=lambda mode: mode.restricted_likelihood), estimated=True)


def mixed_mode(rows: Comparisons, X: Floats, spread: float) -> Mode:
    """Return the mode at a spread, by Newton's method.

    >>> one = Comparisons(2, np.array([0]), np.array([1]), np.array([[3.0, 1.0, 0.0]]))
    >>> mixed_mode(one, np.array([[0.5], [-0.5]]), 0.0).beta.round(4)
    array([1.0986])
    """
    prior = Prior(precision=spread**-2.0 if spread else np.inf)
    return Mode(X, spread, fit_pairs(replace(rows, x=X[rows.a] - X[rows.b]), prior=prior))


def _root(excess: Callable[[float], float], low: float, high: float) -> float:
    return float(np.exp(brentq(lambda t: excess(float(np.exp(t))), np.log(low), np.log(high), xtol=1e-13, rtol=1e-13)))


def _fitted(mode: Mode, *, estimated: bool) -> MixedFit:
    n, k = mode.X.shape
    covariance, error, spread = np.zeros((k + n, k + n)), np.nan, mode.spread
    if spread:
        place = np.roll(np.arange(k + n), -k)  # coefficients before effects
        covariance[np.ix_(place, place)] = np.linalg.inv(mode.fit.information.matrix())
        told = spread**4 * float(((mode.left / (1 + spread**2 * mode.left)) ** 2).sum()) / 2
        error = spread / (2 * np.sqrt(told)) if estimated and told > 0 else np.nan
    elif k:
        covariance[:k, :k] = np.linalg.inv(mode.fit.information.corner)
    return MixedFit(mode.beta, mode.effect, spread, error, covariance, mode.fit.log_likelihood, mode.settled)
