"""Tables of wins at random, and the pair counts they are."""

import numpy as np
from hypothesis import strategies as st

from beatpath import Pairs


def pairs_of(wins):
    """Pair counts from a matrix of wins."""
    wins = np.asarray(wins, dtype=float)
    a, b = np.nonzero(np.triu(wins + wins.T, 1))
    counts = np.stack([wins[a, b], wins[b, a], 0 * a, 0 * a], axis=1)
    return Pairs(tuple(f"agent{i:04d}" for i in range(len(wins))), a, b, counts)


@st.composite
def win_matrices(draw, most=6):
    n = draw(st.integers(2, most))
    cells = draw(st.lists(st.integers(0, 5), min_size=n * n, max_size=n * n))
    wins = np.array(cells, dtype=float).reshape(n, n)
    np.fill_diagonal(wins, 0)
    return wins
