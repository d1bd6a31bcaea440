r"""Boundaries that a martingale crosses with at most a given chance, however often one looks.

For increments that are Gaussian given the past, with variances that add up to :math:`V`, mixing :math:`e^{\lambda S - \lambda^2 V/2}`
over Gaussian :math:`\lambda` gives Robbins' bound

.. math::  P \Bigl( \exists t : |S_t| \ge \sqrt{(V_t + \rho) \log \frac{V_t + \rho}{\rho \alpha^2}} \Bigr) \le \alpha,

for other increments in the limit [1]_. A head-to-head of bounded outcomes has an exact one: outcomes that are half on average
given the past cannot make a gambler rich who bets against a half.

References
----------
.. [1] I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy, A. Ramdas, "Time-uniform central limit theory and asymptotic
       confidence sequences", *Annals of Statistics* 52 (2024).

Differences of scores at every look, of battles whose schedule nobody knows: `AnySchedule`.
"""

import numpy as np
from scipy.optimize import brentq
from scipy.special import betaln

from beatpath._arrays import Floats
from beatpath.inference.matrix.estimate import MatrixEstimate

ROUNDS = 20


def mixture_bound(variance: Floats, scale: float, alpha: float) -> Floats:
    r"""Return what :math:`|S|` exceeds at some time with a chance of at most `alpha`.

    Parameters
    ----------
    variance : float array
        What the variances of the increments so far add up to.
    scale : float
        :math:`\rho`, above zero: the bound is narrowest at variances of about ten times as much.
    alpha : float
        The chance.

    Examples
    --------
    At one look 1.96 standard deviations would do; at every look from the first on it takes more.

    >>> round(float(mixture_bound(np.array(1000.0), 100.0, 0.05)) / 1000**0.5, 2)
    3.04
    """
    grown = np.asarray(variance) + scale
    found: Floats = np.sqrt(grown * np.log(grown / (scale * alpha**2)))
    return found


def information_needed(radius: Floats, scale: float, alpha: float) -> Floats:
    r"""Return the information (one over the variance of an estimate) at which `mixture_bound` comes down to a radius.

    Solves :math:`r I = \sqrt{(I + \rho) \log \frac{I + \rho}{\rho \alpha^2}}` for *I* by repetition: every round halves the error.

    >>> needed = information_needed(np.array([0.1]), 100.0, 0.05)
    >>> (mixture_bound(needed, 100.0, 0.05) / needed).round(6).tolist()
    [0.1]
    """
    needed = np.ones_like(radius)
    for _ in range(ROUNDS):
        needed = mixture_bound(needed, scale, alpha) / radius
    return needed


def head_to_head_e_value(wins: float, losses: float) -> float:
    r"""Return what a gambler who bets on a difference would have made of one, were the two equal: rarely much.

    Bets of :math:`1 + \lambda (x - 1/2)`, mixed evenly over :math:`\lambda \in (-2, 2)`, multiply to

    .. math::  E = 2^{w + l} \int_0^1 q^w (1 - q)^l \, dq = 2^{w + l} B(w + 1, l + 1),

    a supermartingale under any schedule as long as each outcome is a half on average given the past; ties change nothing. It
    exceeds :math:`1 / \alpha` at some time with a chance of at most :math:`\alpha`, exactly. An outcome between none and one
    counted as so much of a win and the rest of a loss makes it smaller, never larger.

    >>> head_to_head_e_value(0, 0), round(head_to_head_e_value(20, 4), 2)
    (1.0, 63.16)
    """
    with np.errstate(over="ignore"):  # beyond what a float holds: infinitely rich
        return float(np.exp((wins + losses) * np.log(2) + betaln(wins + 1, losses + 1)))


def head_to_head_bound(wins: float, losses: float, alpha: float) -> float:
    r"""Return the win rate nearest to a half that was never refuted: where betting against it made :math:`1 / \alpha` or less.

    It is beyond a half exactly where `head_to_head_e_value` exceeds :math:`1 / \alpha`.

    >>> [round(head_to_head_bound(wins, 24 - wins, 0.05), 3) for wins in (20, 4, 12)]
    [0.538, 0.462, 0.223]
    """
    more, less = max(wins, losses), min(wins, losses)
    if more <= 0:
        return 0.0

    def short(p: float) -> float:
        """By how much the logarithm of what was made falls short of that of one over alpha."""
        return float(more * np.log(p) + less * np.log1p(-p) - betaln(more + 1, less + 1) - np.log(alpha))

    rate = more / (more + less)
    low = float(brentq(short, 1e-300, rate if less else 1 - 1e-16))
    return low if wins >= losses else 1 - low


HORIZONS = (200.0, 5000.0)  # information of an agent, about a quarter of its battles, at which the bound is narrowest
# Variances of bets, as multiples of one over the horizon. Of 3,000 and 12,000 battles of 12 agents on two ladders (24 boards), half and
# twice of each resolved as many pairs within one in fifteen.
ALONG, ASIDE, APART = 20.0, 0.2, 0.02


class AnySchedule:
    r"""By how many standard errors scores and their differences may be off at any look, whoever chose the pairs and why.

    If the outcome of a battle is, given the past and the pair, the win rate of that pair on average, then :math:`M_p = \sum (x - \psi_p)`
    over the battles of each pair are martingales whatever the schedule, with variances :math:`V_p`, and for every :math:`\Sigma` fixed
    beforehand

    .. math::  P \Bigl( \exists t : \tfrac12 M^\top (V + \Sigma^{-1})^{-1} M \ge \log \tfrac1\alpha
               + \tfrac12 \log \det (1 + \Sigma V) \Bigr) \le \alpha,

    mixing bets :math:`\lambda \sim N(0, \Sigma)` over all pairs, in the limit of many battles [1]_. An estimate that errs by
    :math:`b^\top M` then errs by no more than

    .. math::  \sqrt{b^\top (V + \Sigma^{-1}) b} \, \sqrt{2 \log \tfrac1\alpha + \log \det (1 + \Sigma V)} .

    A schedule may stop every pair when it favors the same agent, so bets on all pairs alike would cost as many logarithms as there are
    pairs. But a score assisted by one scale moves with *b* nearly of the form :math:`b_p = s_a - s_c`, and where everybody meets
    everybody nearly with :math:`s = e_i - e_j`. So for the difference of *i* and *j* most is bet along that, a little on strengths of
    all agents, and very little on single pairs: :math:`\Sigma = \kappa D c c^\top D^\top + \varepsilon D D^\top + \varepsilon_p`. The
    smaller bound of two horizons counts, each with half of the error.

    Parameters
    ----------
    made : MatrixEstimate
        Of all win rates, whose means the scores are.
    battles : (p,) float
        Of each pair that met.

    References
    ----------
    .. [1] V. H. de la Pena, T. L. Lai, Q.-M. Shao, *Self-Normalized Processes*, Springer 2009, chapter 14.
    """

    def __init__(self, made: MatrixEstimate, battles: Floats) -> None:
        n, D = made.rates.n, made.rates.incidence
        V = made.phi * made.v * battles**2
        aside = np.asarray((D.T @ D).toarray())
        moved, square = made.scores_along(D.multiply(1 / battles[:, None]).tocsr()), made.scores_square(1 / battles**2)
        noise = np.maximum(contrasts(made.scores_square(made.phi * made.v)), 1e-300)
        self.standard_error = np.sqrt(np.maximum(contrasts(np.nan_to_num(made.covariance)), 0.0))
        self._costs, self._wider = [], []
        for horizon in HORIZONS:
            along, among, each = ALONG / horizon, ASIDE / horizon, APART * (n - 1) / horizon
            Q = np.asarray((D.T @ D.multiply((V / (1 + each * V))[:, None])).toarray())
            bets = contrasts(Q - Q @ np.linalg.solve(np.eye(n) / among + Q, Q))
            self._costs.append(
                np.log1p(each * V).sum() + np.linalg.slogdet(np.eye(n) + among * Q)[1] + np.log1p(along * bets)
            )
            inner = np.linalg.inv(np.eye(n) * each / among + aside)
            off, of_bet, of_both = (
                contrasts(x / each)
                for x in (
                    square - moved @ inner @ moved.T,
                    aside - aside @ inner @ aside,
                    moved - moved @ inner @ aside,
                )
            )
            outside = off - along * of_both**2 / (1 + along * of_bet)
            self._wider.append(1 + np.maximum(outside, 0.0) / noise)

    def radius(self, alpha: float) -> Floats:
        """Return by how much differences, and on the diagonal scores, may be off at any look, each with a chance of at most `alpha`."""
        share = np.log(len(HORIZONS) / alpha)
        squares = [wider * (2 * share + cost) for wider, cost in zip(self._wider, self._costs, strict=True)]
        found: Floats = self.standard_error * np.sqrt(np.min(squares, axis=0))
        return found


def contrasts(M: Floats) -> Floats:
    r"""Return :math:`(e_i - e_j)^\top M (e_i - e_j)` of all pairs of agents, and on the diagonal that of *M*.

    >>> contrasts(np.array([[4.0, 1.0], [1.0, 9.0]])).tolist()
    [[4.0, 11.0], [11.0, 9.0]]
    """
    own = np.diag(M)
    found = own[:, None] + own[None, :] - M - M.T
    np.fill_diagonal(found, own)
    return np.asarray(found)
