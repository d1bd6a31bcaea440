r"""Strengths fitted to paired comparisons, with whatever else shifts a battle.

A row is one kind of battle: a pair :math:`a < b`, the values :math:`x` that shift its lead, and how such battles ended. With
strengths :math:`\theta`, coefficients :math:`\beta` and a tie parameter :math:`\tau`,

.. math::  \eta = \theta_a - \theta_b + x \cdot \beta, \qquad
           \ell = \sum_{\text{rows}} \ell(\eta, \tau) + p \sum_a \ln \sigma(\theta_a)\, \sigma(-\theta_a).

The information matrix is a graph Laplacian bordered by the few rows and columns of :math:`(\beta, \tau)`, so a Newton step
solves the Laplacian for a few right-hand sides, and the Schur complement for the rest.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Bools, Floats, Ints
from beatpath.methods.numeric.laplacian import Laplacian, first_pairs, incident
from beatpath.methods.numeric.newton import Ended, Local, newton
from beatpath.methods.rating.bradley_terry.table import WinTable, fits_a_table, prior_terms
from beatpath.methods.rating.bradley_terry.tie_models import Terms, TieModel, half

NEAR = 0.01  # accuracy of the strengths to begin from


@dataclass(frozen=True, slots=True, eq=False)
class Comparisons:
    """Rows of paired comparisons, sorted by pair.

    Parameters
    ----------
    n_agents : int
    a, b : (r,) int
        The pair of each row, ``a < b``; a pair may have several rows.
    counts : (r, 3) float
        Wins of *a*, wins of *b*, ties.
    x : (r, k) float
        What shifts the lead of *a*.
    """

    n_agents: int
    a: NDArray[np.int32]
    b: NDArray[np.int32]
    counts: Floats
    x: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "counts", np.asfortranarray(self.counts))  # read by column, again and again

    def first(self) -> Bools:
        """Return whether each row is the first of its pair."""
        new = np.ones(len(self.a), dtype=bool)
        new[1:] = (self.a[1:] != self.a[:-1]) | (self.b[1:] != self.b[:-1])
        return new

    def wins(self) -> Floats:
        """Return the wins of every agent over every other, (n, n), of rows that are each their pair's only one."""
        table, a, b = np.zeros(self.n_agents**2), self.a.astype(np.int64), self.b.astype(np.int64)
        table[a * self.n_agents + b], table[b * self.n_agents + a] = self.counts[:, 0], self.counts[:, 1]
        return table.reshape(self.n_agents, -1)


@dataclass(frozen=True, slots=True, eq=False)
class PairedFit:
    """What was fitted.

    Parameters
    ----------
    strength : (n,) float
        Log odds with mean zero.
    coefficients, standard_errors : (k,) float, or (k + 1,) with a tie parameter
        The coefficients of `Comparisons.x`, then the tie parameter; errors from the observed information.
    log_likelihood : float
        Of the counts alone, without the prior.
    ended : Ended
        How Newton's method ended, and where: all parameters as it saw them.
    """

    strength: Floats
    coefficients: Floats
    standard_errors: Floats
    log_likelihood: float
    ended: Ended


def fit_paired(
    rows: Comparisons, ties: TieModel, *, prior: float = 0.0, max_iter: int = 100, start: Floats | None = None
) -> PairedFit:
    """Fit strengths, coefficients and tie parameter by Newton's method, from strengths (n,) that are known to be near or from 0.

    The caller has seen to it that the estimate exists (`connection`) and that no column of `rows.x` is a combination of
    others and of the strengths (`collinear`).

    Examples
    --------
    Three wins to one are odds of three.

    >>> from beatpath.methods.rating.bradley_terry.tie_models import TIE_MODELS
    >>> one = Comparisons(2, np.array([0]), np.array([1]), np.array([[3.0, 1.0, 0.0]]), np.zeros((1, 0)))
    >>> bool(np.isclose(np.ptp(fit_paired(one, TIE_MODELS["half"]).strength), np.log(3)))
    True
    """
    if ties.terms is half and not rows.x.shape[1] and rows.first().all() and fits_a_table(rows.n_agents, len(rows.a)):
        return _fit_table(WinTable.of(rows.wins(), prior), max_iter, start)
    model = paired_model(rows, ties, prior)
    n, begin = rows.n_agents, np.zeros(len(model.total))
    begin[:n] = near_strengths(rows, prior) if start is None else start
    if ties.start:
        begin[-1] = ties.start(float(rows.counts[:, 2].sum() / rows.counts.sum()))
    ended = newton(model.at, begin, max_iter=max_iter)
    errors = np.sqrt(np.diag(np.linalg.pinv(_schur(*model.information(ended.x))))) if len(begin) > n else np.zeros(0)
    likelihood = ended.value - prior_terms(ended.x[:n], prior).value
    return PairedFit(ended.x[:n] - ended.x[:n].mean(), ended.x[n:], errors, likelihood, ended)


def _fit_table(table: WinTable, max_iter: int, start: Floats | None) -> PairedFit:
    """The same of strengths alone on a table of all pairs."""
    ended = newton(table.at, table.near(start), max_iter=max_iter)
    likelihood = ended.value - prior_terms(ended.x, table.prior).value
    return PairedFit(ended.x - ended.x.mean(), np.zeros(0), np.zeros(0), likelihood, ended)


def near_strengths(rows: Comparisons, prior: float = 0.0) -> Floats:
    r"""Return strengths (n,) near the estimate: least squares on the observed log odds, Berkson's minimum logit chi-square.

    With half a win and half a loss more for every row, and ties as halves, :math:`\ln (w / l)` has the weight
    :math:`w l / (w + l)`. Rows that were shifted say nothing of strengths alone, and strengths begin at zero.

    >>> one = Comparisons(2, np.array([0]), np.array([1]), np.array([[300.0, 100.0, 0.0]]), np.zeros((1, 0)))
    >>> bool(abs(np.ptp(near_strengths(one)) - np.log(3)) < 0.01)
    True
    """
    if rows.x.shape[1] or prior or not rows.first().all():
        return np.zeros(rows.n_agents)
    wins, losses = (rows.counts[:, k] + rows.counts[:, 2] / 2 + 0.5 for k in range(2))
    weight = wins * losses / (wins + losses)
    pull = incident(rows.n_agents, rows.a, rows.b, *(sign * weight * np.log(wins / losses) for sign in (1, -1)))
    return Laplacian(rows.n_agents, rows.a, rows.b, weight, np.zeros(rows.n_agents)).solver()(pull, NEAR)


def strength_covariance(rows: Comparisons, ties: TieModel, x: Floats, *, prior: float = 0.0) -> Floats:
    """Return the (n, n) covariance of strengths of mean zero: the inverse of the observed information at `x`.

    Parameters
    ----------
    rows, ties, prior
        As for `fit_paired`.
    x : (p,) float
        All parameters, ``ended.x`` of the fit.

    Examples
    --------
    The log odds of 3 wins in 4 have the variance 1/3 + 1/1.

    >>> from beatpath.methods.rating.bradley_terry.tie_models import TIE_MODELS
    >>> one = Comparisons(2, np.array([0]), np.array([1]), np.array([[3.0, 1.0, 0.0]]), np.zeros((1, 0)))
    >>> V = strength_covariance(one, TIE_MODELS["half"], fit_paired(one, TIE_MODELS["half"]).ended.x)
    >>> round(float(V[0, 0] + V[1, 1] - 2 * V[0, 1]), 9)
    1.333333333
    """
    laplacian, side, corner = paired_model(rows, ties, prior).information(x)
    kept = laplacian.matrix() - side @ np.linalg.pinv(corner) @ side.T
    return centred_inverse(kept)


def centred_inverse(information: Floats) -> Floats:
    """Return the covariance of strengths of mean zero from their (n, n) information, known up to a constant or not.

    >>> centred_inverse(np.array([[1.0, -1.0], [-1.0, 1.0]]))
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """
    n = len(information)
    inverse = np.linalg.inv(information + max(float(information.diagonal().mean()), 1e-300) / n)
    inverse = inverse - inverse.mean(axis=0)
    return inverse - inverse.mean(axis=1, keepdims=True)


def collinear(rows: Comparisons, *, prior: float = 0.0) -> int | None:
    """Return the first column of `rows.x` that the strengths and the columns before it add up to, if there is one.

    >>> x = np.array([[1.0], [2.0], [1.0]])  # what strengths of 2, 1 and 0 give
    >>> collinear(Comparisons(3, np.array([0, 0, 1]), np.array([1, 2, 2]), np.ones((3, 3)), x))
    0
    """
    n = rows.counts.sum(axis=1)
    even = TieModel(lambda eta, tau, counts: Terms(0.0, n, n))
    laplacian, side, corner = paired_model(rows, even, prior).information(np.zeros(rows.n_agents + rows.x.shape[1]))
    left = _schur(laplacian, side, corner)
    for j in range(len(corner)):
        own = left[j, j] - left[j, :j] @ np.linalg.solve(left[:j, :j], left[:j, j])
        if own <= 1e-9 * corner[j, j]:
            return j
    return None


@dataclass(frozen=True, slots=True, eq=False)
class PairedModel:
    """A log-likelihood in the strengths and, after them, the coefficients and the tie parameter.

    `a`, `b` and `start` are the pairs, `pair` the pair of every row where some pair has several rows.
    """

    rows: Comparisons
    ties: TieModel
    prior: float
    a: NDArray[np.int32]
    b: NDArray[np.int32]
    start: NDArray[np.int32]
    pair: Ints | None
    total: Floats

    def at(self, x: Floats) -> Local:
        """Return everything Newton's method asks for."""
        rows, n = self.rows, self.rows.n_agents
        terms = self._terms(x)
        prior = prior_terms(x[:n], self.prior)
        strengths = incident(n, rows.a, rows.b, terms.lead, -terms.lead) + prior.slope
        value = terms.value + prior.value
        if len(x) == n:  # strengths alone
            laplacian = self._laplacian(x, terms)
            step = _bordered(laplacian, np.zeros((n, 0)), np.zeros((0, 0)), strengths)
            return Local(value, strengths, laplacian.diagonal, self.total, step)
        gradient = np.concatenate([strengths, rows.x.T @ terms.lead, [terms.tie] if self.ties.start else []])
        laplacian, side, corner = self._information(x, terms)
        curvature = np.concatenate([laplacian.diagonal, np.diag(corner)])
        step = _bordered(laplacian, side, corner, gradient)
        return Local(value, gradient, curvature, self.total, step)

    def information(self, x: Floats) -> tuple[Laplacian, Floats, Floats]:
        """Return the Laplacian, the border (n, k) and the corner (k, k) of the information matrix."""
        return self._information(x, self._terms(x))

    def _terms(self, x: Floats) -> Terms:
        """The likelihood of every row."""
        n, k = self.rows.n_agents, self.rows.x.shape[1]
        lead = x[self.rows.a] - x[self.rows.b]
        if k:
            lead += self.rows.x @ x[n : n + k]
        return self.ties.terms(lead, float(x[-1]), self.rows.counts)

    def _information(self, x: Floats, terms: Terms) -> tuple[Laplacian, Floats, Floats]:
        rows, n, k = self.rows, self.rows.n_agents, self.rows.x.shape[1]
        bent = [terms.lead_lead * column for column in rows.x.T]
        bent += [] if terms.lead_tie is None else [terms.lead_tie]
        side = np.array([incident(n, rows.a, rows.b, column, -column) for column in bent]).reshape(-1, n).T
        corner = np.full((len(bent), len(bent)), terms.tie_tie)
        for j, column in enumerate(bent):
            corner[:k, j] = corner[j, :k] = rows.x.T @ column
        return self._laplacian(x, terms), side, corner

    def _laplacian(self, x: Floats, terms: Terms) -> Laplacian:
        """What is known of the strengths."""
        n, weight = self.rows.n_agents, terms.lead_lead
        if self.pair is not None:
            weight = np.bincount(self.pair, weight).astype(np.float64, copy=False)
        return Laplacian(n, self.a, self.b, weight, prior_terms(x[:n], self.prior).bend, self.start)


def paired_model(rows: Comparisons, ties: TieModel, prior: float) -> PairedModel:
    """Return the log-likelihood of the rows, its graph and totals worked out."""
    n = rows.counts.sum(axis=1)
    strengths = incident(rows.n_agents, rows.a, rows.b, n, n) + 2 * prior
    total = np.concatenate([strengths, np.abs(rows.x).T @ n, [n.sum()] if ties.start else []])
    first = rows.first()
    a, b = (rows.a, rows.b) if first.all() else (rows.a[first], rows.b[first])
    pair = None if first.all() else np.cumsum(first) - 1
    return PairedModel(rows, ties, prior, a, b, first_pairs(rows.n_agents, a), pair, total)


def _schur(laplacian: Laplacian, side: Floats, corner: Floats) -> Floats:
    """What is known of the coefficients while the strengths are free."""
    solve = laplacian.solver()
    return corner - side.T @ np.column_stack([solve(column, 1e-12) for column in side.T])


def _bordered(laplacian: Laplacian, side: Floats, corner: Floats, gradient: Floats) -> Callable[[float], Floats]:
    """The Newton step as a function of its accuracy."""

    def step(accuracy: float) -> Floats:
        n, solve = laplacian.n_agents, laplacian.solver()
        alone = solve(gradient[:n], accuracy)
        if not len(corner):
            return alone
        through = np.column_stack([solve(column, min(accuracy, 1e-6)) for column in side.T])
        left, wanted = corner - side.T @ through, gradient[n:] - side.T @ alone
        try:
            rest = np.linalg.solve(left, wanted)
        except np.linalg.LinAlgError:  # nothing is known any more of a coefficient that runs away
            rest = np.linalg.lstsq(left, wanted, rcond=None)[0]
        return np.concatenate([alone - through @ rest, rest])

    return step
