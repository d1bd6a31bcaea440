"""Sums over subsets, each written out."""

from itertools import combinations

import numpy as np
import pytest

from beatpath.inference.core.subset_sums import members, subset_sums, subsets_by_size


@pytest.mark.parametrize("t", [1, 2, 5])
def test_every_subset_has_the_sum_of_its_columns(t):
    table = np.random.default_rng(t).normal(size=(3, t))
    found = subset_sums(table)
    for number in range(2**t):
        inside = [bit for bit in range(t) if number >> bit & 1]
        np.testing.assert_allclose(found[number], table[:, inside].sum(axis=1), atol=1e-12)
        assert np.flatnonzero(members(t)[number]).tolist() == inside


@pytest.mark.parametrize("t", [1, 3, 5])
def test_subsets_stand_by_size_with_all_they_become_without_a_member(t):
    for k, (subset, inside, without) in enumerate(subsets_by_size(t), start=1):
        expected = {sum(1 << i for i in some): some for some in combinations(range(t), k)}
        assert sorted(expected) == subset.tolist()
        for number, who, rest in zip(subset.tolist(), inside.tolist(), without.tolist(), strict=True):
            assert tuple(who) == expected[number]
            assert rest == [number - (1 << i) for i in who]
