"""Chances of pairs, against the least sums and determinants of a general optimizer."""

import numpy as np
import pytest
from scipy.optimize import minimize

from beatpath import UsageError
from beatpath.arena.policy import FLOOR, chances, fastest, optimal, require_policy
from beatpath.arena.standing import Goal
from beatpath.inference.anytime.stage import Stage
from helpers.arenas import anytime_board, played, rates


def without_floor(chance):
    return (chance - FLOOR / len(chance)) / (1 - FLOOR)


def best_shares(loss, m):
    """The shares of least loss, by a general optimizer."""
    log_shares = minimize(
        lambda x: loss(np.exp(x) / np.exp(x).sum()), np.zeros(m), method="BFGS", options={"gtol": 1e-9}
    ).x
    return np.exp(log_shares) / np.exp(log_shares).sum()


@pytest.mark.parametrize("seed", range(4))
def test_chances_bring_what_differences_lack_soonest(seed):
    rng = np.random.default_rng(seed)
    n = 4
    a, b = np.triu_indices(n, 1)
    p = rng.uniform(0.1, 0.9, len(a))
    missing = np.triu(rng.exponential(100.0, (n, n)) * (rng.random((n, n)) < 0.7), 1)
    missing[0, 1] = 50.0
    missing += missing.T
    weight = np.zeros((n, n, len(a)))
    for k, (i, j) in enumerate(zip(a, b, strict=True)):
        weight[i, :, k] += 1
        weight[j, :, k] -= 1
        weight[:, i, k] -= 1
        weight[:, j, k] += 1
    best = best_shares(lambda pi: np.log((missing[..., None] * weight**2 * p * (1 - p) / pi).sum()), len(a))
    np.testing.assert_allclose(without_floor(fastest(a, b, p, missing)), best, atol=2e-3)


@pytest.mark.parametrize("policy", ["a_optimal", "d_optimal"])
def test_designs_of_the_literature_are_optimal_for_strengths(policy):
    rng = np.random.default_rng(3)
    n = 4
    a, b = np.triu_indices(n, 1)
    p, counts = rng.uniform(0.2, 0.8, len(a)), np.full(len(a), 2.0)
    D = np.eye(n)[a] - np.eye(n)[b]

    def loss(pi):
        F = D.T @ np.diag((counts + counts.sum() * pi) * p * (1 - p)) @ D
        lived = np.linalg.eigvalsh(F)[1:]
        return -np.log(lived).sum() if policy == "d_optimal" else (1 / lived).sum()

    ours = loss(without_floor(optimal(policy, a, b, p, counts, n)))
    best, even = loss(best_shares(loss, len(a))), loss(np.full(len(a), 1 / len(a)))
    assert best <= ours + 1e-9
    assert ours - best < 0.05 * (even - best)


@pytest.mark.parametrize("policy", ["adaptive", "a_optimal", "d_optimal"])
def test_every_pair_keeps_its_floor_and_chances_add_up(policy):
    a, b = np.triu_indices(5, 1)
    *_, board = played(rates(np.linspace(1, -1, 5)), 1, 500, "uniform")
    probabilities = chances(policy, a, b, np.full(10, 0.5), np.full(10, 50.0), board, Goal.of("first", 5))
    assert probabilities.min() >= FLOOR / 10
    assert probabilities.sum() == pytest.approx(1)


def test_battles_go_to_those_between_whom_the_line_runs():
    a, b = np.triu_indices(6, 1)
    P = rates(np.array([1.5, 0.3, 0.2, -1.0, -1.2, -1.4]))
    *_, board = played(P, 1, 1000, "uniform")
    probabilities = chances("adaptive", a, b, P[a, b], np.full(15, 60.0), board, Goal.of("top 2", 6))
    assert {int(a[probabilities.argmax()]), int(b[probabilities.argmax()])} == {1, 2}


def test_before_the_first_battle_and_when_nothing_is_open_all_pairs_are_alike():
    a, b = np.triu_indices(3, 1)
    counts = np.array([400.0, 400.0, 400.0])
    won = np.array([360.0, 390.0, 360.0])
    stage = Stage(a, b, np.full(3, 1 / 3), np.full(3, 0.5), counts, won, won)
    for stages in ([], [stage]):
        board = anytime_board(("ada", "bob", "cyd"), stages)
        assert bool(stages) != Goal.of("ranking", 3).open_pairs(board).any()
        for policy in ("adaptive", "uniform", "d_optimal"):
            probabilities = chances(policy, a, b, np.full(3, 0.5), counts, board, Goal.of("ranking", 3))
            assert probabilities.tolist() == [1 / 3] * 3


def test_a_policy_that_does_not_exist_is_named():
    with pytest.raises(UsageError, match="Did you mean 'adaptive'"):
        require_policy("adaptve")
