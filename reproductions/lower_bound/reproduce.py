"""Measures: battles until a goal is settled, as a multiple of what no method can do without, beside other schedules.

Source     E. Kaufmann, O. Cappe, A. Garivier, "On the complexity of best-arm identification in multi-armed bandit models", JMLR 17 (2016): a method
           with error d needs at least kl(d, 1 - d) / max_pi min_q sum_k pi_k kl(p_k, q_k) battles on average, q being win rates with another answer;
           R. Heckel, N. Shah, K. Ramchandran, M. Wainwright, "Active ranking from pairwise comparisons and when parametric assumptions do not
           help", Annals of Statistics 47 (2019): the rival, for first, top k and ranking
Data       simulated here; Chatbot Arena's counts, ../shared/data beside this repository or --data
Expected   adaptive needs at most 2.5 times the bound for first and top 3, 4 times for a ranking, is wrong in at most 0.05 of runs, and its estimates of
           the battles left, at half of them, are within a factor of two in most runs
Run        python reproductions/lower_bound/reproduce.py            (2 runs a cell of the smallest world)
           python reproductions/lower_bound/reproduce.py --full     (200 runs a cell, resumed from runs.jsonl)
           python reproductions/lower_bound/reproduce.py --left     (80 runs: battles left as estimated, and by who knows the win rates)
           python reproductions/lower_bound/reproduce.py --parts    (60 runs: what the multiple is made of, for first and top 3)
           --runs N, --only WORD, --goal GOAL, --into FILE, --format md; exit 1 where something is wrong too often

The bound is that of all win rates, not of a model, and comes from linear programs over worlds with another answer: more of them make it larger. Policies,
boards and shares of the error are those of an arena, with a look after every stage. "Round robin" plays all pairs in turn and is judged by the board as
if they had been drawn; it is a comparison, not a recommendation. Active ranking stops by its own rule, with the confidence bounds of the authors' program
that their theorem covers (intervals of half-width a, two agents apart by 2 a).
"""

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.stats import binom

import beatpath as bp
from beatpath.arena.standing import Goal
from beatpath.inference.anytime.anytime_board import SCALE
from beatpath.inference.anytime.boundary import information_needed
from beatpath.reports.reproduction import Line, show

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))
from resume import Job, resumed
from running import Look, policy_schedule, running, true_scores
from script import DATA, parser_of

Floats = NDArray[np.float64]
MOST, LEVEL, BLOCK, ROUNDS = 1_000_000, 0.95, 5, 60
POLICIES = ("adaptive", "uniform", "round robin", "active ranking")
MARKS = (0.25, 0.5, 0.75)  # shares of the battles, at which the estimate of those left is compared
KEPT = Path(__file__).with_name("runs.jsonl")


def ladder(*strengths: float) -> Floats:
    """Win rates of strengths in log odds."""
    s = np.array(strengths)
    return 1 / (1 + np.exp(s[None, :] - s[:, None]))


def _arena(most: int) -> Floats:
    rate = bp.win_matrix(bp.read(DATA / "chatbot_arena_20240814_counts" / "pair_counts.csv")).rate
    best = np.argsort(-true_scores(rate), kind="stable")[:: len(rate) // most][:most]
    return rate[np.ix_(best, best)]


WORLDS: dict[str, Callable[[], Floats]] = {
    "ladder of 6": lambda: ladder(*np.linspace(1, -1, 6)),
    "ladder of 10": lambda: ladder(*np.linspace(1.5, -1.5, 10)),
    "one leads 19 equals": lambda: ladder(0.8, *np.zeros(19)),
    "three lead 9 equals": lambda: ladder(*np.full(3, 0.7), *np.zeros(9)),
    "Chatbot Arena, every 12th": lambda: _arena(10),
}
CASES = [
    *((world, goal) for world in ("ladder of 6", "ladder of 10", "Chatbot Arena, every 12th") for goal in ("first", "top 3", "ranking")),
    ("one leads 19 equals", "first"),
    ("three lead 9 equals", "top 3"),
]  # fmt: skip
GOALS = ("first", "top 3", "ranking")
TIMES = {"first": 2.5, "top 3": 2.5, "ranking": 4.0}


def truth(world: str) -> Floats:
    """The win rates of a world."""
    return WORLDS[world]()


def kl(p: Floats | float, q: Floats | float) -> Floats:
    """Divergence of two chances."""
    return np.asarray(p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q)))


def nearest(p: Floats, contrast: Floats, pi: Floats) -> Floats:
    """Win rates that change the sign of a contrast and are nearest to p: divergences are weighted by pi."""
    weight = np.maximum(pi, 1e-9)

    def tilted(force: float) -> Floats:
        """Where the slope of each divergence is the force: (q - p) / (q (1 - q)) = u."""
        u = -force * contrast / weight
        root = np.sqrt((1 - u) ** 2 + 4 * u * p)
        q = np.where(np.abs(u) < 1e-9, p, 2 * p / (1 - u + np.where(1 - u + root == 0, 1.0, root)))
        return np.clip(q, 1e-12, 1 - 1e-12)

    low, high = 0.0, 1e-6
    while contrast @ (tilted(high) - 0.5) > 0:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if contrast @ (tilted(middle) - 0.5) > 0 else (low, middle)
    return tilted(high)


def lower_bound(P: Floats, goal: Goal) -> float:
    """Fewest battles, on average, of any method with an error of at most 5 %."""
    n, score = len(P), true_scores(P)
    a, b = np.triu_indices(n, 1)
    p, order = P[a, b], np.argsort(-score, kind="stable")
    if goal.best:
        wanted = [(i, j) for i in order[: goal.best] for j in order[goal.best :]]
    else:
        wanted = list(pairwise(order.tolist()))
    contrasts = [(a == i) * 1.0 - (b == i) - (a == j) + (b == j) for i, j in wanted]
    pi, cuts, rate = np.full(len(a), 1 / len(a)), [], 0.0
    for _ in range(ROUNDS):
        found = [kl(p, nearest(p, contrast, pi)) for contrast in contrasts]
        cuts += found
        reached = min(float(pi @ cut) for cut in found)
        A = np.column_stack([-np.array(cuts), np.ones(len(cuts))])
        solved = linprog(
            np.append(np.zeros(len(a)), -1.0), A, np.zeros(len(cuts)), [np.append(np.ones(len(a)), 0.0)], [1.0]
        )
        rate, pi = -solved.fun, (pi + np.maximum(solved.x[:-1], 0)) / 2  # halfway: rounds of a linear program leap
        if reached > 0.99 * rate:
            break
    error = 1 - LEVEL
    return float(kl(error, 1 - error)) / rate


def settled(P: Floats, goal: Goal, policy: str, rng: np.random.Generator) -> list[float]:
    """Battles until the goal was settled, 0 where it was not, whether the answer is wrong, and estimates of battles left at `MARKS`."""
    score, played, left = true_scores(P), [], []
    schedule = policy_schedule("adaptive" if policy == "adaptive" else "uniform", goal, len(P))
    looks = round_robin(P, goal, rng) if policy == "round robin" else running(P, schedule, rng, MOST, goal=goal)
    for look in looks:
        played, left = [*played, look.played], [*left, goal.battles_left(look.board)]
        if goal.open_pairs(look.board).any():
            continue
        if goal.best:
            top = goal.top(look.board)
            wrong = score[top].min() <= score[~top].max()
        else:
            wrong = (look.board.above & (score[:, None] <= score[None, :])).any()
        at = [int(np.searchsorted(played, mark * played[-1])) for mark in MARKS]
        ratios = [(left[k] or 0) / max(played[-1] - played[k], 1) for k in at]
        return [float(played[-1]), float(wrong), *ratios]
    return [0.0, 0.0, *np.zeros(len(MARKS))]


def until_settled(P: Floats, goal: Goal, rng: np.random.Generator) -> Iterator[Look]:
    """Looks at an arena up to the first at which the goal is settled."""
    for look in running(P, policy_schedule("adaptive", goal, len(P)), rng, MOST, goal=goal):
        yield look
        if not goal.open_pairs(look.board).any():
            return


def estimates_left(P: Floats, goal: Goal, rng: np.random.Generator) -> list[list[float]]:
    """Estimates of the battles left at `MARKS`, over the actual number: the arena's, and that of somebody who knows all win rates."""
    score, looks = true_scores(P), []
    for look in until_settled(P, goal, rng):
        true = replace(look.board, difference=score[:, None] - score[None, :])
        looks.append((look.played, goal.battles_left(look.board) or 0, goal.battles_left(true) or 0))
    at = np.array(looks, dtype=np.float64)
    marked = at[[int(np.searchsorted(at[:, 0], mark * at[-1, 0])) for mark in MARKS]]
    return (marked[:, 1:] / np.maximum(at[-1, 0] - marked[:, :1], 1)).tolist()


def compare_estimates(cases: list[tuple[str, str]], runs: int) -> int:
    """Print how often both estimates are within a factor of two, as rows of Markdown."""
    for world, goal in cases:
        P = truth(world)
        seeds = (np.random.default_rng([seed, *f"{world} {goal} left".encode()]) for seed in range(runs))
        ratio = np.array([estimates_left(P, Goal.of(goal, len(P)), rng) for rng in seeds])
        near = np.mean((ratio >= 0.5) & (ratio <= 2), axis=0)
        cells = [" / ".join(f"{x:.2f}" for x in by) for by in near.T]
        print(f"| {world} | {goal} | {cells[0]} | {cells[1]} |", flush=True)
    return 0


def parts_of_multiple(cases: list[tuple[str, str]], runs: int) -> int:
    """Print information when settled, over what the true difference needs; battles per information, over the best, in all and in two tenths."""
    for world, goal in cases:
        P = truth(world)
        aim, score = Goal.of(goal, len(P)), true_scores(P)
        order = np.argsort(-score, kind="stable")
        i, j = order[aim.best - 1 : aim.best + 1]
        apart, error = score[i] - score[j], 1 - LEVEL
        best = lower_bound(P, aim) * apart**2 / (2 * kl(error, 1 - error))
        ended, pace, early, late = [], [], [], []
        for seed in range(runs):
            rng = np.random.default_rng([seed, *f"{world} {goal} parts".encode()])
            looks = list(until_settled(P, aim, rng))
            last = looks[-1]
            wrong = np.isin(
                np.arange(len(P)), [*order[: aim.best - 1], j]
            )  # the next in the place of the last of the best
            gained = last.board.bets[1][(last.board.sets == wrong).all(axis=1)][0]
            ended.append(gained / information_needed(np.array([apart]), SCALE, aim.alpha(last.board))[0])
            pace.append(last.played / gained / best)
            for tenth, into in ((0.1, early), (0.8, late)):
                into += [
                    1 / look.board.pace[i, j] / best
                    for look in looks
                    if tenth - 0.1 < look.played / last.played <= tenth
                ]
        cells = " | ".join(f"{np.mean(x):.2f}" for x in (ended, pace, early, late))
        print(f"| {world} | {goal} | {cells} |", flush=True)
    return 0


class InTurn:
    """A generator that draws the pairs in turn instead of at random."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.binomial, self.at, self.before = rng.binomial, 0, 0

    def multinomial(self, count: int, chance: Floats) -> NDArray[np.int64]:
        """Battles of each pair among the next `count`."""
        self.at += count
        whole, rest = divmod(self.at, len(chance))
        total = whole + (np.arange(len(chance)) < rest)
        self.before, new = total, total - self.before
        return new


def round_robin(P: Floats, goal: Goal, rng: np.random.Generator):
    """All pairs in turn, judged as if they had been drawn alike."""
    return running(P, policy_schedule("uniform", goal, len(P)), InTurn(rng), MOST, goal=goal)  # type: ignore[arg-type]


def active_ranking(P: Floats, goal: Goal, rng: np.random.Generator) -> list[float]:
    """Active ranking: every agent not placed yet meets a random other one in each round."""
    n, error, score = len(P), 1 - LEVEL, true_scores(P)
    cuts = [goal.best] if goal.best else list(range(1, n))
    order: list[int | None] = [None] * n  # who is certainly in each place, or in the group of it
    active, mean, played, t = list(range(n)), np.zeros(n), 0, 0
    begin, end = 0, n
    above: list[int] = []
    below: list[int] = []
    while active and played < MOST:
        t += 1
        i = np.array(active)
        j = rng.integers(n - 1, size=len(i))
        j += j >= i
        mean[i] += ((rng.random(len(i)) < P[i, j]) - mean[i]) / t
        played += len(i)
        wide = math.log(n / error) + 0.75 * math.log(math.log(n / error)) + 1.5 * math.log(1 + math.log(max(t / 2, 1)))
        apart = 2 * math.sqrt(0.5 * wide / t)
        ranked = sorted(active, key=lambda one: -mean[one])
        here = [cut - begin for cut in cuts if begin < cut < end] if goal.best else None
        if goal.best:
            k = here[0] if here else 0
            top = [one for one in ranked[:k] if mean[one] - mean[ranked[k]] > apart]
            bottom = [one for one in ranked[k:] if k and mean[ranked[k - 1]] - mean[one] > apart]
            above, below = above + top, below + bottom
            begin, end = begin + len(top), end - len(bottom)
            active = [one for one in ranked if one not in top and one not in bottom]
            if begin == goal.best or end == goal.best:
                above += ranked[: goal.best - begin] if begin < goal.best else []
                wrong = score[above].min() <= np.delete(score, above).max()
                return [float(played), float(wrong), *np.zeros(len(MARKS))]
        else:
            gaps = np.append(-np.diff(mean[ranked]), np.inf) > apart
            alone = gaps & np.insert(gaps[:-1], 0, True)
            free = [place for place in range(n) if order[place] is None]
            for place, one, sure in zip(free, ranked, alone, strict=True):
                order[place] = one if sure else None
            active = [one for one, sure in zip(ranked, alone, strict=True) if not sure]
    wrong = bool((np.diff(score[np.array(order, dtype=int)]) >= 0).any()) if not active else False
    return [float(played) if not active else 0.0, float(wrong), *np.zeros(len(MARKS))]


def block(world: str, goal: str, policy: str, first: int, runs: int) -> list[list[float]]:
    """Several runs of a cell."""
    P, made = truth(world), []
    for seed in range(first, first + runs):
        rng = np.random.default_rng([seed, *f"{world} {goal}".encode()])
        aim = Goal.of(goal, len(P))
        one = active_ranking(P, aim, rng) if policy == "active ranking" else settled(P, aim, policy, rng)
        made.append([round(value, 4) for value in one])
    return made


def main() -> int:
    """Run every cell and print it."""
    parser = parser_of(__doc__)
    parser.add_argument("--runs", type=int)
    parser.add_argument("--full", action="store_true", help="200 runs a cell of all worlds")
    parser.add_argument("--only", default="", help="worlds whose name holds this word")
    parser.add_argument("--goal", choices=GOALS, help="this goal alone")
    parser.add_argument("--left", action="store_true", help="compare estimates of the battles left")
    parser.add_argument("--parts", action="store_true", help="what the multiple is made of")
    parser.add_argument("--into", type=Path, help="file of finished blocks, to go on from [with --full runs.jsonl]")
    given = parser.parse_args()
    runs = given.runs or (200 if given.full else 2)
    only = given.only or ("" if given.full else "ladder of 6")
    cases = [(world, goal) for world, goal in CASES if only in world and goal == (given.goal or goal)]
    if given.left or given.parts:
        chosen = [one for one in CASES if given.only in one[0] and one[1] == (given.goal or one[1])]
        if given.left:
            return compare_estimates(chosen, given.runs or 80)
        return parts_of_multiple(
            [one for one in chosen if one[1] != "ranking" and "lead" not in one[0]], given.runs or 60
        )
    starts = range(0, runs, BLOCK)
    jobs: list[Job] = [
        (*case, policy, k, min(BLOCK, runs - k)) for k in starts for case in cases for policy in POLICIES
    ]
    done = resumed(block, jobs, given.into or (KEPT if given.full else None), given.processes)
    lines, table = [], []
    for world, goal in cases:
        P = truth(world)
        least = lower_bound(P, Goal.of(goal, len(P)))
        cells = []
        for policy in POLICIES:
            rows = np.array([r for job, found in done.items() if job[:3] == (world, goal, policy) for r in found])
            battles, wrong = np.where(rows[:, 0] == 0, MOST, rows[:, 0]), int(rows[:, 1].sum())
            times, error = battles.mean() / least, battles.std(ddof=1) / math.sqrt(len(rows)) / least
            most = "over " if (rows[:, 0] == 0).any() else ""
            near = np.mean((rows[:, 2:] >= 0.5) & (rows[:, 2:] <= 2), axis=0)
            own = policy == "adaptive"
            fine = bool(binom.sf(wrong - 1, len(rows), 1 - LEVEL) > 1e-3)
            fine &= not own or times - 2 * error <= TIMES[goal]
            note = f"wrong in {wrong} of {len(rows)}" + (
                f"; left within a factor of two: {', '.join(f'{x:.2f}' for x in near)}" if own else ""
            )
            wanted = f"at most {TIMES[goal]:g}" if own else ""
            lines.append(
                Line(f"{world}, {goal}: {policy}", wanted, f"{most}{times:.2f} ± {error:.2f}", fine or None, note)
            )
            cells.append(f"{most}{times:.2f} ± {error:.2f}" + (f" ({wrong} wrong)" if wrong else ""))
            shares = " / ".join(f"{x:.2f}" for x in near) if own else shares  # noqa: F821
            count = len(rows)
        table.append(f"| {world} | {goal} | {least:,.0f} | {count} | {' | '.join(cells)} | {shares} |")
    if given.format == "md":
        print("\n".join(table))
        return 0
    return show(f"Battles, as multiples of the lower bound, {runs:,} runs a cell", lines, given.format)


if __name__ == "__main__":
    sys.exit(main())
