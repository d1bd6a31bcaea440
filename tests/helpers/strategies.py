"""Random evidence for laws that must hold for all of it."""

import numpy as np
from hypothesis import strategies as st

from beatpath import Ballots, Battles, Factor, Scores

NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=8)
AGENTS = st.lists(NAMES, min_size=2, max_size=6, unique=True).map(lambda names: tuple(sorted(names)))


@st.composite
def battles(draw, weighted=False, soft=True):
    agents = draw(AGENTS)
    n = draw(st.integers(1, 25))
    a = np.array(draw(st.lists(st.integers(0, len(agents) - 1), min_size=n, max_size=n)))
    step = np.array(draw(st.lists(st.integers(1, len(agents) - 1), min_size=n, max_size=n)))
    choices = [0.0, 0.5, 1.0] + ([0.25, 0.9] if soft else [])
    outcome = np.array(draw(st.lists(st.sampled_from(choices), min_size=n, max_size=n)))
    both_bad = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n))) & (outcome == 0.5)
    weight = np.array(draw(st.lists(st.integers(0, 5), min_size=n, max_size=n)), dtype=float) if weighted else None
    cluster = draw(st.lists(st.one_of(st.none(), st.sampled_from("xyz")), min_size=n, max_size=n))
    position = np.array(draw(st.lists(st.sampled_from([-1, 0, 1]), min_size=n, max_size=n)))
    return Battles(
        agents,
        a,
        (a + step) % len(agents),
        outcome,
        both_bad=both_bad,
        weight=weight,
        position=position,
        factors={"cluster": Factor.of(cluster)},
    )


@st.composite
def ballots(draw, complete=False):
    agents = draw(AGENTS)
    votes = []
    for _ in range(draw(st.integers(1, 6))):
        order = draw(st.permutations(agents))
        order = order if complete else order[: draw(st.integers(1, len(order)))]
        groups: list[list[str]] = []
        for name in order:
            if groups and draw(st.booleans()):
                groups[-1].append(name)
            else:
                groups.append([name])
        votes.append(groups)
    count = draw(st.lists(st.integers(1, 4), min_size=len(votes), max_size=len(votes)))
    return Ballots.of(votes, agents=agents, count=count)


@st.composite
def scores(draw):
    agents = draw(AGENTS)
    tasks = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    cell = st.one_of(st.just(np.nan), st.integers(-3, 3).map(float))
    table = draw(
        st.lists(st.lists(cell, min_size=len(tasks), max_size=len(tasks)), min_size=len(agents), max_size=len(agents))
    )
    return Scores.from_table(np.array(table), agents, tasks)


@st.composite
def clustered_battles(draw, weighted=False):
    """Few battles of few agents in few clusters, each of one judge; some outcomes soft."""
    n, rows = draw(st.integers(2, 5)), draw(st.integers(4, 30))
    codes = st.integers(0, n - 1)
    pairs = draw(st.lists(st.tuples(codes, codes).filter(lambda p: p[0] != p[1]), min_size=rows, max_size=rows))
    outcome = draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 0.8]), min_size=rows, max_size=rows))
    cluster = draw(st.lists(st.integers(0, 4), min_size=rows, max_size=rows))
    cluster[0], cluster[1] = 0, 1
    weight = draw(st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=rows, max_size=rows)) if weighted else None
    a, b = np.array(pairs).T
    names = tuple("abcde"[:n])
    factors = {"cluster": Factor.of(map(str, cluster)), "judge": Factor.of(str(c % 2) for c in cluster)}
    return Battles(names, a, b, np.array(outcome), weight=weight, factors=factors)
