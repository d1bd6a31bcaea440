r"""Who plays next: the chance with which each pair is drawn, from what was seen so far.

With pairs drawn by chances :math:`\pi`, a battle adds to the difference of two scores a variance of

.. math::  v_{ij}(\pi) = \frac{1}{(n-1)^2} \sum_k w_k(i, j)^2 \sigma_k^2 / \pi_k,

where :math:`w` is 1 for a pair of one of the two agents with a third, 2 for their own, 0 for others. Where :math:`r_{ij}` is the
information that a difference lacks until the goal is settled, it takes :math:`r_{ij} v_{ij}(\pi)` more battles. `adaptive` makes the
sum of these least:

.. math::  \pi_k \propto \sigma_k \sqrt{\textstyle \sum_{ij} r_{ij} w_k(i, j)^2}.

A floor of even chances keeps every pair estimable. (The chances that make the largest of them least were tried: they follow the
noise in the one difference that seems to lack most, and took as many battles or more.)

`d_optimal` and `a_optimal` are the designs of "Fewer Battles, More Gain" [1]_ for strengths of Bradley-Terry with Fisher
information :math:`F = \sum_k N_k \sigma_k^2 (e_a - e_b)(e_a - e_b)^\top`: the next battles make :math:`\log \det F` largest, or
:math:`\operatorname{tr} F^{-1}` least. There the pair that gains most is played; here pairs are drawn, in the shares that this
comes to and over the same floor, so that the board holds. Both are blind to the goal. `uniform` draws all pairs alike.

References
----------
.. [1] Z. Liu and others, "Fewer Battles, More Gain: An Information-Efficient Framework for Arena-based LLM Evaluation",
       *ICLR* (2026).
"""

from typing import Literal, get_args

import numpy as np

from beatpath._arrays import Floats, Ints
from beatpath._errors import UsageError
from beatpath._text import quoted, suggestion
from beatpath.arena.standing import Goal
from beatpath.fit.laplacian import across, centred_inverse, laplacian_matrix
from beatpath.inference.anytime.anytime_board import AnytimeBoard

Policy = Literal["adaptive", "uniform", "a_optimal", "d_optimal"]
FLOOR = 0.2  # share of battles that go to all pairs alike
ROUNDS = 20  # in which the shares of a design settle


def require_policy(policy: str) -> None:
    """Refuse a policy that does not exist."""
    if policy not in get_args(Policy):
        raise UsageError(
            f"`policy` must be one of {', '.join(get_args(Policy))}; got {quoted(policy)}.{suggestion(policy, get_args(Policy))}"
        )


def chances(
    policy: str, a: Ints, b: Ints, predicted: Floats, battles: Floats, board: AnytimeBoard, goal: Goal
) -> Floats:
    """Return the chance of every pair.

    Parameters
    ----------
    policy : str
    a, b : (m,) int
        All pairs.
    predicted, battles : (m,) float
        The win rate of each as predicted, and how many battles of it were answered.
    board : AnytimeBoard
    goal : Goal
    """
    even = np.full(len(a), 1 / len(a))
    missing = goal.missing(board)
    if policy == "uniform" or not board.battles or not missing.any():
        return even
    if policy == "adaptive":
        return soonest(a, b, predicted, missing)
    return optimal(policy, a, b, predicted, battles, len(board.agents))


def soonest(a: Ints, b: Ints, predicted: Floats, missing: Floats) -> Floats:
    """Return chances by which the information that differences lack is there soonest, taken together.

    Examples
    --------
    When the first two agents are all that is left to tell apart, their own battles are worth most.

    >>> a, b = np.triu_indices(3, 1)
    >>> missing = np.zeros((3, 3))
    >>> missing[0, 1] = missing[1, 0] = 500.0
    >>> soonest(a, b, np.full(3, 0.5), missing).round(3).tolist()
    [0.467, 0.267, 0.267]
    """
    of_agent = missing.sum(axis=1)
    squares = of_agent[a] + of_agent[b] + 2 * missing[a, b]  # their own: 4, less 1 in each of the two sums
    return _floored(np.sqrt(predicted * (1 - predicted) * squares))


def optimal(policy: str, a: Ints, b: Ints, predicted: Floats, battles: Floats, n_agents: int) -> Floats:
    """Return chances by which strengths on one scale are surest after as many battles again, or a battle a pair if that is more.

    Examples
    --------
    Battles of agents that are known to be unequal say little of either.

    >>> a, b = np.triu_indices(3, 1)
    >>> optimal("d_optimal", a, b, np.array([0.5, 0.9, 0.9]), np.full(3, 10.0), 3).round(2).tolist()
    [0.52, 0.24, 0.24]
    """
    variance, ahead = predicted * (1 - predicted), max(float(battles.sum()), float(len(a)))
    share = np.full(len(a), 1 / len(a))
    for _ in range(ROUNDS):
        C = centred_inverse(laplacian_matrix(n_agents, a, b, (battles + ahead * share) * variance))
        share = (
            share * variance * across(C, a, b)
            if policy == "d_optimal"
            else share * np.sqrt(variance * across(C @ C, a, b))
        )
        share /= share.sum()
    return _floored(share)


def _floored(worth: Floats) -> Floats:
    weights: Floats = FLOOR / len(worth) + (1 - FLOOR) * worth / worth.sum()
    return weights
