"""Differences of scores at every look, of battles whose schedule nobody knows."""

import numpy as np

from beatpath._arrays import Floats
from beatpath.inference.matrix.estimate import MatrixEstimate

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

    A schedule may stop every pair when it favors the same agent, so bets on all pairs alike would cost as many
    logarithms as there are pairs. But a score assisted by a Bradley-Terry model moves with *b* nearly of the form
    :math:`b_p = s_a - s_c`, and where everybody meets everybody nearly with :math:`s = e_i - e_j`. So for the
    difference of *i* and *j* most is bet along that, a little on strengths of all agents, and very little on single
    pairs: :math:`\Sigma = \kappa D c c^\top D^\top + \varepsilon D D^\top + \varepsilon_p`. The smaller bound of two
    horizons counts, each with half of the error.

    Parameters
    ----------
    made : MatrixEstimate
        Of all win rates, whose means the scores are.
    battles : (p,) float
        Of each pair compared directly.

    References
    ----------
    .. [1] V. H. de la Pena, T. L. Lai, Q.-M. Shao, *Self-Normalized Processes*, Springer 2009, chapter 14.
    """

    def __init__(self, estimate: MatrixEstimate, battles: Floats) -> None:
        n, D = estimate.rates.n, estimate.rates.incidence
        V = estimate.phi * estimate.v * battles**2
        aside = np.asarray((D.T @ D).toarray())
        moved, square = (
            estimate.scores_along(D.multiply(1 / battles[:, None]).tocsr()),
            estimate.scores_square(1 / battles**2),
        )
        noise = np.maximum(contrasts(estimate.scores_square(estimate.phi * estimate.v)), 1e-300)
        self.standard_error = np.sqrt(np.maximum(contrasts(np.nan_to_num(estimate.covariance)), 0.0))
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
        radius: Floats = self.standard_error * np.sqrt(np.min(squares, axis=0))
        return radius


def contrasts(M: Floats) -> Floats:
    r"""Return :math:`(e_i - e_j)^\top M (e_i - e_j)` of all pairs of agents, and on the diagonal that of *M*.

    >>> contrasts(np.array([[4.0, 1.0], [1.0, 9.0]])).tolist()
    [[4.0, 11.0], [11.0, 9.0]]
    """
    own = np.diag(M)
    variance = own[:, None] + own[None, :] - M - M.T
    np.fill_diagonal(variance, own)
    return np.asarray(variance)
