"""Analysis of repeated runs: measures side by side, performance profiles, and mean ranks with critical differences."""

from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from beatpath._errors import DataError
from beatpath._result import TableResult
from beatpath.evidence import Evidence, Scores
from beatpath.evidence.conventions import Conventions

if TYPE_CHECKING:
    from beatpath.inference.runs.critical_differences import CriticalDifferences
    from beatpath.inference.runs.performance_profile import PerformanceProfile
    from beatpath.inference.runs.run_scores import RunScores

MOST = 100  # most agents whose runs a page shows
# Headings of the measures.
NAMES = {
    "iqm": "interquartile mean",
    "mean_score": "mean",
    "median": "median",
    "optimality_gap": "optimality gap",
    "probability_of_improvement": "improvement",
}
# beginnings of sentences that refer to columns which this table does not have
COLUMNS = ("`low`", "`like_low`", "These intervals do not")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RunFindings(TableResult):
    """Three analyses of the runs of a score table.

    Attributes
    ----------
    scores : RunScores
        Every measure of every agent.
    profile : PerformanceProfile
        Share of runs above every value.
    differences : CriticalDifferences or None
        None if there is one task or one agent, or too many agents.
    """

    document_name: ClassVar[str] = "runs"

    scores: "RunScores"
    profile: "PerformanceProfile"
    differences: "CriticalDifferences | None"

    @property
    def sentences(self) -> tuple[str, ...]:
        """Who leads by each measure, whose profile is above all others, and whether mean ranks differ."""
        measured = [sentence for sentence in self.scores.sentences if not sentence.startswith(COLUMNS)]
        ranks = () if self.differences is None else self.differences.sentences
        return tuple(dict.fromkeys((*measured, self._interval_sentence, *self.profile.sentences, *ranks)))

    @property
    def _of_other_runs(self) -> bool:
        """Whether intervals refer to new runs on these tasks; otherwise to tasks like these."""
        return not bool(np.isnan(self.scores.low).all())

    @property
    def _interval_sentence(self) -> str:
        unit = self.scores.unit
        population = f"for other runs on these {unit}s" if self._of_other_runs else f"for {unit}s like these"
        return (
            f"Intervals in the table are {population}. They are bootstrap percentiles as in rliable, too narrow with few runs; those "
            "of `resolve --estimand iqm` are not."
        )

    def rows(self) -> list[dict[str, str]]:
        """Return one row per agent, best interquartile mean first: every measure with its interval."""
        scores = self.scores
        low, high = (scores.low, scores.high) if self._of_other_runs else (scores.like_low, scores.like_high)
        order = sorted(range(len(scores.agents)), key=lambda a: (-float(scores.score[0, a]), scores.agents[a]))
        return [
            {"agent": scores.agents[a]}
            | {
                NAMES[measure]: _with_interval(float(scores.score[m, a]), float(low[m, a]), float(high[m, a]))
                for m, measure in enumerate(scores.measures)
            }
            | ({} if self.differences is None else {"mean rank": f"{self.differences.mean_rank[a]:.2f}"})
            for a in order
        ]


def run_findings(evidence: Evidence, level: float, seed: int, chosen: Conventions) -> RunFindings | None:
    """Return the analysis of runs, if some agent has several on a task and there are not too many agents."""
    if not isinstance(evidence, Scores) or not 1 < len(evidence.agents) <= MOST or not _has_several(evidence, chosen):
        return None
    return summed_up(evidence, level, seed, chosen)


def summed_up(evidence: Evidence, level: float, seed: int, chosen: Conventions) -> RunFindings:
    """Return the analysis of runs, also with a single run per agent and task.

    Raises
    ------
    DataError
        If the evidence is not a score table, or no task has a run of every agent.
    """
    if not isinstance(evidence, Scores):
        raise DataError(f"`runs` needs a table of scores; these are {evidence.kind}. Use `resolve`.")
    from beatpath.inference.runs.critical_differences import critical_differences
    from beatpath.inference.runs.performance_profile import performance_profile
    from beatpath.inference.runs.run_scores import run_scores

    conventions = chosen.options()
    scores = run_scores(evidence, level=level, seed=seed, **conventions)
    profile = performance_profile(evidence, level=level, seed=seed, **conventions)
    n, tasks = scores.runs.shape
    differences = critical_differences(evidence, level=level, **conventions) if tasks > 1 and 1 < n <= MOST else None
    return RunFindings(scores, profile, differences)


def _has_several(scores: Scores, chosen: Conventions) -> bool:
    """Whether some agent has more than one run on a task that all agents ran."""
    from beatpath.inference.runs.runs import runs_of

    try:
        return bool((runs_of(scores, chosen).count > 1).any())
    except DataError:  # no task that every agent ran
        return False


def _with_interval(value: float, low: float, high: float) -> str:
    """A number and the ends of its interval, if there is one.

    >>> _with_interval(0.6214, 0.6, 0.64), _with_interval(2.0, float("nan"), float("nan"))
    ('0.621 (0.600 to 0.640)', '2.00')
    """
    return _figure(value) if isnan(low) or isnan(high) else f"{_figure(value)} ({_figure(low)} to {_figure(high)})"


def _figure(value: float) -> str:
    """A number with three digits, or with all before the decimal point.

    >>> _figure(0.62149), _figure(10767.3)
    ('0.621', '10,767')
    """
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:#.3g}".removesuffix(".")
