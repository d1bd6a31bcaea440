"""Borda's rule: how many rivals an agent is ranked above, over all votes."""

from dataclasses import replace

import numpy as np

from beatpath._arrays import Floats
from beatpath.evidence import Ballots, Pairs
from beatpath.evidence.ties import ROUNDING
from beatpath.methods.graph.levels import by_score
from beatpath.methods.profile import Profile
from beatpath.methods.result import Outcome
from beatpath.methods.voting.places import places_of

UNEVEN = (
    "ballots rank different agents unequally often: scores are shares of comparisons won and not points, which would tell "
    "who stood most often; who met weak rivals still gains"
)


def borda(profile: Profile) -> Outcome:
    """Rank agents by the rivals their ballots put below them; a tie counts half.

    Returns
    -------
    Outcome
        Scores of VasE's appendix, see `borda_scores`; where agents stand on ballots of unequal number or length, means, see
        `mean_borda_scores`, as points would then tell who stood most often.

    Examples
    --------
    Ada played four games and won two; Bob played one, and won it.

    >>> from beatpath import Ballots
    >>> from beatpath.methods.profile import profile_of
    >>> games = [["ada", "cyd"], ["ada", "cyd"], ["cyd", "ada"], ["bob", "ada"]]
    >>> borda(profile_of(Ballots.of([[[one], [other]] for one, other in games]))).level
    array([1, 0, 2])
    """
    profile.need_ballots("borda")
    return borda_of_counts(profile)


def borda_of_counts(profile: Profile) -> Outcome:
    """Return what `borda` does of any profile that has ballots or counts by pair, which say all that the rule asks for."""
    score, uneven = borda_points(profile)
    found = by_score(score)
    return replace(found, status=UNEVEN) if uneven else found


def borda_points(profile: Profile) -> tuple[Floats, bool]:
    """Return Borda's scores, or their means where agents were compared unequally often, and whether they were."""
    if profile.ballots is not None:
        score, compared = _of_ballots(profile.ballots)
    else:
        assert profile.pairs is not None
        score, compared = borda_scores(profile.pairs), _compared(profile.pairs)
    some = compared[compared > 0]
    if not len(some) or np.ptp(some) <= ROUNDING * some.max():
        return score, False
    return mean_borda_scores(score, compared), True


def mean_borda_scores(score: Floats, compared: Floats) -> Floats:
    r"""Return the share of its comparisons that each agent won, ties half: :math:`\sum_b N(a, b) / \sum_b (N(a, b) + N(b, a))`.

    Zero for an agent that was compared with nobody.

    >>> mean_borda_scores(np.array([2.0, 1.0, 0.0]), np.array([4.0, 1.0, 0.0]))
    array([0.5, 1. , 0. ])
    """
    return np.divide(score, compared, out=np.zeros(len(score)), where=compared > 0)


def _of_ballots(ballots: Ballots) -> tuple[Floats, Floats]:
    """Scores and the number of comparisons of every agent: on a ballot of m, m less those above it and half of those beside."""
    places = places_of(ballots, len(ballots.agents))
    rivals = np.repeat(np.diff(ballots.start) - 1.0, np.diff(ballots.start))
    compared = places.scores(rivals)
    rivals -= places.above
    if not ballots.strict:
        rivals -= (places.tied - 1) / 2
    return places.scores(rivals), compared


def _compared(pairs: Pairs) -> Floats:
    """How often each agent was compared."""
    n, total = len(pairs.agents), pairs.counts[:, :3].sum(axis=1)
    return (np.bincount(pairs.a, total, n) + np.bincount(pairs.b, total, n)).astype(np.float64)


def borda_scores(pairs: Pairs) -> Floats:
    r"""Return the number of rivals ranked below each agent, added up over the votes.

    .. math::  \sum_v w_v \sum_{b \ne a} \left([a \succ_v b] + \tfrac12 [a \sim_v b]\right) = \sum_{b \ne a} N(a, b)

    On a complete ballot without ties this gives :math:`m - 1, m - 2, \dots, 0` points by place, as VasE, appendix,
    "Borda" [1]_; tied agents get the mean of the points of the places they occupy. On a ballot that ranks only some
    agents, one gets a point for each *ranked* agent below it, where the paper gives :math:`m - 1` to the first
    however few are ranked; with ``unranked="last"`` the others count as tied below. A tie counts half here even
    where margins drop ties.

    Parameters
    ----------
    pairs : Pairs
        How often the ballots rank a above b, b above a, and tie them; ``n`` agents.

    Returns
    -------
    (n,) float

    Examples
    --------
    VasE's pentathlon.

    >>> from beatpath import Ballots
    >>> votes = [[["A"], ["B"], ["C"]], [["A"], ["C"], ["B"]], [["C"], ["A"], ["B"]], [["B"], ["C"], ["A"]]]
    >>> borda_scores(Ballots.of(votes, count=[1, 1, 2, 1]).pairs())
    array([6., 3., 6.])

    Notes
    -----
    Ballots are added up place by place, without counting pairs. Population consistent; not Condorcet consistent.

    References
    ----------
    .. [1] M. Lanctot et al., "Evaluating Agents using Social Choice Theory" (VasE), 2023, arXiv:2312.03121.
    """
    won, lost, tied = pairs.counts[:, :3].T
    n = len(pairs.agents)
    return (np.bincount(pairs.a, won + tied / 2, n) + np.bincount(pairs.b, lost + tied / 2, n)).astype(np.float64)
