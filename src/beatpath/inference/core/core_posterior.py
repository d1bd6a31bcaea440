"""The core posterior: how probable it is that each agent belongs to the Top Cycle, given the counts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beatpath._errors import DataError, UsageError
from beatpath.evidence import Pairs
from beatpath.inference.core.core_edges import CoreEdges, core_edges
from beatpath.inference.core.core_sets import EDGE, CoreSets, core_sets, log_prior
from beatpath.methods.result import EXACT, SCHEMA_VERSION


@dataclass(frozen=True, slots=True, eq=False)
class CorePosterior:
    """What the counts say about who is in the core.

    Parameters
    ----------
    agents : tuple of str
    probability : (n,) float
        Of each agent to be in the Top Cycle.
    most_probable : tuple of str
        The most probable core, in the order of `agents`; when several are, the status says so.
    most_probable_probability : float
        Of that set to be the core, exactly.
    size : (n + 1,) float
        Probability of each number of members.
    status : str
        "exact" when all sets of agents were weighed and one is the most probable, else what to know.
    settings : mapping
        ``strength``, the mean win probability of the better agent of a pair, as fitted; ``sets``, how many sets were
        weighed.
    """

    agents: tuple[str, ...]
    probability: NDArray[np.float64]
    most_probable: tuple[str, ...]
    most_probable_probability: float
    size: NDArray[np.float64]
    status: str
    settings: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data that JSON can carry."""
        return {
            "schema_version": SCHEMA_VERSION,
            "type": "core_posterior",
            "top_cycle": dict(zip(self.agents, self.probability.tolist(), strict=True)),
            "most_probable": {"members": list(self.most_probable), "probability": self.most_probable_probability},
            "size": {str(k): float(p) for k, p in enumerate(self.size) if p > 0},
            "status": self.status,
            "settings": dict(self.settings),
        }


def core_posterior(pairs: Pairs) -> CorePosterior:
    r"""Return the probability of each agent to be in the Top Cycle, and the most probable core.

    A tournament is a core *C*, strongly connected, whose members beat everyone else, and others in some order that upsets
    may break. With :math:`q_{ab}` the probability that *a* is the better of a pair given its score,

    .. math::

        P(C \mid \text{counts}) \propto \frac{1}{|C|} \frac{|C|!}{S_{|C|}} \Pr(C \text{ strong})
        \prod_{a \in C, b \notin C} 2 q_{ab}
        \sum_{\text{orders}} \prod_{a \text{ above } b} 2 \big( (1 - \epsilon) q_{ab} + \epsilon q_{ba} \big),

    the sum being over the orders of those outside *C*, and :math:`S_k` the share of tournaments of *k* agents that are
    strong. How one-sided pairs are is fitted to the counts, the rate of upsets :math:`\epsilon` is summed over values from
    0.001 to 1/2, which is no order at all, and the prior of a size *k* is in proportion to :math:`1 / k`. That outsiders
    have an order is what keeps strong outsiders outside: without it an agent that beats nearly everyone looks
    like a member.

    Parameters
    ----------
    pairs : Pairs
        Settled: wins and losses say everything. Cells split by keys are added up.

    Returns
    -------
    CorePosterior

    Examples
    --------
    Rock, paper and scissors beat one another in a circle, and all three beat the stone.

    >>> cells = [(0, 1, 2, 18), (0, 2, 18, 2), (0, 3, 17, 3), (1, 2, 3, 17), (1, 3, 18, 2), (2, 3, 19, 1)]
    >>> a, b, won, lost = zip(*cells)
    >>> counts = np.column_stack([won, lost, np.zeros((6, 2))])
    >>> found = core_posterior(Pairs(("rock", "paper", "scissors", "stone"), a, b, counts))
    >>> found.most_probable
    ('rock', 'paper', 'scissors')
    >>> found.probability.round(2)
    array([1., 1., 1., 0.])

    Notes
    -----
    Up to 12 agents all sets and all orders are summed. Among more, agents are first put in an order of high likelihood;
    all subsets of its first 12 are weighed, or of its first 14 or 16 when the last still matter, everyone below being
    outside; and where a long prefix of the order weighs as much, sets that reach so far. The status says when
    agents beyond may matter. Nothing is random; where two agents with the same record stand on both sides of the
    end, the earlier one in `agents` is inside.

    :math:`O(2^t t^2)` for a window of *t*, and :math:`O(n^2)` a pass of the search for the order.

    The probability of being strong leaves out tournaments of six or more that fall into two parts of three or more.
    An exact tie (a win probability of one half) has no place in the model: such a pair counts as one not yet decided.

    See Also
    --------
    beatpath.methods.soft_core.soft_top_cycle : membership scores that are not probabilities
    """
    n = len(pairs.agents)
    if n == 0:
        raise DataError("a core needs at least one agent; there are none. Give pairs with agents.")
    if pairs.counts[:, 2:].any():
        raise UsageError("`pairs` must hold wins and losses alone; got ties too. Call `pairs.settle()` first.")
    settled = pairs.by()
    if not settled.counts[:, :2].sum() > 0:
        return _prior_alone(settled.agents)
    edges = core_edges(settled)
    found = core_sets(edges)
    return CorePosterior(
        settled.agents,
        found.probability,
        tuple(name for name, inside in zip(settled.agents, found.best, strict=True) if inside),
        found.best_probability,
        found.size,
        _posterior_status(n, found),
        _posterior_settings(edges, found),
    )


def _prior_alone(agents: tuple[str, ...]) -> CorePosterior:
    """Nothing was compared: all agents are alike, and the sizes have their prior."""
    n = len(agents)
    k = np.arange(n + 1)
    size = np.where(np.isfinite(log_prior(n)), 1 / np.maximum(k, 1), 0.0)
    size /= size.sum()
    named = agents if n != 2 else agents[:1]  # all together are as probable as any one alone; two are no cycle
    status = EXACT if n == 1 else "no comparisons: the prior alone, by which no agent and no set is ahead"
    return CorePosterior(agents, np.full(n, size @ k / n), named, float(size[1] / n), size, status, {"sets": 0})


def _posterior_status(n: int, found: CoreSets) -> str:
    said = []
    if found.n_best > 1:
        said.append(f"{found.n_best} sets are equally probable, one of which is named")
    if found.window < n:
        small = f"some may matter: its last two have a membership of up to {found.edge:.2g}"
        why = "being improbable" if found.edge < EDGE else small
        said.append(f"sets that reach below the first {found.window} of {n} agents were left out, {why}")
    return "; ".join(said) or EXACT


def _posterior_settings(edges: CoreEdges, found: CoreSets) -> dict[str, Any]:
    return {"strength": edges.strength, "sets": found.n_sets}
