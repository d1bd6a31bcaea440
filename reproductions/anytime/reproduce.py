"""Measures: false statements of an arena over all looks, and battles until the top three are settled, in known worlds.

Source     a promise of this package: what an arena calls certain holds at every look at once
Data       simulated here
Expected   at most 0.05 of runs with a false statement; a cell agrees if 0.05 leaves its share a chance of one in a thousand
Run        python reproductions/anytime/reproduce.py             (4 runs a world of 2,000 battles)
           python reproductions/anytime/reproduce.py --full      (200 runs a world of 20,000 battles)
           --runs N, --battles N; exit 1 where something is wrong too often
"""

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom, norm

from beatpath.arena.arena import STAGE_LENGTH, STAGE_SHARE
from beatpath.arena.goal import Goal
from beatpath.arena.policy import FLOOR, chances
from beatpath.inference.anytime.anytime_board import AnytimeBoard, anytime_board
from beatpath.inference.anytime.stage import Stage
from beatpath.reports.terminal.reproduction import Line, show

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))
from script import mapped, parser_of

AGENTS, LOOK, LEVEL = 8, 50, 0.95
STRENGTHS = {
    "equal": np.zeros(AGENTS),
    "close": np.linspace(0.3, -0.3, AGENTS),
    "apart": np.linspace(1.0, -1.0, AGENTS),
}
SCHEDULES = ("uniform", "adaptive", "matchmaking", "dropping")
A, B = np.triu_indices(AGENTS, 1)
Floats = NDArray[np.float64]


def schedule(name: str, predicted: Floats, board: AnytimeBoard | None, goal: Goal) -> Floats:
    """The chances of all pairs from what was seen."""
    even = np.full(len(A), 1 / len(A))
    if board is None:
        return even
    if name == "matchmaking":
        near = np.exp(-20 * np.abs(board.score[A] - board.score[B]))
        return FLOOR * even + (1 - FLOOR) * near / near.sum()
    if name == "dropping":
        left = np.abs(predicted - 0.5) < 0.1
        return FLOOR * even + (1 - FLOOR) * left / left.sum() if left.any() else even
    return chances(name, A, B, predicted, goal.open_pairs(board))


def one_look(count: Floats, won: Floats) -> tuple[Floats, Floats]:
    """Differences of mean win rates and their half-widths for one look, all pairs of agents at once, by Bonferroni."""
    rate = (won + 0.5) / (count + 1)
    matrix, variance = np.full((AGENTS, AGENTS), 0.5), np.zeros((AGENTS, AGENTS))
    matrix[A, B], matrix[B, A] = rate, 1 - rate
    variance[A, B] = variance[B, A] = rate * (1 - rate) / np.maximum(count, 1) / (AGENTS - 1) ** 2
    score, own = (matrix.sum(axis=1) - 0.5) / (AGENTS - 1), variance.sum(axis=1)
    half = norm.isf((1 - LEVEL) / 2 / len(A)) * np.sqrt(own[:, None] + own[None, :] + 2 * variance)
    return score[:, None] - score[None, :], half


def run(world: str, name: str, seed: int, battles: int, target: str) -> tuple[bool, bool, float, float]:
    """Whether the arena, and whether intervals for one look, were ever wrong; when the goal was settled; widths compared."""
    strength = STRENGTHS[world]
    P = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
    truth = (P.sum(axis=1) - 0.5) / (AGENTS - 1)
    not_above = truth[:, None] <= truth[None, :] + 1e-12
    rng, goal = np.random.default_rng([29, seed]), Goal.of(target, AGENTS)
    count, won, past, board = np.zeros(len(A)), np.zeros(len(A)), [], None
    wrong = naive = False
    settled, ratio = np.inf, np.nan
    began, predicted, chance, now = -battles, count, count, np.zeros((3, len(A)))
    for told in range(LOOK, battles + 1, LOOK):
        if told - LOOK - began >= max(STAGE_LENGTH, STAGE_SHARE * told):  # as an arena begins its stages
            if board is not None:
                past.append(Stage(A, B, chance, predicted, *now))
            began, now = told - LOOK, np.zeros((3, len(A)))
            predicted = (won + 1) / (count + 2)
            chance = schedule(name, predicted, board, goal)
        pair = rng.choice(len(A), LOOK, p=chance)
        x = (rng.random(LOOK) < P[A, B][pair]).astype(float)
        times, total = np.bincount(pair, minlength=len(A)).astype(float), np.bincount(pair, x, len(A))
        count, won, now = count + times, won + total, now + np.stack((times, total, total))
        stages = [*past, Stage(A, B, chance, predicted, *now)]
        board = anytime_board(tuple("abcdefgh"), stages, level=LEVEL)
        difference, half = one_look(count, won)
        wrong |= bool((board.above & not_above).any())
        naive |= bool(((difference > half) & not_above).any())
        ratio = float(board.radius[A, B].mean() / half[A, B].mean())
        if not np.isfinite(settled) and not goal.open_pairs(board).any():
            settled = told
            if target != "ranking":
                break
    return wrong, naive, settled, ratio


def main() -> int:
    """Measure all worlds and print them."""
    parser = parser_of(__doc__)
    parser.add_argument("--runs", type=int)
    parser.add_argument("--battles", type=int)
    parser.add_argument("--full", action="store_true")
    given = parser.parse_args()
    runs, battles = given.runs or (200 if given.full else 4), given.battles or (20_000 if given.full else 2_000)
    most = int(binom.ppf(0.999, runs, 1 - LEVEL)) / runs
    lines = []
    for world in ("equal", "close"):
        for name in SCHEDULES:
            jobs = [(world, name, seed, battles, "ranking") for seed in range(runs)]
            wrong, naive, _, ratio = (
                np.array(part) for part in zip(*mapped(run, jobs, f"{world}, {name}", given.processes), strict=True)
            )
            what = f"{world} agents, {name}: runs with a false statement at any look"
            note = f"intervals for one look: {naive.mean():.3f}; widths at the end: {ratio.mean():.2f} times those"
            lines.append(Line(what, "at most 0.05", f"{wrong.mean():.3f}", bool(wrong.mean() <= most), note))
    for name in ("uniform", "adaptive"):
        jobs = [("apart", name, seed, battles, "top 3") for seed in range(runs)]
        wrong, _, settled, _ = (
            np.array(part) for part in zip(*mapped(run, jobs, f"top 3, {name}", given.processes), strict=True)
        )
        said = f"median {np.median(settled):,.0f}, 90th percentile {np.quantile(settled, 0.9, method='higher'):,.0f}"
        lines.append(
            Line(
                f"battles until the top three are settled, {name}",
                "",
                said,
                bool(wrong.mean() <= most),
                f"wrong in {wrong.mean():.3f}",
            )
        )
    return show(f"An arena at every look, {runs:,} runs a world of {battles:,} battles", lines, given.format)


if __name__ == "__main__":
    sys.exit(main())
