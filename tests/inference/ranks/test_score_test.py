"""Orders of win rates are tested with the variance that equal agents would have."""

import numpy as np
import pytest

import beatpath as bp
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.ranks.claims import claims_of
from beatpath.inference.ranks.differences import z_scores


def board_of(wins, battles):
    """Win rates of independent agents, with the binomial variance."""
    p, n = np.array(wins) / np.array(battles), np.array(battles, dtype=float)
    known = np.full((len(p), len(p)), np.inf)
    names = tuple("abcdef"[: len(p)])
    return Leaderboard(names, p, np.diag(p * (1 - p) / n), known, "win rate", bounds=(0.0, 1.0), battles=n)


def test_with_equally_many_battles_it_is_the_test_of_two_proportions():
    board = board_of([29, 22], [30, 30])
    pooled = 51 / 60
    z = (7 / 30) / np.sqrt(pooled * (1 - pooled) * 2 / 30)  # 2.529; Wald's is 2.662
    assert z_scores(board, ~np.eye(2, dtype=bool))[0, 1] == pytest.approx(z, rel=1e-12)


def test_a_lucky_agent_of_few_battles_has_the_variance_of_its_equal():
    board = board_of([19, 500], [20, 1000])
    pooled = 519 / 1020
    extra = (pooled * (1 - pooled) - 0.95 * 0.05) / 20 + (pooled * (1 - pooled) - 0.25) / 1000
    assert board.variance_if_equal[0, 1] == pytest.approx(0.95 * 0.05 / 20 + 0.25 / 1000 + extra, rel=1e-12)
    assert board.variance_if_equal == pytest.approx(board.variance_if_equal.T)


def test_the_variance_never_falls_below_that_of_the_estimate():
    board = board_of([10, 950], [20, 1000])  # pooled, the variance of the first would be smaller
    assert board.variance_if_equal[0, 1] >= board.variance_of_differences[0, 1]


def test_scores_that_are_not_win_rates_keep_their_variance():
    board = Leaderboard(("a", "b"), np.array([3.0, 1.0]), np.eye(2), np.full((2, 2), np.inf), "mean")
    assert (board.variance_if_equal == board.variance_of_differences).all()


@pytest.mark.parametrize("wins", range(15, 31))
def test_an_order_is_certain_where_the_interval_excludes_zero(wins):
    ranks = bp.rank_sets(board_of([wins, 15], [30, 30]), multiplicity="bonferroni")
    difference = ranks.difference("a", "b")
    assert (difference.low > 0) == bool(ranks.above[0, 1])
    assert difference.high - difference.estimate <= difference.estimate - difference.low + 1e-12


def test_battles_count_each_side_of_every_pair():
    pairs = bp.Pairs(("a", "b", "c"), [0, 1], [1, 2], [[6, 4, 0, 0], [12, 8, 0, 0]])
    assert bp.leaderboard(pairs).battles.tolist() == [10, 30, 20]
    assert bp.leaderboard(pairs, estimand="bradley_terry").battles is None


def test_a_first_place_tested_by_itself_is_not_explained_by_ranks_that_contradict_it():
    battles = [400, 400, 400, 400]
    ranks = bp.rank_sets(board_of([230, 200, 198, 196], battles), multiplicity="bonferroni")
    claim = claims_of("a is first", ranks.agents)[0]
    assert ranks.worst[0] > 1
    assert ranks.supports(claim, 1)
    assert ranks.reason(claim, 1) == "it is above each of the 3 others"
