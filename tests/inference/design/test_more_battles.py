"""What win rates would be worth with more battles: as copies of those there are, and by small steps."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beatpath.evidence import Battles, Factor
from beatpath.inference.design.sample_size import Outlook, with_more_battles
from beatpath.inference.scores.estimands import scores_from
from beatpath.inference.win_rates.win_rates import win_rate_inference
from helpers.planned import close_field, clustered, raw_scores


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
    L = raw_scores(rates)
    np.testing.assert_array_equal(planned.battles, more.battles)
    np.testing.assert_allclose(planned.degrees(L), more.degrees(L), rtol=1e-3)  # copies of single battles count alone
    # a pair of 20 battles or so is smoothed by one more, and a cluster is left out of fewer
    np.testing.assert_allclose(planned.variance, more.variance, rtol=0.15)
    np.testing.assert_allclose(np.delete(planned.variance, pair), np.delete(more.variance, pair), rtol=1e-9)


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.sampled_from([None, "cluster", ("cluster", "judge")]))
def test_without_more_battles_errors_are_those_of_the_board(seed, cluster):
    rng = np.random.default_rng(seed)
    battles = clustered(rng, clusters=8, size=6)
    judge = Factor.of(rng.integers(0, 5, len(battles)).tolist())
    rates = win_rate_inference(replace(battles, factors={**battles.factors, "judge": judge}), cluster=cluster)
    board = scores_from(rates)
    now = np.ones(len(rates.rate))
    np.testing.assert_allclose(Outlook(rates, board).covariance(now), board.covariance, rtol=1e-3, atol=1e-7)
    np.testing.assert_allclose(Outlook(rates, board).degrees(now), board.df, rtol=1e-9)


def test_with_battles_without_end_errors_are_those_of_the_observed_rates():
    rates = close_field(3)
    outlook, f = Outlook(rates, scores_from(rates)), np.full(len(rates.rate), 1e-6)
    made = outlook.made
    L = raw_scores(rates)
    by_hand = L @ np.diag(made.phi * made.v * f) @ L.T
    np.testing.assert_allclose(outlook.covariance(f), by_hand, rtol=0.01, atol=1e-3 * by_hand.max())


def test_battles_never_make_a_score_less_sure():
    rates = close_field(4)
    outlook = Outlook(rates, scores_from(rates))
    errors = [np.diag(outlook.covariance(np.full(len(rates.rate), f))) for f in (1.0, 0.5, 0.1, 0.01)]
    assert (np.diff(errors, axis=0) < 0).all()


@pytest.mark.parametrize("cluster", [None, "cluster"])
def test_slopes_of_variances_are_about_those_of_small_steps(cluster):
    rng = np.random.default_rng(6)
    rates = win_rate_inference(clustered(rng), cluster=cluster)
    outlook = Outlook(rates, scores_from(rates))
    weight = rng.random((4, 4))
    weight = np.triu(weight, 1) + np.triu(weight, 1).T
    f, step = rng.uniform(0.2, 1.0, len(rates.rate)), 1e-5

    def total(shares):
        V = outlook.covariance(shares)
        own = np.diag(V)
        return float((weight * (own[:, None] + own - 2 * V)).sum()) / 2

    slopes = np.array([(total(f + e) - total(f - e)) / (2 * step) for e in step * np.eye(len(f))])
    np.testing.assert_allclose(outlook.slopes(f, weight), slopes, atol=0.3 * np.abs(slopes).max())


@pytest.mark.parametrize("cluster", [None, "cluster"])
def test_the_difference_of_two_scores_is_what_the_covariance_of_all_says(cluster):
    rates = win_rate_inference(clustered(np.random.default_rng(9), n_agents=5), cluster=cluster)
    outlook = Outlook(rates, scores_from(rates, "mean_win_rate"))
    for f in (np.ones(len(rates.a)), np.linspace(0.2, 1.0, len(rates.a))):
        V, df = outlook.covariance(f), outlook.degrees(f)
        for i, j in ((0, 1), (3, 2), (4, 0)):
            variance, degrees = outlook.difference(f, i, j)
            assert variance == pytest.approx(V[i, i] + V[j, j] - 2 * V[i, j])
            assert degrees == pytest.approx(df[i, j])


def test_a_handful_of_soft_battles_has_an_outlook_without_a_warning():
    """Five battles, each its own cluster: differences of an agent with itself have no end of degrees of freedom."""
    outcome = np.array([1.0, 0.0, 0.07, 0.5, 0.93])
    zeros = np.zeros(5, dtype=int)
    battles = Battles(("ada", "bob"), zeros, zeros + 1, outcome, factors={"cluster": Factor.of(range(5))})
    rates = win_rate_inference(battles, cluster="cluster")
    outlook = Outlook(rates, scores_from(rates))
    variance, df = outlook.difference(np.full(len(rates.rate), 0.5), 0, 1)
    assert variance > 0
    assert df >= 1
