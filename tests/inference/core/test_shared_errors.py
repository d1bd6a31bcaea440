"""Errors that all battles of an agent share: against brute force for two agents, and cycles that tastes of judges do not hide."""

import numpy as np
import pytest

from beatpath import Battles, Factor, Pairs, core
from beatpath.inference.core.core_posterior import PRIOR, core_posterior
from beatpath.inference.core.worlds.ladders import S_BOUNDS


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


@pytest.mark.parametrize("shared", [0.0, 0.1, 0.5])
def test_two_agents_have_the_posterior_of_brute_force(shared):
    """A grid over the spread, the true gap and the error of the gap, for 70 wins to 50."""
    node, weight = np.polynomial.hermite_e.hermegauss(80)
    weight = weight / weight.sum()
    error = np.sqrt(2) * shared * node
    ladder, first = [], []
    for s in 2 ** np.linspace(*S_BOUNDS, 60):
        gap = np.sqrt(2) * s * np.linspace(-8, 8, 1601)[:, None]
        density = np.exp(-(gap[:, 0] ** 2) / (4 * s**2))
        likelihood = np.exp(70 * np.log(sigmoid(gap + error)) + 50 * np.log(sigmoid(-gap - error))) @ weight
        ladder.append(likelihood @ density / density.sum())
        first.append(likelihood @ (density * (gap[:, 0] > 0)) / density.sum())
    equal = weight @ np.exp(70 * np.log(sigmoid(error)) + 50 * np.log(sigmoid(-error)))
    total = np.mean(ladder) + equal
    posterior = core_posterior(
        Pairs(("a", "b"), [0], [1], [[70, 50, 0, 0]]),
        shared_error=shared,
        prior=dict.fromkeys(PRIOR, 0.0) | {"ladder": 0.5, "equal": 0.5},
    )
    assert posterior.worlds["equal"] == pytest.approx(equal / total, abs=0.04)
    assert posterior.probability[0] == pytest.approx((np.mean(first) + equal) / total, abs=0.03)


def judged_ring(rng, n=8, judges=8, each=250, taste=0.8):
    """Three that beat each other 65 to 35 in a cycle above a ladder, by judges who each like some agents better."""
    theta = np.sort(rng.normal(size=n))[::-1]
    log_odds = theta[:, None] - theta
    ring = np.log(0.65 / 0.35) * np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])
    log_odds[:3, :3] = ring
    i, j = np.triu_indices(n, 1)
    pair, judge = rng.integers(0, len(i), judges * each), np.repeat(np.arange(judges), each)
    a, b, likes = i[pair], j[pair], rng.normal(0, taste, (judges, n))
    won = rng.random(len(a)) < sigmoid(log_odds[a, b] + likes[judge, a] - likes[judge, b])
    factor = Factor.of(map(str, judge))
    return Battles(
        tuple("abcdefgh"), a.astype(np.int32), b.astype(np.int32), won.astype(float), factors={"judge": factor}
    )


def test_tastes_of_judges_do_not_hide_a_cycle():
    """Tastes add up along a cycle to nothing; with counts divided by the variance of wins, 2 of 20 were named, at 50 %."""
    boards = [core(judged_ring(np.random.default_rng(k)), cluster="judge").posterior for k in range(20)]
    right = [one.most_probable == ("a", "b", "c") for one in boards]
    assert np.mean(right) > 0.5
    assert np.mean(right) == pytest.approx(np.mean([one.most_probable_probability for one in boards]), abs=0.3)
