"""Which pairs to play next: hinges of the core by brute force, laws of an allocation, and what following it brings."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal, norm

from beatpath._errors import UsageError
from beatpath.evidence import Battles, Factor, Margins, Pairs
from beatpath.inference.design.next_pairs import (
    ExpectedDiscoveries,
    _core_gains,
    log_chance_to_be_certain,
    next_pairs,
)
from beatpath.inference.design.power import Aim
from beatpath.inference.design.sample_size import Outlook
from beatpath.inference.ranks.differences import t_critical
from beatpath.inference.ranks.rank_sets import rank_sets
from beatpath.inference.scores.estimands import scores_from
from beatpath.inference.scores.scored import Scored, scored_of
from beatpath.inference.win_rates.estimate import WinRateEstimate
from beatpath.inference.win_rates.win_rates import win_rate_inference
from beatpath.methods.tournament.solutions import top_cycle


def rates_of(wins, battles, n, names=None):
    """Independent battles by pair ``a < b``, straight from the formulas of `pairwise`."""
    a, b = (side.astype(np.int32) for side in np.triu_indices(n, 1))
    played = battles > 0
    a, b, N = a[played], b[played], battles[played].astype(float)
    smooth = (wins[played] + 0.5) / (N + 1)
    own = (N + 1) * smooth * (1 - smooth) / N**2
    names = tuple(f"x{i:02d}" for i in range(n)) if names is None else names
    return WinRateEstimate(names, a, b, wins[played] / N, N, battles[played].astype(np.int64), own, 1 / N)


def as_counts(advice, agents):
    place = {name: i for i, name in enumerate(agents)}
    full = np.zeros((len(agents), len(agents)), dtype=int)
    for a, b, k in advice.pairs:
        full[place[a], place[b]] += k
        full[place[b], place[a]] += k
    return full


def test_what_battles_take_from_the_variance_of_a_direction_has_the_slope_of_the_double_integral():
    pairs = Pairs(("a", "b", "c"), [0, 0, 1], [1, 2, 2], [[570, 430, 0, 0], [520, 480, 0, 0], [450, 550, 0, 0]])
    rates = win_rate_inference(pairs)
    _, _, gains = _core_gains(rates, np.random.default_rng(0))

    def taken(z, extra):
        r = extra / (1000 + extra)
        return float(multivariate_normal([0, 0], [[1, r], [r, 1]]).cdf([z, z])) - norm.cdf(z) ** 2

    def slopes(extra, step=5.0):
        return np.array([(taken(z, extra + step) - taken(z, extra - step)) / (2 * step) for z in rates.z])

    ratio = gains(np.full(3, 900.0)) / gains(np.full(3, 200.0))  # how much the core depends on a pair cancels
    np.testing.assert_allclose(ratio, slopes(900.0) / slopes(200.0), rtol=0.05)


@pytest.mark.parametrize(("strength", "leaders"), [([2, 1, 1, 0], {0}), ([0, 2, 2, 0], {1, 2})])
def test_first_place_is_about_the_differences_from_the_leaders(strength, leaders):
    """All pairs with an agent of the highest score, whether it is alone or shares it; otherwise all pairs."""
    a, b = np.triu_indices(4, 1)
    wins = 100 + 20 * np.subtract(np.take(strength, a), np.take(strength, b))
    pairs = Pairs(tuple("abcd"), a, b, [[w, 200 - w, 0, 0] for w in wins.tolist()])
    pairwise, board = scored_of(pairs)
    for first_place in (True, False):
        found = ExpectedDiscoveries(Outlook(pairwise, board), Aim(), first_place=first_place).at
        wanted = {(i, j) for i, j in zip(a.tolist(), b.tolist(), strict=True) if not first_place or {i, j} & leaders}
        assert set(zip(*(side.tolist() for side in found), strict=True)) == wanted


def test_leaders_whose_scores_differ_by_rounding_both_lead():
    pairs = Pairs(("a", "b", "c"), [0, 0, 1], [1, 2, 2], [[50, 50, 0, 0], [70, 30, 0, 0], [70, 30, 0, 0]])
    pairwise, board = scored_of(pairs)
    board = replace(board, score=board.score + np.array([1e-15, 0, 0]))
    at = ExpectedDiscoveries(Outlook(pairwise, board), Aim(), first_place=True).at
    assert set(zip(*(side.tolist() for side in at), strict=True)) == {(0, 1), (0, 2), (1, 2)}


def test_the_chance_to_be_certain_is_that_of_simulated_battles():
    rng, draws = np.random.default_rng(2), 400_000
    gap, before, after, shrunk, critical = 0.8, 1.0, 0.4, 0.7, 1.96
    truth = shrunk * gap + np.sqrt(shrunk * before) * rng.standard_normal(draws)
    new = 1 / (1 / after - 1 / before)  # the variance of what is seen anew
    later = truth + np.sqrt(new) * rng.standard_normal(draws)
    estimate = after * (gap / before + later / new)
    simulated = (np.abs(estimate) > critical * np.sqrt(after)).mean()
    one = [np.array([value]) for value in (gap, before, after, critical, shrunk)]
    assert float(np.exp(log_chance_to_be_certain(*one))[0]) == pytest.approx(simulated, abs=0.004)


@st.composite
def fields(draw):
    n = draw(st.integers(2, 5))
    p = n * (n - 1) // 2
    battles = np.array(draw(st.lists(st.integers(5, 60), min_size=p, max_size=p)))
    wins = np.array([draw(st.integers(0, int(k))) for k in battles])
    return n, wins, battles


@settings(max_examples=25)
@given(fields(), st.sampled_from(["rank_sets", "top", "core"]), st.integers(1, 500))
def test_advice_spends_the_whole_budget_or_says_why_not(field, goal, budget):
    n, wins, battles = field
    rates = rates_of(wins, battles, n)
    advice = next_pairs(Scored(rates, scores_from(rates)), budget=budget, goal=goal)
    assert sum(k for _, _, k in advice.pairs) == (budget if advice.pairs else 0)
    assert [k for _, _, k in advice.pairs] == sorted((k for _, _, k in advice.pairs), reverse=True)
    assert advice.sentences[0].startswith("To settle" if advice.pairs else "No pairs to play next: ")
    json.dumps(advice.to_dict(), allow_nan=False)
    again = next_pairs(Scored(rates, scores_from(rates)), budget=budget, goal=goal)
    assert again.pairs == advice.pairs


@settings(max_examples=20)
@given(fields(), st.sampled_from(["rank_sets", "top"]), st.randoms())
def test_renaming_agents_renames_the_advice(field, goal, random):
    n, wins, battles = field
    order = list(range(n))
    random.shuffle(order)
    full, won = np.zeros((n, n), dtype=int), np.zeros((n, n))
    a, b = np.triu_indices(n, 1)
    full[a, b] = full[b, a] = battles
    won[a, b], won[b, a] = wins, battles - wins
    turned = rates_of(won[np.ix_(order, order)][a, b], full[np.ix_(order, order)][a, b], n)
    plans = [
        next_pairs(Scored(one, scores_from(one)), budget=300, goal=goal) for one in (rates_of(wins, battles, n), turned)
    ]
    one, other = (as_counts(advice, turned.agents) for advice in plans)
    assert np.abs(one[np.ix_(order, order)] - other).max() <= 2  # the last battles go to one of equals


def test_battles_go_by_the_roots_of_the_variances_they_lessen():
    wins, battles = np.array([52, 90, 90]), np.array([100, 100, 100])
    advice = next_pairs(Scored(rates := rates_of(wins, battles, 3), scores_from(rates)), budget=270_000, goal="top")
    total = battles + as_counts(advice, rates.agents)[np.triu_indices(3, 1)]
    # the lead is (2 psi_01 + psi_02 - psi_12) / 2; the sum of l^2 v / n is least for n as l sqrt(v)
    best = np.array([2.0, 1.0, 1.0]) * np.sqrt(rates.own * battles)
    np.testing.assert_allclose(total / total.sum(), best / best.sum(), rtol=0.03)  # with so many, rates are their own


def test_few_pairs_may_be_requested():
    rng = np.random.default_rng(3)
    rates = rates_of(rng.binomial(30, 0.5, 28), np.full(28, 30), 8)
    board = scores_from(rates)
    few, all_ = (next_pairs(Scored(rates, board), budget=400, count=count) for count in (3, None))
    assert len(few.pairs) <= 3
    assert sum(k for _, _, k in few.pairs) == 400
    assert few.expected <= all_.expected + 0.05


def test_pairs_without_battles_count_for_the_core_and_are_named_otherwise():
    battles = np.array([50, 50, 0])
    rates = rates_of(np.array([45, 45, 0]), battles, 3)
    board = scores_from(rates)
    assert "1 pair was not compared directly" in next_pairs(Scored(rates, board), budget=10).notes[-1]
    cycle = rates_of(np.array([50, 0, 0]), battles, 3)  # the first beats the second, the third the first
    advice = next_pairs(Scored(cycle, scores_from(cycle)), budget=10, goal="core")
    assert advice.pairs[0][:2] == ("x01", "x02")
    assert advice.pairs[0][2] >= 9


def test_battles_of_a_pair_whose_clusters_agree_are_worth_less():
    rng, rows, cluster = np.random.default_rng(4), [], []
    for names, chance in ((("a", "b"), 0.5), (("a", "c"), 0.8), (("b", "c"), 0.8)):
        for k in range(60):
            lean = float(rng.random() < chance)  # one for all battles of a cluster of a and c
            for _ in range(5):
                rows.append((*names, lean if names == ("a", "c") else float(rng.random() < chance)))
                cluster.append(f"{names} {k}")
    rates = win_rate_inference(Battles.of(rows, factors={"cluster": Factor.of(cluster)}), cluster="cluster")
    advice = next_pairs(Scored(rates, scores_from(rates)), budget=900_000, goal="top")
    total = rates.battles + as_counts(advice, rates.agents)[np.triu_indices(3, 1)]
    best = np.array([2.0, 1.0, 1.0]) * np.sqrt(rates.variance * rates.battles)
    np.testing.assert_allclose(total / total.sum(), best / best.sum(), rtol=0.12)
    assert total[1] > 1.7 * total[2]


def test_a_plan_without_gain_is_reported():
    clear = rates_of(np.array([95, 95, 95]), np.full(3, 100), 3)
    assert next_pairs(Scored(clear, scores_from(clear)), budget=50).sentences[0] == (
        "No pairs to play next: all differences in question are certain already."
    )
    sure = rates_of(np.array([100_000, 100_000, 100_000]), np.full(3, 100_000), 3)
    assert (
        "no single open pair can change the core"
        in next_pairs(Scored(sure, scores_from(sure)), budget=50, goal="core").sentences[0]
    )
    nothing = np.full((3, 3), np.nan)
    empty = replace(scores_from(clear), score=np.full(3, np.nan), covariance=nothing, df=np.ones((3, 3)))
    assert "no difference of scores can be tested" in next_pairs(Scored(clear, empty), budget=5).sentences[0]
    assert (
        "no difference of scores can be tested" in next_pairs(Scored(clear, empty), budget=5, goal="top").sentences[0]
    )


def test_goals_and_budgets_must_make_sense():
    rates = rates_of(np.array([5]), np.array([10]), 2)
    board = scores_from(rates)
    with pytest.raises(UsageError, match="Did you mean 'rank_sets'"):
        next_pairs(Scored(rates, board), budget=5, goal="rank_set")
    for wrong in ({"budget": 0}, {"budget": 2.5}, {"budget": 5, "count": 0}):
        with pytest.raises(UsageError, match="must be a whole number"):
            next_pairs(Scored(rates, board), **wrong)
    with pytest.raises(UsageError, match="as_sampled"):
        next_pairs(Scored(rates, scores_from(rates, "as_sampled")), budget=5)


def certain(rates, critical=1.959964):
    board = scores_from(rates)
    error = np.sqrt(np.where(np.eye(len(board.agents)), 1.0, board.variance_of_differences))
    return board.differences > t_critical(critical, board.df) * error


def played(start, chance, extra, rng):
    wins, battles = start
    return wins + rng.binomial(extra, chance), battles + extra


def uneven(n, mean, rng):
    return np.maximum(2, rng.gamma(0.7, mean / 0.7, n * (n - 1) // 2)).astype(int)


def spent(rates, battles, budget, goal, rng):
    """The extra battles of the three ways to spend a budget, and the number of certain differences that advice expects."""
    advice = next_pairs(Scored(rates, scores_from(rates)), budget=budget, goal=goal, critical=1.959964)
    advised = as_counts(advice, rates.agents)[np.triu_indices(len(rates.agents), 1)]
    return (advised, *by_chance(battles, budget, rng)), advice.expected


def by_chance(battles, budget, rng):
    """A budget spent evenly, and as pairs were sampled."""
    p = len(battles)
    return rng.multinomial(budget, np.full(p, 1 / p)), rng.multinomial(budget, battles / battles.sum())


def test_advice_settles_more_differences_than_even_or_present_sampling_and_as_many_as_it_says():
    rng, n, observed, predicted = np.random.default_rng(5), 8, [], []
    for _ in range(60):
        strength = rng.normal(0, 0.5, n)
        chance = (1 / (1 + np.exp(strength - strength[:, None])))[np.triu_indices(n, 1)]
        battles = uneven(n, 30, rng)
        start = rng.binomial(battles, chance), battles
        ways, expected = spent(rates_of(*start, n), battles, int(battles.sum()) // 2, "rank_sets", rng)
        predicted.append(expected)
        observed.append([certain(rates_of(*played(start, chance, extra, rng), n)).sum() for extra in ways])
    by_advice, evenly, as_sampled = np.mean(observed, axis=0)
    assert by_advice > evenly + 0.5
    assert by_advice > as_sampled + 2
    assert np.mean(predicted) == pytest.approx(by_advice, rel=0.15)


def test_as_many_differences_are_resolved_as_predicted_where_resolve_compares_all():
    rng, n, settled, expected = np.random.default_rng(15), 8, [], []
    for _ in range(25):
        strength = rng.normal(0, 0.5, n)
        chance = (1 / (1 + np.exp(strength - strength[:, None])))[np.triu_indices(n, 1)]
        battles = uneven(n, 60, rng)
        start = rng.binomial(battles, chance), battles
        rates = rates_of(*start, n)
        advice = next_pairs(rates, budget=int(battles.sum()))
        extra = as_counts(advice, rates.agents)[np.triu_indices(n, 1)]
        expected.append(advice.expected)
        settled.append(rank_sets(rates_of(*played(start, chance, extra, rng), n)).resolved_pairs)
    assert np.mean(expected) == pytest.approx(np.mean(settled), rel=0.1)


def test_advice_settles_first_place_more_often_than_even_or_present_sampling():
    rng, n, outcomes = np.random.default_rng(6), 8, []
    for _ in range(80):
        strength = rng.normal(0, 0.5, n)
        chance = (1 / (1 + np.exp(strength - strength[:, None])))[np.triu_indices(n, 1)]
        battles = uneven(n, 30, rng)
        start = rng.binomial(battles, chance), battles
        ways, _ = spent(rates_of(*start, n), battles, int(battles.sum()), "top", rng)
        outcomes.append(
            [(certain(rates_of(*played(start, chance, extra, rng), n)).sum(axis=1) == n - 1).any() for extra in ways]
        )
    by_advice, evenly, as_sampled = np.mean(outcomes, axis=0)
    assert by_advice > evenly + 0.03
    assert by_advice > as_sampled + 0.1


def test_advice_finds_the_core_more_often_than_even_or_present_sampling():
    rng, n, outcomes = np.random.default_rng(7), 6, []
    a, b = np.triu_indices(n, 1)
    for _ in range(60):
        margin = rng.uniform(0.05, 0.15, len(a))
        margin[(a == 0) & (b == 2)] *= -1  # the first three in a cycle, above the others in order
        chance, names = 0.5 + margin, tuple(f"x{i:02d}" for i in range(n))
        battles = uneven(n, 40, rng)
        start, part, ends = (rng.binomial(battles, chance), battles), int(battles.sum()) // 3, []
        for way in range(3):
            now = start
            for _ in range(3):
                ways = (
                    spent(rates_of(*now, n), battles, part, "core", rng)[0]
                    if way == 0
                    else ((), *by_chance(battles, part, rng))
                )
                now = played(now, chance, ways[way], rng)
            M = np.zeros((n, n))
            M[a, b] = 2 * now[0] - now[1]
            ends.append((top_cycle(Margins(M - M.T, names)) == (np.arange(n) < 3)).all())
        outcomes.append(ends)
    by_advice, evenly, as_sampled = np.mean(outcomes, axis=0)
    assert by_advice > evenly + 0.1
    assert by_advice > as_sampled + 0.2
