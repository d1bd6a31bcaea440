"""Weighted sums over stages, against estimates made battle by battle."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from beatpath.inference.anytime.stage import Stage, Sums
from helpers.arenas import rates, summed

P = rates(np.array([0.6, 0.1, -0.2, -0.5]))
A, B = np.triu_indices(4, 1)
TRUTH = (P.sum(axis=1) - 0.5) / 3


def stage(rng, chance, predicted, battles):
    times = rng.multinomial(battles, chance)
    won = rng.binomial(times, P[A, B]).astype(float)
    return Stage(A, B, chance, predicted, times.astype(float), won, won)


def test_a_difference_is_the_weighted_mean_of_what_each_battle_says_of_it():
    rng = np.random.default_rng(1)
    sums, top, bottom, square = Sums.none(4), 0.0, 0.0, 0.0
    for _ in range(3):
        chance, predicted = rng.dirichlet(np.full(6, 4.0)), rng.uniform(0.2, 0.8, 6)
        made = stage(rng, chance, predicted, 40)
        sums = sums.plus(made)
        w = (
            np.array([2, 1, 1, -1, -1, 0]) / 3
        )  # of pairs 01 02 03 12 13 23 in the score of agent 0 less that of agent 1
        v = (w**2 * predicted * (1 - predicted) / chance).sum()
        base = w @ predicted - 1 / 3 + 2 / 3  # predictions turned: 1 - p of pair 01 for agent 1, p of 12 and 13
        for k in range(6):
            wins, losses = made.total[k], made.battles[k] - made.total[k]
            for x, times in ((1.0, wins), (0.0, losses)):
                gain = w[k] * (x - predicted[k]) / chance[k]
                top += times * (base - 1 / 3 - 1 / 3 + gain) / v
                bottom += times / v
                square += times * gain**2 / v**2
    base_of = sums.difference[0, 1] / sums.weight[0, 1]
    assert sums.weight[0, 1] == pytest.approx(bottom)
    assert sums.variance[0, 1] == pytest.approx(square)
    assert base_of == pytest.approx(top / bottom)
    np.testing.assert_allclose(sums.difference, -sums.difference.T)


def test_a_stage_that_hardly_drew_two_agents_does_not_blur_them():
    """The variance of the weighted estimate over many runs is near one over the information, and far below that of equal weights."""
    rng = np.random.default_rng(2)
    focused = np.array([0.475, 0.12, 0.12, 0.12, 0.12, 0.045])
    elsewhere = np.array([0.01, 0.02, 0.02, 0.02, 0.02, 0.91])
    ends, equal = [], []
    for _ in range(400):
        stages = [stage(rng, focused, P[A, B], 200), stage(rng, elsewhere, P[A, B], 200)]
        sums = summed(stages, 4)
        ends.append(sums.difference[0, 1] / sums.weight[0, 1])
        equal.append(np.mean([summed([one], 4).difference[0, 1] / summed([one], 4).weight[0, 1] for one in stages]))
    assert np.mean(ends) == pytest.approx(TRUTH[0] - TRUTH[1], abs=4 * np.std(ends) / 20)
    assert np.var(ends) == pytest.approx(1 / sums.weight[0, 1], rel=0.25)
    assert np.var(equal) > 3 * np.var(ends)


def test_bets_against_a_set_follow_what_was_predicted_before_the_outcomes():
    rng = np.random.default_rng(5)
    chance = rng.dirichlet(np.full(6, 4.0))
    predictions = (np.array([0.2, 0.3, 0.3, 0.5, 0.5, 0.5]), np.array([0.7, 0.8, 0.9, 0.4, 0.3, 0.5]))
    sums, wanted, alone = Sums.none(4, best=1), np.zeros((4, 4)), []
    for predicted in predictions:
        made = stage(rng, chance, predicted, 60)
        sums, own = sums.plus(made), Sums.none(4).plus(made)
        score = np.zeros(4)
        for i, j, p in zip(A, B, predicted, strict=True):
            score[i] += p
            score[j] += 1 - p
        alone.append(score)
        for k in range(4):  # the set of agent k alone: the best of the others against it
            rival = max((j for j in range(4) if j != k), key=lambda j: score[j])
            wanted[:, k] += [x[rival, k] for x in (own.difference, own.weight, own.variance, own.slack)]
    assert alone[0].argmax() != alone[1].argmax()
    np.testing.assert_allclose(sums.bets, wanted)
    even = Sums.none(4, best=1).plus(stage(rng, chance, np.full(6, 0.5), 60))
    assert not even.bets.any()  # nobody is predicted best: no bet


def test_the_slack_is_the_most_that_battles_without_an_outcome_can_change():
    rng = np.random.default_rng(6)
    made = stage(rng, rng.dirichlet(np.full(6, 4.0)), rng.uniform(0.2, 0.8, 6), 60)
    unknown = np.array([1.0, 0.0, 2.0, 1.0, 1.0, 0.0])
    sums, most = Sums.none(4).plus(made.with_unknown(unknown)), np.zeros((4, 4))
    for won in product(*(range(int(k) + 1) for k in unknown)):
        known = replace(made, battles=made.battles + unknown, total=made.total + won, squares=made.squares + won)
        most = np.maximum(most, np.abs(Sums.none(4).plus(known).difference - sums.difference))
    np.testing.assert_allclose(sums.slack, most)
    np.testing.assert_array_equal(sums.unknown[A, B], unknown)


def test_stages_add_up_and_the_latest_sets_the_pace():
    rng = np.random.default_rng(7)
    stages = [
        replace(stage(rng, rng.dirichlet(np.full(6, 4.0)), rng.uniform(0.2, 0.8, 6), 50), others=float(k))
        .with_unknown(rng.integers(0, 3, 6).astype(float))
        for k in range(3)
    ]  # fmt: skip
    sums, alone = Sums.none(4, best=2), [Sums.none(4, best=2).plus(one) for one in stages]
    for one in stages:
        sums = sums.plus(one)
    for name in (
        "score",
        "score_weight",
        "difference",
        "weight",
        "variance",
        "slack",
        "wins",
        "unknown",
        "bets",
        "played",
    ):
        np.testing.assert_allclose(getattr(sums, name), sum(getattr(one, name) for one in alone), err_msg=name)
    for name in ("pace", "base", "chance"):
        np.testing.assert_array_equal(getattr(sums, name), getattr(alone[-1], name))
    unknown = sum(float(np.sum(one.unknown)) for one in stages)
    assert sums.played == 3 * 50 + unknown + 0 + 1 + 2
    assert sums.unknown.sum() / 2 == unknown
    assert sums.wins.sum() == 3 * 50
