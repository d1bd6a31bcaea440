"""The Fenchel-Young loss: closed forms against samples, finite differences and another solver of the same minimum."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

import beatpath as bp
from beatpath import Ballots
from beatpath.methods.rating.sco.descent import (
    Settings,
    fenchel_young,
    fenchel_young_gradient,
    fenchel_young_loss,
    fenchel_young_sgd,
)
from beatpath.methods.rating.sco.losses import Cells
from beatpath.methods.result import LOCAL

EQ_10 = Ballots.of([[["A"], ["B"], ["C"]], [["C"], ["A"], ["B"]]], count=[2, 3])
WINS = np.array([[0.0, 5, 2], [0, 0, 2], [3, 3, 0]])


def perturbed_ranks(theta, noise):
    """The mean ranks of ratings with Gumbel noise, 0 the lowest: SCO section 3.3."""
    return expit((theta[:, None] - theta) / noise).sum(axis=1) - 0.5


def test_mean_perturbed_ranks_are_those_of_samples():
    theta, noise = np.array([3.0, -1.0, 0.5, 0.5]), 2.0
    noisy = theta + noise * np.random.default_rng(0).gumbel(size=(200_000, 4))
    ranks = np.argsort(np.argsort(noisy, axis=1), axis=1).mean(axis=0)
    np.testing.assert_allclose(perturbed_ranks(theta, noise), ranks, atol=0.01)
    np.testing.assert_allclose(perturbed_ranks(theta, noise).sum(), 6)


def test_the_gradient_of_one_vote_is_perturbed_less_observed_ranks():
    """SCO section 3.3; A > B > C has ranks 2, 1, 0."""
    theta = np.array([1.0, 4.0, -2.0])
    one_vote = Cells.from_wins(np.triu(np.ones((3, 3)), 1))
    expected = perturbed_ranks(theta, 1.5) - [2, 1, 0]
    np.testing.assert_allclose(fenchel_young_gradient(theta, one_vote, 1.5), expected)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 99), noise=st.sampled_from([0.5, 1.0, 4.0]))
def test_the_gradient_agrees_with_finite_differences(seed, noise):
    rng = np.random.default_rng(seed)
    wins = rng.integers(0, 5, (4, 4)).astype(float)
    np.fill_diagonal(wins, 0)
    cells, theta, step = Cells.from_wins(wins), rng.normal(size=4) * 2, 1e-5
    finite = [
        (fenchel_young_loss(theta + step * e, cells, noise) - fenchel_young_loss(theta - step * e, cells, noise))
        / (2 * step)
        for e in np.eye(4)
    ]
    np.testing.assert_allclose(fenchel_young_gradient(theta, cells, noise), finite, atol=1e-6)


def test_the_minimum_meets_the_equations_of_bradley_and_terry():
    """At the minimum every agent wins as often as its strength says."""
    cells = Cells.from_wins(WINS + 1 - np.eye(3))
    fit = fenchel_young(cells, noise=5.0, low=0.0, high=100.0)
    assert fit.status == LOCAL
    gap = (fit.theta[:, None] - fit.theta) / 5.0
    games = (WINS + WINS.T + 2) * (1 - np.eye(3))
    np.testing.assert_allclose((games / (1 + np.exp(-gap))).sum(axis=1), (WINS + 1 - np.eye(3)).sum(axis=1), atol=1e-6)


def test_like_elo_it_puts_a_above_the_condorcet_winner_of_the_papers_example():
    """SCO section 4.1."""
    ranking = bp.rank(EQ_10, "sco", loss="fenchel_young")
    assert ranking.condorcet.strong == "C"
    assert ranking.winners == ("A",)


def test_sampled_descent_settles_about_the_minimum():
    ballots = Ballots.of([[["a"], ["b"], ["c"]], [["c"], ["b"], ["a"]], [["b"], ["c"], ["a"]]], count=[5, 2, 3])
    rule = Settings(20_000, 0.02, 16, temperature=10.0)
    theta = fenchel_young_sgd(ballots, rule, np.random.default_rng(0))
    wins = ballots.pairs().wins()
    exact = fenchel_young(Cells.from_wins(wins), noise=10.0, low=0.0, high=100.0).theta
    np.testing.assert_allclose(theta - theta.mean(), exact - exact.mean(), atol=1.5)


def test_ties_on_a_ballot_share_their_ranks():
    ballots = Ballots.of([[["a", "b"]]])
    theta = fenchel_young_sgd(ballots, Settings(3_000, 0.05, 32, temperature=10.0), np.random.default_rng(1))
    assert abs(theta[0] - theta[1]) < 2


def test_the_sampled_form_needs_ballots_and_says_so():
    with pytest.raises(bp.DataError, match="needs rankings or score tables"):
        bp.rank(EQ_10.pairs(), "sco", loss="fenchel_young", solver="sgd")


def test_an_agent_at_its_bound_has_converged_though_its_gradient_is_not_zero():
    ratings = fenchel_young(Cells.from_wins(np.array([[0, 4, 4], [0, 0, 3], [0, 1, 0]])), noise=5.0, low=0.0, high=20.0)
    assert ratings.theta[0] == 20
    assert ratings.details["residual"] < 1e-9
    assert ratings.status == LOCAL
