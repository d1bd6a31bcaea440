"""What `compare` returns: every run against the base, costs, and claims about runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, floor
from typing import Any, TypedDict

import numpy as np

from beatpath._errors import DataError
from beatpath._result import Record, Rows, TableResult, plot_result
from beatpath._text import confidence, counted, quoted, shown
from beatpath.analysis.run_costs import Cost, TradeOff, undominated
from beatpath.analysis.run_items import Items, matched
from beatpath.inference.ranks.claims import Claim, ClaimTest, Verdict, claims_of, joined
from beatpath.stats.paired import Difference

# Scores up to here may be shares with bonuses, similarities or rewards, whose points are hundredths
NEARLY_SHARES = 2.0


class ComparedRow(TypedDict):
    """One difference.

    Attributes
    ----------
    run, base, metric, task : str
        What is compared; no task where it is over all items.
    items : int
        Items compared.
    base_score, new_score, difference, low, high, p_value : float
        Means, their difference with its interval, and the p-value.
    better, worse : int
        Items on which the run scores higher, and lower.
    """

    run: str
    base: str
    metric: str
    task: str
    items: int
    base_score: float
    new_score: float
    difference: float
    low: float
    high: float
    p_value: float
    better: int
    worse: int


@dataclass(frozen=True, slots=True)
class Changed(Record):
    """An item on which two runs differ.

    Attributes
    ----------
    task, item : str
        Its names.
    base, new : float
        Its scores.
    gain : float
        How much better the new run is: the difference, with the sign turned where lower is better.
    """

    task: str
    item: str
    base: float
    new: float
    gain: float


@dataclass(frozen=True, slots=True)
class Compared(Record):
    """One run against the base by one metric.

    Attributes
    ----------
    run, base, metric : str
        What is compared.
    items, clusters : int
        Items compared, and clusters of them; no clusters where items are independent.
    paired : bool
        Whether both runs are compared item by item.
    base_score, new_score : float
        Mean scores.
    result : Difference
        In favor of the run: the sign is turned where lower is better.
    table : tuple of int, optional
        Items that both solve, only the run, only the base, neither; where scores are right or wrong.
    detectable : float
        The smallest true difference that would be found with a power of 80 %.
    more_items : float
        How many times as many items would make a difference of this size significant with a power of 80 %.
    more_samples : float, optional
        How many times as many samples of every item would; null where items have one, infinity where more cannot.
    by_task : tuple of ComparedRow
        The same for every task, p-values corrected for their number by Holm's method.
    changed : tuple of Changed
        The items that changed, largest difference first.
    is_share : bool
        Whether scores lie between 0 and 1 and differences are told in points.
    left_out : int
        Items that only one of the runs has.
    runs_differ : bool
        Whether samples with one label (seed, epoch) differ from others on all items together, which the interval allows for.
    """

    run: str
    base: str
    metric: str
    items: int
    clusters: int
    paired: bool
    base_score: float
    new_score: float
    result: Difference
    table: tuple[int, ...] | None
    detectable: float
    more_items: float
    more_samples: float | None
    by_task: tuple[ComparedRow, ...]
    changed: tuple[Changed, ...]
    is_share: bool
    left_out: int
    runs_differ: bool = False

    @property
    def significant(self) -> bool:
        """Whether the interval excludes zero."""
        return self.result.p_value < 1 - self.result.level

    @property
    def better_and_worse(self) -> tuple[int, int]:
        """How many items got better, and worse."""
        better = sum(one.gain > 0 for one in self.changed)
        return better, len(self.changed) - better

    def amount(self, value: float, signed: bool = True) -> str:
        """Return a difference in words: points where scores are shares."""
        return amount(value, self.is_share, signed)

    def interval(self, low: float, high: float) -> str:
        """Return a confidence interval in words."""
        return f"{self.amount(low)} to {self.amount(high)}" if np.isfinite(high) else "no interval"

    @property
    def bound(self) -> str:
        """How much better or worse the run certainly is, or how much worse it is at most."""
        d, unit = (
            self.result,
            0.1 if self.is_share else 10.0 ** (np.floor(np.log10(max(abs(self.result.low), 1e-9))) - 1),
        )
        times, points = (100, " points") if self.is_share else (1, "")
        sure = f"than {quoted(self.base)} ({confidence(d.level)})"
        if d.low > 0 or d.high < 0:
            word, least = ("better", d.low) if d.low > 0 else ("worse", -d.high)
            return f"at least {floor(times * least / unit) * unit:.3g}{points} {word} {sure}"
        return f"at most {ceil(round(-times * d.low / unit, 6)) * unit:.3g}{points} worse {sure}"

    @property
    def headline(self) -> str:
        """Who is better, by how much, how certainly, on what."""
        d, unit = self.result, " points" if self.is_share else ""
        over = f" on {self.metric}" if self.metric else ""
        who = f"{quoted(self.run)} is {'better' if d.estimate > 0 else 'worse'} than {quoted(self.base)}{over}"
        if not self.significant:
            who = f"No significant difference between {quoted(self.run)} and {quoted(self.base)}{over}"
        interval = f"({confidence(d.level)} CI {self.interval(d.low, d.high)})"
        interval = interval if np.isfinite(d.high) else "(too few items for a confidence interval)"
        how = "paired" if self.paired else "not paired: the runs share too few items"
        how += f", {self.left_out:,} left out" if self.paired and self.left_out else ""
        grouped = f" in {counted(self.clusters, 'cluster')}" if self.clusters else ""
        return f"{who}: {self.amount(d.estimate)}{unit} {interval}, {counted(self.items, 'item')}{grouped}, {how}."

    @property
    def details(self) -> str:
        """The counts behind the headline, and the test."""
        p = f"p = {self.result.p_value:.2g} ({self.result.test})"
        if not self.paired:
            scores = (
                f"{name} {self.amount(x, False)}"
                for name, x in ((self.base, self.base_score), (self.run, self.new_score))
            )
            return " · ".join((*scores, p))
        if self.table is None:
            better, worse = self.better_and_worse
            return f"{counted(better, 'item')} better · {worse:,} worse · {p}"
        both, only_new, only_base, neither = self.table
        return f"both right {both:,} · only {self.run} {only_new:,} · only {self.base} {only_base:,} · both wrong {neither:,} · {p}"

    @property
    def power(self) -> str:
        """What the comparison could have found, and what more data would do."""
        unit = " points" if self.is_share else ""
        if not np.isfinite(self.result.high):
            return "Six items or more are needed for a confidence interval."
        text = f"A true difference of {self.amount(self.detectable, False)}{unit} is detected with a power of 80 %"
        ways = []
        if np.isfinite(self.more_items):
            ways.append(f"about {int(np.ceil(self.more_items * self.items)):,} items")
        if self.more_samples is not None and np.isfinite(self.more_samples):
            ways.append(f"{self.more_samples:.1f} times as many samples of each")
        if self.significant or not ways:
            return f"{text}."
        return f"{text}; to confirm one of {self.amount(self.result.estimate)}{unit} takes {', or '.join(ways)}."

    def row(self) -> ComparedRow:
        """Return the comparison as a row."""
        d = self.result
        better, worse = self.better_and_worse
        return ComparedRow(
            run=self.run, base=self.base, metric=self.metric, task="", items=self.items, base_score=self.base_score,
            new_score=self.new_score, difference=d.estimate, low=d.low, high=d.high, p_value=d.p_value, better=better, worse=worse,
        )  # fmt: skip


@dataclass(frozen=True, slots=True, repr=False)
class RunComparison(TableResult):
    """Named runs against the first of them.

    Attributes
    ----------
    base : str
        The run that the others are compared with.
    runs : tuple of str
        All runs.
    comparisons : tuple of Compared
        One for each other run and metric.
    costs : tuple of Cost
        What every other run costs beside the base, where a column of costs is named.
    trade_offs : tuple of TradeOff
        Quality and cost of every run, and which runs are dominated; of one metric.
    notes : tuple of str
        What was left out or averaged.
    claims : tuple of ClaimTest
        The claims, tested.
    settings : mapping
        Level, metric, cluster.
    """

    plot = plot_result

    base: str
    runs: tuple[str, ...]
    comparisons: tuple[Compared, ...]
    costs: tuple[Cost, ...]
    trade_offs: tuple[TradeOff, ...]
    notes: tuple[str, ...]
    claims: tuple[ClaimTest, ...]
    settings: Mapping[str, Any]
    _items: Mapping[str, Mapping[str, Items]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def answer(self) -> str:
        """The short answer."""
        if len(self.comparisons) == 1:
            return self.comparisons[0].headline
        better, worse = ([c for c in self.comparisons if c.significant and c.result.estimate * s > 0] for s in (1, -1))
        of = f"of {counted(len(self.comparisons), 'comparison')} with {quoted(self.base)}"
        return f"{len(better):,} better and {len(worse):,} worse, {of} (simultaneous {confidence(self.settings['level'])} confidence)."

    @property
    def sentences(self) -> tuple[str, ...]:
        """The answer, each comparison with its counts and power, the claims, and notes."""
        several = () if len(self.comparisons) == 1 else (self.answer,)
        parts = (x for c in self.comparisons for x in (c.headline, c.details, c.power))
        return (*several, *parts, *self.cost_sentences, *(claim.sentence for claim in self.claims), *self.notes)

    @property
    def badge(self) -> dict[str, Any]:
        """The answer as an endpoint of shields.io: green where claims are supported or, without claims, runs are better."""
        first, several = self.comparisons[0], len(self.comparisons) > 1
        signs = {float(np.sign(c.result.estimate)) for c in self.comparisons if c.significant}
        worst = max(map(_badness, self.claims), default=2 if -1.0 in signs else 0 if signs else 1)
        d, unit = first.result, " points" if first.is_share else ""
        message = f"{first.amount(d.estimate)}{unit} ({first.interval(d.low, d.high)})"
        return {
            "schemaVersion": 1,
            "label": shown(f"{'runs' if several else first.run} vs {self.base}", 60),
            "message": self.answer.split(",")[0] if several else message,
            "color": ("brightgreen", "yellow" if self.claims else "lightgrey", "red")[worst],
        }

    def rows(self) -> Rows:
        """Return every comparison over all items, then those by task."""
        return [row for c in self.comparisons for row in (c.row(), *c.by_task)]

    @property
    def cost_sentences(self) -> tuple[str, ...]:
        """How much better or worse, and how much cheaper every run is, and which runs are undominated."""
        if not self.trade_offs:
            return tuple(one.sentence for one in self.costs)
        pairs = zip(self.comparisons, self.costs, strict=True)
        each = (f"{quoted(c.run)} is {c.bound} and {cost.change}." for c, cost in pairs)
        return (*each, *((undominated(self.trade_offs, self.settings),) if len(self.runs) > 2 else ()))

    def test(self, claim: str) -> ClaimTest:
        """Test a claim such as ``"new > base"``, ``"new within 2 points of base"`` or ``"new at most 1 point below base"``.

        The forms are those of `Resolution.test`, about runs. A claim must hold by every metric that was compared. Every claim takes
        the intervals that the answer shows, simultaneous over all runs and metrics; equivalence takes two one-sided tests, that is
        the interval of level ``1 - 2 * error``.
        """
        parts = claims_of(claim, self.runs)
        return joined(claim, [max((self._test(one, label) for label in self._items), key=_badness) for one in parts])

    def _test(self, claim: Claim, label: str) -> ClaimTest:
        """Test one claim by one metric."""
        level, family = self.settings["level"], self.settings["family"]
        several = f", simultaneous over {family:,} comparisons" if family > 1 else ""
        verdict, why, interval = self._judged(claim, self._items[label], 1 - (1 - level) / family)
        over = f" on {label}" if label else ""
        tests = ", two one-sided tests" if claim.is_equivalence else ""
        condition = f"{confidence(level)}{several}{tests}"
        return ClaimTest(
            claim.text, verdict, f"{quoted(claim.text)} is {verdict}{over}: {why} ({condition}).", condition, interval
        )

    def _judged(
        self, claim: Claim, items: Mapping[str, Items], level: float
    ) -> tuple[Verdict, str, tuple[float, float] | None]:
        others = [claim.below] if claim.below is not None else [run for run in self.runs if run != claim.agent]
        pairs = [matched(items[other], items[claim.agent]) for other in others]
        intervals = [pair.difference(level) for pair in pairs]
        if claim.below is None:
            better, worse = sum(d.low > 0 for d in intervals), sum(d.high < 0 for d in intervals)
            ahead, behind = (worse, better) if claim.last else (better, worse)
            top = 1 if claim.top is None else claim.top
            why = f"it is certainly better than {better:,} and certainly worse than {worse:,} of {counted(len(others), 'other run')}"
            verdict: Verdict = "supported" if ahead >= len(self.runs) - top else "not shown"
            return ("shown to be false" if behind >= top else verdict), why, None
        is_share = all(items[run].is_share for run in (claim.agent, claim.below))
        if claim.has_margin and not is_share:
            _require_unit(claim, [items[run].span for run in (claim.agent, claim.below)])
        d = pairs[0].difference(2 * level - 1) if claim.is_equivalence else intervals[0]
        unit, wide = claim.unit(is_share), intervals[0]
        ends = {claim.agent: (wide.low, wide.high), claim.below: (-wide.high, -wide.low)}
        false = any(one.holds(*ends[one.agent], unit) for one in claim.opposites(len(self.runs)))
        verdict = "supported" if claim.holds(d.low, d.high, unit) else "shown to be false" if false else "not shown"
        low, high, middle = (amount(x, is_share) for x in (d.low, d.high, d.estimate))
        how = f"{counted(len(pairs[0].y), 'item')}, {'paired' if pairs[0].rows is not None else 'not paired'}"
        left = sum(len(items[run].key) - len(pairs[0].y) for run in (claim.agent, claim.below))
        how += f", {left:,} left out" if left and pairs[0].rows is not None else ""
        interval = f"{low} to {high}" if np.isfinite(d.high) else "too few items for a confidence interval"
        why = f"{quoted(claim.agent)} minus {quoted(claim.below)} is {middle}{' points' if is_share else ''} ({interval}), {how}"
        return verdict, why, (d.low, d.high)


def _require_unit(claim: Claim, spans: Sequence[tuple[float, float]]) -> None:
    """Raise an error where a point may be a hundredth or one: scores about as large as shares, some of them beyond."""
    low, high = min(low for low, _ in spans), max(high for _, high in spans)
    if max(-low, high) <= NEARLY_SHARES:
        raise DataError(
            f"a point in {quoted(claim.text)} must be clear: one hundredth where all scores lie between 0 and 1, else one; these lie "
            f"between {low:.4g} and {high:.4g}. Correct the scores beyond 0 or 1, or multiply all of them by 100."
        )


def _badness(test: ClaimTest) -> int:
    return ("supported", "not shown", "shown to be false").index(test.verdict)


def amount(value: float, is_share: bool, signed: bool = True) -> str:
    """Return a difference in words: points where scores are shares.

    >>> amount(0.117, True), amount(-3.25, False, signed=False)
    ('+11.7', '-3.25')
    """
    sign = "+" if signed else ""
    return f"{100 * value:{sign}.1f}" if is_share else f"{value:{sign}.4g}"
