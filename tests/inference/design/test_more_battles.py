"""What win rates would be worth with more battles: as copies of those there are, and by small steps."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beatpath.evidence import Battles, Factor
from beatpath.inference.design.more_battles import Outlook, only_pairs, with_more_battles
from beatpath.inference.scores.estimands import mixture_map
from beatpath.inference.win_rates.win_rates import win_rate_inference


def clustered(rng, n_agents=4, clusters=30, size=8, spread=2.0):
    """Battles whose outcomes lean one way or the other by cluster, several pairs in each."""
    cluster = np.repeat(np.arange(clusters), size)
    a = rng.integers(0, n_agents, len(cluster))
    b = (a + rng.integers(1, n_agents, len(cluster))) % n_agents
    lean = rng.normal(0, spread, (clusters, n_agents))
    won = rng.random(len(cluster)) < 1 / (1 + np.exp(lean[cluster, b] - lean[cluster, a]))
    names = tuple(f"x{i}" for i in range(n_agents))
    return Battles(names, a, b, won.astype(float), factors={"cluster": Factor.of(cluster.tolist())})


@pytest.mark.parametrize("cluster", [None, "cluster"])
def test_more_battles_are_as_copies_of_those_there_are(cluster):
    battles = clustered(np.random.default_rng(5))
    rates = win_rate_inference(battles, cluster=cluster)
    pair = 2
    theirs = np.flatnonzero(
        (np.minimum(battles.a, battles.b) == rates.a[pair]) & (np.maximum(battles.a, battles.b) == rates.b[pair])
    )
    rows = np.concatenate([np.arange(len(battles)), theirs, theirs])
    copy = np.concatenate([np.zeros(len(battles)), np.ones(len(theirs)), np.full(len(theirs), 2)]).astype(int)
    names = [f"{battles.factors['cluster'].codes[row]} {k}" for row, k in zip(rows, copy, strict=True)]
    more = win_rate_inference(replace(battles.take(rows), factors={"cluster": Factor.of(names)}), cluster=cluster)
    planned = with_more_battles(rates, np.where(np.arange(len(rates.rate)) == pair, 2.0 * len(theirs), 0.0))
    L, _ = mixture_map(rates, "uniform")
    np.testing.assert_array_equal(planned.battles, more.battles)
    np.testing.assert_allclose(planned.degrees(L), more.degrees(L), rtol=1e-3)  # copies of single battles count alone
    # a pair of 20 battles or so is smoothed by one more, and a cluster is left out of fewer
    np.testing.assert_allclose(planned.variance, more.variance, rtol=0.15)
    np.testing.assert_allclose(np.delete(planned.variance, pair), np.delete(more.variance, pair), rtol=1e-9)


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_errors_after_more_battles_are_the_same_by_either_road(seed, two_way):
    rng = np.random.default_rng(seed)
    battles = clustered(rng, clusters=8, size=6)
    judge = Factor.of(rng.integers(0, 5, len(battles)).tolist())
    battles = replace(battles, factors={**battles.factors, "judge": judge})
    rates = win_rate_inference(battles, cluster=("cluster", "judge") if two_way else "cluster")
    L, _ = mixture_map(rates, "uniform")
    extra = rng.integers(0, 30, len(rates.rate)) * rng.integers(0, 2, len(rates.rate)).astype(float)
    f = rates.battles / (rates.battles + extra)
    planned = with_more_battles(rates, extra).covariance(L)
    np.testing.assert_allclose(Outlook(rates, L).covariance(f), planned, rtol=1e-9, atol=1e-12)


def test_slopes_of_variances_are_those_of_small_steps():
    rng = np.random.default_rng(6)
    rates = win_rate_inference(clustered(rng), cluster="cluster")
    outlook = Outlook(rates, mixture_map(rates, "uniform")[0])
    weight = rng.random((4, 4))
    weight = np.triu(weight, 1) + np.triu(weight, 1).T
    f, step = rng.uniform(0.2, 1.0, len(rates.rate)), 1e-6

    def total(shares):
        V = outlook.covariance(shares)
        own = np.diag(V)
        return float((weight * (own[:, None] + own - 2 * V)).sum()) / 2

    slopes = [(total(f + e) - total(f - e)) / (2 * step) for e in step * np.eye(len(f))]
    np.testing.assert_allclose(outlook.slopes(f, weight), slopes, rtol=1e-6, atol=1e-12)


def test_pairs_chosen_alone_keep_their_errors():
    rates = win_rate_inference(clustered(np.random.default_rng(7)), cluster="cluster")
    chosen = np.array([1, 4])
    part = only_pairs(rates, chosen)
    np.testing.assert_allclose(part.variance, rates.variance[chosen])
    np.testing.assert_allclose(part.df, rates.df[chosen])
    whole, some = np.zeros((1, len(rates.rate))), np.array([[0.3, -0.7]])
    whole[0, chosen] = some
    np.testing.assert_allclose(part.covariance(some), rates.covariance(whole))
