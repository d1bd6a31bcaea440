"""Top cycles of sampled tournaments against components, closed forms, and one implementation against the other."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit
from scipy.stats import norm

from beatpath.inference.core.worlds import sample_cores as module
from beatpath.inference.core.worlds.ladders import Ladder, PairWins, fit_ladder
from beatpath.inference.core.worlds.planted_edges import Coins
from beatpath.inference.core.worlds.sample_cores import sample_cores, top_cycles


@pytest.mark.parametrize("n", [1, 2, 3, 6, 9])
def test_top_cycles_are_the_first_strong_component(n):
    upper = np.triu(np.random.default_rng(n).random((40, n, n)) < 0.8, 1)
    beats = upper | np.tril(~upper.transpose(0, 2, 1), -1)
    for one, top_cycle in zip(beats, top_cycles(beats), strict=True):
        count, part = connected_components(csr_array(one), connection="strong")
        first = next(k for k in range(count) if one[part == k][:, part != k].all())
        assert (top_cycle == (part == first)).all()


def test_a_ladder_of_two_has_the_winner_its_normal_approximation_gives():
    data = PairWins(2, np.array([0]), np.array([1]), np.array([6.0]), np.array([4.0]))
    ladder = fit_ladder(data, 1.0, 0.0, np.zeros(2))
    precision = np.array(
        [[1 + ladder.curvature[0], -ladder.curvature[0]], [-ladder.curvature[0], 1 + ladder.curvature[0]]]
    )
    variance = np.array([1, -1]) @ np.linalg.inv(precision) @ np.array([1, -1])
    expected = norm.cdf((ladder.mode[0] - ladder.mode[1]) / np.sqrt(variance))
    share = sample_cores(data, ladder, 20_000, np.random.default_rng(0)).mean(axis=0)
    assert share[0] == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / 20_000))


def test_coins_of_three_even_agents_form_a_cycle_one_time_in_four():
    data = PairWins(3, np.array([0]), np.array([1]), np.array([5.0]), np.array([5.0]))
    size = sample_cores(data, Coins(0.0, np.full((3, 3), 0.5)), 20_000, np.random.default_rng(0)).sum(axis=1)
    assert set(size) == {1, 3}
    assert (size == 3).mean() == pytest.approx(0.25, abs=4 * np.sqrt(0.25 * 0.75 / 20_000))


def test_needed_edges_give_the_cores_that_whole_tournaments_give(monkeypatch):
    rng = np.random.default_rng(5)
    a, b = np.triu_indices(15, 1)
    theta = rng.normal(size=15)
    won = rng.binomial(10, 1 / (1 + np.exp(theta[b] - theta[a]))).astype(float)
    data = PairWins(15, a, b, won, 10 - won)
    model = fit_ladder(data, 1.0, 0.5, np.zeros(15))
    whole = sample_cores(data, model, 3000, np.random.default_rng(0)).mean(axis=0)
    monkeypatch.setattr(module, "WHOLE", 1)
    needed = sample_cores(data, model, 3000, np.random.default_rng(1)).mean(axis=0)
    assert np.abs(whole - needed).max() < 0.05


def test_no_more_tournaments_are_sampled_than_the_edges_allow(monkeypatch):
    monkeypatch.setattr(module, "WHOLE", 1)
    data = PairWins(5, np.array([0]), np.array([1]), np.array([5.0]), np.array([5.0]))
    assert (
        len(sample_cores(data, Coins(0.0, np.full((5, 5), 0.5)), 100, np.random.default_rng(0), most_edges=60.0)) < 100
    )


@pytest.mark.parametrize("deviations", [-1.5, 0.0, 1.5])
def test_the_level_of_a_pair_is_the_probit_of_its_sign_given_the_gap_of_strengths(deviations):
    won, lost, tau, mode = 30.0, 10.0, 0.7, 0.4
    data = PairWins(2, np.array([0]), np.array([1]), np.array([won]), np.array([lost]))
    ladder = Ladder(1.0, tau, np.array([mode / 2, -mode / 2]), np.array([1.2]), 0.0)
    of_gap = 2 / (
        1 + 2 * 1.2
    )  # variance of the difference of two strengths of variance 1, given a pair of curvature 1.2
    gap = mode + deviations * np.sqrt(of_gap)
    theta, shared = np.array([[gap / 2, -gap / 2]]), np.zeros((1, 2))
    root = module._inverse_root(data, ladder)
    levels = module._pair_levels(data, ladder, root, theta, shared, np.random.default_rng(0))(slice(0, 1))(slice(None))
    x = np.linspace(-8.0, 8.0, 160_001)
    density = expit(x) ** won * expit(-x) ** lost * norm.pdf(x, gap, tau)
    assert norm.cdf(levels) == pytest.approx(density[x > 0].sum() / density.sum(), abs=1e-4)


def test_a_pair_on_the_ladder_has_the_sign_of_its_gap():
    data = PairWins(2, np.array([0]), np.array([1]), np.array([30.0]), np.array([10.0]))
    theta, rng = np.array([[0.0, 0.5], [2.0, 0.0]]), np.random.default_rng(0)
    for share, expected in ((1e-12, [-1, 1]), (1 - 1e-12, [1, 1])):  # nearly all pairs on the ladder, or off it
        ladder = Ladder(1.0, 2.0, np.array([0.5, -0.5]), np.array([7.5]), 0.0, share)
        root = module._inverse_root(data, ladder)
        levels = module._pair_levels(data, ladder, root, theta, np.zeros((2, 2)), rng)(slice(0, 2))(slice(None))
        np.testing.assert_array_equal(np.sign(levels[:, 0]), expected)
