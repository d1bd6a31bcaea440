"""Counts added up are the counts of all."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from beatpath import Battles, DataError, Factor, Pairs
from beatpath.evidence.select import added
from beatpath.results import Reading
from helpers.strategies import battles


def cells(pairs):
    """Everything in the cells, by names."""
    keys = {name: factor.names() for name, factor in sorted(pairs.keys.items())}
    squares = pairs.counts if pairs.squares is None else pairs.squares
    soft = np.zeros(len(pairs)) if pairs.soft is None else pairs.soft
    return {
        (pairs.agents[a], pairs.agents[b], *(names[i] for names in keys.values())): [
            *pairs.counts[i].tolist(),
            *squares[i].tolist(),
            soft[i],
            pairs.battles[i],
        ]
        for i, (a, b) in enumerate(zip(pairs.a, pairs.b, strict=True))
    }


@given(battles(weighted=True), st.lists(st.integers(0, 25), max_size=3), st.sampled_from([(), ("cluster",)]))
def test_counting_in_chunks_is_counting_whole(whole, cuts, by):
    edges = [0, *sorted(min(cut, len(whole)) for cut in cuts), len(whole)]
    parts = [whole.take(np.arange(low, high)).pairs(by) for low, high in pairwise(edges)]
    together, expected = cells(added(parts)), cells(whole.pairs(by))
    assert together.keys() == expected.keys()
    for key, values in expected.items():
        np.testing.assert_allclose(together[key], values, rtol=1e-12)


def test_agents_and_clusters_may_be_new_in_any_batch():
    monday = Battles.of([("ada", "bob", 1)], factors={"cluster": Factor.of(["m"])}).pairs(["cluster"])
    tuesday = Battles.of([("zoe", "ada", 0.75), ("bob", "ada", 0)], factors={"cluster": Factor.of(["t", None])})
    combined = added([monday, tuesday.pairs(["cluster"])])
    assert combined.agents == ("ada", "bob", "zoe")
    assert {key: values[:4] for key, values in cells(combined).items()} == {
        ("ada", "bob", "m"): [1, 0, 0, 0],
        ("ada", "bob", None): [1, 0, 0, 0],
        ("ada", "zoe", "t"): [0.25, 0.75, 0, 0],
    }
    assert combined.soft.sum() == 0.75 * 0.25


def test_accounts_are_added_up_too():
    rows = [("x", "y", 1)]
    one = Reading(("a.csv",), "table", 3, 1, {"no agent": 2}, {"agent_a": "left"}, notes=("n",))
    two = Reading(("b.csv",), "table", 2, 1, {"no agent": 1}, {"agent_a": "right"}, notes=("n",))
    combined = added([Battles.of(rows, reading=one).pairs(), Battles.of(rows, reading=two).pairs()]).reading
    assert combined == Reading(("a.csv", "b.csv"), "table", 5, 2, {"no agent": 3}, {}, notes=("n",))


def test_counts_of_different_making_are_not_added_up():
    pairs = Battles.of([("x", "y", 0.5)], factors={"task": Factor.of(["t"])}).pairs(["task"])
    with pytest.raises(DataError, match=r"split by the same keys; got 'task' and none"):
        added([pairs, pairs.by()])
    with pytest.raises(DataError, match="ties is half in one and drop in another"):
        added([pairs.settle(ties="half"), pairs.settle(ties="drop")])
    with pytest.raises(DataError, match="ties must be settled in all"):
        added([pairs, pairs.settle()])
    with pytest.raises(DataError, match="there are none"):
        added([])
    assert added([pairs.settle(), pairs.settle()]).conventions[1].affected == 2


def test_an_empty_chunk_changes_nothing():
    pairs = Pairs(("x", "y"), [0], [1], [[2, 1, 0, 0]])
    empty = Pairs((), [], [], np.empty((0, 4)))
    assert added([empty, pairs]).counts.tolist() == [[2, 1, 0, 0]]
    assert added([empty, pairs.settle()]).conventions == pairs.settle().conventions
