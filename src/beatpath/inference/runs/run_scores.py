"""`run_scores`: all aggregates of runs, with the percentile intervals common in reinforcement learning."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypedDict, Unpack

import numpy as np

from beatpath._arrays import Floats, Ints
from beatpath._coerce import EvidenceLike, as_evidence
from beatpath._errors import UsageError
from beatpath._result import Record, TableResult, plain
from beatpath._sentence import named, plain_text, together
from beatpath._text import confidence, counted
from beatpath._validate import require_agents, require_share, require_whole
from beatpath.evidence import Convention, Scores
from beatpath.evidence.conventions import ConventionOptions, Conventions
from beatpath.evidence_design.run_effects import run_effects
from beatpath.inference.runs.aggregates import Draws, Scheme, aggregate, bootstrap_draws, improvement_of_pair, observed
from beatpath.inference.runs.run_board import has_target, run_notes
from beatpath.inference.runs.runs import Runs, runs_of

# aggregates, in the order of the table
SHOWN = ("iqm", "mean_score", "median", "optimality_gap", "probability_of_improvement")
MOST_PAIRED = 30  # most agents for which every pair is compared


@dataclass(frozen=True, slots=True)
class Improvement(Record):
    """The probability that a run of the first agent is above one of the second on the same task, ties half.

    Attributes
    ----------
    first, second : str
        The two agents.
    probability : float
        On the same task, ties half.
    low, high : float
        Its confidence interval on these tasks, over other runs.
    like_low, like_high : float
        Its confidence interval on tasks like these.
    """

    first: str
    second: str
    probability: float
    low: float
    high: float
    like_low: float
    like_high: float


class RunScore(TypedDict):
    """An aggregate of the runs of an agent.

    Attributes
    ----------
    agent, measure : str
        The agent, and the aggregate.
    score : float
        Its value.
    low, high : float
        Its confidence interval on these tasks, over other runs.
    like_low, like_high : float
        Its confidence interval on tasks like these.
    """

    agent: str
    measure: str
    score: float
    low: float
    high: float
    like_low: float
    like_high: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RunScores(TableResult):
    """Aggregates of the runs of agents, each with two confidence intervals.

    Attributes
    ----------
    agents, measures : tuple of str
        Names of agents and aggregates.
    score : (measures, n) float
        Lower is better for an optimality gap, higher for everything else.
    low, high : (measures, n) float
        Interval on these tasks, over other runs; NaN where some agent has one run on some task.
    like_low, like_high : (measures, n) float
        Interval on tasks like these, resampling tasks and then runs within them; NaN with one task.
    improvements : tuple of Improvement
        Every pair, where agents are few enough.
    runs : (n, tasks) int
        Number of runs of every agent on every task.
    unit : str
        What a task is called.
    level : float
        Confidence level of each interval.
    settings : mapping
        All settings.
    conventions : tuple of Convention
        How scores were read.
    notes : tuple of str
        Caveats.
    """

    hidden: ClassVar = ("agents", "measures", "score", "low", "high", "like_low", "like_high", "runs", "unit")
    derived: ClassVar = ("scores=rows", "tasks")

    agents: tuple[str, ...]
    measures: tuple[str, ...]
    score: Floats
    low: Floats
    high: Floats
    like_low: Floats
    like_high: Floats
    improvements: tuple[Improvement, ...]
    runs: Ints
    unit: str
    level: float
    settings: Mapping[str, Any]
    conventions: tuple[Convention, ...] = ()
    notes: tuple[str, ...] = ()

    def improvement(self, first: str, second: str) -> Improvement:
        """Return the probability that a run of the first agent is above one of the second."""
        require_agents((first, second), self.agents)
        for one in self.improvements:
            if (one.first, one.second) == (first, second):
                return one
            if (one.first, one.second) == (second, first):
                turned = (1 - x for x in (one.probability, one.high, one.low, one.like_high, one.like_low))
                return Improvement(first, second, *turned)
        raise UsageError(f"pairs must be two agents, of {MOST_PAIRED} at most; choose agents with `--only`.")

    @property
    def sentences(self) -> tuple[str, ...]:
        """Who leads by each aggregate, and what each interval is about."""
        T, R = self.runs.shape[1], self.runs
        runs = f"{int(R.min()):,}" if R.min() == R.max() else f"{int(R.min()):,} to {int(R.max()):,}"
        sentences = [
            *self._leaders_sentences(),
            f"{counted(len(self.agents), 'agent')} with {runs} run{'s' * (runs != '1')} each on {counted(T, self.unit)}.",
            *self._interval_sentences(),
            "These intervals do not show which agent is certainly above another: `resolve` with the measure as estimand does.",
        ]
        return (*sentences, *self.notes)

    def _leaders_sentences(self) -> Iterator[str]:
        """Yield who leads, with every measure by which it does."""
        led: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
        for measure, score in zip(self.measures, self.score, strict=True):
            best = score.min() if measure == "optimality_gap" else score.max()
            who = tuple(sorted(name for name, x in zip(self.agents, score, strict=True) if abs(x - best) <= 1e-12))
            shown = f"{best:,.0f}" if abs(best) >= 1000 else f"{best:.4g}"
            led.setdefault(who, []).append((f"{_words(measure)} ({shown})",))
        for who, by in led.items():
            verb = "leads by" if len(who) == 1 else "lead by"
            verb = verb if len(self.agents) > 1 else "is the only agent:"
            yield f"{plain_text(named(who))} {verb} {''.join(together(by, len(by)))}."

    def _interval_sentences(self) -> list[str]:
        level, unit = confidence(self.level), self.unit
        these = f"`low` and `high` ({level}): for other runs on these {unit}s."
        like = f"`like_low` and `like_high` ({level}): for {unit}s like these; {unit}s are resampled, then runs within them."
        one = f"There is no interval for other runs on these {unit}s, which takes two runs of every agent on every {unit}."
        alone = f"There is no interval for {unit}s like this one: there is one."
        return [one if np.isnan(self.low).all() else these, alone if np.isnan(self.like_low).all() else like]

    @property
    def tasks(self) -> int:
        """Number of tasks with all agents."""
        return self.runs.shape[1]

    def rows(self) -> list[RunScore]:
        """Return one row per agent and measure."""
        columns = {name: plain(getattr(self, name)) for name in ("score", "low", "high", "like_low", "like_high")}
        return [
            {"agent": name, "measure": measure, **{c: values[m][a] for c, values in columns.items()}}  # type: ignore[typeddict-item]
            for m, measure in enumerate(self.measures)
            for a, name in enumerate(self.agents)
        ]


def run_scores(
    evidence: EvidenceLike,
    *,
    level: float = 0.95,
    draws: int = 2000,
    seed: int = 0,
    **conventions: Unpack[ConventionOptions],
) -> RunScores:
    """Return interquartile means, means, medians, optimality gaps and probabilities of improvement, with intervals.

    Use it for tables with several seeds per task, as rliable does. `resolve` with ``estimand="iqm"`` gives rank sets.

    Parameters
    ----------
    evidence : Scores, or what `read` takes
        With several runs per agent and task, labeled by a column of replicates (seed, epoch, run) or not at all;
        `normalized` rescales them by two references. Without a target of 1, the optimality gap is left out.
    level : float, default 0.95
        Confidence level of each interval.
    draws, seed : int
        Number and seed of the bootstrap.
    **conventions
        As for `resolve`: missing, per, weights.

    Returns
    -------
    RunScores

    See Also
    --------
    performance_profile : The share of runs above every value.
    resolve : Rank sets by the same aggregates.

    Examples
    --------
    >>> from beatpath import Factor, Scores
    >>> value = [0.9, 0.8, 0.4, 0.5, 0.6, 0.7, 0.2, 0.1]
    >>> scores = Scores(("ada", "bob"), [0] * 4 + [1] * 4, value, {"task": Factor.of("xxyyxxyy")})
    >>> result = run_scores(scores)
    >>> result.score[0].round(3), result.improvement("ada", "bob").probability
    (array([0.65, 0.4 ]), 1.0)
    """
    require_share("level", level)
    require_whole("draws", draws)
    table = as_evidence(evidence)
    runs = runs_of(table, Conventions.of(**conventions))
    defined = {"optimality_gap": has_target(runs), "probability_of_improvement": len(runs.agents) > 1}
    measures = tuple(name for name in SHOWN if defined.get(name, True))
    pairs = _pairs(len(runs.agents))
    several, many = bool((runs.count > 1).all()), len(runs.tasks) > 1
    these = _intervals(measures, pairs, runs, bootstrap_draws(runs, "runs", draws, seed) if several else (), level)
    like = _intervals(measures, pairs, runs, bootstrap_draws(runs, "nested", draws, seed) if many else (), level)
    sign = np.array([[-1.0] if name == "optimality_gap" else [1.0] for name in measures])
    score = np.stack([aggregate(name, runs, observed(runs))[0] for name in measures])
    scheme: Scheme = "nested" if many else "runs"
    notes = [note for name in measures for note in run_notes(runs, name, scheme)]
    effects = run_effects(table, runs.unit) if isinstance(table, Scores) else None
    if effects is not None and effects.matter:
        notes.append(
            f"Some runs are better on all {runs.unit}s than others (p = {effects.p_value:.2g} if none are), but runs are resampled within each "
            f"{runs.unit}, as in rliable: intervals are too narrow. Those of `beatpath resolve --estimand iqm` allow for it."
        )
    unsaid = () if "optimality_gap" in measures else ("Scores are raw and have no target of 1: no optimality gap.",)
    return RunScores(
        runs.agents,
        measures,
        sign * score,
        *_turned(sign, *these[0]),
        *_turned(sign, *like[0]),
        tuple(
            Improvement(
                runs.agents[a],
                runs.agents[c],
                float(improvement_of_pair(runs, observed(runs), a, c)[0]),
                *these[1][:, p].tolist(),
                *like[1][:, p].tolist(),
            )
            for p, (a, c) in enumerate(pairs)
        ),
        runs.count,
        runs.unit,
        level,
        {"level": level, "draws": draws, "seed": seed},
        runs.conventions,
        (*runs.notes, *dict.fromkeys(notes), *unsaid),
    )


def _turned(sign: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Return the ends of intervals, with the sign of a gap reversed."""
    return np.minimum(sign * low, sign * high), np.maximum(sign * low, sign * high)


def _pairs(n: int) -> list[tuple[int, int]]:
    """Return every pair in the order of the agents; none for too many agents."""
    return [(a, c) for a in range(n) for c in range(a + 1, n)] if n <= MOST_PAIRED else []


def _intervals(
    measures: tuple[str, ...], pairs: list[tuple[int, int]], runs: Runs, draws: Iterable[Draws], level: float
) -> tuple[Floats, Floats]:
    """Return percentile intervals of aggregates, (2, measures, n), and of pairs, (2, pairs); NaN without draws."""
    scores, paired = [], []
    for some in draws:
        scores.append(np.stack([aggregate(name, runs, some) for name in measures], axis=1))
        differences = [improvement_of_pair(runs, some, a, c) for a, c in pairs]
        paired.append(np.array(differences).reshape(len(pairs), len(some.within)).T)
    if not scores:
        return np.full((2, len(measures), len(runs.agents)), np.nan), np.full((2, len(pairs)), np.nan)
    ends = [(1 - level) / 2, (1 + level) / 2]
    return np.quantile(np.concatenate(scores), ends, axis=0), np.quantile(np.concatenate(paired), ends, axis=0)


def _words(measure: str) -> str:
    names = {"iqm": "interquartile mean", "mean_score": "mean"}
    return names.get(measure, measure.replace("_", " "))
