"""Firth's estimate: by maximising the penalised likelihood itself, its bias, and where it is finite."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from scipy.optimize import minimize
from scipy.sparse.csgraph import connected_components

import beatpath as bp
from beatpath import Battles, Margins
from helpers.win_counts import pairs_of, win_matrices


def penalised(wins):
    """Maximise the likelihood times the root of the determinant of the information on strengths less the last."""
    n = len(wins)

    def loss(free):
        theta = np.append(free, 0.0)
        lead = theta[:, None] - theta[None, :]
        p = 1 / (1 + np.exp(-lead))
        weight = (wins + wins.T) * p * (1 - p)
        information = np.diag(weight.sum(axis=1)) - weight
        return -(wins * np.log(p)).sum() - np.linalg.slogdet(information[:-1, :-1])[1] / 2

    optimum = minimize(loss, np.zeros(n - 1), method="BFGS", options={"gtol": 1e-9})
    theta = np.append(optimum.x, 0.0)
    return theta - theta.mean()


@settings(max_examples=30, deadline=None)
@given(wins=win_matrices(most=5))
def test_strengths_maximize_the_likelihood_with_jeffreys_prior(wins):
    assume(connected_components(wins + wins.T)[0] == 1)
    ranking = bp.rank(pairs_of(wins), "bradley_terry_firth")
    np.testing.assert_allclose(list(ranking.scores.values()), penalised(wins), atol=2e-5)
    assert ranking.details["added"] == pytest.approx((len(wins) - 1) / 2)


def test_one_pair_is_given_half_a_win_on_both_sides():
    ranking = bp.rank(Battles.of([("ada", "bob", 1)] * 4 + [("bob", "ada", 1)]), "bradley_terry_firth")
    assert ranking.scores["ada"] - ranking.scores["bob"] == pytest.approx(np.log(4.5 / 1.5))


def test_the_bias_is_smaller_than_that_of_maximum_likelihood():
    """Odds of three to one in samples of twenty, where the likelihood's estimate is on average too far out."""
    rng = np.random.default_rng(8)
    truth = np.log(3)
    won = rng.binomial(20, 0.75, 4000)
    won = won[won < 20]
    plain = np.log(won / (20 - won)).mean() - truth
    firth = np.log((won + 0.5) / (20.5 - won)).mean() - truth
    assert abs(firth) < abs(plain) / 2
    games = Battles.of([("ada", "bob", 1)] * 15 + [("bob", "ada", 1)] * 5)
    scores = bp.rank(games, "bradley_terry_firth").scores
    assert scores["ada"] - scores["bob"] == pytest.approx(np.log(15.5 / 5.5))


def test_an_agent_that_lost_every_battle_has_a_finite_rating():
    games = Battles.of([("ada", "bob", 1), ("bob", "ada", 1), ("ada", "cyd", 1), ("bob", "cyd", 1)])
    ranking = bp.rank(games, "bradley_terry_firth", scale="elo")
    assert ranking.levels == (("ada", "bob"), ("cyd",))
    assert ranking.status == "converged"
    assert np.isfinite(list(ranking.scores.values())).all()
    assert sum(ranking.scores.values()) == pytest.approx(4500)


def test_many_battles_give_the_estimate_of_bradley_and_terry():
    rng = np.random.default_rng(2)
    wins = rng.integers(20_000, 60_000, (5, 5)).astype(float)
    np.fill_diagonal(wins, 0)
    plain, firth = (bp.rank(pairs_of(wins), key).scores for key in ("bradley_terry", "bradley_terry_firth"))
    assert firth == pytest.approx(plain, abs=1e-4)


def test_unconnected_groups_and_margins_are_refused():
    with pytest.raises(bp.DataError, match="2 components that are not connected"):
        bp.rank(Battles.of([("ada", "bob", 1), ("cyd", "dan", 1)]), "bradley_terry_firth")
    with pytest.raises(bp.DataError, match="bradley_terry_firth needs"):
        bp.rank(Margins.from_wins([[0, 1], [0, 0]], ["x", "y"]), "bradley_terry_firth")
