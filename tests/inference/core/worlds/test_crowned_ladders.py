"""Crowned ladders: evidence against a sum over all orders, and cores within the crown."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit, logsumexp

from beatpath.inference.core.worlds import sample_cores as module
from beatpath.inference.core.worlds.ladders import PairWins, pure_ladders
from beatpath.inference.core.worlds.sample_cores import LEAST, TAUS, crowned_cores, crowned_ladders, sample_strengths


def circle_on_top(n, battles, rng):
    """Three beat each other in a circle, 8 to 2, and all others as they stand on a ladder."""
    a, b = np.triu_indices(n, 1)
    p = np.where(b < 3, np.where(b - a == 1, 0.8, 0.2), expit(0.4 * (b - a)))
    won = rng.binomial(battles, p).astype(float)
    return PairWins(n, a, b, won, battles - won)


def free_pair(won, lost, tau, low=-30):
    """The likelihood of a score when log odds are normal around nought."""
    return quad(lambda x: expit(x) ** won * expit(-x) ** lost * np.exp(-(x**2) / (2 * tau**2)), low, 30, points=[0])[
        0
    ] / (tau * np.sqrt(2 * np.pi))


def circle_probability(agents, ahead):
    """Of so few agents that all tournaments can be gone through; `ahead` has the chance of the lower code in every pair."""
    pairs, total = list(combinations(range(len(agents)), 2)), 0.0
    for ends in product((True, False), repeat=len(pairs)):
        beats = np.zeros((1, len(agents), len(agents)), dtype=bool)
        chance = 1.0
        for (i, j), first in zip(pairs, ends, strict=True):
            beats[0, i, j], beats[0, j, i] = first, not first
            p = ahead[agents[i], agents[j]]
            chance *= p if first else 1 - p
        total += chance * module.top_cycles(beats).all()
    return total


def test_the_evidence_is_that_of_the_ladder_times_the_mean_ratio_of_the_freed_pairs_in_a_circle():
    data = circle_on_top(5, 6, np.random.default_rng(1))
    ladders = pure_ladders(data)
    found = crowned_ladders(data, ladders, np.random.default_rng(2))
    value = np.array([one.evidence + prior for one, prior in ladders])
    share, rng = np.exp(value - logsumexp(value)), np.random.default_rng(3)
    drawn = [sample_strengths(data, one, 400, rng) for one, _ in ladders]
    score = {(i, j): (w, l) for i, j, w, l in zip(data.a, data.b, data.won, data.lost, strict=True)}
    free = {(pair, tau): np.log(free_pair(*one, tau)) for pair, one in score.items() for tau in TAUS}
    ahead = {tau: {pair: free_pair(*one, tau, 0) / free_pair(*one, tau) for pair, one in score.items()} for tau in TAUS}
    circle = {
        (some, tau): circle_probability(some, ahead[tau]) / {3: 2 / 8, 4: 24 / 64}[len(some)]
        for k in (3, 4)
        for some in combinations(range(5), k)
        for tau in TAUS
    }
    sizes = np.arange(LEAST, 5)
    prior = dict(zip(sizes.tolist(), (1 / sizes / (1 / sizes).sum()).tolist(), strict=True))
    ratio = 0.0
    for part, thetas in zip(share, drawn, strict=True):
        for theta in thetas[:150]:
            order = np.argsort(-theta)
            for k, log_k in prior.items():
                crown = tuple(sorted(order[:k].tolist()))
                inner = list(combinations(crown, 2))
                fit = sum(
                    score[i, j][0] * np.log(expit(theta[i] - theta[j]))
                    + score[i, j][1] * np.log(expit(theta[j] - theta[i]))
                    for i, j in inner
                )
                for tau in TAUS:
                    gain = np.exp(sum(free[one, tau] for one in inner) - fit) * circle[crown, tau]
                    ratio += part / 150 * log_k / len(TAUS) * gain
    assert found.evidence == pytest.approx(logsumexp(value) + np.log(ratio), abs=0.35)


def test_a_circle_at_the_top_of_a_ladder_is_its_core():
    data = circle_on_top(12, 30, np.random.default_rng(0))
    ladders, rng = pure_ladders(data), np.random.default_rng(1)
    found = crowned_ladders(data, ladders, rng)
    assert found.evidence > max(one.evidence for one, _ in ladders) + 5
    member = crowned_cores(found, 1000, rng).mean(axis=0)
    assert (member[:3] > 0.9).all()
    assert (
        member[3:] < 0.15
    ).all()  # a crown is one circle, in which the fourth, who won 12 of 30 against the third, may stand


def test_every_core_is_three_or_more_of_the_best():
    rng = np.random.default_rng(4)
    data = circle_on_top(8, 4, rng)
    found = crowned_ladders(data, pure_ladders(data), rng)
    sizes = crowned_cores(found, 500, rng).sum(axis=1)
    assert set(sizes.tolist()) <= set(range(3, module.MOST + 1))
    assert found.weight.sum() == pytest.approx(1)


def test_three_agents_leave_no_room_for_a_crown():
    pair = PairWins(3, np.array([0]), np.array([1]), np.ones(1), np.ones(1))
    assert crowned_ladders(pair, pure_ladders(pair), np.random.default_rng(0)) is None


def test_pairs_that_never_met_say_nothing():
    empty = PairWins(6, np.array([], dtype=np.int64), np.array([], dtype=np.int64), np.zeros(0), np.zeros(0))
    ladders, rng = pure_ladders(empty), np.random.default_rng(0)
    found = crowned_ladders(empty, ladders, rng)
    value = [one.evidence + prior for one, prior in ladders]
    assert found.evidence == pytest.approx(float(logsumexp(value)), abs=0.15)  # 2,000 crowns, a quarter of them circles
