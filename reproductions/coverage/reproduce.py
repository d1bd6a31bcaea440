"""Measures: how often ranks, scores, differences, orders, pairs and cycles are what is reported for them, in known worlds.

Source     a promise of this package: 95 % means 95 %
Data       simulated, worlds.py; one world has the schedule of Chatbot Arena's counts, where they are there
Expected   0.95; a cell agrees if 0.95 leaves its share a chance of one in a thousand (binomial), and not below 0.93
Run        python reproductions/coverage/reproduce.py             (6 runs a world)
           python reproductions/coverage/reproduce.py --full      (2,000 runs where one takes under 50 ms, 400 elsewhere)
           --runs N, --only WORD, --into FILE, --format md; exit 1 where something covers too little

Finished blocks of runs are written to a file as they come (runs.jsonl beside this script with --full) and are not run again: a run
that was stopped goes on where it was. Every world gets 40 runs first, then 100, 200, 400 and what is still owing.
"""

import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from beatpath.evidence import Evidence, Pairs
from beatpath.fit.laplacian import centered_inverse, laplacian_matrix
from beatpath.fit.pairs import decided, fit_pairs
from beatpath.fit.ties import slopes
from beatpath.inference.bootstrap.workers import results
from beatpath.inference.cycles.cycles import cycles
from beatpath.inference.matrix.win_matrix import WinMatrix, matrix_of
from beatpath.inference.ranks.differences import t_critical
from beatpath.inference.ranks.rank_sets import rank_sets
from beatpath.inference.scores.estimands import leaderboard
from beatpath.inference.win_rates.estimate import WinRateEstimate
from beatpath.inference.win_rates.win_rates import win_rate_inference
from beatpath.reports.reproduction import Line, show

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))
sys.path.insert(0, str(Path(__file__).parent))
from script import DATA, parser_of
from worlds import (
    World,
    clustered,
    dropped,
    even,
    independent,
    low_rank,
    nested,
    position,
    real_schedule,
    schedule,
    sparse,
    steered,
    table,
    true_ranks,
    truth_of,
    two_ways,
)

LEVEL, LEAST = 0.95, 0.93
BLOCK, DRAWS = 20, 4_000  # runs a job, and draws behind every critical value
STEPS, CHEAP, MANY = (40, 100, 200, 400), 0.05, 2_000
KEPT = Path(__file__).with_name("runs.jsonl")
ARENA = DATA / "chatbot_arena_20240814_counts" / "pair_counts.csv"
WORLDS = (
    independent(5, 200, 1.0),
    independent(5, 200, 0.0),
    even(8, 15, 0.5),
    even(8, 15, 0.0),
    even(16, 50, 0.0),
    even(5, 50, 0.5, tau=0.1),
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
    *((real_schedule(ARENA, 0.01, 1.2), real_schedule(ARENA, 0.0, 0.0)) if ARENA.exists() else ()),
    schedule("star", 20, 100, 0.5, tau=0.05),
    schedule("ring", 20, 100, 0.5, tau=0.05),
    low_rank(24, 80, 0.3),
    low_rank(24, 80, 0.3, band=6),
    clustered(5, 60, 20, 2.0, 1.0),
    clustered(10, 25, 80, 2.0, 0.0),
    clustered(10, 200, 20, 2.0, 1.0, tied=2),
    clustered(10, 200, 20, 2.0, 0.0),
    clustered(30, 2_000, 10, 2.0, 1.5, tied=3),
    clustered(10, 200, 20, 2.0, 1.0, unequal=True),
    clustered(10, 200, 20, 2.0, 0.0, unequal=True),
    two_ways(6, 150, 60, 2_000, 1.0, 0.5),
    two_ways(6, 150, 60, 2_000, 1.0, 0.0),
    nested(6, 60, 8, 4, 1.0, 0.5),
    nested(6, 60, 8, 4, 1.0, 0.0),
    position(6, 2_000, 0.5, 0.5),
    position(6, 2_000, 0.5, 0.0),
    steered(8, 800),
    dropped(8, 10, 10),
    table(5, 30, 0.5),
    table(20, 60, 0.8, tied=2),
    table(20, 60, 0.0),
    table(100, 200, 1.0, tied=4),
    table(10, 40, 0.5, tied=2, runs=3),
    table(15, 40, 0.0, missing=0.3),
    table(20, 60, 0.5, tied=2, estimand="mean_score"),
    table(8, 20, 0.0, estimand="mean_score", missing=0.3),
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
    false_claims: float
    naive_ranks: float
    overlap_ranks: float
    width: float


def run(world: World, seed: int) -> Found:
    """Draw once and see what holds."""
    evidence, values = world.draw(np.random.default_rng([seed, *world.name.encode()]))
    truth = truth_of(values)
    best, worst = true_ranks(truth)
    pairwise = win_rate_inference(evidence)
    mean = world.estimand == "mean_score"
    matrix = matrix_of(pairwise)
    board = leaderboard(evidence, estimand=world.estimand) if mean else matrix.leaderboard()
    joint = rank_sets(board, level=LEVEL, draws=DRAWS)
    each = rank_sets(board, level=LEVEL, draws=DRAWS // 4, simultaneous=False)
    apart = truth[:, None] - truth[None, :]
    reach = t_critical(joint.interval_critical.value, board.df) * np.sqrt(board.variance_of_differences)
    within = (np.abs(board.differences - apart) <= reach) | np.eye(len(truth), dtype=bool)
    wrong = int((joint.above & (apart <= 1e-12)).sum())
    return Found(
        float(((joint.best <= best) & (joint.worst >= worst)).all()),
        float(((each.best <= best) & (each.worst >= worst)).mean()),
        float(((joint.low <= truth) & (truth <= joint.high)).mean()),
        float(within.all()),
        float(wrong == 0),
        np.nan if mean else _pairs_held(matrix, values),
        np.nan if mean else _no_false_cycle(pairwise, values),
        float(wrong),
        _ignoring_dependence(evidence, best, worst) if world.naive and not mean else np.nan,
        np.nan if mean else _overlap(pairwise, best, worst),
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


def _ignoring_dependence(evidence: Evidence, best: NDArray[np.int64], worst: NDArray[np.int64]) -> float:
    """Whether sets of ranks hold that take every comparison for a battle of its own."""
    pairs = evidence.pairs().by()  # type: ignore[union-attr]
    plain = Pairs(pairs.agents, pairs.a, pairs.b, pairs.counts, battles=pairs.battles)
    sets = rank_sets(leaderboard(plain), level=LEVEL, draws=DRAWS // 4)
    return float(((sets.best <= best) & (sets.worst >= worst)).all())


def _overlap(told: WinRateEstimate, best: NDArray[np.int64], worst: NDArray[np.int64]) -> float:
    """Whether ranks hold as arenas print them: Bradley-Terry, Wald's intervals of 95 % each, ranks by which do not overlap."""
    n, N = len(told.agents), told.battles.astype(np.float64)
    part = np.zeros(n, dtype=np.int64)
    rows = decided(n, told.a, told.b, N * told.rate + 5e-4, N + 1e-3, part=part)
    theta = fit_pairs(rows).strength
    C = centered_inverse(laplacian_matrix(n, told.a, told.b, N * slopes(theta, told.a, told.b)[1]), part)
    reach = 1.959964 * np.sqrt(np.diag(C))
    above = (theta - reach)[:, None] > (theta + reach)[None, :]
    return float(((1 + above.sum(axis=0) <= best) & (n - above.sum(axis=1) >= worst)).all())


@dataclass
class Total:
    """Sums over the runs of one world, and which seeds they had."""

    sums: NDArray[np.float64] = field(default_factory=lambda: np.zeros(len(Found._fields)))
    seeds: set[int] = field(default_factory=set)
    seconds: float = 0.0

    @property
    def runs(self) -> int:
        """How many there were."""
        return len(self.seeds)

    @property
    def mean(self) -> Found:
        """What held, on average."""
        return Found(*(self.sums / max(self.runs, 1)))

    def add(self, block: "Block") -> None:
        """Take in a finished block."""
        self.sums = self.sums + [np.nan if x is None else x for x in block.sums]
        self.seeds |= set(range(block.first, block.first + block.runs))
        self.seconds += block.seconds

    def owing(self, runs: int) -> list[int]:
        """The first seeds of blocks that are still to be run."""
        return [first for first in range(0, runs, BLOCK) if first not in self.seeds]


class Block(NamedTuple):
    """Some runs of one world, as a line of the file."""

    world: str
    first: int
    runs: int
    seconds: float
    sums: list[float | None]


def block(world: int, first: int, runs: int) -> Block:
    """Several runs of the world with this number; worlds hold functions, which do not travel between processes."""
    start = time.process_time()
    found = np.array([run(WORLDS[world], seed) for seed in range(first, first + runs)]).sum(axis=0)
    sums = [None if np.isnan(x) else round(float(x), 6) for x in found]
    return Block(WORLDS[world].name, first, runs, round(time.process_time() - start, 3), sums)


def kept(path: Path | None) -> dict[str, Total]:
    """What was run before, by the name of the world; a last line that was cut off counts for nothing."""
    totals = {world.name: Total() for world in WORLDS}
    for line in path.read_text(encoding="utf-8").splitlines() if path is not None and path.exists() else ():
        try:
            found = Block(**json.loads(line))
        except json.JSONDecodeError:
            continue
        if found.world in totals:
            totals[found.world].add(found)
    return totals


def jobs_of(totals: dict[str, Total], worlds: Sequence[World], runs: int) -> list[tuple[int, int, int]]:
    """The blocks that every world still owes, the first of all worlds first."""
    owed = [(first, WORLDS.index(world)) for world in worlds for first in totals[world.name].owing(runs)]
    return [(world, first, min(BLOCK, runs - first)) for first, world in sorted(owed)]


def finished(jobs: Sequence[tuple[int, int, int]], path: Path | None, processes: int) -> Iterator[Block]:
    """Run blocks and write each as it comes."""
    for done, one in enumerate(results(lambda job: block(*job), jobs, min(processes, max(len(jobs), 1))), start=1):
        if path is not None:
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(one._asdict()) + "\n")
        print(f"{done} of {len(jobs)} blocks: {one.world}", file=sys.stderr, flush=True)
        yield one


def covers(share: float, runs: int) -> bool:
    """Whether 0.95 leaves so small a share of so many runs a chance of one in a thousand; with enough runs not below 0.93."""
    chance = binom.cdf(np.ceil(share * runs - 1e-9), runs, LEVEL)
    return bool(chance >= 1e-3 and (share >= LEAST or runs < 1_000))


def lines_of(world: World, total: Total) -> list[Line]:
    """What one world says: whether each share covers; where it does not and nothing is promised, why."""
    mean = total.mean
    beside = {
        "ranks_at_once": "" if np.isnan(mean.naive_ranks) else f"ignoring dependence: {mean.naive_ranks:.3f}",
        "ranks_one_by_one": f"mean width of a set {mean.width:.1f}",
        "single_scores": world.promised,
        "no_false_order": f"{mean.false_claims:.2f} false claims a board" if mean.false_claims else "",
    }
    lines = []
    for name in Found._fields[:7]:
        share = getattr(mean, name)
        if np.isnan(share):
            continue
        label = f"{world.name}: {name.replace('_', ' ')}" if not lines else f"  {name.replace('_', ' ')}"
        right = covers(share, total.runs) or (None if world.promised else False)
        lines.append(Line(label, "0.95", f"{share:.3f}", right, beside.get(name, "")))
    return lines


COLUMNS = {
    "ranks_at_once": "ranks at once",
    "ranks_one_by_one": "ranks one by one",
    "single_scores": "single scores",
    "all_differences": "all differences",
    "single_pairs": "pairs",
    "no_false_order": "no false order",
    "no_false_cycle": "no false cycle",
}


def markdown(worlds: Sequence[World], totals: dict[str, Total]) -> str:
    """The table of the documentation; shares below 0.93 stand out."""
    after = ("false claims a board", "width", "ignoring dependence", "overlapping intervals")
    head = ["world", "runs", *COLUMNS.values(), *after]
    rows = [head, ["---"] + ["---:"] * (len(head) - 1)]
    for world in worlds:
        mean, runs = totals[world.name].mean, totals[world.name].runs
        shares = [getattr(mean, name) for name in COLUMNS]
        told = ["" if np.isnan(x) else f"**{x:.3f}**" if x < LEAST else f"{x:.3f}" for x in shares]
        more = [mean.false_claims, mean.width, mean.naive_ranks, mean.overlap_ranks]
        said = [
            "" if np.isnan(x) else form.format(x)
            for x, form in zip(more, ("{:.2f}", "{:.1f}", "{:.2f}", "{:.2f}"), strict=True)
        ]
        rows.append([world.name + (" (not promised)" if world.promised else ""), f"{runs:,}", *told, *said])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def main() -> int:
    """Run every world and print what is covered."""
    parser = parser_of(__doc__)
    parser.add_argument("--runs", type=int, default=6)
    parser.add_argument("--full", action="store_true", help="2,000 runs where one takes under 50 ms, 400 elsewhere")
    parser.add_argument("--only", default="", help="worlds whose name holds this word")
    parser.add_argument("--into", type=Path, help="file of finished blocks, to go on from [with --full runs.jsonl]")
    told = parser.parse_args()
    path = told.into or (KEPT if told.full else None)
    worlds, totals = [world for world in WORLDS if told.only in world.name], kept(path)
    for runs in (*STEPS, MANY) if told.full else (told.runs,):
        some = [w for w in worlds if runs != MANY or totals[w.name].seconds < CHEAP * totals[w.name].runs]
        for one in finished(jobs_of(totals, some, runs), path, told.processes):
            totals[one.world].add(one)
    if told.format == "md":
        print(markdown(worlds, totals))
        return 0
    lines = [line for world in worlds for line in lines_of(world, totals[world.name])]
    runs = sorted({totals[world.name].runs for world in worlds})
    return show(
        f"Coverage at {LEVEL:.0%} over {' to '.join(f'{n:,}' for n in {runs[0], runs[-1]})} runs a world",
        lines,
        told.format,
    )


if __name__ == "__main__":
    sys.exit(main())
