"""See whether 95 % mean 95 % for boards by context that are shrunk toward the whole.

Strengths by context with known truth; battles simulated; the interval of every score in every context, from all battles and from the context's
own, held against the truth.

Run        python reproductions/contexts/reproduce.py                 (4 runs a world)
           python reproductions/contexts/reproduce.py --runs 100      (the table of the page on contexts)
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.special import expit

from beatpath import Battles, Factor
from beatpath.inference.contexts.context_boards import context_strengths, own_board
from beatpath.inference.contexts.context_data import context_counts
from beatpath.inference.ranks.rank_sets import rank_sets

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))
from script import print_worlds

AGENTS = 8
Z = 1.959964


@dataclass(frozen=True)
class World:
    """How many contexts there are, how many battles each has, and how strengths deviate."""

    name: str
    battles: tuple[int, ...]
    spread: float
    only: bool = False  # whether one context alone deviates
    prompts: int = 0  # battles of one prompt, which favours agents of its own; 0 for none
    length: float = 0.0  # log odds for an answer that is longer by one; better agents write shorter ones


EVEN_FEW, EVEN_MANY = (300,) * 3, (100,) * 20
UNEVEN_FEW, UNEVEN_MANY = (2000, 200, 20), tuple(int(x) for x in np.geomspace(800, 10, 20))
WORLDS = [
    World(f"{many}, {sampled}, {how}", battles, spread, only, prompts)
    for many, sampled, battles in (
        ("3 contexts", "300 battles each", EVEN_FEW),
        ("3 contexts", "2,000, 200 and 20 battles", UNEVEN_FEW),
        ("20 contexts", "100 battles each", EVEN_MANY),
        ("20 contexts", "800 down to 10 battles", UNEVEN_MANY),
    )
    for how, spread, only, prompts in (
        ("no deviations", 0.0, False, 0),
        ("spread 0.3", 0.3, False, 0),
        ("spread 1", 1.0, False, 0),
        ("one context of spread 1", 1.0, True, 0),
        ("spread 0.3, 5 battles a prompt that agree", 0.3, False, 5),
    )
]
WORLDS += [
    World(f"{many}, spread 0.3, judges like length", battles, 0.3, length=0.5)
    for many, battles in (("3 contexts, 300 battles each", EVEN_FEW), ("20 contexts, 100 battles each", EVEN_MANY))
]


def mean_win_rate(eta):
    """The mean win rate of every agent against the others, by context."""
    m = expit(eta[:, :, None] - eta[:, None, :])
    return (m.sum(axis=2) - 0.5) / (eta.shape[1] - 1)


def simulated(world, rng):
    """True strengths by context, and battles."""
    C = len(world.battles)
    deviation = rng.normal(0, world.spread, (C, AGENTS))
    if world.only:
        deviation[1:] = 0
    eta = rng.normal(0, 0.6, AGENTS) + deviation
    context = np.repeat(np.arange(C), world.battles)
    a = rng.integers(AGENTS, size=len(context))
    b = (a + rng.integers(1, AGENTS, size=len(context))) % AGENTS
    lead = eta[context, a] - eta[context, b]
    prompt = np.arange(len(context)) // max(world.prompts, 1)
    if world.prompts:
        taste = rng.normal(0, 0.8, (prompt.max() + 1, AGENTS))
        lead = lead + taste[prompt, a] - taste[prompt, b]
    longer = np.zeros(len(context))
    if world.length:
        longer = rng.normal(eta.mean(axis=0)[b] - eta.mean(axis=0)[a], 1)
    outcome = (rng.random(len(context)) < expit(lead + world.length * longer)).astype(float)
    factors = {"task": Factor.of(f"c{k:02d}" for k in context)}
    if world.prompts:
        factors["cluster"] = Factor.of(prompt)
    names = tuple(f"agent {i}" for i in range(AGENTS))
    return eta, Battles(
        names, a.astype(np.int32), b.astype(np.int32), outcome, factors=factors, covariates={"longer": longer}
    )


def truth_of(world, eta, rng):
    """True scores; where prompts have tastes of their own, means over them."""
    if not world.prompts:
        return mean_win_rate(eta)
    return np.mean([mean_win_rate(eta + rng.normal(0, 0.8, eta.shape)) for _ in range(4000)], axis=0)


def trial(world, seed):
    """One run: what was covered, how wide it was, how far off, by all battles and by the context's own."""
    rng = np.random.default_rng([seed, WORLDS.index(world)])
    eta, battles = simulated(world, rng)
    truth = truth_of(world, eta, rng)
    strengths = context_strengths(context_counts(battles, "task", covariates=["longer"] if world.length else []))
    rows = {"shrunk": [], "own": []}
    wrong, gains, called = [], [], []
    for k, name in enumerate(strengths.data.contexts):
        shrunk, own = strengths.board({name: 1.0}), own_board(strengths, name)
        seen = np.isfinite(own.score)  # who has no battles in a context has no score of its own there
        for way, board in (("shrunk", shrunk), ("own", own)):
            reach = Z * np.sqrt(np.diag(board.covariance))
            off = board.score - truth[k]
            low, high = np.clip(board.score - reach, 0, 1), np.clip(board.score + reach, 0, 1)
            rows[way].append(
                [np.mean(np.abs(off)[seen] <= reach[seen]), np.mean((high - low)[seen]), np.mean(off[seen] ** 2)]
            )
        above = rank_sets(shrunk, draws=2000).above
        wrong.append((above & (truth[k][:, None] < truth[k][None, :])).any())
    for i, agent in enumerate(battles.agents):
        gain, more = strengths.gain(agent, "c00", "c01", 0.95), truth[0, i] - truth[1, i]
        gains.append(gain.low <= more <= gain.high)
        called.append((gain.low > 0 and more <= 0) or (gain.high < 0 and more >= 0))
    mixed = strengths.board({name: 1 / len(truth) for name in strengths.data.contexts})
    reach = Z * np.sqrt(np.diag(mixed.covariance))
    return {
        **{way: np.mean(each, axis=0).tolist() for way, each in rows.items()},
        "thinnest": {way: each[-1] for way, each in rows.items()},
        "wrong": float(np.mean(wrong)),
        "mixture": float(np.mean(np.abs(mixed.score - truth.mean(axis=0)) <= reach)),
        "gain": float(np.mean(gains)),
        "called": float(np.mean(called)),
        "spread": strengths.fit.spread,
    }


def summary(world, runs):
    """One row of the table."""

    def mean(get):
        return float(np.mean([get(run) for run in runs]))

    return {
        "world": world.name,
        "covered": mean(lambda r: r["shrunk"][0]),
        "own battles": mean(lambda r: r["own"][0]),
        "width of own": mean(lambda r: r["shrunk"][1]) / mean(lambda r: r["own"][1]),
        "error of own": (mean(lambda r: r["shrunk"][2]) / mean(lambda r: r["own"][2])) ** 0.5,
        "last context": mean(lambda r: r["thinnest"]["shrunk"][0]),
        "mixture": mean(lambda r: r["mixture"]),
        "gain": mean(lambda r: r["gain"]),
        "false gain": mean(lambda r: r["called"]),
        "wrong order": mean(lambda r: r["wrong"]),
        "spread": mean(lambda r: r["spread"]),
    }


if __name__ == "__main__":
    print_worlds(__doc__, WORLDS, trial, summary)
