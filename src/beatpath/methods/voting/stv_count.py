"""Counting single transferable votes, round by round, on every way of breaking ties.

Ways that have the same agents left with the same votes go on alike and are merged, so that the work grows with the
sets of agents that may be left, not with the orders in which they leave.
"""

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beatpath.evidence import Ballots
from beatpath.evidence.ties import ROUNDING, are_whole

MOST_COUNTS = 1_000  # counts in progress that are followed, over all ways of breaking ties
MOST_WORK = 10_000_000  # the same, times ballots and agents
MOST_SHOWN = 10
MOST_PARTS = 10_000  # votes that the smallest weight may stand for

Place = NDArray[np.int16] | NDArray[np.int32]
Groups = tuple[tuple[int, ...], ...]


def stv_score(base: int, votes: float) -> float:
    """Return a base with the votes written after the period.

    A winner has base :math:`2m - i` for its index *i* among the winners, a loser :math:`m - i` for its index among the
    losers, the last eliminated first; both count from 0. VasE concatenates the votes as text: 12 votes after base 8 are
    8.12, 6 votes after base 7 are 7.6. So it is done here, by dividing the votes by ten to the number of digits of their
    whole part; a fraction of a vote follows in the further decimals.

    >>> stv_score(8, 12), stv_score(7, 6), stv_score(7, 6.5), stv_score(4, 0)
    (8.12, 7.6, 7.65, 4.0)
    """
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
    ties: bool
    together: bool = False


@dataclass(slots=True)
class Count:
    """A count in progress, with what all the ways that led to it agree on."""

    top: Place  # (ballots,) the best place left
    weight: NDArray[np.float64]  # (ballots,)
    tally: NDArray[np.float64]  # (n,)
    left: NDArray[np.bool_]  # (n,)
    above: NDArray[np.bool_]  # (n, n)
    score: NDArray[np.float64]  # (n,)
    votes: NDArray[np.float64]  # (n,) when they left; NaN where ways differ
    always: NDArray[np.bool_]  # (n,) elected on every way
    n_elected: int = 0
    firsts: frozenset[int] = frozenset()
    elected: frozenset[frozenset[int]] = frozenset({frozenset()})
    rankings: list[tuple[Groups, Groups]] = field(default_factory=lambda: [((), ())])

    def copy(self) -> "Count":
        """Return a copy to go on from."""
        return replace(
            self,
            top=self.top.copy(),
            weight=self.weight.copy(),
            tally=self.tally.copy(),
            left=self.left.copy(),
            above=self.above.copy(),
            score=self.score.copy(),
            votes=self.votes.copy(),
            always=self.always.copy(),
        )

    def key(self, rules: "Rules") -> tuple[bytes, int, bytes]:
        """Counts with the same key go on alike."""
        live = np.where(self.top < rules.out, self.weight, 0.0)
        return self.left.tobytes(), self.n_elected, np.rint(live / rules.allowed).astype(np.int64).tobytes()

    def merge(self, other: "Count") -> None:
        """Keep what both ways agree on, and all that is possible on either."""
        self.above &= other.above
        self.score[~(self.score == other.score)] = np.nan
        self.votes[~(self.votes == other.votes)] = np.nan
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


def common_measure(weights: NDArray[np.float64]) -> float | None:
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
    start, rules = _start(ballots, k)
    most = min(MOST_COUNTS, max(1, MOST_WORK // max(1, rules.place.size)))
    end = _follow(start, rules, most)
    if end is not None:
        return end, rules.quota, False
    end = _follow(start, replace(rules, together=True), most)
    assert end is not None
    return end, rules.quota, True


def _start(ballots: Ballots, k: int) -> tuple[Count, Rules]:
    """The count before the first round."""
    table = ballots.places()
    ranked = np.diff(ballots.start)
    ties = bool((table.max(axis=1, initial=-1) + 1 < ranked).any())
    place = table.astype(np.int16) if table.max(initial=0) < np.iinfo(np.int16).max else table
    out = int(np.iinfo(place.dtype).max)
    place[table < 0] = out
    n = place.shape[1]
    quota, more = droop_quota(ballots, k)
    rules = Rules(place, out, n, quota, more, ROUNDING * (float(ballots.total.sum()) or 1.0), ties)
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


def _tally(place: Place, top: Place, weight: NDArray[np.float64], rules: Rules) -> NDArray[np.float64]:
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
                    same[key].merge(after)
                else:
                    same[key] = after


def _ways(state: Count, rules: Rules) -> list[tuple[NDArray[np.int64], bool]]:
    """Who may leave next, and whether elected: one way without a tie."""
    left = np.flatnonzero(state.left)
    tally = state.tally[left]
    high, low = tally.max(), tally.min()
    allowed = 0.0 if are_whole(tally).all() else rules.allowed
    won = bool(high > rules.quota + allowed if rules.more else high >= rules.quota - allowed)
    tied = left[tally >= high - allowed] if won else left[tally <= low + allowed]
    if len(tied) == 1 or rules.together or (low <= allowed and not won):
        return [(tied, won)]
    return [(tied[i : i + 1], won) for i in range(len(tied))]


def _leave(state: Count, group: NDArray[np.int64], won: bool, rules: Rules) -> None:
    """Take a group out: note its place in the ranking, then pass its votes on."""
    state.left[group] = False
    rest = np.flatnonzero(state.left)
    votes = np.maximum(state.tally[group], 0.0)
    state.votes[group] = votes
    ids = tuple(group.tolist())
    n_lost = rules.n_agents - len(rest) - len(group) - state.n_elected
    if won:
        state.above[np.ix_(group, rest)] = True
        base = 2 * rules.n_agents - state.n_elected
        if not state.n_elected:
            state.firsts = frozenset(ids)
        state.n_elected += len(group)
        state.always[group] = True
        state.elected = frozenset(some | set(ids) for some in state.elected)
        state.rankings = [((*top, ids), bottom) for top, bottom in state.rankings]
    else:
        state.above[np.ix_(rest, group)] = True
        base = n_lost + 1  # from the bottom; raised by the number of winners when that is known
        state.rankings = [(top, (ids, *bottom)) for top, bottom in state.rankings]
        if not len(rest) and not state.n_elected:
            state.firsts = frozenset(ids)
    state.score[group] = stv_score(base, float(votes[0])) if len(group) == 1 else np.nan
    if len(rest):
        _pass_on(state, group, rules, won)
    else:
        state.score[state.score < rules.n_agents + 1] += state.n_elected


def _pass_on(state: Count, group: NDArray[np.int64], rules: Rules, won: bool) -> None:
    """Take from each ballot what it spent on electing the group, and pass the rest to the next agents on it."""
    top, weight = state.top, state.weight
    mine = rules.place[:, group] == top[:, None]
    rows = np.flatnonzero(mine.any(axis=1) & (top < rules.out))
    place, mine = rules.place[rows], mine[rows]
    spent = (rules.quota / state.tally[group]).clip(max=1.0) if won else np.zeros(len(group))
    if rules.ties:
        before = (place == top[rows, None]) & (state.left | np.isin(np.arange(rules.n_agents), group))
        share = weight[rows] / before.sum(axis=1)
        state.tally -= share @ before
    else:
        share = weight[rows]
    weight[rows] -= share * (mine @ spent)
    place[:, ~state.left] = rules.out
    top[rows] = place.min(axis=1)
    state.tally += _tally(place, top[rows], weight[rows], rules)
    state.tally[~state.left] = 0.0
