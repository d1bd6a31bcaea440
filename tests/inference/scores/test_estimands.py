"""Leaderboard scores: by definition, for every estimand, and their errors against a brute-force cluster bootstrap."""

import numpy as np
import pytest
from hypothesis import given

import beatpath as bp
from beatpath.inference.matrix.win_matrix import win_matrix
from beatpath.inference.scores.estimands import leaderboard
from helpers import strategies


@given(strategies.clustered_battles())
def test_shares_of_battles_are_the_definition(battles):
    wins = battles.pairs().wins()
    total = (wins + wins.T).sum(axis=1)
    share = np.divide(wins.sum(axis=1), total, out=np.full(len(total), np.nan), where=total > 0)
    assert leaderboard(battles, estimand="as_sampled").score == pytest.approx(share, nan_ok=True)


@given(strategies.clustered_battles())
def test_scores_are_means_of_the_matrix(battles):
    matrix = win_matrix(battles)
    n = len(battles.agents)
    rates = np.where(np.eye(n, dtype=bool), np.nan, matrix.rate)
    known = ~np.isnan(rates)
    mean = [np.mean(rates[i, known[i]]) if known[i].any() else np.nan for i in range(n)]
    assert leaderboard(battles).score == pytest.approx(mean, nan_ok=True)
    w = np.arange(1.0, n + 1)
    mixed = [np.average(rates[i, k], weights=w[k]) if k.any() else np.nan for i, k in enumerate(known)]
    opponent_weights = dict(zip(battles.agents, w.tolist(), strict=True))
    assert leaderboard(battles, estimand=opponent_weights).score == pytest.approx(mixed, nan_ok=True)


def test_auto_asks_for_mean_scores_of_tables_and_mean_win_rates_of_all_else():
    table = bp.Scores.from_table([[10.0, 30.0], [0.0, 20.0]], ["a", "b"], ["x", "y"])
    assert leaderboard(table).score == pytest.approx([20.0, 10.0])
    assert leaderboard(table).settings["estimand"] == "mean_score"
    assert leaderboard(bp.example()).settings["estimand"] == "mean_win_rate"


@pytest.mark.parametrize("estimand", ["mean_win_rate", "as_sampled"])
def test_errors_agree_with_a_brute_force_cluster_bootstrap(estimand):
    battles = bp.only(bp.example(), ["aurora", "basalt", "cinder", "delta", "ember", "fjord"])
    board = leaderboard(battles, estimand=estimand)
    rng = np.random.default_rng(5)
    cluster = battles.factor("cluster").codes
    present = np.unique(cluster)
    rows = [np.flatnonzero(cluster == c) for c in present]
    resampled = []
    for _ in range(800):
        chosen = np.concatenate([rows[k] for k in rng.integers(len(rows), size=len(rows))])
        resampled.append(leaderboard(battles.take(chosen), estimand=estimand, cluster=None).score)
    theirs = np.cov(np.array(resampled).T)
    ratio = np.sqrt(np.diag(board.covariance) / np.diag(theirs))
    assert np.abs(ratio - 1).max() < 0.09  # a standard error from 800 draws is off by 2.5 % itself
    apart = np.sqrt(board.variance_of_differences[0, 1:])
    other = np.sqrt(theirs[0, 0] + np.diag(theirs)[1:] - 2 * theirs[0, 1:])
    assert np.abs(apart / other - 1).max() < 0.09


def test_pairs_never_played_and_agents_with_few_battles_are_reported():
    pairs = bp.Pairs(("a", "b", "c", "d"), [0, 1], [1, 2], [[6, 5, 0, 0], [3, 4, 0, 0]])
    board = leaderboard(pairs)
    text = " ".join(board.notes)
    assert "1 agent has no battle" in text
    assert "fewer than 10 battles: 'c'" in text
    assert np.isnan(board.score[3])


@pytest.mark.parametrize(
    ("estimand", "words"),
    [
        ("mean_win_rates", "did you mean|Did you mean"),
        ({"aurara": 1.0}, "no agent"),
        ({"aurora": -1.0}, "not negative"),
        ({"aurora": 0.0}, "above zero"),
    ],
)
def test_a_mixture_must_make_sense(estimand, words):
    with pytest.raises(bp.UsageError, match=words):
        leaderboard(bp.example(), estimand=estimand)


def test_a_pair_never_played_has_the_bradley_terry_prediction():
    """A chain of equal odds: the missing rate is the product of the odds."""
    pairs = bp.Pairs(("a", "b", "c"), [0, 1], [1, 2], [[3000, 1000, 0, 0], [3000, 1000, 0, 0]])
    assert leaderboard(pairs).score == pytest.approx([(0.75 + 0.9) / 2, 0.5, (0.25 + 0.1) / 2], abs=1e-3)


def test_strengths_can_be_the_scores():
    pairs = bp.Pairs(("a", "b", "c"), [0, 0, 1], [1, 2, 2], [[15, 5, 0, 0], [18, 2, 0, 0], [15, 5, 0, 0]])
    board = leaderboard(pairs, estimand="bradley_terry")
    assert board.score == pytest.approx([np.log(3), 0, -np.log(3)])
    assert board.settings["estimand"] == "bradley_terry"


def test_a_share_of_wins_has_the_error_of_a_binomial_as_opponents_come_at_random():
    """Half of the battles against one who always loses and half against one who never does: a coin, once in N."""
    pairs = bp.Pairs(("a", "b", "c"), [0, 0], [1, 2], [[990, 10, 0, 0], [10, 990, 0, 0]])
    board = leaderboard(pairs, estimand="as_sampled")
    assert np.sqrt(board.covariance[0, 0]) == pytest.approx(np.sqrt(0.25 / 2000), rel=0.005)
    assert np.sqrt(board.covariance[1, 1]) == pytest.approx(np.sqrt(0.99 * 0.01 / 1000), rel=0.06)


def test_a_share_of_wins_against_random_opponents_varies_as_its_error_says():
    """Opponents sampled anew, by themselves and five at a time."""
    rng = np.random.default_rng(11)
    chance = np.array([0.95, 0.6, 0.1])
    for size in (1, 5):
        shares, errors = [], []
        for _ in range(400):
            opponent = np.repeat(rng.integers(3, size=300 // size), size)
            outcome = (rng.random(300) < chance[opponent]).astype(float)
            factor = bp.Factor.of(f"{i // size:03d}" for i in range(300))
            battles = bp.Battles(tuple("abcd"), np.zeros(300, int), opponent + 1, outcome, factors={"cluster": factor})
            board = leaderboard(battles, estimand="as_sampled")
            shares.append(board.score[0])
            errors.append(np.sqrt(board.covariance[0, 0]))
        assert np.mean(errors) == pytest.approx(np.std(shares), rel=0.12)  # a deviation of 400 draws is off by 3.5 %


@pytest.mark.parametrize("estimand", ["mean_win_rate", "as_sampled", {"b": 1.0}])
def test_a_share_lies_from_nothing_to_all_and_a_strength_anywhere(estimand):
    pairs = bp.Pairs(("a", "b"), [0], [1], [[3, 1, 0, 0]])
    assert leaderboard(pairs, estimand=estimand).bounds == (0.0, 1.0)
    assert leaderboard(pairs, estimand="bradley_terry").bounds == (-np.inf, np.inf)
