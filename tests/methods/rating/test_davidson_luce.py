"""The likelihood of ballots with ties, by listing what could have been chosen."""

from itertools import combinations

import numpy as np
import pytest

from beatpath import Ballots
from beatpath.methods.rating.plackett_luce import davidson_luce


def by_definition(votes, x, n, sizes):
    """Each choice against all sets of the agents left: worth is the geometric mean, times delta of the size."""
    delta = {1: 1.0, **{size: np.exp(x[n + k]) for k, size in enumerate(sizes[1:])}}

    def worth(group):
        return delta[len(group)] * np.exp(np.mean([x[i] for i in group]))

    total = 0.0
    for vote in votes:
        left = [i for group in vote for i in group]
        for group in vote:
            if len(left) > 1:
                rivals = [s for size in sizes for s in combinations(left, size)]
                total += np.log(worth(group) / sum(map(worth, rivals)))
            left = [i for i in left if i not in group]
    return total


def test_value_and_gradient_are_those_of_the_definition():
    votes = [[(0,), (1, 2), (3,)], [(3,), (0,), (2,), (1,)], [(1, 3), (0,), (2,)]]
    model = davidson_luce(Ballots.of([[["abcd"[i] for i in group] for group in vote] for vote in votes]))
    x = np.random.default_rng(0).normal(size=5)
    value, gradient = model.value_and_gradient(x)
    assert value == pytest.approx(by_definition(votes, x, 4, model.sizes))
    steps = 1e-6 * np.eye(5)
    slope = [
        (by_definition(votes, x + s, 4, model.sizes) - by_definition(votes, x - s, 4, model.sizes)) / 2e-6
        for s in steps
    ]
    np.testing.assert_allclose(gradient, slope, atol=1e-6)
