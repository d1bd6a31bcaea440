r"""Fit strengths, covariates and ties to paired comparisons: the solver behind every pairwise model.

A row is one kind of battle: a pair, covariates :math:`x` that shift its lead, and outcome counts. With strengths
:math:`\theta`, coefficients :math:`\beta` and a tie parameter :math:`\tau`,

.. math::  \eta = \theta_a - \theta_b + x \cdot \beta, \qquad
           \ell = \sum_{\text{rows}} \Bigl[ \ell(\eta, \tau) - \frac{k \eta^2}{2} \Bigr] + \log \text{prior}(\theta, \beta),

with *k* the precision of a normal distribution of the lead around zero, which rows may have in addition to battles or
instead of them. The information matrix is a graph Laplacian bordered by the few rows and columns of :math:`(\beta,
\tau)`. So a Newton step solves the Laplacian for a few right-hand sides, and the Schur complement for the rest.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError

from beatpath._arrays import Floats, Ints
from beatpath.fit.laplacian import (
    DENSE,
    Codes,
    Laplacian,
    across,
    by_diagonal,
    centered,
    centered_inverse,
    conjugate_gradients,
    factored,
    first_pairs,
    incident,
    inner,
    row_sums,
)
from beatpath.fit.newton import FLAT, Ended, Local, newton
from beatpath.fit.ties import HALF, NO_PRIOR, Prior, Terms, TieModel, logistic

NEAR = 0.01  # accuracy of the initial strengths, which Newton's method squares at once

# Most agents for which a dense table is faster than a list of pairs: in any case, and if many pairs were compared. A fit of
# 50 agents takes 0.29 ms, by pairs 0.56; of 200 agents 2.9 and 3.9 ms (benchmarks, Bradley-Terry from the matrix of wins).
FEW, MOST = 100, 400
MANY = 8  # inverse of the share of compared pairs that counts as many
FAR = 300.0  # log odds up to which odds, their sums and ratios do not overflow
SWEEPS = 5  # Newman sweeps before the first Newton step


@dataclass(frozen=True, slots=True, eq=False)
class Comparisons:
    """Rows of paired comparisons; fastest if sorted with ``a < b``.

    Parameters
    ----------
    n_agents : int
        Number of agents.
    a, b : (r,) int
        The pair of each row; a pair may have several rows.
    counts : (r, 3) float
        Wins of *a*, wins of *b*, ties.
    x : (r, k) float
        Covariates that shift the lead of *a*; no columns by default.
    precision : (r,) float, optional
        Precision of a normal distribution of the lead around zero.
    part : (n,) int, optional
        Connected component of every agent, if there are several and no prior joins them.
    """

    n_agents: int
    a: Codes
    b: Codes
    counts: Floats
    x: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    precision: Floats | None = None
    part: Ints | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "counts", np.asfortranarray(self.counts))  # read by column, again and again
        if len(self.x) != len(self.a):
            object.__setattr__(self, "x", np.zeros((len(self.a), 0)))

    def plain(self) -> bool:
        """Whether rows are distinct sorted pairs, and strengths are the only parameters."""
        simple = not self.x.shape[1] and self.precision is None and self.part is None
        code = self.a.astype(np.int64) * self.n_agents + self.b
        return simple and bool((self.a < self.b).all() and (code[1:] > code[:-1]).all())

    def wins(self) -> Floats:
        """Return the dense win matrix, (n, n), of rows with one row per pair."""
        table, a, b = np.zeros(self.n_agents**2), self.a.astype(np.int64), self.b.astype(np.int64)
        table[a * self.n_agents + b], table[b * self.n_agents + a] = self.counts[:, 0], self.counts[:, 1]
        return table.reshape(self.n_agents, -1)


def decided(
    n_agents: int, a: Codes, b: Codes, won: Floats, played: Floats, x: Floats | None = None, part: Ints | None = None
) -> Comparisons:
    """Return comparisons without ties, given wins of *a* and totals.

    >>> decided(2, np.array([0]), np.array([1]), np.array([3.0]), np.array([4.0])).counts
    array([[3., 1., 0.]])
    """
    counts = np.stack([won, played - won, np.zeros(len(won))], axis=1)
    return Comparisons(n_agents, a, b, counts, np.zeros((len(a), 0)) if x is None else x, part=part)


@dataclass(frozen=True, eq=False)
class Fit:
    """A fitted model, with its likelihood, information and standard errors.

    Parameters
    ----------
    rows : Comparisons
        The data.
    ties : TieModel
        The tie model.
    prior : Prior
        The prior.
    ended : Ended
        The result of Newton's method, with all parameters.
    """

    rows: Comparisons
    ties: TieModel
    prior: Prior
    ended: Ended

    @cached_property
    def strength(self) -> Floats:
        """Strengths in log odds with mean zero in every component, (n,)."""
        return centered(self.ended.x[: self.rows.n_agents], self.rows.part)

    @property
    def coefficients(self) -> Floats:
        """The coefficients of `Comparisons.x`, then the tie parameter, if there is one."""
        return self.ended.x[self.rows.n_agents :]

    @property
    def log_likelihood(self) -> float:
        """Log-likelihood of the rows, without the prior."""
        return self.ended.value - self.prior.value(self.ended.x, self.rows.n_agents)

    @cached_property
    def information(self) -> "Information":
        """Observed information of all parameters, including the prior's."""
        return pairs_model(self.rows, self.ties, self.prior).information(self.ended.x)

    @property
    def standard_errors(self) -> Floats:
        """Standard errors of the coefficients, with strengths free."""
        if not len(self.coefficients):
            return np.zeros(0)
        return np.sqrt(np.diag(np.linalg.pinv(self.information.schur())))

    def covariance(self) -> Floats:
        """Return the (n, n) covariance of strengths with mean zero, from the observed information.

        The log odds of 3 wins in 4 have the variance 1/3 + 1/1.

        >>> V = fit_pairs(decided(2, np.array([0]), np.array([1]), np.array([3.0]), np.array([4.0]))).covariance()
        >>> round(float(V[0, 0] + V[1, 1] - 2 * V[0, 1]), 9)
        1.333333333
        """
        return self.information.covariance()


def fit_pairs(
    rows: Comparisons,
    ties: TieModel = HALF,
    prior: Prior = NO_PRIOR,
    *,
    max_iter: int = 100,
    start: Floats | None = None,
    flat: float = FLAT,
    most_steps: int | None = None,
) -> Fit:
    """Fit strengths, coefficients and tie parameter by Newton's method.

    The caller must ensure that the estimate exists (`connection`) and that no column of `rows.x` is a combination of
    others and of the strengths (`collinear`).

    Parameters
    ----------
    rows : Comparisons
        The data.
    ties : TieModel
        The model of a battle given its lead; by default logistic, with ties halved before.
    prior : Prior
        The prior; default none.
    max_iter : int
        Maximum number of Newton steps.
    start : (n,) or (p,) float, optional
        Initial strengths, or all parameters; by default near the estimate if that is fast, or zero.
    flat : float
        As for `newton`.
    most_steps : int, optional
        As for `Laplacian`.

    Returns
    -------
    Fit

    Examples
    --------
    Three wins to one are odds of three.

    >>> fit = fit_pairs(decided(2, np.array([0]), np.array([1]), np.array([3.0]), np.array([4.0])))
    >>> bool(np.isclose(np.ptp(fit.strength), np.log(3)))
    True
    """
    plain = prior.is_wins and rows.plain()
    if plain and ties is HALF and fits_a_table(rows.n_agents, len(rows.a)):
        table = WinTable.of(rows.wins(), prior)
        return Fit(rows, ties, prior, newton(table.at, table.near(start), max_iter=max_iter, flat=flat))
    model = pairs_model(rows, ties, prior, most_steps)
    begin = np.zeros(len(model.total))
    if start is None and plain and not prior.wins:
        start = near_strengths(rows)
    if ties.start:
        begin[-1] = ties.start(float(rows.counts[:, 2].sum() / rows.counts.sum()))
    if start is not None:
        begin[: len(start)] = start
    return Fit(rows, ties, prior, newton(model.at, begin, max_iter=max_iter, flat=flat))


def near_strengths(rows: Comparisons) -> Floats:
    r"""Return strengths (n,) near the estimate.

    The estimate is by least squares on observed log odds (Berkson's minimum logit chi-square).

    With half a win and half a loss added to every row, and ties as halves, :math:`\ln (w / l)` has the weight
    :math:`w l / (w + l)`.

    >>> one = decided(2, np.array([0]), np.array([1]), np.array([300.0]), np.array([400.0]))
    >>> bool(abs(np.ptp(near_strengths(one)) - np.log(3)) < 0.01)
    True
    """
    # Saves two Newton steps of eleven for 34,000 agents with few battles per pair, and none for 50,000 sampled
    # evenly.
    wins, losses = (rows.counts[:, k] + rows.counts[:, 2] / 2 + 0.5 for k in range(2))
    weight = wins * losses / (wins + losses)
    pull = weight * np.log(wins / losses)
    laplacian = Laplacian(rows.n_agents, rows.a, rows.b, weight, start=first_pairs(rows.n_agents, rows.a))
    return laplacian.solver()(incident(rows.n_agents, rows.a, rows.b, pull, -pull), NEAR)


def leverages(rows: Comparisons, strength: Floats) -> Floats:
    """Return the leverage of each row on its own fitted value; they sum to one less than the number of agents.

    >>> every = Comparisons(3, np.array([0, 0, 1]), np.array([1, 2, 2]), np.ones((3, 3)))
    >>> float(leverages(every, np.array([1.0, 0.0, -1.0])).sum().round(9))
    2.0
    """
    model = pairs_model(rows)
    covariance = centered_inverse(model.information(strength).laplacian.matrix(), rows.part)
    return model.terms(strength).lead_lead * across(covariance, rows.a, rows.b)


def collinear(rows: Comparisons, prior: Prior = NO_PRIOR) -> int | None:
    """Return the first column of `rows.x` that is a combination of the strengths and earlier columns, if there is one.

    >>> x = np.array([[1.0], [2.0], [1.0]])  # what strengths of 2, 1 and 0 give
    >>> collinear(Comparisons(3, np.array([0, 0, 1]), np.array([1, 2, 2]), np.ones((3, 3)), x))
    0
    """
    n = rows.counts.sum(axis=1)
    even = TieModel(lambda eta, tau, counts: Terms(0.0, n, n))
    information = pairs_model(rows, even, prior).information(np.zeros(rows.n_agents + rows.x.shape[1]))
    left = information.schur()
    for j in range(len(left)):
        own = left[j, j] - left[j, :j] @ np.linalg.solve(left[:j, :j], left[:j, j])
        if own <= 1e-9 * information.corner[j, j]:
            return j
    return None


@dataclass(frozen=True, slots=True, eq=False)
class Information:
    """The information matrix.

    It consists of a Laplacian, its border (n, k) and the corner (k, k) of coefficients and tie parameter.
    """

    laplacian: Laplacian
    side: Floats
    corner: Floats

    def matrix(self) -> Floats:
        """Return the dense matrix, (n + k, n + k)."""
        return np.block([[self.laplacian.matrix(), self.side], [self.side.T, self.corner]])

    def schur(self) -> Floats:
        """Return the information on the coefficients with strengths free (the Schur complement)."""
        return self.corner - self.side.T @ self.laplacian.solver()(self.side, 1e-12)

    def covariance(self) -> Floats:
        """Return the (n, n) covariance of strengths with mean zero, with coefficients free."""
        free = self.side @ np.linalg.pinv(self.corner) @ self.side.T
        return centered_inverse(self.laplacian.matrix() - free, self.laplacian.part)

    def step(self, gradient: Floats) -> Callable[[float], Floats]:
        """Return the Newton step as a function of its accuracy."""

        def step(accuracy: float) -> Floats:
            n, solve = self.laplacian.n_agents, self.laplacian.solver()
            alone = solve(gradient[:n], accuracy)
            if not len(self.corner):
                return alone
            through = solve(self.side, min(accuracy, NEAR))
            rest = _rest(self.corner - self.side.T @ through, gradient[n:] - self.side.T @ alone)
            return np.concatenate([alone - through @ rest, rest])

        return step


def _rest(left: Floats, target: Floats) -> Floats:
    try:
        return np.asarray(np.linalg.solve(left, target), dtype=np.float64)
    except np.linalg.LinAlgError:  # a diverging coefficient has no information left
        return np.asarray(np.linalg.lstsq(left, target, rcond=None)[0], dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class PairsModel:
    """The log-likelihood of strengths and, after them, of the coefficients and the tie parameter.

    `a`, `b` and `start` are the pairs; `pair` is the pair of every row if pairs have several rows. `springs` is the
    curvature that normal leads add; it is zero for a shift of a whole curve.
    """

    rows: Comparisons
    ties: TieModel
    prior: Prior
    a: Codes
    b: Codes
    start: NDArray[np.int32]
    pair: Ints | None
    total: Floats
    springs: Floats
    most_steps: int | None = None

    def at(self, x: Floats) -> Local:
        """Return the value and derivatives that Newton's method needs."""
        rows, n = self.rows, self.rows.n_agents
        terms, (value, slope, bend) = self.terms(x), self.prior.at(x, n)
        parts = [incident(n, rows.a, rows.b, terms.lead, -terms.lead)]
        if len(x) > n:
            parts += [rows.x.T @ terms.lead, np.full(int(self.ties.start is not None), terms.tie)]
        gradient = np.concatenate(parts) + slope
        information = self._information(terms, bend)
        curvature = np.concatenate([information.laplacian.diagonal - self.springs, np.diag(information.corner)])
        if not self.prior.fixed:
            return Local(terms.value + value, gradient, curvature, self.total, information.step(gradient))
        gradient[:n] = 0.0
        step = np.concatenate([np.zeros(n), _rest(information.corner, gradient[n:])])
        return Local(terms.value + value, gradient, curvature, self.total, lambda accuracy: step)

    def information(self, x: Floats) -> Information:
        """Return the information matrix at all parameters."""
        return self._information(self.terms(x), self.prior.at(x, self.rows.n_agents)[2])

    def terms(self, x: Floats) -> Terms:
        """Return the likelihood terms of every row."""
        rows, n, k = self.rows, self.rows.n_agents, self.rows.x.shape[1]
        lead = x[rows.a] - x[rows.b]
        if k:
            lead += rows.x @ x[n : n + k]
        terms = self.ties.terms(lead, float(x[-1]) if len(x) else 0.0, rows.counts)
        return terms if rows.precision is None else terms.with_normal_lead(lead, rows.precision)

    def _information(self, terms: Terms, bend: Floats) -> Information:
        rows, n, k = self.rows, self.rows.n_agents, self.rows.x.shape[1]
        weight = terms.lead_lead
        if self.pair is not None:
            weight = np.bincount(self.pair, weight, len(self.a)).astype(np.float64, copy=False)
        ridge = None if self.prior.is_flat or self.prior.fixed else bend[:n]
        chained = rows.precision is not None
        laplacian = Laplacian(n, self.a, self.b, weight, ridge, rows.part, self.start, chained, self.most_steps)
        bent = [terms.lead_lead * column for column in rows.x.T]
        bent += [] if terms.lead_tie is None else [terms.lead_tie]
        side = np.array([incident(n, rows.a, rows.b, column, -column) for column in bent]).reshape(-1, n).T
        corner = np.full((len(bent), len(bent)), terms.tie_tie)
        for j, column in enumerate(bent):
            corner[:k, j] = corner[j, :k] = rows.x.T @ column
        return Information(laplacian, side, corner + np.diag(bend[n:]))


def pairs_model(
    rows: Comparisons, ties: TieModel = HALF, prior: Prior = NO_PRIOR, most_steps: int | None = None
) -> PairsModel:
    """Return the log-likelihood of the rows, with its graph and totals."""
    n = np.abs(rows.counts).sum(axis=1)
    springs = np.zeros(rows.n_agents)
    if rows.precision is not None:
        springs = incident(rows.n_agents, rows.a, rows.b, rows.precision, rows.precision)
    strengths = incident(rows.n_agents, rows.a, rows.b, n, n) + 2 * prior.wins + springs
    total = np.concatenate([strengths, np.abs(rows.x).T @ n, [n.sum()] if ties.start else []])
    a, b, pair = _graph(rows)
    return PairsModel(rows, ties, prior, a, b, first_pairs(rows.n_agents, a), pair, total, springs, most_steps)


def _graph(rows: Comparisons) -> tuple[Codes, Codes, Ints | None]:
    """The sorted pairs, lower agent first, and the pair of every row unless rows are the pairs."""
    later = (rows.a[1:] > rows.a[:-1]) | ((rows.a[1:] == rows.a[:-1]) & (rows.b[1:] >= rows.b[:-1]))
    if (rows.a < rows.b).all() and later.all():
        # the first row of its pair
        first = np.append(True, (rows.a[1:] != rows.a[:-1]) | (rows.b[1:] != rows.b[:-1]))[: len(rows.a)]
        return (rows.a, rows.b, None) if first.all() else (rows.a[first], rows.b[first], np.cumsum(first) - 1)
    low, high = np.minimum(rows.a, rows.b).astype(np.int64), np.maximum(rows.a, rows.b)
    code, pair = np.unique(low * rows.n_agents + high, return_inverse=True)
    return (*np.divmod(code, rows.n_agents), pair)


# Strengths alone, in a dense table of all pairs


def fits_a_table(n_agents: int, pairs: int) -> bool:
    """Return whether so many pairs are faster in a dense table than in a list.

    >>> fits_a_table(50, 60), fits_a_table(200, 400), fits_a_table(200, 10_000)
    (True, False, True)
    """
    return n_agents <= (MOST if MANY * pairs >= n_agents**2 else FEW)


def chances(strength: Floats) -> tuple[Floats, Floats]:
    """Return the win probability of every agent over every other, (n, n), and its logarithm.

    >>> chances(np.array([np.log(3), 0.0]))[0]
    array([[0.5 , 0.75],
           [0.25, 0.5 ]])
    """
    if np.abs(strength).max(initial=0.0) <= FAR:
        odds = np.exp(strength)
        chance = odds[:, None] / (odds[:, None] + odds)
        return chance, np.log(chance)
    lead = strength[:, None] - strength
    chance, rest = logistic(lead)
    return chance, lead - rest


@dataclass(frozen=True, slots=True, eq=False)
class WinTable:
    r"""The log-likelihood of strengths alone in a dense table, fast if most pairs were compared.

    With wins :math:`w_{ab}`, battles :math:`n_{ab} = w_{ab} + w_{ba}` and probabilities :math:`p_{ab} =
    \sigma(\theta_a - \theta_b)`,

    .. math::  \ell = \sum_{a \ne b} w_{ab} \ln p_{ab}, \qquad
               g_a = \sum_b w_{ab} - \sum_b n_{ab}\, p_{ab}, \qquad
               h_{ab} = n_{ab}\, p_{ab}\, p_{ba},

    with :math:`h` the weights of the information, a graph Laplacian. The probabilities need one exponential per
    agent, :math:`p_{ab} = e^{\theta_a} / (e^{\theta_a} + e^{\theta_b})`, and no indexing by pair: for 50 agents with
    all pairs compared, strengths take 0.58 ms instead of 0.86 ms; for 200 agents 2.6 instead of 5.3 ms.

    Parameters
    ----------
    wins, battles : (n, n) float
        Wins of the row agent over the column agent, and battles between them.
    won, total : (n,) float
        All wins of an agent, and all its battles including those of the prior.
    prior : Prior
        A prior of wins and losses only.

    Examples
    --------
    Three wins to one are odds of three: the gradient there is zero.

    >>> table = WinTable.of(np.array([[0.0, 3.0], [1.0, 0.0]]))
    >>> table.at(np.array([np.log(3), 0.0])).gradient.round(9) + 0.0
    array([0., 0.])
    """

    wins: Floats
    battles: Floats
    won: Floats
    total: Floats
    prior: Prior

    @classmethod
    def of(cls, wins: Floats, prior: Prior = NO_PRIOR) -> "WinTable":
        """Return the log-likelihood of a win matrix, with its totals."""
        battles = wins + wins.T
        return cls(wins, battles, row_sums(wins), row_sums(battles) + 2 * prior.wins, prior)

    def at(self, x: Floats) -> Local:
        """Return the value and derivatives that Newton's method needs."""
        chance, logarithm = chances(x)
        expected, (value, slope, bend) = self.battles * chance, self.prior.at(x, len(x))
        gradient = self.won - row_sums(expected) + slope
        weight = expected * chance.T
        diagonal = row_sums(weight) + bend
        value += inner(self.wins.reshape(-1), logarithm.reshape(-1))
        return Local(
            value, gradient, diagonal, self.total, lambda accuracy: self._step(weight, diagonal, gradient, accuracy)
        )

    def _step(self, weight: Floats, diagonal: Floats, gradient: Floats, accuracy: float) -> Floats:
        """The Newton step, as by a `Laplacian`."""
        loose = self.prior.is_flat
        if len(diagonal) <= DENSE:
            try:
                return factored(weight, diagonal, loose)(gradient, accuracy)
            except LinAlgError:  # weights too far apart to factor
                pass
        right = centered(gradient) if loose else gradient

        def times(x: Floats) -> Floats:
            return diagonal * x - np.einsum("ij,j", weight, x)  # on one thread

        x = conjugate_gradients(times, right, by_diagonal(diagonal), accuracy)[0]
        return centered(x) if loose else x

    def near(self, start: Floats | None = None) -> Floats:
        r"""Return strengths (n,) near the estimate, by a few sweeps of Newman's iteration [1]_.

        With odds :math:`\pi = e^\theta` a sweep is :math:`\pi_a \leftarrow \sum_b \frac{w_{ab}\, \pi_b}{\pi_a +
        \pi_b} \Big/ \sum_b \frac{w_{ba}}{\pi_a + \pi_b}`. If most pairs were compared, each sweep gains about one
        digit, at a fifth of the cost of a Newton step.

        References
        ----------
        .. [1] M. E. J. Newman, "Efficient computation of rankings from pairwise comparisons", *Journal of Machine Learning
               Research* 24 (2023), 1-25.
        """
        won = self.won + self.prior.wins
        with np.errstate(all="ignore"):  # an agent without a win, or overflow
            odds = won / (self.total - won) if start is None else np.exp(start)
            for _ in range(SWEEPS):
                share, level = self.wins / (odds[:, None] + odds), self.prior.wins / (1 + odds)
                odds = (np.einsum("ij,j", share, odds) + level) / (np.einsum("ij->j", share) + level)
            strength = np.log(odds)
        return strength - strength.mean() if np.isfinite(strength).all() else np.zeros(len(won))
