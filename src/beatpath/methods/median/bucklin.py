"""Bucklin's rule: the fewest places that have to be counted until an agent stands within them on most ballots."""

import numpy as np

from beatpath._arrays import Floats, Ints
from beatpath.evidence.ties import ROUNDING, are_whole, levels_of
from beatpath.methods.graph.levels import outcome
from beatpath.methods.profile import Profile
from beatpath.methods.result import Outcome
from beatpath.methods.voting.places import Places, places_of


def bucklin(profile: Profile) -> Outcome:
    r"""Rank agents by how many places are counted until more than half of the ballots have them there.

    With :math:`s_k(a)` the weight of the ballots that have *a* among their first *k*, and *n* that of all ballots, an agent's
    depth is

    .. math::  k(a) = \min \{k : s_k(a) > n / 2\},

    its median place; the smaller comes first, and at one depth the larger :math:`s_{k(a)}(a)` [1]_. Agents that most ballots leave
    unranked come last, by :math:`s_m`.

    Parameters
    ----------
    profile : Profile
        With ballots.

    Returns
    -------
    Outcome
        Scores are :math:`m - k(a) + s_{k(a)}(a) / n` with *m* agents: the places that need not be counted, and behind the point the
        share of the ballots. Details give each agent's "depth", None where most ballots do not rank it.

    Examples
    --------
    VasE's pentathlon: nobody is first on three events of five; A and C are on four among the first two, B on two.

    >>> from beatpath import Ballots, rank
    >>> found = rank(Ballots.of(["ABC", "ACB", "CAB", "BCA"], count=[1, 1, 2, 1]), "bucklin")
    >>> found, found.scores
    (bucklin: A = C > B, {'A': 1.8, 'B': 1.0, 'C': 1.8})

    Notes
    -----
    One pass over the ballots. The first level is Bucklin's: at the smallest depth that gives anyone a majority, those with the
    largest. The order below is ours, each agent at its own depth. Agents that share places on a ballot share what counts for
    them, as in `approval`. Not Condorcet consistent, not independent of clones, not population consistent.

    References
    ----------
    .. [1] C. G. Hoag and G. H. Hallett, *Proportional Representation*, Macmillan (1926), 485-491.
    """
    ballots = profile.need_ballots("bucklin")
    n_agents, total = len(profile.agents), float(ballots.total.sum())
    support = support_by_depth(places_of(ballots, n_agents))
    allowed = 0.0 if are_whole(support).all() else ROUNDING * total
    reached = 2 * support > total + 2 * allowed
    depth = np.where(reached.any(axis=0), reached.argmax(axis=0), n_agents)
    own = support[np.minimum(depth, n_agents - 1), np.arange(n_agents)]
    score = np.maximum(n_agents - 1.0 - depth, 0.0) + np.divide(own, total, out=np.zeros_like(own), where=total > 0)
    told = {a: None if d == n_agents else int(d) + 1 for a, d in zip(profile.agents, depth, strict=True)}
    return outcome(_levels_by_depth(depth, own, allowed), score, details={"depth": told})


def support_by_depth(places: Places) -> Floats:
    """Return the weight of the ballots that have each agent among their first 1, 2, ..., m, shape (m, m agents).

    >>> from beatpath import Ballots
    >>> support_by_depth(places_of(Ballots.of([[["x"], ["y", "z"]], [["z"]]]), 3))
    array([[1. , 0. , 1. ],
           [1. , 0.5, 1.5],
           [1. , 1. , 2. ]])
    """
    step = np.zeros((places.n_agents + 1, places.n_agents))
    share = places.weight / places.tied
    np.add.at(step, (places.above, places.agent), share)
    np.add.at(step, (places.above + places.tied, places.agent), -share)
    per_place: Floats = np.cumsum(step[:-1], axis=0)
    return np.cumsum(per_place, axis=0)


def _levels_by_depth(depth: Ints, support: Floats, allowed: float) -> Ints:
    """Levels by rising depth, at one depth by falling support."""
    level, current = np.zeros(len(depth), dtype=np.int64), 0
    for at in np.unique(depth):
        here = depth == at
        level[here] = current + levels_of(support[here], allowed)
        current = int(level[here].max()) + 1
    return level
