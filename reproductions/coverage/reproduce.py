"""Measures: how often what `resolve` reports by default is true, in worlds with a known truth.

Source     the package's own claim: 95 % means 95 %
Data       simulated, worlds.py; one world has the schedule of Chatbot Arena's counts, where they are there
Expected   0.95; a cell agrees if 0.95 leaves its share a chance of one in a thousand (binomial), and not below 0.93
Run        python reproductions/coverage/reproduce.py             (6 runs a world)
           python reproductions/coverage/reproduce.py --full      (2,000 runs where one takes under a second, 400 elsewhere)
           --runs N, --only WORD, --first SEED, --into FILE, --format md; exit 1 where something covers too little

Finished blocks of runs are written to a file as they come (runs.jsonl beside this script with --full) and are not run again: a run
that was stopped goes on where it was. Every world gets 20 runs first, then 40, 100, 200, 400, and then
the rest, cheap worlds first.
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

from beatpath import Pairs, resolve
from beatpath.evidence import Evidence
from beatpath.fit.laplacian import centered_inverse, laplacian_matrix
from beatpath.fit.pairs import decided, fit_pairs
from beatpath.fit.ties import slopes
from beatpath.inference.bootstrap.workers import results
from beatpath.inference.cycles.cycles import Cycles
from beatpath.inference.matrix.win_matrix import WinMatrix
from beatpath.inference.ranks.differences import t_critical
from beatpath.inference.ranks.rank_sets import rank_sets
from beatpath.inference.resolve.pairwise_resolution import PairwiseResolution
from beatpath.inference.scores.estimands import leaderboard
from beatpath.inference.win_rates.estimate import WinRateEstimate
from beatpath.reports.reproduction import Line, show

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))
sys.path.insert(0, str(Path(__file__).parent))
from script import DATA, parser_of
from worlds import (
    MEAN,
    World,
    blocks,
    clustered,
    cups,
    dropped,
    even,
    few_change,
    few_tasks,
    heavy_cluster,
    home_side,
    independent,
    items,
    latencies,
    low_rank,
    matchmaking,
    nearly_alike,
    nested,
    newcomers,
    panel,
    position,
    ranked_ballots,
    real_schedule,
    schedule,
    seeds,
    shaped_scores,
    skewed_scores,
    solved,
    sparse,
    steady_and_risky,
    table,
    true_ranks,
    truth_of,
    two_components,
    two_ways,
)

LEVEL, LEAST = 0.95, 0.93
BLOCK, DRAWS = 20, 4_000  # runs a job, and draws behind every critical value
STEPS, CHEAP, MANY = (20, 40, 100, 200, 400), 1.0, 2_000
FINISHED = Path(__file__).with_name("runs.jsonl")
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
    matchmaking(8, 800),
    dropped(8, 10, 10),
    table(5, 30, 0.5),
    table(20, 60, 0.8, tied=2),
    table(20, 60, 0.0),
    table(100, 200, 1.0, tied=4),
    table(10, 40, 0.5, tied=2, runs=3),
    table(15, 40, 0.0, missing=0.3),
    table(15, 40, 0.0, missing=0.5),
    table(8, 8, 0.0),
    table(20, 60, 0.5, tied=2, estimand=MEAN),
    table(8, 20, 0.0, estimand=MEAN, missing=0.3),
    table(15, 40, 0.5, estimand=MEAN, missing=0.3),
    table(15, 40, 0.0, estimand=MEAN, missing=0.3),
    panel(8, 12, 200, 0.7, 0.0),
    panel(8, 12, 200, 0.7, 1.0),
    panel(6, 5, 300, 0.7, 0.0),
    panel(6, 3, 400, 0.7, 0.0),
    few_tasks(8, 4, 500, 0.7, 0.0),
    few_tasks(8, 15, 150, 0.7, 0.5),
    newcomers(10, 3, 2_000, 1.0),
    newcomers(10, 3, 2_000, 0.0),
    home_side(20, 1, 0.4, 0.0),
    home_side(12, 0, 0.4, 0.0),
    home_side(20, 2, 0.4, 1.0),
    cups(135, 60, 0.0),
    cups(135, 60, 2.0),
    heavy_cluster(8, 200, 3_000, 0.7, 0.0),
    heavy_cluster(8, 200, 3_000, 0.7, 1.0),
    two_components(12, 30, 0.5),
    two_components(12, 30, 0.0),
    schedule("star", 30, 200, 1.0),
    schedule("star", 30, 200, 0.0),
    even(12, 40, 3.0),
    ranked_ballots(8, 60, 0.5),
    ranked_ballots(8, 60, 0.0),
    solved(20, 200, 1.0, 0.0),
    solved(20, 200, 0.0, 2.0),
    solved(12, 25, 0.0, -2.0),
    skewed_scores(8, 40, 0.2),
    skewed_scores(8, 40, 0.0),
    shaped_scores("normal", 8, 12),
    shaped_scores("uniform", 8, 12),
    shaped_scores("exponential", 8, 10),
    shaped_scores("exponential", 8, 25),
    shaped_scores("Weibull", 8, 15),
    shaped_scores("Weibull", 8, 40, missing=0.3),
    shaped_scores("log-normal", 8, 20),
    shaped_scores("log-normal", 8, 50, missing=0.3),
    shaped_scores("rarely solved", 8, 30),
    shaped_scores("rarely solved", 8, 60, missing=0.3),
    shaped_scores("mostly solved", 8, 10),
    shaped_scores("mostly solved", 8, 25, missing=0.3),
    shaped_scores("mixed", 8, 15),
    shaped_scores("nearly perfect", 8, 20),
    items(8, 12, 30, 0.0),
    items(8, 12, 30, 0.7),
    blocks(12, 3, 15, 4, 0.0),
    blocks(12, 3, 15, 4, 1.0),
    latencies(6, 15, 0.7),
    latencies(6, 30, 0.7),
    latencies(6, 100, 0.7),
    few_change(5, 40),
    few_change(5, 100),
    steady_and_risky(6, 30),
    steady_and_risky(6, 100),
    seeds(6, 15, 3, 0.3),
    seeds(6, 15, 3, 1.0),
    seeds(3, 40, 2, 1.0),
    seeds(8, 30, 5, 0.5),
    seeds(6, 40, 3, 0.7, sides=True),
    seeds(6, 40, 5, 0.7, sides=True),
    seeds(2, 40, 5, 0.7, sides=True),
    nearly_alike(2, 100, 0.03),
    nearly_alike(20, 100, 0.04),
)


class Result(NamedTuple):
    """What held in one run: shares of whatever there are several of; NaN where there is none."""

    ranks_at_once: float
    ranks_one_by_one: float
    single_scores: float
    all_differences: float
    no_false_order: float
    true_first: float
    single_pairs: float
    no_false_cycle: float
    false_claims: float
    naive_ranks: float
    overlap_ranks: float
    width: float
    bonferroni_width: float


def run(world: World, seed: int) -> Result:
    """Draw data once, resolve them with the default options, and compare with the truth."""
    evidence, values = world.draw(np.random.default_rng([seed, *world.name.encode()]))
    resolution = resolve(evidence, estimand=world.estimand, draws=DRAWS, seed=seed)
    assert isinstance(resolution, PairwiseResolution)
    joint, board = resolution.ranks, resolution.board
    placed = [evidence.agents.index(name) for name in resolution.agents]
    values = values[placed] if values.ndim == 1 else values[np.ix_(placed, placed)]
    part = board.parts
    truth = truth_of(
        values, part, [resolution.agents.index(name) for name in resolution.hubs if world.estimand == "auto"]
    )
    best, worst = true_ranks(truth, part)
    each = rank_sets(board, level=LEVEL, draws=DRAWS // 4, simultaneous=False)
    plain = rank_sets(board, level=LEVEL, multiplicity="bonferroni")
    apart = truth[:, None] - truth[None, :]
    low, high = board.difference_ends(t_critical(joint.interval_critical.value, board.df))
    within = ((low <= apart) & (apart <= high)) | (part[:, None] != part[None, :]) | np.eye(len(truth), dtype=bool)
    wrong = int((joint.above & (apart <= 1e-12)).sum())
    means = values.ndim == 1
    return Result(
        float(((joint.best <= best) & (joint.worst >= worst)).all()),
        float(((each.best <= best) & (each.worst >= worst)).mean()),
        float(((joint.low <= truth) & (truth <= joint.high))[np.isfinite(joint.low)].mean()),
        float(within.all()),
        float(wrong == 0),
        float(joint.first[best == 1].mean()),
        np.nan if means else _pairs_covered(resolution.matrix, values, part),
        np.nan if means else _no_false_cycle(resolution.cycles, resolution.agents, values),
        float(wrong),
        _ignoring_dependence(evidence, best, worst)
        if world.naive and not means and not resolution.unplaced
        else np.nan,
        np.nan if means or part.any() else _overlap(resolution.pairwise, best, worst),
        float((joint.worst - joint.best + 1).mean()),
        float((plain.worst - plain.best + 1).mean()),
    )


def _pairs_covered(matrix: WinMatrix, rates: NDArray[np.float64], part: NDArray[np.int64]) -> float:
    """The share of pairs of a component, compared directly or not, whose true win rate lies in its interval."""
    low, high = matrix.interval(LEVEL)
    pairs = np.triu(part[:, None] == part[None, :], 1)
    return float(((low <= rates) & (rates <= high))[pairs].mean())


def _no_false_cycle(cycles: Cycles, agents: Sequence[str], rates: NDArray[np.float64]) -> float:
    """Whether every edge of every significant cycle is a true win."""
    place = {name: i for i, name in enumerate(agents)}
    edges = [(place[edge.winner], place[edge.loser]) for one in cycles.surviving for edge in one.edges]
    return float(all(rates[i, j] > 0.5 for i, j in edges))


def _ignoring_dependence(evidence: Evidence, best: NDArray[np.int64], worst: NDArray[np.int64]) -> float:
    """Whether rank sets hold that treat every comparison as independent."""
    pairs = evidence.pairs().by()  # type: ignore[union-attr]
    plain = Pairs(pairs.agents, pairs.a, pairs.b, pairs.counts, battles=pairs.battles)
    sets = rank_sets(leaderboard(plain), level=LEVEL, draws=DRAWS // 4)
    return float(((sets.best <= best) & (sets.worst >= worst)).all())


def _overlap(rates: WinRateEstimate, best: NDArray[np.int64], worst: NDArray[np.int64]) -> float:
    """Whether ranks hold as arenas print them: Bradley-Terry, Wald's intervals of 95 % each, ranks by which do not overlap."""
    n, N = len(rates.agents), rates.battles.astype(np.float64)
    part = np.zeros(n, dtype=np.int64)
    rows = decided(n, rates.a, rates.b, N * rates.rate + 5e-4, N + 1e-3, part=part)
    theta = fit_pairs(rows).strength
    C = centered_inverse(laplacian_matrix(n, rates.a, rates.b, N * slopes(theta, rates.a, rates.b)[1]), part)
    reach = 1.959964 * np.sqrt(np.diag(C))
    above = (theta - reach)[:, None] > (theta + reach)[None, :]
    return float(((1 + above.sum(axis=0) <= best) & (n - above.sum(axis=1) >= worst)).all())


COLUMNS = {
    "ranks_at_once": "ranks at once",
    "ranks_one_by_one": "ranks one by one",
    "single_scores": "single scores",
    "all_differences": "all differences",
    "single_pairs": "pairs",
    "no_false_order": "no false order",
    "true_first": "true first",
    "no_false_cycle": "no false cycle",
}


@dataclass
class Total:
    """Sums over the runs of one world, and which seeds they had."""

    sums: NDArray[np.float64] = field(default_factory=lambda: np.zeros(len(Result._fields)))
    seeds: set[int] = field(default_factory=set)
    seconds: float = 0.0

    @property
    def runs(self) -> int:
        """How many there were."""
        return len(self.seeds)

    @property
    def mean(self) -> Result:
        """What held, on average."""
        return Result(*(self.sums / max(self.runs, 1)))

    def add(self, block: "Block") -> None:
        """Take in a finished block."""
        self.sums = self.sums + [np.nan if x is None else x for x in block.sums]
        self.seeds |= set(range(block.first, block.first + block.runs))
        self.seconds += block.seconds

    def missing(self, runs: int, seed: int = 0) -> list[int]:
        """The first seeds of blocks that are still to be run."""
        return [first for first in range(seed, seed + runs, BLOCK) if first not in self.seeds]


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
    every = np.array([run(WORLDS[world], seed) for seed in range(first, first + runs)]).sum(axis=0)
    sums = [None if np.isnan(x) else round(float(x), 6) for x in every]
    return Block(WORLDS[world].name, first, runs, round(time.process_time() - start, 3), sums)


def blocks_of(path: Path | None) -> dict[str, Total]:
    """What was run before, by the name of the world; a last line that was cut off counts for nothing."""
    totals = {world.name: Total() for world in WORLDS}
    for line in path.read_text(encoding="utf-8").splitlines() if path is not None and path.exists() else ():
        try:
            one = Block(**json.loads(line))
        except json.JSONDecodeError:
            continue
        if one.world in totals:
            totals[one.world].add(one)
    return totals


def jobs_of(totals: dict[str, Total], worlds: Sequence[World], runs: int, seed: int = 0) -> list[tuple[int, int, int]]:
    """The blocks that every world still owes: the first of all worlds first, and of the many last runs those of cheap worlds."""
    todo = [(first, WORLDS.index(world)) for world in worlds for first in totals[world.name].missing(runs, seed)]
    cost = [totals[world.name].seconds / max(totals[world.name].runs, 1) for world in WORLDS]
    todo.sort(key=lambda job: (cost[job[1]] if runs == MANY else 0.0, *job))
    return [(world, first, min(BLOCK, seed + runs - first)) for first, world in todo]


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
    for name in COLUMNS:
        share = getattr(mean, name)
        if np.isnan(share):
            continue
        label = f"{world.name}: {name.replace('_', ' ')}" if not lines else f"  {name.replace('_', ' ')}"
        right = covers(share, total.runs) or (None if world.promised else False)
        lines.append(Line(label, "0.95", f"{share:.3f}", right, beside.get(name, "")))
    return lines


def markdown(worlds: Sequence[World], totals: dict[str, Total]) -> str:
    """The table of the documentation; shares below 0.93 stand out."""
    after = ("false claims a board", "width", "Bonferroni width", "ignoring dependence", "overlapping intervals")
    head = ["world", "runs", *COLUMNS.values(), *after]
    rows = [head, ["---"] + ["---:"] * (len(head) - 1)]
    for world in worlds:
        mean, runs = totals[world.name].mean, totals[world.name].runs
        shares = [getattr(mean, name) for name in COLUMNS]
        cells = ["" if np.isnan(x) else f"**{x:.3f}**" if x < LEAST else f"{x:.3f}" for x in shares]
        more = [mean.false_claims, mean.width, mean.bonferroni_width, mean.naive_ranks, mean.overlap_ranks]
        others = [
            "" if np.isnan(x) else form.format(x)
            for x, form in zip(more, ("{:.2f}", "{:.1f}", "{:.1f}", "{:.2f}", "{:.2f}"), strict=True)
        ]
        rows.append([world.name + (" (not promised)" if world.promised else ""), f"{runs:,}", *cells, *others])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def main() -> int:
    """Run every world and print what is covered."""
    parser = parser_of(__doc__)
    parser.add_argument("--runs", type=int, default=6)
    parser.add_argument("--full", action="store_true", help="2,000 runs where one takes under a second, 400 elsewhere")
    parser.add_argument("--only", default="", help="worlds whose name holds this word")
    parser.add_argument("--first", type=int, default=0, help="seed of the first run: other boards than those published")
    parser.add_argument("--into", type=Path, help="file of finished blocks, to go on from [with --full runs.jsonl]")
    options = parser.parse_args()
    path = options.into or (FINISHED if options.full else None)
    worlds, totals = [world for world in WORLDS if options.only in world.name], blocks_of(path)
    for runs in (*STEPS, MANY) if options.full else (options.runs,):
        some = [w for w in worlds if runs != MANY or totals[w.name].seconds < CHEAP * totals[w.name].runs]
        for one in finished(jobs_of(totals, some, runs, options.first), path, options.processes):
            totals[one.world].add(one)
    if options.format == "md":
        print(markdown(worlds, totals))
        return 0
    lines = [line for world in worlds for line in lines_of(world, totals[world.name])]
    runs = sorted({totals[world.name].runs for world in worlds})
    return show(
        f"Coverage at {LEVEL:.0%} over {' to '.join(f'{n:,}' for n in {runs[0], runs[-1]})} runs a world",
        lines,
        options.format,
    )


if __name__ == "__main__":
    sys.exit(main())
