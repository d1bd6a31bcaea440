"""Sums over subsets and orders, each written out."""

from itertools import combinations, permutations

import numpy as np
import pytest

from beatpath.inference.core.worlds.planted_cores import (
    log_orders,
    members,
    sampled_log_orders,
    subset_sums,
    subsets_by_size,
)


@pytest.mark.parametrize("t", [1, 2, 5])
def test_every_subset_has_the_sum_of_its_columns(t):
    table = np.random.default_rng(t).normal(size=(3, t))
    sums = subset_sums(table)
    for number in range(2**t):
        inside = [bit for bit in range(t) if number >> bit & 1]
        np.testing.assert_allclose(sums[number], table[:, inside].sum(axis=1), atol=1e-12)
        assert np.flatnonzero(members(t)[number]).tolist() == inside


@pytest.mark.parametrize("t", [1, 3, 5])
def test_subsets_stand_by_size_with_all_they_become_without_a_member(t):
    for k, (subset, inside, without) in enumerate(subsets_by_size(t), start=1):
        expected = {sum(1 << i for i in some): some for some in combinations(range(t), k)}
        assert sorted(expected) == subset.tolist()
        for number, who, rest in zip(subset.tolist(), inside.tolist(), without.tolist(), strict=True):
            assert tuple(who) == expected[number]
            assert rest == [number - (1 << i) for i in who]


def all_orders(above):
    orders = permutations(range(len(above)))
    return np.log(sum(np.exp(sum(above[a, b] for a, b in combinations(order, 2))) for order in orders))


def test_the_orders_of_a_subset_are_summed():
    above = np.random.default_rng(1).normal(size=(5, 5))
    np.fill_diagonal(above, 0.0)
    orders = log_orders(above)
    for subset in (0b11111, 0b01101, 0b10000):
        some = np.flatnonzero(members(5)[subset])
        assert orders[subset] == pytest.approx(all_orders(above[np.ix_(some, some)]))


def test_sampled_orders_come_near_the_sum():
    above = np.random.default_rng(0).normal(size=(8, 8)) * 0.5
    np.fill_diagonal(above, 0.0)
    assert sampled_log_orders(above, particles=2000) == pytest.approx(float(log_orders(above)[-1]), abs=0.05)
