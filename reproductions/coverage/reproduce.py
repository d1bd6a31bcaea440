"""Measures: how often ranks, scores, differences, orders, pairs and cycles are what is said of them, in known worlds.

Source     a promise of this package: 95 % means 95 %
Data       simulated, worlds.py
Expected   0.95; a cell agrees if 0.95 leaves its share a chance of one in a thousand (binomial), and not below 0.93
Run        python reproductions/coverage/reproduce.py             (6 runs a cell)
           python reproductions/coverage/reproduce.py --full      (2,000 runs a cell; about two hours on two cores)
           --runs N, --only WORD; exit 1 where something covers too little
"""

import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from beatpath.evidence import Pairs
from beatpath.inference.cycles.cycles import cycles
from beatpath.inference.matrix.win_matrix import WinMatrix, matrix_of
from beatpath.inference.ranks.differences import t_critical
from beatpath.inference.ranks.rank_sets import rank_sets
from beatpath.inference.scores.estimands import leaderboard
from beatpath.inference.win_rates.estimate import WinRateEstimate
from beatpath.inference.win_rates.win_rates import win_rate_inference
from beatpath.reports.terminal.reproduction import Line, show

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))
sys.path.insert(0, str(Path(__file__).parent))
from script import mapped, parser_of
from worlds import World, clustered, independent, position, sparse, steered, table, true_ranks, two_ways

LEVEL, LEAST = 0.95, 0.93
BLOCK = 20  # runs a job
WORLDS = (
    independent(5, 200, 1.0),
    independent(5, 200, 0.0),
    independent(8, 420, 0.0),
    independent(16, 6_000, 1.0, tau=0.05),
    independent(16, 12_000, 1.0, tau=0.1),
    independent(20, 4_000, 1.5, tied=2),
    independent(50, 20_000, 1.5, tied=5),
    independent(100, 50_000, 1.5, tied=4),
    independent(20, 4_000, 1.5, tied=2, skew=3.0),
    independent(20, 4_000, 0.0, skew=3.0),
    independent(50, 20_000, 1.5, tied=5, skew=3.0),
    sparse(20, 0.2, 20.0, 1.0),
    sparse(30, 0.3, 40.0, 1.0, tau=0.05),
    sparse(30, 0.3, 40.0, 0.0),
    sparse(129, 0.42, 60.0, 1.2, tau=0.01),
    clustered(5, 60, 20, 2.0, 1.0),
    clustered(10, 200, 20, 2.0, 1.0, tied=2),
    clustered(10, 200, 20, 2.0, 0.0),
    clustered(30, 2_000, 10, 2.0, 1.5, tied=3),
    clustered(10, 200, 20, 2.0, 1.0, unequal=True),
    clustered(10, 200, 20, 2.0, 0.0, unequal=True),
    two_ways(6, 150, 60, 2_000, 1.0, 0.5),
    two_ways(6, 150, 60, 2_000, 1.0, 0.0),
    position(6, 2_000, 0.5, 0.5),
    position(6, 2_000, 0.5, 0.0),
    steered(8, 800),
    table(5, 30, 0.5),
    table(20, 60, 0.8, tied=2),
    table(20, 60, 0.0),
    table(100, 200, 1.0, tied=4),
    table(10, 40, 0.5, tied=2, runs=3),
    table(20, 60, 0.5, tied=2, estimand="mean_score"),
    table(15, 40, 0.5, estimand="mean_score", missing=0.3),
    table(15, 40, 0.0, estimand="mean_score", missing=0.3),
)


class Found(NamedTuple):
    """What held in one run: shares of whatever there are several of; NaN where there is none."""

    ranks_at_once: float
    ranks_one_by_one: float
    single_scores: float
    all_differences: float
    no_false_order: float
    single_pairs: float
    no_false_cycle: float
    naive_ranks: float
    width: float


def run(world: World, seed: int) -> Found:
    """Draw once and see what holds."""
    evidence = world.draw(np.random.default_rng([seed, *world.name.encode()]))
    truth = world.truth()
    best, worst = true_ranks(truth)
    pairwise = win_rate_inference(evidence)
    mean = world.estimand == "mean_score"
    matrix = matrix_of(pairwise)
    board = leaderboard(evidence, estimand=world.estimand) if mean else matrix.leaderboard()
    joint = rank_sets(board, level=LEVEL, draws=4_000)
    each = rank_sets(board, level=LEVEL, draws=4_000, simultaneous=False)
    apart = truth[:, None] - truth[None, :]
    reach = t_critical(joint.interval_critical.value, board.df) * np.sqrt(board.variance_of_differences)
    within = (np.abs(board.differences - apart) <= reach) | np.eye(len(truth), dtype=bool)
    naive = np.nan
    if world.naive and not mean:
        plain = rank_sets(leaderboard(_unclustered(evidence.pairs().by())), level=LEVEL, draws=4_000)  # type: ignore[union-attr]
        naive = float(((plain.best <= best) & (plain.worst >= worst)).all())
    return Found(
        float(((joint.best <= best) & (joint.worst >= worst)).all()),
        float(((each.best <= best) & (each.worst >= worst)).mean()),
        float(((joint.low <= truth) & (truth <= joint.high)).mean()),
        float(within.all()),
        float(not (joint.above & (apart <= 1e-12)).any()),
        np.nan if mean else _pairs_held(matrix, world.values),
        np.nan if mean else _no_false_cycle(pairwise, world.values),
        naive,
        float((joint.worst - joint.best + 1).mean()),
    )


def _pairs_held(matrix: WinMatrix, rates: NDArray[np.float64]) -> float:
    """The share of pairs, met or not, whose true win rate lies in its interval."""
    low, high = matrix.interval(LEVEL)
    off = np.triu_indices(len(rates), 1)
    return float(((low <= rates) & (rates <= high))[off].mean())


def _no_false_cycle(pairwise: WinRateEstimate, rates: NDArray[np.float64]) -> float:
    """Whether no cycle stands that has an edge which is none."""
    place = {name: i for i, name in enumerate(pairwise.agents)}
    stand = cycles(pairwise, level=LEVEL).surviving
    edges = [(place[edge.winner], place[edge.loser]) for one in stand for edge in one.edges]
    return float(all(rates[i, j] > 0.5 for i, j in edges))


def _unclustered(pairs: Pairs) -> Pairs:
    """The same counts as if every comparison were a battle of its own."""
    return Pairs(pairs.agents, pairs.a, pairs.b, pairs.counts, battles=pairs.battles)


def block(world: World, first: int, n: int) -> list[Found]:
    """Several runs in one job."""
    return [run(world, seed) for seed in range(first, first + n)]


def covers(share: float, runs: int) -> bool:
    """Whether 0.95 leaves so small a share of so many runs a chance of one in a thousand; with enough runs not below 0.93."""
    chance = binom.cdf(np.ceil(share * runs - 1e-9), runs, LEVEL)
    return bool(chance >= 1e-3 and (share >= LEAST or runs < 1_000))


def lines_of(world: World, found: list[Found]) -> list[Line]:
    """What one world says: whether each share covers; where it does not and nothing is promised, why."""
    runs, mean = len(found), Found(*np.array(found).mean(axis=0))
    beside = {
        "ranks_at_once": "" if np.isnan(mean.naive_ranks) else f"ignoring dependence: {mean.naive_ranks:.3f}",
        "ranks_one_by_one": f"mean width of a set {mean.width:.1f}",
        "single_scores": world.promised,
    }
    lines = []
    for name in Found._fields[:7]:
        share = getattr(mean, name)
        if np.isnan(share):
            continue
        label = f"{world.name}: {name.replace('_', ' ')}" if not lines else f"  {name.replace('_', ' ')}"
        right = covers(share, runs) or (None if world.promised else False)
        lines.append(Line(label, "0.95", f"{share:.3f}", right, beside.get(name, "")))
    return lines


def main() -> int:
    """Run every world and print what is covered."""
    parser = parser_of(__doc__)
    parser.add_argument("--runs", type=int, default=6)
    parser.add_argument("--full", action="store_true", help="2,000 runs a cell")
    parser.add_argument("--only", default="", help="worlds whose name holds this word")
    told = parser.parse_args()
    runs = 2_000 if told.full else told.runs
    worlds = [world for world in WORLDS if told.only in world.name]
    size = min(BLOCK, runs)
    jobs = [(WORLDS.index(world), first, min(size, runs - first)) for world in worlds for first in range(0, runs, size)]
    results = iter(mapped(numbered, jobs, "blocks of runs", told.processes))
    lines = []
    for world in worlds:
        found = [one for _ in range(0, runs, size) for one in next(results)]
        lines += lines_of(world, found)
    return show(f"Coverage at {LEVEL:.0%} over {runs:,} runs a world", lines, told.format)


def numbered(world: int, first: int, n: int) -> list[Found]:
    """A block of the world with this number; worlds hold functions, which do not travel between processes."""
    return block(WORLDS[world], first, n)


if __name__ == "__main__":
    sys.exit(main())
