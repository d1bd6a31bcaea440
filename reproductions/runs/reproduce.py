"""Measures: how often intervals of scores of runs hold the truth, and how wide they are, in known worlds.

Source     a promise of this package: intervals hold with 95 % confidence; percentile intervals of runs are those of rliable
Data       simulated: three agents, score = agent + task + agent on task + run; few tasks, few runs, heavy tails. Four worlds were
           added when every interval was settled: groups of tasks, an even spread, shares of tries, skewed runs
Expected   0.95 of Student's intervals, over tasks sampled anew for every 20 tables; a cell agrees if 0.93 leaves its share a chance
           of one in a thousand (binomial). What differs from 0.95 otherwise is reported and not judged: percentile intervals
Run        python reproductions/runs/reproduce.py             (6 tables a world)
           python reproductions/runs/reproduce.py --full      (400 tables a world)
           --runs N, --only WORD; exit 1 where the truth is missed too often
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom, trim_mean

from beatpath.evidence import Factor, Scores
from beatpath.inference.ranks.rank_sets import rank_sets
from beatpath.inference.runs.aggregates import aggregate, bootstrap_draws
from beatpath.inference.runs.run_board import run_board
from beatpath.inference.runs.runs import normalized, runs_of
from beatpath.reports.reproduction import Line, show

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))
from script import mapped, parser_of

Array = NDArray[np.float64]
DRAWS, MANY = 500, 400_000
BLOCK = 20  # tables a job
NEAR = 0.02  # truths that were simulated and lie so near are equal
MEASURES = ("iqm", "mean_score", "median", "optimality_gap", "probability_of_improvement")
GROUPS, EVEN, SHARES, SKEWED = "tasks in three groups", "tasks spread evenly", "shares of 10 tries", "runs skewed"
KINDS = ("Student, these", "percentile, these", "Student, like these", "percentile, nested")


@dataclass(frozen=True)
class World:
    """Tasks, runs of every agent on each, the tails of tasks and of runs (Student's degrees of freedom), or another kind of table."""

    tasks: int
    runs: int
    task_tail: float = np.inf
    run_tail: float = np.inf
    gap: float = 0.2
    kind: str = ""

    @property
    def name(self) -> str:
        """The world in words."""
        tails = {
            (False, False): "Gaussian",
            (True, False): "tasks of heavy tails",
            (False, True): "runs of heavy tails",
            (True, True): "heavy tails",
        }
        kind = self.kind or tails[np.isfinite(self.task_tail), np.isfinite(self.run_tail)]
        return f"{self.tasks} tasks of {self.runs} runs, {kind}{', all equal' * (self.gap == 0)}"

    def means(self, tasks: int, rng: np.random.Generator) -> Array:
        """True scores of three agents on some tasks."""
        own = self.gap * np.arange(3.0)[:, None] + 0.5 * noise((3, tasks), np.inf, rng)
        if self.kind == GROUPS:
            return own + 3.0 * rng.integers(-1, 2, (1, tasks))
        if self.kind == EVEN:
            return own + rng.uniform(-2, 2, (1, tasks))
        logits = own + noise((1, tasks), self.task_tail, rng)
        return 1 / (1 + np.exp(-logits)) if self.kind == SHARES else logits

    def table(self, means: Array, runs: int, rng: np.random.Generator) -> Array:
        """Scores of runs, (agents, tasks, runs)."""
        if self.kind == SHARES:
            return rng.binomial(10, means[..., None], (*means.shape, runs)) / 10
        if self.kind == SKEWED:
            return means[..., None] + 0.7 * (rng.lognormal(0.0, 1.0, (*means.shape, runs)) - np.exp(0.5))
        return means[..., None] + 0.7 * noise((*means.shape, runs), self.run_tail, rng)


WORLDS = (
    World(5, 3),
    World(10, 3),
    World(10, 10),
    World(26, 5),
    World(10, 5, run_tail=2.5),
    World(10, 5, task_tail=2.5),
    World(26, 3, task_tail=2.5, run_tail=2.5),
    World(10, 5, gap=0.0),
    World(26, 3, task_tail=2.5, run_tail=2.5, gap=0.0),
    World(8, 6, kind=GROUPS),
    World(40, 2, kind=EVEN),
    World(12, 4, kind=SHARES),
    World(20, 5, kind=SKEWED),
)


def noise(shape: tuple[int, ...], tail: float, rng: np.random.Generator) -> Array:
    """Noise of Student's distribution, or Gaussian."""
    return rng.standard_t(tail, shape) if np.isfinite(tail) else rng.standard_normal(shape)


def truth(world: World, means: Array, rng: np.random.Generator) -> dict[str, Array]:
    """What every measure would be with runs without end on these tasks."""
    n, T = means.shape
    x = world.table(means, MANY // T, rng)
    wins = [
        [(np.sign(x[a] - np.roll(x[c], 1, axis=-1)) / 2 + 0.5).mean() for c in range(n) if c != a] for a in range(n)
    ]
    return {
        "iqm": np.array([trim_mean(x[a].ravel(), 0.25) for a in range(n)]),
        "mean_score": means.mean(axis=1),
        "median": np.median(means, axis=1),
        "optimality_gap": np.minimum(x, 1.0).mean(axis=(1, 2)) - 1.0,
        "probability_of_improvement": np.mean(wins, axis=1),
    }


def fixed_part(world: World, first: int) -> tuple[Array, dict[str, Array], dict[str, Array]]:
    """The tasks that stay for some tables, and the truth on these and on tasks like these."""
    rng = np.random.default_rng([7, world.tasks, world.runs, first])
    means = world.means(world.tasks, rng)
    return means, truth(world, means, rng), truth(world, world.means(20_000, rng), rng)


def scores_of(x: Array) -> Scores:
    """A table of runs as evidence."""
    agent, task, _ = np.indices(x.shape).reshape(3, -1)
    tasks = Factor.coded(task, [f"t{t:03d}" for t in range(x.shape[1])])
    return normalized(Scores(("a", "b", "c"), agent, x.ravel(), {"task": tasks}), zero=0.0, one=1.0)


def one_table(world: World, seed: int, fixed: tuple[Array, dict[str, Array], dict[str, Array]]) -> Array:
    """Whether intervals hold the truth, their width, and whether an order is false: (measures, kinds, 3), means over agents."""
    means, these, like = fixed
    rng = np.random.default_rng([seed, world.tasks, world.runs, int(np.isfinite(world.task_tail))])
    same = scores_of(world.table(means, world.runs, rng))
    other = scores_of(world.table(world.means(world.tasks, rng), world.runs, rng))
    results = np.full((len(MEASURES), len(KINDS), 3), np.nan)
    for scores, true, column, scheme, at in ((same, these, "replicate", "runs", 0), (other, like, "task", "nested", 2)):
        runs = runs_of(scores)
        draws = list(bootstrap_draws(runs, scheme, DRAWS, seed))
        for m, measure in enumerate(MEASURES):
            board = rank_sets(run_board(scores, measure, cluster=column, draws=DRAWS, seed=seed), draws=2_000)
            apart = true[measure][:, None] - true[measure][None, :] > (NEAR if column == "task" else 0.0)
            ends = np.quantile(np.concatenate([aggregate(measure, runs, one) for one in draws]), [0.025, 0.975], axis=0)
            for k, (low, high) in enumerate(((board.low, board.high), ends)):
                held = (low <= true[measure]) & (true[measure] <= high)
                results[m, at + k, :2] = held.mean(), (high - low).mean()
            results[m, at, 2] = (board.above & ~apart).any()
    return results


def block(world: World, first: int, n: int) -> list[Array]:
    """Several tables of a world."""
    fixed = fixed_part(world, first)
    return [one_table(world, seed, fixed) for seed in range(first, first + n)]


def lines_of(world: World, results: Array) -> list[Line]:
    """What one world says: shares of intervals that hold the truth, and how wide they are."""
    lines, tables = [], len(results)
    for m, measure in enumerate(MEASURES):
        for k, kind in enumerate(KINDS):
            share, width = results[:, m, k, 0].mean(), results[:, m, k, 1].mean()
            student = kind.startswith("Student")
            right = bool(binom.cdf(round(share * tables), tables, 0.93) >= 1e-3) if student else None
            label = f"{world.name}: {measure}, {kind}" if not lines else f"  {measure}, {kind}"
            wrong = results[:, m, k, 2].mean()
            order = f"; false order in {wrong:.3f}" if np.isfinite(wrong) else ""
            lines.append(Line(label, "0.95", f"{share:.3f}", right, f"width {width:.2f}{order}"))
    return lines


def main() -> int:
    """Run every world and print how often intervals hold the truth."""
    parser = parser_of(__doc__)
    parser.add_argument("--runs", type=int, default=6)
    parser.add_argument("--full", action="store_true", help="400 tables a world")
    parser.add_argument("--only", default="", help="worlds whose name holds this word")
    options = parser.parse_args()
    tables = 400 if options.full else options.runs
    worlds = [world for world in WORLDS if options.only in world.name]
    size = min(BLOCK, tables)
    jobs = [(world, first, min(size, tables - first)) for world in worlds for first in range(0, tables, size)]
    results = iter(mapped(block, jobs, "blocks of tables", options.processes))
    lines = []
    for world in worlds:
        lines += lines_of(world, np.stack([one for _ in range(0, tables, size) for one in next(results)]))
    return show(f"Intervals that hold the truth, {tables:,} tables a world", lines, options.format)


if __name__ == "__main__":
    sys.exit(main())
