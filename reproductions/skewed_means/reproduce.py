"""Compares: confidence intervals of the mean of few skewed scores, in coverage and in width.

Source     N. J. Johnson (1978) and P. Hall (1992) for the corrections; the bootstrap t of Efron (1982)
Data       simulated here: independent scores of one agent on 10 to 60 tasks
Expected   nothing was published; the table says why mean scores have the interval they have
Run        python reproductions/skewed_means/reproduce.py              (4,000 tables a row, 400 for the bootstrap)
           --runs N; prints Markdown: coverage of 95 % intervals, and mean width relative to Student's (median: bootstrap)
"""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from beatpath.stats.skewed_means import SKEWNESS, Asymmetry, score_ends

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))
from script import parser_of

Array = NDArray[np.float64]
Ends = tuple[Array, Array]
RESAMPLES = 399
SHAPES: dict[str, tuple[Callable[[np.random.Generator, tuple[int, int]], Array], float]] = {
    "normal": (lambda rng, shape: rng.normal(size=shape), 0.0),
    "uniform": (lambda rng, shape: rng.random(shape), 0.5),
    "exponential": (lambda rng, shape: rng.exponential(size=shape), 1.0),
    "log-normal, sigma 0.5": (lambda rng, shape: np.exp(0.5 * rng.normal(size=shape)), np.exp(0.125)),
    "log-normal, sigma 1.1": (lambda rng, shape: np.exp(np.sqrt(1.25) * rng.normal(size=shape)), np.exp(0.625)),
    "gamma, shape 0.3": (lambda rng, shape: rng.gamma(0.3, size=shape), 0.3),
    "Student, 3 degrees of freedom": (lambda rng, shape: rng.standard_t(3, size=shape), 0.0),
    "a tenth of tasks 10 higher": (lambda rng, shape: rng.normal(size=shape) + 10 * (rng.random(shape) < 0.1), 1.0),
}


def ends_of(x: Array) -> dict[str, Ends]:
    """Intervals of the means of rows, by name."""
    n, mean = x.shape[1], x.mean(axis=1)
    around = x - mean[:, None]
    variance = x.var(axis=1, ddof=1) / n
    a = (around**3).sum(axis=1) / (around**2).sum(axis=1) ** 1.5  # skewness over the root of n
    stderr, t = np.sqrt(variance), np.full(len(x), student.ppf(0.975, n - 1))
    shift = a * (2 * t**2 + 1) / 6

    def hall(z: Array) -> Array:
        return np.where(np.abs(a) < 1e-8, z, 3 * (np.cbrt(1 + a * (z - a / 6)) - 1) / np.where(a == 0, 1.0, a))

    def skewed(factor: float) -> Ends:
        return score_ends(mean, variance, t, Asymmetry(factor * a * stderr, np.zeros_like(a)))

    return {
        "Student": (mean - t * stderr, mean + t * stderr),
        "Johnson": (mean + (shift - t) * stderr, mean + (shift + t) * stderr),
        "Hall": (mean - hall(t) * stderr, mean - hall(-t) * stderr),
        "slope as sampled": skewed(1.0),
        "slope times 1.5": skewed(SKEWNESS),
        "slope times 2": skewed(2.0),
    }


def bootstrap_t(x: Array, rng: np.random.Generator) -> Ends:
    """Studentized bootstrap intervals of the means of rows."""
    low, high, n = [], [], x.shape[1]
    for row in x:
        again = row[rng.integers(0, n, (RESAMPLES, n))]
        spread = np.maximum(again.std(axis=1, ddof=1), 1e-12)
        below, above = np.quantile((again.mean(axis=1) - row.mean()) / spread, [0.025, 0.975])
        low.append(row.mean() - above * row.std(ddof=1))
        high.append(row.mean() - below * row.std(ddof=1))
    return np.array(low), np.array(high)


def main() -> int:
    """Print one row a shape and number of tasks."""
    parser = parser_of(__doc__)
    parser.add_argument("--runs", type=int, default=4_000)
    runs = parser.parse_args().runs
    names: list[str] = []
    for shape, (draw, truth) in SHAPES.items():
        for tasks in (10, 20, 40, 60):
            rng = np.random.default_rng([tasks, *shape.encode()])
            x = draw(rng, (runs, tasks))
            ends = ends_of(x)
            ends["bootstrap t"] = bootstrap_t(x[: runs // 10], rng)
            if not names:
                names = list(ends)
                print(f"| scores | tasks | {' | '.join(names)} |\n| --- |{' ---: |' * (len(names) + 1)}")
            plain = ends["Student"][1] - ends["Student"][0]
            cells = []
            for name, (low, high) in ends.items():
                covered = ((low <= truth) & (truth <= high)).mean()
                few = name == "bootstrap t"  # resamples of nearly equal scores make its mean width infinite
                width = np.median((high - low) / plain[: len(low)]) if few else (high - low).mean() / plain.mean()
                cells.append(f"{covered:.3f} ({width:.2f})")
            print(f"| {shape} | {tasks} | {' | '.join(cells)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
