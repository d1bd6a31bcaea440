"""Majorities: who beats whom by estimates or by what was counted, and which wins are resolved."""

from dataclasses import replace

import numpy as np
import pytest

import beatpath as bp
from beatpath import Battles, resolve
from beatpath.inference.resolve.majorities import majorities


def matrix_of_wins(wins, names="abcd"):
    n = len(wins)
    a, b = np.triu_indices(n, 1)
    counts = np.array([[wins[i][j], wins[j][i], 0, 0] for i, j in zip(a, b, strict=True)])
    return bp.win_matrix(bp.Pairs(tuple(names[:n]), a, b, counts))


@pytest.fixture(scope="module")
def ladder():
    return matrix_of_wins([[0, 700, 900], [300, 0, 700], [100, 300, 0]])


def test_a_ladder_is_an_order_whose_first_beats_everybody(ladder):
    head_to_head = majorities(ladder, ladder.observed, 0.95)
    assert (head_to_head.winner, head_to_head.is_order, head_to_head.wins_resolved("a")) == ("a", True, 2)
    assert head_to_head.won.tolist() == [2, 1, 0]
    assert head_to_head.lost.tolist() == [0, 1, 2]


def test_a_cycle_has_no_winner_and_is_no_order():
    matrix = matrix_of_wins([[0, 700, 300], [300, 0, 700], [700, 300, 0]])
    head_to_head = majorities(matrix, matrix.observed, 0.95)
    assert head_to_head.winner is None
    assert not head_to_head.is_order


def test_two_agents_that_are_even_are_an_order_with_a_level():
    matrix = matrix_of_wins([[0, 500, 900], [500, 0, 900], [100, 100, 0]])
    head_to_head = majorities(matrix, matrix.observed, 0.95)
    assert head_to_head.winner is None
    assert head_to_head.is_order
    assert head_to_head.lost.tolist() == [0, 0, 2]


def test_what_was_counted_has_intervals_of_each_pair_by_itself(ladder):
    head_to_head = majorities(ladder, ladder.observed, 0.95, "battle")
    assert head_to_head.by == "battle by battle"
    assert head_to_head.rate[0, 1] == pytest.approx(0.7)
    assert head_to_head.wins_resolved("a") == 2
    few = matrix_of_wins([[0, 6, 6], [4, 0, 6], [4, 4, 0]])
    assert majorities(few, few.observed, 0.95, "battle").wins_resolved("a") == 0


def test_pairs_never_compared_are_beaten_by_estimate_only():
    matrix = bp.win_matrix(bp.Pairs(("a", "b", "c"), [0, 1], [1, 2], [[900, 100, 0, 0], [900, 100, 0, 0]]))
    assert majorities(matrix, matrix.observed, 0.95).winner == "a"
    assert majorities(matrix, matrix.observed, 0.95, "battle").winner is None


def ladder_of_twelve(each):
    i, j = np.triu_indices(12, 1)
    theta = np.linspace(0.8, -0.8, 12)
    return i, j, np.round(each / (1 + np.exp(theta[j] - theta[i]))).astype(int), np.full(len(i), each)


def pairs_of_twelve(i, j, won, number):
    names = tuple(f"agent {k:02d}" for k in range(12))
    return bp.Pairs(names, i, j, np.column_stack([won, number - won, 0 * won, 0 * won]))


def test_an_estimate_stays_within_one_standard_error_of_the_pairs_own_battles():
    i, j, won, number = ladder_of_twelve(40)
    upset = (i == 2) & (j == 9)
    won[upset] = 10  # the better agent by far wins 10 of 40 battles
    matrix = bp.win_matrix(pairs_of_twelve(i, j, won, number))
    result = majorities(matrix, matrix.observed, 0.95)
    assert abs(matrix.rate[2, 9] - 0.25) > 2 * matrix.observed.stderr[upset]  # the fit outweighs forty battles
    assert abs(result.rate[2, 9] - 0.25) == pytest.approx(matrix.observed.stderr[upset].item())
    assert result.resolved[9, 2]
    assert not result.resolved[2, 9]
    assert (abs(result.rate[i, j] - won / 40) <= matrix.observed.stderr + 1e-12).all()


def test_a_win_by_estimate_against_the_count_names_the_count():
    i, j, won, number = ladder_of_twelve(60)
    close = (i == 0) & (j == 1)
    won[close], number[close] = 4, 9
    result = bp.resolve(pairs_of_twelve(i, j, won, number))
    assert result.majorities.contradicted("agent 00") == (("agent 01", "4-5"),)
    assert "in direct battles its record is 4-5 against 'agent 01'" in " ".join(result.sentences)


def test_counts_decide_by_the_battles_themselves_and_not_by_rates_that_allow_for_the_side():
    """Won as many as lost: no majority, whatever a correction for the side shown first makes of the rate."""
    rows = [("a", "b", 1.0)] * 11 + [("a", "b", 0.0)] * 11 + [("a", "c", 1.0)] * 18 + [("a", "c", 0.0)] * 4
    rows += [("b", "c", 1.0)] * 17 + [("b", "c", 0.0)] * 5
    sides = np.where(np.random.default_rng(3).random(len(rows)) < 0.6, 1, -1)
    head_to_head = resolve(replace(Battles.of(rows), position=sides)).majorities
    assert head_to_head.direct[0, 1] == head_to_head.direct[1, 0] == 11
    assert not head_to_head.beats[0, 1]
    assert not head_to_head.beats[1, 0]
    assert head_to_head.winner is None


@pytest.mark.parametrize("best_last", [False, True])
def test_few_battles_that_agree_with_an_estimate_do_not_take_its_significance_away(best_last):
    """Head to head says what `win_matrix` says wherever both name the same winner, so that no page counts two ways."""
    i, j, won, number = ladder_of_twelve(400)
    few = (i == 2) & (j == 9)
    won[few], number[few] = 10, 18  # ahead, but ten of eighteen show nothing by themselves
    better, worse = (9, 2) if best_last else (2, 9)
    if best_last:
        i, j, won = 11 - j, 11 - i, number - won
    matrix = bp.win_matrix(pairs_of_twelve(i, j, won, number))
    result = majorities(matrix, matrix.observed, 0.95)
    assert matrix.rate[better, worse] > result.rate[better, worse] > 0.5
    assert result.resolved[better, worse]
    np.testing.assert_array_equal(result.resolved, matrix.interval(0.95)[0] > 0.5)
