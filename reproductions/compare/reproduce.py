"""Measures: how often confidence intervals of `beatpath compare` hold the true difference, and how often claims are wrongly supported.

Source     simulated worlds with known truth
Data       none
Expected   0.95, 0.05 and 0.05, within three standard errors of the runs and one point
Run        python reproductions/compare/reproduce.py                 (200 runs a world)
           python reproductions/compare/reproduce.py --full          (2,000 runs a world)
           --runs N, --format json; exit 1 where a world misses
"""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from beatpath import Factor, Scores
from beatpath.analysis.compare_runs import compare
from beatpath.reports.reproduction import Line, show

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))
from script import parser_of

Floats = NDArray[np.float64]
GRID = np.random.default_rng(0).normal(size=200_000)  # items of every kind, over which true means are taken
World = Callable[[np.random.Generator, float], tuple[dict[str, Scores], float]]


def right(ease: Floats) -> Floats:
    """Return the chance of a right answer."""
    return 1 / (1 + np.exp(-ease))


def binary(n: int, center: float = 0.5, spread: float = 1.0, shared: bool = True) -> World:
    """Items that are right or wrong; `shared` items are the same for both runs."""

    def make(rng: np.random.Generator, shift: float) -> tuple[dict[str, Scores], float]:
        true = float(np.mean(right(center + spread * GRID + shift) - right(center + spread * GRID)))
        ease = center + spread * rng.normal(size=(2, n))
        ease[1] = ease[0] if shared else ease[1]
        value = [rng.random(n) < right(ease[k] + k * shift) for k in (0, 1)]
        names = [[f"{0 if shared else k} {i}" for i in range(n)] for k in (0, 1)]
        return {name: Scores.from_table([value[k]], ["m"], names[k]) for k, name in enumerate(("base", "new"))}, true

    return make


def sampled(n: int, samples: int) -> World:
    """Items that are tried several times."""

    def make(rng: np.random.Generator, shift: float) -> tuple[dict[str, Scores], float]:
        ease, runs = 1.5 * rng.normal(size=n), {}
        for k, name in enumerate(("base", "new")):
            value = (rng.random((n, samples)) < right(ease + k * shift)[:, None]).astype(float)
            item = Factor.of(np.repeat([f"q{i}" for i in range(n)], samples))
            run = Factor.of(np.tile([f"s{i}" for i in range(samples)], n))
            runs[name] = Scores(("m",), np.zeros(n * samples, int), value.ravel(), {"item": item, "replicate": run})
        return runs, float(np.mean(right(1.5 * GRID + shift) - right(1.5 * GRID)))

    return make


def graded(n: int, noise: Callable[[np.random.Generator, int], Floats], missing: float = 0.0) -> World:
    """Scores on a scale, with noise of mean zero; some items are missing from each run."""

    def make(rng: np.random.Generator, shift: float) -> tuple[dict[str, Scores], float]:
        level, runs = rng.normal(size=n), {}
        for k, name in enumerate(("base", "new")):
            some = rng.random(n) >= missing
            value = level + k * shift + noise(rng, n)
            runs[name] = Scores.from_table([value[some]], ["m"], [f"q{i}" for i in np.flatnonzero(some)])
        return runs, shift

    return make


def clustered(n_clusters: int, size: int) -> World:
    """Questions about documents, whose gain differs from document to document."""

    def make(rng: np.random.Generator, shift: float) -> tuple[dict[str, Scores], float]:
        n = n_clusters * size
        document, gain = np.repeat(np.arange(n_clusters), size), shift + rng.normal(size=n_clusters)
        factors = {"item": Factor.of(f"q{i}" for i in range(n)), "cluster": Factor.of(f"d{i}" for i in document)}
        value = [rng.normal(size=n) + k * gain[document] for k in (0, 1)]
        return {
            name: Scores(("m",), np.zeros(n, int), value[k], factors) for k, name in enumerate(("base", "new"))
        }, shift

    return make


WORLDS: dict[str, World] = {
    "20 items, right or wrong": binary(20),
    "60 items, right or wrong": binary(60),
    "300 items, right or wrong": binary(300),
    "100 items, 95 % right": binary(100, center=3.5, spread=0.5),
    "150 items, very unequal": binary(150, spread=4.0),
    "80 items each, none shared": binary(80, shared=False),
    "50 items, 4 samples each": sampled(50, 4),
    "12 items, 10 samples each": sampled(12, 10),
    "10 graded items": graded(10, lambda rng, n: rng.normal(size=n)),
    "40 graded items, skewed noise": graded(40, lambda rng, n: rng.exponential(size=n) - 1),
    "60 graded items, a fifth missing": graded(60, lambda rng, n: rng.normal(size=n), missing=0.2),
    "12 documents of 10 questions": clustered(12, 10),
    "40 documents of 5 questions": clustered(40, 5),
}


def line(name: str, world: World, runs: int) -> Line:
    """One world: coverage and width at a difference, false "better" without one, false claims at the edge of their margins."""
    rng = np.random.default_rng(sum(map(ord, name)))
    held, width, false = 0, 0.0, 0
    wrong = {"equivalence": 0, "non-inferiority": 0}
    for _ in range(runs):
        tables, true = world(rng, 0.5)
        result = compare(tables)
        d, unit = result.comparisons[0].result, 100 if result.comparisons[0].is_share else 1
        held += d.low <= true <= d.high
        width += (d.high - d.low) / runs
        margin = unit * abs(true)
        wrong["equivalence"] += bool(result.test(f"new within {margin:.9f} points of base"))
        wrong["non-inferiority"] += bool(result.test(f"base at most {margin:.9f} points below new"))
        false += compare(world(rng, 0.0)[0]).comparisons[0].significant
    share, worst, slack = held / runs, max(wrong.values()) / runs, 3 * np.sqrt(0.05 * 0.95 / runs)
    agrees = share >= 0.95 - slack - 0.01 and false / runs <= 0.05 + slack and worst <= 0.05 + slack + 0.01
    ours = f"covers {share:.3f}, width {width:.3g}, false better {false / runs:.3f}, false claims {worst:.3f}"
    return Line(name, "0.95, -, 0.05, 0.05", ours, agrees, f"{runs:,} runs")


def main() -> int:
    """Run every world."""
    parser = parser_of(__doc__)
    parser.add_argument("--full", action="store_true", help="2,000 runs a world")
    parser.add_argument("--runs", type=int, help="runs a world")
    asked = parser.parse_args()
    runs = asked.runs or (2000 if asked.full else 200)
    lines = [line(name, world, runs) for name, world in WORLDS.items()]
    return show("Comparisons of two runs", lines, asked.format)


if __name__ == "__main__":
    raise SystemExit(main())
