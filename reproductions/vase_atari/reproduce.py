"""Reproduces: the rankings and scores of nine voting rules on 54 Atari games.

Source     Voting as Evaluation (VasE), Table 6
Data       atari_tables/atari_rainbow_table6.csv in the folder given by --data (the numbers of Hessel et al., 2017)
Expected   expected.json, typed in by hand from the source, never written by this script
Run        python reproductions/vase_atari/reproduce.py --data FOLDER     (exit 1 on a mismatch)
"""

import argparse
import json
import sys
from pathlib import Path

import beatpath as bp
from beatpath.reports.reproduction import Line, show

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--data", default="../shared/data")
parser.add_argument("--format", default="table")
options = parser.parse_args()

path = Path(options.data) / "atari_tables" / "atari_rainbow_table6.csv"
if not path.exists():
    print(f"skipped: the Atari table is not in {options.data}; name its folder with --data", file=sys.stderr)
    sys.exit(0)

expected = json.loads(Path(__file__).with_name("expected.json").read_text())
scores = bp.read(path)
lines = []
for case in expected["rules"]:
    ranking = bp.rank(scores, case["method"], **case.get("settings", {}))
    for short, published in case["scores"].items():
        ours = ranking.scores[expected["names"][short]]
        agent = expected["names"][short]
        exact = abs(ours - published) < 0.005
        near = abs(ours - published) <= case["allowed"] + 1e-9
        note = (
            ""
            if exact
            else case.get("note", "ties were broken at random in the paper")
            if near
            else case.get("note", "")
        )
        agrees = True if exact else None if note else False
        what = f"{case['method']}, {agent}"
        lines.append(Line(what, f"{published:g}", f"{ours:.4g} (rank {ranking.rank(agent)})", agrees, note))
sys.exit(show("VasE Table 6: Atari", lines, options.format))
