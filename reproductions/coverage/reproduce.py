"""Measures: how often sets of ranks and intervals of scores contain the truth, in worlds whose truth is known.

Source     a promise of this package: 95 % means 95 %
Data       simulated, worlds.py
Expected   0.95; a cell agrees if its share lies above 0.95 less three standard errors of the simulation, and not below 0.93
Run        python reproductions/coverage/reproduce.py             (6 runs a cell)
           python reproductions/coverage/reproduce.py --full      (2,000 runs a cell; about 25 minutes on two cores)
           --runs N, --only WORD; exit 1 where something covers too little
"""

import sys
from pathlib import Path

import numpy as np

from beatpath.evidence import Pairs
from beatpath.inference.ranks.rank_sets import rank_sets
from beatpath.inference.scores.estimands import leaderboard
from beatpath.reports.terminal.reproduction import Line, show

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))
sys.path.insert(0, str(Path(__file__).parent))
from script import mapped, parser_of
from worlds import World, clustered, independent, table, true_ranks

LEVEL, LEAST = 0.95, 0.93
BLOCK = 20  # runs a job
WORLDS = (
    independent(5, 200, 1.0),
    independent(5, 200, 0.0),
    independent(20, 4_000, 1.5, tied=2),
    independent(50, 20_000, 1.5, tied=5),
    independent(100, 50_000, 1.5, tied=4),
    independent(20, 4_000, 1.5, tied=2, skew=3.0),
    independent(50, 20_000, 1.5, tied=5, skew=3.0),
    clustered(5, 60, 20, 2.0, 1.0),
    clustered(10, 200, 20, 2.0, 1.0, tied=2),
    clustered(10, 200, 20, 2.0, 0.0),
    clustered(30, 2_000, 10, 2.0, 1.5, tied=3),
    table(5, 30, 0.5),
    table(20, 60, 0.8, tied=2),
    table(20, 60, 0.0),
    table(100, 200, 1.0, tied=4),
    table(10, 40, 0.5, tied=2, runs=3),
    table(20, 60, 0.5, tied=2, estimand="mean_score"),
)
Found = tuple[float, float, float, float, float]


def run(world: World, seed: int) -> Found:
    """Draw once and see what holds.

    Are all true ranks in the simultaneous sets, what share of them in the marginal ones, what share of scores in their
    intervals, do naive sets hold all ranks, and how wide are ours on average?
    """
    evidence = world.draw(np.random.default_rng([seed, *world.name.encode()]))
    truth = world.truth(evidence)
    best, worst = true_ranks(truth)
    board = leaderboard(evidence, estimand=world.estimand)
    joint = rank_sets(board, level=LEVEL, draws=4_000)
    each = rank_sets(board, level=LEVEL, draws=4_000, simultaneous=False)
    naive = float("nan")
    if world.naive:
        rows = evidence.pairs().by()  # type: ignore[union-attr]
        plain = rank_sets(leaderboard(_unclustered(rows)), level=LEVEL, draws=4_000)
        naive = float(((plain.best <= best) & (plain.worst >= worst)).all())
    return (
        float(((joint.best <= best) & (joint.worst >= worst)).all()),
        float(((each.best <= best) & (each.worst >= worst)).mean()),
        float(((joint.low <= truth) & (truth <= joint.high)).mean()),
        naive,
        float((joint.worst - joint.best + 1).mean()),
    )


def _unclustered(pairs: Pairs) -> Pairs:
    """The same counts as if every comparison were a battle of its own."""
    return Pairs(pairs.agents, pairs.a, pairs.b, pairs.counts, battles=pairs.battles)


def block(world: World, first: int, n: int) -> list[Found]:
    """Several runs in one job."""
    return [run(world, seed) for seed in range(first, first + n)]


def covers(share: float, runs: int) -> bool:
    """Whether a share is 0.95 within three standard errors of so many runs, and with enough runs not below 0.93."""
    chance = 3 * np.sqrt(LEVEL * (1 - LEVEL) / runs)
    return share >= LEVEL - chance and (share >= LEAST or runs < 1_000)


def lines_of(world: World, found: list[Found]) -> list[Line]:
    """What one world says."""
    runs = len(found)
    joint, each, scores, naive, width = np.array(found).mean(axis=0)
    beside = f"ignoring dependence: {naive:.3f}" if world.naive and world.estimand == "uniform" else ""
    return [
        Line(f"{world.name}: all ranks at once", "0.95", f"{joint:.3f}", covers(joint, runs), beside),
        Line("  ranks one by one", "0.95", f"{each:.3f}", covers(each, runs), f"mean width of a set {width:.1f}"),
        Line("  intervals of scores", "0.95", f"{scores:.3f}", covers(scores, runs)),
    ]


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
