"""Every judge held against the others: false alarms, power, intervals, with a known truth."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import norm

from beatpath.stats.judges.examined import PLAIN, _too_many_ties, examined
from beatpath.stats.judges.votes import Votes, counted_votes, in_parts, with_own_family
from helpers.judged import votes_of


def looked_at(rng, *, own_family=None, **world):
    who, a, b, outcome, first = votes_of(rng, own_family=own_family, **world)
    n_agents, n_judges = world.get("agents", 10), world.get("judges", 20)
    votes = counted_votes(who, a, b, outcome, first[:, None].astype(float), n_agents=n_agents, n_judges=n_judges)[0]
    own = with_own_family(votes, np.eye(n_judges, n_agents, dtype=bool), 1)
    return examined(own, ("position", "own_family"))


def test_honest_and_equal_judges_raise_an_alarm_in_at_most_one_world_of_twenty():
    rng = np.random.default_rng(0)
    worlds = [
        {"agents": 10, "judges": 20, "each": 100},
        {"agents": 5, "judges": 3, "each": 100},
        {"agents": 20, "judges": 6, "each": 200, "spread": 0.5},
        {"agents": 6, "judges": 60, "each": 30, "spread": 1.5, "ties": 0.3},
    ]
    alarms = [looked_at(rng, **world).alarm.any() for world in worlds for _ in range(60)]
    assert np.mean(alarms) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / len(alarms))


def test_planted_judges_are_flagged_nine_times_in_ten_from_400_votes():
    rng = np.random.default_rng(1)
    alarms = []
    for _ in range(20):
        r, position, own_family = np.ones(12), np.zeros(12), np.zeros(12)
        r[0], r[1], r[2] = 0, 0, -1
        position[1], position[3], own_family[4] = 8, 1.0, 2.5
        seen = looked_at(rng, judges=12, each=400, reliability=r, position=position, own_family=own_family)
        alarms.append([seen.alarm[0, 0], seen.alarm[1, 1], seen.alarm[2, 0], seen.alarm[3, 1], seen.alarm[4, 2]])
    assert (np.mean(alarms, axis=0) >= 0.9).all()


def test_intervals_hold_what_is_true_as_often_as_they_say():
    rng = np.random.default_rng(2)
    r, position = np.linspace(0.3, 1.7, 15), np.linspace(-0.6, 0.6, 15)
    held = []
    for _ in range(60):
        seen = looked_at(rng, judges=15, each=300, reliability=r, position=position)
        ends = np.abs(seen.estimate[:, 1] - position) <= 1.96 * seen.error[:, 1]
        held.append(ends.mean())
    assert 0.92 <= np.mean(held) <= 0.985


def test_judges_with_few_votes_are_not_examined_and_still_count_for_the_consensus():
    rng = np.random.default_rng(3)
    who, a, b, outcome, _ = votes_of(rng, judges=5, each=50)
    included = (who > 0) | (np.arange(len(who)) < 10)
    votes = counted_votes(who[included], a[included], b[included], outcome[included])[0]
    seen = examined(votes)
    assert seen.judge.tolist() == [1, 2, 3, 4]
    assert len(seen.consensus.strength) == 10


def test_votes_that_are_copies_within_clusters_raise_no_more_alarms():
    rng = np.random.default_rng(4)
    alarms = []
    for _ in range(60):
        who, a, b, outcome, first = (np.repeat(part, 5) for part in votes_of(rng, judges=8, each=30))
        x = first[:, None].astype(float)
        votes, cell = counted_votes(who, a, b, outcome, x)
        parts = in_parts(cell, np.repeat(np.arange(len(who) // 5), 5), a, b, outcome)
        alarms.append((examined(votes, ("position",), parts).alarm.any(), examined(votes, ("position",)).alarm.any()))
    with_clusters, without = np.mean(alarms, axis=0)
    assert with_clusters <= 0.12 < without


def test_a_judge_that_always_calls_ties_is_flagged():
    rng = np.random.default_rng(5)
    who, a, b, outcome, _ = votes_of(rng, judges=10, each=400, ties=0.1)
    outcome[(who == 0) & (rng.random(len(who)) < 0.93)] = 0.5
    seen = examined(counted_votes(who, a, b, outcome)[0])
    assert seen.alarm[:, -1].tolist() == [True] + [False] * 9


@pytest.mark.parametrize("seed", range(4))
def test_ties_of_judges_are_those_of_davidsons_model_with_one_rate(seed):
    """Normal scores by hand, with the rate that gives as many ties as there are."""
    rng, (a, b), judges = np.random.default_rng(seed), np.triu_indices(4, 1), 3
    strength = rng.normal(0, 1, 4)
    judge, first, second = np.repeat(np.arange(judges), 6), np.tile(a, judges), np.tile(b, judges)
    lead, total = strength[first] - strength[second], np.full(18, 40.0)
    ties = rng.binomial(40, 0.6 / (0.6 + 2 * np.cosh(lead / 2))).astype(float)
    votes = Votes(4, judges, judge, first, second, np.zeros((18, 0)), (total - ties) // 2, total - ties, ties)

    def chance(log_rate):
        return np.exp(log_rate) / (np.exp(log_rate) + 2 * np.cosh(lead / 2))

    p = chance(brentq(lambda at: (total * chance(at)).sum() - ties.sum(), -9, 9))
    z = np.bincount(judge, ties - total * p) / np.sqrt(np.bincount(judge, total * p * (1 - p)))
    plain = np.abs(z) < PLAIN  # beyond, a saddlepoint takes the place of the normal distribution
    assert plain.any()
    consensus = SimpleNamespace(strength=strength, shift=np.zeros(0))
    np.testing.assert_allclose(_too_many_ties(votes, consensus, plain), norm.sf(z[plain]), rtol=1e-6)
