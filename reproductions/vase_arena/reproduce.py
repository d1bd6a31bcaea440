"""Reproduces: four Condorcet methods on the battles of Chatbot Arena, and a cycle that only IML shows.

Source     Voting as Evaluation (VasE), Tables 15 and 16, Figures 12 and 13
Data       arena33k_judged/battles.parquet in the folder given by --data: 26,919 of the paper's 33,000 battles
Expected   expected.json, typed in by hand from the source, never written by this script
Run        python reproductions/vase_arena/reproduce.py --data FOLDER     (exit 1 on a mismatch)
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))

import numpy as np
from scipy.stats import kendalltau
from script import checked, expected_of, parser_of

import beatpath as bp
from beatpath.reports.reproduction import show

SUBSET = "26,919 of the 33,000 battles are public: margins are smaller"
LIFTED = (
    "in the subset it ties claude-instant-v1, 5 wins each, and the lottery of that tie has both: see the page on IML"
)
TABLES = {"15": ("copeland", "iml"), "16": ("ranked_pairs", "schulze")}

options = parser_of(__doc__).parse_args()
path = Path(options.data) / "arena33k_judged" / "battles.parquet"
if not path.exists():
    print(f"skipped: the battles are not in {options.data}; name their folder with --data", file=sys.stderr)
    sys.exit(0)
expected = expected_of(__file__)
table = expected["table"]
battles = bp.read(path, where=["judge=human"])
agents, lines = list(battles.agents), []

figure = np.array(expected["figure_12"]["margins"], dtype=float)
names = tuple(f"row {i + 1}" for i in range(len(figure)))
lottery = bp.rank(bp.Margins(figure, names), "maximal_lottery").scores
for row, share in expected["figure_12"]["lottery"].items():
    ours = lottery[f"row {row}"]
    lines.append(
        checked(f"Figure 12, from its margins: share of row {row}", share, f"{ours:.4f}", abs(ours - share) < 6e-5)
    )
values = np.array(list(lottery.values())) @ figure
for column, published in enumerate(expected["figure_12"]["values"]):
    lines.append(
        checked(
            f"Figure 12: value to column {column + 1}",
            published,
            f"{values[column]:.4f}",
            abs(values[column] - published) < 0.02,
        )
    )

margins = battles.pairs().margins().matrix
place = [agents.index(name) for name in expected["figure_12"]["agents"]]
ours = margins[np.ix_(place, place)]
upper = np.triu_indices(len(place), 1)
same = int((np.sign(ours[upper]) == np.sign(figure[upper])).sum())
lines.append(checked("Figure 12: margins of the same sign, of 36", 36, same, same == 36, SUBSET))
lines.append(
    checked("Figure 12: its margins beside ours", figure.astype(int).tolist(), ours.astype(int).tolist(), False, SUBSET)
)

for number, rules in TABLES.items():
    for rule in rules:
        ranking = bp.rank(battles, rule, matrix="raw", ties="drop", both_bad="drop")  # N counts strict preferences
        printed = np.array([table[name][rule] for name in agents])
        ranks = np.array([ranking.rank(name) for name in agents])
        tau = float(kendalltau(-printed, ranks).statistic)
        lines.append(
            checked(f"Table {number}, {rule}: Kendall's tau of both rankings", 1, f"{tau:.3f}", tau > 0.999, SUBSET)
        )
        for name in sorted(agents, key=lambda name: -table[name][rule]):
            published, value = table[name][rule], ranking.scores[name]
            seen = f"{round(value) if rule == 'ranked_pairs' else round(value, 2):g} (rank {ranking.rank(name)})"
            note = LIFTED if (rule, name) == ("iml", "llama-13b") else SUBSET
            what = f"Table {number}, {rule}, {name}"
            lines.append(checked(what, published, seen, abs(value - published) < 0.0051, note))
sys.exit(show("VasE: Chatbot Arena", lines, options.format))
