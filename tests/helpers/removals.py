"""Few battles, and the fewest removals, by trying every subset."""

from itertools import combinations

import numpy as np
from hypothesis import strategies as st

from beatpath import Battles, Factor

OUTCOMES = (0.0, 0.5, 1.0)


@st.composite
def few_battles(draw, most=8, agents=3, outcomes=OUTCOMES):
    rows = []
    for _ in range(draw(st.integers(2, most))):
        a, b = draw(st.sampled_from([(i, j) for i in range(agents) for j in range(agents) if i != j]))
        rows.append(("xyzuvw"[a], "xyzuvw"[b], draw(st.sampled_from(outcomes))))
    judge = Factor.of(draw(st.lists(st.sampled_from(["ann", "bea", "cat"]), min_size=len(rows), max_size=len(rows))))
    battles = Battles.of(rows)
    return Battles(tuple("xyzuvw"[:agents]), *_codes(battles, agents), battles.outcome, factors={"judge": judge})


def _codes(battles, agents):
    place = np.array(["xyzuvw".index(name) for name in battles.agents])
    return place[battles.a], place[battles.b]


def share(battles):
    won, played = dict.fromkeys(battles.agents, 0.0), dict.fromkeys(battles.agents, 0)
    for a, b, s in rows_of(battles):
        won[a] += s
        won[b] += 1 - s
        played[a] += 1
        played[b] += 1
    return {name: won[name] / played[name] if played[name] else None for name in won}


def net(battles):
    total = dict.fromkeys(battles.agents, 0.0)
    for a, b, s in rows_of(battles):
        total[a] += 2 * s - 1
        total[b] -= 2 * s - 1
    return total


def copeland(battles):
    margin = {}
    for a, b, s in rows_of(battles):
        margin[a, b] = margin.get((a, b), 0) + 2 * s - 1
        margin[b, a] = margin.get((b, a), 0) - (2 * s - 1)
    return {x: sum(np.sign(margin.get((x, y), 0)) for y in battles.agents if y != x) for x in battles.agents}


def rows_of(battles):
    return [
        (battles.agents[a], battles.agents[b], s)
        for a, b, s in zip(battles.a, battles.b, battles.outcome.tolist(), strict=True)
    ]


BY_DEFINITION = {"win_rate": share, "borda": net, "copeland": copeland}


def passes(score, up, down):
    return score[up] is not None and score[down] is not None and score[up] > score[down] + 1e-12


def fewest_by_trying(battles, method, up, down, groups=None):
    """The smallest number of rows, or of groups of rows, whose removal puts `up` above `down`."""
    groups = [[i] for i in range(len(battles))] if groups is None else groups
    for size in range(1, len(groups) + 1):
        for some in combinations(groups, size):
            keep = np.ones(len(battles), dtype=bool)
            keep[[i for group in some for i in group]] = False
            if keep.any() and passes(BY_DEFINITION[method](battles.take(keep)), up, down):
                return size
    return None
