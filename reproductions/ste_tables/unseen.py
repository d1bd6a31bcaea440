"""The core posterior on tournaments that nothing about it was fitted to."""

import itertools
from typing import Any

import numpy as np
from planted import (
    SPREAD,
    ladder,
    planted,
    popularity,
    random_margins,
    several_cores,
    simulated_pairs,
    unordered,
    weak_cycle,
)
from recovery import METHODS, calibration_error, top_f1

from beatpath.reports.reproduction import Line

Row = dict[str, Any]
MAKERS = {
    "random margins": random_margins,
    "weak cycle": weak_cycle,
    "several cores": several_cores,
    "skewed sampling": lambda n, k, rng: planted(n, k, SPREAD, rng),
    "unordered outsiders": unordered,
    "Bradley-Terry ladder": ladder,
}
BATTLES = (3, 10, 50)


def one_run(kind: str, n: int, k: int, m: int, missing: float, seed: int) -> Row:
    """One data set: F1 of every method, and the stated memberships."""
    rng = np.random.default_rng([list(MAKERS).index(kind), n, k, m, int(10 * missing), seed])
    p, core = MAKERS[kind](n, k, rng)
    pairs = simulated_pairs(p, popularity(n, m, rng) if kind == "skewed sampling" else m, missing, rng)
    score = {name: method(pairs) for name, method in METHODS.items()}
    row: Row = {name: top_f1(s, core, rng) for name, s in score.items()}
    return row | {"kind": kind, "m": m, "stated": score["core posterior"], "truth": core}


def tasks(seeds: int) -> list[tuple[Any, ...]]:
    """Every kind, 20 and 40 agents, cores of 3, 5 and 7, with all pairs and with four in ten missing."""
    return list(itertools.product(MAKERS, (20, 40), (3, 5, 7), BATTLES, (0.0, 0.4), range(seeds)))


def lines(rows: list[Row]) -> list[Line]:
    """F1 beside that of STE and the win rate, and the calibration error."""
    table = []
    for kind, m in itertools.product(MAKERS, BATTLES):
        chosen = [row for row in rows if row["kind"] == kind and row["m"] == m]
        f1 = {name: float(np.mean([row[name] for row in chosen])) for name in METHODS}
        stated, truth = (np.concatenate([row[key] for row in chosen]) for key in ("stated", "truth"))
        note = f"STE {f1['STE-posterior-edge']:.3f}, win rate {f1['Win-rate']:.3f}, BTL {f1['BTL']:.3f}; "
        note += f"ECE {calibration_error(stated, truth):.3f}"
        table.append(Line(f"core posterior, {kind}, m = {m}, F1", "", f"{f1['core posterior']:.3f}", True, note))
    return table
