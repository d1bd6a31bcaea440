"""Other models of strength from counted battles: Thurstone's beside statsmodels' probit; Firth's and the exact posterior alone.

statsmodels fits the same likelihood by iterated least squares, one agent left out, which is set to the mean outside the clock.
Strengths must agree to 1e-6 normal deviates.
"""

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
from cell import timed
from measure import Row, ask, row
from ratings.centrality import counts
from ratings.peers import Array, centered

SIZE = (100, 3_000)  # agents, pairs
ROUTES = {
    "thurstone": ("beatpath", "statsmodels"),
    "bradley_terry_firth": ("beatpath",),
    "bradley_terry_posterior": ("beatpath",),
}


def beatpath(rule: str, agents: int, rows: np.ndarray) -> Callable[[], Array]:
    import beatpath as bp

    none = np.zeros(len(rows))
    pairs = bp.Pairs(
        tuple(f"{i:05d}" for i in range(agents)),
        rows[:, 0],
        rows[:, 1],
        np.column_stack([rows[:, 2], rows[:, 3], none, none]),
    )
    return lambda: centered(np.array(list(bp.rank(pairs, rule).scores.values())))


def statsmodels(rule: str, agents: int, rows: np.ndarray) -> Callable[[], Array]:
    from statsmodels.api import GLM, families

    a, b, won, lost = rows.T
    x = np.zeros((len(rows), agents))
    x[np.arange(len(rows)), a], x[np.arange(len(rows)), b] = 1, -1
    model = families.Binomial(families.links.Probit())
    both = np.column_stack([won, lost])
    return lambda: centered(np.append(0.0, GLM(both, x[:, 1:], model).fit(tol=1e-12).params))


def cell(name: str, rule: str, agents: str, pairs: str, repeats: str) -> dict[str, Any]:
    """Time one library on one model, and tell its strengths."""
    run = {"beatpath": beatpath, "statsmodels": statsmodels}[name](rule, int(agents), counts(int(agents), int(pairs)))
    return timed(run, int(repeats), lambda strength: strength.tolist())


def measured(given: argparse.Namespace) -> list[Row]:
    """Every model by whoever has it."""
    rows = []
    for rule, names in ROUTES.items():
        measurements = {
            name: ask(given, "ratings.models", name, rule, *SIZE, given.repeats, needs=name)
            for name in (names[:1] if given.quick else names)
        }
        rows += [_row(f"{rule}, {SIZE[0]:,} agents, {SIZE[1]:,} pairs", name, measurements) for name in measurements]
    return rows


def _row(case: str, name: str, measurements: dict) -> Row:
    if isinstance(measurements[name], str) or isinstance(measurements["beatpath"], str):
        return row(case, name, measurements[name])
    far = max(abs(x - y) for x, y in zip(measurements[name]["answer"], measurements["beatpath"]["answer"], strict=True))
    return row(case, name, measurements[name], answer=f"within {far:.0e}" if far else "", agrees=far <= 1e-6)
