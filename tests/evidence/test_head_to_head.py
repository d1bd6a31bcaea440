"""Two implementations from ballots to pairs: all pairs on a table of places, and lists of the pairs that a ballot ranks."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from beatpath import Ballots
from beatpath.evidence.head_to_head import head_to_head
from helpers.strategies import ballots


def both_implementations(b, unranked):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Ballots, "fits_dense_table", lambda self: True)
        table = b.pairs(unranked=unranked)
        patch.setattr(Ballots, "fits_dense_table", lambda self: False)
        return table, b.pairs(unranked=unranked)


def same(one, other):
    for name in ("a", "b", "counts", "battles"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert one.weighted == other.weighted
    if one.weighted:
        np.testing.assert_array_equal(one.squares, other.squares)
    assert [str(c) for c in one.conventions] == [str(c) for c in other.conventions]


@given(ballots(), st.sampled_from(["ignore", "last"]), st.booleans(), st.data())
def test_the_table_counts_what_the_lists_count(b, unranked, weighted, data):
    n = len(b)
    count = data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    weight = data.draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=n, max_size=n))
    b = replace(b, count=np.array(count), weight=np.array(weight) if weighted else None)
    same(*both_implementations(b, unranked))


@pytest.mark.parametrize(("n_ballots", "n_agents"), [(0, 3), (1, 1), (2050, 5), (300, 9), (6, 300)])
@pytest.mark.parametrize("share", [1.0, 0.6])
def test_implementations_agree_over_many_ballots_and_agents(n_ballots, n_agents, share):
    rng = np.random.default_rng(n_ballots)
    ranked = rng.random((n_ballots, n_agents)) < share
    _, agent = np.nonzero(ranked)
    place = rng.integers(0, n_agents, len(agent))
    start = np.append(0, np.cumsum(ranked.sum(axis=1)))
    names = tuple(f"{i:03d}" for i in range(n_agents))
    same(*both_implementations(Ballots(names, agent, place, start), "ignore"))
    count = rng.integers(0, 50, n_ballots)  # too many kinds to count one by one
    same(*both_implementations(Ballots(names, agent, place, start, count=count), "ignore"))


def test_weights_of_any_kind_add_up():
    rng = np.random.default_rng(1)
    places = np.argsort(rng.random((100, 6)), axis=1).astype(np.int32)
    weight = rng.random((100, 1))
    wins, ties = head_to_head(places, weight)
    expected = np.einsum("v,vab->ab", weight[:, 0], places[:, :, None] < places[:, None, :])
    np.testing.assert_allclose(wins[0], expected)
    assert not ties.any()
