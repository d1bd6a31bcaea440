"""Leaderboards of given scores and covariance, and random ones."""

import numpy as np
from hypothesis import strategies as st

from beatpath.inference.leaderboard import Leaderboard


def board_of(score, covariance, df=np.inf, names=None):
    n = len(score)
    names = names or tuple(f"agent{i:03d}" for i in range(n))
    df = np.broadcast_to(np.asarray(df, float), (n, n))
    return Leaderboard(
        names, np.asarray(score, float), np.asarray(covariance, float), df, "a score", {"estimand": "mean_win_rate"}
    )


@st.composite
def boards(draw, missing=False, two_way=False, ragged=False):
    n = draw(st.integers(2, 7))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    L = np.column_stack([np.diag(rng.uniform(0.2, 2, n)), rng.normal(size=(n, 2))])
    score = np.round(rng.normal(size=n) * draw(st.sampled_from([0.0, 3.0, 10.0])), draw(st.integers(0, 2)))
    if missing:
        score[rng.random(n) < 0.2] = np.nan
    V = L @ L.T
    if two_way:
        noise = rng.normal(size=(n, n))
        V += 0.3 * (noise + noise.T)
    df = draw(st.sampled_from([np.inf, 40.0, 5.0]))
    if ragged:
        df = np.round(np.exp(rng.uniform(0, 6, (n, n))))
        df = np.maximum(df, df.T)
    return board_of(score, V, df)


ANY = boards(missing=True, two_way=True, ragged=True)
