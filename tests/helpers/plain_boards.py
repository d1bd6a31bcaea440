"""Leaderboards without a description, correlated ones, and hypotheses about them."""

import numpy as np
from hypothesis import strategies as st

from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.ranks.differences import estimable


def board_of(score, covariance, df=np.inf, names=None):
    n = len(score)
    names = names or tuple(f"agent{i:03d}" for i in range(n))
    return Leaderboard(
        names, np.asarray(score, float), np.asarray(covariance, float), np.full((n, n), float(df)), "a score"
    )


def correlated(rng, n):
    """A covariance with one shared error, one factor and unequal own errors."""
    L = np.column_stack([np.diag(rng.uniform(0.3, 2, n)), np.full(n, 3.0), rng.normal(size=n)])
    return L @ L.T


@st.composite
def boards_with_hypotheses(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(2, 8))
    V = correlated(rng, n)
    if n > 3 and draw(st.booleans()):  # two agents that err almost alike, which single precision would blur
        V = np.vstack([V, V[-1:]])
        V = np.column_stack([V, V[:, -1]]) + np.diag([0.0] * (n - 1) + [0.0, 1e-6])
        n += 1
    used = estimable(board_of(np.zeros(n), V)) & (rng.random((n, n)) < draw(st.sampled_from([0.5, 0.9, 1.0])))
    used &= used.T
    left = used & (rng.random((n, n)) < draw(st.sampled_from([0.3, 0.8, 1.0])))
    return board_of(np.zeros(n), V), used, left
