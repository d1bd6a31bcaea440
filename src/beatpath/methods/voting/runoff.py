"""Elimination rules: Nanson, Baldwin, Coombs and Tideman's alternative.

Rounds split the remaining agents into those that stay and those that are eliminated, for every way of breaking ties.
A round depends only on who remains, so a count is a tree of sets, and ways of breaking ties that leave the same
agents are merged. The work grows with the number of possible sets, not with the orders of elimination.

Nanson eliminates every agent below the average Borda score. Baldwin eliminates the agent with the lowest Borda score.
Coombs eliminates the agent with the most last places until one has a majority of first places. Tideman's alternative
method restricts to the Smith set, and eliminates the agent with the fewest first places in turn.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Bools, Floats, Ints
from beatpath.evidence import Ballots
from beatpath.evidence.ties import ROUNDING, are_whole, slack
from beatpath.methods.graph.relation import agreed_levels, block_numbers, chosen_names
from beatpath.methods.profile import Profile
from beatpath.methods.result import EXACT, Outcome, outcome

MOST_SETS = 2_000  # limit on sets of remaining agents that are followed, over all ways of breaking ties
MOST_CELLS = 20_000_000  # the same, times pairs of agents
# Statuses: the outcome depends on how ties are broken; there are too many ways to follow.
BROKEN = "ties for elimination make the outcome depend on the order in which they are broken"
TOGETHER = "ties for elimination have too many orders to try all; tied agents are eliminated together"

# Maps a mask of the remaining agents to the masks of those who stay, one for each way of breaking ties.
Round = Callable[[Bools], list[Bools]]
Sets = dict[bytes, list[Bools]]  # the results of rounds, by the set of remaining agents


def eliminated(agents: tuple[str, ...], round_: Round) -> Outcome:
    r"""Rank agents by rounds of elimination until no set can be split further.

    A round takes the remaining agents and returns, for every way of breaking its ties, those who stay. They are above
    the others; both parts are then ranked in the same way. A round that returns nothing leaves its agents tied.

    If there are several ways, each is followed: an agent is above another only if it is in all of them
    (`agreed_levels`), and the details list the "possible winners". If there are too many possible sets, agents tied
    for elimination are eliminated together.

    Parameters
    ----------
    agents : tuple of str
        Agent names.
    round_ : callable
        Maps an (n,) mask of at least two remaining agents to masks of those who stay, each a proper subset.

    Returns
    -------
    Outcome
        These rules have no score: all are NaN.

    Examples
    --------
    The agent with the lowest total is eliminated; the last two tie.

    >>> have = np.array([3.0, 1, 3, 2])
    >>> eliminated(("a", "b", "c", "d"), lambda left: without_last(left, have)).level
    array([0, 2, 0, 1])
    """
    level, status, first = np.zeros(len(agents), dtype=np.int64), EXACT, None
    waiting, current = [np.ones(len(agents), dtype=bool)], 0
    while waiting:
        left = waiting.pop()
        ways = round_(left) if left.sum() > 1 else []
        if len(ways) == 1:
            waiting += [left & ~ways[0], ways[0]]
            continue
        last = _followed(left, round_) if ways else (np.zeros(np.sum(left), dtype=np.int64), left)
        if last is None:
            status, on = TOGETHER, np.logical_and.reduce(ways)
            if on.any():
                waiting += [left & ~on, on]
                continue
            last = np.zeros(np.sum(left), dtype=np.int64), left
        elif ways and status == EXACT:
            status = BROKEN
        inside, firsts = last
        first = firsts if first is None else first
        level[left] = current + inside
        current = int(level.max()) + 1
    details = {}
    if status == BROKEN:
        assert first is not None
        details = {"possible winners": chosen_names(first, agents)}
    return outcome(level, np.full(len(agents), np.nan), status, details)


def without_last(left: Bools, tally: Floats, allowed: float | None = None) -> list[Bools]:
    """Return who stays if one agent with the lowest total is eliminated: one mask per candidate; none if two tie.

    >>> [way.astype(int).tolist() for way in without_last(np.ones(3, dtype=bool), np.array([2.0, 1, 1]))]
    [[1, 0, 1], [1, 1, 0]]
    """
    have = tally[left]
    allowed = slack(have) if allowed is None else allowed
    last = np.flatnonzero(left)[have <= have.min() + allowed]
    if len(have) == 2 == len(last):
        return []
    ways = np.repeat(left[None], len(last), axis=0)
    ways[np.arange(len(last)), last] = False
    return list(ways)


def _followed(left: Bools, round_: Round) -> tuple[Ints, Bools] | None:
    """Levels within a set on which all ways agree, and who is first in some; ``None`` if there are too many sets."""
    members = np.flatnonzero(left)
    most = min(MOST_SETS, MOST_CELLS // len(members) ** 2)
    sets: Sets = {}
    waiting = [left]
    while waiting:
        here = waiting.pop()
        if here.tobytes() in sets:
            continue
        if len(sets) == most:
            return None
        ways = round_(here) if here.sum() > 1 else []
        sets[here.tobytes()] = ways
        for on in ways:
            waiting += [on, here & ~on]
    above: dict[bytes, Bools] = {}
    firsts: dict[bytes, Bools] = {}
    for key in sorted(sets, key=lambda key: key.count(b"\x01")):  # a subset comes before the sets that contain it
        here = np.frombuffer(key, dtype=bool)
        ways = sets[key]
        branches = [
            above[on.tobytes()] | above[(here & ~on).tobytes()] | np.outer(on[members], (here & ~on)[members])
            for on in ways
        ]
        above[key] = np.logical_and.reduce(branches) if branches else np.zeros((len(members),) * 2, dtype=bool)
        firsts[key] = np.logical_or.reduce([firsts[on.tobytes()] for on in ways]) if ways else here
    return agreed_levels(above[left.tobytes()]), firsts[left.tobytes()]


FAR = np.iinfo(np.int32).max  # place of an agent that is unranked or eliminated


@dataclass(frozen=True, slots=True, eq=False)
class Tallies:
    """Places and weights of ballots, to be counted among any subset of the agents.

    Attributes
    ----------
    place : (ballots, n) int
        Place of every agent, 0 the best, -1 if unranked.
    weight : (ballots,) float
        Weight of every ballot.
    """

    place: NDArray[np.int32]
    weight: Floats

    @classmethod
    def of(cls, ballots: Ballots) -> "Tallies":
        """Extract the places and weights of ballots."""
        return cls(ballots.places(), ballots.total)

    @property
    def total(self) -> float:
        """Total weight of all ballots."""
        return float(self.weight.sum())

    def allowed(self, tally: Floats) -> float:
        """Largest difference between totals of weights that still counts as equal."""
        return 0.0 if are_whole(tally).all() else ROUNDING * self.total

    def firsts(self, left: Bools) -> Floats:
        """Return the weight of the ballots that rank each agent first among those remaining; tied agents share.

        >>> votes = Tallies.of(Ballots.of([[["x"], ["y"], ["z"]], [["y", "z"], ["x"]]]))
        >>> votes.firsts(np.array([True, True, True])), votes.firsts(np.array([False, True, True]))
        (array([1. , 0.5, 0.5]), array([0. , 1.5, 0.5]))
        """
        place = np.where(self.place < 0, FAR, self.place)[:, left]
        top = place.min(axis=1, keepdims=True, initial=FAR)
        return self._shared((place == top) & (top < FAR), left)

    def lasts(self, left: Bools) -> Floats:
        """Return the weight of the ballots that rank each agent last among those remaining, with another above it.

        >>> votes = Tallies.of(Ballots.of([[["x"], ["y"], ["z"]], [["y"]]]))
        >>> votes.lasts(np.array([True, True, True]))
        array([0., 0., 1.])
        """
        place = self.place[:, left]
        bottom = place.max(axis=1, keepdims=True, initial=-1)
        last = place == bottom
        return self._shared(last & ((place >= 0) & ~last).any(axis=1, keepdims=True), left)

    def _shared(self, chosen: Bools, left: Bools) -> Floats:
        """Weight of each ballot, divided among the agents it selects."""
        tally = np.zeros(len(left))
        tally[left] = (self.weight / np.maximum(chosen.sum(axis=1), 1)) @ chosen
        return tally


def nanson(profile: Profile) -> Outcome:
    r"""Rank agents by Nanson's rule: each round eliminates all agents with a Borda score below the average.

    Points count the remaining agents only. If every vote ranks all agents, an agent's points exceed the average by
    half the sum of its margins over the remaining agents, so the rule needs only margins:

    .. math::  a \text{ leaves } L \iff \sum_{b \in L} \delta(a, b) < 0.

    If nobody is eliminated, the remaining agents are tied. Nanson [1]_ elects but does not rank. The order of the
    others is our extension: agents eliminated later are above those eliminated earlier, and agents eliminated
    together are ranked among themselves by the same rule.

    Parameters
    ----------
    profile : Profile
        Any evidence with margins.

    Returns
    -------
    Outcome
        The rule has no score: all are NaN.

    Examples
    --------
    VasE's pentathlon: B's margins sum to -4, and C beats A.

    >>> from beatpath import Ballots, rank
    >>> rank(Ballots.of(["ABC", "ACB", "CAB", "BCA"], count=[1, 1, 2, 1]), "nanson")
    nanson: C > A > B

    Notes
    -----
    At most *n* rounds of :math:`O(n^2)`. Satisfies the Condorcet criterion: an agent that beats all others is above
    the average among any remaining agents. Never elects a Condorcet loser, and elects within the Smith set; not
    independent of clones. Some authors also eliminate agents *at* the average; on votes without ties the two seldom
    differ.

    References
    ----------
    .. [1] E. J. Nanson, "Methods of election", *Transactions and Proceedings of the Royal Society of Victoria* 19 (1882), 197-240.
    """
    margins = profile.margins.matrix
    allowed = sum_slack(margins)

    def round_(left: Bools) -> list[Bools]:
        below = left & (margins @ left < -allowed)
        return [left & ~below] if below.any() else []

    return eliminated(profile.agents, round_)


def sum_slack(margins: Floats) -> float:
    """Return the largest difference between sums of margins that still counts as equal, 0 if all are integers.

    >>> sum_slack(np.array([[0.0, 3], [-3, 0]]))
    0.0
    """
    return slack(margins, float(np.abs(margins).sum(axis=1).max(initial=0.0)))


def baldwin(profile: Profile) -> Outcome:
    r"""Rank agents by Baldwin's rule.

    Each round eliminates the agent with the lowest Borda score among those remaining.

    .. math::  \arg\min_{a \in L} \sum_{b \in L} \delta(a, b)

    leaves :math:`L`, the remaining agents, until one is left (Baldwin [1]_). If every vote ranks all agents, the sum
    of margins is twice the Borda score minus the average. The ranking is the reverse order of elimination.

    Parameters
    ----------
    profile : Profile
        Any evidence with margins.

    Returns
    -------
    Outcome
        The rule has no score: all are NaN. If ties for the last place matter, every way of breaking them is followed,
        and the details list the "possible winners"; see `eliminated`.

    Examples
    --------
    VasE's pentathlon: B is eliminated, and C beats A.

    >>> from beatpath import Ballots, rank
    >>> rank(Ballots.of(["ABC", "ACB", "CAB", "BCA"], count=[1, 1, 2, 1]), "baldwin")
    baldwin: C > A > B

    Notes
    -----
    *n* rounds of :math:`O(n^2)`. Satisfies the Condorcet criterion: an agent that beats all others is never below the
    average, so never last while others remain. Not independent of clones, not monotone.

    References
    ----------
    .. [1] J. M. Baldwin, "The technique of the Nanson preferential majority system of election", *Proceedings of the Royal
           Society of Victoria* 39 (1926), 42-52.
    """
    margins = profile.margins.matrix
    allowed = sum_slack(margins)

    def round_(left: Bools) -> list[Bools]:
        return without_last(left, margins @ left, allowed)

    return eliminated(profile.agents, round_)


def coombs(profile: Profile) -> Outcome:
    r"""Rank agents by Coombs' rule: each round eliminates the agent ranked last most often, until one has a majority.

    Each round counts the ballots among the remaining agents. An agent that is first on more than half of all ballots
    is placed above the other remaining agents, who are then counted among themselves. Otherwise the agent with the
    most last places is eliminated (Coombs [1]_). Coombs elects but does not rank; the order below the elected agent
    is our extension.

    Parameters
    ----------
    profile : Profile
        Evidence with ballots: rankings or a score table.

    Returns
    -------
    Outcome
        The rule has no score: all are NaN. If ties for elimination matter, every way of breaking them is followed,
        and the details list the "possible winners"; see `eliminated`.

    Examples
    --------
    Nobody has a majority of first places. A has the most last places and is eliminated; then B has a majority.

    >>> from beatpath import Ballots, rank
    >>> rank(Ballots.of(["ABC", "CBA", "BCA"], count=[4, 3, 2]), "coombs")
    coombs: B > C > A

    Notes
    -----
    *n* rounds of :math:`O(\text{votes} \cdot n)`. Agents tied for first or last on a ballot share it. A ballot that
    does not separate the remaining agents counts for no last place. Satisfies the Condorcet criterion only if
    preferences are single-peaked and every vote ranks all agents.

    References
    ----------
    .. [1] C. H. Coombs, *A Theory of Data*, Wiley (1964), 397-399.
    """
    votes = Tallies.of(profile.require_ballots("coombs"))
    half = votes.total / 2

    def round_(left: Bools) -> list[Bools]:
        firsts = votes.firsts(left)
        majority = firsts > half + votes.allowed(firsts)
        if majority.any():
            return [majority]
        lasts = votes.lasts(left)
        return without_last(left, -lasts, votes.allowed(lasts))

    return eliminated(profile.agents, round_)


def tideman_alternative(profile: Profile) -> Outcome:
    r"""Rank agents by Tideman's alternative method: restrict to the Smith set, then eliminate by fewest first places.

    With *L* the remaining agents: if the Smith set of *L* is a proper subset, its members are above the others.
    Otherwise the agent that the fewest ballots rank first among *L* is eliminated. Repeat. Tideman [1]_ describes it
    as the "alternative" of the Smith set and instant runoff. He elects but does not rank: agents outside a Smith set
    are ranked among themselves by the same rule, which is our extension.

    Parameters
    ----------
    profile : Profile
        Evidence with ballots: rankings or a score table.

    Returns
    -------
    Outcome
        The rule has no score: all are NaN. If ties for elimination matter, every way of breaking them is followed,
        and the details list the "possible winners"; see `eliminated`.

    Examples
    --------
    A, B and C form a cycle and all beat D. B has the fewest first places, and without it A beats C.

    >>> from beatpath import Ballots, rank
    >>> rank(Ballots.of(["ACBD", "CBAD", "BACD"], count=[4, 3, 2]), "tideman_alternative")
    tideman_alternative: A > C > B > D

    Notes
    -----
    At most *n* rounds of :math:`O(\text{votes} \cdot n + n^2)`. Satisfies the Condorcet criterion and, ties apart,
    independence of clones; like instant runoff it is not monotone. Smith-IRV, which takes the Smith set once and then
    runs off, elects the same agent if no smaller Smith set appears on the way.

    References
    ----------
    .. [1] N. Tideman, *Collective Decisions and Voting*, Ashgate (2006), 232.
    """
    votes = Tallies.of(profile.require_ballots("tideman_alternative"))
    margins = profile.margins.matrix

    def round_(left: Bools) -> list[Bools]:
        members = np.flatnonzero(left)
        smith = left.copy()
        smith[members] = block_numbers(margins[np.ix_(members, members)]) == 0
        if (smith != left).any():
            return [smith]
        firsts = votes.firsts(left)
        return without_last(left, firsts, votes.allowed(firsts))

    return eliminated(profile.agents, round_)
