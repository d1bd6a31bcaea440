"""A table of scores: what a missing score means decides who beats whom.

Three agents, four tasks, one empty cell and one metric for which lower is better. Each task ranks the agents.
"""

import tempfile
from pathlib import Path

import beatpath as bp

path = Path(tempfile.mkdtemp()) / "scores.csv"
path.write_text("""\
model,math,code,translation,latency
ada,0.81,0.64,0.70,310
bob,0.80,0.71,,150
cyd,0.62,0.60,0.75,90
""")

scores = bp.read(path, lower=["latency"])
print(scores)
print(bp.check(scores)["missing cells"].sentence, end="\n\n")

for missing in ("unranked", "last", "drop_task"):
    ballots = scores.ballots(missing=missing, tolerance=0.02)
    print(f"missing={missing}: {ballots.conventions[1].meaning}")
    for task, ballot in zip(ballots.factors["task"].names(), ballots, strict=True):
        print(f"  {task:12} {' > '.join(' = '.join(group) for group in ballot)}")
    pairs = ballots.pairs()
    for a, b, (won, lost, tied, _) in zip(pairs.a, pairs.b, pairs.counts, strict=True):
        print(f"  {pairs.agents[a]} against {pairs.agents[b]}: {won:g} won, {lost:g} lost, {tied:g} tied")
    print()
