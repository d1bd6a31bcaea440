"""Worlds whose truth is known: the scores every agent would have with data without end, and data drawn from them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr

from beatpath import Battles, Factor, Pairs, Scores
from beatpath.evidence import Evidence

Array = NDArray[np.float64]
TIED = 0.15  # share of battles that end in a tie, whoever plays


@dataclass(frozen=True)
class World:
    """What is true, how to draw from it, and whether a method that ignores dependence is to be shown beside ours.

    `values` are the true win rates, agents by agents, or for mean scores the true means. `promised` is empty where 95 % is
    promised, and else the reason why it is not.
    """

    name: str
    values: Array
    draw: Callable[[np.random.Generator], Evidence]
    estimand: str = "mean_win_rate"
    naive: bool = False
    promised: str = ""

    def truth(self) -> Array:
        """The true scores; a mean win rate is over all other agents."""
        if self.values.ndim == 1:
            return self.values
        return (self.values.sum(axis=1) - np.diag(self.values)) / (len(self.values) - 1)


def true_ranks(truth: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The best and the worst true rank of every agent; agents that are truly tied share a range."""
    ahead = truth[None, :] - truth[:, None]
    return 1 + (ahead > 1e-12).sum(axis=1), len(truth) - (ahead < -1e-12).sum(axis=1)


def strengths(n: int, spread: float, tied: int) -> Array:
    """`n` strengths in equal steps from `spread` down to minus `spread`, `tied` agents sharing each."""
    step = np.arange(n) // tied
    return spread * (1 - 2 * step / max(step[-1], 1)) if spread else np.zeros(n)


def names(n: int) -> tuple[str, ...]:
    """Names in the order of the strengths."""
    return tuple(f"agent {i:03d}" for i in range(1, n + 1))


def deviations(n: int, tau: float) -> Array:
    """How far pairs lie from one scale: the same in every run."""
    drawn = np.triu(np.random.default_rng(n).normal(0, tau, (n, n)), 1)
    return drawn - drawn.T


def independent(n: int, battles: int, spread: float, tied: int = 1, skew: float = 0.0, tau: float = 0.0) -> World:
    """Battles drawn one by one; with `skew` popular agents meet more often, and every pair meets once at least."""
    theta = strengths(n, spread, tied)
    i, j = np.triu_indices(n, 1)
    popular = np.exp(-skew * np.arange(n) / n)
    share = popular[i] * popular[j] / (popular[i] * popular[j]).sum()
    rates = TIED / 2 + (1 - TIED) * np.clip(expit(theta[:, None] - theta[None, :]) + deviations(n, tau), 0.01, 0.99)

    def draw(rng: np.random.Generator) -> Battles:
        pair = np.concatenate([np.arange(len(i)), rng.choice(len(i), battles - len(i), p=share)])
        outcome = played(rates[i[pair], j[pair]], rng)
        return Battles(names(n), i[pair].astype(np.int32), j[pair].astype(np.int32), outcome)

    kind = f"skewed sampling ({1 / np.exp(-skew):.0f} to 1)" if skew else "independent battles"
    return World(f"{kind}, {n} agents, {battles:,} battles{off(tau)}{alike(spread, tied)}", rates, draw)


def sparse(n: int, share: float, each: float, spread: float, tau: float = 0.0) -> World:
    """A schedule on which few pairs meet, some of them often: neighbours always, others by chance, the same in every run."""
    theta, fixed = strengths(n, spread, 1), np.random.default_rng(n)
    i, j = np.triu_indices(n, 1)
    met = (fixed.random(len(i)) < share) | (j == i + 1)
    i, j = i[met], j[met]
    number = np.maximum(1, np.exp(fixed.normal(np.log(each), 1.0, len(i)))).astype(int)
    rates = np.clip(expit(theta[:, None] - theta[None, :]) + deviations(n, tau), 0.01, 0.99)

    def draw(rng: np.random.Generator) -> Pairs:
        won = rng.binomial(number, rates[i, j])
        return Pairs(names(n), i, j, np.column_stack([won, number - won, 0 * won, 0 * won]))

    return World(f"sparse schedule, {n} agents, {share:.0%} of pairs met{off(tau)}{alike(spread, 1)}", rates, draw)


def two_ways(n: int, prompts: int, users: int, battles: int, luck: float, spread: float) -> World:
    """Battles whose outcomes lean by prompt and by user; both columns are there, and none is named."""
    theta = strengths(n, spread, 1)
    node, weight = np.polynomial.hermite_e.hermegauss(60)
    rates = (expit(theta[:, None, None] - theta[None, :, None] + 2 * luck * node) @ weight) / weight.sum()

    def draw(rng: np.random.Generator) -> Battles:
        a = rng.integers(0, n, battles)
        b = (a + rng.integers(1, n, battles)) % n
        prompt, user = rng.integers(0, prompts, battles), rng.integers(0, users, battles)
        taste, likes = rng.normal(0, luck, (prompts, n)), rng.normal(0, luck, (users, n))
        lead = theta[a] - theta[b] + taste[prompt, a] - taste[prompt, b] + likes[user, a] - likes[user, b]
        factors = {
            "cluster": Factor.coded(prompt, [f"prompt {k:06d}" for k in range(prompts)]),
            "judge": Factor.coded(user, [f"user {k:06d}" for k in range(users)]),
        }
        won = (rng.random(battles) < expit(lead)).astype(np.float64)
        return Battles(names(n), a.astype(np.int32), b.astype(np.int32), won, factors=factors)

    return World(f"prompts and users, {n} agents, {battles:,} battles{alike(spread, 1)}", rates, draw, naive=True)


def position(n: int, battles: int, bias: float, spread: float) -> World:
    """The side shown first is preferred, and the first agent is shown first three times in four."""
    theta = strengths(n, spread, 1)
    lead = theta[:, None] - theta[None, :]
    rates = (expit(lead + bias) + expit(lead - bias)) / 2

    def draw(rng: np.random.Generator) -> Battles:
        a = rng.integers(0, n, battles)
        b = (a + rng.integers(1, n, battles)) % n
        first = np.where(a == 0, 0.75, np.where(b == 0, 0.25, 0.5))
        shown = np.where(rng.random(battles) < first, 1, -1).astype(np.int8)
        won = (rng.random(battles) < expit(theta[a] - theta[b] + bias * shown)).astype(np.float64)
        return Battles(names(n), a.astype(np.int32), b.astype(np.int32), won, position=shown)

    return World(f"one agent shown first, {n} agents, {battles:,} battles{alike(spread, 1)}", rates, draw)


def steered(n: int, battles: int) -> World:
    """Equal agents, of whom those that lead so far meet each other more often: who meets whom depends on outcomes."""

    def draw(rng: np.random.Generator) -> Pairs:
        won = np.zeros((n, n))
        for _ in range(battles // n):
            score = (won.sum(axis=1) + 1) / (won.sum(axis=1) + won.sum(axis=0) + 2) + rng.normal(0, 0.05, n)
            order = np.argsort(-score)
            for x, y in zip(order[::2], order[1::2], strict=False):
                up, down = (x, y) if rng.random() < 0.5 else (y, x)
                won[up, down] += 1
        i, j = np.nonzero(np.triu(won + won.T, 1))
        none = np.zeros(len(i))
        return Pairs(names(n), i, j, np.column_stack([won[i, j], won[j, i], none, none]))

    why = "outcomes steer who meets whom, which the condition excludes"
    return World(f"matchmaking, {n} agents, all equal", np.full((n, n), 0.5), draw, promised=why)


def clustered(
    n: int, clusters: int, size: int, luck: float, spread: float, tied: int = 1, *, unequal: bool = False
) -> World:
    """Prompts with `size` battles each, or so many on average, an agent being better or worse on a prompt in all of them."""
    theta = strengths(n, spread, tied)
    node, weight = np.polynomial.hermite_e.hermegauss(60)
    lead = theta[:, None, None] - theta[None, :, None] + np.sqrt(2) * luck * node
    rates = TIED / 2 + (1 - TIED) * (expit(lead) @ weight) / weight.sum()
    i, j = np.triu_indices(n, 1)

    def draw(rng: np.random.Generator) -> Battles:
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
        return Battles(
            names(n), i[pair].astype(np.int32), j[pair].astype(np.int32), outcome, factors={"cluster": cluster}
        )

    kind = "unequal clusters" if unequal else "clustered battles"
    name = f"{kind}, {n} agents, {clusters} prompts of {size}{alike(spread, tied)}"
    return World(name, rates, draw, naive=True)


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

    def draw(rng: np.random.Generator) -> Scores:
        level = theta[:, None] + rng.normal(0, on_task, (n, tasks)) + 2 * rng.normal(size=tasks)
        value = level[:, :, None] + on_run * rng.normal(size=(n, tasks, runs))
        kept = np.broadcast_to(rng.random((n, tasks, 1)) >= missing, value.shape)
        agent, task, _ = np.indices(value.shape)
        factor = Factor.coded(task[kept], [f"task {t:04d}" for t in range(tasks)])
        return Scores(names(n), agent[kept].astype(np.int32), value[kept], {"task": factor})

    values = theta if estimand == "mean_score" else rates
    each = (f" with {runs} runs each" if runs > 1 else "") + (f", {missing:.0%} of cells empty" if missing else "")
    kind = "mean scores" if estimand == "mean_score" else "score table"
    return World(f"{kind}, {n} agents, {tasks} tasks{each}{alike(spread, tied)}", values, draw, estimand, naive=True)


def played(rate: Array, rng: np.random.Generator) -> Array:
    """Outcomes with the given mean, of which a share `TIED` are ties."""
    win = (rate - TIED / 2) / (1 - TIED)
    decided = (rng.random(len(rate)) < win).astype(np.float64)
    return np.where(rng.random(len(rate)) < TIED, 0.5, decided)


def off(tau: float) -> str:
    """How far pairs lie from one scale."""
    return f", {100 * tau:g} points off one scale" if tau else ""


def alike(spread: float, tied: int) -> str:
    """What is said of agents that are truly tied."""
    if not spread:
        return ", all equal"
    return f", tied in groups of {tied}" if tied > 1 else ""
