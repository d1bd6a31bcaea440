"""Games of four: each is a ballot, and ballots become pair counts that know which game they come from.

Places are sampled from a Plackett-Luce model: the winner is sampled by strength, then the second among the rest, and so on.
"""

import tempfile
from pathlib import Path

import numpy as np

import beatpath as bp

STRENGTH = {"ada": 4.0, "bob": 2.0, "cyd": 2.0, "dan": 1.0, "eve": 1.0, "fay": 0.5}

rng = np.random.default_rng(11)
names, weight = list(STRENGTH), np.array(list(STRENGTH.values()))
lines = ["game,player,place"]
for game in range(200):
    seated = rng.choice(len(names), 4, replace=False)
    order = rng.choice(seated, 4, replace=False, p=weight[seated] / weight[seated].sum())
    lines += [f"g{game:03d},{names[player]},{place}" for place, player in enumerate(order, start=1)]
path = Path(tempfile.mkdtemp()) / "games.csv"
path.write_text("\n".join(lines) + "\n")

ballots = bp.read(path, map={"ballot": "game", "agent": "player", "rank": "place"})
print(ballots)
print("the first game:", " > ".join(group[0] for group in next(iter(ballots))))

rates = ballots.pairs().win_rates()
print("\nshare of their common games in which the row came before the column:")
print(f"{'':5}" + "".join(f"{name:>6}" for name in rates.agents))
for name, row in zip(rates.agents, rates.matrix, strict=True):
    print(f"{name:5}" + "".join("     -" if rival == name else f"{p:6.2f}" for rival, p in zip(rates.agents, row)))  # noqa: B905

print("\nwhom each beats by majority:")
margins = ballots.pairs().margins()
for name in margins.agents:
    print(f"  {name}: {', '.join(margins.beats(name)) or 'nobody'}")
