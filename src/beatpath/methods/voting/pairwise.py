"""Rules that use pairwise margins: Copeland, minimax, Schulze, Split Cycle and stable voting.

Copeland counts the rivals that an agent beats. Minimax (Simpson, Kramer) minimizes the worst defeat. Schulze compares
the strongest paths of wins. Split Cycle discards the weakest win of every cycle. Stable voting elects an undefeated
agent that still wins without the rival it beats by the most. `elected_in_turn` ranks by a rule that only elects.
"""

from collections.abc import Callable

import numpy as np

from beatpath._arrays import Bools, Floats, Ints
from beatpath.evidence.ties import snapped
from beatpath.methods.graph.paths import widest_paths
from beatpath.methods.graph.relation import chains, chosen_names, unbeaten_layers
from beatpath.methods.profile import Profile
from beatpath.methods.result import EXACT, Outcome, by_score, levels_by_score, outcome


def copeland(profile: Profile) -> Outcome:
    r"""Rank agents by the number of rivals they beat in direct comparison; a tie counts half.

    .. math::  |\{b : \delta(a, b) > 0\}| + \tfrac12 |\{b \ne a : \delta(a, b) = 0\}|

    VasE, appendix, "Copeland" [1]_. A pair that was never compared counts as tied.

    Parameters
    ----------
    profile : Profile
        Any evidence with margins.

    Returns
    -------
    Outcome
        Scores are the Copeland scores.

    Examples
    --------
    VasE's pentathlon: C beats both, A beats B.

    >>> from beatpath import Margins
    >>> from beatpath.methods.profile import profile_of
    >>> copeland(profile_of(Margins([[0, 3, -1], [-3, 0, -1], [1, 1, 0]], ("A", "B", "C")))).score
    array([1., 0., 2.])

    Notes
    -----
    One pass over the compared pairs. Satisfies the Condorcet criterion; not independent of clones.

    References
    ----------
    .. [1] M. Lanctot et al., "Evaluating Agents using Social Choice Theory" (VasE), 2023, arXiv:2312.03121.
    """
    won, lost = profile.won_and_lost
    score = won + (len(won) - 1 - won - lost) / 2
    return Outcome(levels_by_score(score), score)


def minimax(profile: Profile) -> Outcome:
    r"""Rank agents by their worst defeat in direct comparison, smallest first.

    The score is minus the largest margin by which an agent loses, 0 for one that loses to nobody:

    .. math::  -\max\left(0, \max_{b} \delta(b, a)\right)

    The rule of Simpson [1]_ and Kramer [2]_ with margins; it is not among VasE's nine.

    Parameters
    ----------
    profile : Profile
        Any evidence with margins.

    Returns
    -------
    Outcome
        Scores are minus the worst defeat.

    Examples
    --------
    VasE's pentathlon: C never loses, A loses by one, B by three at worst.

    >>> from beatpath import Margins
    >>> from beatpath.methods.profile import profile_of
    >>> minimax(profile_of(Margins([[0, 3, -1], [-3, 0, -1], [1, 1, 0]], ("A", "B", "C")))).score
    array([-1., -3.,  0.])

    Notes
    -----
    :math:`O(n^2)`. Satisfies the Condorcet criterion; may elect a Condorcet loser; not independent of clones. All
    weak Condorcet winners share the first level.

    References
    ----------
    .. [1] P. B. Simpson, "On defining areas of voter choice", *Quarterly Journal of Economics* 83 (1969), 478-490.
    .. [2] G. H. Kramer, "A dynamical model of political equilibrium", *Journal of Economic Theory* 16 (1977), 310-334.
    """
    return by_score(0.0 - profile.margins.matrix.max(axis=0, initial=0.0), allowed=profile.margins.allowed)


def schulze(profile: Profile) -> Outcome:
    """Rank agents by the strengths of their paths of majority wins (Schulze's beatpath method).

    The first level has the agents that nobody is above, the next those that no remaining agent is above, and so on.

    Parameters
    ----------
    profile : Profile
        Any evidence with margins.

    Returns
    -------
    Outcome
        Scores of VasE's appendix; see `schulze_scores`.

    See Also
    --------
    schulze_order : The relation behind the levels.
    ranked_pairs : Locks wins from the largest down.
    """
    (level,) = chains(schulze_order(snapped(profile.wins), profile.margins.matrix)[None])
    return outcome(level, schulze_scores(profile.wins, level))


def schulze_order(wins: Floats, margins: Floats) -> Bools:
    r"""Return Schulze's relation.

    *a* is above *b* if its strongest path to *b* is stronger than the strongest path back.

    A path follows majority wins, :math:`\delta(c, d) > 0`, and is as strong as its weakest step:

    .. math::  P(a, b) = \max_p \min_i N(p_i, p_{i+1}), \qquad a \succ b \iff P(a, b) > P(b, a),

    VasE, appendix, "Schulze" [1]_, after Schulze [2]_ with winning votes as strength. If only margins are known, the
    strength is the margin.

    Parameters
    ----------
    wins : (n, n) float
        Preferences :math:`N(a, b)`, with equal ones exactly equal; ties add half to both.
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
    :math:`O(n^3)`. Satisfies the Condorcet criterion and independence of clones. The relation is transitive [2]_; two
    agents with equally strong paths are incomparable.

    References
    ----------
    .. [1] M. Lanctot et al., "Evaluating Agents using Social Choice Theory" (VasE), 2023, arXiv:2312.03121.
    .. [2] M. Schulze, "A new monotonic, clone-independent, reversal symmetric, and Condorcet-consistent single-winner
           election method", *Social Choice and Welfare* 36 (2011), 267-303.
    """
    path = widest_paths(np.where(margins > 0, wins, 0.0))
    return path > path.T


def schulze_scores(wins: Floats, level: Ints) -> Floats:
    r"""Return Schulze scores: the preferences between neighbors in the ranking, summed from an agent to the last.

    .. math::  \sum_{i \ge \mathrm{pos}(a)} N(r_i, r_{i+1})

    for a ranking :math:`r`. This is what VasE prints (7, 4, 0 for the pentathlon, and Table 6). Its text defines the
    sum of :math:`N(a, b)` over all *b* below, which gives 6, 4, 0. The paper puts tied agents in random order; this
    is the mean over all such orders.

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
    # a is next to each rival of its level with probability 1/s; two rivals are neighbors below it with probability
    # 1/(2s)
    score = np.empty(len(place))
    score[order] = below[place] + (own + (inside[place] - own - against) / 2) / size[place]
    return score


def split_cycle(profile: Profile) -> Outcome:
    """Rank agents by Split Cycle: a win counts unless it is the weakest of some cycle.

    The first level has the undefeated agents, which the rule elects; the next has those that no remaining agent
    defeats, and so on, which is our way to read levels from defeats. The rule has no score: all are NaN.

    Parameters
    ----------
    profile : Profile
        Any evidence with margins.

    Returns
    -------
    Outcome
        Details give the number of defeats, and of majority wins that do not count.
    """
    margins = snapped(profile.margins.matrix, profile.margins.allowed)
    defeats = split_cycle_defeats(margins)
    dropped = int((margins > 0).sum()) - int(defeats.sum())
    details = {"defeats": int(defeats.sum()), "wins dropped": dropped}
    return outcome(unbeaten_layers(defeats), np.full(len(defeats), np.nan), details=details)


def split_cycle_defeats(margins: Floats) -> Bools:
    r"""Return Split Cycle's defeats: wins that are stronger than every path of wins back.

    With :math:`P(b, a)` the strength of the strongest path of wins from *b* to *a* (its smallest margin),

    .. math::  a \text{ defeats } b \iff \delta(a, b) > 0 \text{ and } \delta(a, b) > P(b, a),

    which holds if and only if the win of *a* over *b* is not among the weakest of any cycle that contains it [1]_.

    Parameters
    ----------
    margins : (n, n) float
        Antisymmetric margins; equal wins must be exactly equal.

    Returns
    -------
    (n, n) bool
        Acyclic; not transitive in general.

    Examples
    --------
    In the cycle x, y, z the win of z over x is the weakest and is discarded; x is undefeated.

    >>> split_cycle_defeats(np.array([[0.0, 5, -1], [-5, 0, 3], [1, -3, 0]])).astype(int)
    array([[0, 1, 0],
           [0, 0, 1],
           [0, 0, 0]])

    Notes
    -----
    :math:`O(n^3)`. Satisfies the Condorcet criterion and independence of clones; not among VasE's nine.

    References
    ----------
    .. [1] W. H. Holliday and E. Pacuit, "Split Cycle: a new Condorcet-consistent voting method independent of clones
           and immune to spoilers", *Public Choice* 197 (2023), 1-62.
    """
    wins = np.maximum(margins, 0.0)
    return wins > widest_paths(wins).T


# The status if `elected_in_turn` falls back to Split Cycle.
TOO_MANY = "too many ties or cycles to settle; there the agents that Split Cycle leaves undefeated share a level"


def elected_in_turn(margins: Floats, agents: tuple[str, ...], elect: Callable[[Floats], Bools | None]) -> Outcome:
    """Rank agents by a rule that elects: elect some, remove them, and repeat with the rest.

    Parameters
    ----------
    margins : (n, n) float
        Antisymmetric margins; equal wins must be exactly equal.
    agents : tuple of str
        Agent names.
    elect : callable
        Maps margins to a mask of the elected, who are undefeated under Split Cycle, or ``None`` if it cannot decide.

    Returns
    -------
    Outcome
        Scores are NaN. If `elect` cannot decide, Split Cycle ranks the remaining agents, and the status says so.

    Examples
    --------
    >>> elected_in_turn(np.array([[0.0, 5, -1], [-5, 0, 3], [1, -3, 0]]), ("x", "y", "z"), lambda m: None).level
    array([0, 1, 2])
    """
    level, left = np.zeros(len(margins), dtype=np.int64), np.arange(len(margins))
    current, status, details = 0, EXACT, {}
    while len(left):
        among = margins[np.ix_(left, left)]
        chosen = elect(among)
        if chosen is None:
            inside = unbeaten_layers(split_cycle_defeats(among))
            level[left] = current + inside
            status = TOO_MANY
            if not current:
                details = {"possible winners, at most": chosen_names(level == 0, agents)}
            break
        level[left[chosen]] = current
        left, current = left[~chosen], current + 1
    return outcome(level, np.full(len(margins), np.nan), status, details)


MOST_SETS = 2_000  # limit on sets of agents visited to find one winner


def stable_voting(profile: Profile) -> Outcome:
    r"""Rank agents by stable voting: elect an undefeated agent that would still win without a rival it clearly beats.

    With one agent, that agent is elected. Otherwise go through the pairs *a*, *b* with *a* undefeated under Split
    Cycle by descending margin :math:`\delta(a, b)`: the first *a* that is elected without *b* is elected [1]_. With
    equal margins, all such *a* are. Holliday and Pacuit elect but do not rank: below the winners, the remaining
    agents elect again, which is our extension.

    Parameters
    ----------
    profile : Profile
        Any evidence with margins.

    Returns
    -------
    Outcome
        The rule has no score: all are NaN. The sets of agents to elect from can be exponentially many. Beyond 2,000,
        `split_cycle`, whose first level contains the winner, ranks the remaining agents, and the status says so.

    Examples
    --------
    A cycle: A beats B by 5, B beats C by 3, C beats A by 1. Only A is undefeated under Split Cycle, so it is elected.

    >>> from beatpath import Margins, rank
    >>> rank(Margins([[0, 5, -1], [-5, 0, 3], [1, -3, 0]], ("A", "B", "C")), "stable_voting")
    stable_voting: A > B > C

    Notes
    -----
    If Split Cycle leaves one agent undefeated, that agent is elected, which settles nearly all sets. Satisfies the
    Condorcet criterion; elects among the undefeated agents of Split Cycle.

    References
    ----------
    .. [1] W. H. Holliday and E. Pacuit, "Stable Voting", *Constitutional Political Economy* 34 (2023), 421-433.
    """
    margins = snapped(profile.margins.matrix, profile.margins.allowed)
    return elected_in_turn(margins, profile.agents, stable_winners)


def stable_winners(margins: Floats, most: int = MOST_SETS) -> Bools | None:
    """Return the elected agents, or ``None`` if more than `most` sets of agents would have to be visited.

    >>> stable_winners(np.array([[0.0, 5, -1], [-5, 0, 3], [1, -3, 0]]))
    array([ True, False, False])
    """
    known: dict[tuple[int, ...], frozenset[int]] = {}

    def elected(left: tuple[int, ...]) -> frozenset[int]:
        if left in known:
            return known[left]
        if len(known) >= most:
            raise RecursionError  # over the limit
        among = margins[np.ix_(left, left)]
        undefeated = [left[i] for i in np.flatnonzero(~split_cycle_defeats(among).any(axis=0))]
        if len(undefeated) == 1 or not among.any():
            known[left] = frozenset(undefeated)
            return known[left]
        known[left] = frozenset()  # counted before the sets it leads to
        winners: set[int] = set()
        level = np.inf
        matches = sorted((-margins[a, b], a, b) for a in undefeated for b in left if a != b)
        for size, a, b in matches:
            if winners and -size < level:
                break
            if a not in winners and a in elected(tuple(c for c in left if c != b)):
                winners.add(a)
                level = -size
        known[left] = frozenset(winners)
        return known[left]

    chosen = np.zeros(len(margins), dtype=bool)
    try:
        chosen[list(elected(tuple(range(len(margins)))))] = True
    except RecursionError:
        return None
    return chosen
