r"""Leaderboards of runs: interquartile mean, median, optimality gap or probability of improvement.

The covariance is that of bootstrap draws of the table (`resampling`), with one run or task fewer than there are, so
that it is not biased downward. An interval is the score plus and minus its standard error times Student's *t*. Degrees
of freedom are the number of tasks minus one where tasks are drawn, and otherwise, with :math:`v_t` the contribution of
the runs of a task to the variance,

.. math::  \nu = \frac{(\sum_t v_t)^2}{\sum_t v_t^2 / (R_t - 1)} .

:math:`v_t` uses runs as the aggregate sees them: clipped to the quartiles for an interquartile mean, to the target for
a gap. Medians on these tasks, for which resampling fails, have their own standard errors (`median_error`).
"""

from collections.abc import Sequence

import numpy as np

from beatpath._arrays import Floats
from beatpath._errors import DataError, UsageError
from beatpath._text import counted, listed, quoted
from beatpath.evidence import Evidence, Scores
from beatpath.evidence.conventions import DEFAULT, Conventions
from beatpath.evidence_design.run_effects import run_effects
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.matrix.cluster_sums import of_differences
from beatpath.inference.runs.aggregates import (
    TARGET,
    Scheme,
    aggregate,
    bootstrap_draws,
    median_errors,
    observed,
    task_means,
)
from beatpath.inference.runs.runs import REFERRED, Runs, runs_of

# What a score estimates, by key.
MEASURES = {
    "iqm": "interquartile mean, of all runs together",
    "median": "median score, over {unit}s of the mean of their runs",
    "optimality_gap": "negative optimality gap, minus how far runs fall short of 1",
    "probability_of_improvement": "probability of improvement, that a run beats one of another agent on the same {unit}",
    "mean_score": "mean score over {unit}s",
}
RUN_ESTIMANDS = tuple(name for name in MEASURES if name != "mean_score")  # estimands that need runs
# what grows by one if all scores do, so that effects of runs enter as in a mean
SHIFTED = ("iqm", "median", "mean_score")
# Columns that are random under each scheme.
COLUMNS: dict[Scheme, tuple[str, ...]] = {"runs": ("replicate",), "tasks": ("task",), "nested": ("task", "replicate")}
DRAWS = 4000  # bootstrap draws: a standard error accurate to about 1.1 %
FEW = 5  # tasks below which a note warns about intervals over tasks


def run_board(
    evidence: Evidence,
    measure: str = "iqm",
    chosen: Conventions = DEFAULT,
    cluster: str | Sequence[str] | None = "auto",
    *,
    draws: int = DRAWS,
    seed: int = 0,
) -> Leaderboard:
    """Return an aggregate of the runs of each agent, with its covariance.

    Parameters
    ----------
    evidence : Scores
        The data.
    measure : str, default "iqm"
        One of `MEASURES`.
    chosen : Conventions
        How scores are read.
    cluster : str, two of them, None or "auto"
        What is random: ``"task"`` for tasks like these, the default; ``"replicate"`` for other runs on these tasks;
        both for tasks and then runs within them.
    draws, seed : int
        Number and seed of the bootstrap.

    Returns
    -------
    Leaderboard

    Examples
    --------
    Of eight runs the two lowest and the two highest are trimmed.

    >>> from beatpath import Factor, Scores
    >>> task = Factor.of("xxxxyyyy" * 2)
    >>> scores = Scores(("ada", "bob"), [0] * 8 + [1] * 8, [*range(7), 999, *range(8)], {"task": task})
    >>> run_board(scores).score
    array([3.5, 3.5])
    """
    runs = runs_of(evidence, chosen)
    scheme = scheme_of(cluster, runs)
    if measure == "optimality_gap":
        require_target(runs)
    score = aggregate(measure, runs, observed(runs))[0]
    covariance, df = _errors(runs, measure, scheme, draws, seed)
    if measure in SHIFTED and isinstance(evidence, Scores) and (effects := run_effects(evidence, runs.unit)):
        df = effects.added.degrees_of_differences(of_differences(covariance), df)
        covariance = covariance + effects.added.covariance()
    return Leaderboard(
        runs.agents,
        score,
        covariance,
        df,
        f"{MEASURES[measure].format(unit=runs.unit)}, {_population(runs, scheme)}{_scale_text(runs, measure)}",
        {"estimand": measure, "cluster": random_columns(runs, scheme)},
        runs.conventions,
        (*runs.notes, *run_notes(runs, measure, scheme)),
        (0.0, 1.0) if measure == "probability_of_improvement" else (-np.inf, np.inf),
    )


def scheme_of(cluster: str | Sequence[str] | None, runs: Runs) -> Scheme:
    """Return whether runs, tasks or both are random.

    A table of one task allows inference on this task only.
    """
    names = {cluster} if isinstance(cluster, str) else set(cluster or ())
    if names == {"auto"} or not names:
        names = {"task"} if len(runs.tasks) > 1 else {"replicate"}
    if runs.unit == "item" and "item" in names:
        names = names - {"item"} | {"task"}
    for scheme, columns in COLUMNS.items():
        if names == set(columns):
            if scheme == "runs":
                runs.require_several()
            elif len(runs.tasks) < 2:
                raise DataError(
                    f"intervals for {runs.unit}s like these need two {runs.unit}s or more; there is one. For other runs on it use "
                    "`--cluster replicate`."
                )
            return scheme
    raise UsageError(
        f"of runs, `cluster` must be task (for {runs.unit}s like these), replicate (for other runs on these {runs.unit}s) or both; "
        f"got {listed(sorted(names))}."
    )


def random_columns(runs: Runs, scheme: Scheme) -> list[str]:
    """Return the columns that are random, by their names in the table."""
    return [runs.unit if name == "task" else "run" for name in COLUMNS[scheme]]


def _population(runs: Runs, scheme: Scheme) -> str:
    """State the population that an interval is about."""
    if scheme == "runs":
        return f"for other runs on these {runs.unit}s"
    return f"for {runs.unit}s like these" + (", runs resampled within each" if scheme == "nested" else "")


def _scale_text(runs: Runs, measure: str) -> str:
    """State the unit of scores, where it matters."""
    if measure == "probability_of_improvement":
        return ""
    referred = [one.meaning for one in runs.conventions if one.name == REFERRED]
    return f"; {referred[-1]}" if referred else "; scores are raw, as the table has them"


def has_target(runs: Runs) -> bool:
    """Return whether scores have a target of 1: normalized by references, or shares."""
    return runs.normalized or bool(((runs.value >= 0) & (runs.value <= TARGET)).all())


def require_target(runs: Runs) -> None:
    """Raise unless scores have a target: between 0 and 1, or normalized by references."""
    if not has_target(runs):
        row = int(np.argmax((runs.value < 0) | (runs.value > TARGET)))
        raise DataError(
            "an optimality gap needs scores whose target is 1: shares from 0 to 1, or scores rescaled by references; "
            f"{quoted(runs.agents[runs.agent[row]])} has {runs.value[row]:g} on {quoted(runs.tasks[runs.task[row]])}. Name what is 0 and "
            "what is 1, each an agent or a number: `--zero random --one human`, in Python by `bp.metrics.normalized`."
        )


def run_notes(runs: Runs, measure: str, scheme: Scheme) -> tuple[str, ...]:
    """Return caveats about an aggregate of runs."""
    notes, T = [], len(runs.tasks)
    if measure != "probability_of_improvement" and not runs.normalized and _of_many_sizes(runs):
        notes.append(
            "Scores are raw, and the tasks with the largest numbers dominate. Name references that are 0 and 1 "
            "(`--zero`, `--one`), or use probability_of_improvement, which needs no unit."
        )
    if measure in ("iqm", "median") and bool(np.isin(runs.value, (0.0, 1.0)).all()):
        notes.append(f"Every run is 0 or 1: {measure} says little here. mean_score is the share of 1.")
    if scheme != "runs" and T < FEW:
        notes.append(f"{counted(T, runs.unit)} say little about {runs.unit}s like these.")
    single = int((runs.count == 1).sum())
    if single:
        some = f"{single:,} of {counted(runs.count.size, 'cell')} hold one run"
        text = f"Every agent has one run on every {runs.unit}" if single == runs.count.size else some
        notes.append(f"{text}: how much runs vary cannot be separated from how much {runs.unit}s do.")
    return tuple(notes)


def _of_many_sizes(runs: Runs) -> bool:
    """Return whether half of the tasks have scores below a tenth of those of the largest."""
    size = np.zeros(len(runs.tasks))
    np.maximum.at(size, runs.task, np.abs(runs.value))
    return bool(np.median(size) < size.max() / 10)


def _errors(runs: Runs, measure: str, scheme: Scheme, draws: int, seed: int) -> tuple[Floats, Floats]:
    """Return the covariance of scores, (n, n), and degrees of freedom of differences, of scores on the diagonal."""
    if measure == "median" and scheme == "runs":
        variance, own = median_errors(runs, draws, seed)
        return np.diag(variance), _of_differences(variance, own)
    some = bootstrap_draws(runs, scheme, draws, seed, one_fewer=True)
    values = np.concatenate([aggregate(measure, runs, one) for one in some])
    return np.atleast_2d(np.cov(values, rowvar=False)), _degrees(runs, measure, scheme)


def _degrees(runs: Runs, measure: str, scheme: Scheme) -> Floats:
    """Return degrees of freedom of every difference, and of every score on the diagonal."""
    n = len(runs.agents)
    if scheme != "runs":
        return np.full((n, n), float(len(runs.tasks) - 1))
    variance, own = np.array([_welch(runs, a, measure) for a in range(n)]).T
    return _of_differences(variance, own)


def _of_differences(variance: Floats, own: Floats) -> Floats:
    """Return Welch's degrees of freedom of differences of independent scores, whose own are on the diagonal."""
    with np.errstate(invalid="ignore", divide="ignore"):
        df = np.add.outer(variance, variance) ** 2 / np.add.outer(variance**2 / own, variance**2 / own)
    np.fill_diagonal(df, own)
    return np.where(np.isfinite(df), df, 1.0)


def _welch(runs: Runs, a: int, measure: str) -> tuple[float, float]:
    """Return the variance of a mean over tasks of runs as an aggregate sees them, and its degrees of freedom."""
    value = runs.value[runs.of(a)]
    if measure == "iqm":
        value = np.clip(value, *np.quantile(value, [0.25, 0.75]))
    elif measure == "optimality_gap":
        value = np.minimum(value, TARGET)
    v = runs.weight**2 * task_means(runs, a, value)[1]
    total = float(v.sum())
    return total, (total**2 / float((v**2 / (runs.count[a] - 1)).sum()) if total > 0 else 1.0)
