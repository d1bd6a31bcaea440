"""Worlds whose truth is known: the scores every agent would have with data without end, and data simulated from them.

Where pairs deviate from Bradley-Terry, the deviations are sampled anew in every run: coverage is over deviations of that size.
"""

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, gamma, ndtr

from beatpath import Ballots, Battles, Factor, Pairs, Scores
from beatpath.evidence import Evidence

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
TIED = 0.15  # share of battles that end in a tie, whoever plays
ADAPTIVE = "outcomes decide who meets whom, which the condition excludes"
MEAN = "mean_score"  # worlds whose truth is a mean score; elsewhere it is a win-rate matrix
# Scores of agents on tasks, (agents, tasks), and their mean; what a row shares makes scores of one task alike.
SHAPES: dict[str, tuple[Callable[[np.random.Generator, int, int], Array], float]] = {
    "normal": (lambda rng, n, t: rng.normal(size=t) + rng.normal(size=(n, t)), 0.0),
    "uniform": (lambda rng, n, t: rng.random((n, t)), 0.5),
    "exponential": (lambda rng, n, t: rng.exponential(size=t) * rng.gamma(4, 0.25, (n, t)), 1.0),
    "Weibull": (lambda rng, n, t: rng.weibull(0.8, (n, t)), float(gamma(1 + 1 / 0.8))),
    "log-normal": (lambda rng, n, t: np.exp(0.7 * rng.normal(size=t) + 0.6 * rng.normal(size=(n, t))), np.exp(0.425)),
    "rarely solved": (lambda rng, n, t: (rng.random((n, t)) < 0.2 * rng.beta(1, 2, t)) * 1.0, 0.2 / 3),
    "mostly solved": (lambda rng, n, t: (rng.random((n, t)) < rng.beta(9, 1, t)) * 1.0, 0.9),
    "mixed": (lambda rng, n, t: rng.normal(size=(n, t)) + 6 * (rng.random(t) < 0.25), 1.5),
    "nearly perfect": (lambda rng, n, t: rng.beta(3, 0.4, (n, t)), 3 / 3.4),
}


@dataclass(frozen=True)
class World:
    """How to draw data and the truth behind them, and whether a method that ignores dependence is to be shown beside ours.

    What is simulated are evidence and the true win rates, agents by agents, or for mean scores the true means. `promised` is empty
    where 95 % is promised, and else the reason why it is not.
    """

    name: str
    draw: Callable[[np.random.Generator], tuple[Evidence, Array]]
    estimand: str = "auto"
    naive: bool = False
    promised: str = ""


def truth_of(values: Array, part: Ints, hubs: Sequence[int] = ()) -> Array:
    """The true scores: means as they are, or mean win rates against the agents of one's component, or against the hubs."""
    if values.ndim == 1:
        return values
    n = len(values)
    against = np.isin(np.arange(n), hubs) if hubs else np.ones(n, dtype=bool)
    faced = (part[:, None] == part[None, :]) & against & ~np.eye(n, dtype=bool)
    number = faced.sum(axis=1)
    return np.asarray(np.where(number > 0, (values * faced).sum(axis=1) / np.maximum(number, 1), 0.5))


def true_ranks(truth: Array, part: Ints) -> tuple[Ints, Ints]:
    """The best and the worst true rank of every agent in its component; agents that are truly tied share a range."""
    same = part[:, None] == part[None, :]
    ahead = truth[None, :] - truth[:, None]
    return 1 + (same & (ahead > 1e-12)).sum(axis=1), same.sum(axis=1) - (same & (ahead < -1e-12)).sum(axis=1)


def strengths(n: int, spread: float, tied: int) -> Array:
    """`n` strengths in equal steps from `spread` down to minus `spread`, `tied` agents sharing each."""
    step = np.arange(n) // tied
    return spread * (1 - 2 * step / max(step[-1], 1)) if spread else np.zeros(n)


def names(n: int) -> tuple[str, ...]:
    """Names in the order of the strengths."""
    return tuple(f"agent {i:03d}" for i in range(1, n + 1))


def deviating(rates: Array, tau: float, rng: np.random.Generator) -> Array:
    """Rates that lie off the given ones by `tau`, inside 0.01 and 0.99."""
    if not tau:
        return rates
    deviation = np.triu(rng.normal(0, tau, rates.shape), 1)
    return np.asarray(np.clip(rates + deviation - deviation.T, 0.01, 0.99))


def on_scale(theta: Array) -> Array:
    """The win rates of strengths."""
    return np.asarray(expit(theta[:, None] - theta[None, :]))


def counted(rates: Array, i: Ints, j: Ints, number: Ints, rng: np.random.Generator) -> Pairs:
    """Independent battles of some pairs, counted."""
    won = rng.binomial(number, rates[i, j])
    return Pairs(names(len(rates)), i, j, np.column_stack([won, number - won, 0 * won, 0 * won]))


def independent(n: int, battles: int, spread: float, tied: int = 1, skew: float = 0.0, tau: float = 0.0) -> World:
    """Battles simulated one by one; with `skew` popular agents meet more often, and every pair meets once at least."""
    theta = strengths(n, spread, tied)
    i, j = np.triu_indices(n, 1)
    popular = np.exp(-skew * np.arange(n) / n)
    share = popular[i] * popular[j] / (popular[i] * popular[j]).sum()

    def draw(rng: np.random.Generator) -> tuple[Battles, Array]:
        rates = TIED / 2 + (1 - TIED) * deviating(on_scale(theta), tau, rng)
        pair = np.concatenate([np.arange(len(i)), rng.choice(len(i), battles - len(i), p=share)])
        outcome = played(rates[i[pair], j[pair]], rng)
        return Battles(names(n), i[pair].astype(np.int32), j[pair].astype(np.int32), outcome), rates

    kind = f"skewed sampling ({1 / np.exp(-skew):.0f} to 1)" if skew else "independent battles"
    return World(f"{kind}, {n} agents, {battles:,} battles{off(tau)}{alike(spread, tied)}", draw)


def sparse(n: int, share: float, each: float, spread: float, tau: float = 0.0) -> World:
    """A schedule on which few pairs meet, some of them often: neighbours always, others by chance, the same in every run."""
    theta, fixed = strengths(n, spread, 1), np.random.default_rng(n)
    i, j = np.triu_indices(n, 1)
    played = (fixed.random(len(i)) < share) | (j == i + 1)
    i, j = i[played], j[played]
    number = np.maximum(1, np.exp(fixed.normal(np.log(each), 1.0, len(i)))).astype(int)

    def draw(rng: np.random.Generator) -> tuple[Pairs, Array]:
        rates = deviating(on_scale(theta), tau, rng)
        return counted(rates, i, j, number, rng), rates

    return World(f"sparse schedule, {n} agents, {share:.0%} of pairs met{off(tau)}{alike(spread, 1)}", draw)


def even(n: int, each: int, spread: float, tau: float = 0.0) -> World:
    """Every pair meets as often; with few battles fitting takes up much of them."""
    i, j = np.triu_indices(n, 1)
    theta = strengths(n, spread, 1)

    def draw(rng: np.random.Generator) -> tuple[Pairs, Array]:
        rates = deviating(on_scale(theta), tau, rng)
        return counted(rates, i, j, np.full(len(i), each), rng), rates

    return World(f"{each} battles of every pair, {n} agents{off(tau)}{alike(spread, 1)}", draw)


def schedule(kind: str, n: int, each: int, spread: float, tau: float = 0.0) -> World:
    """A star, all against the first, or a ring."""
    i = np.zeros(n - 1, dtype=np.int64) if kind == "star" else np.arange(n - 1)
    j = np.arange(1, n)
    if kind == "ring":
        i, j = np.append(i, 0), np.append(j, n - 1)
    theta = strengths(n, spread, 1)[np.random.default_rng(n).permutation(n)]

    def draw(rng: np.random.Generator) -> tuple[Pairs, Array]:
        rates = deviating(on_scale(theta), tau, rng)
        return counted(rates, i, j, np.full(len(i), each), rng), rates

    return World(f"{kind}, {n} agents, {each} battles a pair{off(tau)}{alike(spread, 1)}", draw)


def low_rank(n: int, each: int, size: float, band: int = 0) -> World:
    """Log odds that differ by what few hidden traits make of two agents; half of the pairs compared, or only agents near in time."""
    i, j = np.triu_indices(n, 1)

    def draw(rng: np.random.Generator) -> tuple[Pairs, Array]:
        x, y, theta = rng.normal(size=(3, n))
        rates = expit(0.5 * (theta[:, None] - theta[None, :]) + size * (np.outer(x, y) - np.outer(y, x)))
        played = (j - i <= band) if band else ((rng.random(len(i)) < 0.5) | (j == i + 1))
        return counted(rates, i[played], j[played], np.full(int(played.sum()), each), rng), rates

    who = f"only agents {band} or fewer apart met" if band else "half of the pairs met"
    why = "deviations of pairs never compared all depend on the same few traits, which nothing shows" if band else ""
    return World(f"deviations of low rank, {n} agents, {who}", draw, promised=why)


def real_schedule(path: Path, tau: float, spread: float) -> World:
    """The pairs and numbers of battles of Chatbot Arena's counts; strengths evenly apart in the order of names."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    agents = sorted({row["model_a"] for row in rows} | {row["model_b"] for row in rows})
    place, n = {name: k for k, name in enumerate(agents)}, len(agents)
    i, j = (np.array([place[row[side]] for row in rows]) for side in ("model_a", "model_b"))
    number = np.array([sum(int(row[c]) for c in ("wins_a", "wins_b", "ties", "ties_bothbad")) for row in rows])
    theta = strengths(n, spread, 1)[np.random.default_rng(n).permutation(n)]

    def draw(rng: np.random.Generator) -> tuple[Pairs, Array]:
        rates = deviating(on_scale(theta), tau, rng)
        return counted(rates, i, j, number, rng), rates

    return World(f"schedule of Chatbot Arena, {n} agents, 42% of pairs met{off(tau)}{alike(spread, 1)}", draw)


def two_ways(n: int, prompts: int, users: int, battles: int, luck: float, spread: float) -> World:
    """Battles whose outcomes lean by prompt and by user; both columns are there, and none is named."""
    theta = strengths(n, spread, 1)
    rates = _averaged(theta, 4 * luck**2)

    def draw(rng: np.random.Generator) -> tuple[Battles, Array]:
        a, b = random_pairs(n, battles, rng)
        prompt, user = rng.integers(0, prompts, battles), rng.integers(0, users, battles)
        taste, likes = rng.normal(0, luck, (prompts, n)), rng.normal(0, luck, (users, n))
        lead = theta[a] - theta[b] + taste[prompt, a] - taste[prompt, b] + likes[user, a] - likes[user, b]
        factors = {
            "cluster": Factor.coded(prompt, [f"prompt {k:06d}" for k in range(prompts)]),
            "judge": Factor.coded(user, [f"user {k:06d}" for k in range(users)]),
        }
        won = (rng.random(battles) < expit(lead)).astype(np.float64)
        return Battles(names(n), a, b, won, factors=factors), rates

    return World(f"prompts and users, {n} agents, {battles:,} battles{alike(spread, 1)}", draw, naive=True)


def nested(n: int, users: int, prompts: int, each: int, luck: float, spread: float) -> World:
    """Users with prompts of their own, a few battles on each: outcomes lean by prompt and by user, and neither is named."""
    theta = strengths(n, spread, 1)
    rates = _averaged(theta, 4 * luck**2)
    prompt = np.repeat(np.arange(users * prompts), each)
    user = prompt // prompts
    factors = {
        "cluster": Factor.coded(prompt, [f"prompt {k:06d}" for k in range(users * prompts)]),
        "judge": Factor.coded(user, [f"user {k:06d}" for k in range(users)]),
    }

    def draw(rng: np.random.Generator) -> tuple[Battles, Array]:
        a, b = random_pairs(n, len(prompt), rng)
        taste, likes = rng.normal(0, luck, (users * prompts, n)), rng.normal(0, luck, (users, n))
        lead = theta[a] - theta[b] + taste[prompt, a] - taste[prompt, b] + likes[user, a] - likes[user, b]
        won = (rng.random(len(prompt)) < expit(lead)).astype(np.float64)
        return Battles(names(n), a, b, won, factors=factors), rates

    name = f"nested, {users} users of {prompts} prompts of {each} battles, {n} agents{alike(spread, 1)}"
    return World(name, draw, naive=True)


def position(n: int, battles: int, bias: float, spread: float) -> World:
    """The side shown first is preferred, and the first agent is shown first three times in four."""
    theta = strengths(n, spread, 1)
    lead = theta[:, None] - theta[None, :]
    rates = (expit(lead + bias) + expit(lead - bias)) / 2

    def draw(rng: np.random.Generator) -> tuple[Battles, Array]:
        a, b = random_pairs(n, battles, rng)
        first = np.where(a == 0, 0.75, np.where(b == 0, 0.25, 0.5))
        shown = np.where(rng.random(battles) < first, 1, -1).astype(np.int8)
        won = (rng.random(battles) < expit(theta[a] - theta[b] + bias * shown)).astype(np.float64)
        return Battles(names(n), a, b, won, position=shown), rates

    return World(f"one agent shown first, {n} agents, {battles:,} battles{alike(spread, 1)}", draw)


def matchmaking(n: int, battles: int) -> World:
    """Equal agents, of whom those that lead so far meet each other more often: who meets whom depends on outcomes."""

    def draw(rng: np.random.Generator) -> tuple[Pairs, Array]:
        won = np.zeros((n, n))
        for _ in range(battles // n):
            score = (won.sum(axis=1) + 1) / (won.sum(axis=1) + won.sum(axis=0) + 2) + rng.normal(0, 0.05, n)
            order = np.argsort(-score)
            for x, y in zip(order[::2], order[1::2], strict=False):
                up, down = (x, y) if rng.random() < 0.5 else (y, x)
                won[up, down] += 1
        return _of_matrix(won), np.full((n, n), 0.5)

    return World(f"matchmaking, {n} agents, all equal", draw, promised=ADAPTIVE)


def dropped(n: int, rounds: int, each: int) -> World:
    """Equal agents; after every round, pairs that look decided (two standard errors) are played no more."""
    i, j = np.triu_indices(n, 1)

    def draw(rng: np.random.Generator) -> tuple[Pairs, Array]:
        won, played, open_ = np.zeros(len(i)), np.zeros(len(i)), np.ones(len(i), dtype=bool)
        for _ in range(rounds):
            won[open_] += rng.binomial(each, 0.5, int(open_.sum()))
            played[open_] += each
            open_ &= np.abs(won - played / 2) < np.sqrt(played)
        full = np.zeros((n, n))
        full[i, j], full[j, i] = won, played - won
        return _of_matrix(full), np.full((n, n), 0.5)

    return World(f"pairs dropped once they look decided, {n} agents, all equal", draw, promised=ADAPTIVE)


def _of_matrix(won: Array) -> Pairs:
    i, j = np.nonzero(np.triu(won + won.T, 1))
    none = np.zeros(len(i))
    return Pairs(names(len(won)), i, j, np.column_stack([won[i, j], won[j, i], none, none]))


def clustered(
    n: int, clusters: int, size: int, luck: float, spread: float, tied: int = 1, *, unequal: bool = False
) -> World:
    """Prompts with `size` battles each, or so many on average, an agent being better or worse on a prompt in all of them."""
    theta = strengths(n, spread, tied)
    rates = TIED / 2 + (1 - TIED) * _averaged(theta, 2 * luck**2)
    i, j = np.triu_indices(n, 1)

    def draw(rng: np.random.Generator) -> tuple[Battles, Array]:
        sizes = np.full(clusters, size)
        if unequal:  # a heavy tail
            sizes = np.clip(size / 3 * (1 + rng.pareto(1.5, clusters)), 1, 40 * size).astype(int)
        prompt = np.repeat(np.arange(clusters), sizes)
        few = rng.integers(len(i), size=(clusters, 2))  # two pairs a prompt, again and again: strong dependence
        pair = few[prompt, rng.integers(2, size=len(prompt))]
        on_prompt = theta + rng.normal(0, luck, (clusters, n))
        lead = on_prompt[prompt, i[pair]] - on_prompt[prompt, j[pair]]
        outcome = played(TIED / 2 + (1 - TIED) * expit(lead), rng)
        cluster = Factor.coded(prompt, [f"prompt {k:06d}" for k in range(clusters)])
        a, b = i[pair].astype(np.int32), j[pair].astype(np.int32)
        return Battles(names(n), a, b, outcome, factors={"cluster": cluster}), rates

    kind = "unequal clusters" if unequal else "clustered battles"
    name = f"{kind}, {n} agents, {clusters} prompts of {size}{alike(spread, tied)}"
    return World(name, draw, naive=True)


def table(
    n: int,
    tasks: int,
    spread: float,
    tied: int = 1,
    runs: int = 1,
    estimand: str = "mean_win_rate",
    missing: float = 0.0,
) -> World:
    """Scores of agents on tasks: strength, luck on the task, and luck of the run where there are several; some cells empty."""
    theta = strengths(n, spread, tied)
    on_task, on_run = 1.0, 1.0 if runs > 1 else 0.0
    rates = ndtr((theta[:, None] - theta[None, :]) / np.sqrt(2 * (on_task**2 + on_run**2)))

    values = theta if estimand == "mean_score" else rates

    def draw(rng: np.random.Generator) -> tuple[Scores, Array]:
        level = theta[:, None] + rng.normal(0, on_task, (n, tasks)) + 2 * rng.normal(size=tasks)
        value = level[:, :, None] + on_run * rng.normal(size=(n, tasks, runs))
        observed = np.broadcast_to(rng.random((n, tasks, 1)) >= missing, value.shape)
        agent, task, _ = np.indices(value.shape)
        factor = Factor.coded(task[observed], [f"task {t:04d}" for t in range(tasks)])
        return Scores(names(n), agent[observed].astype(np.int32), value[observed], {"task": factor}), values

    each = (f" with {runs} runs each" if runs > 1 else "") + (f", {missing:.0%} of cells empty" if missing else "")
    kind = "mean scores" if estimand == "mean_score" else "score table"
    return World(f"{kind}, {n} agents, {tasks} tasks{each}{alike(spread, tied)}", draw, estimand, naive=True)


def panel(n: int, judges: int, each: int, taste: float, spread: float) -> World:
    """A few judges, each with tastes of its own for every agent, and many battles of each: judges are the clusters."""
    theta = strengths(n, spread, 1)
    rates = _averaged(theta, 2 * taste**2)

    def draw(rng: np.random.Generator) -> tuple[Battles, Array]:
        judge = np.repeat(np.arange(judges), each)
        a, b = random_pairs(n, len(judge), rng)
        likes = theta + rng.normal(0, taste, (judges, n))
        won = (rng.random(len(judge)) < expit(likes[judge, a] - likes[judge, b])).astype(np.float64)
        factors = {"judge": Factor.coded(judge, [f"judge {k:02d}" for k in range(judges)])}
        return Battles(names(n), a, b, won, factors=factors), rates

    return World(f"{judges} judges of {each} battles, {n} agents{alike(spread, 1)}", draw, naive=True)


def few_tasks(n: int, tasks: int, each: int, skill: float, spread: float) -> World:
    """Battles on a handful of tasks on which agents differ: the board is about these tasks, and so is the truth."""
    theta = strengths(n, spread, 1)

    def draw(rng: np.random.Generator) -> tuple[Battles, Array]:
        on_task = theta + rng.normal(0, skill, (tasks, n))
        task = np.repeat(np.arange(tasks), each)
        a, b = random_pairs(n, len(task), rng)
        won = (rng.random(len(task)) < expit(on_task[task, a] - on_task[task, b])).astype(np.float64)
        factors = {"task": Factor.coded(task, [f"task {k:02d}" for k in range(tasks)])}
        rates = expit(on_task[:, :, None] - on_task[:, None, :]).mean(axis=0)
        return Battles(names(n), a, b, won, factors=factors), rates

    return World(f"{tasks} tasks of {each} battles, {n} agents{alike(spread, 1)}", draw)


def newcomers(n: int, new: int, battles: int, spread: float) -> World:
    """Many battles of most agents, and one or two of each newcomer."""
    theta = strengths(n + new, spread, 1)
    known = np.arange(n)

    def draw(rng: np.random.Generator) -> tuple[Battles, Array]:
        a, b = random_pairs(n, battles, rng)
        late = np.repeat(np.arange(n, n + new), rng.integers(1, 3, new)).astype(np.int32)
        a, b = np.append(a, late), np.append(b, rng.choice(known, len(late)).astype(np.int32))
        rates = on_scale(theta)
        return Battles(names(n + new), a, b, (rng.random(len(a)) < rates[a, b]).astype(np.float64)), rates

    return World(
        f"{new} newcomers of one or two battles beside {n} agents, {battles:,} battles{alike(spread, 1)}", draw
    )


def home_side(n: int, rounds: int, bias: float, spread: float) -> World:
    """A league: every pair meets at either home `rounds` times, or once at a random home if `rounds` is zero."""
    theta = strengths(n, spread, 1)
    lead = theta[:, None] - theta[None, :]
    rates = (expit(lead + bias) + expit(lead - bias)) / 2
    i, j = np.triu_indices(n, 1)

    def draw(rng: np.random.Generator) -> tuple[Battles, Array]:
        if rounds:
            a, b = np.tile(np.concatenate([i, j]), rounds), np.tile(np.concatenate([j, i]), rounds)
        else:
            turned = rng.random(len(i)) < 0.5
            a, b = np.where(turned, j, i), np.where(turned, i, j)
        won = (rng.random(len(a)) < expit(lead[a, b] + bias)).astype(np.float64)
        home = np.ones(len(a), dtype=np.int8)
        return Battles(names(n), a.astype(np.int32), b.astype(np.int32), won, position=home), rates

    meets = f"{2 * rounds} matches of every pair" if rounds else "one match of every pair"
    return World(f"league with a home side, {n} teams, {meets}{alike(spread, 1)}", draw)


def cups(n: int, number: int, spread: float) -> World:
    """The schedule of knock-out cups of 32, fixed once: popular players meet more often, most pairs never."""
    theta, fixed = strengths(n, spread, 1), np.random.default_rng(n)
    popular = np.exp(-2 * np.arange(n) / n)
    rounds = []
    for _ in range(number):
        left = fixed.choice(n, 32, replace=False, p=popular / popular.sum())
        while len(left) > 1:
            rounds.append((left[::2], left[1::2]))
            left = np.where(fixed.random(len(left) // 2) < 0.5, *rounds[-1])
    a, b = (np.concatenate(side).astype(np.int32) for side in zip(*rounds, strict=True))

    def draw(rng: np.random.Generator) -> tuple[Battles, Array]:
        rates = on_scale(theta)
        return Battles(names(n), a, b, (rng.random(len(a)) < rates[a, b]).astype(np.float64)), rates

    return World(f"schedule of {number} cups, {n} players, {len(a):,} matches{alike(spread, 1)}", draw)


def heavy_cluster(n: int, sessions: int, battles: int, luck: float, spread: float) -> World:
    """Sessions of very unequal size: one has a third of all battles, with moods of its own."""
    theta = strengths(n, spread, 1)
    rates = _averaged(theta, 2 * luck**2)

    def draw(rng: np.random.Generator) -> tuple[Battles, Array]:
        session = np.where(rng.random(battles) < 1 / 3, 0, rng.integers(1, sessions, battles))
        a, b = random_pairs(n, battles, rng)
        mood = theta + rng.normal(0, luck, (sessions, n))
        won = (rng.random(battles) < expit(mood[session, a] - mood[session, b])).astype(np.float64)
        factors = {"cluster": Factor.coded(session, [f"session {k:04d}" for k in range(sessions)])}
        return Battles(names(n), a, b, won, factors=factors), rates

    return World(
        f"one of {sessions} sessions has a third of {battles:,} battles, {n} agents{alike(spread, 1)}", draw, naive=True
    )


def two_components(n: int, each: int, spread: float) -> World:
    """Two halves that never meet."""
    theta = strengths(n, spread, 1)
    i, j = np.triu_indices(n, 1)
    same = i % 2 == j % 2

    def draw(rng: np.random.Generator) -> tuple[Pairs, Array]:
        rates = on_scale(theta)
        return counted(rates, i[same], j[same], np.full(int(same.sum()), each), rng), rates

    return World(f"two components, {n} agents, {each} battles a pair{alike(spread, 1)}", draw)


def ranked_ballots(n: int, voters: int, spread: float) -> World:
    """Complete rankings by independent voters (Plackett-Luce)."""
    theta = strengths(n, spread, 1)

    def draw(rng: np.random.Generator) -> tuple[Ballots, Array]:
        order = np.argsort(-(theta + rng.gumbel(size=(voters, n))), axis=1).astype(np.int32)
        place = np.tile(np.arange(n, dtype=np.int32), voters)
        return Ballots(names(n), order.ravel(), place, np.arange(voters + 1) * n), on_scale(theta)

    return World(f"{voters} voters rank {n} candidates{alike(spread, 1)}", draw, naive=True)


def solved(n: int, tasks: int, spread: float, hard: float) -> World:
    """A table of tasks solved or not, difficulties spread widely: mean scores near 0 and 1, many tasks that all solve."""
    theta = strengths(n, spread, 1)
    node, weight = np.polynomial.hermite_e.hermegauss(60)
    means = expit(theta[:, None] - hard - 2 * node) @ weight / weight.sum()

    def draw(rng: np.random.Generator) -> tuple[Scores, Array]:
        lead = theta[:, None] - hard - 2 * rng.normal(size=tasks)
        value = (rng.random((n, tasks)) < expit(lead)).astype(np.float64)
        agent, task = np.indices(value.shape)
        factor = Factor.coded(task.ravel(), [f"task {t:04d}" for t in range(tasks)])
        return Scores(names(n), agent.ravel().astype(np.int32), value.ravel(), {"task": factor}), means

    return World(
        f"tasks solved or not, {n} agents, {tasks} tasks, {means.mean():.0%} solved{alike(spread, 1)}", draw, MEAN
    )


def skewed_scores(n: int, tasks: int, spread: float) -> World:
    """Scores with a long right tail, such as game scores; agents differ by a factor."""
    factor = np.exp(strengths(n, spread, 1))

    def draw(rng: np.random.Generator) -> tuple[Scores, Array]:
        value = factor[:, None] * np.exp(rng.normal(size=tasks) + 0.5 * rng.normal(size=(n, tasks)))
        agent, task = np.indices(value.shape)
        codes = Factor.coded(task.ravel(), [f"task {t:04d}" for t in range(tasks)])
        return Scores(names(n), agent.ravel().astype(np.int32), value.ravel(), {"task": codes}), factor * np.exp(0.625)

    return World(f"scores with a long tail, {n} agents, {tasks} tasks{alike(spread, 1)}", draw, MEAN)


def latencies(n: int, tasks: int, spread: float) -> World:
    """Times of tasks, lower being better, with a long tail; the slowest agent takes several times as long as the fastest."""
    factor = np.exp(-strengths(n, spread, 1))

    def draw(rng: np.random.Generator) -> tuple[Scores, Array]:
        value = factor[:, None] * np.exp(0.6 * rng.normal(size=tasks) + 0.4 * rng.normal(size=(n, tasks)))
        agent, task = np.indices(value.shape)
        tags = [f"task {t:04d}" for t in range(tasks)]
        codes, lower = Factor.coded(task.ravel(), tags), dict.fromkeys(tags, False)
        scores = Scores(
            names(n), agent.ravel().astype(np.int32), value.ravel(), {"task": codes}, higher_is_better=lower
        )
        return scores, -factor * np.exp(0.26)

    return World(f"latencies, {n} agents, {tasks} tasks{alike(spread, 1)}", draw)


def few_change(n: int, tasks: int) -> World:
    """Scores alike but for a share of the tasks, on which agents are better, by much on some: none for the last agent, 0.3 for the first."""
    share = np.linspace(0.3, 0.0, n)

    def draw(rng: np.random.Generator) -> tuple[Scores, Array]:
        better = (rng.random((n, tasks)) < share[:, None]) * rng.exponential(size=(n, tasks))
        value = 0.5 * rng.normal(size=tasks) + 0.02 * rng.normal(size=(n, tasks)) + better
        agent, task = np.indices(value.shape)
        codes = Factor.coded(task.ravel(), [f"task {t:04d}" for t in range(tasks)])
        return Scores(names(n), agent.ravel().astype(np.int32), value.ravel(), {"task": codes}), share

    return World(f"few tasks change, {n} agents, {tasks} tasks", draw)


def steady_and_risky(n: int, tasks: int) -> World:
    """Agents of equal means: half score much the same on every task, half have a long tail."""

    def draw(rng: np.random.Generator) -> tuple[Scores, Array]:
        value = np.exp(rng.normal(size=(n, tasks)))
        value[: n // 2] = np.exp(0.5) + 0.3 * rng.normal(size=(n // 2, tasks))
        agent, task = np.indices(value.shape)
        codes = Factor.coded(task.ravel(), [f"task {t:04d}" for t in range(tasks)])
        return Scores(names(n), agent.ravel().astype(np.int32), value.ravel(), {"task": codes}), np.full(n, np.exp(0.5))

    return World(f"steady and risky agents, {n} agents, {tasks} tasks, all equal", draw)


def seeds(n: int, tasks: int, runs: int, spread: float, sides: bool = False) -> World:
    """Equal agents, each trained with several seeds; a seed moves the scores on all tasks, by `spread` times the noise of one score.

    With `sides`, the runs are judges who like one half of the agents as much more as the other half less.
    """

    def draw(rng: np.random.Generator) -> tuple[Scores, Array]:
        shift = spread * rng.normal(size=(n, 1, runs))
        if sides:
            shift = shift[:1] * np.where(np.arange(n) < n / 2, 1, -1)[:, None, None]
        value = (
            rng.normal(size=(n, tasks, 1)) + rng.normal(size=(1, tasks, 1)) + shift + rng.normal(size=(n, tasks, runs))
        )
        agent, task, run = (one.ravel() for one in np.indices(value.shape))
        codes = Factor.coded(task, [f"task {t:04d}" for t in range(tasks)])
        labels = {"task": codes, "replicate": Factor.coded(run, [f"seed {r}" for r in range(runs)])}
        return Scores(names(n), agent.astype(np.int32), value.ravel(), labels), np.zeros(n)

    who = "judges who favor half of the agents on" if sides else "seeds that move"
    return World(f"{runs} {who} all of {tasks} tasks, {spread:g} times the noise, {n} agents, all equal", draw)


def nearly_alike(n: int, tasks: int, differ: float) -> World:
    """Tasks solved or not by equal agents that agree on nearly all of them."""

    def draw(rng: np.random.Generator) -> tuple[Scores, Array]:
        usual = (rng.random(tasks) < 0.7) * 1.0
        value = np.where(rng.random((n, tasks)) < differ, 1 - usual, usual)
        agent, task = np.indices(value.shape)
        codes = Factor.coded(task.ravel(), [f"task {t:04d}" for t in range(tasks)])
        scores = Scores(names(n), agent.ravel().astype(np.int32), value.ravel(), {"task": codes})
        return scores, np.full(n, 0.7 - 0.4 * differ)

    return World(f"agents that agree on {1 - differ:.0%} of {tasks} tasks, {n} agents, all equal", draw)


def shaped_scores(shape: str, n: int, tasks: int, missing: float = 0.0) -> World:
    """Equal agents with scores of a shape that no interval was chosen on; some cells empty."""
    sample, mean = SHAPES[shape]

    def draw(rng: np.random.Generator) -> tuple[Scores, Array]:
        value = sample(rng, n, tasks)
        agent, task = np.nonzero(rng.random(value.shape) >= missing)
        codes = Factor.coded(task, [f"task {t:04d}" for t in range(tasks)])
        return Scores(names(n), agent.astype(np.int32), value[agent, task], {"task": codes}), np.full(n, mean)

    empty = f", {missing:.0%} of cells empty" if missing else ""
    return World(f"{shape} scores, {n} agents, {tasks} tasks{empty}, all equal", draw, MEAN)


def items(n: int, tasks: int, each: int, spread: float) -> World:
    """Items within tasks: an agent is better or worse on all items of a task; tasks are the clusters."""
    theta = strengths(n, spread, 1)

    def draw(rng: np.random.Generator) -> tuple[Scores, Array]:
        value = theta[:, None, None] + rng.normal(size=(n, tasks, 1)) + rng.normal(size=(n, tasks, each))
        agent, task, item = (index.ravel() for index in np.indices(value.shape))
        factors = {
            "task": Factor.coded(task, [f"task {t:03d}" for t in range(tasks)]),
            "item": Factor.coded(task * each + item, [f"item {k:05d}" for k in range(tasks * each)]),
        }
        return Scores(names(n), agent.astype(np.int32), value.ravel(), factors), theta

    return World(f"{each} items in each of {tasks} tasks, {n} agents{alike(spread, 1)}", draw, MEAN)


def blocks(n: int, parts: int, tasks: int, shared: int, spread: float) -> World:
    """Blocks of agents, each with tasks of its own and a few that all blocks share; agents and tasks interact."""
    theta = strengths(n, spread, 1)[np.random.default_rng(n).permutation(n)]
    block = np.arange(n) % parts
    count = shared + parts * tasks
    owner = np.concatenate([np.full(shared, -1), np.repeat(np.arange(parts), tasks)])
    observed = (owner[None, :] == -1) | (owner[None, :] == block[:, None])

    def draw(rng: np.random.Generator) -> tuple[Scores, Array]:
        value = theta[:, None] + 2 * rng.normal(size=count) + rng.normal(size=(n, count))
        agent, task = np.nonzero(observed)
        factor = Factor.coded(task, [f"task {t:03d}" for t in range(count)])
        return Scores(names(n), agent.astype(np.int32), value[agent, task], {"task": factor}), theta

    who = f"{parts} blocks of {tasks} tasks with {shared} shared"
    return World(f"{who}, {n} agents{alike(spread, 1)}", draw, MEAN)


def _averaged(theta: Array, variance: float) -> Array:
    """Win rates of strengths averaged over a normal deviation of their difference."""
    node, weight = np.polynomial.hermite_e.hermegauss(60)
    return np.asarray(
        expit(theta[:, None, None] - theta[None, :, None] + np.sqrt(variance) * node) @ weight / weight.sum()
    )


def random_pairs(n: int, battles: int, rng: np.random.Generator) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Two different agents per battle, all pairs alike."""
    a = rng.integers(0, n, battles)
    return a.astype(np.int32), ((a + rng.integers(1, n, battles)) % n).astype(np.int32)


def played(rate: Array, rng: np.random.Generator) -> Array:
    """Outcomes with the given mean, of which a share `TIED` are ties."""
    win = (rate - TIED / 2) / (1 - TIED)
    decided = (rng.random(len(rate)) < win).astype(np.float64)
    return np.where(rng.random(len(rate)) < TIED, 0.5, decided)


def off(tau: float) -> str:
    """How far pairs deviate from Bradley-Terry."""
    return f", {100 * tau:g} points off one scale" if tau else ""


def alike(spread: float, tied: int) -> str:
    """What is stated of agents that are truly tied."""
    if not spread:
        return ", all equal"
    return f", tied in groups of {tied}" if tied > 1 else ""
