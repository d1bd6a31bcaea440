"""How fast win probabilities become cores, beside operators that try every triple of agents.

Work: ``sharp``, Top Cycle scores at zero temperature, beside the time numpy takes to sort the same edges; ``reach``, the whole
max-min reachability matrix; ``cover`` and ``core``, soft Uncovered Set scores alone and both soft scores with max-min
reachability. Reachability must be the same but for the rounding of the edges, soft scores within 1e-7.
"""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from measure import Goal, Row, ask, ratio, row

TITLE = "Cores"
PACKAGES = ("beatpath", "numpy", "torch")
SIZES = {
    "sharp": {"beatpath": (100, 300, 1000, 4000, 10_000), "numpy": (1000, 4000, 10_000), "torch": (100,)},
    "reach": {"beatpath": (100, 300, 1000, 2000, 4000), "torch": (100, 300)},
    "cover": {"beatpath": (100, 300, 1000, 2000), "torch": (100, 300, 1000)},
    "core": {"beatpath": (100, 300, 1000, 2000), "torch": (100,)},
}
QUICK = {"sharp": 4000, "reach": 300, "cover": 300, "core": 300}
TOLERANCE = {"sharp": 1e-15, "reach": 1e-15, "cover": 1e-7, "core": 1e-7}  # of edges, whose two sigmoids round apart
TORCH_QUICK = 100


def measured(given: argparse.Namespace) -> list[Row]:
    """Every work and shape by every route at every size."""
    rows = []
    for work, routes in SIZES.items():
        for shape in ("uniform",) if given.quick else ("uniform", "ladder"):
            sizes = sorted({n for some in routes.values() for n in some})
            for n in (QUICK[work],) if given.quick else sizes:
                selected = [r for r in routes if n in routes[r] or (r == "beatpath" and given.quick)]
                rows += _compared(given, work, shape, n, selected)
    return rows


def _compared(given: argparse.Namespace, work: str, shape: str, n: int, routes: Sequence[str]) -> list[Row]:
    case, more = f"{work}, {shape} edges, {n:,} agents", {"work": f"{work}, {shape}", "size": n, "axis": "agents"}
    rows, ours = [], None
    for route in routes:
        if given.quick and route == "torch" and n > TORCH_QUICK:
            continue
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "answer.npy"
            measurement = ask(given, "cores.peers", route, work, shape, n, given.repeats, file, needs=route)
            answer = np.load(file) if file.exists() else None
        ours = answer if route == "beatpath" else ours
        far = (
            float(np.abs(answer - ours).max()) if route == "torch" and answer is not None and ours is not None else 0.0
        )
        rows.append(
            row(
                case,
                route,
                measurement,
                answer=f"within {far:.0e}" if far else "",
                agrees=far <= TOLERANCE[work],
                **more,
            )
        )
    return rows


def goals(rows: Sequence[Row]) -> list[Goal]:
    """Faster than sorting; far faster than trying all triples."""
    limits = (
        ("sharp, uniform edges, 10,000 agents", "numpy", 1.0),
        ("reach, uniform edges, 300 agents", "torch", 100.0),
    )
    ratios = [(case, route, ratio(rows, case, route), limit) for case, route, limit in limits]
    return [Goal(f"{case}: {route} over beatpath", times, limit) for case, route, times, limit in ratios if times]
