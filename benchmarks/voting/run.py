"""How fast votes become winners, beside pref_voting and OpenSpiel.

A peer resolves ties to one agent (OpenSpiel, at random) where beatpath returns all tied: such an answer agrees when it is
among ours, and any answer does where beatpath says that ties have too many orders to try ("ties open"). A peer has twenty seconds
a case, and is not asked a larger case of a rule for which they were too few.
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
    found: list[Row] = []
    slow: set[tuple[str, str]] = set()
    for rules, sizes in (QUICK,) if given.quick else ((RULES, SIZES), (FEW, LARGE)):
        for agents, votes in sizes:
            for rule in rules:
                told = {name: _asked(given, slow, name, rule, agents, votes) for name in LIBRARIES}
                found += [_row(rule, agents, votes, name, told) for name in LIBRARIES]
    return found


def _asked(
    given: argparse.Namespace, slow: set[tuple[str, str]], name: str, rule: str, agents: int, votes: int
) -> dict | str:
    """One cell, unless the library was too slow for less; how slow is noted."""
    if (name, rule) in slow:
        return "not asked: too slow on fewer"
    limit = given.limit if name == "beatpath" else min(PATIENCE, given.limit)
    told = ask(patient(given, limit), "voting.peers", name, rule, agents, votes, given.repeats, needs=name)
    if isinstance(told, str) and told.startswith("over"):
        slow.add((name, rule))
    return told


def _case(rule: str, agents: int, votes: int) -> str:
    return f"{rule}, {agents:,} agents, {votes:,} votes"


def _row(rule: str, agents: int, votes: int, name: str, told: dict) -> Row:
    case, found, ours = _case(rule, agents, votes), told[name], told["beatpath"]
    more = {"work": rule, "size": agents, "axis": "agents"} if votes == 1000 else {}
    if isinstance(found, str):
        return row(case, name, "" if found == "no adapter" else found, **more)
    winners = found["answer"][0]
    mine, settled = ours["answer"] if isinstance(ours, dict) else ([], False)
    same = set(winners) <= set(mine) if name == "open_spiel" else winners == mine
    said = "ties open" if name == "beatpath" and not settled else ""
    return row(case, name, found, answer="same winners", agrees=same or not settled, said=said, **more)


def goals(rows: Sequence[Row]) -> list[Goal]:
    """So many times the fastest peer where it is hardest; to be ahead elsewhere the table shows."""
    found = []
    for rule, agents, votes, limit in GOALS:
        told = [ahead(rows, _case(rule, agents, votes), peer, limit) for peer in LIBRARIES[1:]]
        found += min(filter(None, told), key=lambda goal: goal[0].value, default=[])
    return found
