"""Schulze's rule: agents compared by the strongest path of wins between them."""

import numpy as np

from beatpath._arrays import Bools, Floats, Ints
from beatpath.evidence.ties import snapped
from beatpath.methods.graph.levels import chains, outcome
from beatpath.methods.graph.widest_paths import widest_paths
from beatpath.methods.profile import Profile
from beatpath.methods.result import Outcome


def schulze(profile: Profile) -> Outcome:
    """Rank agents by the strength of paths of majority wins.

    The first level holds the agents that nobody is above, the next those that nobody left is above, and so on.

    Returns
    -------
    Outcome
        Scores of VasE's appendix; see `schulze_scores`.
    """
    (level,) = chains(schulze_order(snapped(profile.wins), profile.margins.matrix)[None])
    return outcome(level, schulze_scores(profile.wins, level))


def schulze_order(wins: Floats, margins: Floats) -> Bools:
    r"""Return who is above whom: whose strongest path to the other is stronger than the other's back.

    A path leads along majority wins, :math:`\delta(c, d) > 0`, and is as strong as its weakest step,

    .. math::  P(a, b) = \max_p \min_i N(p_i, p_{i+1}), \qquad a \succ b \iff P(a, b) > P(b, a),

    VasE, appendix, "Schulze" [1]_, after Schulze [2]_ with winning votes as strength. Where only margins are known,
    and no counts, the strength is the margin.

    Parameters
    ----------
    wins : (n, n) float
        Preferences :math:`N(a, b)`, equal ones exactly equal; ties add half to both.
    margins : (n, n) float
        :math:`\delta = N - N^\top`.

    Returns
    -------
    (n, n) bool
        A strict partial order.

    Examples
    --------
    VasE's pentathlon: C > A > B.

    >>> N = np.array([[0.0, 4, 2], [1, 0, 2], [3, 3, 0]])
    >>> schulze_order(N, N - N.T).astype(int)
    array([[0, 1, 0],
           [0, 0, 0],
           [1, 1, 0]])

    Notes
    -----
    :math:`O(n^3)`. Condorcet consistent, independent of clones. The relation is transitive [2]_; two
    agents of equal paths stay incomparable.

    References
    ----------
    .. [1] M. Lanctot et al., "Evaluating Agents using Social Choice Theory" (VasE), 2023, arXiv:2312.03121.
    .. [2] M. Schulze, "A new monotonic, clone-independent, reversal symmetric, and Condorcet-consistent single-winner
           election method", *Social Choice and Welfare* 36 (2011), 267-303.
    """
    path = widest_paths(np.where(margins > 0, wins, 0.0))
    return path > path.T


def schulze_scores(wins: Floats, level: Ints) -> Floats:
    r"""Return the preferences between neighbours of the ranking, added up from an agent to the last.

    .. math::  \sum_{i \ge \mathrm{pos}(a)} N(r_i, r_{i+1})

    for a ranking :math:`r`. This is what VasE prints (7, 4, 0 for the pentathlon, and Table 6); its text defines the sum
    of :math:`N(a, b)` over all *b* below, which gives 6, 4, 0. Agents of one level are tied: the paper puts them in a
    random order, and this is the mean over all such orders.

    >>> N = np.array([[0.0, 4, 2], [1, 0, 2], [3, 3, 0]])
    >>> schulze_scores(N, np.array([1, 2, 0]))
    array([4., 0., 7.])
    """
    order = np.argsort(level, kind="stable")
    place, wins = level[order], wins[np.ix_(order, order)]
    start = np.flatnonzero(np.diff(place, prepend=-1))
    size = np.diff(start, append=len(place))
    to_level, from_level = np.add.reduceat(wins, start, axis=1), np.add.reduceat(wins, start, axis=0)
    between = np.add.reduceat(to_level, start, axis=0)
    own, against = to_level[np.arange(len(place)), place], from_level[place, np.arange(len(place))]
    inside = between.diagonal()
    step = np.append(between.diagonal(1) / (size[:-1] * size[1:]), 0.0)  # from a level to the next
    below = np.cumsum((step + np.append(inside[1:] / size[1:], 0.0))[::-1])[::-1]
    # a is next to each rival of its level with chance 1/s; two rivals are neighbours below it with chance 1/(2s)
    score = np.empty(len(place))
    score[order] = below[place] + (own + (inside[place] - own - against) / 2) / size[place]
    return score
