"""A copy did what its original did."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beatpath import Battles, Margins, Scores, WinRates
from beatpath.inference.sensitivity.clones import with_clone
from helpers import strategies


@given(battles=strategies.battles(soft=False), data=st.data())
@settings(max_examples=20)
def test_battles_and_their_counts_are_copied_alike(battles, data):
    agent = data.draw(st.sampled_from(battles.agents))
    one, other = with_clone(battles, agent).pairs(), with_clone(battles.pairs(), agent)
    assert one.agents == other.agents
    np.testing.assert_array_equal(one.wins(), other.wins())
    np.testing.assert_array_equal(one.counts.sum(axis=0), other.counts.sum(axis=0))


@given(battles=strategies.battles(weighted=True), data=st.data())
@settings(max_examples=20)
def test_the_copy_did_against_everybody_what_the_original_did(battles, data):
    x = data.draw(st.integers(0, len(battles.agents) - 1))
    wins = with_clone(battles, battles.agents[x]).pairs().wins()
    n = len(battles.agents)
    np.testing.assert_array_equal(wins[:n, :n], battles.pairs().wins())
    np.testing.assert_allclose(np.delete(wins[n, :n], x), np.delete(wins[x, :n], x), rtol=1e-12)
    np.testing.assert_allclose(np.delete(wins[:n, n], x), np.delete(wins[:n, x], x), rtol=1e-12)
    assert wins[x, n] == pytest.approx(wins[n, x], rel=1e-12)


@given(ballots=strategies.ballots(), data=st.data())
@settings(max_examples=20)
def test_on_ballots_the_copy_shares_the_place_of_its_original(ballots, data):
    agent = data.draw(st.sampled_from(ballots.agents))
    copied = with_clone(ballots, agent, "\x00copy")
    for before, after in zip(ballots, copied, strict=True):
        assert [{*group, "\x00copy"} if agent in group else set(group) for group in before] == [set(g) for g in after]


def test_scores_margins_and_win_rates_are_copied_too():
    scores = with_clone(Scores.from_table([[1, 2], [3, np.nan]], ["a", "b"], ["s", "t"]), "b")
    table, _ = scores.table()
    np.testing.assert_array_equal(table, [[1, 2], [3, np.nan], [3, np.nan]])
    assert with_clone(Margins.from_wins([[0, 3], [1, 0]], ["a", "b"]), "a").matrix.tolist() == [
        [0, 2, 0],
        [-2, 0, -2],
        [0, 2, 0],
    ]
    rates = with_clone(WinRates([[0.5, 0.7], [0.3, 0.5]], ["a", "b"]), "a").matrix
    np.testing.assert_allclose(rates, [[0.5, 0.7, 0.5], [0.3, 0.5, 0.3], [0.5, 0.7, 0.5]])


def test_the_two_tie_as_often_as_the_original_met_a_rival_in_the_median():
    rows = [("x", "a", 1)] * 3 + [("b", "x", 0)] * 5 + [("c", "x", 1)] * 20 + [("a", "b", 1)] * 50
    pairs = with_clone(Battles.of(rows), "x").pairs()
    tied = pairs.counts[:, 2]
    assert tied.sum() == tied.max() == 5


def test_of_margins_the_two_have_been_compared_and_no_other_pair_is_added():
    matrix = np.array([[0.0, 2.0, 0.0], [-2.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
    played = np.array([[False, True, False], [True, False, True], [False, True, False]])
    copied = with_clone(Margins(matrix, ("a", "b", "c"), played=played), "c").played
    assert np.argwhere(np.triu(copied, 1)).tolist() == [[0, 1], [1, 2], [1, 3], [2, 3]]
    np.testing.assert_array_equal(copied, copied.T)
