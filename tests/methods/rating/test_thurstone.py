"""Thurstone and Mosteller's model: beside statsmodels, derivatives, simulated truth, and what it refuses."""

import json

import numpy as np
import pytest
from scipy.stats import norm

import beatpath as bp
from beatpath import Battles, Margins
from beatpath.methods.rating.thurstone import probit
from helpers.paths import GOLDEN
from helpers.win_counts import pairs_of

CASES = json.loads((GOLDEN / "centrality_and_probit_peers.json").read_text())["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{len(case['wins'])} agents")
def test_statsmodels_finds_the_same_strengths_and_errors(case):
    ranking = bp.rank(pairs_of(case["wins"]), "thurstone")
    expected = case["statsmodels"]
    assert list(ranking.scores.values()) == pytest.approx(expected["probit"], abs=1e-7)
    assert list(ranking.details["standard_errors"].values()) == pytest.approx(expected["standard_errors"], rel=1e-6)
    assert ranking.details["log_likelihood"] == pytest.approx(expected["log_likelihood"], rel=1e-10)


def test_derivatives_are_those_of_the_likelihood():
    counts, eta, step = np.array([[3.0, 1.0, 0.0], [0.5, 4.0, 0.0]]), np.array([0.3, -2.0]), 1e-5
    at = [probit(eta + shift, 0.0, counts) for shift in (-step, 0.0, step)]
    value = [counts[:, 0] * norm.logcdf(eta + s) + counts[:, 1] * norm.logcdf(-eta - s) for s in (-step, 0.0, step)]
    assert at[1].value == pytest.approx(value[1].sum())
    np.testing.assert_allclose(at[1].lead, (value[2] - value[0]) / (2 * step), rtol=1e-6)
    np.testing.assert_allclose(at[1].lead_lead, -(at[2].lead - at[0].lead) / (2 * step), rtol=1e-6)


def test_leads_of_forty_deviates_are_still_numbers():
    terms = probit(np.array([40.0, -40.0]), 0.0, np.array([[1.0, 1.0, 0.0]] * 2))
    assert np.isfinite([terms.value, *terms.lead, *terms.lead_lead]).all()


def test_standard_errors_cover_the_simulated_strengths():
    """95 % intervals of six strengths over 200 worlds; three standard deviations of the binomial are allowed."""
    rng = np.random.default_rng(4)
    truth = np.array([0.8, 0.4, 0.1, -0.2, -0.4, -0.7])
    a, b = np.triu_indices(6, 1)
    inside = 0
    for _ in range(200):
        won = rng.binomial(40, norm.cdf(truth[a] - truth[b]))
        wins = np.zeros((6, 6))
        wins[a, b], wins[b, a] = won, 40 - won
        ranking = bp.rank(pairs_of(wins), "thurstone")
        error = np.array(list(ranking.details["standard_errors"].values()))
        inside += int((np.abs(np.array(list(ranking.scores.values())) - truth) <= 1.96 * error).sum())
    assert abs(inside / 1200 - 0.95) <= 3 * np.sqrt(0.95 * 0.05 / 200)


def test_a_prior_keeps_an_unbeaten_agent_finite():
    games = Battles.of([("ada", "bob", 1), ("bob", "cyd", 1), ("cyd", "bob", 1)])
    with pytest.raises(bp.DataError, match=r"Thurstone needs a path of wins.*rank\(prior=0.5\)"):
        bp.rank(games, "thurstone")
    ranking = bp.rank(games, "thurstone", prior=0.5)
    assert ranking.winners == ("ada",)
    assert all(np.isfinite(list(ranking.scores.values())))


def test_margins_are_refused():
    with pytest.raises(bp.DataError, match="thurstone needs"):
        bp.rank(Margins.from_wins([[0, 1], [0, 0]], ["x", "y"]), "thurstone")
