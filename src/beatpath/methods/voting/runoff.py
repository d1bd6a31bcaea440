"""Elimination rules: rounds that part the agents left: Nanson, Baldwin, Coombs, Tideman's alternative.

Rounds that part the agents left into those that go on and those that fall behind, on every way of breaking ties.

What a round does depends on who is left, and on nothing else. So a count is a tree of sets, and ways of breaking ties that leave
the same agents go on alike: the work grows with the sets that may be left, not with the orders in which agents leave.

What elimination rules count: on how many ballots an agent is first, or last, among those left.

Nanson's rule: whoever is below the average leaves, until nobody is.

Baldwin's rule: whoever has the fewest Borda points leaves, one at a time.

Coombs' rule: whoever is ranked last most often leaves, until one is first on most ballots.

Tideman's alternative: the Smith set, and by turns the agent that is first on the fewest votes leaves it.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Bools, Floats, Ints
from beatpath.evidence import Ballots
from beatpath.evidence.ties import ROUNDING, are_whole, slack
from beatpath.methods.graph.relation import agreed_levels, chosen_names, dominance_blocks
from beatpath.methods.profile import Profile
from beatpath.methods.result import EXACT, Outcome, outcome

MOST_SETS = 2_000  # of agents left that are followed, over all ways of breaking ties
MOST_CELLS = 20_000_000  # the same, times pairs of agents
BROKEN = "ties for elimination make the outcome depend on the order in which they are broken"
TOGETHER = "ties for elimination have too many orders to try all; tied agents are eliminated together"

Round = Callable[[Bools], list[Bools]]
Sets = dict[bytes, list[Bools]]


def eliminated(agents: tuple[str, ...], round_: Round) -> Outcome:
    r"""Rank agents by rounds until nobody is left to part.

    A round takes the agents left and returns, for every way of breaking its ties, those who go on. They are above the others;
    both parts are then counted by themselves in the same way. A round that returns no way leaves its agents tied.

    Where there are several ways, each is followed: an agent is above another only if it is on all of them (`agreed_levels`), and
    details give the "possible winners". Where the sets that may be left are too many, agents tied for leaving leave together.

    Parameters
    ----------
    agents : tuple of str
    round_ : callable
        From an (n,) mask of at least two agents left to masks of those who go on, each a proper part of them.

    Returns
    -------
    Outcome
        These rules give no score: all are NaN.

    Examples
    --------
    Whoever has the least leaves; the last two tie, and so do those who leave at once.

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
    """Return who goes on when one agent with the smallest total leaves: a way for each; none where but two are left, and tie.

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
    """Levels within a set on which all ways agree, and who is first on some; nothing where the sets are too many."""
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
    for key in sorted(sets, key=lambda key: key.count(b"\x01")):  # a part is smaller than the whole
        here = np.frombuffer(key, dtype=bool)
        ways = sets[key]
        branches = [
            above[on.tobytes()] | above[(here & ~on).tobytes()] | np.outer(on[members], (here & ~on)[members])
            for on in ways
        ]
        above[key] = np.logical_and.reduce(branches) if branches else np.zeros((len(members),) * 2, dtype=bool)
        firsts[key] = np.logical_or.reduce([firsts[on.tobytes()] for on in ways]) if ways else here
    return agreed_levels(above[left.tobytes()]), firsts[left.tobytes()]


FAR = np.iinfo(np.int32).max


@dataclass(frozen=True, slots=True, eq=False)
class Tallies:
    """The places of ballots, ready to be counted among any agents.

    Attributes
    ----------
    place : (ballots, n) int
        0 the best, -1 where unranked.
    weight : (ballots,) float
    """

    place: NDArray[np.int32]
    weight: Floats

    @classmethod
    def of(cls, ballots: Ballots) -> "Tallies":
        """Take the places and the weights of ballots."""
        return cls(ballots.places(), ballots.total)

    @property
    def total(self) -> float:
        """What all ballots weigh."""
        return float(self.weight.sum())

    def allowed(self, tally: Floats) -> float:
        """By how much totals of weights may differ and still be equal."""
        return 0.0 if are_whole(tally).all() else ROUNDING * self.total

    def firsts(self, left: Bools) -> Floats:
        """Return the weight of the ballots that rank each agent first of those left; agents tied for it share.

        >>> votes = Tallies.of(Ballots.of([[["x"], ["y"], ["z"]], [["y", "z"], ["x"]]]))
        >>> votes.firsts(np.array([True, True, True])), votes.firsts(np.array([False, True, True]))
        (array([1. , 0.5, 0.5]), array([0. , 1.5, 0.5]))
        """
        place = np.where(self.place < 0, FAR, self.place)[:, left]
        top = place.min(axis=1, keepdims=True, initial=FAR)
        return self._shared((place == top) & (top < FAR), left)

    def lasts(self, left: Bools) -> Floats:
        """Return the weight of the ballots that rank each agent last of those left, where they rank any other above it.

        >>> votes = Tallies.of(Ballots.of([[["x"], ["y"], ["z"]], [["y"]]]))
        >>> votes.lasts(np.array([True, True, True]))
        array([0., 0., 1.])
        """
        place = self.place[:, left]
        bottom = place.max(axis=1, keepdims=True, initial=-1)
        last = place == bottom
        return self._shared(last & ((place >= 0) & ~last).any(axis=1, keepdims=True), left)

    def _shared(self, chosen: Bools, left: Bools) -> Floats:
        """Each ballot's weight, shared by the agents it chooses."""
        tally = np.zeros(len(left))
        tally[left] = (self.weight / np.maximum(chosen.sum(axis=1), 1)) @ chosen
        return tally


def nanson(profile: Profile) -> Outcome:
    r"""Rank agents by rounds in which all leave whose Borda points are below the average.

    Points count the agents left alone. Where every vote ranks all agents, an agent's points are above the average by half the
    sum of its margins over those left, so that the rule needs no more than margins:

    .. math::  a \text{ leaves } L \iff \sum_{b \in L} \delta(a, b) < 0.

    When nobody leaves, those left are tied for the first place. Nanson [1]_ elects and does not rank. The order below is ours:
    who leaves later is above who leaves earlier, and those who leave together are counted among themselves by the same rule.

    Parameters
    ----------
    profile : Profile
        With margins.

    Returns
    -------
    Outcome
        The rule gives no score: all are NaN.

    Examples
    --------
    VasE's pentathlon: B's margins add up to -4, and C beats A.

    >>> from beatpath import Ballots, rank
    >>> rank(Ballots.of(["ABC", "ACB", "CAB", "BCA"], count=[1, 1, 2, 1]), "nanson")
    nanson: C > A > B

    Notes
    -----
    At most *n* rounds of :math:`O(n^2)`. Condorcet consistent: margins of an agent that beats all others add up to more than
    the average whoever is left. Elects no Condorcet loser, stays in the Smith set; not independent of clones. Some tell the rule with those *at*
    the average leaving too; on votes without ties the two seldom differ.

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
    """Return by how much sums of an agent's margins may differ and still be equal, 0 where all are whole.

    >>> sum_slack(np.array([[0.0, 3], [-3, 0]]))
    0.0
    """
    return slack(margins, float(np.abs(margins).sum(axis=1).max(initial=0.0)))


def baldwin(profile: Profile) -> Outcome:
    r"""Rank agents by rounds in which the one with the fewest Borda points among those left leaves.

    .. math::  \arg\min_{a \in L} \sum_{b \in L} \delta(a, b)

    leaves :math:`L`, the agents left, until one remains: Baldwin [1]_. Where every vote ranks all agents the sum of margins is twice the
    points of Borda, less the average. The ranking is the order of leaving, the last first.

    Parameters
    ----------
    profile : Profile
        With margins.

    Returns
    -------
    Outcome
        The rule gives no score: all are NaN. Where ties for the last place matter, every way of breaking them is followed, and
        details give the "possible winners"; see `eliminated`.

    Examples
    --------
    VasE's pentathlon: B leaves, and C beats A.

    >>> from beatpath import Ballots, rank
    >>> rank(Ballots.of(["ABC", "ACB", "CAB", "BCA"], count=[1, 1, 2, 1]), "baldwin")
    baldwin: C > A > B

    Notes
    -----
    *n* rounds of :math:`O(n^2)`. Condorcet consistent: an agent that beats all others is never below the average, so never
    last while others are left. Not independent of clones, not monotone.

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
    r"""Rank agents by rounds in which the one ranked last most often leaves, unless one is first on more than half of the votes.

    Each round counts the ballots among the agents left. An agent that is first on more than half of all ballots is put above
    the others left, who are then counted by themselves; otherwise the agent with the most last places leaves: Coombs [1]_.
    He elects and does not rank; the order of those whom the elected agent leaves behind is ours.

    Parameters
    ----------
    profile : Profile
        With ballots.

    Returns
    -------
    Outcome
        The rule gives no score: all are NaN. Where ties for leaving matter, every way of breaking them is followed, and
        details give the "possible winners"; see `eliminated`.

    Examples
    --------
    B has the fewest last places and no majority of first ones; A leaves, and B has one.

    >>> from beatpath import Ballots, rank
    >>> rank(Ballots.of(["ABC", "CBA", "BCA"], count=[4, 3, 2]), "coombs")
    coombs: B > C > A

    Notes
    -----
    *n* rounds of :math:`O(\text{votes} \cdot n)`. Agents tied first, or last, on a ballot share it. A ballot that ranks no
    two of those left apart blames nobody. Not Condorcet consistent in general; it is where preferences are single-peaked and every vote
    ranks all agents.

    References
    ----------
    .. [1] C. H. Coombs, *A Theory of Data*, Wiley (1964), 397-399.
    """
    votes = Tallies.of(profile.need_ballots("coombs"))
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
    r"""Rank agents by rounds: those outside the Smith set fall behind, then the one that is first on the fewest votes leaves.

    With *L* the agents left: if the Smith set of *L* is not all of it, its members are above the others; if it is, the agent
    that the fewest ballots rank first among *L* leaves; and again. Tideman [1]_, where it is the "alternative" of the Smith set
    and instant runoff. He elects and does not rank: those whom a Smith set leaves behind are counted among themselves by the same
    rule, which is ours.

    Parameters
    ----------
    profile : Profile
        With ballots.

    Returns
    -------
    Outcome
        The rule gives no score: all are NaN. Where ties for leaving matter, every way of breaking them is followed, and
        details give the "possible winners"; see `eliminated`.

    Examples
    --------
    A, B and C beat each other in a circle, D nobody. B is first on the fewest votes, and without it A beats C.

    >>> from beatpath import Ballots, rank
    >>> rank(Ballots.of(["ACBD", "CBAD", "BACD"], count=[4, 3, 2]), "tideman_alternative")
    tideman_alternative: A > C > B > D

    Notes
    -----
    At most *n* rounds of :math:`O(\text{votes} \cdot n + n^2)`. Condorcet consistent and, ties apart, independent of clones;
    like instant runoff not monotone. Smith-IRV, which takes the Smith set once and then runs off, elects the same agent where no
    smaller Smith set appears on the way.

    References
    ----------
    .. [1] N. Tideman, *Collective Decisions and Voting*, Ashgate (2006), 232.
    """
    votes = Tallies.of(profile.need_ballots("tideman_alternative"))
    margins = profile.margins.matrix

    def round_(left: Bools) -> list[Bools]:
        members = np.flatnonzero(left)
        smith = np.zeros_like(left)
        smith[members[dominance_blocks(margins[np.ix_(members, members)])[0]]] = True
        if (smith != left).any():
            return [smith]
        firsts = votes.firsts(left)
        return without_last(left, firsts, votes.allowed(firsts))

    return eliminated(profile.agents, round_)
