"""Rows of clusters computed from their cells, against the matrices that they stand for."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import beatpath as bp
from beatpath.inference.win_rates import cluster_rows as module
from beatpath.inference.win_rates.cluster_rows import ClusterRows, column_sums, columns_times
from beatpath.inference.win_rates.win_rates import win_rate_inference


def random_counts(seed, clusters=40, pairs=9, most=2):
    """Cells with up to `most` battles, some clusters without any; the matrices of numbers and of wins."""
    rng = np.random.default_rng(seed)
    n = rng.integers(0, most + 1, (clusters, pairs)) * (rng.random((clusters, 1)) < 0.8)
    return n, rng.integers(0, 2 * n + 1) / 2


def rows_of(n, s, *formula, **more):
    cluster, pair = np.nonzero(n)
    start = np.append(0, np.cumsum(np.bincount(cluster, minlength=len(n)))).astype(np.int32)
    cells = (pair.astype(np.int32), n[cluster, pair].astype(np.float16), s[cluster, pair].astype(np.float16), start)
    return ClusterRows(*cells, *formula, **more)


def both(n, s, times):
    """The influence of clusters and their shares, computed and written out."""
    weight, smooth, one = n.sum(axis=0) + 5.0, np.random.default_rng(1).random(n.shape[1]), np.ones(n.shape[1])
    influence = rows_of(n, s, one, -smooth, weight, left_out=True, times=np.sqrt(times))
    written = np.where(n > 0, (s - smooth * n) / (weight - n), 0.0) * np.sqrt(times)[:, None]
    return ((influence, written), (rows_of(n, s, 0 * one, one, weight, left_out=False), n / weight))


@pytest.mark.parametrize("most", [1, 3, 40])
@pytest.mark.parametrize("rows", [7, 99, 1 << 14])
def test_rows_are_those_of_the_matrix_written_out(monkeypatch, most, rows):
    monkeypatch.setattr(module, "CELLS", rows)
    n, s = random_counts(most, most=most)
    for sparse, full in both(n, s, np.arange(1.0, 41.0)):
        assert (sparse.shape, sparse.nnz) == (full.shape, np.count_nonzero(n))
        np.testing.assert_allclose(sparse.tocsr().toarray(), full, rtol=1e-14)
        for some in (slice(5, 17), slice(30, 99), slice(17, 5)):
            np.testing.assert_allclose(sparse[some].toarray(), full[some], rtol=1e-14)
        np.testing.assert_allclose(column_sums(sparse, power=2), (full**2).sum(axis=0), rtol=1e-13)
        weighted = (np.arange(40.0)[:, None] * full**2).sum(axis=0)
        np.testing.assert_allclose(column_sums(sparse, np.arange(40.0), power=2), weighted, rtol=1e-13)


@pytest.mark.parametrize("columns", [[0, 3, 8], [8], list(range(9))])
def test_the_columns_of_some_pairs_are_those_of_the_matrix(columns):
    n, s = random_counts(2, most=3)
    for sparse, full in both(n, s, np.arange(1.0, 41.0)):
        some = sparse.of_pairs(np.array(columns))
        assert some.nnz == np.count_nonzero(n[:, columns])
        np.testing.assert_allclose(some.tocsr().toarray(), full[:, columns], rtol=1e-14)
        np.testing.assert_allclose(some[5:17].toarray(), full[5:17, columns], rtol=1e-14)


def test_columns_that_grow_do_so_as_those_of_any_sparse_matrix():
    times = np.arange(1.0, 10.0)
    for sparse, _ in both(*random_counts(0, most=3), np.ones(40)):
        grown = columns_times(columns_times(sparse, times), times)
        plain = columns_times(csr_array(sparse.tocsr()), times**2).toarray()
        np.testing.assert_allclose(grown.tocsr().toarray(), plain, rtol=1e-14)


def test_a_cluster_may_have_any_number_of_battles_of_a_pair():
    """The jackknife by its definition, with more battles of a pair in a cluster than small types can count."""
    played, won = np.array([70_001, 3, 66_000]), np.array([40_000.5, 1.0, 33_000.0])
    tied = (won % 1 > 0).astype(int)
    number = np.stack([won.astype(int), tied, played - won.astype(int) - tied], axis=1)
    outcome = np.repeat(np.tile([1.0, 0.5, 0.0], 3), number.ravel())
    cluster = bp.Factor.coded(np.repeat(np.arange(3), played), ["p", "q", "r"])
    a, b = np.zeros(len(outcome), dtype=int), np.ones(len(outcome), dtype=int)
    win_rates = win_rate_inference(bp.Battles(("x", "y"), a, b, outcome, factors={"cluster": cluster}))
    smooth = (won.sum() + 0.5) / (played.sum() + 1)
    others = (won.sum() - won + 0.5) / (played.sum() - played + 1)
    imagined = ((1 - smooth) ** 2 + smooth**2) / 2 / played.sum() ** 2
    np.testing.assert_allclose(win_rates.variance, ((smooth - others) ** 2).sum() + imagined, rtol=1e-9)
