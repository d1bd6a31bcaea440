"""Resamples vary as they should: exact draws, clusters that count as one, and intervals that cover."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from beatpath import Battles, Factor, Pairs, rank
from beatpath._errors import DataError
from beatpath.fit.batched import batched_strengths, shared_inverse
from beatpath.inference.bootstrap.bootstrap import bootstrap
from beatpath.methods.graph.connection import require_connection


def share_won(pairs):
    rate = pairs.counts[0, 0] / pairs.counts[0, :2].sum()
    return {pairs.agents[0]: rate, pairs.agents[1]: 1 - rate}


def clustered(rng, sizes, p=0.6):
    """Battles of two agents, all of a cluster ending alike."""
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    outcome = (rng.random(len(sizes)) < p)[cluster].astype(float)
    zero = np.zeros(len(cluster), dtype=int)
    battles = Battles(("ada", "bob"), zero, zero + 1, outcome, factors={"cluster": Factor.of(cluster)})
    return battles, outcome, cluster


@pytest.mark.parametrize("sizes", [[8] * 60, [1, 3, 9, 15] * 25])
def test_clusters_that_agree_vary_as_the_cluster_robust_variance_says(sizes):
    battles, outcome, cluster = clustered(np.random.default_rng(2), sizes)
    won, played = np.bincount(cluster, outcome), np.bincount(cluster)
    rate = outcome.mean()
    robust = np.sqrt(((won - rate * played) ** 2).sum()) / len(outcome)
    naive = np.sqrt(rate * (1 - rate) / len(outcome))
    by_cluster = bootstrap(battles.pairs(by=["cluster"]), share_won, draws=1500).scores[:, 0].std()
    by_battle = bootstrap(battles.pairs(), share_won, draws=1500).scores[:, 0].std()
    # Monte-Carlo error 1 / sqrt(2 draws) = 1.8 %; unequal clusters add that a ratio is not linear
    assert by_cluster == pytest.approx(robust, rel=0.08)
    assert by_battle == pytest.approx(naive, rel=0.08)
    assert by_cluster > 2 * by_battle


def test_two_ways_of_clustering_vary_more_than_either():
    rng = np.random.default_rng(3)
    task, judge = np.repeat(np.arange(30), 30), np.tile(np.arange(30), 30)
    lead = rng.normal(size=30)[task] + rng.normal(size=30)[judge] + 0.2
    zero = np.zeros(900, dtype=int)
    factors = {"task": Factor.of(task), "judge": Factor.of(judge)}
    battles = Battles(("ada", "bob"), zero, zero + 1, (lead > 0).astype(float), factors=factors)
    pairs = battles.pairs(by=["task", "judge"])
    spread = [
        bootstrap(pairs, share_won, cluster=c, draws=600).scores[:, 0].std()
        for c in ("task", "judge", ("task", "judge"))
    ]
    # Owen (2007): about V_task + V_judge, and a little more
    assert np.hypot(*spread[:2]) * 0.9 < spread[2] < np.hypot(*spread[:2]) * 1.25


def covered(bootstrapped, truth, kind="percentile"):
    bounds = bootstrapped.intervals(kind)
    return (bounds.low <= truth) & (truth <= bounds.high)


@pytest.mark.slow
def test_intervals_of_a_win_rate_cover_at_their_level():
    rng, hits, trials = np.random.default_rng(4), [], 200
    for seed in range(trials):
        won = rng.binomial(120, 0.62)
        bootstrapped = bootstrap(
            Pairs(("ada", "bob"), [0], [1], [[won, 120 - won, 0, 0]]), share_won, draws=199, level=0.9, seed=seed
        )
        hits.append([covered(bootstrapped, [0.62, 0.38], kind)[0] for kind in ("percentile", "basic")])
    low, high = binom.ppf([0.001, 0.999], trials, 0.9) / trials
    assert (low <= np.mean(hits, axis=0)).all()
    assert (np.mean(hits, axis=0) <= high).all()


@pytest.mark.slow
def test_intervals_by_cluster_cover_and_those_by_battle_do_not():
    rng, by_cluster, by_battle, trials = np.random.default_rng(5), [], [], 100
    for seed in range(trials):
        battles, _, _ = clustered(rng, [6] * 50)
        pairs = battles.pairs(by=["cluster"])
        by_cluster.append(covered(bootstrap(pairs, share_won, draws=199, level=0.9, seed=seed), [0.6, 0.4])[0])
        by_battle.append(covered(bootstrap(pairs.by(), share_won, draws=199, level=0.9, seed=seed), [0.6, 0.4])[0])
    assert np.mean(by_cluster) >= binom.ppf(0.001, trials, 0.9) / trials
    assert np.mean(by_battle) < 0.7


@pytest.mark.slow
def test_intervals_of_bradley_terry_cover_at_their_level():
    rng, hits, trials = np.random.default_rng(6), [], 120
    strength = np.array([0.6, 0.1, -0.7])
    a, b = np.triu_indices(3, 1)
    p = 1 / (1 + np.exp(strength[b] - strength[a]))
    for seed in range(trials):
        won = rng.binomial(60, p)
        counts = np.stack([won, 60 - won, 0 * won, 0 * won], axis=1)
        bootstrapped = bootstrap(
            Pairs(("ada", "bob", "cyd"), a, b, counts), "bradley_terry", draws=199, level=0.9, seed=seed
        )
        hits.append(covered(bootstrapped, strength))
    low, high = binom.ppf([0.001, 0.999], trials, 0.9) / trials
    assert (low <= np.mean(hits, axis=0)).all()
    assert (np.mean(hits, axis=0) <= high).all()


@pytest.mark.parametrize("prior", [0.0, 0.3])
def test_strengths_fitted_together_are_those_fitted_one_by_one(prior):
    rng = np.random.default_rng(7)
    strength = np.linspace(1.5, -1.5, 12)
    a, b = np.triu_indices(12, 1)
    won = rng.binomial(25, 1 / (1 + np.exp(strength[b] - strength[a])))
    agents = tuple(f"agent {i:02d}" for i in range(12))
    pairs = Pairs(agents, a, b, np.stack([won, 25 - won, rng.integers(4, size=66), 0 * won], axis=1))
    resamples = np.array(
        [rng.multinomial(int(pairs.counts.sum()), (pairs.counts / pairs.counts.sum()).ravel()) for _ in range(40)]
    )
    resampled_pairs = [Pairs(agents, a, b, counts.reshape(-1, 4)) for counts in resamples]
    start = np.array(list(rank(pairs, "bradley_terry", prior=prior).scores.values()))
    strengths, settled = batched_strengths(
        np.array([one.wins() for one in resampled_pairs]),
        start,
        shared_inverse(pairs.wins(), start, prior),
        prior=prior,
    )
    assert settled.all()
    expected = [list(rank(one, "bradley_terry", prior=prior).scores.values()) for one in resampled_pairs]
    np.testing.assert_allclose(strengths, expected, atol=1e-8)


@settings(max_examples=60)
@given(st.lists(st.integers(0, 2), min_size=16, max_size=16))
def test_counts_without_a_finite_estimate_are_not_settled(entries):
    wins = np.array(entries, dtype=float).reshape(4, 4) * (1 - np.eye(4))
    a, b = np.triu_indices(4, 1)
    near = shared_inverse(np.ones((4, 4)) - np.eye(4), np.zeros(4))
    strength, (settled,) = batched_strengths(wins[None], np.zeros(4), near)
    try:
        require_connection(("a", "b", "c", "d"), a, b, wins[a, b], wins[b, a], "it")
    except DataError:
        assert not settled
        return
    if settled:
        expected = wins + wins.T
        p = 1 / (1 + np.exp(strength[0][None, :] - strength[0][:, None]))
        np.testing.assert_allclose((expected * p).sum(axis=1), wins.sum(axis=1), atol=1e-8)
