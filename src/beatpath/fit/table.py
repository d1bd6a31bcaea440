r"""Bradley-Terry on a table of all pairs: the log-likelihood of strengths alone, quick where most pairs met.

With wins :math:`w_{ab}`, battles :math:`n_{ab} = w_{ab} + w_{ba}` and chances :math:`p_{ab} = \sigma(\theta_a - \theta_b)`,

.. math::  \ell = \sum_{a \ne b} w_{ab} \ln p_{ab}, \qquad
           g_a = \sum_b w_{ab} - \sum_b n_{ab}\, p_{ab}, \qquad
           h_{ab} = n_{ab}\, p_{ab}\, p_{ba},

with :math:`h` the weights of the information, a graph Laplacian. A prior of :math:`p` wins and losses against strength zero adds to each. The chances take one
exponential an agent, :math:`p_{ab} = e^{\theta_a} / (e^{\theta_a} + e^{\theta_b})`, and nothing is looked up pair by pair: of 50 agents
that all met, counted before, strengths take 0.58 ms in place of 0.86 ms, of 200 agents 2.6 in place of 5.3 ms.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError

from beatpath._arrays import Floats
from beatpath.fit.laplacian import DENSE, by_diagonal, centred, conjugate_gradients, factored, inner, row_sums
from beatpath.fit.newton import Local
from beatpath.fit.ties import NO_PRIOR, Prior, logistic

FEW, MOST = 100, 400  # agents up to whom a table is quicker than a list of pairs: whatever pairs met, or where many did
MANY = 8  # one in so many of a table's cells must then be a pair that met
FAR = 300.0  # log odds from zero up to which odds, their sums and quotients are numbers
SWEEPS = 5  # towards the estimate before the first Newton step


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
    """The log-likelihood of strengths alone.

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
