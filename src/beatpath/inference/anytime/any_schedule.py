"""Confidence sequences for differences of scores under an unknown, possibly adaptive, schedule."""

import numpy as np

from beatpath._arrays import Floats
from beatpath.inference.matrix.cluster_sums import of_differences
from beatpath.inference.matrix.estimate import MatrixEstimate

# information about an agent, roughly a quarter of its battles, at which the bound is narrowest
HORIZONS = (200.0, 5000.0)
# Variances of bets, as multiples of one over the horizon. Of 3,000 and 12,000 battles of 12 agents on two ladders (24 boards), half and
# twice of each resolved as many pairs within one in fifteen.
ALONG, ASIDE, APART = 20.0, 0.2, 0.02


class AnySchedule:
    r"""Time-uniform bounds of scores and differences in standard errors, whoever chose the pairs and why.

    If the expected outcome of a battle, given the past and the pair, is the win rate of that pair, then :math:`M_p =
    \sum (x - \psi_p)` over the battles of each pair are martingales under any schedule, with variances :math:`V_p`,
    and for every fixed :math:`\Sigma`

    .. math::  P \Bigl( \exists t : \tfrac12 M^\top (V + \Sigma^{-1})^{-1} M \ge \log \tfrac1\alpha
               + \tfrac12 \log \det (1 + \Sigma V) \Bigr) \le \alpha,

    by mixing bets :math:`\lambda \sim N(0, \Sigma)` over all pairs, asymptotically in the number of battles [1]_. An
    estimate with error :math:`b^\top M` is then off by at most

    .. math::  \sqrt{b^\top (V + \Sigma^{-1}) b} \, \sqrt{2 \log \tfrac1\alpha + \log \det (1 + \Sigma V)} .

    A schedule may stop every pair when it favors the same agent, so equal bets on all pairs would cost as many
    logarithms as there are pairs. But the error of a score assisted by a Bradley-Terry model has *b* nearly of the
    form :math:`b_p = s_a - s_c`, and in a complete design nearly :math:`s = e_i - e_j`. So for the difference of *i*
    and *j* most is bet along that, a little on strengths of all agents, and very little on single pairs: :math:`\Sigma
    = \kappa D c c^\top D^\top + \varepsilon D D^\top + \varepsilon_p`. The smaller bound of two horizons is used, each
    with half of the error.

    Parameters
    ----------
    made : MatrixEstimate
        Of all win rates, whose means are the scores.
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
        moved = estimate.scores_along(D.multiply(1 / battles[:, None]).tocsr())
        square = estimate.scores_square(1 / battles**2)
        noise = np.maximum(of_differences(estimate.scores_square(estimate.phi * estimate.v)), 1e-300)
        self.standard_error = np.sqrt(np.maximum(of_differences(np.nan_to_num(estimate.covariance)), 0.0))
        self._costs, self._wider = [], []
        for horizon in HORIZONS:
            along, among, each = ALONG / horizon, ASIDE / horizon, APART * (n - 1) / horizon
            Q = np.asarray((D.T @ D.multiply((V / (1 + each * V))[:, None])).toarray())
            bets = of_differences(Q - Q @ np.linalg.solve(np.eye(n) / among + Q, Q))
            of_all = np.log1p(each * V).sum() + np.linalg.slogdet(np.eye(n) + among * Q)[1]
            self._costs.append(of_all + np.log1p(along * bets))
            inner = np.linalg.inv(np.eye(n) * each / among + aside)
            forms = square - moved @ inner @ moved.T, aside - aside @ inner @ aside, moved - moved @ inner @ aside
            off, of_bet, of_both = (of_differences(x / each) for x in forms)
            outside = off - along * of_both**2 / (1 + along * of_bet)
            self._wider.append(1 + np.maximum(outside, 0.0) / noise)

    def radius(self, alpha: float) -> Floats:
        """Return half-widths of differences, of scores on the diagonal, each with time-uniform error `alpha`."""
        share = np.log(len(HORIZONS) / alpha)
        squares = [wider * (2 * share + cost) for wider, cost in zip(self._wider, self._costs, strict=True)]
        return self.standard_error * np.sqrt(np.min(squares, axis=0))
