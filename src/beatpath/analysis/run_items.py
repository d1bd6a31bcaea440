"""Items of a run: their scores, and the difference of two runs on the items that both have."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from beatpath._arrays import Floats, Ints
from beatpath._errors import DataError, UsageError
from beatpath._text import counted, listed, quoted, suggestion
from beatpath.data.tables.words import own_names
from beatpath.evidence import Factor, Scores
from beatpath.evidence.select import concatenated_factor
from beatpath.evidence.ties import equal_means
from beatpath.evidence_design.run_effects import run_effects
from beatpath.inference.matrix.cluster_sums import of_differences
from beatpath.stats.codes import apart, dense
from beatpath.stats.paired import (
    NO_MORE,
    Difference,
    Further,
    paired_means,
    paired_proportions,
    unchanged_means,
    unpaired_means,
    unpaired_proportions,
)

# names of the run that others are compared with, in lower case
BASES = ("base", "baseline", "control", "before", "old")
SHARED = 0.5  # of the items of the smaller run that both must have for a comparison in pairs


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """Scores of one run by one metric, item by item.

    Attributes
    ----------
    key : list of (str, str)
        Task and item.
    mean, variance : (n,) float
        Mean of the samples of every item, and the variance of one sample; NaN with one sample.
    number : (n,) int
        Samples of every item.
    cluster : (n,) int, optional
        Cluster of every item.
    up : bool
        Whether higher is better.
    samples : Scores, optional
        Every sample with its label (seed, epoch), items as tasks.
    """

    key: list[tuple[str, str]]
    mean: Floats
    variance: Floats
    number: Ints
    cluster: Ints | None
    up: bool
    samples: Scores | None = None

    def extended(self, keys: Iterable[tuple[str, str]]) -> "Items":
        """Return the same with zeros for further items: reports of solved items alone do not name the others."""
        key = list(dict.fromkeys([*self.key, *keys]))
        more = 0, len(key) - len(self.key)
        number = np.pad(self.number, more, constant_values=1)
        variance = np.pad(self.variance, more, constant_values=np.nan)
        return replace(self, key=key, mean=np.pad(self.mean, more), variance=variance, number=number)

    @property
    def is_binary(self) -> bool:
        """Whether every item is right or wrong, once."""
        return bool((self.number == 1).all() and np.isin(self.mean, (0.0, 1.0)).all())

    @property
    def span(self) -> tuple[float, float]:
        """The lowest and the highest score."""
        return float(self.mean.min()), float(self.mean.max())

    @property
    def is_share(self) -> bool:
        """Whether all scores lie between 0 and 1."""
        return bool(self.mean.min() >= 0 and self.mean.max() <= 1)


@dataclass(frozen=True, slots=True, eq=False)
class Matched:
    """Two runs on the items that are compared: those that both have, or all where they share too few.

    Attributes
    ----------
    x, y : float
        Scores of the base and of the run.
    rows : two arrays of int, optional
        Where the items of a comparison in pairs stand in both runs.
    cluster : int, optional
        Cluster of every pair.
    sign : float
        -1 where lower is better.
    is_binary : bool
        Whether every item is right or wrong, once.
    further : Further
        Variance of the difference due to labeled runs.
    """

    x: Floats
    y: Floats
    rows: tuple[Ints, Ints] | None
    cluster: Ints | None
    sign: float
    is_binary: bool
    further: Further

    def difference(self, level: float) -> Difference:
        """Return how much better the run is than the base."""
        if self.rows is not None:
            return self.of(np.ones(len(self.x), dtype=bool), level, self.cluster)
        x, y = self.x, self.y
        if self.is_binary and self.sign > 0:
            return unpaired_proportions(int(y.sum()), len(y), int(x.sum()), len(x), level)
        return unpaired_means(self.sign * y, self.sign * x, level, self.further)

    def of(self, some: Any, level: float, cluster: Ints | None = None) -> Difference:
        """Return the difference on some of the pairs."""
        x, y = self.x[some], self.y[some]
        if self.is_binary and cluster is None and self.sign > 0:
            return paired_proportions(*table_of(x, y), level)
        if (x == y).all() and not self.further.variance:
            number = len(x) if cluster is None else len(np.unique(cluster))
            return unchanged_means(number, max(1.0, float(np.abs(self.x).max())), level)
        return paired_means(self.sign * (y - x), level, cluster, self.further)


def table_of(x: Floats, y: Floats) -> tuple[int, int, int, int]:
    """Return how many items both solve, only the second, only the first, neither."""
    both, new, old = (int(((x == a) & (y == b)).sum()) for a, b in ((1, 1), (0, 1), (1, 0)))
    return both, new, old, len(x) - both - new - old


def matched(base: Items, run: Items) -> Matched:
    """Return two runs side by side, in pairs where they share enough items."""
    at = {key: k for k, key in enumerate(base.key)}
    shared = [(at[key], k) for k, key in enumerate(run.key) if key in at]
    sign, binary = (1.0 if run.up else -1.0), base.is_binary and run.is_binary
    if len(shared) < max(2, SHARED * min(len(base.key), len(run.key))):
        return Matched(base.mean, run.mean, None, None, sign, binary, _of_labels(base, run))
    i, j = np.array(shared).T
    cluster = None if base.cluster is None else np.unique(base.cluster[i], return_inverse=True)[1].ravel()
    mean, rounded = (np.concatenate([one(base)[i], one(run)[j]]) for one in (lambda items: items.mean, _rounded))
    x, y = equal_means(mean, rounded, np.tile(np.arange(len(i)), 2)).reshape(2, -1)
    return Matched(x, y, (i, j), cluster, sign, binary, _of_labels(base, run))


def _rounded(items: Items) -> Floats:
    """A bound of the mean absolute sample of items with several, whose mean is rounded; 0 for a single sample."""
    return np.where(items.number > 1, np.hypot(items.mean, np.sqrt(np.nan_to_num(items.variance))), 0.0)


def _of_labels(base: Items, run: Items) -> Further:
    """Return the variance of the difference due to labeled samples (seeds, epochs) that are better on all items than others."""
    parts = [(k, one) for k, items in enumerate((base, run)) if (one := items.samples) is not None]
    if not parts:
        return NO_MORE
    agent = np.concatenate([np.full(len(one), k) for k, one in parts])
    factors = {name: concatenated_factor([one.factors[name] for _, one in parts]) for name in ("task", "replicate")}
    both = Scores(("base", "run"), agent, np.concatenate([one.value for _, one in parts]), factors)
    effects = run_effects(both, "task")
    if effects is None or not effects.matter:
        return NO_MORE
    df = effects.added.degrees_of_differences(np.zeros((2, 2)), np.full((2, 2), np.inf))
    return Further(float(of_differences(effects.added.covariance())[0, 1]), float(df[0, 1]))


def runs_in(source: Any) -> dict[str, str]:
    """Return the runs of a folder by name, one for each subfolder or file, the base first; none if it is no folder."""
    if not isinstance(source, str | Path) or not Path(source).is_dir():
        return {}
    entries = sorted(one for one in Path(source).iterdir() if not one.name.startswith((".", "_")))
    runs: dict[str, str] = {}
    bases = bases_of([_name(one) for one in entries])
    for one in sorted(entries, key=lambda one: _name(one) not in bases):
        if _name(one) in runs:
            raise UsageError(
                f"every run of a folder must have a name of its own; {quoted(_name(one))} stands for {quoted(runs[_name(one)])} and "
                f"{quoted(str(one))}. Name them: `base=... new=...`."
            )
        runs[_name(one)] = str(one)
    return runs


def bases_of(names: Sequence[str]) -> set[str]:
    """Return the names that say that a run is the base, apart from the words that all names have.

    >>> bases_of(["new_correct", "baseline_correct"]), bases_of(["old", "new"]), bases_of(["bge-base", "e5-base"])
    ({'baseline_correct'}, {'old'}, set())
    """
    return {name for name, own in zip(names, own_names(names), strict=True) if own in BASES}


def _name(path: Path) -> str:
    return path.name if path.is_dir() else path.name.split(".")[0]


def scores_of(name: str, source: Any, reading: Mapping[str, Any], cluster: str, *, of_runs: bool = False) -> Scores:
    """Return the scores of one run, or `of_runs` of all that a table holds, with the column of clusters.

    A table without a column of agents is that of one agent, or has a column for every run.
    """
    from beatpath.data.read_run import read_run, read_run_columns

    def tried(reading: Mapping[str, Any]) -> Any:
        try:
            one = read_run(name, source, reading)
        except DataError:
            if not of_runs or (wide := read_run_columns(source, reading, cluster)) is None:
                raise
            return wide
        by_columns = of_runs and one.reading is not None and one.reading.guessed.get("agent") == "columns"
        return (read_run_columns(source, reading, cluster) if by_columns else None) or one

    numbers = scores_of_numbers(name, source)
    source = source if numbers is None else numbers
    scores = source if isinstance(source, Scores) else tried(reading)
    if scores is not source and scores.reading is not None and cluster in scores.reading.unused:
        scores = tried({**reading, "keep": (*(reading.get("keep") or ()), cluster)})
    if not isinstance(scores, Scores):
        raise DataError(
            f"runs must hold scores of items to be compared; {quoted(name)} holds {getattr(scores, 'kind', 'something else')}. "
            "Use `beatpath resolve` for battles."
        )
    return scores


def scores_of_numbers(name: str, source: Any) -> Scores | None:
    """Return the scores of a run that is a list or series of numbers, one for each item in order, or maps items to numbers.

    An item without a number, None or NaN, is missing. For anything else, None is returned.

    >>> scores_of_numbers("new", [True, 0.5, None]).value, scores_of_numbers("new", {"q1": 1, "q2": 0}).tasks
    (array([1. , 0.5]), ('q1', 'q2'))
    >>> scores_of_numbers("new", ["new.csv", "more.csv"]) is scores_of_numbers("new", {"id": [1], "score": [1]}) is None
    True
    """
    if not (is_list(source) or isinstance(source, Mapping) or _is_series(source)):
        return None
    by_item = dict(enumerate(source)) if is_list(source) else dict(source.items())
    items, values = [*map(str, by_item)], [*by_item.values()]
    missing = [value is None or (isinstance(value, float) and np.isnan(value)) for value in values]
    kinds = (int, float, np.integer, np.floating, np.bool_)  # true is an int
    known = (one or isinstance(value, kinds) for one, value in zip(missing, values, strict=True))
    if not values or not all(known) or len({*items}) < len(items):
        return None
    x = [np.nan if one else float(value) for one, value in zip(missing, values, strict=True)]
    return Scores.from_table([x], [name], items)


def is_list(source: Any) -> bool:
    """Whether something holds values in an order alone: a list, an array, or a series without an index."""
    return isinstance(source, list | tuple | np.ndarray) or (_is_series(source) and not hasattr(source, "items"))


def _is_series(source: Any) -> bool:
    """Whether something is a column of pandas, Polars or another library."""
    return type(source).__name__ == "Series"


def common_agents(tables: Mapping[str, Scores]) -> list[str | None]:
    """Return the agents to compare run by run: the only one of each run whatever its name, or those of one name."""
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


def common_metrics(tables: Mapping[str, Scores], metric: str | None) -> list[str]:
    """Return the metrics that all runs have; one without a name where they name none."""
    named = [list(one.factors["metric"].levels) if "metric" in one.factors else [""] for one in tables.values()]
    common = [one for one in named[0] if all(one in names for names in named)]
    if metric is not None and metric not in common:
        names = [one for one in common if one]
        which = f": {listed(names, 8)}" if names else ", and these name none"
        do = suggestion(metric, names) if names else " Leave it out."
        raise UsageError(f"`--metric` must be one that all runs have{which}; got {quoted(metric)}.{do}")
    if not common:
        raise DataError("the runs must have a metric in common; they have none.")
    return [metric] if metric is not None else common


def comparable(
    tables: Mapping[str, Scores], questions: Sequence[tuple[str | None, str]], cluster: str | None
) -> tuple[dict[str, dict[str, Items]], list[str]]:
    """Return the items of every run by agent and metric, and the names of those with fewer than two items in some run."""
    chosen, skipped, short = {}, [], dict[str, None]()
    for agent, metric in questions:
        label = ", ".join(part for part in (agent, metric) if part)
        items = {name: items_of(one, agent, metric, cluster) for name, one in tables.items()}
        if are_of_solved_items(tables):
            if cluster is not None:
                raise UsageError("`--cluster` must be known of all items; these runs name only solved ones. Omit it.")
            items = {
                name: one.extended(key for other in items.values() for key in other.key) for name, one in items.items()
            }
        if few := [name for name, one in items.items() if len(one.key) < 2]:
            skipped.append(label)
            short |= dict.fromkeys(few)
        else:
            chosen[label] = items
    if not chosen:
        raise DataError(
            f"every run must have scores of two items or more; {listed(short, 5)} {'has' if len(short) == 1 else 'have'} fewer. "
            "Averages alone cannot be compared: read the samples."
        )
    return chosen, skipped


def are_of_solved_items(tables: Mapping[str, Scores]) -> bool:
    """Return whether what a run does not name is not solved, as in reports of SWE-bench."""
    return all(any(one.name == "unnamed" for one in table.conventions) for table in tables.values())


def items_of(scores: Scores, agent: str | None, metric: str, cluster: str | None) -> Items:
    """Return the items of an agent, or of the only one, by a metric."""
    rows = np.ones(len(scores.value), dtype=bool) if agent is None else scores.agent == scores.agents.index(agent)
    if metric:
        factor = scores.factors["metric"]
        rows = rows & (factor.codes == factor.levels.index(metric))
    blank = Factor.coded(np.zeros(len(scores.value), dtype=np.int64), ("",))
    task, item = (scores.factors.get(name, blank) for name in ("task", "item"))
    code = task.codes[rows].astype(np.int64) * (len(item.levels) + 1) + item.codes[rows]
    _, first, group = np.unique(code, return_index=True, return_inverse=True)
    group, value = group.ravel(), scores.value[rows]
    number = np.bincount(group)
    mean = np.bincount(group, value) / number
    spread = np.bincount(group, (value - mean[group]) ** 2)
    variance = np.divide(spread, number - 1, out=np.full(len(number), np.nan), where=number > 1)
    codes = ((one, one.codes[rows][first].tolist()) for one in (task, item))
    tasks, names = (["" if k < 0 else one.levels[k] for k in where] for one, where in codes)
    column = cluster or ("cluster" if "cluster" in scores.factors else None)
    if column is not None and column not in scores.factors:
        others = scores.reading.unused if scores.reading else ()
        known = f"columns without a role are {listed(others)}" if others else "there is no other column"
        raise UsageError(f"`--cluster` must be a column of every run; got {quoted(column)}, and {known}.")
    clusters = None if column is None else dense(apart(scores.factors[column].codes[rows][first]))[0]
    directions = {scores.higher_is_better.get(name, True) for name in ([metric] if metric else task.levels)}
    if len(directions) > 1:
        raise DataError(
            "items must be better when higher on every task, or on none; these tasks differ. Choose some with `--where`."
        )
    key, samples, label = list(zip(tasks, names, strict=True)), None, scores.factors.get("replicate")
    if label is not None and number.max(initial=0) > 1:
        columns = {
            "task": Factor.coded(group, [f"{len(task)} {task} {item}" for task, item in key]),
            "replicate": label.take(rows),
        }
        samples = Scores(("",), np.zeros(len(value), np.int64), value, columns)
    return Items(key, mean, variance, number, clusters, directions.pop(), samples)
