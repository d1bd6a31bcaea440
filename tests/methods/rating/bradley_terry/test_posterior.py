"""The posterior of strengths: against integrals, against worlds sampled from its own prior, and what it refuses."""

import numpy as np
import pytest
from scipy.signal import lfilter
from scipy.stats import chisquare

import beatpath as bp
from beatpath import Battles, Margins, Pairs
from beatpath.fit.pairs import fit_pairs
from beatpath.fit.ties import Prior
from beatpath.methods.profile import profile_of
from beatpath.methods.rating.bradley_terry.bradley_terry import comparisons
from beatpath.methods.rating.bradley_terry.posterior import MOST_AGENTS, effective_draws, posterior_draws
from helpers.win_counts import pairs_of


def log_sigma(x):
    return -np.logaddexp(0, -x)


@pytest.mark.parametrize(("won", "lost", "spread"), [(3, 0, 2.0), (5, 2, 1.0), (40, 25, 2.0), (2.5, 1.5, 0.5)])
def test_two_agents_have_the_posterior_that_an_integral_gives(won, lost, spread):
    d = np.linspace(-25, 25, 500_001)
    log = won * log_sigma(d) + lost * log_sigma(-d) - d**2 / (4 * spread**2)
    weight = np.exp(log - log.max())
    weight /= weight.sum()
    mean, square, above = weight @ d, weight @ d**2, weight[d > 0].sum()
    pairs = Pairs(("ada", "bob"), [0], [1], [[won, lost, 0, 0]])
    details = bp.rank(pairs, "bradley_terry_posterior", draws=8000, spread=spread, seed=3).details
    error = np.sqrt((square - mean**2) / details["effective_draws"])
    assert abs(2 * details["mean"]["ada"] - mean) < 4 * error
    assert 2 * details["standard_deviation"]["ada"] == pytest.approx(np.sqrt(square - mean**2), rel=0.06)
    assert abs(details["first"]["ada"] - above) < 4 * np.sqrt(above * (1 - above) / details["effective_draws"]) + 0.005


def test_three_agents_have_the_posterior_that_a_sum_over_a_grid_gives():
    wins, spread = np.array([[0, 4, 2], [1, 0, 3], [1, 2, 0]], dtype=float), 1.5
    axis = np.linspace(-7, 7, 71)
    theta = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    log = -(theta**2).sum(axis=1) / (2 * spread**2)
    for a in range(3):
        for b in range(3):
            log += wins[a, b] * log_sigma(theta[:, a] - theta[:, b])
    weight = np.exp(log - log.max())
    weight /= weight.sum()
    centered = theta - theta.mean(axis=1, keepdims=True)
    mean = weight @ centered
    spread_of = np.sqrt(weight @ centered**2 - mean**2)
    details = bp.rank(pairs_of(wins), "bradley_terry_posterior", draws=6000, spread=spread, seed=1).details
    error = spread_of / np.sqrt(details["effective_draws"])
    assert (np.abs(np.array(list(details["mean"].values())) - mean) < 4 * error).all()
    assert list(details["standard_deviation"].values()) == pytest.approx(spread_of.tolist(), rel=0.06)


def test_intervals_hold_the_truth_as_often_as_they_say_in_worlds_of_the_prior():
    """Four agents, 150 worlds; three standard deviations of the binomial, worlds as units, are allowed."""
    rng = np.random.default_rng(5)
    a, b = np.triu_indices(4, 1)
    inside = []
    for world in range(150):
        truth = rng.normal(0, 2.0, 4)
        won = rng.binomial(6, 1 / (1 + np.exp(truth[b] - truth[a])))
        wins = np.zeros((4, 4))
        wins[a, b], wins[b, a] = won, 6 - won
        details = bp.rank(pairs_of(wins), "bradley_terry_posterior", draws=400, seed=world).details
        low, high = np.array(list(details["interval"].values())).T
        centered = truth - truth.mean()
        inside.append(((low <= centered) & (centered <= high)).mean())
    assert abs(np.mean(inside) - 0.95) <= 3 * np.std(inside) / np.sqrt(150) + 0.01


def test_equal_records_tie_whatever_the_draws_and_a_seed_repeats_them():
    ring = Battles.of([("ada", "bob", 1), ("bob", "cyd", 1), ("cyd", "ada", 1)])
    one, other = (bp.rank(ring, "bradley_terry_posterior", draws=50, seed=s) for s in (1, 2))
    assert one.levels == (("ada", "bob", "cyd"),)
    assert one.details["mean"] != other.details["mean"]
    assert bp.rank(ring, "bradley_terry_posterior", draws=50, seed=1).to_dict() == one.to_dict()
    assert sum(one.details["first"].values()) == pytest.approx(1)


def test_the_mode_is_where_the_density_is_highest():
    wins, spread = np.array([[0, 9, 2], [1, 0, 3], [0, 2, 0]], dtype=float), 1.2
    mode = np.array(list(bp.rank(pairs_of(wins), "bradley_terry_posterior", draws=2, spread=spread).scores.values()))
    lead = mode[:, None] - mode[None, :]
    p = 1 / (1 + np.exp(-lead))
    slope = (wins - (wins + wins.T) * p).sum(axis=1) - mode / spread**2
    np.testing.assert_allclose(slope, 0, atol=1e-9)


def test_unconnected_agents_keep_the_prior():
    apart = Pairs(("ada", "bob", "cyd", "dan"), [0], [1], [[500, 500, 0, 0]])
    details = bp.rank(apart, "bradley_terry_posterior", draws=3000, spread=1.0).details
    assert details["standard_deviation"]["dan"] == pytest.approx(np.sqrt(3 / 4), rel=0.08)


def test_what_cannot_be_is_refused():
    pair = Battles.of([("x", "y", 1)])
    for name, wrong in (("spread", 0), ("draws", 1), ("draws", 2.5), ("seed", -1)):
        with pytest.raises(bp.UsageError, match=f"`{name}` must be"):
            bp.rank(pair, "bradley_terry_posterior", **{name: wrong})
    with pytest.raises(bp.DataError, match="bradley_terry_posterior needs"):
        bp.rank(Margins.from_wins([[0, 1], [0, 0]], ["x", "y"]), "bradley_terry_posterior")
    many = tuple(f"a{i}" for i in range(MOST_AGENTS + 1))
    with pytest.raises(bp.DataError, match="takes up to 500 agents; there are 501"):
        bp.rank(Pairs(many, [0], [1], [[1, 1, 0, 0]]), "bradley_terry_posterior")


def simulated_ranks(spread, n=4, boards=300, draws=9):
    """Rank of the true strength of one agent among posterior samples, with strengths from the prior (standard deviation 1)."""
    rng = np.random.default_rng(7)
    a, b = np.triu_indices(n, 1)
    ranks = []
    for _ in range(boards):
        theta = rng.standard_normal(n)
        number = rng.integers(1, 6, len(a))
        won = rng.binomial(number, 1 / (1 + np.exp(theta[b] - theta[a])))
        profile = profile_of(Pairs(tuple("abcd"[:n]), a, b, np.column_stack([won, number - won, 0 * won, 0 * won])))
        rows, _ = comparisons(profile)
        mode = fit_pairs(rows, prior=Prior(precision=spread**-2)).ended.x
        sample = posterior_draws(rows, spread, mode, draws, rng)
        ranks.append(int((sample[:, 0] - sample[:, 1] < theta[0] - theta[1]).sum()))
    return np.bincount(ranks, minlength=draws + 1)


def test_simulation_based_calibration_ranks_are_uniform_under_the_prior_and_not_under_another():
    """Talts et al. (2018): the rank of the truth among independent posterior samples is uniform."""
    assert chisquare(simulated_ranks(1.0)).pvalue > 0.01
    assert chisquare(simulated_ranks(0.4)).pvalue < 1e-6


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("carry", [0.0, 0.5, 0.9])
def test_effective_draws_of_an_autoregression_are_its_draws_over_the_autocorrelation_time(carry, scale):
    """The autocorrelation time of x' = carry x + noise is (1 + carry) / (1 - carry); batch means estimate it to about a tenth."""
    noise, n = np.random.default_rng(3).standard_normal(40_000), 40_000
    chain = scale * lfilter([1.0], [1.0, -carry], noise)
    assert effective_draws(chain[:, None]) == pytest.approx(n * (1 - carry) / (1 + carry), rel=0.25)
