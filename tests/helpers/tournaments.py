"""Probabilistic tournaments for tests, and the hard solutions by their definitions."""

import json
from itertools import permutations

import numpy as np
from hypothesis import strategies as st

from helpers.paths import GOLDEN

H1 = json.loads((GOLDEN / "ste_walkthrough.json").read_text())

CYCLE = np.array([[0.5, 0.7, 0.3], [0.3, 0.5, 0.7], [0.7, 0.3, 0.5]])  # STE B.1
CONDORCET = np.array(
    [[0.5, 0.8, 0.9, 0.85], [0.2, 0.5, 0.6, 0.55], [0.1, 0.4, 0.5, 0.52], [0.15, 0.45, 0.48, 0.5]]
)  # B.2
WINS = [(1, 0), (2, 0), (2, 1), (3, 1), (3, 2), (0, 3)]  # STE B.3: A, B, C, D are 0, 1, 2, 3
COVERED = np.full((4, 4), 0.5)
for winner, loser in WINS:
    COVERED[winner, loser], COVERED[loser, winner] = 0.7, 0.3


def complementary(upper):
    """The upper triangle and its complement below it."""
    P = np.triu(upper, 1)
    return P + np.tril(1 - P.T, -1) + 0.5 * np.eye(len(P))


def random_tournament(n, seed):
    return complementary(np.random.default_rng(seed).random((n, n)))


@st.composite
def tournaments(draw, min_size=1, max_size=6, margin=0.05):
    """Win probabilities at least a margin away from one half."""
    n = draw(st.integers(min_size, max_size))
    cells = n * n
    distance = np.array(draw(st.lists(st.floats(margin, 0.5), min_size=cells, max_size=cells)))
    side = np.array(draw(st.lists(st.sampled_from([-1, 1]), min_size=cells, max_size=cells)))
    return complementary((0.5 + side * distance).reshape(n, n))


def hard_top_cycle(P):
    """Agents that reach all others by majorities: Definition 3.4."""
    reach = (P > 0.5) | np.eye(len(P), dtype=bool)
    for _ in P:
        reach = reach @ reach
    return reach.all(axis=1)


def hard_uncovered_set(P):
    """Agents that nobody covers: Definitions 3.5 and 3.6."""
    n, beats = len(P), P > 0.5
    covers = lambda c, a: beats[c, a] and all(beats[c, b] for b in range(n) if beats[a, b])
    return np.array([not any(covers(c, a) for c in range(n) if c != a) for a in range(n)])


def by_brute_force(n, winner, loser, strength):
    """Every cycle from its first agent, with the strength of its weakest edge."""
    edge = dict(zip(zip(winner.tolist(), loser.tolist(), strict=True), strength.tolist(), strict=True))
    triads = []
    for i, j, k in permutations(range(n), 3):
        if i < min(j, k) and (i, j) in edge and (j, k) in edge and (k, i) in edge:
            triads.append(((i, j, k), min(edge[i, j], edge[j, k], edge[k, i])))
    return sorted(triads, key=lambda one: (-one[1], one[0]))
