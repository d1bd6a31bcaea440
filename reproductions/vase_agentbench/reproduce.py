"""Reproduces: language models as agents: Elo, eight voting rules and Nash averaging on AgentBench.

Source     Voting as Evaluation (VasE), Tables 3 and 10 to 14, Figure 11, Observations 7 and 8
Data       agentbench_230808/scores.csv in the folder given by --data (AgentBench's leaderboard of August 8, 2023)
Expected   expected.json, typed in by hand from the source, never written by this script
Run        python reproductions/vase_agentbench/reproduce.py --data FOLDER     (exit 1 on a mismatch)
"""

import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))

import numpy as np
from elo import VASE_PRIOR, elo_at_rest
from script import checked, expected_of, parser_of
from tie_breaking import Program, total

import beatpath as bp
from beatpath.reports.reproduction import Line, show

TABLES = {
    "11": ("approval", "borda"),
    "12": ("copeland", "iml"),
    "13": ("plurality", "ranked_pairs"),
    "14": ("schulze", "stv"),
}
K = {"approval": {"k": 8}, "stv": {"k": 8}}
# A random way to break ties cannot be recovered from these columns, in which an order among equals adds to the score.
NOT_REQUIRED = {
    "iml": "the paper's solver returns any lottery of a tie; ours the one of maximum entropy",
    "ranked_pairs": "the columns that were required do not settle every tie that the paper broke at random",
    "stv": "the paper passes on whole votes and orders losers at random; ours passes on fractions and keeps ties",
}

options = parser_of(__doc__).parse_args()
path = Path(options.data) / "agentbench_230808" / "scores.csv"
if not path.exists():
    print(f"skipped: AgentBench's table is not in {options.data}; name its folder with --data", file=sys.stderr)
    sys.exit(0)
expected = expected_of(__file__)
table, scores = expected["table"], bp.read(path)
cells, tasks = scores.table()
agents = list(scores.agents)
printed = {rule: [table[name][rule] for name in agents] for pair in TABLES.values() for rule in pair}
lines: list[Line] = []


def line(*words: Any) -> None:
    """Add a line."""
    lines.append(checked(*words))


# Table 10
elo = elo_at_rest(scores.pairs().wins(), VASE_PRIOR)
elo -= elo.min()
for name, value in zip(agents, elo, strict=True):
    gap = abs(value - table[name]["elo"])
    note = "the paper does not name its regularization" if gap < 6 else ""
    line(f"Table 10, Elo, {name}", f"{table[name]['elo']}", f"{value:.0f}", gap <= 1, note)
overall = (cells / cells.mean(axis=0).round()).mean(axis=1)  # AgentBench divides by means in whole numbers
for name, value in zip(agents, overall, strict=True):
    published = table[name]["overall"]
    note = "AgentBench's own overall score of this row does not follow from the row" if name == "claude" else ""
    line(f"Table 10, overall, {name}", f"{published:.2f}", f"{value:.2f}", abs(value - published) < 0.006, note)

# Tables 11 to 14, with the ties of the scores broken in one way that gives five of the columns
program = Program(cells)
program.borda(printed["borda"])
program.approval(8, printed["approval"])
program.approval(1, printed["plurality"])
program.copeland(printed["copeland"])
order = [agents.index(name) for name in expected["order"]]
for a, b in pairwise(order):  # Schulze's score adds preferences between neighbors
    program.equal(program.wins(a, b), printed["schulze"][a] - printed["schulze"][b])
# ranked pairs prints the same order; if no majority contradicts it, the first score is the sum of all margins
below = [program.wins(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
for count in below:
    program.between(count, len(tasks) / 2, len(tasks))
program.equal(total(*below), (max(printed["ranked_pairs"]) + len(tasks) * len(below)) / 2)
places = program.solved()
line(
    "Tables 11 to 14: one way to break ties gives five columns",
    "yes",
    "no" if places is None else "yes",
    places is not None,
)
broken = bp.Scores.from_table(places, agents, tasks) if places is not None else scores
ours = {rule: bp.rank(broken, rule, **K.get(rule, {})).scores for rule in printed}
wins = broken.pairs().wins()[np.ix_(order, order)]
chain = np.append(np.cumsum(np.diagonal(wins, 1)[::-1])[::-1], 0.0)
ours["schulze"] = dict(zip(expected["order"], chain.tolist(), strict=True))  # with the paper's order among equals
rankings = {rule: bp.rank(scores, rule, **K.get(rule, {})) for rule in printed}
for number, rules in TABLES.items():
    for rule in rules:
        for name in agents:
            published, value = table[name][rule], ours[rule][name]
            with_ties = rankings[rule].scores[name]
            note = NOT_REQUIRED.get(rule, "")
            seen = f"{value:.4g}" if rule != "ranked_pairs" else f"{value:.0f}"
            line(
                f"Table {number}, {rule}, {name}",
                f"{published:g}",
                f"{seen} (with ties: {with_ties:.4g}, rank {rankings[rule].rank(name)})",
                abs(value - published) < 0.006,
                note,
            )

# Observation 7 and Table 3
levels = rankings["iml"].levels
line(
    "Table 3: the first six levels of IML, one agent each",
    str(expected["iml_first"]),
    str([*levels[:6]]),
    [list(x) for x in levels[:6]] == [[x] for x in expected["iml_first"]],
)
line(
    "Table 3: the seventh level of IML",
    str(expected["iml_next"]),
    str(levels[6]),
    list(levels[6]) == expected["iml_next"],
)
line(
    "Observation 7: levels of IML",
    str(expected["iml_levels"]),
    str(len(levels)),
    len(levels) == expected["iml_levels"],
    "with ties more margins are 0, and more agents share a level",
)
winner = rankings["copeland"].condorcet
line("the strong Condorcet winner", "gpt-4", str(winner), "gpt-4" in str(winner))

# Observation 8
nash, case = bp.rank(scores, "nash_averaging"), expected["nash_averaging"]
for task, weight in case["task_weights"].items():
    in_equilibrium = nash.details["task_weights"][task]
    line(
        f"Observation 8: weight of {task}", f"{weight}", f"{in_equilibrium:.3f}", abs(in_equilibrium - weight) < 0.0006
    )
line(
    "Observation 8: value",
    f"{case['value']}",
    f"{nash.details['value']:.3f}",
    abs(nash.details["value"] - case["value"]) < 0.0006,
)
line(
    "Observation 8: tied first",
    str(case["tied_first"]),
    str(list(nash.winners)),
    list(nash.winners) == case["tied_first"],
)
ignored = nash.details["ignored_tasks"]
line(
    "Observation 8: tasks without weight",
    f"{case['share_of_tasks_ignored']}",
    f"{ignored}",
    ignored == case["share_of_tasks_ignored"],
)
sys.exit(show("VasE: AgentBench", lines, options.format))
