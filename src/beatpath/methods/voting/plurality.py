"""Plurality: how often an agent is ranked first."""

from beatpath._arrays import Floats
from beatpath.methods.graph.levels import by_score
from beatpath.methods.profile import Profile
from beatpath.methods.result import Outcome
from beatpath.methods.voting.places import Places, places_of


def plurality(profile: Profile) -> Outcome:
    """Rank agents by the votes that put them first.

    Returns
    -------
    Outcome
        Scores of VasE's appendix; see `plurality_scores`.
    """
    return by_score(plurality_scores(places_of(profile.need_ballots("plurality"), 1)))


def plurality_scores(places: Places) -> Floats:
    r"""Return the weight of the ballots that rank each agent first.

    .. math::  \sum_v w_v \frac{[a \text{ is first on } v]}{\text{number of agents tied first on } v}

    VasE, appendix, "Plurality (1-Approval)" [1]_. Agents tied for the first place share the point, which the paper
    leaves open; a ballot that ranks nobody gives none.

    Parameters
    ----------
    places : Places
        Where each ballot ranks each agent; ``n`` agents.

    Returns
    -------
    (n,) float

    Examples
    --------
    VasE's pentathlon. The paper prints 2, 2, 1 for A, B, C, a slip: its profile has C first on two votes.

    >>> from beatpath import Ballots
    >>> votes = [[["A"], ["B"], ["C"]], [["A"], ["C"], ["B"]], [["C"], ["A"], ["B"]], [["B"], ["C"], ["A"]]]
    >>> plurality_scores(places_of(Ballots.of(votes, count=[1, 1, 2, 1]), 1))
    array([2., 1., 2.])

    Notes
    -----
    Population consistent; not Condorcet consistent, not independent of clones.

    References
    ----------
    .. [1] M. Lanctot et al., "Evaluating Agents using Social Choice Theory" (VasE), 2023, arXiv:2312.03121.
    """
    return places.scores((places.above == 0) / places.tied)
