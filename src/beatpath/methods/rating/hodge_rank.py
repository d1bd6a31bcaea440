"""HodgeRank: potentials that explain the margins best, and how much of them no ranking can explain."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from beatpath.evidence.pairs import net_wins
from beatpath.evidence.ties import levels_of
from beatpath.methods.graph.meeting import require_one_group
from beatpath.methods.numeric.laplacian import DENSE, Laplacian, incident
from beatpath.methods.profile import Profile
from beatpath.methods.rating.hodge_parts import curl_part, triangles
from beatpath.methods.result import EXACT, Outcome

Array = NDArray[np.float64]
Cells = tuple[NDArray[np.int32], NDArray[np.int32], Array, Array]
FACTORED, ITERATED = 1e-10, 1e-8  # accuracy of the potential, in units of the largest flow


def hodge_rank(profile: Profile) -> Outcome:
    r"""Rank agents by the potential whose differences come nearest to their mean margins over each other.

    With :math:`w_{ab}` the weight of the battles of a pair and the flow :math:`Y_{ab} = (N_{ab} - N_{ba}) / w_{ab}`, the mean
    margin of a battle, the potential minimises [1]_

    .. math::  \sum_{ab} w_{ab} (s_a - s_b - Y_{ab})^2, \qquad \sum_a s_a = 0,

    over the pairs that met. What is left of the flow runs in circles. Its part round triangles of agents is the *curl*, its
    part round longer circles only the *harmonic* flow; the three parts are orthogonal, and their shares of
    :math:`\sum w Y^2` add up to 1. A gradient share near 1 says that one number an agent explains the margins; a large curl
    or harmonic share says that any ranking leaves much of them out.

    Returns
    -------
    Outcome
        The score is the potential; those that the solver cannot tell apart, 1e-10 of the largest flow or with many agents 1e-8,
        share a level. Details: ``flow``, what it is; ``pairs``;
        ``shares``, ``gradient``, ``curl`` and ``harmonic``, the latter two None where there are too many triangles to look at
        (then ``cyclic`` holds their sum), all None when the flow is zero everywhere.

    Examples
    --------
    Rock, paper and scissors: all flow runs round one triangle.

    >>> from beatpath import Battles
    >>> from beatpath.methods.profile import profile_of
    >>> battles = Battles.of([("rock", "scissors", 1), ("scissors", "paper", 1), ("paper", "rock", 1)])
    >>> found = hodge_rank(profile_of(battles))
    >>> found.level, found.details["shares"]["curl"]
    (array([0, 0, 0]), 1.0)

    Notes
    -----
    The mean margin is the paper's binary comparison, the chance of a win minus that of a loss; log-odds would be infinite
    for a pair that one side always won. Margins given without counts are the flow as they are, each pair that met
    weighing one. Agents that never met, even through others, are refused with the groups named. The potential needs one
    sparse linear system; the curl a sparse least-squares problem with a column a triangle, left out where
    there are more than three million triangles, or fifty million paths of two pairs to look for them on. Where some agent met all others there can be no harmonic
    flow, and nothing needs to be solved.

    References
    ----------
    .. [1] X. Jiang, L.-H. Lim, Y. Yao, Y. Ye, "Statistical ranking and combinatorial Hodge theory", *Mathematical
           Programming* 127 (2011), 203-244.
    """
    a, b, flow, weight = _flow(profile)
    require_one_group(profile.agents, a, b, "hodge_rank")
    score = potential(len(profile.agents), (a, b, flow, weight))
    shares = hodge_shares(len(profile.agents), (a, b, flow, weight), score)
    name = "margins as given" if profile.settled is None else "mean margin of a battle"
    status = EXACT if shares["gradient"] is not None else "no pair has a winner: there is no flow to explain"
    accuracy = FACTORED if len(score) <= DENSE else ITERATED
    level = levels_of(score, accuracy * float(np.abs(flow).max(initial=0.0)))
    return Outcome(level, score, status, {"flow": name, "pairs": len(a), "shares": shares})


def potential(n_agents: int, cells: Cells) -> Array:
    """Return the potential with mean zero: the weighted Laplacian times it is the divergence of the flow.

    >>> cells = np.array([0, 1]), np.array([1, 2]), np.array([0.5, 1.0]), np.array([4.0, 1.0])
    >>> potential(3, cells).round(9)
    array([ 0.66666667,  0.16666667, -0.83333333])
    """
    a, b, flow, weight = cells
    if not len(a):
        return np.zeros(n_agents)
    divergence = incident(n_agents, a, b, weight * flow, -weight * flow)
    return Laplacian(n_agents, a, b, weight, np.zeros(n_agents)).solver()(divergence, 1e-12)


def _flow(profile: Profile) -> Cells:
    """The pairs that met, in order, with flow and weight."""
    if profile.settled is None:
        played = profile.margins.played
        assert played is not None
        a, b = (side.astype(np.int32) for side in np.nonzero(np.triu(played, 1)))
        return a, b, profile.margins.matrix[a, b], np.ones(len(a))
    settled = profile.settled
    weight = settled.counts.sum(axis=1)
    met = np.lexsort((settled.b, settled.a))
    met = met[weight[met] > 0]
    return settled.a[met], settled.b[met], net_wins(settled)[met] / weight[met], weight[met]


def hodge_shares(n_agents: int, cells: Cells, score: Array) -> dict[str, Any]:
    """How much of the flow's weighted squared norm is gradient, curl and harmonic."""
    a, b, flow, weight = cells
    total = float(weight @ flow**2)
    if not total:
        return {"gradient": None, "curl": None, "harmonic": None}
    rest = flow - (score[a] - score[b])
    cyclic = min(float(weight @ rest**2) / total, 1.0)
    if cyclic < 1e-15 or np.bincount(np.concatenate([a, b])).max() == n_agents - 1:
        return {"gradient": 1.0 - cyclic, "curl": cyclic, "harmonic": 0.0}
    found = triangles(n_agents, a, b)
    if found is None:
        return {"gradient": 1.0 - cyclic, "curl": None, "harmonic": None, "cyclic": cyclic}
    curl = min(curl_part(found, rest, weight) / total, cyclic)
    return {"gradient": 1.0 - cyclic, "curl": curl, "harmonic": cyclic - curl}
