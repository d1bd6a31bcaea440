"""How fast votes become winners, beside pref_voting and OpenSpiel.

A peer resolves ties to one agent (OpenSpiel, at random) where beatpath returns all tied: such an answer agrees when it is
among ours, and any answer does where beatpath says that ties have too many orders to try ("ties open").
"""

import argparse
from collections.abc import Sequence

from measure import Goal, Row, ask, row

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
SIZES = ((10, 50), (50, 1000), (150, 1000), (500, 1000), (2000, 50), (50, 100_000))
QUICK_RULES = ("borda", "copeland", "schulze", "ranked_pairs", "maximal_lottery")


def measured(given: argparse.Namespace) -> list[Row]:
    """Every rule on every size by every library."""
    rules, sizes = (QUICK_RULES, SIZES[1:2]) if given.quick else (RULES, SIZES)
    found = []
    for agents, votes in sizes:
        for rule in rules:
            told = {
                name: ask(given, "voting.peers", name, rule, agents, votes, given.repeats, needs=name)
                for name in LIBRARIES
            }
            found += [_row(rule, agents, votes, name, told) for name in LIBRARIES]
    return found


def _row(rule: str, agents: int, votes: int, name: str, told: dict) -> Row:
    case, found, ours = f"{rule}, {agents:,} agents, {votes:,} votes", told[name], told["beatpath"]
    more = {"work": rule, "size": agents, "axis": "agents"} if votes == 1000 else {}
    if isinstance(found, str):
        return row(case, name, "" if found == "no adapter" else found, **more)
    winners = found["answer"][0]
    mine, settled = ours["answer"] if isinstance(ours, dict) else ([], False)
    same = set(winners) <= set(mine) if name == "open_spiel" else winners == mine
    said = "ties open" if name == "beatpath" and not settled else ""
    return row(case, name, found, answer="same winners", agrees=same or not settled, said=said, **more)


def goals(rows: Sequence[Row]) -> list[Goal]:
    """None but to be ahead, which the table shows."""
    return []
