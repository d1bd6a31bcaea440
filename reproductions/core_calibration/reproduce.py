"""Measures: whether the core posterior is calibrated, in families of worlds whose core is known.

Source     a promise of this package: of agents stated to be in the core with 70 %, 70 % are
Data       simulated, families.py; the priors were chosen on other runs of the twelve families in the README
Expected   an expected calibration error (ECE) of at most 0.05 in each family
Run        python reproductions/core_calibration/reproduce.py              (12 worlds a family: a quick look)
           python reproductions/core_calibration/reproduce.py --full       (432 worlds a family; about half an hour)
           --runs N, --only WORD
"""

import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from beatpath import Pairs
from beatpath.inference.core.core_posterior import core_posterior
from beatpath.inference.core.worlds.ladders import PairWins, fit_ladder
from beatpath.inference.core.worlds.sample_cores import sample_cores
from beatpath.reports.reproduction import Line, show

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))
sys.path.insert(0, str(Path(__file__).parent))
from families import FAMILIES, Cell, World, worlds
from script import mapped, parser_of

Array = NDArray[np.float64]
FIRST, BLOCK, MOST, FULL = 20_000, 12, 0.05, 432
CHOSEN_ON = (
    *("ladders", "near ties", "two groups", "single upsets", "several upsets", "weak rings", "strong rings"),
    *("equal agents", "free edges", "clusters", "uneven schedules", "incomplete schedules"),
)  # families on other runs of which the priors were chosen
FEW = 200  # runs below which an error above the limit is chance as likely as not
REASONS = {
    "planted cores": "edges of 0.55 and 0.6 with 5 battles look like free edges",
    "free edges": "5 battles look like weak planted cores and ladders",
    "strengths with noise": "all or nothing a world: given s and tau, the error is that of the note",
    "rank-2 cyclic": "no such world is averaged",
    "single upsets": "with 30 battles a pair they look like ladders",
    "weak rings": "with 30 battles a pair they look like ladders",
    "unordered outsiders": "few battles look like free edges",
    "two groups": "with 30 battles a pair they look like a cycle at the top",
    "uniform strengths": "5 battles look like equal agents and cycles",
    "heavy-tailed strengths": "5 battles look like equal agents and cycles",
    "tied strengths": "a thousandth decides, and is not to be seen",
    "one ahead": "a field this close looks equal, though the one with the most wins is usually ahead",
    "judges with tastes: close strengths": "8 judges or fewer cannot tell them from equal agents",
    "judges with tastes: equal": "8 judges or fewer cannot tell them from close strengths",
    "judges with tastes: weak ring": "8 judges or fewer cannot tell it from a ladder",
}


class Result(NamedTuple):
    """One world: stated and true membership of each agent, of the core named, and the memberships given s and tau."""

    stated: Array
    true: NDArray[np.bool_]
    chance: float
    right: bool
    informed: Array | None


def run(name: str, cell: Cell, world: World) -> Result:
    """The core posterior of one world."""
    zero, names = 0 * world.won, tuple(f"{i:03d}" for i in range(world.n))
    counts = np.column_stack([world.won, world.lost, zero, zero])
    pairs, effect = Pairs(names, world.a, world.b, counts), world.design_effect
    posterior = core_posterior(pairs, design_effect=effect, shared_error=world.shared_error)
    right = set(posterior.most_probable) == {names[i] for i in np.flatnonzero(world.core)}
    spread_of = FAMILIES[name].spread_of
    return Result(
        posterior.probability,
        world.core,
        posterior.most_probable_probability,
        right,
        None if spread_of is None else informed_memberships(world, *spread_of(cell)),
    )


def informed_memberships(world: World, s: float, tau: float) -> Array:
    """The memberships given s and tau."""
    data = PairWins(world.n, world.a, world.b, world.won, world.lost)
    return sample_cores(data, fit_ladder(data, s, tau, np.zeros(world.n)), 1000, np.random.default_rng(0)).mean(axis=0)


def calibration_error(claimed: list[Array], true: list[NDArray[np.bool_]], bins: int = 10) -> float:
    """Expected calibration error, section 4.1.1 of STE: agents in bins of what is reported for them."""
    stated, truth = np.concatenate(claimed), np.concatenate(true)
    place = np.minimum((stated * bins).astype(int), bins - 1)
    return float(np.abs(np.bincount(place, stated - truth, bins)).sum() / len(truth))


def standard_error(stated: list[Array], true: list[NDArray[np.bool_]], times: int = 200) -> float:
    """Of the calibration error, by drawing whole worlds again: the agents of one world stand and fall together."""
    rng, n = np.random.default_rng(0), len(stated)
    samples = [rng.integers(0, n, n) for _ in range(times)]
    return float(np.std([calibration_error([stated[i] for i in at], [true[i] for i in at]) for at in samples]))


def line_of(name: str, results: list[Result]) -> Line:
    """What one family says."""
    stated, true = [one.stated for one in results], [one.true for one in results]
    error, spread = calibration_error(stated, true), standard_error(stated, true)
    chance, right = (np.mean([getattr(one, what) for one in results]) for what in ("chance", "right"))
    mean, share = np.concatenate(stated).mean(), np.concatenate(true).mean()
    brier = float(np.mean((np.concatenate(stated) - np.concatenate(true)) ** 2))
    note = f"stated {mean:.3f}, true {share:.3f}; Brier {brier:.3f}; core named {chance:.2f}, right {right:.2f}"
    if results[0].informed is not None:
        note += f"; given s and tau {calibration_error([one.informed for one in results if one.informed is not None], true):.3f}"
    right_enough = error <= MOST or (None if name in REASONS or len(results) < FEW else False)
    if error > MOST:
        note += f"; {REASONS.get(name, 'few runs' if len(results) < FEW else '')}"
    label = name if name in CHOSEN_ON else f"{name} (not chosen on)"
    return Line(label, f"at most {MOST:g}", f"{error:.3f} ± {spread:.3f}", right_enough, note)


def block(name: str, first: int, n: int) -> list[Result]:
    """Several runs in one job."""
    return [run(name, cell, world) for cell, world in worlds(name, n, first)]


def main() -> int:
    """Run every family and print its calibration error with the standard error of that."""
    parser = parser_of(__doc__)
    parser.add_argument("--runs", type=int, default=12)
    parser.add_argument("--full", action="store_true", help=f"{FULL} worlds a family")
    parser.add_argument("--only", default="", help="families whose name holds this word")
    options = parser.parse_args()
    runs = FULL if options.full else options.runs
    lines = []
    for name in FAMILIES:
        if options.only in name:
            jobs = [(name, FIRST + k, min(BLOCK, runs - k)) for k in range(0, runs, BLOCK)]
            results = [one for part in mapped(block, jobs, name, options.processes) for one in part]
            lines.append(line_of(name, results))
            print(f"{name}: {lines[-1].ours}; {lines[-1].note}", file=sys.stderr, flush=True)
    return show(f"Calibration of the core posterior over {runs:,} worlds a family", lines, options.format)


if __name__ == "__main__":
    sys.exit(main())
