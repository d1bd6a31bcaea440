"""Votes held out: none in both halves, no agent untried."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import beatpath as bp


@given(st.integers(0, 1000), st.integers(1, 6))
def test_what_is_held_out_and_what_is_left_are_all_there_is_and_every_agent_stays(seed, n):
    rng = np.random.default_rng(seed)
    a = rng.integers(4, size=30)
    b = (a + rng.integers(1, 4, size=30)) % 4
    battles = bp.Battles(tuple("abcd"), a, b, rng.integers(0, 2, size=30).astype(float))
    train, test = bp.robustness.hold_out(battles, n, seed=seed)
    rows = [sorted(zip(x.a.tolist(), x.b.tolist(), x.outcome.tolist(), strict=True)) for x in (battles, train, test)]
    assert sorted(rows[1] + rows[2]) == rows[0]
    assert len(test) == n
    assert set(test.a.tolist()) | set(test.b.tolist()) <= set(train.a.tolist()) | set(train.b.tolist())
    again = bp.robustness.hold_out(battles, n, seed=seed)[1]
    np.testing.assert_array_equal(again.a, test.a)


def test_an_agent_with_a_single_vote_cannot_be_held_out():
    battles = bp.Battles.of([("a", "b", 1), ("b", "c", 1)])
    with pytest.raises(bp.DataError, match="every agent held out must stay"):
        bp.robustness.hold_out(battles, 1, seed=0)
    with pytest.raises(bp.UsageError, match="`n` must be from 1 to 1"):
        bp.robustness.hold_out(battles, 2, seed=0)


def test_votes_beyond_number_are_split_without_a_list_of_them():
    votes = bp.Ballots.of(["abc", "bca", "cab"], count=[10**15, 10**15, 2])
    train, test = bp.robustness.hold_out(votes, 1000, seed=1)
    assert test.count.sum() == 1000
    assert train.count.sum() + 1000 == votes.count.sum()
    assert 400 < test.count[0] < 600  # half of them, by more than six standard errors
