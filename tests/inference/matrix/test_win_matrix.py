"""The public matrix of win rates: what it says, its rows, and the rates of pairs without battles."""

import json

import numpy as np
import pytest

import beatpath as bp
from beatpath.inference.matrix.win_matrix import win_matrix


def chain(n=2000):
    won = 3 * n // 4
    return bp.Pairs(("ada", "bob", "cyd"), [0, 1], [1, 2], [[won, n - won, 0, 0]] * 2)


def test_a_pair_without_battles_has_the_product_of_the_odds():
    matrix = win_matrix(chain())
    assert matrix.rate[0, 2] == pytest.approx(0.9, abs=2e-3)
    assert matrix.own_share[0, 2] == 0
    assert matrix.stderr[0, 2] > 2 * matrix.stderr[0, 1]


def test_rows_name_every_connected_pair_once_the_better_first():
    rows = win_matrix(bp.example()).rows()
    assert len({frozenset((row["agent"], row["rival"])) for row in rows}) == len(rows) == 30 * 29 // 2
    assert all(row["rate"] >= 0.5 and row["low"] <= row["rate"] <= row["high"] for row in rows)


def test_plain_data_can_be_written_and_hold_nothing_across_components():
    pairs = bp.Pairs(("a", "b", "c", "d"), [0, 2], [1, 3], [[6, 4, 0, 0], [30, 10, 0, 0]])
    matrix = win_matrix(pairs)
    data = json.loads(json.dumps(matrix.to_dict(), allow_nan=False))
    assert data["type"] == "win_matrix"
    assert data["rate"][0][2] is None
    assert data["parts"] == [["a", "b"], ["c", "d"]]
    assert matrix.sentences[0].startswith("The agents form 2 connected components (")


def test_a_mixture_of_all_opponents_alike_is_the_leaderboard():
    matrix = win_matrix(bp.example())
    alike, board = matrix.mixture(dict.fromkeys(matrix.agents, 2.0)), matrix.leaderboard()
    np.testing.assert_allclose(alike.score, board.score)
    np.testing.assert_allclose(alike.covariance, board.covariance, atol=1e-12)


def test_draws_spread_as_the_errors_say():
    matrix = win_matrix(chain(400))
    draws = matrix.draws(np.random.default_rng(0), 4000)
    assert draws.shape == (4000, 3, 3)
    assert draws[:, 0, 1].std() == pytest.approx(matrix.stderr[0, 1], rel=0.05)


def test_too_many_agents_are_refused_with_a_way_out():
    n = 2501
    pairs = bp.Pairs(tuple(f"x{i:04d}" for i in range(n)), np.arange(n - 1), np.arange(1, n), [[1, 1, 0, 0]] * (n - 1))
    with pytest.raises(bp.DataError, match="at most 2,500 agents"):
        win_matrix(pairs)


def test_a_star_says_that_nothing_shows_whether_the_scale_fits():
    star = bp.Pairs(tuple("abcd"), [0, 0, 0], [1, 2, 3], [[60, 40, 0, 0]] * 3)
    assert (
        win_matrix(star)
        .leaderboard()
        .notes[0]
        .startswith("Too few pairs form closed loops to show whether a Bradley-Terry model fits")
    )
    full = bp.Pairs(tuple("abcd"), *np.triu_indices(4, 1), [[6000, 4000, 0, 0]] * 6)
    assert not any("closed loops" in note for note in win_matrix(full).leaderboard().notes)


@pytest.mark.parametrize("few", [[[3, 1], [0, 1], [1, 3]], [[0, 3], [2, 1], [0, 2]]])
def test_a_pair_with_millions_of_battles_beside_pairs_with_few_keeps_its_own_error(few):
    """The terms of its variance cancel: the sum was below zero, or a tenth too large."""
    counts = [[*pair, 0, 0] for pair in [*few, [5_000_000, 5_033_488]]]
    matrix = win_matrix(bp.Pairs(tuple("abcd"), [0, 0, 0, 1], [1, 2, 3, 2], counts))
    rate, n = 5_000_000 / 10_033_488, 10_033_488
    assert matrix.estimate.psi_stderr[1, 2] == pytest.approx(np.sqrt(rate * (1 - rate) / n), rel=1e-6)
