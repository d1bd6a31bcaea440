"""Soft Top Cycle and Uncovered Set scores: the paper's examples, its theorems, and both computations of the cover."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from beatpath import UsageError
from beatpath.methods.soft_core.operators import (
    REACH,
    expansion,
    exponential_coefficients,
    reachability,
    soft_cover,
    soft_majority_edge,
    soft_top_cycle,
    soft_uncovered_set,
    soft_violation,
    softmax,
)
from helpers.tournaments import (
    CONDORCET,
    COVERED,
    CYCLE,
    H1,
    complementary,
    hard_top_cycle,
    hard_uncovered_set,
    random_tournament,
    tournaments,
)


def scores(P, temperature, reach="max-min"):
    D = soft_majority_edge(P, temperature)
    t = soft_top_cycle(reachability(D, reach=reach, gamma=temperature), temperature)
    return t, soft_uncovered_set(D, temperature)


def violation_by_definition(D, gamma):
    """Eq. (12), one pair at a time."""
    n = len(D)
    v = np.zeros((n, n))
    for c in range(n):
        for a in range(n):
            others = [b for b in range(n) if b not in (a, c)]
            if c != a and others:
                v[c, a] = softmax(D[a, others] * (1 - D[c, others]), gamma)
    return v


@pytest.mark.parametrize("reach", REACH)
@pytest.mark.parametrize(
    ("P", "top_cycle", "uncovered"),
    [(CYCLE, [1, 1, 1], [1, 1, 1]), (CONDORCET, [1, 0, 0, 0], [1, 0, 0, 0]), (COVERED, [1, 1, 1, 1], [1, 0, 1, 1])],
    ids=["B.1", "B.2", "B.3"],
)
def test_the_examples_of_the_paper_come_out_at_low_temperature(P, top_cycle, uncovered, reach):
    t, u = scores(P, 0.002, reach)
    assert np.allclose(t, top_cycle, atol=0.02)
    assert np.allclose(u, uncovered, atol=0.02)


def test_the_uncovered_scores_of_the_walkthrough_come_out_to_three_digits():
    D = soft_majority_edge(H1["P"], H1["temperature"])
    assert soft_uncovered_set(D, H1["temperature"]).round(3).tolist() == H1["u"]


@given(tournaments(), st.sampled_from(sorted(REACH)))
def test_scores_converge_to_the_hard_solutions_as_temperatures_fall(P, reach):
    """Theorem 5.11; the error is at most C exp(-delta / tau) + C gamma log n, eqs. (18) and (19)."""
    t, u = scores(P, 1e-4, reach)
    bound = 4 * len(P) * 1e-4 * np.log(len(P)) + 1e-9
    assert (np.abs(t - hard_top_cycle(P)) <= bound).all()
    assert (np.abs(u - hard_uncovered_set(P)) <= bound).all()


@given(tournaments(min_size=2), st.integers(0, 5), st.sampled_from(sorted(REACH)))
def test_a_condorcet_winner_has_the_highest_scores_alone(P, winner, reach):
    """Theorem 5.12."""
    winner %= len(P)
    P[winner] = np.maximum(P[winner], 1 - P[winner])
    P[:, winner] = 1 - P[winner]
    P[winner, winner] = 0.5
    for score in scores(P, 0.005, reach):
        assert score[winner] > np.delete(score, winner).max()


@given(tournaments(margin=0.0), st.randoms(use_true_random=False), st.sampled_from(sorted(REACH)))
def test_renaming_agents_renames_the_scores(P, random, reach):
    order = list(range(len(P)))
    random.shuffle(order)
    for score, renamed in zip(scores(P, 0.05, reach), scores(P[np.ix_(order, order)], 0.05, reach), strict=True):
        assert np.allclose(renamed, score[order], rtol=0, atol=1e-12)


@given(tournaments(margin=0.0), st.floats(0.001, 5), st.sampled_from(sorted(REACH)))
def test_scores_stay_within_zero_and_one(P, temperature, reach):
    for score in scores(P, temperature, reach):
        assert (score >= -1e-12).all()
        assert (score <= 1 + 1e-12).all()


def test_one_agent_is_the_core_and_of_two_the_better_one():
    assert [s.tolist() for s in scores(np.array([[0.5]]), 0.05)] == [[1.0], [1.0]]
    t, u = scores(np.array([[0.5, 0.7], [0.3, 0.5]]), 0.05)
    assert t.round(3).tolist() == u.round(3).tolist() == [0.982, 0.018]


@given(tournaments(margin=0.0), st.sampled_from([1e-4, 0.01, 0.05, 1.0]))
def test_the_violation_is_its_equation(P, gamma):
    D = soft_majority_edge(P, 0.05)
    assert np.allclose(soft_violation(D, gamma), violation_by_definition(D, gamma), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("tau", "gamma", "expanded"),
    [(0.05, 5.0, True), (0.05, 0.05, True), (0.05, 0.02, False), (0.01, 0.01, False), (0.002, 0.002, False)],
)
def test_matrix_products_and_exponentials_give_the_violation_to_one_part_in_a_hundred_million(tau, gamma, expanded):
    D = soft_majority_edge(random_tournament(130, 5), tau)
    assert (expansion(gamma, 1e-8 / (3 * gamma)) is not None) == expanded
    Z = D[None] * (1 - D)[:, None]  # c, a, b
    Z[:, np.arange(130), np.arange(130)] = -np.inf
    Z[np.arange(130), :, np.arange(130)] = -np.inf
    top = Z.max(axis=2)
    expected = top + gamma * np.log(np.exp((Z - top[:, :, None]) / gamma).sum(axis=2) / 128)
    np.fill_diagonal(expected, 0)
    assert np.abs(soft_violation(D, gamma) - expected).max() < 1e-8


@given(st.floats(0.05, 8), st.integers(3, 30))
def test_the_stated_error_of_an_expansion_bounds_its_error(B, terms):
    coefficients, error = exponential_coefficients(B, terms)
    u = np.random.default_rng(terms).uniform(-1, 1, 2000)
    series = sum(c * u**k for k, c in enumerate(coefficients))
    assert (np.abs(series * np.exp(-B * u) - 1) <= error).all()


def test_edges_of_exactly_nothing_and_everything_are_covered_as_the_definition_says():
    P = complementary((np.random.default_rng(3).random((120, 120)) < 0.5).astype(float))
    D = soft_majority_edge(P, 1e-3)
    beats = P > 0.5
    against = (beats[None] & ~beats[:, None]).astype(float)  # c, a, b
    for c in range(120):
        against[c, :, c] = 0
    covers = beats & ~against.any(axis=2)
    assert (np.abs(soft_cover(D, 1e-3) - covers) < 0.01).all()


@pytest.mark.parametrize("gamma", [0, -1, float("nan")])
def test_a_temperature_of_zero_is_refused(gamma):
    with pytest.raises(UsageError, match="`gamma` must be a temperature above 0"):
        soft_uncovered_set(np.zeros((3, 3)), gamma)
