r"""HodgeRank: potentials that fit the margins best, and the share of the margins that no ranking can explain.

A flow :math:`Y_{ab} = -Y_{ba}` on the edges of a graph, with weights :math:`w_{ab}`, is the sum of three flows that
are orthogonal under :math:`\langle X, Y \rangle = \sum_{ab} w_{ab} X_{ab} Y_{ab}`: a gradient :math:`s_a - s_b`, a
*curl* flow :math:`W^{-1} C^\top \Phi` around triangles of the graph, and a *harmonic* flow around longer cycles only,
which sums to zero around every triangle.
"""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.linalg import lsmr

from beatpath._arrays import AnyInts, Floats, Ints
from beatpath._errors import DataError
from beatpath.evidence.pairs import net_wins
from beatpath.evidence.ties import levels_of
from beatpath.fit.laplacian import DENSE, Laplacian, incident
from beatpath.methods.graph.connection import require_one_group
from beatpath.methods.profile import Profile
from beatpath.methods.result import EXACT, Outcome

Cells = tuple[NDArray[np.int32], NDArray[np.int32], Floats, Floats]  # pairs with flow and weight
CANDIDATES = 50_000_000  # limit on paths of two pairs searched for triangles, a few seconds
TRIANGLES = 3_000_000  # limit on triangles held, a few hundred MB
CHUNK = 2_000_000  # candidates held at a time
SETTLED = 1e-6  # relative residual that the equations may leave, beyond which rounding is not the cause
FACTORED, ITERATED = 1e-10, 1e-8  # accuracy of the potential, relative to the largest flow


def hodge_rank(profile: Profile) -> Outcome:
    r"""Rank agents by HodgeRank: the potential whose differences fit their mean margins best.

    With :math:`w_{ab}` the weight of the battles of a pair and the flow :math:`Y_{ab} = (N_{ab} - N_{ba}) / w_{ab}`,
    the mean margin of a battle, the potential minimizes [1]_

    .. math::  \sum_{ab} w_{ab} (s_a - s_b - Y_{ab})^2, \qquad \sum_a s_a = 0,

    over the compared pairs. The rest of the flow is cyclic. Its part around triangles of agents is the *curl*, its
    part around longer cycles only the *harmonic* flow; the three parts are orthogonal, and their shares of
    :math:`\sum w Y^2` sum to 1. A gradient share near 1 means that one number per agent explains the margins; a large
    curl or harmonic share means that preferences are intransitive and any ranking leaves much of them out.

    Parameters
    ----------
    profile : Profile
        Any evidence with margins.

    Returns
    -------
    Outcome
        The score is the potential; agents that the solver cannot separate, within 1e-10 of the largest flow or with
        many agents 1e-8, share a level. Details: ``flow``, its definition; ``pairs``; ``shares``, ``gradient``,
        ``curl`` and ``harmonic``, the latter two None if there are too many triangles (then ``cyclic`` has their
        sum), all None if the flow is zero everywhere.

    Examples
    --------
    Rock, paper and scissors: the whole flow is around one triangle.

    >>> from beatpath import Battles
    >>> from beatpath.methods.profile import profile_of
    >>> battles = Battles.of([("rock", "scissors", 1), ("scissors", "paper", 1), ("paper", "rock", 1)])
    >>> result = hodge_rank(profile_of(battles))
    >>> result.level, result.details["shares"]["curl"]
    (array([0, 0, 0]), 1.0)

    Notes
    -----
    The mean margin is the paper's binary comparison, the probability of a win minus that of a loss; log odds would be
    infinite for a pair that one side always won. Margins without counts are used as the flow, with weight one per
    compared pair. Agents that are not connected raise an error that names the groups. The potential needs one sparse
    linear system, which is refused if tens of thousands of agents form chains so long that it does not converge. The
    curl needs a sparse least-squares problem with one column per triangle, left out if there are more than three
    million triangles, or fifty million paths of two pairs to search. If some agent was compared with all others,
    there is no harmonic flow, and nothing needs to be solved.

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


def potential(n_agents: int, cells: Cells) -> Floats:
    """Return the potential with mean zero, whose weighted Laplacian is the divergence of the flow.

    >>> cells = np.array([0, 1]), np.array([1, 2]), np.array([0.5, 1.0]), np.array([4.0, 1.0])
    >>> potential(3, cells).round(9)
    array([ 0.66666667,  0.16666667, -0.83333333])
    """
    a, b, flow, weight = cells
    if not len(a):
        return np.zeros(n_agents)
    divergence = incident(n_agents, a, b, weight * flow, -weight * flow)
    laplacian = Laplacian(n_agents, a, b, weight)
    solution = laplacian.solver()(divergence, 1e-12)
    fitted = weight * (solution[a] - solution[b])
    left = divergence - incident(n_agents, a, b, fitted, -fitted)
    if n_agents > DENSE and left @ (left / laplacian.diagonal) > SETTLED**2 * (
        divergence @ (divergence / laplacian.diagonal)
    ):
        raise DataError(
            f"the potentials of {n_agents:,} agents do not converge in time: only long chains of battles connect some. "
            "Keep agents with more battles (`--min-agent-battles`), or choose some with `--only`."
        )
    return solution


def _flow(profile: Profile) -> Cells:
    """The compared pairs, sorted, with flow and weight."""
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


def hodge_shares(n_agents: int, cells: Cells, score: Floats) -> dict[str, Any]:
    """Shares of gradient, curl and harmonic flow in the weighted squared norm of the flow."""
    a, b, flow, weight = cells
    total = float(weight @ flow**2)
    if not total:
        return {"gradient": None, "curl": None, "harmonic": None}
    rest = flow - (score[a] - score[b])
    cyclic = min(float(weight @ rest**2) / total, 1.0)
    if cyclic < 1e-15 or np.bincount(np.concatenate([a, b])).max() == n_agents - 1:
        return {"gradient": 1.0 - cyclic, "curl": cyclic, "harmonic": 0.0}
    corners = triangles(n_agents, a, b)
    if corners is None:
        return {"gradient": 1.0 - cyclic, "curl": None, "harmonic": None, "cyclic": cyclic}
    curl = min(curl_part(corners, rest, weight) / total, cyclic)
    return {"gradient": 1.0 - cyclic, "curl": curl, "harmonic": cyclic - curl}


class Triangles(NamedTuple):
    """The three edges of every triangle, and +1 if the orientation goes from *a* to *b*, otherwise -1."""

    edge: Ints
    sign: Floats


def triangles(n_agents: int, a: AnyInts, b: AnyInts) -> Triangles | None:
    """Find all triangles of a graph of pairs, each listed once; None if there are too many candidates.

    Candidates are pairs of edges from an agent to others with more opponents, so that few are wasted.

    Returns
    -------
    Triangles or None
        `edge` and `sign`, shape (3, t).

    Examples
    --------
    >>> result = triangles(4, np.array([0, 0, 1, 2]), np.array([1, 2, 2, 3]))
    >>> sorted(result.edge[:, 0].tolist())
    [0, 1, 2]
    """
    opponents = np.bincount(np.concatenate([a, b]), minlength=n_agents)
    place = np.empty(n_agents, dtype=np.int64)
    place[np.argsort(opponents, kind="stable")] = np.arange(n_agents)
    low, high = np.minimum(place[a], place[b]), np.maximum(place[a], place[b])
    order = np.lexsort((high, low))
    low, high, forward = low[order], high[order], np.where(place[a] < place[b], 1.0, -1.0)

    later = np.cumsum(np.bincount(low, minlength=n_agents))[low] - np.arange(len(low)) - 1
    if later.sum() > CANDIDATES:
        return None
    parts, total = [np.zeros((3, 0), dtype=np.int64)], 0
    chunk = np.cumsum(later) // CHUNK
    for begin, end in pairwise([0, *(np.flatnonzero(np.diff(chunk)) + 1).tolist(), len(later)]):
        parts.append(_closed(n_agents, low, high, begin, later[begin:end]))
        total += parts[-1].shape[1]
        if total > TRIANGLES:
            return None
    edge = order[np.concatenate(parts, axis=1)]
    return Triangles(edge, forward[edge] * np.array([[1.0], [1.0], [-1.0]]))


def _closed(n_agents: int, low: Ints, high: Ints, begin: int, later: Ints) -> Ints:
    """The triangles whose first edge is in a run: edges (i, j), (j, k) and (i, k), shape (3, t)."""
    ij = np.repeat(np.arange(begin, begin + len(later)), later)
    ik = np.arange(len(ij)) - np.repeat(np.cumsum(later) - later, later) + ij + 1
    code, wanted = low * n_agents + high, high[ij] * n_agents + high[ik]
    jk = np.minimum(np.searchsorted(code, wanted), len(code) - 1)
    closed = code[jk] == wanted
    return np.stack([ij[closed], jk[closed], ik[closed]])


def curl_part(corners: Triangles, flow: Floats, weight: Floats) -> float:
    r"""Return the squared norm of the projection of a flow onto the flows around triangles.

    With :math:`C` the matrix that sums a flow around every triangle, the projection is :math:`W^{-1} C^\top \Phi` for
    the :math:`\Phi` that minimizes :math:`\|W^{1/2} Y - W^{-1/2} C^\top \Phi\|`. Columns are normalized, so that very
    unequal numbers of battles do not slow convergence.

    >>> circle = Triangles(np.array([[0], [2], [1]]), np.array([[1.0], [1.0], [-1.0]]))
    >>> round(curl_part(circle, np.array([1.0, -1.0, 1.0]), np.ones(3)), 9)
    3.0
    """
    n = corners.edge.shape[1]
    if not n:
        return 0.0
    root = np.sqrt(weight)
    each = corners.sign / root[corners.edge]
    entries = (each / np.sqrt((each**2).sum(axis=0))).ravel()
    around = csr_array((entries, (corners.edge.ravel(), np.tile(np.arange(n), 3))), shape=(len(flow), n))
    phi = lsmr(around, root * flow, atol=1e-10, btol=1e-10, conlim=0, maxiter=20_000)[0]
    part = around @ phi
    return float(part @ part)
