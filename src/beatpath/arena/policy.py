r"""Sampling policies of an arena: the probability of each pair to play next, given the outcomes so far.

With pairs sampled by probabilities :math:`\pi`, a battle adds to the difference of two scores a variance of

.. math::  v_{ij}(\pi) = \frac{1}{(n-1)^2} \sum_k w_k(i, j)^2 \sigma_k^2 / \pi_k,

where :math:`w` is 1 for a pair of one of the two agents with a third, 2 for their own pair, and 0 for others. With
:math:`r_{ij}` the information that a difference lacks to reach the goal, it takes :math:`r_{ij} v_{ij}(\pi)` more
battles. `adaptive` minimizes the sum of these:

.. math::  \pi_k \propto \sigma_k \sqrt{\textstyle \sum_{ij} r_{ij} w_k(i, j)^2}.

For the core every pair has its own verdict, so :math:`\pi_k` is proportional to the battles that the pair lacks.

A floor of equal probabilities keeps every pair estimable. (Minimizing the maximum instead of the sum was tried: it
follows the noise in the one difference that seems to lack most, and took as many battles or more.)

`d_optimal` and `a_optimal` are the designs of "Fewer Battles, More Gain" [1]_ for Bradley-Terry strengths with Fisher
information :math:`F = \sum_k N_k \sigma_k^2 (e_a - e_b)(e_a - e_b)^\top`: the next battles maximize :math:`\log \det
F`, or minimize :math:`\operatorname{tr} F^{-1}`. The paper plays the pair with the largest gain; here pairs are
sampled in the resulting shares over the same floor, so that the confidence statements stay valid. Both ignore the
goal. `uniform` samples all pairs equally.

References
----------
.. [1] Z. Liu and others, "Fewer Battles, More Gain: An Information-Efficient Framework for Arena-based LLM Evaluation",
       *ICLR* (2026).
"""

from typing import Literal, get_args

import numpy as np

from beatpath._arrays import Floats, Ints
from beatpath._validate import require_choice
from beatpath.arena.standing import Goal
from beatpath.fit.laplacian import across, centered_inverse, laplacian_matrix
from beatpath.inference.anytime.anytime_board import AnytimeBoard

Policy = Literal["adaptive", "uniform", "a_optimal", "d_optimal"]  # the policies
FLOOR = 0.1  # share of battles that is spread over all pairs equally
ROUNDS = 20  # rounds in which the shares of a design converge


def require_policy(policy: str) -> None:
    """Raise an error if there is no such policy."""
    require_choice("policy", policy, get_args(Policy))


def chances(
    policy: str, a: Ints, b: Ints, predicted: Floats, battles: Floats, board: AnytimeBoard, goal: Goal
) -> Floats:
    """Return the probability of every pair.

    Parameters
    ----------
    policy : str
        The policy.
    a, b : (m,) int
        All pairs.
    predicted, battles : (m,) float
        Predicted win rate and number of answered battles of each pair.
    board : AnytimeBoard
        The current board.
    goal : Goal
        The goal.

    Returns
    -------
    (m,) float
        Probabilities that sum to one.
    """
    even = np.full(len(a), 1 / len(a))
    missing = goal.missing(board)
    if policy == "uniform" or not board.battles or not missing.any():
        return even
    if policy == "adaptive" and goal.core:
        return _floored(missing[a, b])
    if policy == "adaptive":
        return fastest(a, b, predicted, missing)
    return optimal(policy, a, b, predicted, battles, len(board.agents))


def fastest(a: Ints, b: Ints, predicted: Floats, missing: Floats) -> Floats:
    """Return probabilities that minimize the total number of battles until all differences have enough information.

    Examples
    --------
    If only the first two agents remain to be separated, their own battles are worth most.

    >>> a, b = np.triu_indices(3, 1)
    >>> missing = np.zeros((3, 3))
    >>> missing[0, 1] = missing[1, 0] = 500.0
    >>> fastest(a, b, np.full(3, 0.5), missing).round(3).tolist()
    [0.483, 0.258, 0.258]
    """
    of_agent = missing.sum(axis=1)
    squares = of_agent[a] + of_agent[b] + 2 * missing[a, b]  # their own pair counts 4, minus 1 in each of the two sums
    return _floored(np.sqrt(predicted * (1 - predicted) * squares))


def optimal(policy: str, a: Ints, b: Ints, predicted: Floats, battles: Floats, n_agents: int) -> Floats:
    """Return probabilities that maximize the precision of Bradley-Terry strengths after as many battles again.

    The horizon is at least one battle per pair.

    Examples
    --------
    Battles between agents known to be unequal carry little information.

    >>> a, b = np.triu_indices(3, 1)
    >>> optimal("d_optimal", a, b, np.array([0.5, 0.9, 0.9]), np.full(3, 10.0), 3).round(2).tolist()
    [0.54, 0.23, 0.23]
    """
    variance, ahead = predicted * (1 - predicted), max(float(battles.sum()), float(len(a)))
    share = np.full(len(a), 1 / len(a))
    for _ in range(ROUNDS):
        C = centered_inverse(laplacian_matrix(n_agents, a, b, (battles + ahead * share) * variance))
        share = (
            share * variance * across(C, a, b)
            if policy == "d_optimal"
            else share * np.sqrt(variance * across(C @ C, a, b))
        )
        share /= share.sum()
    return _floored(share)


def _floored(worth: Floats) -> Floats:
    return FLOOR / len(worth) + (1 - FLOOR) * worth / worth.sum()
