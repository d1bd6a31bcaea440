"""A small set of items: it keeps the orders, is as small as can be on small tables, and its controls mean what they say."""

from itertools import combinations

import numpy as np
import pytest

from beatpath.inference.items.subset import chosen_items, kept, smallest_subset
from beatpath.stats.item_answers import Answers


def test_an_order_is_preserved_where_the_sum_of_differences_exceeds_the_margin():
    rng = np.random.default_rng(0)
    value = rng.normal(size=(5, 8))
    value[rng.random((5, 8)) < 0.2] = np.nan
    items = np.array([0, 2, 5, 6])
    for a in range(5):
        for b in range(5):
            d = [value[a, i] - value[b, i] for i in items if np.isfinite(value[a, i] - value[b, i])]
            assert kept(Answers(value), items, 1.0)[a, b] == (sum(d) > np.sqrt(sum(x * x for x in d)) + 1e-12)


@pytest.mark.parametrize("seed", range(40))
def test_the_choice_keeps_all_orders_with_few_more_items_than_needed(seed):
    rng = np.random.default_rng(seed)
    value = (rng.random((5, 10)) < np.linspace(0.9, 0.1, 5)[:, None]).astype(float)
    answers, every = Answers(value), np.arange(10)
    above = kept(answers, every, 1.0)
    chosen = chosen_items(answers, above, 1.0)
    assert (kept(answers, chosen, 1.0) | ~above).all()
    sizes = (
        k
        for k in range(11)
        for some in combinations(every, k)
        if (kept(answers, np.array(some, int), 1.0) | ~above).all()
    )
    assert len(chosen) <= next(sizes) + 3
    for item in chosen:  # none of them can go
        assert not (kept(answers, chosen[chosen != item], 1.0) | ~above).all()


def test_orders_that_the_items_do_not_have_are_preserved_by_no_choice():
    value = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    assert chosen_items(Answers(value), np.array([[False, False], [True, False]]), 1.5) is None


def test_the_choice_is_better_than_random_items_for_other_agents_where_few_items_count():
    rng = np.random.default_rng(1)
    value = (rng.random((24, 200)) < 0.5).astype(float)  # most items are coins
    lead = np.linspace(3, -3, 24)[:, None] - rng.normal(size=40)
    value[:, :40] = rng.random((24, 40)) < 1 / (1 + np.exp(-lead))
    answers = Answers(value)
    above = np.triu(np.ones((24, 24), bool), 6)
    subset = smallest_subset(answers, above, tuple(map(str, range(200))), 0.95, rng)
    assert subset.held_out > subset.random + 0.1
    assert subset.shuffled == 0
    assert np.mean([int(name) < 40 for name in subset.items]) > 0.6


def test_without_certain_orders_there_is_no_subset():
    assert (
        smallest_subset(Answers(np.eye(3)), np.zeros((3, 3), bool), ("a", "b", "c"), 0.95, np.random.default_rng(0))
        is None
    )
