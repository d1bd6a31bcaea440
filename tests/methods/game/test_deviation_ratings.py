"""Deviation ratings: laws over random games, cases by hand, and the way by two players' marginals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import beatpath as bp
from beatpath import DataError, Margins, Scores, UsageError
from helpers.game_cases import games, named, tensors

PENNIES = np.array([[1.0, -1.0], [-1.0, 1.0]])


@settings(max_examples=50, deadline=None)
@given(tensors(), st.data())
def test_clone_proof_a_copy_of_a_strategy_is_rated_alike_and_moves_no_rating(game, data):
    player = data.draw(st.integers(0, len(game) - 1))
    which = data.draw(st.integers(0, game[0].shape[player] - 1))
    copied = [np.concatenate([G, G.take([which], axis=player)], axis=player) for G in game]
    before, after = bp.games.deviation_ratings(game), bp.games.deviation_ratings(copied)
    for p, (one, other) in enumerate(zip(before, after, strict=True)):
        expected = np.append(one, one[which]) if p == player else one
        np.testing.assert_allclose(other, expected, atol=1e-6)


@settings(max_examples=40, deadline=None)
@given(tensors(), st.data())
def test_what_others_alone_decide_changes_no_rating(game, data):
    player = data.draw(st.integers(0, len(game) - 1))
    shape = [*game[0].shape]
    shape[player] = 1
    offset = np.random.default_rng(data.draw(st.integers(0, 99))).integers(-4, 5, shape)
    moved = [G + offset if p == player else G for p, G in enumerate(game)]
    for one, other in zip(bp.games.deviation_ratings(game), bp.games.deviation_ratings(moved), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)


@settings(max_examples=50, deadline=None)
@given(tensors())
def test_an_equilibrium_exists_so_that_nobody_gains_and_dominated_strategies_rate_no_better(game):
    for p, ratings in enumerate(bp.games.deviation_ratings(game)):
        assert ratings.max() <= 1e-6
        for a in range(len(ratings)):
            for b in range(len(ratings)):
                if (game[p].take(a, axis=p) >= game[p].take(b, axis=p)).all():
                    assert ratings[a] >= ratings[b] - 1e-6


def test_pennies_rate_alike_and_the_dilemma_prefers_confession():
    for ratings in bp.games.deviation_ratings([PENNIES, -PENNIES]):
        assert ratings.tolist() == pytest.approx([0, 0], abs=1e-7)
    dilemma = np.array([[2.0, 0.0], [3.0, 1.0]])
    for ratings in bp.games.deviation_ratings([dilemma, dilemma.T]):
        assert ratings.tolist() == pytest.approx([-1, 0], abs=1e-7)


@settings(max_examples=25, deadline=None)
@given(games(max_agents=4))
def test_evidence_is_rated_as_the_game_of_agents_against_agents(M):
    expected = bp.games.deviation_ratings([M, -M])[0]
    ranking = bp.rank(named(M), "deviation_ratings")
    np.testing.assert_allclose(list(ranking.scores.values()), expected, atol=1e-5)


def test_copies_of_a_task_change_nothing_where_a_table_is_played_against_tasks():
    table = np.array([[0.8, 0.8, 0.1], [1.0, 0.0, 0.5], [0.0, 1.0, 0.4]])
    names, tasks = ["ada", "bob", "cyd"], ["math", "code", "prose"]
    one = bp.rank(Scores.from_table(table, names, tasks), "deviation_ratings")
    copied = np.column_stack([table, table[:, 1], table[:, 1]])
    other = bp.rank(Scores.from_table(copied, names, [*tasks, "code 2", "code 3"]), "deviation_ratings")
    assert one.scores == pytest.approx(other.scores, abs=1e-7)


def test_copies_of_an_agent_change_no_rating_of_the_others():
    wins = np.array([[0, 3, 1, 5], [2, 0, 4, 4], [4, 1, 0, 3], [0, 1, 2, 0]], dtype=float)
    names = ["a", "b", "c", "d"]
    one = bp.rank(Margins.from_wins(wins, names), "deviation_ratings").scores
    order = [0, 1, 2, 3, 2]
    copied = wins[np.ix_(order, order)]
    other = bp.rank(Margins.from_wins(copied, [*names, "c2"]), "deviation_ratings").scores
    assert other == pytest.approx(one | {"c2": one["c"]}, abs=1e-7)


def test_what_is_no_game_is_refused():
    for wrong in ([], [PENNIES], [PENNIES, PENNIES[:1]], [np.zeros((0, 2))] * 2):
        with pytest.raises(UsageError, match="`payoffs` must be an array a player"):
            bp.games.deviation_ratings(wrong)
    with pytest.raises(UsageError, match="`payoffs` must be finite"):
        bp.games.deviation_ratings([PENNIES * np.inf, PENNIES])
    with pytest.raises(DataError, match="strategies times outcomes"):
        bp.games.deviation_ratings([np.zeros((200, 200))] * 2)
