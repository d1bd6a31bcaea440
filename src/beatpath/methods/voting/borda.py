"""Borda's rule: how many rivals an agent is ranked above, over all votes."""

import numpy as np
from numpy.typing import NDArray

from beatpath.methods.profile import Profile
from beatpath.methods.result import Outcome
from beatpath.methods.voting.levels import by_score


def borda(profile: Profile) -> Outcome:
    """Rank agents by the rivals their ballots put below them; a tie counts half.

    Returns
    -------
    Outcome
        Scores of VasE's appendix; see `borda_scores`.
    """
    profile.need_ballots("borda")
    assert profile.pairs is not None
    return by_score(borda_scores(profile.pairs.wins(ties="half")))


def borda_scores(wins: NDArray[np.float64]) -> NDArray[np.float64]:
    r"""Return the number of rivals ranked below each agent, added up over the votes.

    .. math::  \sum_v w_v \sum_{b \ne a} \left([a \succ_v b] + \tfrac12 [a \sim_v b]\right) = \sum_{b \ne a} N(a, b)

    On a complete ballot without ties this gives :math:`m - 1, m - 2, \dots, 0` points by place, as VasE, appendix,
    "Borda" [1]_; tied agents get the mean of the points of the places they occupy. On a ballot that ranks only some
    agents, one gets a point for each *ranked* agent below it, where the paper gives :math:`m - 1` to the first
    however few are ranked; with ``unranked="last"`` the others count as tied below. A tie counts half here even
    where margins drop ties.

    Parameters
    ----------
    wins : (n, n) float
        Preferences for a over b, a tie half for both.

    Returns
    -------
    (n,) float

    Examples
    --------
    VasE's pentathlon.

    >>> borda_scores(np.array([[0.0, 4, 2], [1, 0, 2], [3, 3, 0]]))
    array([6., 3., 6.])

    Notes
    -----
    :math:`O(n^2)` from the pair counts. Population consistent; not Condorcet consistent.

    References
    ----------
    .. [1] M. Lanctot et al., "Evaluating Agents using Social Choice Theory" (VasE), 2023, arXiv:2312.03121.
    """
    return wins.sum(axis=1)
