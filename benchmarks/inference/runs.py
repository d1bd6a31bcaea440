"""Interquartile means of runs with intervals, beside rliable.

Both draw runs within tasks and take percentiles; rliable is requested interquartile means alone, beatpath (`run_scores`) finds medians,
means, gaps and probabilities of improvement too, and all of it once more for tasks like these. Means must agree to 1e-9, ends
to 15 % of an interval, six standard errors of an end at 2,000 resamples.
"""

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
from cell import timed
from measure import Row, ask, row

AGENTS, TASKS, RUNS, DRAWS, QUICK = 6, 26, 10, 2_000, 200
Ends = Callable[[], list[list[float]]]


def table() -> np.ndarray:
    """Seeded scores by agent, run and task, skewed as those of games are."""
    return np.random.default_rng(0).lognormal(np.linspace(-1, 0, AGENTS)[:, None, None], 0.8, (AGENTS, RUNS, TASKS))


def beatpath(scores: np.ndarray, draws: int) -> Ends:
    import beatpath as bp

    agent, _, task = (part.ravel() for part in np.indices(scores.shape))
    factors = {"task": bp.Factor.of([f"{t:02d}" for t in task])}
    evidence = bp.Scores(tuple(f"{i}" for i in range(AGENTS)), agent, scores.ravel(), factors)

    def run() -> list[list[float]]:
        run_scores = bp.metrics.run_scores(evidence, draws=draws)
        k = run_scores.measures.index("iqm")
        return [run_scores.score[k].tolist(), run_scores.low[k].tolist(), run_scores.high[k].tolist()]

    return run


def rliable(scores: np.ndarray, draws: int) -> Ends:
    from rliable import library, metrics

    by_agent = {str(i): one for i, one in enumerate(scores)}

    def run() -> list[list[float]]:
        point, ends = library.get_interval_estimates(
            by_agent, lambda x: np.array([metrics.aggregate_iqm(x)]), reps=draws
        )
        return [
            [float(point[name][0]) for name in by_agent],
            *([float(ends[name][e, 0]) for name in by_agent] for e in (0, 1)),
        ]

    return run


def cell(name: str, draws: str, repeats: str) -> dict[str, Any]:
    """Time one library, and tell means and ends."""
    return timed({"beatpath": beatpath, "rliable": rliable}[name](table(), int(draws)), int(repeats))


def measured(given: argparse.Namespace) -> list[Row]:
    """Both libraries on the same runs."""
    draws = QUICK if given.quick else DRAWS
    case = f"interquartile means, {AGENTS} agents, {TASKS} tasks, {RUNS} runs, {draws:,} resamples"
    measurements = {
        name: ask(given, "inference.runs", name, draws, given.repeats, needs=name) for name in ("beatpath", "rliable")
    }
    ours, theirs = measurements["beatpath"], measurements["rliable"]
    rows = [row(case, "beatpath", ours)]
    if isinstance(ours, str) or isinstance(theirs, str):
        return [*rows, row(case, "rliable", theirs)]
    mine, other = np.array(ours["answer"]), np.array(theirs["answer"])
    far = float((np.abs(mine - other)[1:] / (mine[2] - mine[1])).max())
    same = bool(np.abs(mine[0] - other[0]).max() <= 1e-9) and far <= 0.15 * (DRAWS / draws) ** 0.5
    return [*rows, row(case, "rliable", theirs, answer=f"ends within {100 * far:.0f} % of an interval", agrees=same)]
