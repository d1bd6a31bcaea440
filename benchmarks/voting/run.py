"""How fast votes become winners, beside pref_voting and OpenSpiel.

A peer resolves ties to one agent (OpenSpiel, at random) where beatpath returns all tied: such an answer agrees when it is
among ours, and any answer does where beatpath says that ties have too many orders to try ("ties open"). A peer has twenty seconds
a case, and is not given a larger case of a rule for which they were too few.
"""

import argparse
from collections.abc import Sequence

from measure import Goal, Row, ahead, ask, patient, row

TITLE = "Voting"
WIDE = True
PACKAGES = ("beatpath", "numpy", "pref-voting", "open-spiel")
LIBRARIES = ("beatpath", "pref_voting", "open_spiel")
RULES = (
    "plurality",
    "borda",
    "black",
    "nanson",
    "baldwin",
    "coombs",
    "tideman_alternative",
    "bucklin",
    "stv",
    "copeland",
    "minimax",
    "schulze",
    "ranked_pairs",
    "split_cycle",
    "river",
    "stable_voting",
    "maximal_lottery",
    "iml",
)
SIZES = ((50, 1000), (150, 1000))
FEW = ("plurality", "borda", "stv", "copeland", "schulze", "ranked_pairs", "iml")
LARGE = ((500, 1000), (2000, 50), (50, 100_000))
QUICK = (("borda", "copeland", "schulze", "ranked_pairs"), SIZES[:1])
PATIENCE = 20.0
GOALS = (
    ("ranked_pairs", 150, 1000, 60.0),
    ("stv", 150, 1000, 20.0),
    ("borda", 2000, 50, 1.5),
)


def measured(given: argparse.Namespace) -> list[Row]:
    """Every rule on the usual sizes and a few on large ones, by every library."""
    rows: list[Row] = []
    slow: set[tuple[str, str]] = set()
    for rules, sizes in (QUICK,) if given.quick else ((RULES, SIZES), (FEW, LARGE)):
        for agents, votes in sizes:
            for rule in rules:
                measurements = {name: _measured(given, slow, name, rule, agents, votes) for name in LIBRARIES}
                rows += [_row(rule, agents, votes, name, measurements) for name in LIBRARIES]
    return rows


def _measured(
    given: argparse.Namespace, slow: set[tuple[str, str]], name: str, rule: str, agents: int, votes: int
) -> dict | str:
    """One cell, unless the library was too slow for less; how slow is noted."""
    if (name, rule) in slow:
        return "not run: too slow on fewer"
    limit = given.limit if name == "beatpath" else min(PATIENCE, given.limit)
    measurement = ask(patient(given, limit), "voting.peers", name, rule, agents, votes, given.repeats, needs=name)
    if isinstance(measurement, str) and measurement.startswith("over"):
        slow.add((name, rule))
    return measurement


def _case(rule: str, agents: int, votes: int) -> str:
    return f"{rule}, {agents:,} agents, {votes:,} votes"


def _row(rule: str, agents: int, votes: int, name: str, measurements: dict) -> Row:
    case, measurement, ours = _case(rule, agents, votes), measurements[name], measurements["beatpath"]
    more = {"work": rule, "size": agents, "axis": "agents"} if votes == 1000 else {}
    if isinstance(measurement, str):
        return row(case, name, "" if measurement == "no adapter" else measurement, **more)
    winners = measurement["answer"][0]
    mine, settled = ours["answer"] if isinstance(ours, dict) else ([], False)
    same = set(winners) <= set(mine) if name == "open_spiel" else winners == mine
    note = "ties open" if name == "beatpath" and not settled else ""
    return row(case, name, measurement, answer="same winners", agrees=same or not settled, note=note, **more)


def goals(rows: Sequence[Row]) -> list[Goal]:
    """So many times the fastest peer where it is hardest; to be ahead elsewhere the table shows."""
    reached = []
    for rule, agents, votes, limit in GOALS:
        candidates = [ahead(rows, _case(rule, agents, votes), peer, limit) for peer in LIBRARIES[1:]]
        reached += min(filter(None, candidates), key=lambda goal: goal[0].value, default=[])
    return reached
