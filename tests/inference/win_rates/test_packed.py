"""Packed cells against the matrices that they stand for."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from beatpath.inference.win_rates import packed as module
from beatpath.inference.win_rates.packed import (
    Influence,
    PackedCells,
    PackedRows,
    Packing,
    Share,
    columns_times,
    packed,
    unpacked,
)


def drawn(seed, clusters=40, pairs=9, most=2):
    """Cells with up to `most` battles, some clusters without any; the matrices of numbers and of wins."""
    rng = np.random.default_rng(seed)
    n = rng.integers(0, most + 1, (clusters, pairs)) * (rng.random((clusters, 1)) < 0.8)
    twice = rng.integers(0, 2 * n + 1)
    return n, twice


def rows_of(n, twice, formula):
    cluster, pair = np.nonzero(n)
    code = packed(pair, n[cluster, pair], twice[cluster, pair])
    start = np.append(0, np.cumsum(np.bincount(cluster, minlength=len(n)))).astype(np.int32)
    return PackedRows(PackedCells(code, start, n.shape[1]), formula)


@pytest.mark.parametrize(("most", "width"), [(1, 4), (3, 4), (15, 4), (16, 8), (5000, 8)])
def test_cells_come_out_as_they_were_put_in(most, width):
    rng = np.random.default_rng(most)
    n = np.append(rng.integers(1, most + 1, 1000), most)
    twice = np.append(rng.integers(0, 2 * n[:-1] + 1), 2 * most)
    pair = rng.integers(0, 1 << 20, 1001)
    code = packed(pair, n, twice)
    assert code.itemsize == width
    for found, told in zip(unpacked(code), (pair, n, twice / 2), strict=True):
        np.testing.assert_array_equal(found, told)


def test_very_many_pairs_make_wide_numbers():
    assert packed(np.array([1 << 24]), np.array([1]), np.array([0])).itemsize == 8


@pytest.mark.parametrize("most", [1, 3, 40])
@pytest.mark.parametrize("rows", [7, 1 << 14])
def test_rows_are_those_of_the_matrix_written_out(monkeypatch, most, rows):
    monkeypatch.setattr(module, "ROWS", rows)
    n, twice = drawn(most, most=most)
    weight = n.sum(axis=0) + 5.0
    smooth = np.random.default_rng(1).random(9)
    written = {
        "influence": (Influence(smooth, weight), np.where(n > 0, (twice / 2 - smooth * n) / (weight - n), 0.0)),
        "share": (Share(weight), n / weight),
    }
    for formula, full in written.values():
        found = rows_of(n, twice, formula)
        assert (found.shape, found.nnz) == (full.shape, np.count_nonzero(n))
        np.testing.assert_array_equal(found.tocsr().toarray(), full)
        np.testing.assert_array_equal(found[5:17].toarray(), full[5:17])
        np.testing.assert_array_equal(found[30:99].toarray(), full[30:99])
        np.testing.assert_array_equal(found[17:5].toarray(), full[17:5])
        np.testing.assert_allclose(found.squares, (full**2).sum(axis=0), rtol=1e-13)


@pytest.mark.parametrize("squared", [True, False])
def test_columns_that_grow_do_so_as_those_of_any_sparse_matrix(squared):
    n, twice = drawn(0, most=3)
    found, times = rows_of(n, twice, Share(n.sum(axis=0) + 1.0)), np.arange(1.0, 10.0)
    if squared:
        found.squares  # noqa: B018  known before, so that it grows too
    grown = columns_times(columns_times(found, times), times)
    plain = columns_times(csr_array(found.tocsr()), times**2).toarray()
    np.testing.assert_allclose(grown.tocsr().toarray(), plain, rtol=1e-15)
    np.testing.assert_allclose(grown.squares, (plain**2).sum(axis=0), rtol=1e-13)


def test_one_large_cell_among_small_ones_widens_them_all():
    packing = Packing(5)
    packing.add(packed(np.array([1, 2]), np.array([1, 2]), np.array([0, 3])))
    packing.add(packed(np.array([3]), np.array([700]), np.array([9])))
    packing.add(packed(np.array([4]), np.array([1]), np.array([1])))
    for found, told in zip(unpacked(packing.done()), ([1, 2, 3, 4], [1, 2, 700, 1], [0, 1.5, 4.5, 0.5]), strict=True):
        np.testing.assert_array_equal(found, told)
