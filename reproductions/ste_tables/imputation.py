"""STE's section D.3: what stands in for pairs that were not compared, by how far win rates are off and how well cores are recovered."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from planted import FIXED, ladder, planted, simulated_pairs
from recovery import GAMMA, TAU, top_f1

import beatpath as bp
from beatpath.methods.soft_core.edges import edges_from_pairs
from beatpath.methods.soft_core.operators import reachability, soft_majority_edge, soft_top_cycle
from beatpath.reports.reproduction import Line

Array = NDArray[np.float64]
POLICIES: dict[str, Callable[[bp.Pairs], Array]] = {
    "neutral": lambda pairs: edges_from_pairs(pairs, missing="neutral").probability,
    "imputed by Bradley-Terry": lambda pairs: edges_from_pairs(pairs, missing="imputed").probability,
    "estimate of all win rates": lambda pairs: bp.win_matrix(pairs).rate,
}
WORLDS = {
    "planted core of 5": lambda rng: planted(20, 5, FIXED, rng),
    "Bradley-Terry ladder": lambda rng: ladder(20, 1, rng),
}
BATTLES, MISSING = 20, 0.4


def lines(seeds: int) -> list[Line]:
    """Twenty agents, 20 battles a pair, four in ten pairs not compared."""
    rows = []
    for world, maker in WORLDS.items():
        cells: dict[str, list[tuple[float, float, float]]] = {name: [] for name in POLICIES}
        for seed in range(seeds):
            rng = np.random.default_rng([3, seed])
            p, core = maker(rng)
            pairs = simulated_pairs(p, BATTLES, MISSING, rng)
            played = np.eye(len(p), dtype=bool)
            played[pairs.a, pairs.b] = played[pairs.b, pairs.a] = True
            for name, policy in POLICIES.items():
                P = policy(pairs)
                score = soft_top_cycle(reachability(soft_majority_edge(P, TAU)), GAMMA)
                cells[name].append(
                    (np.abs(P - p)[~played].mean(), np.abs(P - p)[played].mean(), top_f1(score, core, rng))
                )
        for name, values in cells.items():
            absent, there, f1 = np.mean(values, axis=0)
            what = f"D.3, {world}, {name}: error of win rates of pairs not compared"
            note = f"{there:.3f} of pairs compared; core F1 {f1:.2f}; {seeds} data sets"
            rows.append(Line(what, "", f"{absent:.3f}", None, note))
    return rows
