"""Scores: numeric results of agents on tasks, possibly per item and with replicates."""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from beatpath._arrays import Floats, Ints
from beatpath._errors import DataError, UsageError
from beatpath._text import counted, listed, quoted, shown, suggestion
from beatpath._validate import require_number
from beatpath.evidence.arrays import (
    CODES,
    FLOATS,
    LARGEST,
    NAMED,
    EvidenceBase,
    Factor,
    joint_codes,
    read_only,
    refuse,
    trusted,
)
from beatpath.evidence.conventions import Convention, Reading, convention, task_weights
from beatpath.evidence.pairs import Pairs
from beatpath.evidence.ties import anchored_levels, equal_means

if TYPE_CHECKING:
    from beatpath.evidence.ballots import Ballots

# Names of metrics for which lower is usually better.
_LOWER = re.compile(
    r"(^|[^a-z])(log_?loss|loss|nll|entropy|brier|ece|errors?|err|error_?rate|perplexity|ppl|bp[bc]|wer|cer|ter|eer|n?rmse|rmsle|mse|mae"
    r"|s?mape|mase|w?crps|lpips|fad"
    r"|latency|run_?time|wall_?time|cpu_?time|duration|seconds|costs?|price|regret|toxicity|hallucinations?|fails?|failures?|violations|incidents?|accidents?|fatalities|deaths|crashes|mistakes?|mispredictions?|incorrect|wrong|no[_ ]?answers?|unanswered|refusals?|fid)"
    r"([^a-z]|$)|(^|[^a-z])(time|secs?|ms)[^a-z]*$"
)
# What turns such a name round: a negated loss, and a task about errors, as BIG-bench's salient_translation_error_detection.
_NOT_LOWER = re.compile(
    r"(^|[^a-z])(neg(ative)?|precision|recall|f1|auc|acc|accuracy)([^a-z]|$)|(error|cost|loss)s?[^a-z]+(detect|correct|recover|analys|reduc|saving)"
)
_HEADLINES = ("score", "plus")  # the metrics by which promptfoo and EvalPlus rank
# The convention if a score table has one task without items: each run casts a ballot.
RUNS_VOTE = Convention(
    "per", "run", "each run is one voter, as there is only one task, ranking agents by their score in it"
)


@dataclass(frozen=True, slots=True, eq=False)
class Scores(EvidenceBase):
    """Numeric scores, one per row: an agent's value on a task, item, metric or run.

    Use it for benchmark tables and per-item results. A cell without a row is missing and stays missing.

    Parameters
    ----------
    agents : tuple of str
        Agent names; the codes in `agent` index this tuple.
    agent : (t,) int
        The agent of each score.
    value : (t,) float
        The score; finite.
    factors : mapping of str to Factor
        Categorical columns. ``task``, ``item``, ``metric`` and ``replicate`` (seed, epoch) have a meaning; other
        names are free.
    higher_is_better : mapping of str to bool
        Direction by metric, or by task if there is no metric; by default higher is better.
    stderr : (t,) float, optional
        Standard error of each value; NaN if unknown.

    See Also
    --------
    Ballots : The rankings that scores imply.
    Battles : Comparisons of two agents.

    Examples
    --------
    >>> scores = Scores.from_table([[0.9, 0.2], [0.7, np.nan]], ["ada", "bob"], ["math", "code"])
    >>> scores
    Scores(2 agents, 2 tasks, 3 values)
    >>> list(scores.ballots())
    [[('ada',)], [('ada',), ('bob',)]]
    """

    kind: ClassVar[str] = "scores"
    agents: tuple[str, ...]
    agent: NDArray[np.int32] = field(metadata=CODES)
    value: Floats = field(metadata=FLOATS)
    factors: Mapping[str, Factor] = field(default_factory=dict, metadata=NAMED)
    higher_is_better: Mapping[str, bool] = field(default_factory=dict)
    stderr: Floats | None = field(default=None, metadata=FLOATS)
    conventions: tuple[Convention, ...] = ()
    reading: Reading | None = None

    def __post_init__(self) -> None:
        self.freeze(np.size(self.agent), higher_is_better=dict(self.higher_is_better))
        agents, agent, value = self.agents, self.agent, self.value
        refuse(
            ~np.isfinite(value),
            lambda row, such: (
                f"scores must be finite; got {value[row]:g} for {quoted(agents[agent[row]])} in row "
                f"{row + 1:,} ({such}). Leave missing scores out."
            ),
        )
        refuse(
            np.abs(value) > LARGEST,
            lambda row, _: (
                f"scores must lie between -{LARGEST:g} and {LARGEST:g}; got {value[row]:g} for "
                f"{quoted(agents[agent[row]])} in row {row + 1:,}. Use a larger unit, or their logarithms."
            ),
        )
        unknown = [name for name in self.higher_is_better if name not in _directed(self.factors)]
        if unknown:
            raise DataError(f"`higher_is_better` must name metrics or tasks; {listed(unknown)} are neither.")

    @classmethod
    def from_table(cls, table: ArrayLike, agents: Sequence[str], tasks: Sequence[str], **columns: object) -> "Scores":
        """Build scores from an array of agents by tasks, or of agents by runs by tasks; NaN marks a missing score.

        >>> Scores.from_table(np.ones((2, 5, 3)), ["ada", "bob"], ["math", "law", "code"])
        Scores(2 agents, 3 tasks, 30 values)
        """
        cells = read_only(table, np.float64)
        if cells.ndim not in (2, 3) or (len(cells), cells.shape[-1]) != (len(agents), len(tasks)):
            shape = f"({len(agents)}, {len(tasks)}), agents by tasks, or with runs between them"
            raise DataError(f"`table` must have shape {shape}; got {cells.shape}.")
        runs = cells if cells.ndim == 3 else cells[:, None]
        agent, run, task = np.nonzero(~np.isnan(runs))
        factors = {"task": Factor.coded(task, list(tasks))}
        if cells.ndim == 3:
            factors["replicate"] = Factor.coded(run, [str(k + 1) for k in range(runs.shape[1])])
        return cls(tuple(agents), agent, runs[agent, run, task], factors, **columns)  # type: ignore[arg-type]

    def __len__(self) -> int:
        return len(self.value)

    def __repr__(self) -> str:
        return f"Scores({counted(len(self.agents), 'agent')}, {counted(len(self.tasks), 'task')}, {counted(len(self), 'value')})"

    @property
    def tasks(self) -> tuple[str, ...]:
        """Names of the tasks; scores without a task column form one task."""
        return self.factors["task"].levels if "task" in self.factors else ("all",)

    @property
    def run_name(self) -> str:
        """What one of several scores of an agent on a task is called: the column of replicates in the file, as seed or judge."""
        return "run" if self.reading is None else self.reading.noun("replicate", "run")

    @property
    def lower_by_name(self) -> list[str]:
        """Metrics (or tasks) whose names suggest that lower is better, and whose direction is not set.

        >>> Scores.from_table([[0.9, 120.0, 3.0]], ["ada"], ["glossary", "latency_ms", "time"]).lower_by_name
        ['latency_ms', 'time']
        """
        factor = self.factors.get("metric") or self.factors.get("task")
        names = factor.levels if factor else ()
        return [name for name in names if name not in self.higher_is_better and usually_lower(name)]

    def sign(self) -> Floats:
        """Return +1 for rows in which higher is better, -1 for rows in which lower is."""
        sign = np.ones(len(self))
        for name in ("task", "metric"):
            if name in self.factors:
                sign[~self.factors[name].each(lambda level: self.higher_is_better.get(level, True), True)] = -1
        return sign

    def voters(self, per: str = "task") -> Factor:
        """Return the voter of each row: its task, or its item or run within the task, per metric if several.

        Runs of different agents that share no name are matched by number: the first of each agent, then the second.
        """
        if per == "run":
            return replace(self, factors={**self.factors, "item": self._numbered_runs()}).voters("item")
        names = [n for n in ("task", *(["item"] if per == "item" else []), "metric") if n in self.factors]
        names = [n for n in names if n != "metric" or len(self.factors[n].levels) > 1] or names[:1]
        if per == "item" and "item" not in self.factors:
            raise UsageError("`per='item'` needs scores with an item column; these have none. Use `per='task'`.")
        if not names:
            return Factor.coded(np.zeros(len(self), int), ("all",))
        code = joint_codes([self.factors[name] for name in names], len(self))
        first, codes = np.unique(code, return_index=True, return_inverse=True)[1:]
        named = zip(*([name or "?" for name in self.factors[n].take(first).names()] for n in names), strict=True)
        labels = list(map(" / ".join, named))
        if len(set(labels)) < len(labels):  # joined names that coincide: number the voters instead
            labels = [f"{i + 1:09d}" for i in range(len(labels))]
        return Factor.coded(codes, labels)

    def table(self, per: str = "task") -> tuple[Floats, tuple[str, ...]]:
        """Return mean scores, shape (agents, voters) with NaN if missing, and the names of the voters.

        Replicates are averaged within an item first, then items within a task, so every item has the same weight. Means of a voter that
        differ only by rounding are equal.
        """
        voter = self.voters(per)
        item = self.factors.get("item")
        unit = voter.codes if item is None else voter.codes.astype(np.int64) * (len(item.levels) + 1) + item.codes + 1
        cell, group = np.unique(unit * np.int64(len(self.agents)) + self.agent, return_index=True, return_inverse=True)[
            1:
        ]
        rows = np.bincount(group)
        at = self.agent[cell].astype(np.int64) * len(voter.levels) + voter.codes[cell]
        size = len(self.agents) * len(voter.levels)
        n, held = np.bincount(at, minlength=size), np.unique(at)

        def means(value: Floats) -> Floats:
            return (np.bincount(at, np.bincount(group, value) / rows, minlength=size) / np.maximum(n, 1))[held]

        table = np.full(size, np.nan)
        table[held] = means(self.value)
        if len(held) < len(self):
            several = np.bincount(at, rows, minlength=size)[held] > 1
            table[held] = equal_means(table[held], means(np.abs(self.value)) * several, held % len(voter.levels))
        return table.reshape(len(self.agents), len(voter.levels)), voter.levels

    def ballots(
        self,
        *,
        per: str = "auto",
        tolerance: float = 0.0,
        missing: str = "unranked",
        weights: Mapping[str, float] | None = None,
    ) -> "Ballots":
        """Let every task (or item) rank the agents by mean score.

        Parameters
        ----------
        per : {"auto", "task", "item"}
            What casts a ballot. "auto" (default) uses tasks, or the items (else the runs) if there is only one task.
        tolerance : float
            Agents whose scores are within this distance of the best of their group tie with it; default 0.
        missing : {"unranked", "last", "drop_task", "error"}
            How a missing score counts; see `Conventions`.
        weights : mapping of str to float, optional
            Weights of tasks; default one.

        Returns
        -------
        Ballots
        """
        require_number("tolerance", tolerance, "a finite number, 0 or more", least=0)
        per = self.who_votes(per)
        table, voters = self.table(per)
        table = table * self.voter_signs(per)
        hole = np.isnan(table)
        voting = RUNS_VOTE if per == "run" else convention("per", per)
        conventions = [voting, convention("missing", missing, float(hole.sum()))]
        if missing == "error" and hole.any():
            agent, task = np.argwhere(hole)[0]
            raise DataError(
                f"every agent must have a score on every task; {quoted(self.agents[agent])} has none on "
                f"{quoted(voters[task])} ({int(hole.sum()):,} cells are empty). Choose another `missing` policy."
            )
        keep = np.all(~hole, axis=0) if missing == "drop_task" else np.ones(len(voters), dtype=np.bool_)
        ranked = [_grouped(table[:, t], tolerance, missing == "last") for t in np.flatnonzero(keep)]
        agent = np.concatenate([r[0] for r in ranked]) if ranked else np.zeros(0, int)
        place = np.concatenate([r[1] for r in ranked]) if ranked else np.zeros(0, int)
        names = [voter for voter, used in zip(voters, keep, strict=True) if used]
        columns = {name: factor.take(keep) for name, factor in self.by_voter(per).items()}
        if tolerance:
            meaning = "scores this close to the best of their group tie"
            conventions.append(Convention("tolerance", f"{tolerance:g}", meaning))
        weight = None
        if weights:
            weight, weighing = task_weights(names, weights)
            conventions.append(weighing)
        from beatpath.evidence.ballots import Ballots

        return Ballots(
            self.agents,
            agent,
            place,
            np.cumsum([0, *(len(r[0]) for r in ranked)]),
            weight=weight,
            factors={**columns, "ballot" if self._within_tasks(per) else "task": Factor.of(names)},
            conventions=(*self.conventions, *conventions),
            reading=self.reading,
        )

    def who_votes(self, per: str) -> str:
        """Return "task", "item" or "run": the voters that "auto" stands for here."""
        if per != "auto" or len(self.tasks) > 1:
            return "task" if per == "auto" else per
        if "item" in self.factors:
            return "item"
        run = self.factors.get("replicate")
        return "run" if run is not None and len(run.levels) > 1 and (run.codes >= 0).all() else "task"

    def require_one_metric(self) -> None:
        """Raise an error if an item, or a task without items, has scores by several metrics: which one counts is not known.

        >>> metric = Factor.of(["f1", "exact"])
        >>> Scores(("ada",), [0, 0], [0.5, 0.0], {"metric": metric}).require_one_metric()
        Traceback (most recent call last):
        beatpath._errors.DataError: items must be scored by one metric; these have 'exact', 'f1'. Choose, for example `where=["metric=exact"]`.
        """
        metric = self.factors.get("metric")
        if metric is None or len(metric.levels) < 2:
            return
        item = joint_codes([self.factors[name] for name in ("task", "item") if name in self.factors], len(self))
        taken, rows, others = np.zeros(0, np.int64), np.bincount(metric.codes + 1)[1:], []
        headlines_first = sorted(range(len(rows)), key=lambda m: (metric.levels[m] not in _HEADLINES, -rows[m]))
        for m in headlines_first:  # then the most common, and with it those of other items
            own = np.unique(item[metric.codes == m])
            if np.isin(own, taken).any():
                others.append(metric.levels[m])
            else:
                taken = np.union1d(taken, own)
        if others:
            left = [name for name in metric.levels if name not in others]
            columns = {**self.reading.guessed, **self.reading.given} if self.reading else {}
            column = columns.get("metric", "metric")
            conditions = [f"{column}={left[0]}"] if len(left) == 1 else [f"{column}!={name}" for name in others]
            options = " ".join(f"--where {shlex.quote(shown(one, 200))}" for one in conditions)
            raise DataError(
                f"items must be scored by one metric; these have {listed(metric.levels)}. Choose, for example `{options}`."
            )

    def by_voter(self, per: str) -> dict[str, Factor]:
        """Return the columns that are constant within every voter, by voter: the task of an item, for example."""
        voter, rankings = self.voters(per), {}
        for name, factor in self.factors.items():
            codes = np.full(len(voter.levels), -1)
            codes[voter.codes] = factor.codes
            if (codes[voter.codes] == factor.codes).all():
                rankings[name] = Factor.coded(codes, factor.levels)
        return rankings

    def cluster(self, per: str, cluster: str | Sequence[str] | None = "auto") -> str | Sequence[str] | None:
        """Return the column that groups voters into clusters, or ``None`` if all voters are independent.

        "auto" is a column named ``cluster``; otherwise the task, if there are several tasks and some have several
        voters.
        Items, runs or metrics of one task are correlated, and the tasks are a sample of the tasks that might have
        been used.

        >>> task, item = Factor.of(["math", "math", "code"]), Factor.of(["1", "2", "3"])
        >>> scores = Scores(("ada",), [0, 0, 0], [0.0, 1.0, 1.0], {"task": task, "item": item})
        >>> scores.cluster("item"), scores.cluster("task"), scores.cluster("item", "item"), scores.cluster("item", ["task"])
        ('task', None, None, 'task')
        """
        if cluster != "auto":
            name = cluster if cluster is None or isinstance(cluster, str) or len(cluster) != 1 else cluster[0]
            return None if name == per else name
        if "cluster" in self.factors:
            return "cluster"
        return "task" if self._within_tasks(per) else None

    def _within_tasks(self, per: str) -> bool:
        """Whether there are several tasks, and some task has several voters."""
        return 1 < len(self.tasks) < len(self.voters(per).levels)

    def _numbered_runs(self) -> Factor:
        """Runs by name or, if no two agents share a name, by number within their agent."""
        run = self.factors["replicate"]
        cell = np.unique(self.agent.astype(np.int64) * len(run.levels) + run.codes)
        agent, name = np.divmod(cell, len(run.levels))
        if np.bincount(name).max(initial=0) > 1 or len(np.unique(agent)) < 2:
            return run
        place = np.arange(len(cell)) - np.searchsorted(agent, agent)
        own = place[np.searchsorted(cell, self.agent.astype(np.int64) * len(run.levels) + run.codes)]
        return Factor.coded(own, [f"run {k + 1}" for k in range(int(place.max()) + 1)])

    def voter_signs(self, per: str) -> Floats:
        """Return +1 or -1 for each voter: whether higher or lower is better."""
        voter, sign = self.voters(per), self.sign()
        signs = np.ones(len(voter.levels))
        signs[voter.codes] = sign
        return signs

    def pairs(self, by: Sequence[str] = (), *, per: str = "auto", **options: object) -> Pairs:
        """Compare agents task by task (or item by item): the `pairs` of the `ballots`."""
        return self.ballots(per=per, **options).pairs(by)  # type: ignore[arg-type]

    def metric(self, name: str) -> "Scores":
        """Return the scores of one metric."""
        factor = self.factors.get("metric")
        if factor is None or name not in factor.levels:
            known = factor.levels if factor else ()
            raise UsageError(
                f"`metric` must be one of {', '.join(known) or '(none)'}; got {quoted(name)}.{suggestion(name, known)}"
            )
        return self.take(factor.codes == factor.levels.index(name))

    def take(self, rows: NDArray[np.generic], **changed: Any) -> "Scores":
        """Return the chosen scores (indices or a mask); all agents stay known."""
        some = EvidenceBase.take(self, rows, **changed)
        known = _directed(some.factors)
        return trusted(some, higher_is_better={k: v for k, v in self.higher_is_better.items() if k in known})


def lower_noted(scores: Scores | None) -> tuple[str, ...]:
    """Return a note for metrics that count as higher-is-better although their names suggest the reverse.

    >>> lower_noted(Scores.from_table([[0.9, 120.0]], ["ada"], ["math", "latency"]))[0]
    "Higher scores count as better for 'latency', whose name suggests the reverse: `--lower latency` reverses it."
    """
    names = [] if scores is None else scores.lower_by_name
    if not names:
        return ()
    whose = "name suggests" if len(names) == 1 else "names suggest"
    return (f"Higher scores count as better for {listed(names)}, whose {whose} the reverse: {turned(names)}.",)


def usually_lower(name: str) -> bool:
    """Return whether lower is usually better for a metric with this name.

    >>> [usually_lower(name) for name in ("de WER", "val_loss", "glossary", "neg_log_loss", "error_detection")]
    [True, True, False, False, False]
    """
    return bool(_LOWER.search(name.lower())) and not _NOT_LOWER.search(name.lower())


def lower_option(names: Sequence[str]) -> str:
    """Return the option that makes lower better for these metrics.

    >>> lower_option(["de WER", "loss"])
    "`--lower 'de WER,loss'`"
    """
    return f"`--lower {shlex.quote(','.join(shown(name, 200) for name in names))}`"


def turned(names: Sequence[str]) -> str:
    """Return the option that makes lower better for these metrics, with its effect."""
    return f"{lower_option(names)} reverses {'it' if len(names) == 1 else 'them'}"


def _directed(factors: Mapping[str, Factor]) -> set[str]:
    """Names that may have a direction: metrics and tasks."""
    return {level for name in ("metric", "task") if name in factors for level in factors[name].levels}


def _grouped(values: Floats, tolerance: float, missing_last: bool) -> tuple[Ints, Ints]:
    """Sort agents by descending value into groups anchored at the best of each; NaN is left out or last."""
    known = np.flatnonzero(~np.isnan(values))
    order = known[np.argsort(-values[known], kind="stable")]
    place = anchored_levels(values[order], tolerance)
    if missing_last:
        absent = np.flatnonzero(np.isnan(values))
        last = np.full(len(absent), place.max(initial=-1) + 1)
        return np.concatenate([order, absent]), np.concatenate([place, last])
    return order, place
