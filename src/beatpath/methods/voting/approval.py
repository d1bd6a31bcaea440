"""Approval of the first k: how often an agent is among them."""

import numpy as np

from beatpath._arrays import Floats
from beatpath._errors import UsageError
from beatpath._text import counted, quoted
from beatpath.methods.graph.levels import by_score
from beatpath.methods.profile import Profile
from beatpath.methods.result import Outcome
from beatpath.methods.voting.places import Places, places_of

DEFAULT_K = 3


def approval(profile: Profile, k: int | None = None) -> Outcome:
    """Rank agents by the votes that have them among the first `k`.

    Parameters
    ----------
    profile : Profile
        With ballots.
    k : int, optional
        From 1 to the number of agents. By default 3, which VasE uses for its tables, or all agents if they are fewer.

    Returns
    -------
    Outcome
        Scores of VasE's appendix; see `approval_scores`. Details give `k`.
    """
    ballots = profile.need_ballots("approval")
    k = min(DEFAULT_K, len(profile.agents)) if k is None else require_k(k, len(profile.agents))
    return by_score(approval_scores(places_of(ballots, k), k), {"k": k})


def approval_scores(places: Places, k: int) -> Floats:
    r"""Return the weight of the ballots that have each agent among their first `k`.

    An agent with *u* agents above it, in a place that *g* agents share, gets

    .. math::  \frac{\min(g, \max(0, k - u))}{g},

    its share of the approved places its group occupies: one point without ties, as in VasE, appendix, "Approval
    Voting" [1]_. A ballot that ranks fewer than `k` agents approves all of them.

    Parameters
    ----------
    places : Places
        Where each ballot ranks each agent; ``n`` agents.
    k : int
        Approved places a ballot.

    Returns
    -------
    (n,) float

    Examples
    --------
    VasE's pentathlon with k = 2.

    >>> from beatpath import Ballots
    >>> votes = [[["A"], ["B"], ["C"]], [["A"], ["C"], ["B"]], [["C"], ["A"], ["B"]], [["B"], ["C"], ["A"]]]
    >>> approval_scores(places_of(Ballots.of(votes, count=[1, 1, 2, 1]), 2), 2)
    array([4., 2., 4.])

    Three agents tied for the last two approved places get two thirds each.

    >>> approval_scores(places_of(Ballots.of([[["A"], ["B", "C", "D"]]]), 3), 3)
    array([1.        , 0.66666667, 0.66666667, 0.66666667])

    References
    ----------
    .. [1] M. Lanctot et al., "Evaluating Agents using Social Choice Theory" (VasE), 2023, arXiv:2312.03121.
    """
    return places.scores(np.clip(k - places.above, 0, places.tied) / places.tied)


def require_k(k: int, most: int) -> int:
    """Return `k` if it is a whole number from 1 to the number of agents."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or not 1 <= k <= most:
        raise UsageError(
            f"`k` must be a whole number from 1 to the {counted(most, 'agent')} there are; got {quoted(k)}."
        )
    return int(k)
