"""Sums over subsets and orders against all of them."""

import itertools

import numpy as np
import pytest

from beatpath.inference.core.subset_sums import log_orders, members, sampled_log_orders, subset_sums, subsets_by_size


def all_orders(above):
    orders = itertools.permutations(range(len(above)))
    return np.log(sum(np.exp(sum(above[a, b] for a, b in itertools.combinations(order, 2))) for order in orders))


def test_sums_are_those_of_the_members():
    table = np.random.default_rng(0).normal(size=(3, 4))
    np.testing.assert_allclose(subset_sums(table), members(4) @ table.T)


def test_every_subset_stands_in_the_layer_of_its_size():
    layers = subsets_by_size(4)
    assert sorted(np.concatenate([subset for subset, _, _ in layers]).tolist()) == list(range(1, 16))
    for k, (subset, inside, without) in enumerate(layers, 1):
        assert (members(4)[subset].sum(axis=1) == k).all()
        assert (without == subset[:, None] - (1 << inside)).all()


def test_the_orders_of_a_subset_are_summed():
    above = np.random.default_rng(1).normal(size=(5, 5))
    np.fill_diagonal(above, 0.0)
    found = log_orders(above)
    for subset in (0b11111, 0b01101, 0b10000):
        some = np.flatnonzero(members(5)[subset])
        assert found[subset] == pytest.approx(all_orders(above[np.ix_(some, some)]))


def test_sampled_orders_come_near_the_sum():
    above = np.random.default_rng(0).normal(size=(8, 8)) * 0.5
    np.fill_diagonal(above, 0.0)
    assert sampled_log_orders(above, particles=2000) == pytest.approx(float(log_orders(above)[-1]), abs=0.05)
