"""Tie groups and runs, by their definition."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.ranks.rank_sets import rank_sets

DRAWS = 1_000


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


@given(ANY)
@settings(max_examples=40)
def test_groups_are_cut_exactly_where_all_above_are_certainly_above_all_below(board):
    found = rank_sets(board, draws=DRAWS)
    order = found.order
    assert (np.diff(found.score[order]) <= 0).all()
    for k in range(1, len(order)):
        cut = found.above[np.ix_(order[:k], order[k:])].all()
        assert found.group[order[k]] - found.group[order[k - 1]] == int(cut)
    assert [name for group in found.groups for name in group] == [board.agents[i] for i in order]


@given(ANY)
@settings(max_examples=40)
def test_runs_are_the_longest_stretches_without_a_certain_order(board):
    found = rank_sets(board, draws=DRAWS)
    order, k = found.order, len(found.order)
    stretches = [(i, j) for i in range(k) for j in range(i + 1, k + 1)]
    free = {(i, j) for i, j in stretches if not found.above[np.ix_(order[i:j], order[i:j])].any()}
    longest = [(i, j) for i, j in sorted(free) if not {(i - 1, j), (i, j + 1)} & free]
    assert [run.tolist() for run in found.runs] == [order[i:j].tolist() for i, j in longest]
