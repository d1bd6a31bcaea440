"""Measures: false alarms and power of `beatpath items` on planted mis-keyed and copied items and odd agents.

Source     simulated worlds with known truth, of which one only follows the Rasch model
Data       none
Expected   a false alarm of each kind in 0.05 of tables at most, within three standard errors of the runs
Run        python reproductions/items/reproduce.py                 (50 tables a world)
           python reproductions/items/reproduce.py --full          (200 tables a world)
           --runs N, --format json; exit 1 where a world misses
"""

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from beatpath.reports.reproduction import Line, show
from beatpath.stats.intervals import holm
from beatpath.stats.item_answers import Answers
from beatpath.stats.rasch import fit_rasch, oddness

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))
from script import parser_of

Floats = NDArray[np.float64]
ERROR = 0.05
PLANTED = 5  # mis-keyed items, and copies, of a table with planted ones
# Agents, items, spread of ability, and of the logarithm of the slopes of items; chance to guess; spread of what families share.
WORLDS: dict[str, tuple[int, int, float, float, float, float]] = {
    "Rasch, 12 agents, 60 items": (12, 60, 1.0, 0.0, 0.0, 0.0),
    "Rasch, 25 agents, 200 items": (25, 200, 1.0, 0.0, 0.0, 0.0),
    "Rasch, 60 agents, 200 items": (60, 200, 1.0, 0.0, 0.0, 0.0),
    "unequal slopes, 25 agents, 200 items": (25, 200, 1.0, 0.5, 0.0, 0.0),
    "guessing, 60 agents, 200 items": (60, 200, 1.0, 0.5, 0.25, 0.0),
    "wide abilities, 40 agents, 200 items": (40, 200, 2.0, 0.3, 0.0, 0.0),
    "items unrelated to ability, 25 agents": (25, 200, 0.0, 0.0, 0.0, 0.0),
    "families of four, 24 agents, 200 items": (24, 200, 1.0, 0.3, 0.0, 1.0),
    "families of four, 60 agents, 200 items": (60, 200, 1.0, 0.3, 0.0, 1.0),
}


def table(rng: np.random.Generator, world: tuple[int, int, float, float, float, float], planted: bool) -> Floats:
    """Return right and wrong answers; planted ones are mis-keyed items 0 to 4, items 5 to 9 copied to 10 to 14, and the first agent."""
    n, m, ability, slopes, guess, shared = world
    lead = ability * rng.normal(size=(n, 1)) - 1.5 * rng.normal(size=m)
    lead = np.exp(slopes * rng.normal(size=m)) * lead + (shared * rng.normal(size=(n // 4 + 1, m)))[np.arange(n) // 4]
    x = (rng.random((n, m)) < guess + (1 - guess) / (1 + np.exp(-lead))).astype(float)
    if planted:
        x[0, m // 2 :] = rng.permutation(x[0, m // 2 :])  # half of its answers have nothing to do with the items
        x[:, :PLANTED] = 1 - x[:, :PLANTED]
        x[:, 2 * PLANTED : 3 * PLANTED] = x[:, PLANTED : 2 * PLANTED]
    return x


def alarms(x: Floats) -> tuple[set[int], set[int], set[int]]:
    """Return the items that look mis-keyed, those that look like copies, and the agents that look odd."""
    answers, one = Answers(x), np.ones_like(x)
    live = np.flatnonzero(answers.live)
    fit = fit_rasch(x, one)
    odd = oddness(fit, x, one)[1]
    wrong = live[holm(answers.reversed_p()[live]) <= ERROR]
    copies = {int(item) for group in answers.copies(fit.ability, ERROR) for item in group}
    return set(wrong.tolist()), copies, set(np.flatnonzero(holm(odd) <= ERROR).tolist())


def world_line(name: str, runs: int) -> Line:
    """One world: how often an alarm is false, and which share of the planted ones is raised."""
    rng = np.random.default_rng(sum(map(ord, name)))
    false, power = np.zeros(3), np.zeros(3)
    for _ in range(runs):
        false += [bool(some) for some in alarms(table(rng, WORLDS[name], planted=False))]
        wrong, copies, odd = alarms(table(rng, WORLDS[name], planted=True))
        planted = set(range(2 * PLANTED, 3 * PLANTED))
        power += [len(wrong & set(range(PLANTED))) / PLANTED, len(copies & planted) / PLANTED, 0 in odd]
    kinds = ("mis-keyed", "copies", "odd")
    ours = "; ".join(
        f"{kind} {a:.3f}, power {b:.2f}" for kind, a, b in zip(kinds, false / runs, power / runs, strict=True)
    )
    agrees = bool((false / runs).max() <= ERROR + 3 * np.sqrt(ERROR * (1 - ERROR) / runs))
    return Line(name, f"false at most {ERROR}", ours, agrees, f"{runs:,} tables")


def main() -> int:
    """Run every world."""
    parser = parser_of(__doc__)
    parser.add_argument("--full", action="store_true", help="200 tables a world")
    parser.add_argument("--runs", type=int, help="tables a world")
    options = parser.parse_args()
    runs = options.runs or (200 if options.full else 50)
    return show("Items that look wrong", [world_line(name, runs) for name in WORLDS], options.format)


if __name__ == "__main__":
    raise SystemExit(main())
