from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from beatpath.inference.ranking.rank import rank
from beatpath.methods.game.zero_sum import maximal_lottery_equilibrium, symmetric_equilibrium
from beatpath.methods.graph.relation import dominance_blocks
from beatpath.methods.profile import profile_of
from beatpath.methods.voting.lotteries import maximal_lottery
from helpers.game_cases import VASE, games, most_entropy, named, skew


def lottery(matrix):
    return maximal_lottery(profile_of(named(matrix)))


def test_the_pentathlon_chooses_c_for_certain():
    outcome = lottery(VASE["pentathlon"]["margins"])
    assert outcome.score.tolist() == VASE["pentathlon"]["lottery"]
    assert outcome.level.tolist() == [1, 1, 0]


def test_figure_12_comes_out_as_printed():
    outcome = lottery(VASE["figure_12"]["margins"])
    np.testing.assert_allclose(outcome.score, VASE["figure_12"]["lottery"], atol=5e-5)
    np.testing.assert_allclose(outcome.score[[0, 2, 5]], [1 / 12, 1 / 12, 10 / 12], atol=1e-14)
    assert outcome.details["unique"]
    assert outcome.level.tolist() == [1, 2, 1, 2, 2, 0, 2, 2, 2]


@settings(deadline=None)
@given(games())
def test_the_certificate_holds_no_agent_is_preferred_to_the_lottery(M):
    outcome = lottery(M)
    p = outcome.score
    assert p.min() >= 0
    assert abs(p.sum() - 1) < 1e-12
    assert (p @ M).min() >= -1e-11
    assert outcome.details["certificate"] <= 0
    assert outcome.details["support"] == [f"agent{a:03d}" for a in np.flatnonzero(p > 0)]


@settings(deadline=None, max_examples=60)
@given(games(max_agents=5, largest=2))
def test_agrees_with_mixing_all_vertices_for_the_most_entropy(M):
    slow, count = most_entropy(M)
    outcome = lottery(M)
    np.testing.assert_allclose(outcome.score, slow, atol=1e-6)
    assert outcome.details["unique"] == (count == 1)
    p = outcome.score[outcome.score > 0]
    q = slow[slow > 1e-12]
    assert -(p * np.log(p)).sum() >= -(q * np.log(q)).sum() - 1e-12


@pytest.mark.parametrize("seed", range(12))
def test_no_mixture_of_maximal_lotteries_raises_the_entropy_of_larger_games(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(10, 60))
    M = skew(rng.integers(-1, 2, (n, n)) * (rng.random((n, n)) < rng.choice([0.2, 1.0])))
    p = maximal_lottery_equilibrium(M).row
    assert (p @ M).min() >= -1e-12
    S = p > 0
    slope = -np.log(p[S]) - 1
    equal = {"A_eq": np.ones((1, S.sum())), "b_eq": [1.0], "method": "highs"}
    uphill = linprog(-slope, A_ub=-M[S].T, b_ub=np.full(n, 1e-12), **equal)
    assert -uphill.fun - slope @ p[S] < 1e-6
    equal["A_eq"] = np.ones((1, n))
    outside = linprog(-(~S).astype(float), A_ub=-M.T, b_ub=np.full(n, 1e-12), **equal)
    assert -outside.fun < 1e-7


@settings(deadline=None)
@given(games(max_agents=6))
def test_the_blocks_are_smallest_sets_that_beat_all_the_rest(M):
    n = len(M)
    blocks = dominance_blocks(M)
    left = set(range(n))
    for block in blocks:
        sets = [set(c) for size in range(1, len(left) + 1) for c in combinations(sorted(left), size)]
        by_definition = next(c for c in sets if all(M[a, b] > 0 for a in c for b in left - c))
        assert set(block.tolist()) == by_definition
        left -= by_definition
    assert not left


@settings(deadline=None)
@given(games())
def test_a_condorcet_winner_gets_everything(M):
    wins = (M > 0).sum(axis=1)
    if len(M) - 1 in wins:
        assert lottery(M).score.tolist() == (wins == len(M) - 1).astype(float).tolist()


@settings(deadline=None)
@given(games(max_agents=5), st.data())
def test_clones_share_equally_and_leave_the_rest_alone(M, data):
    twin = data.draw(st.integers(0, len(M) - 1))
    index = [*range(len(M)), twin, twin]
    p, q = maximal_lottery_equilibrium(M).row, maximal_lottery_equilibrium(M[np.ix_(index, index)]).row
    clones = q[[twin, len(M), len(M) + 1]]
    np.testing.assert_allclose(clones, clones.mean(), atol=1e-12)
    if lottery(M).details["unique"]:
        others = np.arange(len(M)) != twin
        np.testing.assert_allclose(q[: len(M)][others], p[others], atol=1e-9)
        assert abs(clones.sum() - p[twin]) < 1e-9


@settings(deadline=None)
@given(games(), st.sampled_from([1e-9, 0.37, 1e12]), st.randoms())
def test_neither_scale_nor_names_matter(M, factor, random):
    p = maximal_lottery_equilibrium(M).row
    np.testing.assert_allclose(maximal_lottery_equilibrium(M * factor).row, p, atol=1e-10)
    order = random.sample(range(len(M)), len(M))
    np.testing.assert_allclose(maximal_lottery_equilibrium(M[np.ix_(order, order)]).row, p[order], atol=1e-9)


def test_rock_paper_scissors_and_no_margins_at_all_are_uniform():
    np.testing.assert_allclose(lottery([[0, -1, 1], [1, 0, -1], [-1, 1, 0]]).score, np.full(3, 1 / 3), atol=1e-15)
    outcome = lottery(np.zeros((7, 7)))
    np.testing.assert_array_equal(outcome.score, np.full(7, 1 / 7))
    assert not outcome.details["unique"]
    assert outcome.details["entropy"] == pytest.approx(np.log(7))
    assert lottery(np.zeros((1, 1))).score.tolist() == [1.0]


@pytest.mark.parametrize("name", ["rps", "5_3_blotto", "5_4_blotto", "10_3_blotto", "kuhn_poker"])
def test_real_payoff_matrices_are_solved_to_rounding(shared, name):
    path = shared / "game_payoff_matrices" / f"{name}.npz"
    if not path.exists():
        pytest.skip("the payoff matrices are absent")
    M = np.load(path)["payoff"]
    equilibrium = symmetric_equilibrium(M)
    assert equilibrium.certificate > -1e-12
    if name == "rps":
        np.testing.assert_allclose(equilibrium.row, np.full(3, 1 / 3), atol=1e-12)
    n = len(M)
    outside = linprog(
        -(equilibrium.row == 0).astype(float),
        A_ub=-M.T,
        b_ub=np.full(n, 1e-12),
        A_eq=np.ones((1, n)),
        b_eq=[1.0],
        method="highs",
    )
    assert -outside.fun < 1e-6


def test_large_games_keep_their_certificate():
    rng = np.random.default_rng(5)
    strength, turn = rng.normal(size=600), rng.normal(size=(600, 4))
    M = skew(np.subtract.outer(strength, strength) + turn[:, :2] @ turn[:, 2:].T - turn[:, 2:] @ turn[:, :2].T)
    for matrix in (M, np.sign(M)):
        p = maximal_lottery_equilibrium(matrix).row
        assert (p @ matrix).min() > -1e-12 * np.abs(matrix).max()


def test_rank_finds_the_rule_by_its_key():
    assert rank(named(VASE["pentathlon"]["margins"]), "maximal_lottery").winners == ("agent002",)
