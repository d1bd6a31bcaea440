"""The single transferable vote: elect who reaches a quota, pass on the surplus, eliminate the last.

Votes are counted round by round, on every way of breaking ties. Ways that have the same agents left with the same votes go on
alike and are merged, so that the work grows with the sets of agents that may be left, not with the orders in which they leave.
"""

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Bools, Floats, Ints
from beatpath.evidence import Ballots
from beatpath.evidence.ties import ROUNDING, are_whole
from beatpath.methods.graph.levels import agreed_levels, chosen_names, outcome
from beatpath.methods.profile import Profile
from beatpath.methods.result import Outcome
from beatpath.methods.status import EXACT
from beatpath.methods.voting.approval import require_k

MOST_COUNTS = 1_000  # counts in progress that are followed, over all ways of breaking ties
MOST_WORK = 10_000_000  # the same, times ballots and agents
MOST_SHOWN = 10
MOST_PARTS = 10_000  # votes that the smallest weight may stand for
BROKEN = "ties for the last place or for election make the outcome depend on the order in which they are broken"
TOGETHER = (
    "ties have too many orders to try all; agents tied for election were elected together, for last eliminated so"
)

Place = NDArray[np.int16] | NDArray[np.int32]
Groups = tuple[tuple[int, ...], ...]


def stv_score(base: int, votes: float) -> float:
    """Return a base with the votes written after the period.

    A winner has base :math:`2m - i` for its index *i* among the winners, a loser :math:`m - i` for its index among the
    losers, the last eliminated first; both count from 0. VasE concatenates the votes as text: 12 votes after base 8 are
    8.12, 6 votes after base 7 are 7.6. So it is done here, by dividing the votes by ten to the number of digits of their
    whole part; a fraction of a vote follows in the further decimals.

    >>> stv_score(8, 12), stv_score(7, 6), stv_score(7, 6.5), stv_score(4, 0), stv_score(7, 10 - 2e-15)
    (8.12, 7.6, 7.65, 4.0, 7.1)
    """
    votes = round(votes, 9)  # ten votes that rounding left just below stay ten
    whole = math.floor(votes)
    return round(base + votes / 10 ** len(str(whole)), 12)


@dataclass(frozen=True, slots=True)
class Rules:
    """What stays the same through a count."""

    place: Place  # (ballots, n); `out` where unranked
    out: int  # the place of agents that are unranked or gone
    n_agents: int
    quota: float
    more: bool  # whether the quota must be exceeded
    allowed: float  # what tallies that are not whole may differ by and still be equal
    whole: bool  # whether tallies are whole as long as nobody is elected
    ties: bool
    together: bool = False


@dataclass(slots=True)
class Count:
    """A count in progress, with what all the ways that led to it agree on."""

    top: Place  # (ballots,) the best place left
    weight: Floats  # (ballots,)
    tally: Floats  # (n,)
    left: Bools  # (n,)
    above: Bools  # (n, n)
    score: Floats  # (n,)
    votes: Floats  # (n,) when they left; NaN where ways differ
    always: Bools  # (n,) elected on every way
    n_elected: int = 0
    firsts: frozenset[int] = frozenset()
    elected: frozenset[frozenset[int]] = frozenset({frozenset()})
    rankings: list[tuple[Groups, Groups]] = field(default_factory=lambda: [((), ())])

    def copy(self) -> "Count":
        """Return a copy to go on from."""
        return Count(
            self.top.copy(),
            self.weight.copy(),
            self.tally.copy(),
            self.left.copy(),
            self.above.copy(),
            self.score.copy(),
            self.votes.copy(),
            self.always.copy(),
            self.n_elected,
            self.firsts,
            self.elected,
            self.rankings,
        )

    def key(self, rules: "Rules") -> tuple[bytes, int, bytes]:
        """Counts with the same key go on alike; until somebody is elected every ballot weighs what it did."""
        if not self.n_elected:
            return self.left.tobytes(), 0, b""
        live = np.where(self.top < rules.out, self.weight, 0.0)
        return self.left.tobytes(), self.n_elected, np.rint(live / rules.allowed).astype(np.int64).tobytes()

    def merge(self, other: "Count", rules: "Rules") -> None:
        """Keep what both ways agree on up to rounding, and all that is possible on either."""
        self.above &= other.above
        self.score[~(np.abs(self.score - other.score) <= ROUNDING * self.score)] = np.nan
        self.votes[~(np.abs(self.votes - other.votes) <= rules.allowed)] = np.nan
        self.always &= other.always
        self.firsts |= other.firsts
        self.elected |= other.elected
        self.rankings += [way for way in other.rankings if way not in self.rankings]
        del self.rankings[MOST_SHOWN + 1 :]

    def possible(self, agents: tuple[str, ...]) -> dict[str, Any]:
        """What ties leave open, by name."""
        sets = sorted(sorted(agents[i] for i in some) for some in self.elected)
        rankings = [[sorted(agents[i] for i in group) for group in (*won, *lost)] for won, lost in self.rankings]
        return {
            "possible winners": sorted(agents[i] for i in self.firsts),
            "possible elected": sets[:MOST_SHOWN],
            "possible rankings": sorted(rankings)[:MOST_SHOWN],
        }


def droop_quota(ballots: Ballots, k: int) -> tuple[float, bool]:
    r"""Return the votes that elect an agent, and whether more than these are needed.

    With *u* the largest weight of which all weights are whole multiples, one for ballots without weights, the quota is

    .. math::  u \left\lfloor \frac{n}{u (k + 1)} + 1 \right\rfloor,

    Droop's for *n* counted in such votes, so that weights that are all multiplied by one number elect the same agents. As *u*
    shrinks it falls to :math:`n / (k + 1)`, which must be exceeded; so it is for weights without a common measure.

    >>> droop_quota(Ballots.of(["AB", "BA"], count=[6, 4]), 2)
    (4.0, False)
    >>> quota, more = droop_quota(Ballots.of(["AB", "BA"], weight=[0.6, 0.4]), 2)
    >>> round(quota, 9), more
    (0.4, False)
    >>> droop_quota(Ballots.of(["AB", "BA"], weight=[2**0.5, 1]), 1)[1]
    True
    """
    total = float(ballots.total.sum())
    unit = 1.0 if ballots.weight is None else common_measure(ballots.weight)
    if unit is None:
        return total / (k + 1), True
    votes = float(np.rint(total / unit))
    return unit * (votes // (k + 1) + 1), False


def common_measure(weights: Floats) -> float | None:
    """Return the largest number of which all weights are whole multiples; None where they are in no simple ratio.

    >>> round(common_measure(np.array([0.3, 0.2, 0.3])), 9), common_measure(np.array([np.pi, 1.0]))
    (0.1, None)
    """
    distinct = np.unique(weights[weights > 0])
    if not len(distinct):
        return 1.0
    ratios = (distinct / distinct[0]).tolist()
    simple = [Fraction(ratio).limit_denominator(MOST_PARTS) for ratio in ratios]
    if any(abs(float(near) - ratio) > ROUNDING * ratio for near, ratio in zip(simple, ratios, strict=True)):
        return None
    parts = math.lcm(*(near.denominator for near in simple))
    if parts > MOST_PARTS:
        return None
    return float(distinct[0]) * math.gcd(*(int(near * parts) for near in simple)) / parts


def count(ballots: Ballots, k: int) -> tuple[Count, float, bool]:
    """Count the ballots to the end on all ways of breaking ties.

    Returns
    -------
    end : Count
        What all ways agree on, and what is possible on some.
    quota : float
    together : bool
        Whether the ways were too many, so that tied agents left together on the only way followed.
    """
    start, rules = _before_first_round(ballots, k)
    most = min(MOST_COUNTS, max(1, MOST_WORK // max(1, rules.place.size)))
    end = _follow(start, rules, most)
    if end is not None:
        return end, rules.quota, False
    end = _follow(start, replace(rules, together=True), most)
    assert end is not None
    return end, rules.quota, True


def _before_first_round(ballots: Ballots, k: int) -> tuple[Count, Rules]:
    """The count before the first round."""
    table = ballots.places()
    ranked = np.diff(ballots.start)
    ties = bool((table.max(axis=1, initial=-1) + 1 < ranked).any())
    place = table.astype(np.int16) if table.max(initial=0) < np.iinfo(np.int16).max else table
    out = int(np.iinfo(place.dtype).max)
    place[table < 0] = out
    n = place.shape[1]
    quota, more = droop_quota(ballots, k)
    allowed = ROUNDING * (float(ballots.total.sum()) or 1.0)
    rules = Rules(place, out, n, quota, more, allowed, bool(not ties and are_whole(ballots.total).all()), ties)
    top = place.min(axis=1, initial=out)
    start = Count(
        top=top,
        weight=ballots.total,
        tally=_tally(place, top, ballots.total, rules),
        left=np.ones(n, dtype=bool),
        above=np.zeros((n, n), dtype=bool),
        score=np.zeros(n),
        votes=np.zeros(n),
        always=np.zeros(n, dtype=bool),
    )
    return start, rules


def _tally(place: Place, top: Place, weight: Floats, rules: Rules) -> Floats:
    """What each agent gets from ballots that split their weight among the agents at their top."""
    live = np.where(top < rules.out, weight, 0.0)
    if not rules.ties:
        return np.bincount(place.argmin(axis=1), live, place.shape[1]).astype(np.float64)
    first = place == top[:, None]
    return (live / first.sum(axis=1)) @ first


def _follow(start: Count, rules: Rules, most: int) -> Count | None:
    """Follow all ways of breaking ties to the end; None where they are too many."""
    waiting: dict[int, dict[Any, Count]] = {rules.n_agents: {None: start.copy()}}
    followed = 0
    while True:
        size = max(waiting)
        states = waiting.pop(size)
        if size == 0:
            return next(iter(states.values()))
        alone = not waiting and len(states) == 1
        for state in states.values():
            ways = _ways(state, rules)
            followed += len(ways) - (alone and len(ways) == 1)
            if followed > most:
                return None
            for group, won in ways:
                after = state if len(ways) == 1 else state.copy()
                _leave(after, group, won, rules)
                n_left = size - len(group)
                same = waiting.setdefault(n_left, {})
                key = after.key(rules) if n_left and not (alone and len(ways) == 1) else None
                if key in same:
                    same[key].merge(after, rules)
                else:
                    same[key] = after


def _ways(state: Count, rules: Rules) -> list[tuple[Ints, bool]]:
    """Who may leave next, and whether elected: one way without a tie."""
    left = np.flatnonzero(state.left)
    tally = state.tally[left]
    high, low = tally.max(), tally.min()
    exact = (rules.whole and not state.n_elected) or bool(are_whole(tally).all())
    allowed = 0.0 if exact else rules.allowed
    won = bool(high > rules.quota + allowed if rules.more else high >= rules.quota - allowed)
    tied = left[tally >= high - allowed] if won else left[tally <= low + allowed]
    if len(tied) == 1 or rules.together or (low <= allowed and not won):
        return [(tied, won)]
    return [(tied[i : i + 1], won) for i in range(len(tied))]


def _leave(state: Count, group: Ints, won: bool, rules: Rules) -> None:
    """Take a group out: note its place in the ranking, then pass its votes on."""
    state.left[group] = False
    n_left = int(np.count_nonzero(state.left))
    votes = np.maximum(state.tally[group], 0.0)
    state.votes[group] = votes
    ids = tuple(group.tolist())
    n_lost = rules.n_agents - n_left - len(group) - state.n_elected
    if won:
        state.above[group] |= state.left
        base = 2 * rules.n_agents - state.n_elected
        if not state.n_elected:
            state.firsts = frozenset(ids)
        state.n_elected += len(group)
        state.always[group] = True
        state.elected = frozenset(some | set(ids) for some in state.elected)
        state.rankings = [((*top, ids), bottom) for top, bottom in state.rankings]
    else:
        state.above[:, group] |= state.left[:, None]
        base = n_lost + 1  # from the bottom; raised by the number of winners when that is known
        state.rankings = [(top, (ids, *bottom)) for top, bottom in state.rankings]
        if not n_left and not state.n_elected:
            state.firsts = frozenset(ids)
    state.score[group] = stv_score(base, float(votes[0])) if len(group) == 1 else np.nan
    if n_left:
        _pass_on(state, group, rules, won)
    else:
        state.score[state.score < rules.n_agents + 1] += state.n_elected


def _pass_on(state: Count, group: Ints, rules: Rules, won: bool) -> None:
    """Take from each ballot what it spent on electing the group, and pass the rest to the next agents on it."""
    top, weight, left = state.top, state.weight, np.flatnonzero(state.left)
    mine = rules.place[:, group] == top[:, None]
    rows = np.flatnonzero(mine.any(axis=1) & (top < rules.out))
    place, share = rules.place[rows[:, None], left], weight[rows]
    spent = (rules.quota / state.tally[group]).clip(max=1.0) if won else None
    if rules.ties:
        before = place == top[rows, None]
        share = share / (before.sum(axis=1) + mine[rows].sum(axis=1))
        state.tally[left] -= share @ before
    if spent is not None:
        weight[rows] -= share * (mine[rows] @ spent)
    top[rows] = place.min(axis=1)
    state.tally[left] += _tally(place, top[rows], weight[rows], rules)
    state.tally[group] = 0.0


def stv(profile: Profile, k: int | None = None) -> Outcome:
    r"""Elect `k` agents by the single transferable vote, and rank all: winners by round, then the last eliminated first.

    Each round adds up the ballots for the agent they rank first among those left. If the largest total reaches the
    Droop quota

    .. math::  q = \left\lfloor \frac{n}{k + 1} + 1 \right\rfloor,

    with *n* the number of ballots (see `droop_quota` for weights), that agent is elected; otherwise the agent with the smallest total is
    eliminated, and its ballots pass to the next agent on them. Rounds go on until nobody is left; the quota lets no more
    than `k` be elected. VasE, appendix, "Single Transferable Vote (STV)" [1]_.

    Parameters
    ----------
    profile : Profile
        With ballots.
    k : int, optional
        Agents to elect, from 1 to the number of agents. By default half of them, rounded down, at least one: the paper
        prints :math:`\min(1, \lfloor m/2 \rfloor)`, which would always be one and for a single agent none, so that
        the larger of the two must be meant.

    Returns
    -------
    Outcome
        Scores of VasE's appendix; see `stv_score`. Details give `k`, the `quota`, the agents `elected` and the `votes` of
        each agent in the round it left, None where that differs. Where ties matter: the "possible winners" (ranked first), the "possible elected"
        sets and some of the "possible rankings".

    Examples
    --------
    VasE's pentathlon: B has one vote, leaves, and its voter makes C the first to reach three.

    >>> from beatpath import Ballots, rank
    >>> votes = [[["A"], ["B"], ["C"]], [["A"], ["C"], ["B"]], [["C"], ["A"], ["B"]], [["B"], ["C"], ["A"]]]
    >>> rank(Ballots.of(votes, count=[1, 1, 2, 1]), "stv").scores
    {'A': 3.2, 'B': 2.1, 'C': 6.3}

    Notes
    -----
    Departures, where the paper leaves a choice. *Surplus*: which votes are surplus would be arbitrary, so every ballot
    for the elected agent keeps the fraction :math:`1 - q / t` of its weight, *t* being the agent's total (weighted
    inclusive Gregory transfer). *Ties on a ballot*: the agents tied at its top share its weight equally. *Weights*:
    the quota scales with them. *Ballots used up* count for nobody; the quota stays.

    *Ties between agents* are followed in every order, equal counts merged, as parallel universes: if these differ, an
    agent is above another only if it is in all of them (`agreed_levels`), and scores that differ are NaN. Agents
    without any vote leave together, tied. Beyond 1,000 counts, or fewer for large tables, tied agents are elected or
    eliminated together instead, and the status says so.

    References
    ----------
    .. [1] M. Lanctot et al., "Evaluating Agents using Social Choice Theory" (VasE), 2023, arXiv:2312.03121.
    """
    ballots = profile.need_ballots("stv")
    n_agents = len(profile.agents)
    k = max(1, n_agents // 2) if k is None else require_k(k, n_agents)
    end, quota, together = count(ballots, k)
    status = TOGETHER if together else EXACT
    level = agreed_levels(end.above)
    if status == EXACT and len(end.rankings) > 1:
        status = BROKEN
    details: dict[str, Any] = {
        "k": k,
        "quota": int(quota) if quota.is_integer() else quota,
        "elected": chosen_names(end.always, profile.agents),
        "votes": {a: None if math.isnan(v) else v for a, v in zip(profile.agents, end.votes.tolist(), strict=True)},
    }
    if status == BROKEN:
        details |= end.possible(profile.agents)
    return outcome(level, end.score, status, details)
