r"""Rates that follow differences of strengths, to first order, and what noise does to both.

When strengths move by :math:`d\theta` the predicted rate of a pair moves by :math:`g_p (d\theta_a - d\theta_b)`, *g* being its
*slope*. Strengths that solve :math:`\sum_p N_p (\psi_p - \sigma_p)(e_a - e_b) = 0`, every agent's expected wins equal to those
it has, move with what the clusters leave over by :math:`C \sum_c D^\top f_c`, where *D* has the rows :math:`e_a - e_b` and
*C* is the inverse of the information :math:`A = D^\top \operatorname{diag}(N g) D`. Their covariance is the *sandwich*

.. math::  C \Big( \sum_c D^\top f_c f_c^\top D \Big) C .

Fitted predictions bend towards the data, which makes what a cluster leaves over too small. An agent's part of :math:`D^\top
f_c` is therefore divided by one less the share that the cluster has of what is known about the agent, but for at least one
imaginary even battle; a battle that is a cluster of its own, by one less its leverage :math:`g_p w\, (e_a - e_b)^\top C (e_a -
e_b)`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from beatpath.fit.laplacian import across, centred_inverse, incidence, laplacian_matrix
from beatpath.inference.win_rates.estimate import WinRateEstimate
from beatpath.inference.win_rates.residuals import Residuals

Array = NDArray[np.float64]

CELLS = 4_000_000  # of a dense block of clusters by agents


class Block(NamedTuple):
    """Some clusters of one clustering: what they leave over by pair, by agent, and by agent were they left out of the fit."""

    which: int
    sign: float
    times: Array
    f: csr_array
    n: csr_array
    at_agent: csr_array
    left_out: csr_array


@dataclass(frozen=True, eq=False)
class Additive:
    """The first order of a fit: pairs that connect all agents, their weights and slopes.

    Parameters
    ----------
    n_agents : int
    a, b : (p,) int
    weight : (p,) float
        :math:`N_p`.
    battles : (p,) float
    slope : (p,) float
        :math:`g_p`.
    """

    n_agents: int
    a: NDArray[np.int32]
    b: NDArray[np.int32]
    weight: Array
    battles: Array
    slope: Array

    @cached_property
    def incidence(self) -> csr_array:
        """The (p, n) matrix *D*."""
        return incidence(self.n_agents, self.a, self.b)

    @cached_property
    def information(self) -> Array:
        """The (n, n) matrix *A*."""
        return self.laplacian(self.weight * self.slope)

    @cached_property
    def inverse(self) -> Array:
        """The (n, n) matrix *C*, of strengths with mean zero."""
        return centred_inverse(self.information)

    def laplacian(self, weight: Array) -> Array:
        """Return :math:`D^T diag(weight) D`."""
        return laplacian_matrix(self.n_agents, self.a, self.b, weight)

    def across(self, matrix: Array) -> Array:
        """Return :math:`(e_a - e_b)^T` matrix :math:`(e_a - e_b)` of every pair."""
        return across(matrix, self.a, self.b)

    @cached_property
    def leverage(self) -> Array:
        """The leverage of one battle of every pair."""
        return np.minimum(self.slope * self.across(self.inverse) * self.weight / np.maximum(self.battles, 1), 0.99)

    def blocks(self, left: Residuals) -> Iterator[Block]:
        """Yield the clusters of all clusterings, as many at a time as a dense block may hold."""
        size = max(CELLS // self.n_agents, 1)
        known, ends = np.diag(self.information), abs(self.incidence)
        imagined = 0.25 * self.weight.sum() / max(self.battles.sum(), 1.0)
        for which, part in enumerate(left.parts):
            for start in range(0, len(part.times), size):
                rows = slice(start, start + size)
                f, n = part.f[rows], part.n[rows]
                at_agent = (f @ self.incidence).tocsr()
                share = (n.multiply(self.slope[None, :]).tocsr() @ ends).tocsr()
                all_known = known[share.indices]
                share.data = all_known / np.maximum(all_known - share.data, imagined) - 1
                left_out = (at_agent + at_agent.multiply(share)).tocsr()
                yield Block(which, part.sign, part.times[rows], f, n, at_agent, left_out)

    def sandwich(self, left: Residuals) -> Array:
        """Return the (n, n) covariance of strengths of mean zero."""
        meat = self.laplacian(left.alone / (1 - self.leverage))
        for block in self.blocks(left):
            meat += block.sign * (block.left_out.T @ block.left_out).toarray()
        return self.inverse @ meat @ self.inverse


def additive(pairwise: WinRateEstimate, slope: Array) -> Additive:
    r"""Return the first order of a fit to win rates.

    Examples
    --------
    Four even battles know :math:`4 \cdot 1/4` of a difference of log odds.

    >>> from beatpath import Pairs
    >>> from beatpath.inference.win_rates.win_rates import win_rate_inference
    >>> four = win_rate_inference(Pairs(("ada", "bob"), [0], [1], [[2, 2, 0, 0]]))
    >>> made = additive(four, np.array([0.25]))
    >>> made.information, made.across(made.inverse), made.leverage
    (array([[ 1., -1.],
           [-1.,  1.]]), array([1.]), array([0.25]))
    """
    battles = pairwise.battles.astype(np.float64)
    return Additive(len(pairwise.agents), pairwise.a, pairwise.b, pairwise.weight, battles, slope)
