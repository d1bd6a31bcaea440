"""Measures: false statements of an arena over all looks, and battles until the top three are settled, in known worlds.

Source     a promise of this package: what an arena calls certain holds at every look at once
Data       simulated here
Expected   at most 0.05 of runs with a false statement; a cell agrees if 0.05 leaves its share a chance of one in a thousand
Run        python reproductions/anytime/reproduce.py             (4 runs a world of 2,000 battles)
           python reproductions/anytime/reproduce.py --full      (200 runs a world of 20,000 battles, resumed from runs.jsonl)
           --runs N, --battles N, --into FILE, --format md; exit 1 where something is wrong too often
"""

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom, norm

from beatpath.arena.policy import FLOOR
from beatpath.arena.standing import Goal
from beatpath.inference.anytime.anytime_board import AnytimeBoard
from beatpath.reports.reproduction import Line, show

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))
from resume import Job, resumed
from running import Schedule, policy_schedule, running, true_scores
from script import parser_of

Floats = NDArray[np.float64]
AGENTS, LOOK, LEVEL, BLOCK = 8, 50, 0.95, 5
STRENGTHS = {
    "equal": np.zeros(AGENTS),
    "close": np.linspace(0.3, -0.3, AGENTS),
    "apart": np.linspace(1.0, -1.0, AGENTS),
}
SCHEDULES = {
    "uniform": "all pairs alike",
    "adaptive": "adaptive",
    "matchmaking": "matchmaking",
    "dropping": "pairs dropped once they look decided",
}
A, B = np.triu_indices(AGENTS, 1)
EVEN = np.full(len(A), 1 / len(A))
KEPT = Path(__file__).with_name("runs.jsonl")


def rates(world: str) -> Floats:
    """The true win rates."""
    strength = STRENGTHS[world]
    return 1 / (1 + np.exp(strength[None, :] - strength[:, None]))


def matchmaking(board: AnytimeBoard, _predicted: Floats, _battles: Floats) -> Floats:
    """Agents meet those of about their score, over a floor."""
    near = np.exp(-20 * np.abs(board.score[A] - board.score[B]))
    return FLOOR * EVEN + (1 - FLOOR) * near / near.sum()


def dropping(_board: AnytimeBoard, predicted: Floats, _battles: Floats) -> Floats:
    """Pairs that look decided are left to the floor."""
    left = np.abs(predicted - 0.5) < 0.1
    return FLOOR * EVEN + (1 - FLOOR) * left / left.sum() if left.any() else EVEN


def schedule_of(name: str, goal: Goal) -> Schedule:
    """The probabilities by which pairs are sampled."""
    return {"matchmaking": matchmaking, "dropping": dropping}.get(name) or policy_schedule(name, goal, AGENTS)


def one_look(battles: Floats, won: Floats, alpha: float) -> tuple[Floats, Floats]:
    """Differences of mean win rates, and half-widths for one look that are each wrong, on either side, with chance alpha."""
    rate = (won + 0.5) / (battles + 1)
    matrix, variance = np.full((AGENTS, AGENTS), 0.5), np.zeros((AGENTS, AGENTS))
    matrix[A, B], matrix[B, A] = rate, 1 - rate
    variance[A, B] = variance[B, A] = rate * (1 - rate) / np.maximum(battles, 1) / (AGENTS - 1) ** 2
    score, own = true_scores(matrix), variance.sum(axis=1)
    half = norm.isf(alpha / 2) * np.sqrt(own[:, None] + own[None, :] + 2 * variance)
    return score[:, None] - score[None, :], half


def watched(world: str, name: str, first: int, runs: int, battles: int) -> list[list[float]]:
    """Whether the arena, and whether intervals for one look, were ever wrong, and how wide the ones are in the others, by run."""
    P, goal = rates(world), Goal.of("ranking", AGENTS)
    truth = true_scores(P)
    not_above = truth[:, None] <= truth[None, :] + 1e-12
    rows = []
    for seed in range(first, first + runs):
        wrong, naive, ratio = False, False, np.nan
        rng = np.random.default_rng([29, seed])
        for look in running(P, schedule_of(name, goal), rng, battles, LOOK, LEVEL):
            difference, half = one_look(look.battles, look.won, (1 - LEVEL) / len(A))
            wrong |= bool((look.board.above & not_above).any())
            naive |= bool(((difference > half) & not_above).any())
            ratio = float(look.board.radius[A, B].mean() / half[A, B].mean())
        rows.append([float(wrong), float(naive), ratio])
    return rows


def price(name: str, first: int, runs: int, battles: int) -> list[list[float]]:
    """When the top three were settled, whether wrongly, and by one look after how many battles they would be, by run.

    A look that is planned beforehand says who the top three are where intervals for one look do, at the same share of the error.
    """
    P, goal = rates("apart"), Goal.of("top 3", AGENTS)
    best = np.arange(AGENTS) < goal.best
    rows = []
    for seed in range(first, first + runs):
        settled, wrong, single = np.inf, False, []
        for look in running(P, schedule_of(name, goal), np.random.default_rng([31, seed]), battles, LOOK, LEVEL):
            difference, half = one_look(look.battles, look.won, goal.alpha(look.board))
            single.append(float((difference > half)[np.ix_(best, ~best)].all()))
            if not np.isfinite(settled) and not goal.open_pairs(look.board).any():
                settled, wrong = float(look.played), bool((goal.top(look.board) != best).any())
        rows.append([settled if np.isfinite(settled) else 0.0, float(wrong), *single])
    return rows


def work(what: str, *rest: str | int) -> list[list[float]]:
    """One block of runs of either kind."""
    return {"watched": watched, "price": price}[what](*rest)  # type: ignore[operator]


def rows_of(done: dict[Job, list[list[float]]], *start: str) -> Floats:
    """All runs of a cell."""
    return np.array([row for job, rows in done.items() if job[: len(start)] == start for row in rows])


def battles_needed(times: Floats, share: float, most: int) -> str:
    """After how many battles so large a share of runs was settled."""
    quantile = np.quantile(np.where(times > 0, times, np.inf), share, method="higher")
    return f"{quantile:,.0f}" if np.isfinite(quantile) else f"over {most:,}"


def planned(single: Floats, share: float) -> str:
    """The fewest battles after which one look settles so large a share of runs."""
    enough = np.flatnonzero(single.mean(axis=0) >= share)
    return f"{LOOK * (int(enough[0]) + 1):,}" if len(enough) else f"over {LOOK * single.shape[1]:,}"


def main() -> int:
    """Measure all worlds and print them."""
    parser = parser_of(__doc__)
    parser.add_argument("--runs", type=int)
    parser.add_argument("--battles", type=int)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--into", type=Path, help="file of finished blocks, to go on from [with --full runs.jsonl]")
    given = parser.parse_args()
    runs, battles = given.runs or (200 if given.full else 4), given.battles or (20_000 if given.full else 2_000)
    path = given.into or (KEPT if given.full else None)
    cells = [("watched", world, name) for world in ("equal", "close") for name in SCHEDULES]
    cells += [("price", name) for name in ("uniform", "adaptive")]  # type: ignore[list-item]
    blocks = [(first, min(BLOCK, runs - first)) for first in range(0, runs, BLOCK)]
    done = resumed(work, [(*cell, *block, battles) for block in blocks for cell in cells], path, given.processes)
    most = int(binom.ppf(0.999, runs, 1 - LEVEL)) / runs
    lines, table = [], []
    for world in ("equal", "close"):
        for name, words in SCHEDULES.items():
            wrong, naive, ratio = rows_of(done, "watched", world, name).mean(axis=0)
            what = f"{world} agents, {words}: runs with a false statement at any look"
            note = f"intervals for one look: {naive:.3f}; widths at the end: {ratio:.2f} times those"
            lines.append(Line(what, "at most 0.05", f"{wrong:.3f}", bool(wrong <= most), note))
            table.append(f"| {world} | {words} | {wrong:.3f} | {naive:.3f} | {ratio:.2f} |")
    for name in ("uniform", "adaptive"):
        rows = rows_of(done, "price", name)
        ours = " / ".join(battles_needed(rows[:, 0], share, battles) for share in (0.5, 0.9))
        once = " / ".join(planned(rows[:, 2:], share) for share in (0.5, 0.9))
        wrong = rows[:, 1].mean()
        note = f"one look planned beforehand: {once}; wrong in {wrong:.3f}"
        what = f"battles until the top three are settled in half / nine tenths of runs, {SCHEDULES[name]}"
        lines.append(Line(what, "", ours, bool(wrong <= most), note))
        table.append(f"| {SCHEDULES[name]} | {ours} | {once} | {wrong:.3f} |")
    if given.format == "md":
        print("\n".join(table))
        return 0
    return show(f"An arena at every look, {runs:,} runs a world of {battles:,} battles", lines, given.format)


if __name__ == "__main__":
    sys.exit(main())
