r"""Soft edges of the pairs that met, and of no others: what a core needs when there are too many agents for all pairs.

A pair that never met has no edge in either direction. For posterior edges that is what eq. (20) of Soft Tournament
Equilibrium gives it anyway. For the soft majorities of eq. (4) it is not: an even pair has two edges of one half there, and
section 4.6.2 asks that leaving them out be said. So every choice is a convention that the result carries.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array
from scipy.special import expit

from beatpath._arrays import Bools, Floats, Ints
from beatpath._errors import UsageError
from beatpath._text import quoted
from beatpath.evidence import Convention, Pairs
from beatpath.methods.soft_core.edges import EDGES, pair_probability, require_known, two_way
from beatpath.methods.soft_core.soft_extremum import require_temperature

Column = Floats

ROUNDING = 1e-12  # strength below which an edge is an even pair, rounded
OBSERVED = "only pairs that met have edges; a pair that never met has none in either direction"


@dataclass(frozen=True, slots=True, eq=False)
class SparseEdges:
    """Edges one by one, and how they were made.

    Attributes
    ----------
    agents : tuple of str
    start, end : (m,) int
        The agent that an edge leaves and the one it enters; no two edges have both in common.
    strength : (m,) float
        Above zero, at most one.
    conventions : tuple of Convention
        The kind of edge, which pairs have one, and what was pruned.
    """

    agents: tuple[str, ...]
    start: Ints
    end: Ints
    strength: Column
    conventions: tuple[Convention, ...] = ()

    def table(self) -> csr_array:
        """Return the edges as a sparse matrix, row over column."""
        return csr_array((self.strength, (self.start, self.end)), shape=(len(self.agents),) * 2)


def pair_strengths(
    wins: Column, losses: Column, *, edges: str, tau: float, weight: Column | float = 1.0
) -> tuple[Column, Column]:
    r"""Return the soft edge of each pair's first agent to its second, and the one back.

    Eq. (20) of Soft Tournament Equilibrium for posterior edges; eq. (4) for others, with temperature `tau` and the weights of
    its section F.3. The pairs must have battles.

    >>> pair_strengths(np.array([3.0]), np.array([1.0]), edges="posterior", tau=0.05)[0].round(3)
    array([0.679])
    >>> [edge.round(4) for edge in pair_strengths(np.array([3.0]), np.array([1.0]), edges="empirical", tau=0.1)]
    [array([0.9241]), array([0.0759])]
    """
    require_known("edges", edges, EDGES)
    require_temperature("tau", tau)
    P = pair_probability(wins, losses, edges)
    if edges == "posterior":
        return np.maximum(0.0, 2.0 * P - 1.0), np.maximum(0.0, 2.0 * (1 - P) - 1.0)
    return expit((P - 0.5) * weight / tau), expit((1 - P - 0.5) * weight / tau)


def pair_weights(battles: Column, edges: str) -> Column:
    """Return how much each pair that met counts: in proportion to its battles, one on average, for weighted edges; else one.

    >>> pair_weights(np.array([1.0, 3.0]), "weighted")
    array([0.5, 1.5])
    """
    return battles / battles.mean() if edges == "weighted" and len(battles) else np.ones_like(battles)


def sparse_edges(settled: Pairs, *, edges: str = "posterior", tau: float = 0.05) -> SparseEdges:
    """Return the soft edges of the pairs that met.

    Parameters
    ----------
    settled : Pairs
        With ties and both-bad settled, so that wins and losses say everything.
    edges : {"posterior", "empirical", "weighted"}
        As for `edges_from_pairs`.
    tau : float
        Temperature of edges that are not posterior ones, above zero.

    Returns
    -------
    SparseEdges

    Examples
    --------
    >>> pairs = Pairs(("ada", "bob", "cyd"), [0, 1], [1, 2], [[3, 1, 0, 0], [1, 3, 0, 0]])
    >>> found = sparse_edges(pairs)
    >>> found.start, found.end, found.strength.round(3)
    (array([0, 2]), array([1, 1]), array([0.679, 0.679]))
    >>> print(found.conventions[1])
    missing_pairs=absent: only pairs that met have edges; a pair that never met has none in either direction (1 affected)
    """
    settled = two_way(settled)
    n = len(settled.agents)
    wins, losses = settled.counts[:, 0], settled.counts[:, 1]
    met = wins + losses > 0
    a, b = settled.a[met].astype(np.int64), settled.b[met].astype(np.int64)
    weight = pair_weights((wins + losses)[met], edges)
    forward, backward = pair_strengths(wins[met], losses[met], edges=edges, tau=tau, weight=weight)
    said = (
        Convention("edges", edges, EDGES[edges], float(len(a))),
        Convention("missing_pairs", "absent", OBSERVED, float(n * (n - 1) // 2 - len(a))),
    )
    start, end = np.concatenate([a, b]), np.concatenate([b, a])
    strength = np.concatenate([forward, backward])
    there = strength > ROUNDING
    return SparseEdges(settled.agents, start[there], end[there], strength[there], said)


def pruned(edges: SparseEdges, *, least: float = 0.0, strongest: int | None = None) -> SparseEdges:
    r"""Return the edges without weak ones, and say how many were left out.

    Pruning takes paths away, so no Top Cycle score rises by it. Uncovered Set scores may move either way: an edge to a
    rival can be what covers it, or what keeps another from covering.

    Parameters
    ----------
    edges : SparseEdges
    least : float
        Edges weaker than this are left out, from 0, which keeps all, to 1.
    strongest : int, optional
        An edge is kept if it is among so many strongest that leave its agent, or among as many that enter; edges as strong
        as the last of these are kept too.

    Examples
    --------
    >>> some = SparseEdges(("ada", "bob", "cyd"), np.array([0, 0, 1]), np.array([1, 2, 2]), np.array([0.9, 0.3, 0.6]))
    >>> pruned(some, least=0.5).strength
    array([0.9, 0.6])
    >>> found = pruned(some, strongest=1)  # ada's best, and the best against cyd, which is bob's only one
    >>> found.strength, found.conventions[0].affected
    (array([0.9, 0.6]), 1.0)
    """
    if isinstance(least, bool) or not isinstance(least, int | float | np.floating) or not 0 <= least <= 1:
        raise UsageError(f"`least` must be the strength of an edge, from 0 to 1; got {quoted(least)}.")
    whole = isinstance(strongest, int | np.integer) and not isinstance(strongest, bool)
    if strongest is not None and not (whole and strongest >= 1):
        raise UsageError(f"`strongest` must be a number of edges, 1 or more, or None for all; got {quoted(strongest)}.")
    kept = edges.strength >= least
    if strongest is not None:
        kept &= _among_strongest(edges.start, edges, strongest) | _among_strongest(edges.end, edges, strongest)
    value = ", ".join([f"least {least:g}"] * (least > 0) + [f"strongest {strongest}"] * (strongest is not None))
    told = Convention("pruning", value or "none", _pruning_meaning(least, strongest), float((~kept).sum()))
    return replace(
        edges,
        start=edges.start[kept],
        end=edges.end[kept],
        strength=edges.strength[kept],
        conventions=(*edges.conventions, told),
    )


def _among_strongest(agent: Ints, edges: SparseEdges, most: int) -> Bools:
    """Whether an edge is at least as strong as the last of the `most` strongest of its agent."""
    order = np.lexsort((-edges.strength, agent))
    first = np.searchsorted(agent[order], np.arange(len(edges.agents)))
    number = np.bincount(agent, minlength=len(edges.agents))
    bar = np.zeros(len(edges.agents))
    full = number >= most
    bar[full] = edges.strength[order[first[full] + most - 1]]
    return edges.strength >= bar[agent]


def _pruning_meaning(least: float, strongest: int | None) -> str:
    if least == 0 and strongest is None:
        return "every edge is kept"
    weak = f"edges weaker than {least:g} are left out" if least > 0 else ""
    few = f"an edge is kept if it is among the {strongest} strongest that leave or enter an agent" if strongest else ""
    return "; ".join(part for part in (weak, few) if part)
