"""Measures: how often intervals of strengths over time, and of what agents changed, hold the truth where nobody tells the drift.

Source     a promise of this package: `strength_curves` without a drift
Data       simulated here
Expected   coverage of 0.95, 0.9 at least in any world; widths are reported and not judged
Run        python reproductions/curves/reproduce.py             (10 seasons a world)
           python reproductions/curves/reproduce.py --full      (200 seasons a world)
           --runs N; exit 1 where something is wrong too often
"""

import sys
from pathlib import Path

import numpy as np

from beatpath import Battles
from beatpath.online import strength_curves
from beatpath.reports.reproduction import Line, show

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))
from script import mapped, parser_of

Z, LEAST = 1.959964, 0.9
TIMES = 100
# agents, battles, standard deviation of an agent's change per unit of time, jump of the first agent, and the standard
# deviation of the tastes of sessions, each of ten battles at one time
WORLDS = {
    "6 agents, 900 battles, drift 0.15": (6, 900, 0.15, 0.0, 0.0),
    "6 agents, 300 battles, drift 0.15": (6, 300, 0.15, 0.0, 0.0),
    "6 agents, 150 battles, drift 0.15": (6, 150, 0.15, 0.0, 0.0),
    "12 agents, 600 battles, drift 0.15": (12, 600, 0.15, 0.0, 0.0),
    "6 agents, 900 battles, drift 0.4": (6, 900, 0.4, 0.0, 0.0),
    "6 agents, 900 battles, drift 0.05": (6, 900, 0.05, 0.0, 0.0),
    "12 agents, 3,000 battles, one jumps by 1.2": (12, 3_000, 0.0, 1.2, 0.0),
    "6 agents, 600 battles, one jumps by 1.2": (6, 600, 0.0, 1.2, 0.0),
    "12 agents, 3,000 battles, nobody changes": (12, 3_000, 0.0, 0.0, 0.0),
    "12 agents, 600 battles, nobody changes": (12, 600, 0.0, 0.0, 0.0),
    "12 agents, 3,000 battles, drift 0.03": (12, 3_000, 0.03, 0.0, 0.0),
    "12 agents, 600 battles, drift 0.03": (12, 600, 0.03, 0.0, 0.0),
    "12 agents, 3,000 battles, drift 0.15": (12, 3_000, 0.15, 0.0, 0.0),
    "12 agents, 3,000 battles in sessions, drift 0.03": (12, 3_000, 0.03, 0.0, 0.7),
}


def season(name: str, seed: int) -> tuple[float, ...]:
    """Coverage of changes (of the agent that jumps) and of strengths above the mean, mean widths of both, and detections."""
    agents, battles, drift, jump, taste = WORLDS[name]
    rng = np.random.default_rng([seed, *name.encode()])
    steps = rng.normal(0, drift, (TIMES, agents))
    steps[0] = rng.normal(0, 1, agents)
    steps[TIMES // 2, 0] += jump
    theta, time = np.cumsum(steps, axis=0), np.sort(rng.integers(0, TIMES, battles))
    if battles > 900 or drift < 0.05:
        time -= time % 5  # 20 periods, as in a report
    session = np.arange(battles) // 10
    if taste:
        time = time[10 * session]
    a = rng.integers(0, agents, battles)
    b = (a + rng.integers(1, agents, battles)) % agents
    tastes = taste * rng.normal(size=(battles // 10, agents))
    gap = theta[time, a] - theta[time, b] + tastes[session, a] - tastes[session, b]
    won = rng.random(battles) < 1 / (1 + np.exp(-gap))
    theta /= np.sqrt(1 + 0.346 * 2 * taste**2)  # what predicts a battle of a new session (logistic-normal)
    names = tuple(f"agent {i}" for i in range(agents))
    curves = strength_curves(Battles(names, a, b, won.astype(float), time=time.astype(float)))
    true = theta[curves.knots.time.astype(int), curves.knots.agent]
    change = true[curves.knots.last] - true[curves.knots.first]
    which = slice(1 if jump else agents)
    moved = (np.abs(curves.change - change) <= Z * curves.change_deviation)[which]
    seen = (np.abs(curves.change) > Z * curves.change_deviation)[which]
    points = np.abs(curves.strength - (true - curves.knots.share @ true)) <= Z * curves.deviation
    widths = 2 * Z * curves.change_deviation[which].mean(), 2 * Z * curves.deviation.mean()
    return float(moved.mean()), float(points.mean()), *map(float, widths), float(seen.mean())


def main() -> int:
    """Run every world and print the results."""
    parser = parser_of(__doc__)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--full", action="store_true", help="200 seasons a world")
    options = parser.parse_args()
    runs = 200 if options.full else options.runs
    jobs = [(name, seed) for name in WORLDS for seed in range(runs)]
    results = np.array(mapped(season, jobs, "seasons", options.processes)).reshape(len(WORLDS), runs, 5).mean(axis=1)
    few = 3.1 * np.sqrt(0.05 / runs)  # what chance may take where seasons are few
    lines = [
        Line(
            f"{name}: coverage of changes, strengths",
            f"0.95, at least {LEAST}",
            f"{change:.3f}, {point:.3f}",
            bool(min(change, point) >= min(LEAST, 0.95 - few)),
            f"intervals {width:.2f} and {width_point:.2f} wide; {seen:.1%} of changes significant",
        )
        for name, (change, point, width, width_point, seen) in zip(WORLDS, results, strict=True)
    ]
    return show(f"Strengths over time, {runs:,} seasons a world", lines, options.format)


if __name__ == "__main__":
    sys.exit(main())
