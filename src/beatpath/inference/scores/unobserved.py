r"""Pairs never played, filled by what one scale predicts for them.

With Bradley-Terry strengths :math:`\theta` an unobserved pair gets :math:`\sigma(\theta_a - \theta_b)`. Such a rate moves with
every battle that moved the strengths: :math:`d\theta / d\psi_p = A^{-1} (e_a - e_b) N_p`, *A* being the information of the fit,
so its error is carried along with those of the rates that were seen.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from beatpath.inference.scale.additive import additive
from beatpath.inference.scale.projection import Projection
from beatpath.inference.win_rates.residuals import restricted

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Filled:
    r"""Pairs that never met, with predicted rates.

    Parameters
    ----------
    a, b : (q,) int
        The pairs, ``a < b``.
    rate : (q,) float
        Predicted share of *a*.
    slope : (q,) float
        What a unit of strength does to it, :math:`\sigma (1 - \sigma)`.
    moved : (n, p) float
        :math:`d\theta / d\psi_p`.
    mixed : (n, p) float
        What a pair's share of battles in a cluster does to the strengths, zero where one scale fits.
    """

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    rate: Array
    slope: Array
    moved: Array
    mixed: Array


def filled(found: Projection) -> Filled:
    """Return predictions for all pairs that never met among agents that have finite strengths.

    Examples
    --------
    Odds of three and three make odds of nine.

    >>> from beatpath import Pairs
    >>> from beatpath.inference.scale.projection import bradley_terry_projection
    >>> from beatpath.inference.win_rates.win_rates import win_rate_inference
    >>> told = Pairs(("ada", "bob", "cyd"), [0, 1], [1, 2], [[15, 5, 0, 0], [15, 5, 0, 0]])
    >>> float(filled(bradley_terry_projection(win_rate_inference(told))).rate[0].round(9))
    0.9
    """
    pairwise, strength = found.pairwise, found.board.score
    n = len(pairwise.agents)
    known = np.isfinite(strength)
    open_ = np.triu(np.outer(known, known), 1)
    open_[pairwise.a, pairwise.b] = False
    a, b = np.nonzero(open_)
    rate = 1 / (1 + np.exp(strength[b] - strength[a]))
    inside, kept = restricted(pairwise, known)
    predicted = found.predicted[kept]
    fit = additive(inside, predicted * (1 - predicted))
    own = fit.inverse @ csr_array(fit.incidence.T.multiply(inside.weight[None, :])).toarray()
    moved = np.zeros((n, len(pairwise.rate)))
    moved[np.ix_(known, kept)] = own
    mixed = np.zeros_like(moved)
    mixed[:, kept] = moved[:, kept] * (inside.rate - predicted)
    return Filled(a, b, rate, rate * (1 - rate), moved, mixed)
