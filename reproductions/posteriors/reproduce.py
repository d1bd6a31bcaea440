"""Measures: whether posteriors are calibrated if the truth is sampled from their own prior (simulation-based calibration).

Source     Talts, Betancourt, Simpson, Vehtari, Gelman, "Validating Bayesian inference algorithms with simulation-based
           calibration" (2018): the rank of the truth among posterior draws is uniform
Data       simulated, worlds.py: 4 to 9 agents, all pairs or about 70 % of them, 1 to 100 battles a pair
Expected   uniform ranks: chi-square over 20 bins, p at least 0.001
Run        python reproductions/posteriors/reproduce.py             (60 truths a posterior)
           python reproductions/posteriors/reproduce.py --full      (1,000 truths, resumed from runs.jsonl)
           --runs N, --into FILE; exit 1 where ranks are not uniform

A rank of something discrete, such as a core or a place in a ranking, is sampled uniformly within its probability.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chisquare

from beatpath.fit.pairs import Prior, decided, fit_pairs
from beatpath.inference.core.core_posterior import core_posterior
from beatpath.methods.rating.bradley_terry.posterior import posterior_draws
from beatpath.reports.reproduction import Line, show
from beatpath.robustness import sco_posterior

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))
sys.path.insert(0, str(Path(__file__).parent))
from resume import resumed
from script import parser_of
from worlds import Array, core_world, counted, schedule, sco_ratings, sco_votes

BINS, BLOCK, DRAWS, SPREAD = 20, 20, 1_000, 2.0
LEAST = 0.001
FINISHED = Path(__file__).with_name("runs.jsonl")
Trial = Callable[[np.random.Generator], dict[str, float]]


def within(mass: Array, value: int, rng: np.random.Generator) -> float:
    """A uniform draw from the part of the distribution that a discrete value has: its randomized rank, from 0 to 1."""
    total = mass / mass.sum()
    return float(total[:value].sum() + rng.random() * total[value])


def core_trial(rng: np.random.Generator) -> dict[str, float]:
    """Ranks of the size of the core, and of whether the first agent is in it."""
    n, i, j, times = schedule(rng, 100)
    rates, inside = core_world(rng, n)
    posterior = core_posterior(counted(n, i, j, rng.binomial(times, rates[i, j]), times))
    first = posterior.probability[0]
    return {
        "size of the core": within(posterior.size, int(inside.sum()), rng),
        "an agent is in the core": within(np.array([1 - first, first]), int(inside[0]), rng),
    }


def bradley_terry_trial(rng: np.random.Generator) -> dict[str, float]:
    """Ranks of a strength above the mean, of a difference of two, and of the largest strength above the mean."""
    n, i, j, times = schedule(rng, 100)
    theta = rng.normal(0, SPREAD, n)
    won = rng.binomial(times, 1 / (1 + np.exp(theta[j] - theta[i]))).astype(np.float64)
    rows = decided(n, i, j, won, np.full(len(i), float(times)))
    mode = fit_pairs(rows, prior=Prior(precision=SPREAD**-2)).ended.x
    draws = posterior_draws(rows, SPREAD, mode, DRAWS, rng)

    def rank(of: Callable[[Array], NDArray[np.float64]]) -> float:
        return float((of(draws) < of(theta[None])[0]).mean())

    return {
        "a strength": rank(lambda x: x[:, 0] - x.mean(axis=1)),
        "a difference": rank(lambda x: x[:, 0] - x[:, 1]),
        "the largest strength": rank(lambda x: x.max(axis=1) - x.mean(axis=1)),
    }


def sco_trial(rng: np.random.Generator) -> dict[str, float]:
    """Ranks of an agent's place, and of the number of pairs that are ranked against the order of names."""
    n, i, j, times = schedule(rng, 20)
    theta = sco_ratings(rng, n, i, j, times)
    won = rng.binomial(times, sco_votes(theta, i, j))
    posterior = sco_posterior(counted(n, i, j, won, times), samples=DRAWS, seed=int(rng.integers(2**31)))
    share = np.array([row["probability"] for row in posterior.rankings])
    orders = np.array([[int(name) for name in row["ranking"].split(" > ")] for row in posterior.rankings])
    true = np.argsort(-theta)[None]

    def rank(of: Callable[[NDArray[np.int64]], NDArray[np.int64]]) -> float:
        value, most = of(orders), n * n
        return within(np.bincount(value, share, most), int(of(true)[0]), rng)

    def turned(order: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.triu(order[:, :, None] > order[:, None, :], 1).sum(axis=(1, 2))

    return {
        "the place of an agent": rank(lambda order: (order == 0).argmax(axis=1)),
        "pairs turned round": rank(turned),
    }


TRIALS: dict[str, Trial] = {
    "core": core_trial,
    "bradley_terry_posterior": bradley_terry_trial,
    "sco_posterior": sco_trial,
}


def block(name: str, first: int, runs: int) -> dict[str, list[float]]:
    """Ranks of some truths, by what is ranked."""
    every = [TRIALS[name](np.random.default_rng([seed, *name.encode()])) for seed in range(first, first + runs)]
    return {what: [round(one[what], 6) for one in every] for what in every[0]}


def main() -> int:
    """Draw truths, and test the uniformity of their ranks."""
    parser = parser_of(__doc__)
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--full", action="store_true", help="1,000 truths a posterior")
    parser.add_argument("--into", type=Path, help="file of finished blocks, to go on from [with --full runs.jsonl]")
    options = parser.parse_args()
    runs, path = 1_000 if options.full else options.runs, options.into or (FINISHED if options.full else None)
    jobs = [(name, first, min(BLOCK, runs - first)) for first in range(0, runs, BLOCK) for name in TRIALS]
    done = resumed(block, jobs, path, options.processes)
    lines = []
    for name in TRIALS:
        blocks = [done[job] for job in jobs if job[0] == name]
        for what in blocks[0]:
            ranks = np.concatenate([one[what] for one in blocks])
            counts = np.histogram(ranks, bins=BINS, range=(0, 1))[0]
            p = float(chisquare(counts).pvalue)
            low, high = (ranks < 0.025).mean(), (ranks > 0.975).mean()
            note = f"{low:.3f} below 2.5 %, {high:.3f} above 97.5 %"
            lines.append(Line(f"{name}: {what}", "uniform", f"p = {p:.2g}", p >= LEAST, note))
    return show(f"Simulation-based calibration, {runs:,} truths a posterior", lines, options.format)


if __name__ == "__main__":
    sys.exit(main())
