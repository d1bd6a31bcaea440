"""Reproduces: the pentathlon, VasE's running example: N, M, and the scores of every rule; and Elo's failure on it.

Source     Voting as Evaluation (VasE), Figures 1 to 4 and the appendix's running example; SCO eq. (10)
Data       inline: the five votes printed there
Expected   expected.json, typed in by hand from the source, never written by this script
Run        python reproductions/vase_pentathlon/reproduce.py     (exit 1 on a mismatch)
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "common"))

import numpy as np
from elo import elo_at_rest
from script import checked, expected_of

import beatpath as bp
from beatpath.reports.reproduction import Line, show

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--data", help="not needed here")
parser.add_argument("--format", default="table")
options = parser.parse_args()

expected = expected_of(__file__)
ballots = bp.Ballots.of([[[name] for name in vote] for vote in expected["votes"]], count=expected["weights"])
pairs = ballots.pairs()

lines = []
for name, matrix in (("N", pairs.wins()), ("M", pairs.margins().matrix)):
    lines.append(
        Line(f"matrix {name}", str(expected[name]), str(matrix.astype(int).tolist()), matrix.tolist() == expected[name])
    )
for case in expected["rules"]:
    ranking = bp.rank(ballots, case["method"], **case.get("settings", {}))
    ours = {agent: round(score, 4) for agent, score in ranking.scores.items()}
    published = case["scores"]
    agrees = all(abs(ours[a] - published[a]) < 1e-6 for a in published)
    note = case.get("note", "")
    lines.append(Line(case["method"], str(published), str(ours), agrees if agrees or not note else None, note))

strength = elo_at_rest(pairs.wins())
gap = abs(strength[0] - strength[2])
lines.append(
    Line("Elo rates A and C alike", "equal", f"gap {gap:.1e}", gap < 1e-9, "though C beats A and B head to head")
)

case = expected["figure_2"]
rates = np.full((12, 12), 0.5)  # A, ten copies of B, C
rates[0, 1:11], rates[1:11, 11], rates[0, 11] = case["A over B"], case["B over C"], case["A over C"]
rates = np.triu(rates, 1) + np.tril(1 - rates.T, -1)
strength = elo_at_rest(rates)
difference = float(strength[0] - strength[11])
chance = 1 / (1 + 10 ** (-difference / 400))
for what, published, ours, within in (
    ("rating of A minus C", case["difference"], difference, 0.5),
    ("predicted chance of A over C, 0.9 in truth", case["chance"], chance, 0.0006),
):
    note = "by the paper's own formula 98 points mean 0.637, so its two figures do not agree with each other either"
    what = f"Figure 2, ten copies of B: {what}"
    lines.append(checked(what, published, f"{ours:.3f}", abs(ours - published) < within, note))

case = expected["sco_equation_10"]
ballots = bp.Ballots.of([[[name] for name in vote] for vote in case["votes"]], count=case["weights"])
first, winner = case["elo first"], bp.rank(ballots, "kemeny").winners[0]
strength = elo_at_rest(ballots.pairs().wins())
leader = ballots.agents[int(strength.argmax())]
lines.append(Line("SCO eq. (10): Elo puts first", first, leader, leader == first, f"though {winner} beats everyone"))
lines.append(Line("SCO eq. (10): Kemeny puts first", case["kemeny first"], winner, winner == case["kemeny first"]))
sys.exit(show("VasE: the pentathlon, and where Elo fails", lines, options.format))
