from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beatpath import UsageError
from beatpath.methods.graph import paths as max_min
from beatpath.methods.graph.paths import absorb, absorb_by_entry, widest_paths, widest_reach, widest_walks
from beatpath.methods.soft_core.edges import evidence_edge
from beatpath.methods.soft_core.operators import (
    reachability,
    smooth_product,
    soft_majority_edge,
    soft_top_cycle,
    softmax,
    softmin,
)
from helpers.tournaments import H1, complementary, random_tournament, tournaments

STRENGTHS = st.integers(1, 7).flatmap(
    lambda n: st.lists(
        st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.8, 1.0]), min_size=n, max_size=n), min_size=n, max_size=n
    )
)


def hollow(matrix):
    D = np.array(matrix, dtype=float)
    np.fill_diagonal(D, 0)
    return D


def lengths(D, max_length, product):
    """Eq. (9): the products of lengths one to K."""
    Q = [D]
    for _ in range(max_length - 1):
        Q.append(product(Q[-1], D))
    return np.stack(Q)


def max_min_product(X, Y):
    """Eq. (8)."""
    return np.minimum(X[:, :, None], Y[None]).max(axis=1)


@pytest.mark.parametrize("reach", H1["t"])
def test_the_walkthrough_of_the_paper_comes_out_to_three_digits(reach):
    tau = H1["temperature"]
    D = soft_majority_edge(H1["P"], tau)
    R = reachability(D, reach=reach, gamma=tau, max_length=H1["max_length"])
    assert D.round(3).tolist() == H1["D"]
    assert soft_top_cycle(R, tau).round(3).tolist() == H1["t"][reach]
    if reach == "noisy-or":
        assert R.round(3).tolist() == H1["R"]


@given(STRENGTHS, st.integers(1, 8))
def test_max_min_reachability_is_the_maximum_over_lengths_by_definition(matrix, max_length):
    D = hollow(matrix)
    assert (reachability(D, max_length=max_length) == hollow(lengths(D, max_length, max_min_product).max(axis=0))).all()


@given(STRENGTHS)
def test_all_lengths_are_the_default(matrix):
    D = hollow(matrix)
    for reach in ("max-min", "smooth", "noisy-or"):
        full = reachability(D, reach=reach, gamma=0.1, max_length=max(1, len(D) - 1))
        assert (reachability(D, reach=reach, gamma=0.1) == full).all()


@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 130, 300])
def test_the_closure_in_blocks_is_the_plain_floyd_warshall_scheme(n):
    D = soft_majority_edge(random_tournament(n, n), 0.05)
    path = D.copy()
    for via in range(n):
        np.maximum(path, np.minimum(path[:, [via]], path[[via]]), out=path)
    assert (widest_paths(D) == hollow(path)).all()


def test_powers_below_the_number_of_agents_are_those_of_the_definition():
    D = evidence_edge(random_tournament(40, 3))
    for max_length in (1, 2, 3, 5, 11):
        assert (widest_walks(D, max_length) == hollow(lengths(D, max_length, max_min_product).max(axis=0))).all()


@given(STRENGTHS, st.integers(1, 9))
def test_both_kernels_take_the_same_max_min_product(matrix, width):
    _, left = max_min.strength_codes(hollow(matrix))
    right = np.random.default_rng(width).integers(0, 5, (len(left), width)).astype(left.dtype)
    one, two = np.zeros((len(left), width), left.dtype), np.zeros((len(left), width), left.dtype)
    absorb(one, left, right)
    absorb_by_entry(two, left, right)
    assert (one == two).all()
    assert (one == max_min_product(left, right)).all()


@pytest.mark.skipif(find_spec("numba") is None, reason="numba is not installed")
def test_compiled_code_returns_the_same_closure():
    D = soft_majority_edge(random_tournament(150, 1), 0.05)
    plain = widest_paths(D)
    max_min.compiled()
    try:
        assert (widest_paths(D) == plain).all()
    finally:
        max_min.compiled.cache_clear()


@given(tournaments(max_size=5, margin=0.0), st.sampled_from([1e-4, 1e-3, 0.01, 0.05, 0.5, 5.0]), st.integers(1, 6))
def test_smooth_reachability_is_equations_7_to_10_taken_literally(P, gamma, max_length):
    D = soft_majority_edge(P, 0.05)

    def product(X, Y):
        pairs = np.stack(np.broadcast_arrays(X[:, :, None], Y[None]))
        return softmax(softmin(pairs, gamma, axis=0), gamma, axis=1)

    longest = max(1, min(max_length, len(D) - 1))
    expected = hollow(softmax(lengths(D, longest, product), gamma, axis=0))
    reached = reachability(D, reach="smooth", gamma=gamma, max_length=max_length)
    assert np.allclose(reached, expected, rtol=0, atol=1e-12)


def test_the_smooth_product_is_the_same_on_both_sides_of_the_overflow_guard():
    rng = np.random.default_rng(0)
    X, Y = rng.random((2, 20, 20))
    assert np.allclose(smooth_product(X, Y, 1 / 599), smooth_product(X, Y, 1 / 601), atol=1e-4)


def test_noisy_or_counts_independent_paths():
    D = np.zeros((4, 4))
    D[0, 1] = D[1, 3] = D[0, 2] = D[2, 3] = 0.5
    assert reachability(D, reach="noisy-or")[0, 3] == 1 - 0.75**2


def test_a_length_that_repeats_the_one_before_counts_for_all_that_are_left():
    D = hollow(np.full((30, 30), 1.0))
    R = reachability(D, reach="noisy-or")
    assert (R[~np.eye(30, dtype=bool)] == 1).all()


STRUCTURES = {
    "uniform": lambda n, rng: soft_majority_edge(complementary(rng.random((n, n))), 0.05),
    "ladder": lambda n, rng: soft_majority_edge(1 / (1 + np.exp(-np.subtract.outer(*2 * [rng.normal(0, 2, n)]))), 0.05),
    "grid": lambda n, rng: soft_majority_edge(complementary(rng.binomial(4, 0.5, (n, n)) / 4), 0.05),
    "evidence": lambda n, rng: evidence_edge(complementary(rng.random((n, n)))),
    "sparse": lambda n, rng: hollow(np.where(rng.random((n, n)) < 3 / n, rng.random((n, n)), 0)),
    "clusters": lambda n, rng: hollow(
        np.where(np.equal.outer(*2 * [rng.integers(0, 4, n)]), 1.0, 0.3) * rng.random((n, n))
    ),
    "ring": lambda n, rng: hollow(np.exp(-5 * (np.subtract.outer(*2 * [rng.random(n)]) % 1))),
    "chain": lambda n, rng: np.diag(rng.random(n - 1), 1) + np.diag(rng.random(n - 1), -1),
}


@pytest.mark.parametrize("structure", STRUCTURES)
def test_scores_at_zero_temperature_are_the_row_minima_of_the_closure_bit_for_bit(structure):
    rng = np.random.default_rng(7)
    for n in [2, 3, 4, 5, 6, 7, 8] * 8 + [90, 200]:
        D = STRUCTURES[structure](n, rng)
        minima = np.where(np.eye(n, dtype=bool), np.inf, widest_paths(D)).min(axis=1)
        assert widest_reach(D).tobytes() == minima.tobytes()


@given(STRENGTHS)
@settings(max_examples=300)
def test_scores_at_zero_temperature_are_right_with_ties_and_missing_edges(matrix):
    D = hollow(matrix)
    closure = np.where(np.eye(len(D), dtype=bool), np.inf, widest_paths(D)).min(axis=1)
    assert (widest_reach(D) == (closure if len(D) > 1 else 1)).all()


def test_scores_at_zero_temperature_are_the_limit_of_the_soft_ones():
    D = soft_majority_edge(random_tournament(25, 2), 0.1)
    assert np.allclose(soft_top_cycle(reachability(D), 1e-6), widest_reach(D), atol=1e-5)


@pytest.mark.parametrize("max_length", [0, -1, 1.5, True, "all"])
def test_a_length_below_one_is_refused(max_length):
    with pytest.raises(UsageError, match="`max_length` must be a whole number, 1 or more"):
        reachability(np.zeros((2, 2)), max_length=max_length)


def test_forms_and_temperatures_that_do_not_exist_are_refused():
    with pytest.raises(UsageError, match="`reach` must be one of max-min, smooth, noisy-or; got 'soft'"):
        reachability(np.zeros((2, 2)), reach="soft")
    with pytest.raises(UsageError, match="`gamma` must be given for the smooth form"):
        reachability(np.zeros((2, 2)), reach="smooth")
    with pytest.raises(UsageError, match="`gamma` must be a temperature above 0"):
        reachability(np.zeros((2, 2)), reach="smooth", gamma=0)


@pytest.mark.parametrize("whole", [True, False])
def test_blocks_and_the_whole_table_close_alike(whole, monkeypatch):
    rng = np.random.default_rng(5)
    strength = rng.integers(0, 50, (150, 150)) * (1.0 if whole else 0.01)
    at_once = max_min.widest_paths(strength)
    monkeypatch.setattr(max_min, "SMALL", 0)
    np.testing.assert_array_equal(max_min.widest_paths(strength), at_once)
