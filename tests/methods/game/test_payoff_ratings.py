"""Payoff ratings: by hand, as Nash averaging has them, and laws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import beatpath as bp
from beatpath import Margins
from helpers.game_cases import CHICKEN, tensors

KINDS = ("coarse", "correlated")


def test_chicken_by_hand():
    """Advised to dare, the other yields two times of three; advised to yield, the other dares 2 in 2 + 2^0.8."""
    dare, yields = 14 / 3, (4 + 6 * 2**0.8) / (2 + 2**0.8)
    for kind in KINDS:
        for ratings in bp.games.payoff_ratings([CHICKEN, CHICKEN.T], equilibrium=kind):
            np.testing.assert_allclose(ratings, [dare, yields], atol=1e-8)


def test_biased_rock_paper_scissors_rates_alike_what_the_equilibrium_mixes():
    """Rock beats scissors by 3 and the rest is 1: all three are worth nothing, though played unequally often."""
    G = np.array([[0.0, -1.0, 3.0], [1.0, 0.0, -1.0], [-3.0, 1.0, 0.0]])
    np.testing.assert_allclose(bp.games.max_entropy_equilibrium([G, -G]).sum(axis=1), [0.2, 0.6, 0.2], atol=1e-8)
    np.testing.assert_allclose(bp.games.payoff_ratings([G, -G])[0], 0.0, atol=1e-8)


@settings(max_examples=40, deadline=None)
@given(n=st.integers(2, 5), data=st.data())
def test_of_two_players_of_whom_one_wins_what_the_other_loses_ratings_are_those_of_nash_averaging(n, data):
    cells = data.draw(st.lists(st.integers(-3, 3), min_size=n * n, max_size=n * n))
    A = np.triu(np.array(cells, dtype=float).reshape(n, n), 1)
    A = A - A.T
    nash = bp.rank(Margins(A, tuple("abcde"[:n])), "nash_averaging", matrix="raw")
    for kind in KINDS:
        np.testing.assert_allclose(
            bp.games.payoff_ratings([A, -A], equilibrium=kind)[0], list(nash.scores.values()), atol=1e-5
        )


@settings(max_examples=40, deadline=None)
@given(game=tensors(), scale=st.integers(1, 5), move=st.integers(-3, 3))
def test_units_of_payoffs_are_units_of_ratings(game, scale, move):
    for one, other in zip(
        bp.games.payoff_ratings(game), bp.games.payoff_ratings([scale * G + move for G in game]), strict=True
    ):
        np.testing.assert_allclose(other, scale * one + move, atol=1e-5)


@settings(max_examples=40, deadline=None)
@given(game=tensors())
def test_what_the_ratings_of_played_strategies_average_to_is_what_the_player_gets(game):
    sigma = bp.games.max_entropy_equilibrium(game)
    for p, ratings in enumerate(bp.games.payoff_ratings(game)):
        others = tuple(axis for axis in range(sigma.ndim) if axis != p)
        assert sigma.sum(axis=others) @ ratings == pytest.approx(float((sigma * game[p]).sum()), abs=1e-7)


def scores(G, names):
    return bp.Scores.from_table(np.asarray(G, dtype=float), names, names)


def test_rank_rates_agents_by_what_they_get_with_each_other():
    ranking = bp.rank(scores(CHICKEN, ("dare", "yield")), "payoff_ratings")
    np.testing.assert_allclose(list(ranking.scores.values()), bp.games.payoff_ratings([CHICKEN, CHICKEN.T])[0])
    assert ranking.winners == ("dare",)
    assert sum(ranking.details["mass"].values()) == pytest.approx(1)
    played = sum(ranking.details["mass"][name] * score for name, score in ranking.scores.items())
    assert played == pytest.approx(ranking.details["value"])


def test_where_one_wins_what_the_other_loses_rank_says_what_nash_averaging_says():
    G = np.array([[0.0, -1.0, 3.0, 1.0], [1.0, 0.0, -1.0, 1.0], [-3.0, 1.0, 0.0, 1.0], [-1.0, -1.0, -1.0, 0.0]])
    names = ("rock", "paper", "scissors", "stone")
    nash = bp.rank(Margins(G, names), "nash_averaging", matrix="raw")
    ranking = bp.rank(scores(G, names), "payoff_ratings")
    assert ranking.levels == nash.levels == (("paper", "rock", "scissors"), ("stone",))


def test_the_prisoners_who_confess_get_one():
    ranking = bp.rank(scores([[2, 0], [3, 1]], ("silent", "confess")), "payoff_ratings")
    assert ranking.scores == pytest.approx({"silent": 0, "confess": 1}, abs=1e-7)


def test_the_order_of_columns_is_that_of_names_and_repeats_are_averaged():
    agent, task = [0, 0, 0, 1, 1], ["yield", "dare", "yield", "yield", "dare"]
    scores = bp.Scores(("dare", "yield"), agent, [6.0, 0.0, 8.0, 6.0, 2.0], {"task": bp.Factor.of(task)})
    np.testing.assert_allclose(
        list(bp.rank(scores, "payoff_ratings").scores.values()), bp.games.payoff_ratings([CHICKEN, CHICKEN.T])[0]
    )


def test_tasks_that_are_no_agents_and_missing_cells_are_refused_by_name():
    with pytest.raises(bp.DataError, match="tasks are agents; 'code', 'math' are none"):
        bp.rank(bp.Scores.from_table(np.eye(2), ("x", "y"), ("code", "math")), "payoff_ratings")
    with pytest.raises(bp.DataError, match="what 'x' gets with 'y' is missing"):
        bp.rank(scores([[1, np.nan], [1, 1]], ("x", "y")), "payoff_ratings")
    with pytest.raises(bp.DataError, match="what 'x' gets with 'y' is missing"):
        bp.rank(bp.Scores.from_table(np.ones((2, 1)), ("x", "y"), ("x",)), "payoff_ratings")
