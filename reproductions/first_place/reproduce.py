"""Measures: whether the most probable first agent is first as often as stated, by the shape of the field.

Source     a promise of this package: of agents stated to be first with 70 %, 70 % are
Data       simulated: 8, 20 or 50 agents whose true scores have one of fifteen shapes; standard errors of 0.1, 0.3 or 0.8
           of the spread. A first place that k agents share counts 1 / k
Expected   over all fields, stated and right within 7 points in each of five bins; by field as the table shows
Run        python reproductions/first_place/reproduce.py              (45 boards a field)
           python reproductions/first_place/reproduce.py --runs 180   (as published; about a minute)
"""

import sys
from collections.abc import Callable
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.resolve.who_is_first import first_probability
from beatpath.reports.reproduction import Line, show

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))
from script import mapped, parser_of

Array = NDArray[np.float64]
Rng = np.random.Generator
FIRST, MOST, EDGES = 10_000, 0.07, (0.2, 0.4, 0.6, 0.8)


def crowded(n: int, rng: Rng) -> Array:
    """A third of the field within 0.05 of the top, the others spread out below."""
    below = rng.normal(-0.5, 0.8, n - n // 3).clip(None, 0.9)
    return np.concatenate([1 + 0.05 * rng.normal(size=n // 3), below])


FIELDS: dict[str, Callable[[int, Rng], Array]] = {
    "normal": lambda n, rng: rng.normal(size=n),
    "uniform": lambda n, rng: rng.uniform(-1.7, 1.7, n),
    "evenly spaced": lambda n, rng: 1.7 * np.linspace(-1, 1, n),
    "heavy tails": lambda n, rng: 0.6 * rng.standard_t(2.5, size=n),
    "one ahead": lambda n, rng: np.append(rng.uniform(1.5, 2.5), 0.6 * rng.normal(size=n - 1)),
    "skewed up": lambda n, rng: rng.exponential(size=n) - 1,
    "skewed down": lambda n, rng: 1 - rng.exponential(size=n),
    "beta, skewed down": lambda n, rng: 5 * (rng.beta(5, 1.2, n) - 0.8),
    "crowded top": crowded,
    "two groups, narrow": lambda n, rng: np.where(np.arange(n) < n // 2, 1, -1) + 0.02 * rng.normal(size=n),
    "two groups": lambda n, rng: np.where(rng.random(n) < 0.5, 1, -1) + 0.3 * rng.normal(size=n),
    "three groups": lambda n, rng: np.array([-1.2, 0, 1.2])[np.arange(n) % 3] + 0.1 * rng.normal(size=n),
    "nearly equal": lambda n, rng: 0.15 * rng.normal(size=n),
    "tied in pairs": lambda n, rng: np.repeat(rng.normal(size=(n + 1) // 2), 2)[:n],
    "equal": lambda n, rng: np.zeros(n),
}


def board(name: str, run: int) -> tuple[float, float, float]:
    """The probability stated for the most probable first agent, its share of first place, and the log score."""
    rng = np.random.default_rng([crc32(name.encode()), run])
    n, error = (8, 20, 50)[run % 3], (0.1, 0.3, 0.8)[run // 3 % 3]
    truth = FIELDS[name](n, rng)
    deviation = error * rng.uniform(0.7, 1.4, n)
    score, names = truth + deviation * rng.standard_normal(n), tuple(f"{i:02d}" for i in range(n))
    one = Leaderboard(names, score, np.diag(deviation**2), np.full((n, n), np.inf), "score")
    chance = first_probability(one, np.zeros(n, int), seed=run, draws=1000)
    best = truth >= truth.max() - 1e-12
    log_score = float(np.log(np.maximum(chance[best], 1e-4)).mean())
    return float(chance.max()), float(best[chance.argmax()] / best.sum()), log_score


def boards(name: str, first: int, n: int) -> list[tuple[float, float, float]]:
    """Several boards in one job."""
    return [board(name, first + k) for k in range(n)]


def main() -> int:
    """Print stated and right by field, and in bins over all fields."""
    parser = parser_of(__doc__)
    parser.add_argument("--runs", type=int, default=45)
    parser.add_argument("--only", default="", help="fields whose name holds this word")
    options = parser.parse_args()
    lines, every = [], []
    for name in (one for one in FIELDS if options.only in one):
        jobs = [(name, FIRST + k, min(45, options.runs - k)) for k in range(0, options.runs, 45)]
        rows = np.array([one for part in mapped(boards, jobs, name, options.processes) for one in part])
        stated, right, log_score = rows.mean(axis=0)
        every.append(rows)
        within = abs(stated - right) <= MOST
        note = f"log score {log_score:.3f}, standard error of right {rows[:, 1].std() / np.sqrt(len(rows)):.3f}"
        lines.append(Line(name, f"{stated:.3f} stated", f"{right:.3f} right", within or None, note))
    stated, right, _ = np.concatenate(every).T
    place = np.digitize(stated, EDGES)
    for k in np.unique(place):
        said, true = stated[place == k].mean(), right[place == k].mean()
        chance = 2 * np.sqrt(true * (1 - true) / (place == k).sum())  # two standard errors
        enough = abs(said - true) <= MOST or (None if options.only or abs(said - true) <= MOST + chance else False)
        lines.append(
            Line(f"bin {k + 1}", f"{said:.3f} stated", f"{true:.3f} right", enough, f"{(place == k).sum()} boards")
        )
    return show(f"First place, {options.runs:,} boards a field", lines, options.format)


if __name__ == "__main__":
    sys.exit(main())
