"""Worlds whose truth is known: the scores every agent would have with data without end, and data drawn from them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr

from beatpath import Battles, Factor, Scores
from beatpath.evidence import Evidence

Array = NDArray[np.float64]
TIED = 0.15  # share of battles that end in a tie, whoever plays


@dataclass(frozen=True)
class World:
    """What is true, how to draw from it, and whether a method that ignores dependence is to be shown beside ours.

    `values` are the true win rates, agents by agents, or for mean scores the true means.
    """

    name: str
    values: Array
    draw: Callable[[np.random.Generator], Evidence]
    estimand: str = "uniform"
    naive: bool = False

    def truth(self, evidence: Evidence) -> Array:
        """The true scores; a mean win rate is over the opponents that an agent met."""
        if self.values.ndim == 1:
            return self.values
        pairs = evidence.pairs()  # type: ignore[union-attr]
        met = np.zeros(self.values.shape, dtype=bool)
        met[pairs.a, pairs.b] = met[pairs.b, pairs.a] = True
        return (self.values * met).sum(axis=1) / met.sum(axis=1)


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


def independent(n: int, battles: int, spread: float, tied: int = 1, skew: float = 0.0) -> World:
    """Battles drawn one by one; with `skew` popular agents meet more often, and every pair meets once at least."""
    theta = strengths(n, spread, tied)
    i, j = np.triu_indices(n, 1)
    popular = np.exp(-skew * np.arange(n) / n)
    share = popular[i] * popular[j] / (popular[i] * popular[j]).sum()
    rates = TIED / 2 + (1 - TIED) * expit(theta[:, None] - theta[None, :])

    def draw(rng: np.random.Generator) -> Battles:
        pair = np.concatenate([np.arange(len(i)), rng.choice(len(i), battles - len(i), p=share)])
        outcome = played(rates[i[pair], j[pair]], rng)
        return Battles(names(n), i[pair].astype(np.int32), j[pair].astype(np.int32), outcome)

    kind = f"skewed sampling ({1 / np.exp(-skew):.0f} to 1)" if skew else "independent battles"
    return World(f"{kind}, {n} agents, {battles:,} battles{alike(spread, tied)}", rates, draw)


def clustered(n: int, clusters: int, size: int, luck: float, spread: float, tied: int = 1) -> World:
    """Prompts with `size` battles each, an agent being better or worse on a prompt in all of its battles there."""
    theta = strengths(n, spread, tied)
    node, weight = np.polynomial.hermite_e.hermegauss(60)
    lead = theta[:, None, None] - theta[None, :, None] + np.sqrt(2) * luck * node
    rates = TIED / 2 + (1 - TIED) * (expit(lead) @ weight) / weight.sum()
    i, j = np.triu_indices(n, 1)

    def draw(rng: np.random.Generator) -> Battles:
        prompt = np.repeat(np.arange(clusters), size)
        few = rng.integers(len(i), size=(clusters, 2))  # two pairs a prompt, again and again: strong dependence
        pair = few[prompt, rng.integers(2, size=len(prompt))]
        on_prompt = theta + rng.normal(0, luck, (clusters, n))
        lead = on_prompt[prompt, i[pair]] - on_prompt[prompt, j[pair]]
        outcome = played(TIED / 2 + (1 - TIED) * expit(lead), rng)
        cluster = Factor.coded(prompt, [f"prompt {k:06d}" for k in range(clusters)])
        return Battles(
            names(n), i[pair].astype(np.int32), j[pair].astype(np.int32), outcome, factors={"cluster": cluster}
        )

    name = f"clustered battles, {n} agents, {clusters} prompts of {size}{alike(spread, tied)}"
    return World(name, rates, draw, naive=True)


def table(n: int, tasks: int, spread: float, tied: int = 1, runs: int = 1, estimand: str = "uniform") -> World:
    """Scores of agents on tasks: strength, luck on the task, and luck of the run where there are several."""
    theta = strengths(n, spread, tied)
    on_task, on_run = 1.0, 1.0 if runs > 1 else 0.0
    rates = ndtr((theta[:, None] - theta[None, :]) / np.sqrt(2 * (on_task**2 + on_run**2)))

    def draw(rng: np.random.Generator) -> Scores:
        level = theta[:, None] + rng.normal(0, on_task, (n, tasks)) + 2 * rng.normal(size=tasks)
        value = level[:, :, None] + on_run * rng.normal(size=(n, tasks, runs))
        agent, task, _ = np.indices(value.shape)
        factor = Factor.coded(task.ravel(), [f"task {t:04d}" for t in range(tasks)])
        return Scores(names(n), agent.ravel().astype(np.int32), value.ravel(), {"task": factor})

    values = theta if estimand == "mean_score" else rates
    each = f" with {runs} runs each" if runs > 1 else ""
    kind = "mean scores" if estimand == "mean_score" else "score table"
    return World(f"{kind}, {n} agents, {tasks} tasks{each}{alike(spread, tied)}", values, draw, estimand, naive=True)


def played(rate: Array, rng: np.random.Generator) -> Array:
    """Outcomes with the given mean, of which a share `TIED` are ties."""
    win = (rate - TIED / 2) / (1 - TIED)
    decided = (rng.random(len(rate)) < win).astype(np.float64)
    return np.where(rng.random(len(rate)) < TIED, 0.5, decided)


def alike(spread: float, tied: int) -> str:
    """What is said of agents that are truly tied."""
    if not spread:
        return ", all equal"
    return f", tied in groups of {tied}" if tied > 1 else ""
