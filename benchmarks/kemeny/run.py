"""How fast the order that contradicts fewest votes is computed, with a proof, beside pref_voting, OpenSpiel and corankco.

Every order returned must contradict as many preferences as ours. pref_voting and OpenSpiel try all orders, so they are run up to
seven agents.
"""

import argparse
from collections.abc import Sequence

from measure import Goal, Row, ahead, ask, row

TITLE = "Kemeny"
WIDE = True
PACKAGES = ("beatpath", "highspy", "pref-voting", "open-spiel", "corankco", "pulp")
SMALL, TRY_ALL = 7, ("pref_voting", "open_spiel")
CASES = ((7, 0.8), (25, 0.95), (50, 0.8), (50, 0.95), (200, 0.8), (200, 0.95), (1000, 0.8), (1000, 0.95), (30, 1.0))
QUICK = ((6, 0.8), (200, 0.95))
VOTES, CORANKCO = 100, 200
NAMES = {0.8: "Mallows 0.8", 0.95: "Mallows 0.95", 1.0: "impartial culture"}


def measured(given: argparse.Namespace) -> list[Row]:
    """Every case by every library that may finish."""
    rows = []
    for agents, spread in QUICK if given.quick else CASES:
        peers = [*(TRY_ALL if agents <= SMALL else ()), *(["corankco"] if agents <= CORANKCO else [])]
        measurements = {
            name: ask(given, "kemeny.peers", name, agents, VOTES, spread, given.repeats, needs=name)
            for name in ("beatpath", *peers)
        }
        rows += [_row(agents, spread, name, measurements) for name in measurements]
    return rows


def _row(agents: int, spread: float, name: str, measurements: dict) -> Row:
    case, more = f"{NAMES[spread]}, {agents:,} agents", {"work": NAMES[spread], "size": agents, "axis": "agents"}
    measurement, ours = measurements[name], measurements["beatpath"]
    if isinstance(measurement, str):
        return row(case, name, measurement, **more)
    same = isinstance(ours, dict) and measurement["answer"] == ours["answer"]
    return row(case, name, measurement, answer=f"{measurement['answer']:,} contradictions", agrees=same, **more)


def goals(rows: Sequence[Row]) -> list[Goal]:
    """A thousand agents in half a second; a hundred times corankco at two hundred."""
    reached = [
        Goal(f"{one.case}: seconds", one.median, 0.5, at_least=False)
        for one in rows
        if one.ours and one.median is not None and one.size == 1000
    ]
    return [*reached, *ahead(rows, "Mallows 0.95, 200 agents", "corankco", 100.0)]
