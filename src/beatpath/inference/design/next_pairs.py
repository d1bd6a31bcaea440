r"""Which pairs to play next, so that a budget of battles resolves as much as possible (optimal design).

A difference of scores, now :math:`d` with variance :math:`v`, will have variance :math:`v'` after more battles. All
differences together show how far agents truly are apart: with *s* the variance of true differences, a true difference
has mean :math:`B d` and variance :math:`B v`, where :math:`B = s / (s + v)` (empirical Bayes). With :math:`w = v' / v`
the weight that existing battles keep, the new estimate has

.. math::  \text{mean } d\, (w + B (1 - w)), \qquad \text{variance } (1 - w)^2 B v + (1 - w) v',

and it will be certain if it is further than *c* standard errors :math:`\sqrt{v'}` from zero.

References
----------
.. [1] R. C. Paule, J. Mandel, "Consensus values and weighting factors", *Journal of Research of the National Bureau of
       Standards* 87 (1982), 377-385.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr

from beatpath._arrays import Bools, Floats, Ints
from beatpath._coerce import EvidenceLike
from beatpath._errors import UsageError
from beatpath._result import Rows, TableResult
from beatpath._text import counted
from beatpath._validate import generator, require_choice, require_whole
from beatpath.inference.design.power import (
    NUDGE,
    Aim,
    PairPlan,
    pair_rows,
    pairs_text,
    planned_pairs,
    reallocated,
    rise,
)
from beatpath.inference.design.sample_size import Outlook
from beatpath.inference.leaderboard import variances_of_differences
from beatpath.inference.ranks.differences import estimable, gaussian_equivalent, t_critical
from beatpath.inference.ranks.grouping import point_ranks
from beatpath.inference.scores.scored import HasBoard, scored_of
from beatpath.inference.win_rates.estimate import WinRateEstimate

ZERO_VARIANCE = 1e-12  # relative variance that is distinguishable from zero
# goals, with what each maximizes
GOALS = {
    "rank_sets": "settle as many differences of scores as possible",
    "top": "settle first place",
    "core": "settle who belongs to the core",
}
STEPS, STILL = 100, 1e-3  # most steps of the ascent, and the relative change that ends it
SURE = 6.0  # standard errors beyond which a direction counts as known


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NextPairs(TableResult):
    """The pairs to play next.

    Attributes
    ----------
    goal : str
        A key of `GOALS`.
    budget : int
        Battles to play, or money to spend.
    pairs : tuple of (str, str, int)
        New battles of each pair, most first; they sum to the budget. Empty when nothing can be gained. With prices, those
        with a human vote.
    now, expected, evenly : float
        Number of the goal's differences that are certain now; expected after these battles; and expected after as many
        spread evenly over all pairs compared directly. NaN for the core.
    wanted : int
        Number of differences of the goal; 0 for the core.
    notes : tuple of str
        Pairs that were left out; first, where there are no pairs to play, why.
    settings : mapping
        All settings.
    calls : tuple of (str, str, int)
        With prices, the judge calls to buy of each pair, on the battles with a human vote and on others.
    """

    goal: str
    budget: int
    pairs: PairPlan
    now: float
    expected: float
    evenly: float
    wanted: int
    notes: tuple[str, ...]
    settings: Mapping[str, Any]
    calls: PairPlan = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """What to play, and the expected gain."""
        aim = GOALS[self.goal]
        if not self.pairs:
            return (f"No pairs to play next: {self.notes[0]}",)
        text = f"To {aim} with {counted(self.budget, 'more battle')}, play {pairs_text(self.pairs)}."
        if self.settings.get("prices"):
            votes, calls = (sum(number for *_, number in plan) for plan in (self.pairs, self.calls))
            text = (
                f"To {aim} for {self.budget:,}, buy {counted(votes, 'human vote')} and {counted(calls, 'judge call')}; votes: "
                f"{pairs_text(self.pairs)}."
            )
        if self.goal == "core":
            return (text,)
        gain = f"{self.now:,.0f} are certain now and {self.expected:,.1f} are expected to be certain then"
        evenly = f"battles spread evenly over all pairs would give {self.evenly:,.1f}"
        return (f"{text} Of {counted(self.wanted, 'difference')}, {gain}; {evenly}.",)

    def rows(self) -> Rows:
        """Return the pairs to play, one row each, most battles first."""
        calls = {(a, b): {"calls": number} for a, b, number in self.calls}
        return [{**row, **calls.get((row["a"], row["b"]), {})} for row in pair_rows(self.pairs)]


class ExpectedDiscoveries:
    """The differences to resolve, and the probability of each to be certain after more battles.

    Parameters
    ----------
    outlook : Outlook
        The covariance after more battles.
    aim : Aim
        With the critical value on the Gaussian scale.
    first_place : bool
        Whether the differences are those of the leaders, and only resolving all counts; otherwise each counts.
    """

    def __init__(self, outlook: Outlook, aim: Aim, *, first_place: bool) -> None:
        board, used = outlook.board, np.triu(estimable(outlook.board))
        gap, before = np.abs(board.differences), board.variance_of_differences
        leading = point_ranks(board.score) == 1
        wanted = used & (leading[:, None] | leading[None, :]) if first_place else used
        self.outlook, self.first_place, self.at = outlook, first_place, np.nonzero(wanted)
        self.gap, self.before = gap[wanted], before[wanted]
        self.critical = t_critical(aim.critical, board.df[wanted])
        self.shrunk = shrinkage(gap[used], before[used])[wanted[used]]
        self.certain = self.gap > self.critical * np.sqrt(board.variance_if_equal[wanted])

    @property
    def now(self) -> int:
        """Number of the differences that are certain now."""
        return int(self.certain.sum())

    def expected(self, extra: Floats) -> float:
        """Return how many will be certain, assuming that those certain now stay so."""
        return self.now + float(np.exp(self._log_chance(self._variances(extra)))[~self.certain].sum())

    def gains(self, extra: Floats) -> Floats:
        """Return the gain of one more battle of each pair: in the expected number, or in the log-probability of all."""
        after = self._variances(extra)
        if self.first_place:
            return self.outlook.gains(extra, self.at, rise(self._log_chance, after))
        worth = rise(lambda variance: np.exp(self._log_chance(variance)), after)
        return self.outlook.gains(extra, self.at, np.where(self.certain, 0.0, worth))

    def _variances(self, extra: Floats) -> Floats:
        """Return the variances of the differences after more battles, positive and at most the present ones."""
        after = variances_of_differences(self.outlook.covariance(self.outlook.shares(extra)))[self.at]
        return np.clip(after, ZERO_VARIANCE * self.before, (1 - 2 * NUDGE) * self.before)

    def _log_chance(self, after: Floats) -> Floats:
        return log_chance_to_be_certain(self.gap, self.before, after, self.critical, self.shrunk)


def next_pairs(
    evidence: EvidenceLike | WinRateEstimate | HasBoard,
    *,
    budget: int,
    goal: str = "rank_sets",
    count: int | None = None,
    level: float = 0.95,
    critical: float | None = None,
    prices: tuple[float, float] | None = None,
    seed: int = 0,
) -> NextPairs:
    """Choose which pairs to play next, and how often, so that a budget of battles resolves the most.

    For ``rank_sets`` it maximizes the expected number of differences of scores that will be certain; for ``top`` the
    probability that all differences of the leader, or of tied leaders, will be; for ``core`` the expected reduction in
    the variance of the direction of each pair, times the number of agents that enter or leave the top cycle when that
    pair is reversed.

    Parameters
    ----------
    evidence : Battles, Ballots, Scores, Pairs or Resolution, or what `read` takes
        Scores must be fixed-weight means of win rates; for ``core`` they do not matter. Evidence is scored with default
        conventions; `resolve` takes others.
    budget : int
        Number of battles to play.
    goal : {"rank_sets", "top", "core"}
        What to resolve.
    count : int, optional
        Most pairs to name; by default as many as help. Few pairs gain less where scores rest on many opponents.
    level, critical : float
        As for `minimum_detectable_effect`.
    prices : (float, float), optional
        Prices of a human vote and of a judge call, for a board by ``resolve(..., humans=...)``. The budget is then money, split
        between the two as `JudgeWorth.split` does.
    seed : int, default 0
        Of the tournaments sampled for ``core``; the other goals need none.

    Returns
    -------
    NextPairs

    See Also
    --------
    sample_size : Battles needed to separate two agents.
    sample_size_for_top : Battles needed to establish the best agents.

    Examples
    --------
    Ada and bob are close, and cyd is far below both. With rates taken as they are, the variance of ada's lead over bob
    would be proportional to 4 * 0.25 / n_ab + 0.09 / n_ac + 0.09 / n_bc, smallest when the 800 battles are as 1 to 0.3
    to 0.3; as all pairs also inform the Bradley-Terry fit, battles with cyd are worth a little more.

    >>> from beatpath import Pairs
    >>> counts = [[52, 48, 0, 0], [90, 10, 0, 0], [90, 10, 0, 0]]
    >>> options = Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], counts)
    >>> next_pairs(options, budget=500, goal="top").pairs
    (('ada', 'bob', 287), ('bob', 'cyd', 108), ('ada', 'cyd', 105))

    Notes
    -----
    New battles are assumed to be as informative as existing ones of the pair, clusters included; see `Outlook`. The
    allocation comes from multiplicative ascent from an even one: pairs grow by the root of the value of one more
    battle. The objective is not concave, so another allocation may be slightly better.

    Pairs never compared directly count only for ``core``: the effect of their first battles on scores is not computed.

    For ``core`` play part of the budget at a time and ask again: which pairs matter changes with the results. Looking
    at intervals after every part is repeated testing, though: an error rate over several looks must be shared among
    them.
    """
    require_choice("goal", goal, tuple(GOALS))
    require_whole("budget", budget)
    require_whole("count", 1 if count is None else count)
    if prices is not None:
        return _bought(evidence, budget, prices, goal=goal, count=count, level=level, critical=critical, seed=seed)
    pairwise, board = scored_of(evidence)
    aim = Aim.of(evidence, board, level, critical=critical)
    options = {"level": level, "critical": aim.critical, "count": count, "seed": seed}
    if goal == "core":
        first, second, gains = _core_gains(pairwise, generator(seed))
        extra = _spend(gains, len(first), budget, count)
        pairs = planned_pairs(pairwise.agents, first, second, extra)
        notes = () if pairs else ("no single open pair can change the core.",)
        return NextPairs(goal, budget, pairs, np.nan, np.nan, np.nan, 0, notes, {**options, "estimand": "core"})
    discoveries = ExpectedDiscoveries(Outlook(pairwise, board), aim, first_place=goal == "top")
    p = len(pairwise.rate)
    extra = _spend(discoveries.gains, p, budget, count)
    evenly = discoveries.expected(np.full(p, budget / max(p, 1)))
    return NextPairs(
        goal,
        budget,
        planned_pairs(pairwise.agents, pairwise.a, pairwise.b, extra),
        float(discoveries.now),
        discoveries.expected(extra.astype(np.float64)),
        evenly,
        len(discoveries.gap),
        _why_nothing(pairwise, discoveries, bool(extra.any())),
        {**options, "estimand": board.settings.get("estimand", "mean_win_rate")},
    )


def _bought(evidence: Any, budget: int, prices: tuple[float, float], **options: Any) -> NextPairs:
    """Return the pairs for which to buy human votes and judge calls.

    A battle of the board has the weight of a human vote and of the judge calls per vote so far.
    """
    worth = getattr(evidence, "worth", None)
    if worth is None:
        raise UsageError(
            "`prices` need a board of human votes assisted by judges; make it by `resolve(..., humans=...)`."
        )
    split = worth.split(human=prices[0], judge=prices[1])
    battles = budget / prices[0] * (1 + split.gain) / (1 + max(worth.more.estimate, 0.0))
    plan = next_pairs(evidence, budget=max(round(battles), 1), **options)
    of_one = budget / max(sum(number for *_, number in plan.pairs), 1)
    votes, calls = (
        tuple((a, b, int(k * of_one * each)) for a, b, k in plan.pairs) for each in (split.votes, split.calls)
    )
    return replace(plan, budget=budget, pairs=votes, calls=calls, settings={**plan.settings, "prices": prices})


def _core_gains(pairwise: WinRateEstimate, rng: np.random.Generator) -> tuple[Ints, Ints, Callable[[Floats], Floats]]:
    r"""Return all pairs, compared directly or not, and the value of one more battle of each for the core.

    With :math:`z` the statistic of a pair's rate and :math:`r = 1 - f`, battles are expected to reduce the variance of
    its direction by :math:`\Phi_2(z, z; r) - \Phi(z)^2`; the slope in *r* is the density of :math:`\Phi_2`. A pair
    never compared directly counts as one with a half-won battle.
    """
    n = len(pairwise.agents)
    first, second = np.triu_indices(n, 1)
    z, played = np.zeros((n, n)), np.ones((n, n))
    z[pairwise.a, pairwise.b] = np.clip(np.nan_to_num(gaussian_equivalent(pairwise.z, pairwise.df)), -SURE, SURE)
    played[pairwise.a, pairwise.b] = pairwise.battles
    hinge = pivotal_pairs(ndtr(z), rng)
    z, played = z[first, second], played[first, second]
    hinge[np.abs(z) == SURE] = 0.0

    def gains(extra: Floats) -> Floats:
        f = played / (played + extra)
        density = np.exp(-(z**2) / (2 - f)) / (2 * np.pi * np.sqrt(f * (2 - f)))
        return np.asarray(hinge * density * f**2 / played)

    return first, second, gains


def _spend(gains: Callable[[Floats], Floats], p: int, budget: int, count: int | None) -> Ints:
    """Return integer numbers of battles for all pairs that sum to the budget; zero where no pair gains anything."""
    extra = _ascend(gains, np.ones(p, dtype=bool), budget)
    if count is not None and (extra > 0).sum() > count:
        chosen = np.zeros(p, dtype=bool)
        chosen[np.argsort(-np.round(extra, 6), kind="stable")[:count]] = True
        extra = _ascend(gains, chosen, budget)
    whole = np.floor(extra + 1e-9).astype(np.int64)
    rest = round(float(extra.sum())) - int(whole.sum())
    whole[np.argsort(-np.round(extra - whole, 6), kind="stable")[:rest]] += 1
    return whole


def _ascend(gains: Callable[[Floats], Floats], chosen: Bools, budget: int) -> Floats:
    """Run multiplicative ascent from an even allocation to the chosen pairs; zero when no battle gains anything."""
    extra = np.where(chosen, budget / max(int(chosen.sum()), 1), 0.0)
    for _ in range(STEPS):
        extra, before = reallocated(extra, gains(extra)), extra
        if np.abs(extra - before).max() < STILL * extra.max():
            break
    return extra


def _why_nothing(pairwise: WinRateEstimate, discoveries: ExpectedDiscoveries, any_pairs: bool) -> tuple[str, ...]:
    """State why there is nothing to play, if so, and what was left out."""
    why = "all differences in question are certain already."
    if not len(discoveries.gap):
        why = "no difference of scores can be tested; compare the agents first."
    elif discoveries.now < len(discoveries.gap):
        why = "so few battles are not expected to settle anything; give a larger budget."
    n = len(pairwise.agents)
    never = n * (n - 1) // 2 - len(pairwise.rate)
    left_out = f"{counted(never, 'pair was', 'pairs were')} not compared directly and left out: the effect of a first battle is not computed."
    return (*(() if any_pairs else (why,)), *((left_out,) if never else ()))


def shrinkage(difference: Floats, variance: Floats) -> Floats:
    """Return the empirical Bayes shrinkage :math:`B = s / (s + v)` of differences.

    The variance *s* of true differences makes the mean of :math:`d^2 / (s + v)` equal to one [1]_; 0 where errors
    alone explain more.

    >>> shrinkage(np.array([2.0, 2.0]), np.array([1.0, 1.0]))
    array([0.75, 0.75])
    >>> shrinkage(np.array([0.5, -1.0]), np.array([1.0, 1.0]))
    array([0., 0.])
    """

    def excess(s: float) -> float:
        return float(np.mean(difference**2 / (s + variance))) - 1

    if not len(difference) or excess(0.0) <= 0:
        return np.zeros_like(variance)
    s = brentq(excess, 0.0, float(np.max(difference**2)))
    return np.asarray(s / (s + variance))


def log_chance_to_be_certain(gap: Floats, before: Floats, after: Floats, critical: Floats, shrunk: Floats) -> Floats:
    """Return the log-probability that a difference will be more than `critical` standard errors from zero, two-sided.

    >>> one = np.ones(1)
    >>> log_chance_to_be_certain(2 * one, one, 1e-9 * one, 1.96 * one, one).round(3)  # soon known exactly, whatever it is
    array([-0.])
    """
    weight = after / before
    mean = gap * (weight + shrunk * (1 - weight))
    error = np.sqrt((1 - weight) ** 2 * shrunk * before + (1 - weight) * after)
    needed = critical * np.sqrt(after)
    return np.logaddexp(log_ndtr((mean - needed) / error), log_ndtr((-mean - needed) / error))


DRAWS = 1000  # tournaments sampled: the mean number of agents then has a standard error of at most n / 63
CELLS = 2_000_000  # pairs of all tournaments sampled at a time


def pivotal_pairs(better: Floats, rng: np.random.Generator, *, draws: int = DRAWS) -> Floats:
    """Return, for every pair ``a < b`` in sorted order, the mean number of agents that enter or leave the top cycle.

    Parameters
    ----------
    better : (n, n) float
        Probability that the row is better than the column; only the upper triangle is used.
    rng : Generator
        Random numbers.
    draws : int, default 1000
        Tournaments to average over.

    Examples
    --------
    Ada surely beats both others; which of these is better changes nothing. If bob beat ada, he would be first or, half
    the time, in a cycle of three.

    >>> pivotal_pairs(np.array([[0.5, 1.0, 1.0], [0.0, 0.5, 0.5], [0.0, 0.5, 0.5]]), np.random.default_rng(0)).round(1)
    array([2., 2., 0.])
    """
    n = len(better)
    a, b = np.triu_indices(n, 1)
    total = np.zeros(len(a))
    size = max(1, CELLS // max(len(a), 1))
    for start in range(0, draws, size):
        won = rng.random((min(size, draws - start), len(a))) < better[a, b]
        total += moved_by_turning(won, n).sum(axis=0)
    return total / draws


def moved_by_turning(won: Bools, n: int) -> Ints:
    r"""Return how many agents enter or leave the top cycle when each pair alone is reversed.

    In a tournament with scores (numbers of wins) :math:`s_1 \ge s_2 \ge \dots`, the top cycle is the first *k* agents
    for the smallest *k* whose deficit

    .. math::  D_k = \tbinom k2 + k (n - k) - \sum_{i \le k} s_i

    is zero [1]_: these *k* beat everyone else. When the winner of a pair becomes its loser, with the winner last among
    equal scores and the loser first, deficits rise by one from the winner's place on and fall by one from the loser's:
    all pairs of a tournament can be reversed in one pass without searching for top cycles again.

    References
    ----------
    .. [1] H. G. Landau, "On dominance relations and the structure of animal societies: III. The condition for a score
           structure", *Bulletin of Mathematical Biophysics* 15 (1953), 143-148.

    Parameters
    ----------
    won : (m, n (n - 1) / 2) bool
        Tournaments: whether the first agent of each pair ``a < b``, in sorted order, won.
    n : int
        Number of agents.

    Examples
    --------
    A cycle of three: whichever pair is reversed, one agent beats both others and two leave.

    >>> moved_by_turning(np.array([[True, False, True]]), 3)
    array([[2, 2, 2]])
    """
    a, b = np.triu_indices(n, 1)
    # The number of wins of each agent.
    beats = np.zeros((len(won), n, n), dtype=bool)
    beats[:, a, b], beats[:, b, a] = won, ~won
    score = beats.sum(axis=2)
    k = np.arange(1, n + 1)
    deficit = k * (k - 1) // 2 + k * (n - k) - np.cumsum(-np.sort(-score, axis=1), axis=1)
    next_zero, next_one = _next(deficit == 0, k), _next(deficit == 1, k)
    size = next_zero[:, :1]
    at_least = np.stack([(score >= x).sum(axis=1) for x in range(n + 1)], axis=1)  # the last place among equal scores
    winner, loser = np.where(won, score[:, a], score[:, b]), np.where(won, score[:, b], score[:, a])
    last = np.take_along_axis(at_least, winner, axis=1)
    first = np.take_along_axis(at_least, loser + 1, axis=1) + 1
    grown = np.where((last <= size) & (size < first), np.take_along_axis(next_zero, first - 1, axis=1), size)
    one = np.take_along_axis(next_one, first - 1, axis=1)
    shrunk = np.where(one < last, np.minimum(size, one), size)
    moved = np.abs(np.where(winner > loser, grown, shrunk) - size)
    replaced = np.where((size == 1) & (winner == n - 1), 2, 0)  # the second takes the place of the first
    return np.asarray(np.where(winner == loser + 1, replaced, moved))


def _next(true: Bools, k: Ints) -> Ints:
    """Return, for every place, the next true one; one beyond the last if none."""
    place = np.where(true, k, len(k) + 1)
    return np.asarray(np.minimum.accumulate(place[:, ::-1], axis=1)[:, ::-1])
