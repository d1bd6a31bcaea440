"""Degrees of freedom against sums over all clusters, written out."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from beatpath.inference.matrix import cluster_sums as degrees
from beatpath.inference.matrix.cluster_sums import AgentMaps, cluster_degrees, own_maps
from beatpath.inference.win_rates import cluster_rows
from beatpath.inference.win_rates.estimate import Clustering


def random_maps(
    n: int, units: int, density: float, seed: int = 0, far: float = 1.0
) -> tuple[AgentMaps, csr_array, np.ndarray]:
    """Maps, shares of clusters, and the maps written out; `far` says how much maps hold of pairs of other agents."""
    rng = np.random.default_rng(seed)
    a, b = np.triu_indices(n, 1)
    p = len(a)
    F = (far * rng.normal(size=(n, n)) + n * np.eye(n)) / 100
    maps = AgentMaps(a, b, rng.random(n), rng.random(p), 50 * rng.random(p), F)
    D = np.zeros((p, n))
    D[np.arange(p), a], D[np.arange(p), b] = 1.0, -1.0
    whole = maps.each[:, None] * D.T * maps.k + maps.F @ (D.T * maps.w)
    sampler = np.random.default_rng(seed + 1)
    share = np.where(sampler.random((units, p)) < density, sampler.random((units, p)), 0.0)
    return maps, csr_array(share), whole


def written_out(A: np.ndarray, share: csr_array, times: np.ndarray, alone: np.ndarray) -> np.ndarray:
    """Kish's number of every difference, and of every map on the diagonal, less one."""
    v = (share.toarray() ** 2) @ (A**2).T
    first, n = times @ v + A**2 @ alone, len(A)
    expected = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            both = v[:, i] if i == j else v[:, i] + v[:, j]
            expected[i, j] = (first[i] if i == j else first[i] + first[j]) ** 2 / (times @ both**2) - 1
    return np.maximum(expected, 1.0)


@pytest.mark.parametrize("rows", [7, 1 << 17])
@pytest.mark.parametrize("cells", [31, 1 << 20])
def test_degrees_are_the_effective_number_of_clusters_however_they_are_cut(monkeypatch, rows, cells):
    monkeypatch.setattr(degrees, "ROWS", rows * 12)
    monkeypatch.setattr(degrees, "BLOCK", cells)
    maps, share, A = random_maps(12, 40, 0.05, seed=3)  # some clusters are empty
    assert (np.diff(share.indptr) == 0).any()
    times, alone = 1.0 + np.arange(40) % 3, np.arange(66) / 66
    effective = cluster_degrees(maps, Clustering("", share, share, times), alone)
    np.testing.assert_allclose(effective, written_out(A, share, times, alone), rtol=1e-5)


@pytest.mark.parametrize("size", [1e-12, 1e12])
def test_degrees_do_not_depend_on_the_unit(monkeypatch, size):
    maps, share, _ = random_maps(12, 40, 0.05, seed=3)
    small = AgentMaps(maps.a, maps.b, maps.each, maps.k * size, maps.w * size, maps.F)
    for cells, open_ in ((1e8, 0.0), (0.0, np.inf)):  # all summed, and what is their own alone
        monkeypatch.setattr(degrees, "WORTH", cells)
        monkeypatch.setattr(degrees, "OPEN", open_)
        results = [
            cluster_degrees(one, Clustering("", share * s, share * s, np.ones(40)), np.zeros(66))
            for one, s in ((maps, 1.0), (small, size))
        ]
        np.testing.assert_allclose(*results, rtol=1e-5)


def test_what_is_an_agents_own_is_its_map_at_its_pairs():
    maps, _, A = random_maps(8, 10, 0.5)
    pair = np.arange(len(maps.a))
    np.testing.assert_allclose(own_maps(maps), (A[maps.a, pair], A[maps.b, pair]), rtol=1e-12)


@pytest.mark.parametrize("cells", [31, 1 << 20])
def test_bounds_that_leave_little_open_lead_to_nearly_the_same_degrees(monkeypatch, cells):
    monkeypatch.setattr(degrees, "WORTH", 0)
    monkeypatch.setattr(cluster_rows, "CELLS", cells)
    maps, share, A = random_maps(40, 3000, 0.01, far=0.01)
    times, alone = 1.0 + np.arange(3000) % 3, np.arange(780) / 780
    monkeypatch.setattr(degrees, "_joint", None)  # not all is summed
    effective, exact = (
        cluster_degrees(maps, Clustering("", share, share, times), alone),
        written_out(A, share, times, alone),
    )
    np.testing.assert_allclose(effective, exact, rtol=1e-3)
    assert np.abs(1 / effective - 1 / exact).max() < degrees.OPEN


def test_bounds_that_leave_much_open_have_all_summed(monkeypatch):
    maps, share, A = random_maps(40, 3000, 0.01, far=5.0)
    exact = written_out(A, share, np.ones(3000), np.zeros(780))
    calls = []
    inner = degrees._nearly_crossed
    monkeypatch.setattr(degrees, "_nearly_crossed", lambda *given: calls.append(inner(*given)))
    monkeypatch.setattr(degrees, "WORTH", 0)
    effective = cluster_degrees(maps, Clustering("", share, share, np.ones(3000)), np.zeros(780))
    assert calls == [None]
    np.testing.assert_allclose(effective, exact, rtol=1e-5)


def test_an_agent_in_few_small_clusters_keeps_few_degrees(monkeypatch):
    maps, share, A = random_maps(40, 3000, 0.01, far=0.001)
    rare = np.flatnonzero((maps.a == 0) | (maps.b == 0))
    few = share.tolil()
    few[5:, rare] = 0.0
    few[:5, rare] = 0.01
    few = csr_array(few)
    monkeypatch.setattr(degrees, "WORTH", 0)
    monkeypatch.setattr(degrees, "_joint", None)
    effective, exact = (
        cluster_degrees(maps, Clustering("", few, few, np.ones(3000)), np.zeros(780)),
        written_out(A, few, np.ones(3000), np.zeros(780)),
    )
    assert exact[0, 0] < 10
    np.testing.assert_allclose(effective[0, 0], exact[0, 0], rtol=1e-4)


def test_of_very_many_clusters_nobody_looks_which_of_them_two_agents_share(monkeypatch):
    monkeypatch.setattr(degrees, "WORTH", 0)
    monkeypatch.setattr(degrees, "OPEN", 1e-2)
    maps, share, A = random_maps(20, 4000, 0.02, far=0.001)
    times, alone = 1.0 + np.arange(4000) % 3, np.arange(190) / 190
    plain, calls = degrees._sums_of_own, []

    def watched(*given, shared):
        calls.append(shared)
        return plain(*given, shared=shared)

    monkeypatch.setattr(degrees, "_sums_of_own", watched)
    effective, exact = (
        cluster_degrees(maps, Clustering("", share, share, times), alone),
        written_out(A, share, times, alone),
    )
    assert calls == [False]
    assert np.abs(1 / effective - 1 / exact).max() < degrees.OPEN
    np.testing.assert_allclose(np.diag(effective), np.diag(exact), rtol=1e-3)


def test_agents_that_always_meet_in_the_same_clusters_lie_within_the_bounds(monkeypatch):
    monkeypatch.setattr(degrees, "WORTH", 0)
    a, b = np.triu_indices(6, 1)
    maps = AgentMaps(a, b, np.ones(6), np.ones(15), np.zeros(15), np.zeros((6, 6)))
    A = np.zeros((6, 15))
    A[a, np.arange(15)], A[b, np.arange(15)] = 1.0, -1.0
    pair = np.repeat(np.arange(15), 40)  # every cluster is about one pair
    share = csr_array((np.full(600, 1 / 40), pair, np.arange(601)), shape=(600, 15))
    exact = written_out(A, share, np.ones(600), np.zeros(15))
    for open_ in (4e-6, 1e-2):
        monkeypatch.setattr(degrees, "OPEN", open_)
        effective = cluster_degrees(maps, Clustering("", share, share, np.ones(600)), np.zeros(15))
        assert np.abs(1 / effective - 1 / exact).max() < open_
