"""Mis-keyed items and copies: exact chances against all subsets, planted ones, and false alarms."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import binom, rankdata

from beatpath.stats.intervals import holm
from beatpath.stats.item_answers import Answers, pattern_chance, smallest_sum_p


def rasch(rng, n, m, spread=1.0):
    lead = spread * rng.normal(size=(n, 1)) - rng.normal(size=m)
    return (rng.random((n, m)) < 1 / (1 + np.exp(-lead))).astype(float)


@pytest.mark.parametrize("seed", range(60))
def test_the_chance_of_a_small_sum_is_the_share_of_all_subsets(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 11))
    k = int(rng.integers(1, n))
    rank = np.rint(2 * rankdata(rng.integers(0, 6, n))).astype(int)
    chosen = np.isin(np.arange(n), np.argsort(rank, kind="stable")[:k])  # among the smallest sums
    chosen[rng.integers(n)] ^= True
    k = int(chosen.sum())
    if not 0 < k < n:
        return
    share = np.mean([rank[list(some)].sum() <= rank[chosen].sum() for some in combinations(range(n), k)])
    p = smallest_sum_p(rank, chosen)
    if share <= 0.1:
        assert p == pytest.approx(share, rel=1e-9)
    else:  # of no interest, and approximate
        assert p > 0.05


def test_the_chance_is_exact_where_a_normal_distribution_is_not():
    p = smallest_sum_p(np.arange(24), np.arange(24) < 12)
    assert p == pytest.approx(1 / 2_704_156, rel=1e-9)  # one set of 12 of 24


def test_beyond_the_largest_recursion_a_normal_distribution_has_larger_tails(monkeypatch):
    chosen = np.isin(np.arange(60), [*range(27), 29, 33, 40])
    exact = smallest_sum_p(np.arange(60), chosen)
    monkeypatch.setattr("beatpath.stats.item_answers.MOST_CELLS", 0)
    assert exact < smallest_sum_p(np.arange(60), chosen) < 1e-4


@pytest.mark.parametrize("seed", range(20))
def test_the_chance_of_a_pattern_is_that_of_a_rasch_model_given_its_size(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    strength, k = 3 * rng.normal(size=n), int(rng.integers(1, n))
    high = np.isin(np.arange(n), rng.permutation(n)[:k])
    every = [np.exp(strength[list(some)].sum()) for some in combinations(range(n), k)]
    assert pattern_chance(strength, high) == pytest.approx(np.exp(strength[high].sum()) / sum(every), rel=1e-9)


def test_a_lead_is_the_share_beaten_minus_the_share_lost_to():
    value = np.array([[3.0, 1.0], [1.0, np.nan], [1.0, 0.0], [0.0, 0.0]])
    brute = [
        [
            np.mean([np.sign(x - y) for b, y in enumerate(column) if b != a and not np.isnan(y)])
            for a, x in enumerate(column)
        ]
        for column in value.T
    ]
    assert Answers(value).lead == pytest.approx(np.nan_to_num(np.array(brute).T))


def test_the_correlation_is_that_with_the_mean_lead_on_other_items():
    rng = np.random.default_rng(5)
    answers = Answers(rasch(rng, 9, 6))
    others = np.delete(answers.lead, 2, axis=1).mean(axis=1)
    assert answers.correlations()[2] == pytest.approx(np.corrcoef(answers.value[:, 2], others)[0, 1])


def test_planted_reversed_items_and_copies_are_flagged_and_no_others():
    rng = np.random.default_rng(1)
    x = rasch(rng, 80, 60, spread=2.0)
    hard = np.argsort(np.abs(x.mean(axis=0) - 0.5))[:5]
    x[:, hard[0]], x[:, hard[1]] = 1 - x[:, hard[0]], x[:, hard[2]]
    x[:, hard[3]] = 1.0
    answers = Answers(x)
    assert np.flatnonzero(~answers.live).tolist() == [hard[3]]
    p = np.where(answers.live, answers.reversed_p(), 1.0)
    assert np.flatnonzero(holm(p) <= 0.05).tolist() == [hard[0]]
    copies = answers.copies(np.log(x.mean(axis=1) / (1 - x.mean(axis=1))), 0.05)
    assert [sorted(group.tolist()) for group in copies] == [sorted(hard[1:3].tolist())]


def test_items_that_only_the_best_solve_coincide_by_chance_and_are_no_copies():
    strength = np.array([5.0, 0, 0, 0, 0, 0])
    x = np.zeros((6, 8))
    x[0] = 1.0  # eight items that the best alone solves
    x[1:4, 5:] = 1.0
    assert pattern_chance(strength, x[:, 0] > 0) > 0.9
    assert not any(0 in group for group in Answers(x).copies(strength, 0.05))


def test_unrelated_items_look_reversed_in_one_table_of_twenty_at_most():
    rng = np.random.default_rng(2)
    false = 0
    for _ in range(200):
        answers = Answers((rng.random((12, 30)) < rng.random(30)).astype(float))
        false += bool((holm(answers.reversed_p()[answers.live]) <= 0.05).any())
    assert false <= binom.ppf(0.999, 200, 0.05)


def test_missing_scores_and_scales_of_items_change_nothing_for_the_others():
    rng = np.random.default_rng(3)
    x = rasch(rng, 15, 10)
    scaled = x * np.geomspace(1, 1e6, 10)
    assert Answers(scaled).reversed_p() == pytest.approx(Answers(x).reversed_p())
    assert Answers(scaled).correlations() == pytest.approx(Answers(x).correlations())
    more = np.vstack([x, np.full(10, np.nan)])
    assert Answers(more).reversed_p() == pytest.approx(Answers(x).reversed_p())
