"""Win rates with their joint errors: every sum over clusters written out."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

import beatpath as bp
from beatpath.evidence_design.columns import cluster_weights
from beatpath.inference.win_rates import cluster_rows
from beatpath.inference.win_rates.cluster_rows import gram
from beatpath.inference.win_rates.win_rates import win_rate_inference
from helpers import strategies


def shares(battles, pairwise, name="cluster"):
    """The share that every cluster has of every pair's battles, (clusters, pairs)."""
    pair = {(i, j): k for k, (i, j) in enumerate(zip(pairwise.a.tolist(), pairwise.b.tolist(), strict=True))}
    code = np.unique(battles.factor(name).codes, return_inverse=True)[1]
    n = np.zeros((code.max() + 1, len(pair)))
    for a, b, c in zip(battles.a.tolist(), battles.b.tolist(), code.tolist(), strict=True):
        n[c, pair[min(a, b), max(a, b)]] += 1
    return n / n.sum(axis=0)


def kish(share, single, maps):
    """Effective number of clusters of a map less one: battles by themselves count in the first sum alone."""
    v = share**2 @ maps**2
    square = (v[~single] ** 2).sum()
    return max(v.sum() ** 2 / square - 1, 1.0) if square else np.inf


@given(strategies.clustered_battles())
def test_degrees_of_freedom_are_effective_numbers_of_clusters_less_one(battles):
    unequal = cluster_weights(battles, ["cluster"])  # battles of large clusters may weigh less
    battles = battles if unequal is None else replace(battles, weight=unequal[0])
    pairwise = win_rate_inference(battles)
    share = shares(battles, pairwise)
    code = np.unique(battles.factor("cluster").codes, return_inverse=True)[1]
    single = np.bincount(code) == 1
    p = len(pairwise.rate)
    assert pairwise.df == pytest.approx([kish(share, single, one) for one in np.eye(p)])
    maps = np.random.default_rng(p).normal(size=(3, p))
    degrees = pairwise.degrees(maps)
    assert np.diag(degrees) == pytest.approx([kish(share, single, one) for one in maps])
    for i, j in combinations(range(3), 2):
        both = share**2 @ (maps[i] ** 2 + maps[j] ** 2)
        square = (both[~single] ** 2).sum()
        expected = max(both.sum() ** 2 / square - 1, 1.0) if square else np.inf
        assert degrees[i, j] == degrees[j, i] == pytest.approx(expected)


@given(strategies.clustered_battles())
def test_the_covariance_of_maps_is_that_of_the_rates_and_of_the_shares_that_move_with_them(battles):
    pairwise = win_rate_inference(battles)
    p = len(pairwise.rate)
    rng = np.random.default_rng(p)
    L, M = rng.normal(size=(2, 3, p))
    plain = L @ pairwise.covariance(np.eye(p)) @ L.T
    assert pairwise.covariance(L) == pytest.approx(plain)
    (one,) = pairwise.clusterings
    u, share = one.influence.toarray(), one.share.toarray()
    moved = u @ L.T + share @ M.T
    expected = moved.T @ moved + (L * pairwise.own) @ L.T + (M * pairwise.alone) @ M.T
    assert pairwise.covariance(L, M) == pytest.approx(expected)


def test_blocks_of_clusters_change_nothing(monkeypatch):
    battles = bp.example()
    pairwise = win_rate_inference(battles)
    L = np.random.default_rng(0).normal(size=(4, len(pairwise.rate)))
    whole, degrees = pairwise.covariance(L, L / 2), pairwise.degrees(L)
    monkeypatch.setattr(cluster_rows, "CELLS", 40)
    assert pairwise.covariance(L, L / 2) == pytest.approx(whole)
    assert pairwise.degrees(L) == pytest.approx(degrees)


def test_the_coarser_of_two_clusterings_tells_the_degrees_of_freedom():
    rows = [("ada", "bob", float(i % 3 > 0)) for i in range(60)]
    factors = {
        "fine": bp.Factor.of(f"{i // 2:02d}" for i in range(60)),
        "coarse": bp.Factor.of(f"{i % 6}" for i in range(60)),
    }
    pairwise = win_rate_inference(bp.Battles.of(rows, factors=factors), cluster=("fine", "coarse"))
    assert pairwise.df == pytest.approx([5.0])
    assert [one.n_clusters for one in pairwise.clusterings] == [30, 6, 60]


def test_matrices_hold_both_sides_and_nothing_where_a_pair_has_no_battles():
    win_rates = win_rate_inference(bp.Pairs(("a", "b", "c"), [0, 1], [1, 2], [[3, 1, 0, 0], [1, 4, 0, 0]]))
    np.testing.assert_allclose(win_rates.rates, [[0.5, 0.75, np.nan], [0.25, 0.5, 0.2], [np.nan, 0.8, 0.5]])
    np.testing.assert_allclose(
        win_rates.matrix(win_rates.weight), [[np.nan, 4, np.nan], [4, np.nan, 5], [np.nan, 5, np.nan]]
    )
    assert win_rates.z == pytest.approx([0.25 / win_rates.stderr[0], -0.3 / win_rates.stderr[1]])


def test_a_variance_that_is_not_positive_has_no_error():
    win_rates = win_rate_inference(bp.Pairs(("a", "b"), [0], [1], [[3, 1, 0, 0]]))
    assert np.isnan(replace(win_rates, own=np.array([-1.0])).stderr[0])
    unsure = replace(win_rates, own=np.array([0.0]))
    assert np.isnan(unsure.stderr[0])
    assert unsure.rows()[0]["stderr"] is None
    assert "Two-way clustering leaves 1 win rate without a standard error." in unsure.sentences
    assert not any("median" in sentence for sentence in unsure.sentences)


def test_a_pair_is_a_row_with_the_error_of_battles_on_their_own():
    win_rates = win_rate_inference(bp.Pairs(("a", "b", "c"), [0], [1], [[8, 2, 0, 0]]))
    smooth = 8.5 / 11
    error = np.sqrt(11 * smooth * (1 - smooth) / 100)
    (row,) = win_rates.rows()
    assert row == {
        "agent": "a",
        "rival": "b",
        "rate": 0.8,
        "stderr": pytest.approx(error),
        "df": None,
        "weight": 10,
        "battles": 10,
    }
    assert win_rates.sentences[:2] == (
        "1 of 3 pairs were compared directly, in 10 battles.",
        f"The median standard error of a win rate is {100 * error:.1f} percentage points.",
    )


def test_the_clusters_of_standard_errors_are_reported_and_stored():
    rows = [("ada", "bob", float(i % 3 > 0)) for i in range(60)]
    factors = {name: bp.Factor.of(f"{i % n}" for i in range(60)) for name, n in (("x", 30), ("y", 6))}
    win_rates = win_rate_inference(bp.Battles.of(rows, factors=factors), cluster=("x", "y"))
    assert win_rates.settings == {"cluster": ["x", "y"]}
    assert "Standard errors allow for 30 clusters by 'x' and 6 clusters by 'y'." in win_rates.sentences
    assert "Standard errors assume independent battles." in win_rate_inference(bp.Battles.of(rows)).sentences


@pytest.mark.parametrize("full", [0, 10**9])
@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 99))
def test_a_gram_matrix_is_the_same_by_either_product(full, rows, columns, seed):
    X = np.random.default_rng(seed).integers(-1, 3, size=(rows, columns)).astype(float)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cluster_rows, "FULL", full)
        np.testing.assert_array_equal(gram(csr_array(X)), X.T @ X)
