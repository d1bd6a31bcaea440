"""Sums over agents against the matrices that are never filled."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from beatpath.inference.matrix import cluster_sums
from beatpath.inference.matrix.cluster_sums import AgentMaps, agent_gram, of_differences
from beatpath.inference.win_rates.cluster_rows import gram


def random_maps(n: int, units: int, density: float, seed: int = 0) -> tuple[AgentMaps, csr_array, np.ndarray]:
    """Maps, an influence of clusters on pairs, and the maps written out."""
    rng = np.random.default_rng(seed)
    a, b = np.triu_indices(n, 1)
    p = len(a)
    maps = AgentMaps(a, b, rng.random(n), rng.random(p), 50 * rng.random(p), rng.normal(size=(n, n)) / 100)
    D = np.zeros((p, n))
    D[np.arange(p), a], D[np.arange(p), b] = 1.0, -1.0
    whole = maps.each[:, None] * D.T * maps.k + maps.F @ (D.T * maps.w)
    sampler = np.random.default_rng(seed + 1)
    share = np.where(sampler.random((units, p)) < density, sampler.random((units, p)), 0.0)
    return maps, csr_array(share), whole


@pytest.mark.parametrize("density", [0.005, 0.5])
def test_what_clusters_do_to_maps_is_the_product_written_out(density):
    maps, U, A = random_maps(30, 200, density)
    scale = 1 + np.arange(U.shape[1]) / 100
    expected = (U.toarray() * scale) @ A.T
    np.testing.assert_allclose(maps.moved(U, scale), expected.T @ expected, rtol=1e-10, atol=1e-10)


def test_few_entries_go_sparsely_and_many_densely_with_one_answer(monkeypatch):
    maps, U, _ = random_maps(30, 200, 0.02)
    answers = []
    for full in (1e-9, 1e9):
        monkeypatch.setattr(cluster_sums, "FULL", full)
        answers.append((gram(U), agent_gram(U, maps.a, maps.b, 30, maps.w), maps.moved(U, np.ones(U.shape[1]))))
    for sparse, dense in zip(*answers, strict=True):
        np.testing.assert_allclose(sparse, dense, rtol=1e-10, atol=1e-10)


def test_single_precision_moves_no_standard_error_of_a_difference_by_more_than_it_may(monkeypatch):
    maps, U, A = random_maps(30, 2000, 0.05)
    moved = U.toarray() @ A.T
    monkeypatch.setattr(cluster_sums, "SINGLE", 0)
    covariance, exact = maps.moved(U, np.ones(U.shape[1])), moved.T @ moved
    assert 0 < np.abs(covariance - exact).max()  # it was single precision
    apart = [V.diagonal()[:, None] + V.diagonal() - 2 * V + np.eye(30) for V in (covariance, exact)]
    np.testing.assert_allclose(*np.sqrt(apart), rtol=cluster_sums.LOST)
    np.testing.assert_allclose(covariance.diagonal(), exact.diagonal(), rtol=cluster_sums.LOST)


def test_agents_that_err_alike_get_double_precision(monkeypatch):
    maps, U, _ = random_maps(30, 2000, 0.05)
    F = maps.F.copy()
    F[1] = F[0]
    alike = AgentMaps(maps.a, maps.b, maps.each * (np.arange(30) > 1), maps.k, maps.w, F)
    monkeypatch.setattr(cluster_sums, "SINGLE", 0)
    covariance = alike.moved(U, np.ones(U.shape[1]))
    assert abs(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]) < 1e-12 * covariance[0, 0]
    np.testing.assert_array_equal(covariance, alike.moved(U, np.ones(U.shape[1]), exact=True))


def test_a_gram_in_single_precision_is_that_in_double_to_six_digits(monkeypatch):
    maps, U, _ = random_maps(30, 2000, 0.05)
    monkeypatch.setattr(cluster_sums, "SINGLE", 0)
    double, single = (agent_gram(U, maps.a, maps.b, 30, maps.w, single=one) for one in (False, True))
    assert (double != single).any()
    np.testing.assert_allclose(single, double, atol=1e-6 * double.max())


@pytest.mark.parametrize("single", [0.0, np.inf])
@pytest.mark.parametrize("kappa", [0.0, 0.4])
def test_maps_whose_own_part_is_a_multiple_of_the_pull_need_one_product(monkeypatch, single, kappa):
    maps, U, _ = random_maps(30, 2000, 0.05)
    as_one = AgentMaps(maps.a, maps.b, maps.each, kappa * maps.w, maps.w, maps.F)
    scale = 1 + np.arange(U.shape[1]) / 100
    monkeypatch.setattr(cluster_sums, "SINGLE", single)
    monkeypatch.setattr(AgentMaps, "_moved_densely", None)
    D = np.zeros((len(maps.a), 30))
    D[np.arange(len(maps.a)), maps.a], D[np.arange(len(maps.a)), maps.b] = 1.0, -1.0
    moved = (U.toarray() * scale * maps.w) @ D @ (maps.F + np.diag(kappa * maps.each)).T
    covariance, exact = as_one.moved(U, scale), moved.T @ moved
    apart = [of_differences(V) for V in (covariance, exact)]
    np.testing.assert_allclose(*np.sqrt(apart), rtol=cluster_sums.LOST if single == 0 else 1e-12)


def test_one_product_in_single_precision_is_not_enough_for_agents_that_err_alike(monkeypatch):
    maps, U, _ = random_maps(30, 2000, 0.05)
    F = maps.F.copy()
    F[1] = F[0] * (1 + 1e-7)
    alike = AgentMaps(maps.a, maps.b, maps.each, 0 * maps.w, maps.w, F)
    monkeypatch.setattr(cluster_sums, "SINGLE", 0)
    np.testing.assert_array_equal(alike.moved(U, np.ones(U.shape[1])), alike.moved(U, np.ones(U.shape[1]), exact=True))
