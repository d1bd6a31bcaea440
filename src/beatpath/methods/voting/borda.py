"""Borda's rule: how many rivals an agent is ranked above, over all votes."""

import numpy as np

from beatpath._arrays import Floats
from beatpath.evidence import Pairs
from beatpath.methods.graph.levels import by_score
from beatpath.methods.profile import Profile
from beatpath.methods.result import Outcome


def borda(profile: Profile) -> Outcome:
    """Rank agents by the rivals their ballots put below them; a tie counts half.

    Returns
    -------
    Outcome
        Scores of VasE's appendix; see `borda_scores`.
    """
    profile.need_ballots("borda")
    assert profile.pairs is not None
    return by_score(borda_scores(profile.pairs))


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
    One pass over the pair counts. Population consistent; not Condorcet consistent.

    References
    ----------
    .. [1] M. Lanctot et al., "Evaluating Agents using Social Choice Theory" (VasE), 2023, arXiv:2312.03121.
    """
    won, lost, tied = pairs.counts[:, :3].T
    n = len(pairs.agents)
    return (np.bincount(pairs.a, won + tied / 2, n) + np.bincount(pairs.b, lost + tied / 2, n)).astype(np.float64)
