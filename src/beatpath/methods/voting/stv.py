"""Single transferable vote: elect agents that reach a quota, transfer the surplus, and eliminate the last.

Votes are counted round by round, for every way of breaking ties. Counts with the same remaining agents and the same
votes are merged, so the work grows with the number of possible sets of remaining agents, not with the orders of
elimination.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Bools, Floats, Ints
from beatpath.evidence import Ballots
from beatpath.evidence.ties import ROUNDING, are_whole
from beatpath.methods.graph.relation import agreed_levels, chosen_names
from beatpath.methods.profile import Profile
from beatpath.methods.result import EXACT, Outcome, outcome
from beatpath.methods.voting.scoring import require_k

MOST_COUNTS = 1_000  # limit on counts in progress, over all ways of breaking ties
MOST_WORK = 10_000_000  # the same, times ballots and agents
MOST_SHOWN = 10  # possible rankings listed in the details
MOST_PARTS = 10_000  # largest denominator of the ratios between weights
# Statuses: the outcome depends on how ties are broken; there are too many ways to follow.
BROKEN = "ties for the last place or for election make the outcome depend on the order in which they are broken"
TOGETHER = "ties have too many orders to try all; agents tied for election are elected together, agents tied for last eliminated together"

# Types: places of agents on ballots; a count that is computed if needed; groups of agents that leave together.
Place = NDArray[np.int16] | NDArray[np.int32]
Arrival = Callable[[], "Count"]
Groups = tuple[tuple[int, ...], ...]


def stv_score(base: int, votes: float) -> float:
    """Return VasE's score: a base, with the number of votes as its decimals.

    A winner has base :math:`2m - i` for its index *i* among the winners, a loser :math:`m - i` for its index among
    the losers, last eliminated first; both count from 0. VasE concatenates the votes as text: 12 votes after base 8
    are 8.12, and 6 votes after base 7 are 7.6. Here the votes are divided by ten to the number of digits of their
    integer part; a fractional vote adds further decimals.

    >>> stv_score(8, 12), stv_score(7, 6), stv_score(7, 6.5), stv_score(4, 0), stv_score(7, 10 - 2e-15)
    (8.12, 7.6, 7.65, 4.0, 7.1)
    """
    votes = round(votes, 9)  # rounding must not turn 10 votes into 9.99...
    whole = math.floor(votes)
    return round(base + votes / 10 ** len(str(whole)), 12)


@dataclass(frozen=True, slots=True)
class Rules:
    """The quantities that stay constant through a count."""

    place: Place  # (ballots, n); `out` if unranked
    out: np.signedinteger  # the place of agents that are unranked or gone
    quota: float
    more: bool  # whether the quota must be exceeded
    allowed: float  # largest difference between tallies that still counts as equal
    whole: bool  # whether tallies are integers as long as nobody is elected
    ties: bool
    together: bool = False


@dataclass(frozen=True, slots=True)
class Count:
    """A count in progress: everything that later rounds depend on."""

    top: Place  # (ballots,) the best remaining place
    weight: Floats  # (ballots,)
    tally: Floats  # (n,)
    left: Bools  # (n,)
    n_elected: int = 0

    def key(self, rules: Rules) -> tuple[bytes, int, bytes]:
        """Counts with the same key continue alike: the same remaining agents, and ballots of the same weights."""
        live = np.where(self.top < rules.out, self.weight, 0.0)
        return self.left.tobytes(), self.n_elected, np.rint(live / rules.allowed).astype(np.int64).tobytes()


@dataclass(frozen=True, slots=True)
class Round:
    """The state of a round and, for each way of breaking its ties, who leaves, whether elected, and the next round."""

    tally: Floats
    left: Bools
    n_elected: int
    ways: list[tuple[Ints, bool, int]] = field(default_factory=list)


@dataclass(slots=True)
class Agreed:
    """What all ways that led to a round agree on, and what is possible in some."""

    above: Bools  # (n, n)
    score: Floats  # (n,)
    votes: Floats  # (n,) when they left; NaN if ways differ
    always: Bools  # (n,) elected in every way
    firsts: frozenset[int] = frozenset()
    elected: frozenset[frozenset[int]] = frozenset({frozenset()})
    rankings: list[tuple[Groups, Groups]] = field(default_factory=lambda: [((), ())])

    def copy(self) -> "Agreed":
        """Return an independent copy."""
        tables = (self.above.copy(), self.score.copy(), self.votes.copy(), self.always.copy())
        return Agreed(*tables, self.firsts, self.elected, self.rankings)

    def leave(self, was: Round, group: Ints, won: bool) -> None:
        """Record who leaves a round: their place in the ranking, their votes and their score."""
        n, ids, votes = len(was.left), tuple(group.tolist()), np.maximum(was.tally[group], 0.0)
        left = was.left.copy()
        left[group] = False
        n_left, n_elected = int(np.count_nonzero(left)), was.n_elected
        self.votes[group] = votes
        if won:
            self.above[group] |= left
            base = 2 * n - n_elected
            if not n_elected:
                self.firsts = frozenset(ids)
            n_elected += len(group)
            self.always[group] = True
            self.elected = frozenset(some | set(ids) for some in self.elected)
            self.rankings = [((*top, ids), bottom) for top, bottom in self.rankings]
        else:
            self.above[:, group] |= left[:, None]
            # counted from the bottom; raised once the number of winners is known
            base = n - n_left - len(group) - n_elected + 1
            self.rankings = [(top, (ids, *bottom)) for top, bottom in self.rankings]
            if not n_left and not n_elected:
                self.firsts = frozenset(ids)
        self.score[group] = stv_score(base, float(votes[0])) if len(group) == 1 else np.nan
        if not n_left:
            self.score[self.score < n + 1] += n_elected

    def merge(self, other: "Agreed", rules: Rules) -> None:
        """Keep what both ways agree on up to rounding, and all that is possible in either."""
        self.above &= other.above
        self.score[~(np.abs(self.score - other.score) <= ROUNDING * self.score)] = np.nan
        self.votes[~(np.abs(self.votes - other.votes) <= rules.allowed)] = np.nan
        self.always &= other.always
        self.firsts |= other.firsts
        self.elected |= other.elected
        self.rankings += [way for way in other.rankings if way not in self.rankings]
        del self.rankings[MOST_SHOWN + 1 :]

    def possible(self, agents: tuple[str, ...]) -> dict[str, Any]:
        """Return what ties leave open, by name."""
        sets = sorted(sorted(agents[i] for i in some) for some in self.elected)
        rankings = [[sorted(agents[i] for i in group) for group in (*won, *lost)] for won, lost in self.rankings]
        return {
            "possible winners": sorted(agents[i] for i in self.firsts),
            "possible elected": sets[:MOST_SHOWN],
            "possible rankings": sorted(rankings)[:MOST_SHOWN],
        }


def droop_quota(ballots: Ballots, k: int) -> tuple[float, bool]:
    r"""Return the number of votes that elects an agent, and whether it must be exceeded.

    With *u* the largest number of which all weights are integer multiples, one for unweighted ballots, the quota is

    .. math::  u \left\lfloor \frac{n}{u (k + 1)} + 1 \right\rfloor,

    Droop's quota for *n* counted in units of *u*. So multiplying all weights by one number elects the same agents. As
    *u* shrinks, the quota approaches :math:`n / (k + 1)`, which must be exceeded; that is the quota for weights
    without a common measure.

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
    """Return the largest number of which all weights are integer multiples, or ``None`` if there is no simple ratio.

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


def count(ballots: Ballots, k: int) -> tuple[Agreed, float, bool]:
    """Count the ballots to the end for all ways of breaking ties.

    Returns
    -------
    end : Agreed
        What all ways agree on, and what is possible in some.
    quota : float
        The votes that elect an agent.
    together : bool
        Whether there were too many ways, so that tied agents left together in a single one.
    """
    start, rules = _before_first_round(ballots, k)
    most = min(MOST_COUNTS, max(1, MOST_WORK // max(1, rules.place.size)))
    rounds = _rounds(start, rules, most)
    together = rounds is None
    if rounds is None:
        rules = replace(rules, together=True)
        rounds = _rounds(start, rules, most)
        assert rounds is not None
    return _agreed(rounds, rules), rules.quota, together


def _before_first_round(ballots: Ballots, k: int) -> tuple[Count, Rules]:
    """The count before the first round, and the constants."""
    table = ballots.places()
    place = table.astype(np.int16) if table.max(initial=0) < np.iinfo(np.int16).max else table
    out = place.dtype.type(np.iinfo(place.dtype).max)
    place[place < 0] = out
    quota, more = droop_quota(ballots, k)
    ties, weight = not ballots.strict, ballots.total
    allowed = ROUNDING * (float(weight.sum()) or 1.0)
    rules = Rules(place, out, quota, more, allowed, bool(not ties and are_whole(weight).all()), ties)
    top = place.min(axis=1, initial=out)
    return Count(top, weight, _tally(place, top, weight, rules), np.ones(place.shape[1], dtype=bool)), rules


def _tally(place: Place, top: Place, weight: Floats, rules: Rules) -> Floats:
    """Votes of each agent; a ballot divides its weight among the agents tied at its top."""
    live = np.where(top < rules.out, weight, 0.0)
    if not rules.ties:
        return np.bincount(place.argmin(axis=1), live, place.shape[1]).astype(np.float64)
    first = place == top[:, None]
    return (live / first.sum(axis=1)) @ first


def _rounds(start: Count, rules: Rules, most: int) -> dict[int, Round] | None:
    """Follow all ways of breaking ties to the end, rounds with more agents first; ``None`` if there are too many."""
    rounds: dict[int, Round] = {}
    waiting: dict[int, dict[Any, tuple[int, Arrival]]] = {len(start.left): {None: (0, lambda: start)}}
    followed = known = 0
    while size := max(waiting):
        here = waiting.pop(size)
        alone = not waiting and len(here) == 1
        for number, arrive in here.values():
            now = arrive()
            ways = _ways(now, rules)
            followed += len(ways) - (alone and len(ways) == 1)
            if followed > most:
                return None
            rounds[number] = Round(now.tally, now.left, now.n_elected)
            for group, won in ways:
                same = waiting.setdefault(size - len(group), {})
                merges = len(group) < size and not (alone and len(ways) == 1)
                key, after = (
                    _arrival(now, group, won, rules) if merges else (None, partial(_after, now, group, won, rules))
                )
                if key not in same:
                    known += 1
                    same[key] = known, after
                rounds[number].ways.append((group, won, same[key][0]))
    return rounds


def _arrival(now: Count, group: Ints, won: bool, rules: Rules) -> tuple[tuple[bytes, int, bytes], Arrival]:
    """Where a way leads: the key of its count, and a function that computes the count if needed.

    Until somebody is elected, ballots keep their weights, so the remaining agents are a sufficient key.
    """
    if now.n_elected or won:
        after = _after(now, group, won, rules)
        return after.key(rules), lambda: after
    left = now.left.copy()
    left[group] = False
    return (left.tobytes(), 0, b""), partial(_after, now, group, won, rules)


def _agreed(rounds: dict[int, Round], rules: Rules) -> Agreed:
    """What all ways from the first round to the end agree on; the end itself is not a round."""
    n = rules.place.shape[1]
    known = {0: Agreed(np.zeros((n, n), dtype=bool), np.zeros(n), np.zeros(n), np.zeros(n, dtype=bool))}
    for number, here in rounds.items():
        agreed = known.pop(number)
        for group, won, after in here.ways:
            way = agreed if len(here.ways) == 1 else agreed.copy()
            way.leave(here, group, won)
            if after in known:
                known[after].merge(way, rules)
            else:
                known[after] = way
    (end,) = known.values()
    return end


def _ways(now: Count, rules: Rules) -> list[tuple[Ints, bool]]:
    """Who may leave next, and whether elected; a single way if there is no tie."""
    left = np.flatnonzero(now.left)
    tally = now.tally[left]
    high, low = tally.max(), tally.min()
    exact = (rules.whole and not now.n_elected) or bool(are_whole(tally).all())
    allowed = 0.0 if exact else rules.allowed
    won = bool(high > rules.quota + allowed if rules.more else high >= rules.quota - allowed)
    tied = left[tally >= high - allowed] if won else left[tally <= low + allowed]
    if len(tied) == 1 or rules.together or (low <= allowed and not won):
        return [(tied, won)]
    return [(tied[i : i + 1], won) for i in range(len(tied))]


def _after(now: Count, group: Ints, won: bool, rules: Rules) -> Count:
    """Remove a group: ballots lose the weight spent on electing them, and the rest transfers to the next agents."""
    top, tally, left, weight = now.top.copy(), now.tally.copy(), now.left.copy(), now.weight
    left[group] = False
    mine = rules.place.T[group] == top
    rows = np.flatnonzero((mine[0] if len(group) == 1 else mine.any(axis=0)) & (top < rules.out))
    place, share = np.where(left, rules.place[rows], rules.out), weight[rows]
    if rules.ties:
        before = place == top[rows, None]
        share = share / (before.sum(axis=1) + mine[:, rows].sum(axis=0))
        tally -= share @ before
    if won:
        weight = weight.copy()
        weight[rows] -= share * ((rules.quota / now.tally[group]).clip(max=1.0) @ mine[:, rows])
    top[rows] = place.min(axis=1)
    tally += _tally(place, top[rows], weight[rows], rules)
    tally[group] = 0.0
    return Count(top, weight, tally, left, now.n_elected + won * len(group))


def stv(profile: Profile, k: int | None = None) -> Outcome:
    r"""Elect `k` agents by single transferable vote, and rank all: winners by round, then the last eliminated first.

    Each round assigns every ballot to the agent it ranks first among those remaining. If the largest total reaches
    the Droop quota

    .. math::  q = \left\lfloor \frac{n}{k + 1} + 1 \right\rfloor,

    with *n* the number of ballots (see `droop_quota` for weights), that agent is elected. Otherwise the agent with
    the smallest total is eliminated, and its ballots transfer to the next agent on them. Rounds continue until nobody
    remains; the quota lets at most `k` be elected. VasE, appendix, "Single Transferable Vote (STV)" [1]_.

    Parameters
    ----------
    profile : Profile
        Evidence with ballots: rankings or a score table.
    k : int, optional
        Number of agents to elect, from 1 to the number of agents. Default half of them, rounded down, at least one:
        the paper prints :math:`\min(1, \lfloor m/2 \rfloor)`, which would always be at most one, so the maximum must
        be meant.

    Returns
    -------
    Outcome
        Scores of VasE's appendix; see `stv_score`. Details give `k`, the `quota`, the agents `elected` and the
        `votes` of each agent in the round it left, ``None`` if that differs. If ties matter: the "possible winners"
        (ranked first), the "possible elected" sets and some of the "possible rankings".

    Examples
    --------
    VasE's pentathlon: B has one vote and is eliminated; its voter makes C the first to reach three.

    >>> from beatpath import Ballots, rank
    >>> votes = [[["A"], ["B"], ["C"]], [["A"], ["C"], ["B"]], [["C"], ["A"], ["B"]], [["B"], ["C"], ["A"]]]
    >>> rank(Ballots.of(votes, count=[1, 1, 2, 1]), "stv").scores
    {'A': 3.2, 'B': 2.1, 'C': 6.3}

    Notes
    -----
    Choices where the paper leaves one. *Surplus*: every ballot for the elected agent keeps the fraction :math:`1 - q
    / t` of its weight, with *t* the agent's total (weighted inclusive Gregory transfer), since any choice of surplus
    votes would be arbitrary. *Ties on a ballot*: the agents tied at its top share its weight equally. *Weights*: the
    quota scales with them. *Exhausted ballots* count for nobody; the quota stays.

    *Ties between agents* are followed in every order, with equal counts merged (parallel-universe tie-breaking). If
    the results differ, an agent is above another only if it is in all of them (`agreed_levels`), and scores that
    differ are NaN. Agents without any vote leave together, tied. Beyond 1,000 counts, or fewer for large tables, tied
    agents are elected or eliminated together, and the status says so.

    References
    ----------
    .. [1] M. Lanctot et al., "Evaluating Agents using Social Choice Theory" (VasE), 2023, arXiv:2312.03121.
    """
    ballots = profile.require_ballots("stv")
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
