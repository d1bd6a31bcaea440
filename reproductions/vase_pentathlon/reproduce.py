"""Reproduces: the pentathlon, VasE's running example: N, M, and the scores of every rule; and Elo's failure on it.

Source     Voting as Evaluation (VasE), Figures 1, 3 and 4 and the appendix's running example; SCO eq. (10)
Data       inline: the five votes printed there
Expected   expected.json, typed in by hand from the source, never written by this script
Run        python reproductions/vase_pentathlon/reproduce.py     (exit 1 on a mismatch)
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np

import beatpath as bp
from beatpath.reports.reproduction import Line, show

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--data", help="not needed here")
parser.add_argument("--format", default="table")
options = parser.parse_args()

expected = json.loads(Path(__file__).with_name("expected.json").read_text())
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


def bradley_terry(wins: np.ndarray, rounds: int = 1000) -> np.ndarray:
    """Elo at rest: the strengths that Hunter's minorise-maximise steps converge to."""
    gamma = np.ones(len(wins))
    for _ in range(rounds):
        gamma = wins.sum(axis=1) / ((wins + wins.T) / np.add.outer(gamma, gamma)).sum(axis=1)
        gamma /= gamma.sum()
    return np.log(gamma)


strength = bradley_terry(pairs.wins())
gap = abs(strength[0] - strength[2])
lines.append(
    Line("Elo rates A and C alike", "equal", f"gap {gap:.1e}", gap < 1e-9, "though C beats A and B head to head")
)

case = expected["sco_equation_10"]
ballots = bp.Ballots.of([[[name] for name in vote] for vote in case["votes"]], count=case["weights"])
first, winner = case["elo first"], bp.rank(ballots, "kemeny").winners[0]
strength = bradley_terry(ballots.pairs().wins())
found = ballots.agents[int(strength.argmax())]
lines.append(Line("SCO eq. (10): Elo puts first", first, found, found == first, f"though {winner} beats everyone"))
lines.append(Line("SCO eq. (10): Kemeny puts first", case["kemeny first"], winner, winner == case["kemeny first"]))
sys.exit(show("VasE: the pentathlon, and where Elo fails", lines, options.format))
