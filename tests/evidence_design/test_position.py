"""The preference for the side shown first is fitted with the strengths and averaged out, however few battles a pair has."""

from dataclasses import replace

import numpy as np
import pytest

from beatpath.evidence import Battles, Factor
from beatpath.evidence_design import position
from beatpath.evidence_design.position import _half_differences, position_effect
from beatpath.inference.resolve.resolve import resolve
from beatpath.inference.scores.estimands import leaderboard
from beatpath.inference.win_rates.win_rates import win_rate_inference


def confounded(seed, n=2400, bias=0.5):
    """Equal agents, of whom the first is shown first three times in four, and the side shown first is preferred."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 4, n)
    b = (a + rng.integers(1, 4, n)) % 4
    first = np.where((a == 0) | (b == 0), np.where(a == 0, 0.75, 0.25), 0.5)
    position = np.where(rng.random(n) < first, 1, -1).astype(np.int8)
    won = (rng.random(n) < 1 / (1 + np.exp(-bias * position))).astype(float)
    return Battles(tuple("abcd"), a, b, won, position=position)


def test_an_agent_shown_first_more_often_looks_no_better():
    held, naive = [], []
    for seed in range(60):
        battles = confounded(seed)
        board = leaderboard(battles)
        held.append(np.abs(board.score - 0.5) < 1.96 * np.sqrt(np.diag(board.covariance)))
        naive.append(battles.outcome[battles.a == 0].mean() > 0.52)
    assert np.mean(naive) > 0.9
    assert np.mean(held) > 0.95 - 4 * np.sqrt(0.05 * 0.95 / np.size(held) * 2)


def shown_by_agent(seed, per_pair=14, bias=0.5, n=12):
    """Equal agents; later ones are shown first more often, and the side shown first is preferred."""
    rng = np.random.default_rng(seed)
    a, b = (np.repeat(x, per_pair) for x in np.triu_indices(n, 1))
    often = np.linspace(0.1, 0.9, n)
    position = np.where(rng.random(len(a)) < often[a] / (often[a] + often[b]), 1, -1).astype(np.int8)
    won = rng.random(len(a)) < 1 / (1 + np.exp(-bias * position))
    return Battles(tuple(f"agent {i:02d}" for i in range(n)), a, b, won.astype(float), position=position)


def logistic_regression(design, outcome, group):
    """The first coefficient, and its standard error by the sandwich over groups, with dense matrices."""
    beta = np.zeros(design.shape[1])
    for _ in range(20):
        fitted = 1 / (1 + np.exp(-design @ beta))
        bread = np.linalg.inv((design * (fitted * (1 - fitted))[:, None]).T @ design)
        beta = beta + bread @ design.T @ (outcome - fitted)
    scores = np.zeros((group.max() + 1, design.shape[1]))
    np.add.at(scores, group, design * (outcome - fitted)[:, None])
    return beta[0], np.sqrt((bread @ scores.T @ scores @ bread)[0, 0])


@pytest.mark.parametrize("cluster", [None, "cluster"])
def test_the_preference_is_that_of_a_logistic_regression(cluster):
    battles = shown_by_agent(0, per_pair=30)
    prompt = np.random.default_rng(1).integers(0, 100, len(battles))
    battles = Battles(
        *(battles.agents, battles.a, battles.b, battles.outcome),
        position=battles.position,
        factors={"cluster": Factor.of(map(str, prompt))},
    )
    n = len(battles.agents)
    design = np.zeros((len(battles), n))
    design[np.arange(len(battles)), battles.a], design[np.arange(len(battles)), battles.b] = 1, -1
    design[:, 0] = battles.position  # in place of the first agent, whose strength is zero
    beta, stderr = logistic_regression(design, battles.outcome, np.arange(len(battles)) if cluster is None else prompt)
    effect = position_effect(battles, battles.pairs(), cluster)
    assert effect.beta == pytest.approx(beta, abs=0.01)
    assert effect.stderr == pytest.approx(stderr, rel=0.02)


def test_equal_agents_with_few_battles_are_not_ordered_by_who_is_shown_first():
    boards = [resolve(shown_by_agent(seed)) for seed in range(40)]
    assert sum(board.resolved_pairs > 0 for board in boards) <= 2 + 3 * 1.4
    assert np.mean([(board.low <= 0.5) & (0.5 <= board.high) for board in boards]) > 0.93


def test_rates_are_those_of_both_orders_alike():
    """Pairs with ever more battles: the adjusted rate tends to the mean of the rates in both orders."""
    battles = confounded(3, n=200_000)
    rates = win_rate_inference(battles)
    assert rates.rate == pytest.approx(0.5, abs=0.01)
    assert "The side shown first wins 62." in rates.notes[0]


def test_the_error_of_the_preference_is_shared_by_all_rates():
    """One baseline always shown first: only the prior says how much that helps, and differences do not depend on it."""
    rng = np.random.default_rng(0)
    b = np.repeat([1, 2, 3], 400)
    won = (rng.random(1200) < 0.5).astype(float)
    battles = Battles(tuple("abcd"), np.zeros(1200, int), b, won, position=np.ones(1200, np.int8))
    rates = win_rate_inference(battles)
    assert rates.stderr == pytest.approx(0.125, rel=0.1)  # half a log odds, times a slope of a quarter
    apart = rates.covariance(np.array([[1.0, -1.0, 0.0]]))[0, 0] ** 0.5
    assert apart == pytest.approx(np.sqrt(2 * 0.25 / 400), rel=0.05)


@pytest.mark.parametrize("weight", [1.0, 0.001])
def test_where_the_preference_differs_between_pairs_each_has_its_own_shift_and_binomial_variance(weight):
    """Half the difference of a pair's rates in the two orders, times how unevenly the orders were shown."""
    battles, expected = [], []
    for names, first, second in (("ab", 0.6, 0.4), ("cd", 0.45, 0.55)):
        for sides, shown, wins in ((names, 4000, first), (names[::-1], 2000, 1 - second)):
            battles += [(*sides, 1.0)] * round(shown * wins) + [(*sides, 0.0)] * round(shown * (1 - wins))
        variance = (first * (1 - first) / 4000 + second * (1 - second) / 2000) / 4
        expected.append(((first - second) / 2 / 3, variance / 9))
    shown = Battles.of(battles, position=[1] * len(battles), weight=[weight] * len(battles))
    effect = position_effect(shown, shown.pairs(), None)
    shift, variance = np.array(expected).T
    assert effect.shift == pytest.approx(shift)
    assert effect.own == pytest.approx(variance, rel=0.06)  # those of one common preference vary more
    stderr = (12_000 * 0.25 * (1 - 1 / 9)) ** -0.5  # of an order whose mean by pair is a third
    assert effect.stderr == pytest.approx(stderr, rel=0.03)
    assert effect.error == pytest.approx(np.full(2, 0.25 / 3 * stderr), rel=0.03)


def test_without_a_preference_no_note_is_made():
    assert win_rate_inference(confounded(4, bias=0.0)).notes == ()


def preferred_where_alike(seed, battles=1500):
    """Two groups of three equal agents; judges prefer the side shown first within a group only, and earlier agents are shown first."""
    rng = np.random.default_rng(seed)
    strength = np.repeat([1.0, -1.0], 3)
    a = rng.integers(0, 6, battles)
    b = (a + rng.integers(1, 6, battles)) % 6
    turned = (a > b) & (rng.random(battles) < 0.8)
    a, b = np.where(turned, b, a), np.where(turned, a, b)
    lead = strength[a] - strength[b]
    won = rng.random(battles) < 1 / (1 + np.exp(-lead - (lead == 0)))
    return Battles(tuple("abcdef"), a, b, won * 1.0, position=np.ones(battles, np.int8))


def test_a_preference_for_the_side_shown_first_among_equals_alone_orders_no_equals():
    boards = [resolve(preferred_where_alike(seed)) for seed in range(30)]
    equal = np.add.outer(np.arange(6) // 3, -(np.arange(6) // 3)) == 0
    truth = (2 * 0.5 + 3 / (1 + np.exp(-2))) / 5
    held = [(board.low[:3] <= truth) & (truth <= board.high[:3]) for board in boards]
    assert (
        sum((board.above & equal).any() for board in boards) <= 1.5 + 3 * 1.2
    )  # half of the boards with one common preference
    assert np.mean(held) > 0.85


def test_the_variance_of_a_pairs_own_bias_is_that_of_its_errors():
    """Equal agents; each pair has a bias of its own: squared errors of the effects over 20 boards."""
    sums, (a, b) = np.zeros(2), np.triu_indices(10, 1)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        bias, often = 0.5 + 0.8 * rng.normal(size=len(a)), rng.uniform(0.2, 0.8, len(a))
        pair = np.repeat(np.arange(len(a)), 120)
        position = np.where(rng.random(len(pair)) < often[pair], 1, -1).astype(np.int8)
        won = (rng.random(len(pair)) < 1 / (1 + np.exp(-bias[pair] * position))).astype(float)
        battles = Battles(tuple("abcdefghij"), a[pair], b[pair], won, position=position)
        effect = position_effect(battles, battles.pairs(), None)
        true = np.bincount(pair, position) / 120 * (1 / (1 + np.exp(-bias)) - 0.5)
        assert (effect.own >= 0).all()
        sums += ((effect.shift - true) ** 2).sum(), (effect.own + effect.error**2).sum()
    assert 0.7 < sums[0] / sums[1] < 1.1


def test_a_pair_with_one_battle_in_each_order_shows_half_their_difference():
    played = np.array([1.0, 0.0, 1.0, 3.0, 1.0, 0.0])
    assert _half_differences(played).tolist() == [-0.5, 0.0, 0.5, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("span", [1 << 22, 40, 3])
def test_how_many_battles_are_summed_at_a_time_changes_nothing(span, monkeypatch):
    rng, n = np.random.default_rng(4), 300
    a = rng.integers(0, 6, n)
    battles = Battles(
        tuple("abcdef"), a, (a + rng.integers(1, 6, n)) % 6, rng.choice([0, 0.5, 1], n), weight=rng.random(n),
        position=rng.integers(-1, 2, n), factors={"cluster": Factor.coded(rng.integers(-1, 25, n), [f"c{i}" for i in range(25)])},
    )  # fmt: skip
    whole, known = battles.pairs(), battles.factors["cluster"].codes
    effect = position_effect(battles, whole, "cluster")
    alone = np.where(known < 0, 25 + np.arange(n), known)  # a battle without a cluster is one
    named = replace(battles, factors={"cluster": Factor.coded(alone, [f"c{i:03}" for i in range(25 + n)])})
    monkeypatch.setattr(position, "SPAN", span)
    for other in (position_effect(battles, whole, "cluster"), position_effect(named, whole, "cluster")):
        assert (other.beta, other.stderr) == pytest.approx((effect.beta, effect.stderr), rel=1e-9)
        np.testing.assert_allclose(other.own, effect.own, rtol=1e-9, atol=1e-15)
