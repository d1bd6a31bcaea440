"""`compare`: did a change help? Named runs of an evaluation against the first of them, item by item.

Items that two runs share are compared in pairs, which is far more precise than comparing two averages; runs that share none are compared
as independent samples, and the answer says so. Repeated samples of an item are averaged first. All differences that one answer reports,
runs times metrics, are one family: p-values and intervals carry a Bonferroni correction, so an interval excludes zero exactly where its
p-value is below one minus the level.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, TypedDict

import numpy as np

from beatpath._arrays import Floats, Ints
from beatpath._errors import DataError, UsageError
from beatpath._result import Record, Rows, TableResult
from beatpath._text import counted, listed, quoted, suggestion
from beatpath._validate import require_share
from beatpath.data.read_run import read_run
from beatpath.evidence import Factor, Scores
from beatpath.evidence.scores import lower_noted
from beatpath.inference.runs.pass_at_k import pass_at_k_named
from beatpath.stats.intervals import t_quantile
from beatpath.stats.paired import (
    Difference,
    paired_means,
    paired_proportions,
    ratio_of_means,
    unpaired_means,
    unpaired_proportions,
)

POWER = 0.8  # with which the smallest detectable difference would be found, as is usual in trials
SHARED = 0.5  # of the items of the smaller run that both must have for a comparison in pairs
Verdict = Literal["supported", "not shown", "shown to be false"]


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
        sign = "+" if signed else ""
        return f"{100 * value:{sign}.1f}" if self.is_share else f"{value:{sign}.4g}"

    @property
    def headline(self) -> str:
        """Who is better, by how much, how certainly, on what."""
        d, unit = self.result, " points" if self.is_share else ""
        over = f" on {self.metric}" if self.metric else ""
        who = f"{quoted(self.run)} is {'better' if d.estimate > 0 else 'worse'} than {quoted(self.base)}{over}"
        if not self.significant:
            who = f"No significant difference between {quoted(self.run)} and {quoted(self.base)}{over}"
        interval = f"({_percent(d.level)} % CI {self.amount(d.low)} to {self.amount(d.high)})"
        interval = interval if np.isfinite(d.high) else "(too few items for a confidence interval)"
        how = "paired" if self.paired else "not paired: the runs share too few items"
        grouped = f" in {counted(self.clusters, 'cluster')}" if self.clusters else ""
        return f"{who}: {self.amount(d.estimate)}{unit} {interval}, {counted(self.items, 'item')}{grouped}, {how}."

    @property
    def details(self) -> str:
        """The counts behind the headline, and the test."""
        p = f"p = {self.result.p_value:.2g} ({self.result.test})"
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
        if self.significant or not np.isfinite(self.more_items):
            return f"{text}."
        needed = int(np.ceil(self.more_items * self.items))
        more = f"{text}; to confirm one of {self.amount(self.result.estimate)}{unit} takes about {needed:,} items"
        if self.more_samples is not None and np.isfinite(self.more_samples):
            more += f", or {self.more_samples:.1f} times as many samples of each"
        return f"{more}."

    def row(self) -> ComparedRow:
        """Return the comparison as a row."""
        d = self.result
        better, worse = self.better_and_worse
        return ComparedRow(
            run=self.run, base=self.base, metric=self.metric, task="", items=self.items, base_score=self.base_score,
            new_score=self.new_score, difference=d.estimate, low=d.low, high=d.high, p_value=d.p_value, better=better, worse=worse,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class DecisionTest(Record):
    """Whether a claim about two runs holds; true in a condition exactly where it is supported.

    Attributes
    ----------
    claim : str
        As it was put.
    verdict : {"supported", "not shown", "shown to be false"}
        Absence of evidence is kept apart from evidence of absence.
    sentence : str
        Why.
    """

    derived: ClassVar = ("supported",)

    claim: str
    verdict: Verdict
    sentence: str

    @property
    def supported(self) -> bool:
        """Whether the data support the claim."""
        return self.verdict == "supported"

    def __bool__(self) -> bool:
        return self.supported

    def __str__(self) -> str:
        return self.sentence


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
    def sentence(self) -> str:
        """How much cheaper or dearer the run is."""
        less = self.ratio < 1
        change, *ends = (
            100 * abs(x - 1) for x in (self.ratio, self.high if less else self.low, self.low if less else self.high)
        )
        what = f"{quoted(self.run)} costs {change:.0f} % {'less' if less else 'more'} per item than {quoted(self.base)} by {self.column}"
        if self.low <= 1 <= self.high:
            interval = f"{100 * (self.low - 1):+.0f} to {100 * (self.high - 1):+.0f} %, not significant"
        else:
            interval = f"{ends[0]:.0f} to {ends[1]:.0f} %"
        return f"{what} ({_percent(self.level)} % CI {interval})."


@dataclass(frozen=True, slots=True)
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
    notes : tuple of str
        What was left out or averaged.
    claims : tuple of DecisionTest
        The claims that were put, tested.
    settings : mapping
        Level, metric, cluster.
    """

    base: str
    runs: tuple[str, ...]
    comparisons: tuple[Compared, ...]
    costs: tuple[Cost, ...]
    notes: tuple[str, ...]
    claims: tuple[DecisionTest, ...]
    settings: Mapping[str, Any]

    @property
    def answer(self) -> str:
        """The short answer."""
        if len(self.comparisons) == 1:
            return self.comparisons[0].headline
        better, worse = ([c for c in self.comparisons if c.significant and c.result.estimate * s > 0] for s in (1, -1))
        of = f"of {counted(len(self.comparisons), 'comparison')} with {quoted(self.base)}"
        return f"{len(better):,} better and {len(worse):,} worse, {of} (simultaneous {_percent(self.settings['level'])} % confidence)."

    @property
    def sentences(self) -> tuple[str, ...]:
        """The answer, each comparison with its counts and power, the claims, and notes."""
        several = () if len(self.comparisons) == 1 else (self.answer,)
        parts = (x for c in self.comparisons for x in (c.headline, c.details, c.power))
        costs = (one.sentence for one in self.costs)
        return (*several, *parts, *costs, *(claim.sentence for claim in self.claims), *self.notes)

    def rows(self) -> Rows:
        """Return every comparison over all items, then those by task."""
        return [row for c in self.comparisons for row in (c.row(), *c.by_task)]

    def test(self, claim: str) -> DecisionTest:
        """Test a claim such as ``"new > base"``, ``"new within 2 points of base"`` or ``"new at most 1 point below base"``.

        Claims joined by ``and`` are supported where each is. Equivalence takes two one-sided tests, that is the interval of level
        ``1 - 2 * error``; every other claim takes the interval that the answer shows.
        """
        tests = [_tested(self, part.strip()) for part in re.split(r"\s+and\s+", claim)]
        if len(tests) == 1:
            return replace(tests[0], claim=claim)
        worst: Verdict = "supported"
        for one in tests:
            if worst == "supported" or one.verdict == "shown to be false":
                worst = one.verdict if one.verdict != "supported" else worst
        return DecisionTest(claim, worst, " ".join(one.sentence for one in tests))


def compare(
    runs: Mapping[str, Any] | None = None,
    methods: object = None,
    /,
    *,
    level: float = 0.95,
    metric: str | None = None,
    cluster: str | None = None,
    samples: str | None = None,
    cost: str | None = None,
    claims: Sequence[str] = (),
    read: Mapping[str, Any] | None = None,
    **named: Any,
) -> RunComparison:
    """Say whether each run is better than the first, by how much, and how certain that is.

    Parameters
    ----------
    runs : mapping of name to path, folder, frame or Scores, optional
        Runs of one evaluation; each holds one agent, or agents of the same names. The first is the base.
    methods
        Not an option: `compare_methods` compares methods.
    level : float
        Confidence, for all comparisons of the answer together.
    metric : str, optional
        The metric to compare by; by default every metric that all runs have.
    cluster : str, optional
        Column whose items belong together, such as the document that questions are about; ``cluster`` where there is one.
    samples : str, optional
        Of repeated samples: ``pass@5``, ``pass^5`` or ``maj@5`` of every item instead of their mean; see `pass_at_k`.
    cost : str, optional
        A column of the price, tokens or time of every item, lower being better: by how much every run is cheaper than the base.
    claims : sequence of str
        Claims to test; see `RunComparison.test`.
    read : mapping, optional
        Options of `read` for all runs: map, where, lower, format.
    **named : path, folder, frame or Scores
        More runs by name: ``compare(base="old/", new="new/")``.

    Examples
    --------
    >>> items = [f"q{i}" for i in range(60)]
    >>> old = Scores.from_table([[i % 3 > 0 for i in range(60)]], ["m"], items)
    >>> new = Scores.from_table([[i % 3 > 0 or i < 30 for i in range(60)]], ["m"], items)
    >>> print(compare(base=old, new=new).answer)
    'new' is better than 'base': +16.7 points (95 % CI +6.6 to +26.9), 60 items, paired.
    """
    require_share("level", level)
    if methods is not None or not isinstance(runs, Mapping | None):
        raise UsageError(
            "`compare` takes runs by name, `compare(base=..., new=...)`; `compare_methods(evidence, methods)` compares methods."
        )
    runs, reading = {**(runs or {}), **named}, dict(read or {})
    if len(runs) < 2:
        raise UsageError(f"two runs or more must be named to be compared; got {len(runs)}. Write `base=old/ new=new/`.")
    tables = {name: _scores_of(name, source, reading) for name, source in runs.items()}
    if samples is not None:
        tables = {name: pass_at_k_named(one, samples) for name, one in tables.items()}
    base, others = next(iter(tables)), list(tables)[1:]
    metrics, agents = _common_metrics(tables, metric), _common_agents(tables)
    chosen, skipped = _comparable(tables, [(agent, one) for agent in agents for one in metrics], cluster)
    family = len(others) * len(chosen)
    compared = [
        _compared(items[base], items[name], (name, base), label, 1 - (1 - level) / family)
        for name in others
        for label, items in chosen.items()
    ]
    corrected = [
        replace(c, result=replace(c.result, p_value=min(1.0, family * c.result.p_value), level=level)) for c in compared
    ]
    settings = {
        "level": level,
        "metric": metric,
        "cluster": cluster,
        "family": family,
        "samples": samples,
        "cost": cost,
    }
    costs = _costs(runs, reading, cost, level) if cost else ()
    result = RunComparison(
        base, tuple(tables), tuple(corrected), costs, _notes(tables, corrected, skipped), (), settings
    )
    return replace(result, claims=tuple(result.test(claim) for claim in claims))


def _costs(runs: Mapping[str, Any], reading: Mapping[str, Any], column: str, level: float) -> tuple[Cost, ...]:
    """The ratio of mean costs on the items that a run shares with the base."""
    named = {**reading, "map": {**(reading.get("map") or {}), "value": column}}
    tables = {name: _scores_of(name, source, named) for name, source in runs.items()}
    if any(len(one.agents) > 1 for one in tables.values()):
        raise DataError(
            "costs are compared between runs of one agent each; a run holds several. Choose one with `--where`."
        )
    items = {name: _items(one, None, "", None) for name, one in tables.items()}
    (base, old), *others = items.items()
    at, costs = {key: k for k, key in enumerate(old.key)}, []
    for name, new in others:
        i, j = np.array([(at[key], k) for k, key in enumerate(new.key) if key in at], dtype=np.int64).reshape(-1, 2).T
        log = ratio_of_means(new.mean[j], old.mean[i], 1 - (1 - level) / len(others))
        ratio, low, high = (float(np.exp(x)) for x in (log.estimate, log.low, log.high))
        means = float(old.mean[i].mean()), float(new.mean[j].mean())
        costs.append(Cost(name, base, column, *means, ratio, low, high, level))
    return tuple(costs)


def _scores_of(name: str, source: Any, reading: Mapping[str, Any]) -> Scores:
    """The scores of one run, which must hold one agent; a table without a column of agents is that of one."""
    scores = source if isinstance(source, Scores) else read_run(name, source, reading)
    if not isinstance(scores, Scores):
        raise DataError(
            f"runs must hold scores of items to be compared; {quoted(name)} holds {getattr(scores, 'kind', 'something else')}. "
            "Use `beatpath resolve` for battles."
        )
    return scores


def _common_agents(tables: Mapping[str, Scores]) -> list[str | None]:
    """The agents to compare run by run: the only one of each run whatever its name, or those of one name."""
    if all(len(one.agents) == 1 for one in tables.values()):
        return [None]
    first, *rest = (one.agents for one in tables.values())
    common = [name for name in first if all(name in agents for agents in rest)]
    if not common:
        name, scores = next((name, one) for name, one in tables.items() if len(one.agents) > 1)
        raise DataError(
            f"runs must hold one agent each, or agents of the same names; {quoted(name)} holds "
            f"{counted(len(scores.agents), 'agent')}: {listed(scores.agents, 5)}. Choose one with `--where`, or rank them with "
            "`beatpath resolve`."
        )
    return list(common)


def _common_metrics(tables: Mapping[str, Scores], metric: str | None) -> list[str]:
    """The metrics that all runs have; one without a name where they name none."""
    named = [list(one.factors["metric"].levels) if "metric" in one.factors else [""] for one in tables.values()]
    common = [one for one in named[0] if all(one in names for names in named)]
    if metric is not None and metric not in common:
        raise UsageError(
            f"`metric` must be one that all runs have: {listed(common, 8)}; got {quoted(metric)}.{suggestion(metric, common)}"
        )
    if not common:
        raise DataError("the runs must have a metric in common; they have none.")
    return [metric] if metric is not None else common


@dataclass(frozen=True, slots=True, eq=False)
class _Items:
    """Scores of one run by one metric, item by item: keys, means, variances of single samples, their number, clusters."""

    key: list[tuple[str, str]]
    mean: Floats
    variance: Floats
    number: Ints
    cluster: Ints | None
    up: bool


def _comparable(
    tables: Mapping[str, Scores], questions: Sequence[tuple[str | None, str]], cluster: str | None
) -> tuple[dict[str, dict[str, _Items]], list[str]]:
    """The items of every run by agent and metric, and the names of those with fewer than two items in some run."""
    chosen, skipped = {}, []
    for agent, metric in questions:
        label = ", ".join(part for part in (agent, metric) if part)
        items = {name: _items(one, agent, metric, cluster) for name, one in tables.items()}
        if min(len(one.key) for one in items.values()) < 2:
            skipped.append(label or "the only metric")
        else:
            chosen[label] = items
    if not chosen:
        raise DataError(
            f"every run must have scores of two items or more; none of {listed(skipped, 5)} does. Averages alone cannot be "
            "compared: read the samples."
        )
    return chosen, skipped


def _items(scores: Scores, agent: str | None, metric: str, cluster: str | None) -> _Items:
    rows = np.ones(len(scores.value), dtype=bool) if agent is None else scores.agent == scores.agents.index(agent)
    if metric:
        factor = scores.factors["metric"]
        rows = rows & (factor.codes == factor.levels.index(metric))
    blank = Factor.of([""] * len(scores.value))
    task, item = (scores.factors.get(name, blank) for name in ("task", "item"))
    code = np.stack([task.codes[rows], item.codes[rows]], axis=1)
    unique, group = np.unique(code, axis=0, return_inverse=True)
    group, value = group.ravel(), scores.value[rows]
    number = np.bincount(group)
    mean = np.bincount(group, value) / number
    spread = np.bincount(group, (value - mean[group]) ** 2)
    variance = np.divide(spread, number - 1, out=np.full(len(number), np.nan), where=number > 1)
    names = [("" if t < 0 else task.levels[t], "" if i < 0 else item.levels[i]) for t, i in unique]
    column = cluster or ("cluster" if "cluster" in scores.factors else None)
    if column is not None and column not in scores.factors:
        raise UsageError(f"`cluster` must be a column of every run; got {quoted(column)}.")
    clusters = None
    if column is not None:
        clusters = np.zeros(len(names), dtype=np.int64)
        clusters[group] = scores.factors[column].codes[rows]
    directions = {scores.higher_is_better.get(name, True) for name in ([metric] if metric else task.levels)}
    if len(directions) > 1:
        raise DataError(
            "items must be better when higher on every task, or on none; these tasks differ. Choose some with `--where`."
        )
    return _Items(names, mean, variance, number, clusters, directions.pop())


def _compared(base: _Items, run: _Items, names: tuple[str, str], metric: str, level: float) -> Compared:
    """One run against the base by one metric."""
    at = {key: k for k, key in enumerate(base.key)}
    shared = [(at[key], k) for k, key in enumerate(run.key) if key in at]
    both = np.concatenate([base.mean, run.mean])
    is_share = bool(both.min() >= 0 and both.max() <= 1)
    sign = 1.0 if run.up else -1.0
    paired = len(shared) >= max(2, SHARED * min(len(base.key), len(run.key)))
    if not paired:
        return _unpaired(base, run, names, metric, level, is_share, sign)
    i, j = np.array(shared).T
    x, y, keys = base.mean[i], run.mean[j], [base.key[k] for k in i]
    clusters = None if base.cluster is None else np.unique(base.cluster[i], return_inverse=True)[1].ravel()
    result, table = _difference(x, y, level, clusters, sign, binary=_binary(base, run))
    within = base.variance[i] / base.number[i] + run.variance[j] / run.number[j]
    noise = float(np.mean(within)) / len(x) if np.isfinite(within).all() else None
    gains = sign * (y - x)
    rows = zip(keys, x.tolist(), y.tolist(), gains.tolist(), strict=True)
    changed = [Changed(task, item, old, new, gain) for (task, item), old, new, gain in rows if gain]
    detectable, more_items, more_samples = _power(result, noise)
    return Compared(
        run=names[0],
        base=names[1],
        metric=metric,
        items=len(x),
        clusters=0 if clusters is None else int(clusters.max()) + 1,
        paired=True,
        base_score=float(x.mean()),
        new_score=float(y.mean()),
        result=result,
        table=table,
        detectable=detectable,
        more_items=more_items,
        more_samples=more_samples,
        by_task=_by_task(keys, x, y, names, metric, level, sign, _binary(base, run)),
        changed=tuple(sorted(changed, key=lambda c: (-abs(c.gain), -c.gain, c.task, c.item))),
        is_share=is_share,
        left_out=len(base.key) + len(run.key) - 2 * len(x),
    )


def _binary(base: _Items, run: _Items) -> bool:
    """Whether every item of both runs is right or wrong, once."""
    return all(bool((one.number == 1).all() and np.isin(one.mean, (0.0, 1.0)).all()) for one in (base, run))


def _difference(
    x: Floats, y: Floats, level: float, cluster: Ints | None, sign: float, *, binary: bool
) -> tuple[Difference, tuple[int, ...] | None]:
    if not binary:
        return paired_means(sign * (y - x), level, cluster), None
    both, new, old, neither = (int(((x == a) & (y == b)).sum()) for a, b in ((1, 1), (0, 1), (1, 0), (0, 0)))
    if cluster is not None or sign < 0:
        return paired_means(sign * (y - x), level, cluster), (both, new, old, neither)
    return paired_proportions(both, new, old, neither, level), (both, new, old, neither)


def _unpaired(
    base: _Items, run: _Items, names: tuple[str, str], metric: str, level: float, is_share: bool, sign: float
) -> Compared:
    if _binary(base, run) and sign > 0:
        result = unpaired_proportions(int(run.mean.sum()), len(run.mean), int(base.mean.sum()), len(base.mean), level)
    else:
        result = unpaired_means(sign * run.mean, sign * base.mean, level)
    detectable, more_items, _ = _power(result, None)
    return Compared(
        run=names[0],
        base=names[1],
        metric=metric,
        items=min(len(base.key), len(run.key)),
        clusters=0,
        paired=False,
        base_score=float(base.mean.mean()),
        new_score=float(run.mean.mean()),
        result=result,
        table=None,
        detectable=detectable,
        more_items=more_items,
        more_samples=None,
        by_task=(),
        changed=(),
        is_share=is_share,
        left_out=len(base.key) + len(run.key),
    )


def _power(result: Difference, noise: float | None) -> tuple[float, float, float | None]:
    """The smallest difference found with the power, and how many times as many items or samples would confirm this one."""
    z = t_quantile(result.level)
    needed, half = z + t_quantile(2 * POWER - 1), (result.high - result.low) / 2
    error = result.stderr or half / z  # no item changed: the interval still has a width
    times = (needed * error / abs(result.estimate)) ** 2 if result.estimate else np.inf
    if noise is None:
        return needed * error, times, None
    target = (abs(result.estimate) / needed) ** 2 - (error**2 - noise)
    return needed * error, times, noise / target if target > 0 else np.inf


def _by_task(
    keys: Sequence[tuple[str, str]], x: Floats, y: Floats, names: tuple[str, str], metric: str, level: float, sign: float, binary: bool
) -> tuple[ComparedRow, ...]:  # fmt: skip
    """The same for every task of two items or more, p-values corrected by Holm's method."""
    task = np.array([key[0] for key in keys], dtype=object)
    some = [name for name in sorted(set(task)) if (task == name).sum() > 1]
    if len(set(task)) < 2 or not some:
        return ()
    rows = []
    for name in some:
        one = task == name
        d, _ = _difference(x[one], y[one], level, None, sign, binary=binary)
        gain = sign * (y[one] - x[one])
        rows.append(ComparedRow(
            run=names[0], base=names[1], metric=metric, task=name, items=int(one.sum()), base_score=float(x[one].mean()),
            new_score=float(y[one].mean()), difference=d.estimate, low=d.low, high=d.high, p_value=d.p_value,
            better=int((gain > 0).sum()), worse=int((gain < 0).sum()),
        ))  # fmt: skip
    order, least = sorted(range(len(rows)), key=lambda k: rows[k]["p_value"]), 0.0
    for place, k in enumerate(order):
        least = max(least, min(1.0, (len(rows) - place) * rows[k]["p_value"]))
        rows[k]["p_value"] = least
    return tuple(sorted(rows, key=lambda row: -abs(row["difference"])))


def _notes(tables: Mapping[str, Scores], compared: Sequence[Compared], skipped: Sequence[str]) -> tuple[str, ...]:
    notes = list(dict.fromkeys(note for one in tables.values() for note in lower_noted(one)))
    if len(compared) > 1:
        notes.append(f"Intervals and p-values carry a Bonferroni correction for {len(compared):,} comparisons.")
    left = max((c.left_out for c in compared if c.paired), default=0)
    if left:
        notes.append(f"Left out: {counted(left, 'item')} that only one of the runs has.")
    repeats = {name: len(one.factors["replicate"].levels) for name, one in tables.items() if "replicate" in one.factors}
    if repeats:
        notes.append(
            f"Repeated samples of an item are averaged ({', '.join(f'{n}: {k:,}' for n, k in repeats.items())})."
        )
    if skipped:
        notes.append(f"Left out, with fewer than two items in some run: {listed(skipped, 8)}.")
    if len(compared) > 1:
        notes.append("`--metric` chooses one metric.")
    return tuple(notes)


FORMS = (
    '"new > base", "new > base by 3 points", "new within 2 points of base", "new at most 1 point below base" or "new is first", '
    "joined by and"
)
_NUMBER = r"(?P<by>\d+(?:\.\d+)?)(?: points?)?"
_FORMS = (
    ("above", re.compile(rf"^(?P<a>.+?)\s*>\s*(?P<b>.+?)(?: by {_NUMBER})?$")),
    ("above", re.compile(rf"^(?P<a>.+?) is better than (?P<b>.+?)(?: by {_NUMBER})?$")),
    ("within", re.compile(rf"^(?P<a>.+?)(?: is)? within {_NUMBER} of (?P<b>.+)$")),
    ("not below", re.compile(rf"^(?P<a>.+?)(?: is)? at most {_NUMBER} (?:below|worse than) (?P<b>.+)$")),
    ("first", re.compile(r"^(?P<a>.+?)(?: is)? first$")),
)


def _tested(result: RunComparison, text: str) -> DecisionTest:
    """Test one claim about two runs, by every metric that was compared."""
    for kind, form in _FORMS:
        match = form.match(text)
        if match and match["a"].strip() in result.runs and (kind == "first" or match["b"].strip() in result.runs):
            a = match["a"].strip()
            margin = float(match.groupdict().get("by") or 0.0)
            others = [run for run in result.runs if run != a] if kind == "first" else [match["b"].strip()]
            pairs = [(c, s) for other in others for c, s in _about(result, a, other)]
            tests = [_decided(text, kind, c, s, margin / 100 if c.is_share else margin) for c, s in pairs]
            for verdict in ("shown to be false", "not shown", "supported"):
                chosen = [one for one in tests if one.verdict == verdict]
                if chosen:
                    return replace(chosen[0], claim=text)
    raise UsageError(f"a claim must have one of the forms {FORMS}, about {listed(result.runs)}; got {quoted(text)}.")


def _about(result: RunComparison, a: str, b: str) -> list[tuple[Compared, float]]:
    """The comparisons of two runs, and +1 or -1 for which of them is ahead where the difference is positive."""
    pairs = [(c, 1.0) for c in result.comparisons if (c.run, c.base) == (a, b)]
    pairs += [(c, -1.0) for c in result.comparisons if (c.run, c.base) == (b, a)]
    if not pairs:
        raise UsageError(
            f"a claim must compare a run with the base, {quoted(result.base)}; put {quoted(a)} or {quoted(b)} first."
        )
    return pairs


def _decided(text: str, kind: str, c: Compared, sign: float, margin: float) -> DecisionTest:
    d = c.result
    low, high = (d.low, d.high) if sign > 0 else (-d.high, -d.low)
    if kind == "within":
        # two one-sided tests take the interval of level 1 - 2 error
        shrink = t_quantile(2 * d.level - 1) / t_quantile(d.level)
        middle = sign * d.estimate
        low, high = middle - shrink * (middle - low), middle + shrink * (high - middle)
        verdict: Verdict = "supported" if -margin < low and high < margin else "not shown"
        verdict = "shown to be false" if low > margin or high < -margin else verdict
        level = 2 * d.level - 1
    else:
        bound = -margin if kind == "not below" else margin
        verdict = "supported" if low > bound else "shown to be false" if high < bound else "not shown"
        level = d.level
    metric = f" on {c.metric}" if c.metric else ""
    interval = f"{_percent(level)} % CI {c.amount(low)} to {c.amount(high)}{' points' if c.is_share else ''}{metric}"
    word = {"supported": "Supported", "not shown": "Not shown", "shown to be false": "Shown to be false"}[verdict]
    return DecisionTest(text, verdict, f"{word}: {quoted(text)} ({interval}).")


def _percent(level: float) -> str:
    return f"{100 * level:.4g}"
