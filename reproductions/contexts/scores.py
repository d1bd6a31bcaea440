"""See whether 95 % mean 95 % for mean scores by context that are shrunk toward the whole.

Tables of agents by tasks with known strengths by context, tasks of their own difficulty, and errors that may be dependent within two kinds of
agents; the interval of every difference of an agent from the mean of all, from all scores and from the context's own, held against the truth.

Run        python reproductions/contexts/scores.py                 (4 runs a world)
           python reproductions/contexts/scores.py --runs 30      (the table of the page on contexts)
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import t

from beatpath import Factor, Scores
from beatpath.inference.contexts.context_boards import context_strengths, own_board
from beatpath.inference.contexts.context_means import context_means

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))
from script import print_worlds

AGENTS = 12


@dataclass(frozen=True)
class World:
    """How many tasks contexts have, how strengths deviate, whether kinds of agents err alike, and how many cells are empty."""

    name: str
    tasks: tuple[int, ...]
    spread: float
    alike: float = 0.0
    empty: float = 0.0


FEW, MANY = (3, 3, 3, 2, 3, 4), (60, 40, 20, 10)
WORLDS = [
    World(f"{many}; {how}", tasks, spread, alike, empty)
    for many, tasks in (("6 contexts of 2 to 4 tasks", FEW), ("4 contexts of 10 to 60 tasks", MANY))
    for how, spread, alike, empty in (
        ("no deviations", 0.0, 0.0, 0.0),
        ("spread 0.5", 0.5, 0.0, 0.0),
        ("spread 1.5", 1.5, 0.0, 0.0),
        ("spread 0.5; two kinds that err alike", 0.5, 0.5, 0.0),
        ("spread 0.5; a fifth of the cells empty", 0.5, 0.0, 0.2),
    )
]


def simulated(world, rng):
    """True strengths by context, and a table of scores."""
    C = len(world.tasks)
    eta = rng.normal(0, 1, AGENTS) + rng.normal(0, world.spread, (C, AGENTS))
    context = np.repeat(np.arange(C), world.tasks)
    T = len(context)
    kind = rng.normal(size=(2, T))[np.arange(AGENTS) % 2]
    error = np.sqrt(world.alike) * kind + np.sqrt(1 - world.alike) * rng.normal(size=(AGENTS, T))
    table = 50 + 10 * (eta[context].T + rng.normal(0, 1, C)[context] + rng.normal(0, 1, T) + error)
    table[rng.random(table.shape) < world.empty] = np.nan
    scores = Scores.from_table(table, [f"agent {i}" for i in range(AGENTS)], [f"t{k:03d}" for k in range(T)])
    task = scores.factors["task"]
    area = Factor.of([f"c{context[int(task.levels[code][1:])]:02d}" for code in task.codes])
    return 10 * eta, Scores(scores.agents, scores.agent, scores.value, {"task": task, "area": area})


def trial(world, seed):
    """One run: what was covered, how wide it was, how far off, by all scores and by the context's own."""
    rng = np.random.default_rng([seed, WORLDS.index(world)])
    eta, scores = simulated(world, rng)
    strengths = context_strengths(context_means(scores, "area"), "mean_score")
    P = np.eye(AGENTS) - 1 / AGENTS
    reach = float(t.ppf(0.975, strengths.data.levels.degrees))
    rows = {"shrunk": [], "own": []}
    for k, name in enumerate(strengths.data.contexts):
        for way, board in (("shrunk", strengths.board({name: 1.0})), ("own", own_board(strengths, name))):
            if not np.isfinite(board.score).all():
                continue
            off, wide = P @ (board.score - eta[k]), reach * np.sqrt(np.diag(P @ board.covariance @ P))
            rows[way].append([np.mean(np.abs(off) <= wide), np.mean(2 * wide), np.mean(off**2)])
    gains = []
    for i, agent in enumerate(scores.agents):
        gain, more = strengths.gain(agent, "c00", "c01", 0.95), (P @ (eta[0] - eta[1]))[i]
        gains.append(gain.low <= more <= gain.high)
    even = dict.fromkeys(strengths.data.contexts, 1 / len(eta))
    mixed = strengths.board(even)
    off, wide = P @ (mixed.score - eta.mean(axis=0)), reach * np.sqrt(np.diag(P @ mixed.covariance @ P))
    return {
        **{way: np.mean(each, axis=0).tolist() for way, each in rows.items()},
        "mixture": float(np.mean(np.abs(off) <= wide)),
        "gain": float(np.mean(gains)),
    }


def summary(world, runs):
    """One row of the table."""

    def mean(get):
        return float(np.mean([get(run) for run in runs]))

    return {
        "world": world.name,
        "covered": mean(lambda r: r["shrunk"][0]),
        "own scores": mean(lambda r: r["own"][0]),
        "width of own": mean(lambda r: r["shrunk"][1]) / mean(lambda r: r["own"][1]),
        "error of own": (mean(lambda r: r["shrunk"][2]) / mean(lambda r: r["own"][2])) ** 0.5,
        "mixture": mean(lambda r: r["mixture"]),
        "gain": mean(lambda r: r["gain"]),
    }


if __name__ == "__main__":
    print_worlds(__doc__, WORLDS, trial, summary)
