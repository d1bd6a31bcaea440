"""Crowned ladders: evidence against a sum over all orders, and cores within the crown."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit, logsumexp

from beatpath.inference.core.worlds import sample_cores as module
from beatpath.inference.core.worlds.ladders import PairWins, pure_ladders
from beatpath.inference.core.worlds.sample_cores import LEAST, TAUS, crowned_ladders, sample_cores


def cycle_on_top(n, battles, rng):
    """Three beat each other in a cycle, 8 to 2, and all others as they stand on a ladder."""
    a, b = np.triu_indices(n, 1)
    p = np.where(b < 3, np.where(b - a == 1, 0.8, 0.2), expit(0.4 * (b - a)))
    won = rng.binomial(battles, p).astype(float)
    return PairWins(n, a, b, won, battles - won)


def free_pair(won, lost, tau, low=-30):
    """The likelihood of a score when log odds are normal around zero."""
    return quad(lambda x: expit(x) ** won * expit(-x) ** lost * np.exp(-(x**2) / (2 * tau**2)), low, 30, points=[0])[
        0
    ] / (tau * np.sqrt(2 * np.pi))


def cycle_probability(agents, ahead):
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


def one_sided(n, battles):
    """The upper agent of every pair won all its battles: strengths have a long tail, and no cycle is in sight."""
    a, b = np.triu_indices(n, 1)
    return PairWins(n, a, b, np.full(len(a), float(battles)), np.zeros(len(a)))


@pytest.mark.parametrize("data", [cycle_on_top(5, 6, np.random.default_rng(1)), one_sided(5, 3), one_sided(4, 5)])
def test_the_evidence_is_the_mean_likelihood_over_strengths_from_the_prior(data):
    """By definition: crowns free and in a cycle, all other pairs on the ladder."""
    ladders, rng = pure_ladders(data), np.random.default_rng(3)
    crowned = crowned_ladders(data, ladders, np.random.default_rng(2))
    score = {(i, j): (w, l) for i, j, w, l in zip(data.a, data.b, data.won, data.lost, strict=True)}
    sizes = np.arange(LEAST, data.n)
    crowns = {}  # what the scores of the pairs in a crown say, averaged over spreads
    for k in sizes.tolist():
        for some in combinations(range(data.n), k):
            inner = list(combinations(some, 2))
            for tau in TAUS:
                free = {pair: free_pair(*score[pair], tau) for pair in inner}
                ahead = {pair: free_pair(*score[pair], tau, 0) / free[pair] for pair in inner}
                cycle = cycle_probability(some, ahead) / {3: 2 / 8, 4: 24 / 64}[k]
                crowns[some] = crowns.get(some, 0.0) + np.prod(list(free.values())) * cycle / len(TAUS)
    logs = []
    for one, log_prior in ladders:
        theta = rng.normal(0, one.s, (40_000, data.n))
        on_ladder = {
            (i, j): w * np.log(expit(gap := theta[:, i] - theta[:, j])) + l * np.log(expit(-gap))
            for (i, j), (w, l) in score.items()
        }
        order = np.argsort(-theta, axis=1)
        total = np.zeros(len(theta))
        for k, prior in zip(sizes.tolist(), 1 / sizes / (1 / sizes).sum(), strict=True):
            top = np.sort(order[:, :k], axis=1)
            for some, inside in ((c, (top == c).all(axis=1)) for c in combinations(range(data.n), k)):
                rest = sum(v for pair, v in on_ladder.items() if not set(pair) <= set(some))
                total += prior * crowns[some] * inside * np.exp(rest)
        logs.append(np.log(total.mean()) + log_prior)
    assert crowned.evidence == pytest.approx(logsumexp(logs), abs=0.35)


def test_a_cycle_at_the_top_of_a_ladder_is_its_core():
    data = cycle_on_top(12, 30, np.random.default_rng(0))
    ladders, rng = pure_ladders(data), np.random.default_rng(1)
    crowned = crowned_ladders(data, ladders, rng)
    assert crowned.evidence > max(one.evidence for one, _ in ladders) + 5
    member = sample_cores(data, crowned, 1000, rng).mean(axis=0)
    assert (member[:3] > 0.9).all()
    # a crown is one cycle, in which the fourth, who won 12 of 30 against the third, may stand: 0.134 by 40,000 draws
    assert (member[3:] < 0.2).all()


def test_every_core_is_three_or_more_of_the_best():
    rng = np.random.default_rng(4)
    data = cycle_on_top(8, 4, rng)
    crowned = crowned_ladders(data, pure_ladders(data), rng)
    sizes = sample_cores(data, crowned, 500, rng).sum(axis=1)
    assert set(sizes.tolist()) <= set(range(3, module.MOST + 1))
    assert crowned.weight.sum() == pytest.approx(1)


def test_three_agents_leave_no_room_for_a_crown():
    pair = PairWins(3, np.array([0]), np.array([1]), np.ones(1), np.ones(1))
    assert crowned_ladders(pair, pure_ladders(pair), np.random.default_rng(0)) is None


def test_pairs_without_battles_carry_no_evidence():
    empty = PairWins(6, np.array([], dtype=np.int64), np.array([], dtype=np.int64), np.zeros(0), np.zeros(0))
    ladders, rng = pure_ladders(empty), np.random.default_rng(0)
    crowned = crowned_ladders(empty, ladders, rng)
    value = [one.evidence + prior for one, prior in ladders]
    assert crowned.evidence == pytest.approx(float(logsumexp(value)), abs=0.15)  # 2,000 crowns
