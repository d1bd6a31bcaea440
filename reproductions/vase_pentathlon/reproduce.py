"""Reproduces: the preference and margin matrices of the pentathlon.

Source     Voting as Evaluation (VasE), Figure 4 and the appendix's running example
Data       inline: the five votes printed there
Expected   expected.json, typed in by hand from the source, never written by this script
Run        python reproductions/vase_pentathlon/reproduce.py     (exit 1 on a mismatch)
"""

import json
import sys
from pathlib import Path

from beatpath import Ballots

expected = json.loads(Path(__file__).with_name("expected.json").read_text())
votes = [[[name] for name in vote] for vote in expected["votes"]]
ballots = Ballots.of(votes, count=expected["weights"])
pairs = ballots.pairs()
ours = {"N": pairs.wins().astype(int).tolist(), "M": pairs.margins().matrix.astype(int).tolist()}
for name, matrix in ours.items():
    print(f"{name}   published {expected[name]}   ours {matrix}")
sys.exit(0 if all(ours[name] == expected[name] for name in ours) else 1)
