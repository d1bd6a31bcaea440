"""The result of `bootstrap`: how scores, ranks, winners and cores vary over resamples."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import ceil, floor
from typing import Any, ClassVar

import numpy as np

from beatpath._arrays import AnyInts, Bools, Codes, Floats, Ints
from beatpath._result import Record, TableResult, rows_of
from beatpath._text import counted, percent, quoted
from beatpath._validate import require_choice
from beatpath.evidence import Convention

MOST_COMPARED = 1 << 24  # comparisons in memory at a time
LISTED = 3  # most agents, or reasons, named in a sentence
# Printed with every result: what frequencies over resamples mean.
FREQUENCIES = "Frequencies over resamples show how the answer varies with the data, not how probable it is to be true."
KINDS = ("percentile", "basic")  # kinds of bootstrap intervals


def rank_ranges(levels: AnyInts) -> tuple[Ints, Ints]:
    """Return the best and worst rank of every agent in every resample; tied agents share a range.

    >>> rank_ranges(np.array([[0, 1, 1]]))
    (array([[1, 2, 2]]), array([[1, 3, 3]]))
    """
    draws, n = levels.shape
    at = levels + n * np.arange(draws)[:, None]
    size = np.bincount(at.ravel(), minlength=draws * n).reshape(draws, n)
    upto = np.cumsum(size, axis=1).ravel()[at]
    return upto - size.ravel()[at] + 1, upto


def rank_frequencies(levels: AnyInts) -> Floats:
    """Return how often each agent has each rank, (n, n); *t* tied agents share each of their ranks.

    Rows and columns sum to one.

    >>> rank_frequencies(np.array([[0, 1, 1], [0, 1, 2]]))
    array([[1.  , 0.  , 0.  ],
           [0.  , 0.75, 0.25],
           [0.  , 0.25, 0.75]])
    """
    draws, n = levels.shape
    best, worst = rank_ranges(levels)
    share = 1 / (worst - best + 1)
    ranks = [(share * ((best <= rank) & (rank <= worst))).sum(axis=0) for rank in range(1, n + 1)]
    return np.stack(ranks, axis=1) / max(draws, 1)


def above_frequencies(levels: AnyInts) -> Floats:
    """Return how often the row's agent is strictly above the column's, shape (n, n).

    >>> above_frequencies(np.array([[0, 1], [0, 0]]))
    array([[0. , 0.5],
           [0. , 0. ]])
    """
    draws, n = levels.shape
    total = np.zeros((n, n))
    height = max(1, MOST_COMPARED // (n * n))
    for low in range(0, draws, height):
        some = levels[low : low + height]
        total += (some[:, :, None] < some[:, None, :]).sum(axis=0)
    return total / max(draws, 1)


def quantile_and_error(values: Floats, p: float, worst: float, failed: int) -> tuple[Floats, Floats]:
    r"""Return a quantile of each column with its Monte Carlo standard error; failed resamples count as the worst value.

    The quantile is the :math:`(r + 1) p`-th of *r* sorted values, interpolated linearly. Its standard error is half
    the range within :math:`\sqrt{r p (1 - p)}` positions of it.

    Parameters
    ----------
    values : (r, n) float
        NaN where there is none.
    p : float
        Probability of the quantile.
    worst : float
        Replaces NaN, and stands for the `failed` further resamples.
    failed : int
        Number of resamples without an answer.

    Examples
    --------
    >>> values = np.arange(1.0, 20.0)[:, None]
    >>> quantile_and_error(values, 0.05, -np.inf, 0)[0], quantile_and_error(values, 0.05, -np.inf, 1)[0]
    (array([1.]), array([-inf]))
    """
    full = np.concatenate([np.where(np.isnan(values), worst, values), np.full((failed, values.shape[1]), worst)])
    full.sort(axis=0)
    r = len(full)
    spread = np.sqrt(r * p * (1 - p))
    at = (r + 1) * p - 1
    low, high = _at(full, at - spread), _at(full, at + spread)
    with np.errstate(invalid="ignore"):
        return _at(full, at), (high - low) / 2


def _at(ordered: Floats, place: float) -> Floats:
    """Interpolate at a fractional position; clamp beyond the ends."""
    place = min(max(place, 0.0), len(ordered) - 1.0)
    low, high = ordered[floor(place)], ordered[ceil(place)]
    share = place - floor(place)
    with np.errstate(invalid="ignore"):
        infinite = np.where(np.isfinite(low), high, low)
        return np.where(np.isfinite(low) & np.isfinite(high), low + share * (high - low), infinite)


@dataclass(frozen=True, slots=True, eq=False)
class Intervals(Record):
    """Bootstrap intervals of every agent's score, and their Monte Carlo standard errors.

    A bound is infinite where too many resamples gave no score, NaN where the method gives none.

    Attributes
    ----------
    low, high : (n,) float
        The bounds.
    low_error, high_error : (n,) float
        Their Monte Carlo standard errors.
    """

    low: Floats
    high: Floats
    low_error: Floats
    high_error: Floats


@dataclass(frozen=True, slots=True, eq=False)
class BootstrapRanking(Record):
    """Scores, ranks and pairwise order over all resamples, one entry per agent.

    Attributes
    ----------
    score : (n,) float
        On the evidence itself.
    place : (n,) int
        Level on the evidence itself, 0 the best.
    intervals : mapping of kind to Intervals
        Of the scores.
    rank_low, rank_high : (n,) int
        The range of ranks of each agent.
    mean_rank : (n,) float
        Over the resamples.
    first, first_alone : (n,) float
        How often each agent is on the first level, and how often alone.
    first_error : (n,) float
        Monte Carlo standard error of `first`.
    rank_frequency : (n, n) float
        How often each agent has each rank.
    above : (n, n) float
        How often the row's agent is above the column's.
    """

    score: Floats
    place: Ints
    intervals: Mapping[str, Intervals]
    rank_low: Ints
    rank_high: Ints
    mean_rank: Floats
    first: Floats
    first_error: Floats
    first_alone: Floats
    rank_frequency: Floats
    above: Floats


@dataclass(frozen=True, eq=False, repr=False)
class Bootstrap(TableResult):
    """Answers of one method on resamples of the evidence.

    Attributes
    ----------
    method : str
        Its key, or the name of the function.
    agents : tuple of str
        Names.
    score : (n,) float
        On the evidence itself.
    place : (n,) int
        Level on the evidence itself, 0 the best.
    scores : (r, n) float
        On every resample with an answer.
    levels : (r, n) int
        Levels on every resample with an answer.
    members : mapping of name to (r, n) bool
        For methods that choose sets: the members of each.
    chosen : mapping of name to (n,) bool
        The same on the evidence itself.
    draws : int
        Number of resamples, answered or not.
    level : float
        Confidence level of the intervals.
    resampled : str
        What was resampled, as text.
    failures, caveats : mapping of str to int
        Why resamples have no answer, and remarks of the method on its answers, with counts.
    settings : mapping
        All settings.
    conventions : tuple of Convention
        How evidence was counted.
    notes : tuple of str
        Caveats.
    """

    hidden: ClassVar = ("score", "place", "scores", "levels", "members", "chosen")
    derived: ClassVar = ("answered", "membership", "ranking")

    method: str
    agents: tuple[str, ...]
    score: Floats
    place: Ints
    scores: Floats
    levels: Codes
    members: Mapping[str, Bools]
    chosen: Mapping[str, Bools]
    draws: int
    level: float
    resampled: str
    failures: Mapping[str, int] = field(default_factory=dict)
    caveats: Mapping[str, int] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    conventions: tuple[Convention, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def answered(self) -> int:
        """Number of resamples with an answer."""
        return len(self.levels)

    def intervals(self, kind: str = "percentile") -> Intervals:
        r"""Return bootstrap intervals of the scores.

        With :math:`q` a quantile of the resampled scores and :math:`\hat s` the score, "percentile" is
        :math:`[q_{\alpha/2}, q_{1-\alpha/2}]`: it stays in the range of scores and is invariant under transformations.
        "basic" is :math:`[2 \hat s - q_{1-\alpha/2}, 2 \hat s - q_{\alpha/2}]`: it corrects for the bias that
        resampling shows. A resample without an answer counts as below the lower and above the upper bound, so that
        failures only widen.

        In simulations with 6 to 100 battles per pair (300 to 400 data sets each), 95 % percentile intervals of
        Bradley-Terry strengths cover 93.4 to 96.0 %, basic ones 95.2 to 97.9 %; for win rates both cover 94 to 96 %.
        The percentile interval, a little short with few battles but closer to its level overall, is the default.
        """
        require_choice("kind", kind, KINDS)
        failed, tail = self.draws - self.answered, (1 - self.level) / 2
        low, below = quantile_and_error(self.scores, tail, -np.inf, failed)
        high, over = quantile_and_error(self.scores, 1 - tail, np.inf, failed)
        none = np.isnan(self.scores).all(axis=0)
        if kind == "basic":
            low, high, below, over = 2 * self.score - high, 2 * self.score - low, over, below
        return Intervals(*(np.where(none, np.nan, bound) for bound in (low, high, below, over)))

    @cached_property
    def rank_frequency(self) -> Floats:
        """How often each agent (row) has each rank (column, the first best); tied agents share their ranks."""
        return rank_frequencies(self.levels)

    @cached_property
    def above(self) -> Floats:
        """How often the row's agent is strictly above the column's."""
        return above_frequencies(self.levels)

    @cached_property
    def ranks(self) -> tuple[Ints, Ints]:
        """Range of ranks of each agent in a share `level` of resamples; one without an answer counts as outside."""
        best, worst = (side.astype(np.float64) for side in rank_ranges(self.levels))
        failed, tail = self.draws - self.answered, (1 - self.level) / 2
        low = quantile_and_error(best, tail, 1.0, failed)[0]
        high = quantile_and_error(worst, 1 - tail, float(len(self.agents)), failed)[0]
        return np.floor(low).astype(np.int64), np.ceil(high).astype(np.int64)

    @cached_property
    def mean_rank(self) -> Floats:
        """Mean rank over resamples; tied agents have the middle of the ranks they share."""
        return self.rank_frequency @ np.arange(1, len(self.agents) + 1)

    @property
    def first(self) -> Floats:
        """How often each agent is on the first level, alone or tied."""
        return (self.levels == 0).mean(axis=0)

    @property
    def first_alone(self) -> Floats:
        """How often each agent is alone on the first level."""
        top = self.levels == 0
        return (top & (top.sum(axis=1, keepdims=True) == 1)).mean(axis=0)

    @property
    def membership(self) -> dict[str, Floats]:
        """How often each agent is in each set, for methods that choose sets."""
        return {name: inside.mean(axis=0) for name, inside in self.members.items()}

    def error(self, frequency: Floats) -> Floats:
        r"""Return the Monte Carlo standard error of frequencies, :math:`\sqrt{f (1 - f) / r}`."""
        return np.sqrt(frequency * (1 - frequency) / self.answered)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Who is first or chosen how often, what these numbers mean, and what failed."""
        head = f"{self.method} on {counted(self.draws, 'resample')} of {self.resampled}."
        points = f"{50 / self.answered**0.5:.2g} percentage points"
        drawing = f"With this number of resamples a frequency has a standard error of at most {points}."
        chosen = _chosen(self) if self.members else _who_is_first(self)
        return (head, *chosen, FREQUENCIES, drawing, *_failures_text(self), *self.notes)

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per agent: scores with bounds and ranks, or how often it is in each set."""
        if self.membership:
            return rows_of(agent=self.agents, **self.membership)
        bounds, (best, worst) = self.intervals(), self.ranks
        return rows_of(
            agent=self.agents,
            score=self.score,
            low=bounds.low,
            high=bounds.high,
            mean_rank=self.mean_rank,
            best=best,
            worst=worst,
            first=self.first,
        )

    @property
    def ranking(self) -> BootstrapRanking | None:
        """Scores, ranks and pairwise order over all resamples; None for methods that choose sets."""
        if self.members:
            return None
        best, worst = self.ranks
        return BootstrapRanking(
            self.score,
            self.place,
            {kind: self.intervals(kind) for kind in KINDS},
            best,
            worst,
            self.mean_rank,
            self.first,
            self.error(self.first),
            self.first_alone,
            self.rank_frequency,
            self.above,
        )


def _who_is_first(result: Bootstrap) -> list[str]:
    """State who is first how often, the most frequent first."""
    first, alone = result.first, result.first_alone
    order = [i for i in np.argsort(-first, kind="stable") if first[i] > 0]
    sentences = [
        f"{quoted(result.agents[i])} is first in {percent(first[i])} of them"
        + ("" if alone[i] == first[i] else f" (alone in {percent(alone[i])})")
        for i in order[:LISTED]
    ]
    more = f"; {counted(len(order) - LISTED, 'more agent')} at least once" if len(order) > LISTED else ""
    return ["; ".join(sentences) + more + ".", *_leader(result)]


def _chosen(result: Bootstrap) -> list[str]:
    """State who is in each set how often."""
    sentences = []
    for name, frequency in result.membership.items():
        order = [i for i in np.argsort(-frequency, kind="stable") if frequency[i] > 0]
        text = ", ".join(f"{quoted(result.agents[i])} in {percent(frequency[i])}" for i in order[: 2 * LISTED])
        rest = len(order) - 2 * LISTED
        more = f", and {counted(rest, 'more agent')} at least once" if rest > 0 else ""
        sentences.append(f"In the {name.replace('_', ' ')}: {text}{more}.")
    return sentences


def _failures_text(result: Bootstrap) -> list[str]:
    """State which resamples have no answer, and which come with a remark."""
    sentences, failed = [], result.draws - result.answered
    if failed:
        why = "; ".join(f"{reason} ({times:,})" for reason, times in list(result.failures.items())[:LISTED])
        sentences.append(
            f"{failed:,} of {counted(result.draws, 'resample')} have no answer: {why}. Frequencies leave them out; bounds of "
            "scores and ranks count them as beyond the bound."
        )
        if not result.members and failed >= (1 - result.level) / 2 * result.draws:
            sentences.append(
                f"They are more than {50 * (1 - result.level):g} %, so a score has no bound at this level."
            )
    if result.caveats:
        remark, times = next(iter(result.caveats.items()))
        kinds = f" and {counted(len(result.caveats) - 1, 'more remark')}" if len(result.caveats) > 1 else ""
        sentences.append(f"In {counted(times, 'resample')} the method reports: {remark}{kinds}.")
    return sentences


def _leader(result: Bootstrap) -> list[str]:
    """State the score and interval of the best agent on the evidence itself."""
    best = min(range(len(result.agents)), key=lambda i: (result.place[i], result.mean_rank[i], result.agents[i]))
    bounds = result.intervals()
    if not np.isfinite([bounds.low[best], bounds.high[best]]).all():
        return []
    interval = f"{100 * result.level:g} % percentile interval {bounds.low[best]:.4g} to {bounds.high[best]:.4g}"
    return [f"{quoted(result.agents[best])} scores {result.score[best]:.4g}; {interval}."]
