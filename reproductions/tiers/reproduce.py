"""Measures: how often tiers separate, at once, agents that are not so ordered in truth, in known worlds.

Source     a promise of this package: each form of tiers holds at once with 95 % confidence
Data       simulated, ../coverage/worlds.py
Expected   at most 0.05; a cell agrees if 0.05 leaves its share a chance of one in a thousand (binomial)
Run        python reproductions/tiers/reproduce.py             (6 runs a world)
           python reproductions/tiers/reproduce.py --full      (1,000 runs a world)
           --runs N, --only WORD; exit 1 where something is wrong too often
"""

import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from beatpath.inference.matrix.win_matrix import matrix_of
from beatpath.inference.ranks.rank_sets import rank_sets
from beatpath.inference.ranks.tiers import SCHEMES, Tiers, tiers
from beatpath.inference.scores.estimands import leaderboard
from beatpath.inference.win_rates.win_rates import win_rate_inference
from beatpath.reports.reproduction import Line, show

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))
sys.path.insert(0, str(Path(__file__).parents[1] / "coverage"))
from script import mapped, parser_of
from worlds import World, clustered, independent, sparse, table, truth_of

LEVEL = 0.95
BLOCK = 20  # runs a job
WORLDS = (
    independent(8, 2_800, 0.0),
    independent(8, 420, 0.0),
    independent(20, 4_000, 0.0),
    independent(12, 13_200, 0.25),
    independent(20, 4_000, 1.5, tied=2),
    sparse(30, 0.3, 40.0, 0.0),
    sparse(30, 0.3, 40.0, 1.0, tau=0.05),
    clustered(10, 200, 20, 2.0, 0.0),
    table(20, 60, 0.0),
    table(20, 60, 0.0, estimand="mean_score"),
    table(20, 60, 0.5, tied=2, estimand="mean_score"),
)


class Result(NamedTuple):
    """Of one run: whether each form separates falsely, and how many tiers, letters and groups there are."""

    false_top: float
    false_letters: float
    false_cuts: float
    top: float
    letters: float
    cuts: float


def run(world: World, seed: int) -> Result:
    """Draw once and hold every form of tiers against the truth."""
    evidence, values = world.draw(np.random.default_rng([seed, *world.name.encode()]))
    mean = world.estimand == "mean_score"
    board = (
        leaderboard(evidence, estimand=world.estimand)
        if mean
        else matrix_of(win_rate_inference(evidence)).leaderboard()
    )
    ranks = rank_sets(board, level=LEVEL, draws=4_000)
    truth = truth_of(values, np.zeros(len(values), dtype=np.int64))
    not_above = truth[:, None] - truth[None, :] <= 1e-12
    forms = [tiers(ranks, scheme) for scheme in SCHEMES]
    return Result(
        *(float((separated(form) & not_above).any()) for form in forms), *(float(len(form.groups)) for form in forms)
    )


def separated(tiers: Tiers) -> NDArray[np.bool_]:
    """Whom a form of tiers calls above whom: (n, n), read from what it shows and not from what it was made of."""
    n, score = len(tiers.agents), tiers.ranks.score
    above = np.zeros((n, n), dtype=bool)
    place = {name: i for i, name in enumerate(tiers.agents)}
    groups = [[place[name] for name in group] for group in tiers.groups]
    if tiers.scheme == "letters":
        share = np.zeros((n, n), dtype=bool)
        for group in groups:
            share[np.ix_(group, group)] = True
        return np.asarray(~share & (score[:, None] > score[None, :]))
    for k, group in enumerate(groups):
        heads = [i for i in group if score[i] == score[group].max()] if tiers.scheme == "top" else group
        for lower in groups[k + 1 :]:
            above[np.ix_(heads, lower)] = True
    return above


def block(world: int, first: int, n: int) -> list[Result]:
    """Several runs of the world with this number; worlds hold functions, which do not travel between processes."""
    return [run(WORLDS[world], seed) for seed in range(first, first + n)]


def lines_of(world: World, results: list[Result]) -> list[Line]:
    """What one world says: the share of boards with a false separation, form by form."""
    runs, mean = len(results), Result(*np.array(results).mean(axis=0))
    lines = []
    for scheme in SCHEMES:
        share = getattr(mean, f"false_{scheme}")
        right = bool(binom.sf(round(share * runs) - 1, runs, 1 - LEVEL) >= 1e-3)
        label = f"{world.name}: {scheme}" if not lines else f"  {scheme}"
        lines.append(Line(label, "at most 0.05", f"{share:.3f}", right, f"{getattr(mean, scheme):.1f} on average"))
    return lines


def main() -> int:
    """Run every world and print how often tiers are wrong."""
    parser = parser_of(__doc__)
    parser.add_argument("--runs", type=int, default=6)
    parser.add_argument("--full", action="store_true", help="1,000 runs a world")
    parser.add_argument("--only", default="", help="worlds whose name holds this word")
    options = parser.parse_args()
    runs = 1_000 if options.full else options.runs
    worlds = [world for world in WORLDS if options.only in world.name]
    size = min(BLOCK, runs)
    jobs = [(WORLDS.index(world), first, min(size, runs - first)) for world in worlds for first in range(0, runs, size)]
    results = iter(mapped(block, jobs, "blocks of runs", options.processes))
    lines = []
    for world in worlds:
        lines += lines_of(world, [one for _ in range(0, runs, size) for one in next(results)])
    return show(f"Boards with a false separation, {runs:,} runs a world", lines, options.format)


if __name__ == "__main__":
    sys.exit(main())
