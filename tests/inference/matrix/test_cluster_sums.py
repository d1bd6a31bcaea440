"""Sums over agents against the matrices that are never filled."""

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from beatpath.inference.matrix import cluster_sums
from beatpath.inference.matrix.cluster_sums import AgentMaps, agent_sums, gram


def drawn(n: int, units: int, density: float, seed: int = 0) -> tuple[AgentMaps, csr_array, np.ndarray]:
    """Maps, an influence of clusters on pairs, and the maps written out."""
    rng = np.random.default_rng(seed)
    a, b = np.triu_indices(n, 1)
    p = len(a)
    maps = AgentMaps(a, b, rng.random(n), rng.random(p), 50 * rng.random(p), rng.normal(size=(n, n)) / 100)
    D = np.zeros((p, n))
    D[np.arange(p), a], D[np.arange(p), b] = 1.0, -1.0
    whole = maps.each[:, None] * D.T * maps.k + maps.F @ (D.T * maps.w)
    sampler = np.random.default_rng(seed + 1)
    return maps, csr_array(random_array((units, p), density=density, rng=sampler, format="csr")), whole


@pytest.mark.parametrize("density", [0.005, 0.5])
def test_what_clusters_do_to_maps_is_the_product_written_out(density):
    maps, U, A = drawn(30, 200, density)
    scale = 1 + np.arange(U.shape[1]) / 100
    expected = (U.toarray() * scale) @ A.T
    np.testing.assert_allclose(maps.moved(U, scale), expected.T @ expected, rtol=1e-10, atol=1e-10)


def test_few_entries_go_sparsely_and_many_densely_with_one_answer(monkeypatch):
    maps, U, _ = drawn(30, 200, 0.02)
    X = agent_sums(U, maps.a, maps.b, 30, maps.w)
    answers = []
    for full in (1e-9, 1e9):
        monkeypatch.setattr(cluster_sums, "FULL", full)
        answers.append((gram(X), maps.moved(U, np.ones(U.shape[1]))))
    for sparse, dense in zip(*answers, strict=True):
        np.testing.assert_allclose(sparse, dense, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("rows", [7, 1 << 17])
@pytest.mark.parametrize("cells", [31, 1 << 20])
def test_weights_of_clusters_are_sums_of_squares_however_they_are_cut(monkeypatch, rows, cells):
    monkeypatch.setattr(cluster_sums, "ROWS", rows * 12)
    monkeypatch.setattr(cluster_sums, "CELLS", cells)
    maps, share, A = drawn(12, 40, 0.05, seed=3)  # some clusters are empty
    assert (np.diff(share.indptr) == 0).any()
    times, alone = 1.0 + np.arange(40) % 3, np.arange(66) / 66
    v = (share.toarray() ** 2) @ (A**2).T
    first, joint = maps.effective(share, times, alone)
    np.testing.assert_allclose(first, times @ v + A**2 @ alone, rtol=1e-5)
    np.testing.assert_allclose(joint, v.T @ (times[:, None] * v), rtol=1e-5)


@pytest.mark.parametrize("size", [1e-12, 1e12])
def test_weights_survive_any_unit(size):
    maps, share, A = drawn(12, 40, 0.05, seed=3)
    small = AgentMaps(maps.a, maps.b, maps.each, maps.k * size, maps.w * size, maps.F)
    first, joint = small.effective(share * size, np.ones(40), np.zeros(66))
    v = (share.toarray() ** 2) @ (A**2).T * size**4
    np.testing.assert_allclose(first, v.sum(axis=0), rtol=1e-5)
    np.testing.assert_allclose(joint, v.T @ v, rtol=1e-5)
