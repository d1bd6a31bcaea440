"""Chances of pairs, against the least sum of variances found by a general optimiser."""

import numpy as np
import pytest
from scipy.optimize import minimize

from beatpath import UsageError
from beatpath.arena.policy import FLOOR, chances, require_policy


@pytest.mark.parametrize("seed", range(4))
def test_chances_make_the_open_differences_as_sure_as_can_be(seed):
    rng = np.random.default_rng(seed)
    n = 4
    a, b = np.triu_indices(n, 1)
    p = rng.uniform(0.1, 0.9, len(a))
    matters = np.triu(rng.random((n, n)) < 0.5, 1)
    matters[0, 1] = True
    matters |= matters.T
    weight = np.zeros((n, n, len(a)))
    for k, (i, j) in enumerate(zip(a, b, strict=True)):
        weight[i, :, k] += 1
        weight[j, :, k] -= 1
        weight[:, i, k] -= 1
        weight[:, j, k] += 1

    def loss(log_pi):
        pi = np.exp(log_pi) / np.exp(log_pi).sum()
        return (weight[matters] ** 2 @ (p * (1 - p) / pi)).sum()

    best = minimize(loss, np.zeros(len(a)), method="BFGS", options={"gtol": 1e-9}).x
    pure = (chances("adaptive", a, b, p, matters) - FLOOR / len(a)) / (1 - FLOOR)
    used = pure > 0
    np.testing.assert_allclose(pure[used], (np.exp(best) / np.exp(best).sum())[used], atol=2e-3)


def test_every_pair_keeps_its_floor_and_chances_add_up():
    a, b = np.triu_indices(5, 1)
    left = np.zeros((5, 5), dtype=bool)
    left[0, 1] = left[1, 0] = True
    found = chances("adaptive", a, b, np.full(10, 0.5), left)
    assert found.min() >= FLOOR / 10
    assert found.sum() == pytest.approx(1)


def test_when_nothing_is_open_all_pairs_are_alike():
    a, b = np.triu_indices(3, 1)
    assert chances("adaptive", a, b, np.full(3, 0.5), np.zeros((3, 3), dtype=bool)).tolist() == [1 / 3] * 3


def test_a_policy_that_does_not_exist_is_named():
    with pytest.raises(UsageError, match="Did you mean 'adaptive'"):
        require_policy("adaptve")
