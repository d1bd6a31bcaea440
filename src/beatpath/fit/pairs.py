r"""Strengths fitted to paired comparisons, with whatever else shifts a battle: the engine behind every pairwise model.

A row is one kind of battle: a pair, the values :math:`x` that shift its lead, and how such battles ended. With strengths
:math:`\theta`, coefficients :math:`\beta` and a tie parameter :math:`\tau`,

.. math::  \eta = \theta_a - \theta_b + x \cdot \beta, \qquad
           \ell = \sum_{\text{rows}} \Bigl[ \ell(\eta, \tau) - \frac{k \eta^2}{2} \Bigr] + \log \text{prior}(\theta, \beta),

with *k* the precision of a normal distribution of the lead about zero, which rows may have besides battles or in their place. The
information matrix is a graph Laplacian bordered by the few rows and columns of :math:`(\beta, \tau)`, so a Newton step solves the
Laplacian for a few right-hand sides, and the Schur complement for the rest.
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
    centred,
    centred_inverse,
    conjugate_gradients,
    factored,
    first_pairs,
    incident,
    inner,
    row_sums,
)
from beatpath.fit.newton import FLAT, Ended, Local, newton
from beatpath.fit.ties import HALF, NO_PRIOR, Prior, Terms, TieModel, logistic

NEAR = 0.01  # accuracy of the strengths to begin from: Newton's method squares it at once

FEW, MOST = 100, 400  # agents up to whom a table is quicker than a list of pairs: whatever pairs met, or where many did
MANY = 8  # one in so many of a table's cells must then be a pair that met
FAR = 300.0  # log odds from zero up to which odds, their sums and quotients are numbers
SWEEPS = 5  # towards the estimate before the first Newton step


@dataclass(frozen=True, slots=True, eq=False)
class Comparisons:
    """Rows of paired comparisons; sorted ones, ``a < b``, are fitted quickest.

    Parameters
    ----------
    n_agents : int
    a, b : (r,) int
        The pair of each row; a pair may have several rows.
    counts : (r, 3) float
        Wins of *a*, wins of *b*, ties.
    x : (r, k) float
        What shifts the lead of *a*; no columns by default.
    precision : (r,) float, optional
        Of a normal distribution of the lead about zero.
    part : (n,) int, optional
        The connected component of every agent, where no prior holds several together.
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
        """Whether rows are sorted pairs, each once, and strengths are all that there is to fit."""
        simple = not self.x.shape[1] and self.precision is None and self.part is None
        code = self.a.astype(np.int64) * self.n_agents + self.b
        return simple and bool((self.a < self.b).all() and (code[1:] > code[:-1]).all())

    def wins(self) -> Floats:
        """Return the wins of every agent over every other, (n, n), of rows that are each their pair's only one."""
        table, a, b = np.zeros(self.n_agents**2), self.a.astype(np.int64), self.b.astype(np.int64)
        table[a * self.n_agents + b], table[b * self.n_agents + a] = self.counts[:, 0], self.counts[:, 1]
        return table.reshape(self.n_agents, -1)


def decided(
    n_agents: int, a: Codes, b: Codes, won: Floats, played: Floats, x: Floats | None = None, part: Ints | None = None
) -> Comparisons:
    """Return comparisons without ties, of which *a* won so many of those played.

    >>> decided(2, np.array([0]), np.array([1]), np.array([3.0]), np.array([4.0])).counts
    array([[3., 1., 0.]])
    """
    counts = np.stack([won, played - won, np.zeros(len(won))], axis=1)
    return Comparisons(n_agents, a, b, counts, np.zeros((len(a), 0)) if x is None else x, part=part)


@dataclass(frozen=True, eq=False)
class Fit:
    """What was fitted, and what it is worth.

    Parameters
    ----------
    rows : Comparisons
    ties : TieModel
    prior : Prior
    ended : Ended
        How Newton's method ended, and where: all parameters as it saw them.
    """

    rows: Comparisons
    ties: TieModel
    prior: Prior
    ended: Ended

    @cached_property
    def strength(self) -> Floats:
        """Log odds with mean zero in every component, (n,)."""
        return centred(self.ended.x[: self.rows.n_agents], self.rows.part)

    @property
    def coefficients(self) -> Floats:
        """The coefficients of `Comparisons.x`, then the tie parameter, where there is one."""
        return self.ended.x[self.rows.n_agents :]

    @property
    def log_likelihood(self) -> float:
        """Of the rows alone, without the prior."""
        return self.ended.value - self.prior.value(self.ended.x, self.rows.n_agents)

    @cached_property
    def information(self) -> "Information":
        """Observed information on all parameters, the prior's included."""
        return pairs_model(self.rows, self.ties, self.prior).information(self.ended.x)

    @property
    def standard_errors(self) -> Floats:
        """Of the coefficients, strengths being free."""
        if not len(self.coefficients):
            return np.zeros(0)
        return np.sqrt(np.diag(np.linalg.pinv(self.information.schur())))

    def covariance(self) -> Floats:
        """Return the (n, n) covariance of strengths of mean zero, from the observed information.

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

    The caller has seen to it that the estimate exists (`connection`) and that no column of `rows.x` is a combination of
    others and of the strengths (`collinear`).

    Parameters
    ----------
    rows : Comparisons
    ties : TieModel
        What a battle says of its lead; by default logistic, ties halved before.
    prior : Prior
    max_iter : int
        Newton steps.
    start : (n,) or (p,) float, optional
        Strengths, or all parameters, to begin from; by default near the estimate, where that is quick, or zero.
    flat : float
        As for `newton`.
    most_steps : int, optional
        As for `Laplacian`.

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
    r"""Return strengths (n,) near the estimate: least squares on the observed log odds, Berkson's minimum logit chi-square.

    With half a win and half a loss more for every row, and ties as halves, :math:`\ln (w / l)` has the weight
    :math:`w l / (w + l)`.

    >>> one = decided(2, np.array([0]), np.array([1]), np.array([300.0]), np.array([400.0]))
    >>> bool(abs(np.ptp(near_strengths(one)) - np.log(3)) < 0.01)
    True
    """
    # Saves two Newton steps of eleven for 34,000 agents of whom few meet often, and nothing for 50,000 that meet evenly.
    wins, losses = (rows.counts[:, k] + rows.counts[:, 2] / 2 + 0.5 for k in range(2))
    weight = wins * losses / (wins + losses)
    pull = weight * np.log(wins / losses)
    laplacian = Laplacian(rows.n_agents, rows.a, rows.b, weight, start=first_pairs(rows.n_agents, rows.a))
    return laplacian.solver()(incident(rows.n_agents, rows.a, rows.b, pull, -pull), NEAR)


def leverages(rows: Comparisons, strength: Floats) -> Floats:
    """Return what share of its own fitted value each row decides; they add up to one less than the number of agents.

    >>> every = Comparisons(3, np.array([0, 0, 1]), np.array([1, 2, 2]), np.ones((3, 3)))
    >>> float(leverages(every, np.array([1.0, 0.0, -1.0])).sum().round(9))
    2.0
    """
    model = pairs_model(rows)
    covariance = centred_inverse(model.information(strength).laplacian.matrix(), rows.part)
    return model.terms(strength).lead_lead * across(covariance, rows.a, rows.b)


def collinear(rows: Comparisons, prior: Prior = NO_PRIOR) -> int | None:
    """Return the first column of `rows.x` that the strengths and the columns before it add up to, if there is one.

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
    """The information matrix: a Laplacian, its border (n, k) and the corner (k, k) of coefficients and tie parameter."""

    laplacian: Laplacian
    side: Floats
    corner: Floats

    def matrix(self) -> Floats:
        """Return the matrix written out, (n + k, n + k)."""
        return np.block([[self.laplacian.matrix(), self.side], [self.side.T, self.corner]])

    def schur(self) -> Floats:
        """Return what is known of the coefficients while the strengths are free."""
        return self.corner - self.side.T @ self.laplacian.solver()(self.side, 1e-12)

    def covariance(self) -> Floats:
        """Return the (n, n) covariance of strengths of mean zero, the coefficients being free."""
        free = self.side @ np.linalg.pinv(self.corner) @ self.side.T
        return centred_inverse(self.laplacian.matrix() - free, self.laplacian.part)

    def step(self, gradient: Floats) -> Callable[[float], Floats]:
        """Return the Newton step as a function of its accuracy."""

        def step(accuracy: float) -> Floats:
            n, solve = self.laplacian.n_agents, self.laplacian.solver()
            alone = solve(gradient[:n], accuracy)
            if not len(self.corner):
                return alone
            through = solve(self.side, min(accuracy, 1e-6))
            rest = _rest(self.corner - self.side.T @ through, gradient[n:] - self.side.T @ alone)
            return np.concatenate([alone - through @ rest, rest])

        return step


def _rest(left: Floats, target: Floats) -> Floats:
    try:
        return np.asarray(np.linalg.solve(left, target), dtype=np.float64)
    except np.linalg.LinAlgError:  # nothing is known any more of a coefficient that runs away
        return np.asarray(np.linalg.lstsq(left, target, rcond=None)[0], dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class PairsModel:
    """A log-likelihood in the strengths and, after them, the coefficients and the tie parameter.

    `a`, `b` and `start` are the pairs, `pair` the pair of every row where rows are not each their pair's only one. `springs`
    are what normal leads add to the curvature: a curve that moves as a whole does not feel them.
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
        """Return everything Newton's method asks for."""
        rows, n = self.rows, self.rows.n_agents
        terms, (value, slope, bend) = self.terms(x), self.prior.at(x, n)
        parts = [incident(n, rows.a, rows.b, terms.lead, -terms.lead)]
        if len(x) > n:
            parts += [rows.x.T @ terms.lead, np.full(int(self.ties.start is not None), terms.tie)]
        gradient = np.concatenate(parts) + slope
        information = self._information(terms, bend)
        curvature = np.concatenate([information.laplacian.diagonal - self.springs, np.diag(information.corner)])
        if not self.prior.held:
            return Local(terms.value + value, gradient, curvature, self.total, information.step(gradient))
        gradient[:n] = 0.0
        step = np.concatenate([np.zeros(n), _rest(information.corner, gradient[n:])])
        return Local(terms.value + value, gradient, curvature, self.total, lambda accuracy: step)

    def information(self, x: Floats) -> Information:
        """Return the information matrix at all parameters."""
        return self._information(self.terms(x), self.prior.at(x, self.rows.n_agents)[2])

    def terms(self, x: Floats) -> Terms:
        """Return the likelihood of every row."""
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
        ridge = None if self.prior.is_flat or self.prior.held else bend[:n]
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
    """Return the log-likelihood of the rows, its graph and totals worked out."""
    n = np.abs(rows.counts).sum(axis=1)
    springs = np.zeros(rows.n_agents)
    if rows.precision is not None:
        springs = incident(rows.n_agents, rows.a, rows.b, rows.precision, rows.precision)
    strengths = incident(rows.n_agents, rows.a, rows.b, n, n) + 2 * prior.wins + springs
    total = np.concatenate([strengths, np.abs(rows.x).T @ n, [n.sum()] if ties.start else []])
    a, b, pair = _graph(rows)
    return PairsModel(rows, ties, prior, a, b, first_pairs(rows.n_agents, a), pair, total, springs, most_steps)


def _graph(rows: Comparisons) -> tuple[Codes, Codes, Ints | None]:
    """The pairs, lower agent first, in sorted order; and the pair of every row, unless rows are the pairs already."""
    later = (rows.a[1:] > rows.a[:-1]) | ((rows.a[1:] == rows.a[:-1]) & (rows.b[1:] >= rows.b[:-1]))
    if (rows.a < rows.b).all() and later.all():
        first = np.append(True, (rows.a[1:] != rows.a[:-1]) | (rows.b[1:] != rows.b[:-1]))[: len(rows.a)]  # of its pair
        return (rows.a, rows.b, None) if first.all() else (rows.a[first], rows.b[first], np.cumsum(first) - 1)
    low, high = np.minimum(rows.a, rows.b).astype(np.int64), np.maximum(rows.a, rows.b)
    code, pair = np.unique(low * rows.n_agents + high, return_inverse=True)
    return (*np.divmod(code, rows.n_agents), pair)


# Strengths alone, on a table of all pairs


def fits_a_table(n_agents: int, pairs: int) -> bool:
    """Return whether so many pairs of agents are quicker in a table of all pairs than in a list.

    >>> fits_a_table(50, 60), fits_a_table(200, 400), fits_a_table(200, 10_000)
    (True, False, True)
    """
    return n_agents <= (MOST if MANY * pairs >= n_agents**2 else FEW)


def chances(strength: Floats) -> tuple[Floats, Floats]:
    """Return how likely every agent is to beat every other, (n, n), and the logarithms of that.

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
    r"""The log-likelihood of strengths alone on a table of all pairs, quick where most pairs met.

    With wins :math:`w_{ab}`, battles :math:`n_{ab} = w_{ab} + w_{ba}` and chances :math:`p_{ab} = \sigma(\theta_a - \theta_b)`,

    .. math::  \ell = \sum_{a \ne b} w_{ab} \ln p_{ab}, \qquad
               g_a = \sum_b w_{ab} - \sum_b n_{ab}\, p_{ab}, \qquad
               h_{ab} = n_{ab}\, p_{ab}\, p_{ba},

    with :math:`h` the weights of the information, a graph Laplacian. The chances take one exponential an agent,
    :math:`p_{ab} = e^{\theta_a} / (e^{\theta_a} + e^{\theta_b})`, and nothing is looked up pair by pair: of 50 agents that all met,
    counted before, strengths take 0.58 ms in place of 0.86 ms, of 200 agents 2.6 in place of 5.3 ms.

    Parameters
    ----------
    wins, battles : (n, n) float
        Of the row over the column, and against it.
    won, total : (n,) float
        All wins of an agent, and all its battles with those of the prior.
    prior : Prior
        Of wins and losses alone.

    Examples
    --------
    Three wins to one are odds of three: there the gradient is zero.

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
        """Return the log-likelihood of a table of wins, its totals worked out."""
        battles = wins + wins.T
        return cls(wins, battles, row_sums(wins), row_sums(battles) + 2 * prior.wins, prior)

    def at(self, x: Floats) -> Local:
        """Return everything Newton's method asks for."""
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
        """The Newton step, as of a `Laplacian`."""
        loose = self.prior.is_flat
        if len(diagonal) <= DENSE:
            try:
                return factored(weight, diagonal, loose)(gradient, accuracy)
            except LinAlgError:  # weights too far apart to factor
                pass
        right = centred(gradient) if loose else gradient

        def times(x: Floats) -> Floats:
            return diagonal * x - np.einsum("ij,j", weight, x)  # on one thread

        x = conjugate_gradients(times, right, by_diagonal(diagonal), accuracy)[0]
        return centred(x) if loose else x

    def near(self, start: Floats | None = None) -> Floats:
        r"""Return strengths (n,) near the estimate, by a few sweeps of Newman's iteration [1]_ from a start or the odds of all battles.

        With odds :math:`\pi = e^\theta` a sweep is :math:`\pi_a \leftarrow \sum_b \frac{w_{ab}\, \pi_b}{\pi_a + \pi_b} \Big/
        \sum_b \frac{w_{ba}}{\pi_a + \pi_b}`. Where most pairs met each brings about one digit, at a fifth of the cost of a
        Newton step.

        References
        ----------
        .. [1] M. E. J. Newman, "Efficient computation of rankings from pairwise comparisons", *Journal of Machine Learning
               Research* 24 (2023), 1-25.
        """
        won = self.won + self.prior.wins
        with np.errstate(all="ignore"):  # an agent without a win, or numbers too far apart
            odds = won / (self.total - won) if start is None else np.exp(start)
            for _ in range(SWEEPS):
                share, level = self.wins / (odds[:, None] + odds), self.prior.wins / (1 + odds)
                odds = (np.einsum("ij,j", share, odds) + level) / (np.einsum("ij->j", share) + level)
            strength = np.log(odds)
        return strength - strength.mean() if np.isfinite(strength).all() else np.zeros(len(won))
