"""Measures: battles until a goal is settled, by policy, in worlds whose truth is the win rates of real data.

Source     "Fewer Battles, More Gain" (ICLR 2026) for the rival designs; a goal of this package: half the battles of all pairs alike
Data       LLM debates, llmfao, Chatbot Arena's counts, tennis, ../shared/data beside this repository or --data; the built-in example
Expected   adaptive needs at most half of the battles of uniform for "top 3" (median), and is wrong in at most 0.05 of runs
Run        python reproductions/fewer_battles/reproduce.py            (2 runs a cell, small worlds)
           python reproductions/fewer_battles/reproduce.py --full     (200 runs a cell, 20 of 129 agents, resumed from runs.jsonl)
           --runs N, --only WORD, --goal GOAL, --into FILE, --format md; exit 1 where something is wrong too often

The truth of a world is the matrix that `win_matrix` makes of the data; battles are won with these chances, without ties, and passed to the
policies and boards of an arena. One look after every stage; whoever has not settled after 1,000,000 battles is counted as that.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

import beatpath as bp
from beatpath.arena.standing import Goal
from beatpath.reports.reproduction import Line, show

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))
from resume import Job, resumed
from running import policy_schedule, running, true_scores
from script import DATA, parser_of

Floats = NDArray[np.float64]
MOST, LEVEL, BLOCK = 1_000_000, 0.95, 5
POLICIES = ("uniform", "adaptive", "a_optimal", "d_optimal")
GOALS = ("top 3", "first", "5 points apart")
LARGE = "Chatbot Arena, all"  # gets a tenth of the runs
SAVED = Path(__file__).with_name("runs.jsonl")


def _best(evidence: bp.Battles | bp.Pairs, most: int) -> Floats:
    """The win rates among those with the highest scores."""
    rate = bp.win_matrix(evidence).rate
    best = np.argsort(-true_scores(rate))[:most]
    return rate[np.ix_(best, best)]


def _arena(most: int) -> Floats:
    return _best(bp.read(DATA / "chatbot_arena_20240814_counts" / "pair_counts.csv"), most)


def _tennis(most: int) -> Floats:
    """Of players with 200 matches or more on the main tour since 2000 among themselves."""
    matches = bp.read(DATA / "tennis_atp" / "main_tour.parquet", self_battles="drop", where=["tourney_date>=20000101"])
    return _best(bp.only(matches, min_battles=200), most)


WORLDS: dict[str, Callable[[], Floats]] = {
    "built-in example": lambda: bp.win_matrix(bp.example()).rate,
    "LLM debates": lambda: bp.win_matrix(bp.read(DATA / "llm_debate" / "judgments.csv")).rate,
    "llmfao, crowd": lambda: bp.win_matrix(bp.read(DATA / "llmfao" / "crowd-comparisons.csv")).rate,
    "Chatbot Arena, best 20": lambda: _arena(20),
    "tennis, best 50": lambda: _tennis(50),
    LARGE: lambda: _arena(129),
}


def truth(world: str) -> Floats:
    """The win rates of a world."""
    return WORLDS[world]()


def block(world: str, goal: str, policy: str, first: int, runs: int) -> list[list[int]]:
    """Battles until the goal was settled, 0 where it was not, and whether the statement is wrong, of several runs."""
    P = truth(world)
    aim, score = Goal.of(goal, len(P)), true_scores(P)
    rows = []
    for seed in range(first, first + runs):
        rng = np.random.default_rng([seed, *f"{world} {goal}".encode()])
        settled = wrong = 0
        for look in running(P, policy_schedule(policy, aim, len(P)), rng, MOST, level=LEVEL, goal=aim):
            if not aim.open_pairs(look.board).any():
                settled = look.played
                if aim.best:
                    top = aim.top(look.board)
                    wrong = int(score[top].min() <= score[~top].max())
                else:
                    far = np.abs(score[:, None] - score[None, :]) > aim.points
                    above = look.board.above
                    wrong = int((above & (score[:, None] <= score[None, :])).any() or (far & ~above & ~above.T).any())
                break
        rows.append([settled, wrong])
    return rows


def cell(done: dict[Job, list[list[int]]], world: str, goal: str, policy: str) -> tuple[NDArray[np.int64], int]:
    """Battles of every run, the cap where it was reached, and how many runs were wrong."""
    rows = np.array([row for job, rows in done.items() if job[:3] == (world, goal, policy) for row in rows])
    return np.where(rows[:, 0] == 0, MOST, rows[:, 0]), int(rows[:, 1].sum())


def shown(battles: NDArray[np.int64]) -> str:
    """Median and 90th percentile."""
    quantiles = [np.quantile(battles, q, method="higher") for q in (0.5, 0.9)]
    return " / ".join("not settled" if x >= MOST else f"{x:,.0f}" for x in quantiles)


def markdown(done: dict[Job, list[list[int]]], worlds: list[str], goals: tuple[str, ...]) -> str:
    """The table of the documentation."""
    rows = [["world", "goal", *POLICIES, "uniform / adaptive", "runs", "wrong (adaptive; all)"]]
    rows.append(["---", "---", *["---:"] * (len(rows[0]) - 2)])
    for world in worlds:
        for goal in goals:
            cells = {policy: cell(done, world, goal, policy) for policy in POLICIES}
            times = np.median(cells["uniform"][0]) / np.median(cells["adaptive"][0])
            least = ">= " if np.median(cells["uniform"][0]) >= MOST else ""
            wrong = f"{cells['adaptive'][1]}; {sum(one[1] for one in cells.values())}"
            runs = f"{len(cells['adaptive'][0]):,}"
            name = f"{world} ({len(truth(world))})"
            rows.append([name, goal, *(shown(cells[p][0]) for p in POLICIES), f"{least}{times:.1f}", runs, wrong])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def main() -> int:
    """Run every cell and print it."""
    parser = parser_of(__doc__)
    parser.add_argument("--runs", type=int)
    parser.add_argument("--full", action="store_true", help="200 runs a cell of all worlds")
    parser.add_argument("--only", default="", help="worlds whose name holds this word")
    parser.add_argument("--goal", choices=GOALS, help="this goal alone")
    parser.add_argument("--into", type=Path, help="file of finished blocks, to go on from [with --full runs.jsonl]")
    options = parser.parse_args()
    runs = options.runs or (200 if options.full else 2)
    worlds = [name for name in WORLDS if options.only in name] if options.full or options.only else ["built-in example"]
    goals = (options.goal,) if options.goal else GOALS
    path = options.into or (SAVED if options.full else None)
    jobs: list[Job] = [
        (world, goal, policy, first, min(BLOCK, runs - first))
        for first in range(0, runs, BLOCK)
        for goal in goals
        for world in worlds
        if world != LARGE or first < runs / 10
        for policy in POLICIES
    ]
    done = resumed(block, jobs, path, options.processes)
    if options.format == "md":
        print(markdown(done, worlds, goals))
        return 0
    lines = []
    for world in worlds:
        for goal in goals:
            uniform = np.median(cell(done, world, goal, "uniform")[0])
            for policy in POLICIES:
                battles, wrong = cell(done, world, goal, policy)
                rare = binom.sf(wrong - 1, len(battles), 1 - LEVEL) > 1e-3
                half = policy != "adaptive" or goal != "top 3" or np.median(battles) <= uniform / 2
                note = f"wrong in {wrong} of {len(battles)}" + ("" if half else "; more than half of uniform")
                lines.append(Line(f"{world}, {goal}: {policy}", "", shown(battles), rare and (half or None), note))
    return show(f"Battles until settled (median / 90th percentile), {runs:,} runs a cell", lines, options.format)


if __name__ == "__main__":
    sys.exit(main())
