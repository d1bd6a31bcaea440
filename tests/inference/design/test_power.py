"""Planning: detectable gaps, battles that are needed; closed forms, laws, and power by simulation."""

import json
from dataclasses import replace
from math import sqrt
from statistics import NormalDist

import numpy as np
import pytest
from scipy.stats import studentized_range

from beatpath._errors import UsageError
from beatpath.evidence import Pairs
from beatpath.inference.design.power import minimum_detectable_effect
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.ranks.rank_sets import rank_sets
from beatpath.inference.scores.estimands import scores_from
from beatpath.inference.win_rates.win_rates import win_rate_inference
from helpers.planned import power_of, power_of_two_agents, rates_of

Z = NormalDist().inv_cdf


NEEDED = Z(0.975) + Z(0.8)  # 2.80 standard errors


def two_agents(won, lost):
    return win_rate_inference(Pairs(("ada", "bob"), [0], [1], [[won, lost, 0, 0]]))


def test_the_gap_of_two_agents_is_known_by_hand():
    rates = two_agents(50, 50)
    error = 2 * sqrt(0.25 / 100)  # the difference is 2 psi - 1, psi having variance 1 / 4 / N
    board = replace(scores_from(rates), df=np.full((2, 2), np.inf))
    assert minimum_detectable_effect(board).gap[0, 1] == pytest.approx(NEEDED * error, rel=0.02)
    assert np.isinf(scores_from(rates).df[0, 1])  # independent battles
    few = replace(board, df=np.full((2, 2), 9.0))
    assert minimum_detectable_effect(few).median > minimum_detectable_effect(board).median


def test_a_simultaneous_critical_value_asks_for_a_larger_gap():
    board = scores_from(rates_of(np.full((5, 5), 20), np.full((5, 5), 40)))
    marginal, joint = (minimum_detectable_effect(board, critical=z) for z in (Z(0.975), 3.0))
    infinite = replace(board, df=np.full((5, 5), np.inf))
    alone = minimum_detectable_effect(infinite, critical=Z(0.975)).median
    ratio = minimum_detectable_effect(infinite, critical=3.0).median / alone
    assert ratio == pytest.approx((3.0 + Z(0.8)) / NEEDED, rel=1e-6)
    assert joint.median > marginal.median
    assert joint.settings["critical"] == 3.0


def test_the_sentence_of_a_gap_names_the_leaders_and_counts_as_people_do():
    board = Leaderboard(
        ("ada", "bob", "cyd"),
        np.array([0.7, 0.6, 0.2]),
        np.diag([0.0001, 0.0001, 0.0004]),
        np.full((3, 3), np.inf),
        "mean",
        {"estimand": "mean_win_rate"},
    )
    effect = minimum_detectable_effect(board, critical=Z(0.975))
    assert effect.sentences[0] == (
        "With these data a gap of 6.3 percentage points between two agents is detected 8 times in 10; between the "
        "leaders, 'ada', 'bob', one of 4 percentage points."
    )
    json.dumps(effect.to_dict(), allow_nan=False)


@pytest.mark.parametrize("noise", [0.0, 1.2e-16, -1.2e-16])
def test_agents_tied_for_the_second_place_all_lead_also_where_sums_were_rounded(noise):
    V, df = np.diag([1.0, 1.0, 9.0, 1.0]) / 100, np.full((4, 4), np.inf)
    board = Leaderboard(("a", "b", "c", "d"), np.array([0.5 + noise, 0.9, 0.5, 0.1]), V, df, "mean")
    effect = minimum_detectable_effect(board, critical=Z(0.975))
    assert effect.leaders == ("b", "a", "c")
    assert effect.between_leaders == pytest.approx(NEEDED * sqrt(0.10), rel=1e-6)


def test_by_default_a_difference_must_be_resolved_among_all_as_resolve_does():
    equal = Leaderboard(tuple("abcdef"), np.zeros(6), np.eye(6), np.full((6, 6), np.inf), "mean")
    effect = minimum_detectable_effect(equal)
    tukey = studentized_range.ppf(0.95, 6, np.inf) / sqrt(2)
    assert effect.settings["critical"] == pytest.approx(tukey, abs=0.03)
    assert effect.median == pytest.approx((effect.settings["critical"] + Z(0.8)) * sqrt(2), rel=1e-6)
    apart = replace(equal, score=np.array([90.0, 60.0, 30.0, 0.2, 0.1, 0.0]))  # of whom three pairs are left
    assert minimum_detectable_effect(apart).settings["critical"] < tukey - 0.1
    assert minimum_detectable_effect(apart).settings["critical"] == rank_sets(apart).critical.max()


def test_differences_without_a_usable_variance_have_no_gap():
    board = Leaderboard(("a", "b"), np.array([0.5, np.nan]), np.full((2, 2), np.nan), np.full((2, 2), np.inf), "mean")
    effect = minimum_detectable_effect(board)
    assert np.isnan(effect.gap).all()
    assert "cannot be determined" in effect.sentences[0]
    json.dumps(effect.to_dict(), allow_nan=False)


def test_the_gap_of_two_agents_has_the_stated_power():
    gap = minimum_detectable_effect(scores_from(two_agents(300, 300))).median
    assert power_of_two_agents(600, 0.5 + gap / 2, np.random.default_rng(1)) == pytest.approx(0.8, abs=0.015)


def test_the_gap_on_a_board_of_six_has_the_stated_power():
    n, each, draws, rng = 6, 60, 20_000, np.random.default_rng(2)
    played = np.full((n, n), each)
    board = scores_from(rates_of(played // 2, played))
    gap = minimum_detectable_effect(board, critical=Z(0.975)).gap[0, 1]
    ahead = gap / 1.2  # of the first agent over everyone: its score rises by this, the second's falls by a fifth of it
    won = {
        (i, j): rng.binomial(each, 0.5 + ahead * (i == 0), draws) / each
        for i, j in zip(*np.triu_indices(n, 1), strict=True)
    }
    first = sum(won[0, j] for j in range(1, n)) / 5
    second = (1 - won[0, 1] + sum(won[1, j] for j in range(2, n))) / 5
    smooth = {pair: (each * rate + 0.5) / (each + 1) for pair, rate in won.items()}
    own = {pair: (each + 1) * s * (1 - s) / each**2 for pair, s in smooth.items()}
    variance = (4 * own[0, 1] + sum(own[i, j] for i in (0, 1) for j in range(2, n))) / 25
    assert power_of(first - second, variance, board.df[0, 1]) == pytest.approx(0.8, abs=0.015)


def test_the_gap_under_strong_clusters_has_the_stated_power():
    clusters, size, draws, rng = 60, 20, 10_000, np.random.default_rng(3)

    def simulated(chance, draws):
        lean = rng.beta(0.5 * chance, 0.5 * (1 - chance), (draws, clusters))  # correlation 2/3 within a cluster
        return rng.binomial(size, lean)

    def errors(won):
        total = clusters * size
        smooth = (won.sum(axis=1) + 0.5) / (total + 1)
        u = (won - smooth[:, None] * size) / (total + 1 - size)
        return 4 * ((u**2).sum(axis=1) + ((1 - smooth) ** 2 + smooth**2) / (2 * total**2))

    gap = 0.0
    for _ in range(4):  # the detectable gap where standard errors are those of data with this gap
        typical = float(errors(simulated(0.5 + gap / 2, 2000)).mean())
        covariance = np.array([[typical, -typical], [-typical, typical]]) / 4
        board = Leaderboard(("a", "b"), np.array([0.5, 0.5]), covariance, np.full((2, 2), clusters - 1.0), "mean")
        gap = minimum_detectable_effect(board).median
    won = simulated(0.5 + gap / 2, draws)
    share = power_of(2 * won.sum(axis=1) / (clusters * size) - 1, errors(won), clusters - 1)
    assert share == pytest.approx(0.8, abs=0.02)
    naive = minimum_detectable_effect(scores_from(two_agents(clusters * size // 2, clusters * size // 2))).median
    assert gap > 3 * naive  # twenty battles that mostly agree are worth little more than one


@pytest.mark.parametrize("wrong", [{"level": 1.0}, {"level": 0}, {"power": 1.2}, {"power": True}, {"critical": -1.0}])
def test_levels_and_powers_must_be_shares(wrong):
    with pytest.raises(UsageError, match=f"`{next(iter(wrong))}` must"):
        minimum_detectable_effect(scores_from(two_agents(5, 5)), **wrong)
