"""Cost and quality of runs: how much cheaper each is than the base, and which runs are undominated."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any, ClassVar

import numpy as np

from beatpath._errors import DataError
from beatpath._result import Record
from beatpath._text import confidence, listed, percent, quoted
from beatpath.analysis.run_items import Items, matched
from beatpath.stats.intervals import t_quantile, wilson_ends
from beatpath.stats.paired import Difference, paired_means, ratio_of_means


@dataclass(frozen=True, slots=True)
class Cost(Record):
    """What a run costs beside the base.

    Attributes
    ----------
    run, base, column : str
        What is compared, and the column of costs.
    base_cost, new_cost : float
        Mean costs of an item that both have.
    ratio, low, high, level : float
        The ratio of the new to the old cost, with its confidence interval.
    """

    derived: ClassVar = ("sentence",)

    run: str
    base: str
    column: str
    base_cost: float
    new_cost: float
    ratio: float
    low: float
    high: float
    level: float

    @property
    def change(self) -> str:
        """How much cheaper or dearer the run is, with the interval."""
        if self.low <= 1 <= self.high:
            interval = f"{100 * (self.low - 1):+.1f} to {100 * (self.high - 1):+.1f} %"
            return f"its {self.column} does not differ significantly ({confidence(self.level)} CI {interval})"
        low, high = sorted(100 * abs(end - 1) for end in (self.low, self.high))
        change = f"{percent(abs(self.ratio - 1))} {'cheaper' if self.ratio < 1 else 'dearer'} by {self.column}"
        return f"{change} ({confidence(self.level)} CI {low:.1f} to {high:.1f} %)"

    @property
    def sentence(self) -> str:
        """The same as a sentence."""
        return f"{quoted(self.run)} beside {quoted(self.base)}: {self.change}."


@dataclass(frozen=True, slots=True)
class TradeOff(Record):
    """Quality and cost of a run.

    Attributes
    ----------
    run : str
        Its name.
    score, score_low, score_high : float
        Mean score, and its own confidence interval.
    cost, cost_low, cost_high : float
        Mean cost of an item, and its own confidence interval.
    dominated_by : tuple of str
        Runs that are certainly better and certainly cheaper.
    undominated : bool
        Whether it is certainly better or certainly cheaper than each other run.
    """

    run: str
    score: float
    score_low: float
    score_high: float
    cost: float
    cost_low: float
    cost_high: float
    dominated_by: tuple[str, ...]
    undominated: bool


def undominated(trade_offs: Sequence[TradeOff], settings: Mapping[str, Any]) -> str:
    """Return which runs are dominated in quality and cost, as a sentence."""
    left = [one.run for one in trade_offs if not one.dominated_by]
    sure = [one.run for one in trade_offs if one.undominated]
    worse = "; ".join(
        f"{quoted(one.run)} is worse and dearer than {listed(one.dominated_by)}"
        for one in trade_offs
        if one.dominated_by
    )
    certain = (
        "all certainly" if len(sure) == len(left) else f"certainly {listed(sure)}" if sure else "none of them certainly"
    )
    return (
        f"Undominated in quality and {settings['cost']}: {listed(left)}, {certain}{f'; {worse}' if worse else ''} "
        f"(simultaneous {confidence(settings['level'])} confidence)."
    )


def costs_of(items: Mapping[str, Items], column: str, level: float) -> tuple[Cost, ...]:
    """Return what every run costs beside the first, on the items that both have."""
    (base, old), *others = items.items()
    costs = []
    for name, new in others:
        log, means = _log_ratio(old, new, 1 - (1 - level) / len(others))
        ratio, low, high = (float(np.exp(x)) for x in (log.estimate, log.low, log.high))
        costs.append(Cost(name, base, column, *means, ratio, low, high, level))
    return tuple(costs)


def _log_ratio(old: Items, new: Items, level: float) -> tuple[Difference, tuple[float, float]]:
    """The logarithm of the ratio of mean costs, and both means."""
    pair = matched(old, new)
    if pair.rows is None:
        raise DataError("costs must be of items that both runs have; the runs share too few.")
    return ratio_of_means(pair.y, pair.x, level, pair.cluster), (float(pair.x.mean()), float(pair.y.mean()))


def trade_offs_of(items: Mapping[str, Items], costs: Mapping[str, Items], level: float) -> tuple[TradeOff, ...]:
    """Return quality and cost of every run, and who dominates whom, simultaneously over all pairs and both measures."""
    n = len(items)
    each = 1 - (1 - level) / (n * (n - 1))  # two intervals for each of n (n - 1) / 2 pairs
    better = {(a, b): matched(items[b], items[a]).difference(each).low > 0 for a, b in permutations(items, 2)}
    cheaper = {(a, b): _log_ratio(costs[b], costs[a], each)[0].high < 0 for a, b in permutations(items, 2)}
    return tuple(
        TradeOff(
            name,
            *_score(items[name], level),
            *_cost(costs[name], level),
            tuple(other for other in items if other != name and better[other, name] and cheaper[other, name]),
            all(better[name, other] or cheaper[name, other] for other in items if other != name),
        )
        for name in items
    )


def _score(items: Items, level: float) -> tuple[float, float, float]:
    """The mean score and its interval: Wilson's where items are right or wrong, else Student's t."""
    mean = float(items.mean.mean())
    if items.is_binary and items.cluster is None:
        low, high = wilson_ends(np.array(mean), np.array(len(items.mean)), t_quantile(level))
        return mean, float(low), float(high)
    d = paired_means(items.mean, level, items.cluster)
    return mean, d.low, d.high


def _cost(items: Items, level: float) -> tuple[float, float, float]:
    log = ratio_of_means(items.mean, np.ones(len(items.mean)), level, items.cluster)
    mean, low, high = (float(np.exp(x)) for x in (log.estimate, log.low, log.high))
    return mean, low, high
