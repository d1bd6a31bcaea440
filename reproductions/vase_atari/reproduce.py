"""Reproduces: nine voting rules, Elo, Nash averaging and alpha-Rank on 54 Atari games, with and without human and random.

Source     Voting as Evaluation (VasE), Tables 2, 5, 6 and 7, Observations 1 to 6, Figures 7 and 8
Data       atari_tables in the folder given by --data (the numbers of Hessel et al., 2017, and Badia et al., 2020)
Expected   expected.json, typed in by hand from the source, never written by this script
Run        python reproductions/vase_atari/reproduce.py --data FOLDER     (exit 1 on a mismatch)
"""

import sys
from collections.abc import Mapping
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))

import numpy as np
from elo import VASE_PRIOR, elo_at_rest
from script import checked, expected_of, parser_of

import beatpath as bp
from beatpath.methods.game.zero_sum import equilibrium
from beatpath.reports.reproduction import Line, show

options = parser_of(__doc__).parse_args()
folder = Path(options.data) / "atari_tables"
if not folder.exists():
    print(f"skipped: the Atari tables are not in {options.data}; name their folder with --data", file=sys.stderr)
    sys.exit(0)

expected = expected_of(__file__)
names = expected["names"]
eight = bp.read(folder / "atari_rainbow_table6.csv")
more = bp.read(folder / "atari_human_random.csv")
cells, games = eight.table()
others, more_games = more.table()
columns = [more_games.index(game) for game in games]
agents = (*eight.agents, *more.agents)
ten = bp.Scores.from_table(np.vstack([cells, others[:, columns]]), agents, games)
lines: list[Line] = []


def broken_ties(scores: bp.Scores) -> list[bp.Scores]:
    """Every way to break the ties of a table; the tied scores are two apart at most in their places."""
    table = scores.table()[0]
    tied = [
        (a, b, t)
        for t, column in enumerate(table.T)
        for a, b in combinations(range(len(column)), 2)
        if column[a] == column[b]
    ]
    tables = []
    for first in product((0, 1), repeat=len(tied)):
        changed = table.copy()
        for choice, pair in zip(first, tied, strict=True):
            changed[pair[choice], pair[2]] += 1e-6
        tables.append(bp.Scores.from_table(changed, scores.agents, games))
    return tables


def scores_of(scores: bp.Scores, case: Mapping[str, Any]) -> dict[str, float]:
    """The scores by a rule; Kemeny's and Schulze's with the printed order among agents that are tied."""
    ranking = bp.rank(scores, case["method"], **case.get("settings", {}))
    if case["method"] not in ("kemeny", "schulze"):
        return dict(ranking.scores)
    order = sorted((names[key] for key in case["scores"]), key=ranking.rank)  # stable: ties stay as printed
    place = [scores.agents.index(name) for name in order]
    wins = scores.pairs().wins()[np.ix_(place, place)]
    steps = np.diagonal(wins, 1) if case["method"] == "schulze" else np.triu(wins).sum(axis=1)
    values = np.append(np.cumsum(steps[::-1])[::-1], 0.0) if case["method"] == "schulze" else steps
    return dict(zip(order, values.tolist(), strict=True))


def voting_table(title: str, scores: bp.Scores, rules: list[dict[str, Any]]) -> None:
    """Add a line for every rule and agent, with the ties of the scores broken as suits the column best."""
    for case in rules:
        ranking = bp.rank(scores, case["method"], **case.get("settings", {}))
        ways = [scores_of(one, case) for one in broken_ties(scores)]
        equal = [{key: abs(way[names[key]] - value) < 0.005 for key, value in case["scores"].items()} for way in ways]
        best = max(range(len(ways)), key=lambda i: sum(equal[i].values()))
        for key, published in case["scores"].items():
            agent = names[key]
            seen = f"{ways[best][agent]:.4g} (with ties: {ranking.scores[agent]:.4g}, rank {ranking.rank(agent)})"
            what = f"{title}, {case['method']}, {agent}"
            lines.append(checked(what, f"{published:g}", seen, equal[best][key], case.get("note", "")))


def nash_lines(title: str, scores: bp.Scores, case: Mapping[str, Any]) -> None:
    """Add lines on Nash averaging: who is tied first, the value, and the tasks with weight."""
    nash = bp.rank(scores, "nash_averaging")
    first, tied = sorted(names[short] for short in case["tied first"]), sorted(nash.winners)
    lines.append(checked(f"{title}: tied first", first, tied, first == tied))
    value, weights = nash.details["value"], nash.details["task_weights"]
    lines.append(checked(f"{title}: value", case["value"], f"{value:.4f}", abs(value - case["value"]) < 6e-5))
    for game in case["weights"] | weights:
        published, ours = case["weights"].get(game, 0.0), weights.get(game, 0.0)
        lines.append(checked(f"{title}: weight of {game}", published, f"{ours:.3f}", abs(ours - published) < 0.0051))


# Table 2: the orders that the rules give; ties may be printed in any order
for rules, order in expected["table_2"].items():
    for rule in rules.split():
        settings = {"k": 3} if rule in ("approval", "stv") else {}
        ranking = bp.rank(eight, rule, **settings)
        inverted = [(a, b) for a, b in pairwise(order) if ranking.rank(names[a]) > ranking.rank(names[b])]
        note = (
            "Table 6 of the paper has another order for STV than its Table 2: ours is that of Table 6"
            if rule == "stv"
            else ""
        )
        lines.append(checked(f"Table 2, {rule}", " > ".join(order), ranking, not inverted, note))

# Table 5
for side, scores in (("left", eight), ("right", ten)):
    elo = elo_at_rest(scores.pairs().wins(), VASE_PRIOR)
    elo -= elo.min()
    for short, published in expected["table_5"][side].items():
        ours = float(elo[scores.agents.index(names[short])])
        note = (
            "three ties, counted as half a win to both; the paper broke them at random"
            if abs(ours - published) < 3
            else ""
        )
        lines.append(
            checked(f"Table 5, {side}, {names[short]}", published, f"{ours:.0f}", abs(ours - published) <= 1, note)
        )

voting_table("Table 6", eight, expected["rules"])
voting_table("Table 7", ten, expected["with_human_and_random"])

# Observations
votes = [tuple(map(tuple, ballot)) for ballot in eight.ballots()]
lines.append(checked("Observation 1: different votes among 54", 54, len(set(votes)), len(set(votes)) == 54))
rest = bp.without(eight, ["a3c"])
compared = [case["method"] for case in expected["rules"] if case["method"] not in ("plurality", "stv")]
orders = {rule: bp.rank(rest, rule, **({"k": 3} if rule == "approval" else {})).levels for rule in compared}
same = len(set(orders.values())) == 1
lines.append(checked("Observation 2: without A3C seven rules agree on the order", "yes", orders["borda"], same))
lines.append(
    checked(
        "Observation 3: the other protocol gives the same rankings",
        "yes",
        "not checked",
        False,
        "OpenSpiel's two files for the two protocols are identical, so rankings from them are too",
    )
)
raw = equilibrium(cells)
weight = float(raw.column[games.index("skiing")])
lines.append(checked("Observation 4: weight of skiing by raw scores", 1, f"{weight:.4f}", abs(weight - 1) < 5e-5))
nash_lines("Observation 5", eight, expected["observation_5"])
nash_lines("Observation 6", ten, expected["observation_6"])
strong = bp.rank(ten, "copeland").condorcet.strong
lines.append(checked("Observation 6: the strong Condorcet winner", "rainbow", strong, strong == "rainbow"))

# Figures 7 and 8
alpha, case = bp.rank(eight, "alpha_rank"), expected["alpha_rank"]
order = tuple((names[short],) for short in case["order"])
lines.append(checked("alpha-Rank: order", " > ".join(case["order"]), alpha, alpha.levels == order))
for what, mass in (("agents", alpha.scores), ("tasks", alpha.details["task_mass"])):
    low, high = min(mass.values()), max(mass.values())
    digits = 2 if what == "agents" else 3
    inside = round(low, digits) == case[what][0] and round(high, digits) == case[what][1]
    figure = "Figure 8" if what == "agents" else "Figure 7"
    lines.append(checked(f"{figure}: range of probabilities of {what}", case[what], f"{low:.4f} to {high:.4f}", inside))
sys.exit(show("VasE: Atari", lines, options.format))
