"""Battles in a CSV file: read them, see what they can carry, and write counts.

A judge sees two answers to each prompt, in both orders, and likes the first one shown. The check finds that from the file.
"""

import csv
import tempfile
from pathlib import Path

import numpy as np

import beatpath as bp

STRENGTH = {"ada": 1.0, "bob": 0.4, "cyd": 0.4, "dan": -0.5}
LIKING = 0.8  # of the judge for whatever is shown first, on the scale of strength

rng = np.random.default_rng(7)
folder = Path(tempfile.mkdtemp())
with (folder / "battles.csv").open("w", newline="") as file:
    out = csv.writer(file)
    out.writerow(["model_a", "model_b", "winner", "prompt"])
    for prompt in range(400):
        one, two = rng.choice(list(STRENGTH), 2, replace=False)
        for a, b in [(one, two), (two, one)]:
            lead = STRENGTH[a] - STRENGTH[b] + LIKING
            out.writerow([a, b, "model_a" if rng.random() < 1 / (1 + np.exp(-lead)) else "model_b", f"p{prompt}"])

battles = bp.read(folder / "battles.csv")
print(battles.reading, end="\n\n")

report = bp.check(battles)
print(report.title)
for finding in report.having("warning"):
    print(f"- {finding.name}: {finding.text}")

bp.write(battles, folder / "counts.csv", to="pairs")
print("\n" + (folder / "counts.csv").read_text())
