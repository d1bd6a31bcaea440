"""Measures: false statements and false stops of an arena, over all looks, in over forty worlds whose truth is known.

Source     a promise of this package: what an arena calls certain holds at every look at once
Data       simulated here
Expected   at most 0.05 of runs with a false statement; a cell agrees if 0.05 leaves its share a chance of one in a thousand
Run        python reproductions/arena_worlds/reproduce.py             (2 runs a world of 2,000 battles)
           python reproductions/arena_worlds/reproduce.py --full      (200 runs a world of 10,000 battles, resumed from runs.jsonl)
           --runs N, --battles N, --only WORD, --into FILE, --format md; exit 1 where something is wrong too often
           --without floor: the variance without its floor; --without order: all battles answered count, in any order;
           --without few: predictions rest on battles of which many are pending

One battle is requested at a time and answered after its delay; a look comes after every 50 requests. Policies, predictions, boards, shares of
the error and the rule which battles count are those of an arena; the storage alone is left out.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from beatpath.arena.policy import chances
from beatpath.arena.stages import UNKNOWN, first_to_wait_for, rosters, stage_length
from beatpath.arena.standing import Goal
from beatpath.inference.anytime.anytime_board import AnytimeBoard, board_of, combined, radius_of
from beatpath.inference.anytime.stage import Stage, Sums, predictions
from beatpath.reports.reproduction import Line, show

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))
from resume import Job, resumed
from running import true_scores
from script import parser_of

Floats = NDArray[np.float64]
Delay = Callable[[Floats, np.random.Generator], Floats]  # of outcomes: how many requests later they are answered
LOOK, LEVEL, BLOCK = 50, 0.95, 5
SAVED = Path(__file__).with_name("runs.jsonl")


def ladder(*strengths: float, lapse: float = 0.0) -> Floats:
    """Win rates of strengths in log odds; with a lapse, the winner is random."""
    s = np.array(strengths)
    return lapse / 2 + (1 - lapse) / (1 + np.exp(s[None, :] - s[:, None]))


def tiers(count: int, size: int, gap: float, lapse: float = 0.0) -> Floats:
    """Tiers of equal agents."""
    return ladder(*np.repeat(gap * np.arange(count)[::-1], size), lapse=lapse)


def cycle(n: int, rate: float) -> Floats:
    """Each agent beats the half of the others that follow it."""
    ahead = (np.arange(n)[None, :] - np.arange(n)[:, None]) % n
    return np.where(ahead == 0, 0.5, np.where(2 * ahead < n, rate, np.where(2 * ahead > n, 1 - rate, 0.5)))


def of_blocks(seed: int, n: int) -> Floats:
    """Win rates of any kind, each pair its own, and a copy of the first agent."""
    P = np.triu(np.random.default_rng(seed).beta(0.4, 0.4, (n, n)), 1)
    P = P + np.tril(1 - P.T, -1) + 0.5 * np.eye(n)
    P[1], P[:, 1] = P[0], P[:, 0]
    P[0, 1] = P[1, 0] = P[0, 0] = P[1, 1] = 0.5
    return P


def later(x: Floats, by: float, side: float) -> Floats:
    """Outcomes on one side come later."""
    return np.where(x == side, by, 0.0)


@dataclass(frozen=True)
class World:
    """Win rates, and what else happens.

    Parameters
    ----------
    rate : (n, n) float
        Win rates.
    goal : str
        The goal.
    delay : function
        Of outcomes: how many requests later they are answered; infinite for never.
    changes : tuple of (int, tuple of int)
        From so many requests on these agents take part.
    goals : tuple of (int, str)
        From so many requests on this is the goal; "nearest" for the one that looks nearest to being settled then.
    ties : float
        Share of ties.
    spread : float
        Standard deviation of prompts, in win rate: of each battle, limited so that the mean stays.
    """

    rate: Floats
    goal: str = "ranking"
    delay: Delay | None = None
    changes: tuple[tuple[int, tuple[int, ...]], ...] = ()
    goals: tuple[tuple[int, str], ...] = ()
    ties: float = 0.0
    spread: float = 0.0


STEEP = tiers(6, 2, 4.0)
EQUAL8 = np.full((8, 8), 0.5)
TEN = tuple(range(10))
CLOSE = ladder(*np.repeat(np.linspace(0.6, -0.6, 4), 2))
WORLDS = {
    "tiers 4 apart, ranking": World(STEEP),
    "tiers 4 apart, first": World(STEEP, "first"),
    "tiers 4 apart, top 3": World(STEEP, "top 3"),
    "tiers 3 apart, first": World(tiers(6, 2, 3.0), "first"),
    "tiers 2 apart, ranking": World(tiers(6, 2, 2.0)),
    "tiers 1 apart, top 3": World(tiers(6, 2, 1.0), "top 3"),
    "tiers 8 apart, first": World(tiers(6, 2, 8.0), "first"),
    "two tiers of six, 6 apart": World(tiers(2, 6, 6.0), "top 3"),
    "tiers 4 apart, 2 % lapses": World(tiers(6, 2, 4.0, lapse=0.04), "first"),
    "tiers 8 apart, 1 % lapses": World(tiers(6, 2, 8.0, lapse=0.02)),
    "tiers 4 apart, 5 points": World(STEEP, "5 points apart"),
    "twenty agents in ten tiers": World(tiers(10, 2, 2.0), "first"),
    "three agents, two equal": World(ladder(3.0, 3.0, -3.0), "first"),
    "equal, ranking": World(EQUAL8),
    "equal, first": World(EQUAL8, "first"),
    "equal, top 3": World(EQUAL8, "top 3"),
    "two equal agents": World(np.full((2, 2), 0.5), "first"),
    "ladder of pairs, ranking": World(CLOSE),
    "ladder of pairs, first": World(CLOSE, "first"),
    "cycle of 70 %": World(cycle(7, 0.7)),
    "cycle of 99 %": World(cycle(7, 0.99), "first"),
    "cycle of 99 %, even": World(cycle(8, 0.99), "top 3"),
    "any win rates 1": World(of_blocks(1, 8)),
    "any win rates 2": World(of_blocks(2, 8), "first"),
    "any win rates 3": World(of_blocks(3, 12), "top 3"),
    "ties 80 %": World(EQUAL8, "first", ties=0.8),
    "ties 80 %, tiers": World(STEEP, "first", ties=0.8),
    "skewed prompts": World(EQUAL8, "first", spread=0.5),
    "skewed prompts, tiers": World(tiers(4, 2, 1.0), spread=0.2),
    "losses 150 later": World(EQUAL8, "first", delay=lambda x, rng: later(x, 150.0, 0.0)),
    "losses 150 later, tiers": World(STEEP, "first", delay=lambda x, rng: later(x, 150.0, 0.0)),
    "losses late by chance": World(EQUAL8, delay=lambda x, rng: later(x, 1.0, 0.0) * rng.exponential(300.0, len(x))),
    "wins 1,000 later": World(CLOSE, delay=lambda x, rng: later(x, 1000.0, 1.0)),
    "1 % of losses never": World(EQUAL8, "first", delay=lambda x, rng: np.where((x == 0) & (rng.random(len(x)) < 0.01), np.inf, 0.0)),
    "half of losses never": World(EQUAL8, delay=lambda x, rng: np.where((x == 0) & (rng.random(len(x)) < 0.5), np.inf, 0.0)),
    "an agent joins": World(ladder(*np.repeat(np.linspace(1, -1, 5), 2)), changes=((0, TEN[:-1]), (3000, TEN))),
    "agents join one by one": World(np.full((10, 10), 0.5), "first", changes=tuple((1000 * k, TEN[: 3 + k]) for k in range(8))),
    "the last retires, and again": World(np.full((10, 10), 0.5), changes=((0, TEN), (2000, TEN[1:]), (4000, TEN[2:]), (6000, TEN[3:]))),
    "one retires whenever it helps": World(EQUAL8, "first", changes=((0, tuple(range(8))), (2000, ()))),
    "one retires and joins again": World(tiers(4, 2, 3.0), "first", changes=((0, tuple(range(8))), (2000, tuple(range(1, 8))), (4000, tuple(range(8))))),
    "equal, goal changed late": World(EQUAL8, "first", goals=((5000, "top 3"), (7500, "ranking"))),
    "equal, goal changed to the nearest": World(EQUAL8, "first", goals=tuple((k, "nearest") for k in range(500, 10000, 500))),
    "tiers 4 apart, goal changed to the nearest": World(STEEP, "ranking", goals=tuple((k, "nearest") for k in range(500, 10000, 500))),
    "tiers 1 apart, goal changed late": World(tiers(6, 2, 1.0), "ranking", goals=((4000, "first"), (7000, "top 3"))),
    "ladder of pairs, goal changed to the nearest": World(CLOSE, "top 3", goals=tuple((k, "nearest") for k in range(500, 10000, 500))),
    "losses 150 later, goal changed late": World(EQUAL8, "ranking", delay=lambda x, rng: later(x, 150.0, 0.0), goals=((3000, "first"),)),
    "near tie of two, first": World(ladder(0.8, 0.8, *np.linspace(0.2, -1, 6)), "first"),
    "near tie at the cutoff, top 3": World(ladder(1.0, 0.9, 0.3, 0.3, 0.25, *np.linspace(0, -1, 5)), "top 3"),
    "steep near tie, top 3": World(ladder(6.0, 5.0, 2.0, 2.0, 2.0, -2.0, -4.0, -6.0), "top 3"),
}  # fmt: skip


def outcomes(world: World, a: NDArray[np.int64], b: NDArray[np.int64], rng: np.random.Generator) -> Floats:
    """Outcomes of battles for the first agent."""
    p = world.rate[a, b]
    if world.spread:
        p = p + np.minimum(world.spread, np.minimum(p, 1 - p)) * rng.choice([-1.0, 1.0], len(p))
    x = (rng.random(len(p)) < p).astype(float)
    return np.where(rng.random(len(p)) < world.ties, 0.5, x)


class Run:
    """One evaluation: battles in the order of their requests, and what a look at them shows."""

    def __init__(self, world: World, seed: list[int], without: str) -> None:
        self.world, self.without, self.rng = world, without, np.random.default_rng(seed)
        self.designs: list[
            tuple[tuple[int, ...], int, Floats, Floats]
        ] = []  # agents, first battle, chances, predictions
        self.at = np.zeros((3, 0), dtype=np.int64)  # stage and pair of every battle
        self.x, self.due = np.zeros(0), np.zeros(0)
        self.folded: dict[tuple[int, ...], tuple[int, Sums]] = {}
        self.claims: dict[tuple[int, int], None] = {}
        self.goal = world.goal

    def aim(self, n: int) -> Goal:
        """The goal now, with whether the arena was made for it."""
        return Goal.of(self.goal, n, own=self.goal == self.world.goal)

    def request(self, count: int, agents: tuple[int, ...]) -> None:
        """Request and play battles."""
        now = len(self.x)
        if not self.designs or self.designs[-1][0] != agents or self.answered(now) >= self.until:
            self.begin(agents)
        _, _, chance, _ = self.designs[-1]
        a, b = np.array(agents)[np.array(np.triu_indices(len(agents), 1))]
        sample = self.rng.choice(len(a), count, p=chance)
        x = outcomes(self.world, a[sample], b[sample], self.rng)
        stage = np.full(count, len(self.designs) - 1)
        self.at = np.concatenate([self.at, np.stack([stage, a[sample], b[sample]])], axis=1)
        self.x = np.append(self.x, x)
        wait = np.zeros(count) if self.world.delay is None else self.world.delay(x, self.rng)
        self.due = np.append(self.due, now + np.arange(count) + wait)

    def answered(self, now: int) -> int:
        """Number of battles answered."""
        return int((self.due < now).sum())

    def begin(self, agents: tuple[int, ...]) -> None:
        """Begin a stage."""
        n, now = len(agents), len(self.x)
        a, b = np.triu_indices(n, 1)
        counts = self.counted(agents, (self.due[: self.end(agents, UNKNOWN)] < now).nonzero()[0])
        predicted = predictions(a, b, counts[0], counts[1], n)
        goal = self.aim(n)
        chance = chances("adaptive", a, b, predicted, counts[0], self.look(agents), goal)
        self.designs.append((agents, now, chance, predicted))
        self.until = self.answered(now) + stage_length(self.answered(now), len(a))

    def counted(self, agents: tuple[int, ...], chosen: NDArray[np.int64]) -> Floats:
        """Battles, totals and squares of all pairs of these agents, of the chosen battles."""
        n = len(agents)
        number = np.full(len(self.world.rate), -1)
        number[list(agents)] = np.arange(n)
        i, j = number[self.at[1, chosen]], number[self.at[2, chosen]]
        chosen, i, j = chosen[(i >= 0) & (j >= 0)], i[(i >= 0) & (j >= 0)], j[(i >= 0) & (j >= 0)]
        place, x = i * (2 * n - i - 1) // 2 + j - i - 1, self.x[chosen]
        return np.array([np.bincount(place, w, n * (n - 1) // 2) for w in (np.ones(len(x)), x, x**2)])

    def stage(self, k: int, begin: int, end: int) -> Stage:
        """The battles of a stage from one number to another, those not answered as unknown."""
        agents, _, chance, predicted = self.designs[k]
        numbers = np.arange(begin, end)
        there = self.due[begin:end] < len(self.x)
        stage_ = Stage(*np.triu_indices(len(agents), 1), chance, predicted, *self.counted(agents, numbers[there]))
        if self.without == "order" or there.all():
            return stage_
        return stage_.with_unknown(self.counted(agents, numbers[~there])[0])

    def sums(self, agents: tuple[int, ...], end: int) -> Sums:
        """Sums over all stages in which these agents took part, of the battles before `end`; finished ones are cached."""
        done, sums = self.folded.get(agents, (0, Sums.none(len(agents), Goal.of(self.world.goal, sys.maxsize).best)))
        begins = [first for _, first, _, _ in self.designs]
        for k in range(done, len(self.designs)):
            after = begins[k + 1] if k + 1 < len(begins) else len(self.x)
            took = self.designs[k][0]
            if set(agents) <= set(took) and begins[k] < end:
                stage = self.stage(k, begins[k], min(after, end))
                sums = sums.plus(stage.among([took.index(one) for one in agents]))
            if after <= end and k + 1 < len(begins) and (self.due[begins[k] : after] < len(self.x)).all() and k == done:
                done, self.folded[agents] = k + 1, (k + 1, sums)
        return sums

    def end(self, agents: tuple[int, ...], unknown: float = np.inf) -> int:
        """How many battles count, or may have any outcome; of those answered, at most so many may."""
        if self.world.delay is None:
            return len(self.x)
        pending = (self.due >= len(self.x)).nonzero()[0]
        own = pending[np.isin(self.at[1:, pending], agents).all(axis=0)]
        if self.without == "order":
            return len(self.x)
        return first_to_wait_for((own + 1).tolist(), len(self.x), np.inf if self.without == "few" else unknown) - 1

    def look(self, agents: tuple[int, ...]) -> AnytimeBoard:
        """What somebody sees now, as `Arena.board` shows it."""
        n, goal = len(agents), self.aim(len(agents))
        end, reserved = self.end(agents), Goal.of(self.world.goal, n).reserved(n)
        shares = rosters([*(one[0] for one in self.designs), agents])
        boards = {
            one: self.plain(board_of([str(k) for k in one], self.sums(one, end), LEVEL, share, reserved), one, end)
            for one, share in shares.items()
            if len(set(one) & set(agents)) > 1
        }  # fmt: skip
        board = boards.pop(agents)
        board = combined(board, list(boards.values())) if boards else board
        claims, at = np.zeros((n, n), dtype=bool), {one: k for k, one in enumerate(agents)}
        for i, j in self.claims:
            if i in at and j in at:
                claims[at[i], at[j]], claims[at[j], at[i]] = True, False
        seen = goal.reached(replace(board, claims=claims) if self.claims else board)
        self.claims |= {(agents[i], agents[j]): None for i, j in np.argwhere(seen.above).tolist()}
        return seen

    def plain(self, board: AnytimeBoard, agents: tuple[int, ...], end: int) -> AnytimeBoard:
        """The board without the floor of its variance, on request."""
        if self.without != "floor" or len(agents) == 2 or not board.battles:
            return board
        weight = board.information + np.eye(len(agents))
        variance = self.sums(agents, end).variance / weight**2
        return replace(
            board, variance=variance, radius=radius_of(variance, board.information, board.alpha) + board.slack
        )


def run(world: World, seed: list[int], battles: int, without: str) -> list[float]:
    """Whether a false order was ever listed, the goal falsely settled, the goal settled, and when first."""
    made = Run(world, seed, without)
    agents = world.changes[0][1] if world.changes else tuple(range(len(world.rate)))
    truths: list[tuple[tuple[int, ...], Floats]] = []
    wrong = stopped = False
    settled = 0
    for now in range(0, battles, LOOK):
        for begin, members in world.changes[1:]:
            if begin == now:
                agents = members or _best_without(made, agents)
        for begin, goal_text in world.goals:
            if begin == now:
                made.goal, settled = goal_text if goal_text != "nearest" else _nearest(made, agents), 0
        if not truths or truths[-1][0] != agents:
            truths.append((agents, np.full(len(world.rate), np.nan)))
            truths[-1][1][list(agents)] = true_scores(world.rate[np.ix_(agents, agents)])
        made.request(LOOK, agents)
        seen = made.look(agents)
        wrong |= _false(np.array([(agents[i], agents[j]) for i, j in np.argwhere(seen.above).tolist()]), truths)
        goal, score = made.aim(len(agents)), truths[-1][1][list(agents)]
        if not settled and not goal.open_pairs(seen).any():
            settled = now + LOOK
            if goal.best:
                top = goal.top(seen)
                stopped |= wrong or (len(truths) == 1 and bool(score[top].min() <= score[~top].max() + 1e-12))
            else:
                far = np.abs(score[:, None] - score[None, :]) > max(goal.points, 1e-12)
                stopped |= wrong or bool((far & ~seen.above & ~seen.above.T).any())
    return [float(wrong), float(stopped), float(settled > 0), float(settled)]


def _nearest(made: Run, agents: tuple[int, ...]) -> str:
    """The goal that seems to lack the fewest battles, without being settled."""
    n, before, left = len(agents), made.goal, {}
    for text in ("first", "top 2", "top 3", "top 4", "ranking"):
        made.goal = text
        left[text] = made.aim(n).battles_left(made.look(agents)) or np.inf
    made.goal = before
    return min(left, key=left.__getitem__)


def _best_without(made: Run, agents: tuple[int, ...]) -> tuple[int, ...]:
    """The agents without the one whose removal separates the first two most."""
    options = [tuple(one for one in agents if one != gone) for gone in agents]
    before, boards = dict(made.claims), [made.look(one) for one in options]
    made.claims = before  # nobody was informed
    leads = [np.max(board.difference / np.maximum(board.radius, 1e-9)) for board in boards]
    return options[int(np.argmax(leads))]


def _false(pairs: NDArray[np.int64], truths: list[tuple[tuple[int, ...], Floats]]) -> bool:
    """Whether an order is true by the scores against none of the sets of agents that took part."""
    if not len(pairs):
        return False
    with np.errstate(invalid="ignore"):
        right = np.any([score[pairs[:, 0]] > score[pairs[:, 1]] + 1e-12 for _, score in truths], axis=0)
    return bool((~right).any())


def block(name: str, first: int, runs: int, battles: int, without: str) -> list[list[float]]:
    """Several runs of a world."""
    return [run(WORLDS[name], [37, seed, *name.encode()], battles, without) for seed in range(first, first + runs)]


def main() -> int:
    """Run all worlds and print them."""
    parser = parser_of(__doc__)
    parser.add_argument("--runs", type=int)
    parser.add_argument("--battles", type=int)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--only", default="", help="worlds whose name holds this word")
    parser.add_argument("--without", default="", choices=["", "floor", "order", "few"], help="leave out a correction")
    parser.add_argument("--into", type=Path, help="file of finished blocks, to go on from [with --full runs.jsonl]")
    given = parser.parse_args()
    runs, battles = given.runs or (200 if given.full else 2), given.battles or (10_000 if given.full else 2_000)
    path = given.into or (SAVED if given.full else None)
    names = [name for name in WORLDS if given.only in name]
    starts = range(0, runs, BLOCK)
    jobs: list[Job] = [(w, first, min(BLOCK, runs - first), battles, given.without) for first in starts for w in names]
    done = resumed(block, jobs, path, given.processes)
    lines, table = [], []
    for name in names:
        rows = np.array([row for job, result in done.items() if job[0] == name for row in result])
        wrong, stopped, settled, _ = rows.mean(axis=0)
        most = binom.ppf(0.999, len(rows), 1 - LEVEL) / len(rows)
        when = np.median(rows[rows[:, 2] > 0, 3]) if settled else np.nan
        note = f"falsely settled {stopped:.3f}; settled {settled:.2f}" + (f", half by {when:,.0f}" if settled else "")
        lines.append(Line(name, "at most 0.05", f"{wrong:.3f}", bool(max(wrong, stopped) <= most), note))
        table.append(f"| {name} | {WORLDS[name].goal} | {len(rows)} | {wrong:.3f} | {stopped:.3f} | {settled:.2f} |")
    if given.format == "md":
        print("\n".join(table))
        return 0
    return show(f"An arena at every look of {battles:,} battles, {runs:,} runs a world", lines, given.format)


if __name__ == "__main__":
    sys.exit(main())
