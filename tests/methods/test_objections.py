"""Objections to the first k: counted voter by voter, and who is refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import beatpath as bp
from beatpath import Ballots, Battles, Scores
from helpers.strategies import ballots


@settings(max_examples=80, deadline=None)
@given(b=ballots(), data=st.data())
def test_a_share_is_that_of_the_voters_who_prefer_the_agent_to_all_of_the_first(b, data):
    if len(b.agents) < 2 or not b.count.sum():
        return
    order = data.draw(st.permutations(b.agents))
    k = data.draw(st.integers(1, len(order) - 1))
    shares = bp.metrics.objections(b, order, k)
    assert set(shares) == set(order[k:])
    for agent in order[k:]:
        voters = 0
        for vote, n in zip(b, b.count.tolist(), strict=True):
            place = {name: i for i, group in enumerate(vote) for name in group}
            rivals = [place[name] for name in order[:k] if name in place]
            voters += n * (agent in place and bool(rivals) and place[agent] < min(rivals, default=0))
        assert shares[agent] == pytest.approx(voters / b.count.sum())
    assert list(shares.values()) == sorted(shares.values(), reverse=True)


def test_the_elected_of_stv_leave_no_objection_where_the_first_by_majorities_do():
    """Sixty voters of one mind and forty of another: the first three by majorities all belong to the sixty."""
    votes = Ballots.of(["ABCDEF", "DEFCBA"], count=[60, 40])
    copeland, stv = bp.rank(votes, "copeland"), bp.rank(votes, "stv", k=3)
    assert max(bp.metrics.objections(votes, copeland, 3).values()) == pytest.approx(0.4)
    elected = stv.details["elected"]
    rest = [name for name in votes.agents if name not in elected]
    assert max(bp.metrics.objections(votes, [elected, rest], 3).values()) <= 1 / 3


def test_tasks_of_a_table_are_voters():
    scores = Scores.from_table([[3.0, 1.0, 1.0], [2.0, 2.0, 2.0]], ["ada", "bob"], ["math", "code", "prose"])
    assert bp.metrics.objections(scores, ["ada", "bob"], 1) == {"bob": pytest.approx(2 / 3)}


def test_what_cannot_be_is_refused():
    votes = Ballots.of(["ABC"])
    with pytest.raises(bp.DataError, match="Battles name no voters"):
        bp.metrics.objections(Battles.of([("A", "B", 1)]), ["A", "B"], 1)
    with pytest.raises(bp.UsageError, match=r"agents tie across place 1\. Choose one of 2"):
        bp.metrics.objections(votes, [["A", "B"], "C"], 1)
    with pytest.raises(bp.UsageError, match="from 1 to 2"):
        bp.metrics.objections(votes, ["A", "B", "C"], 3)
    with pytest.raises(bp.UsageError, match="'C' is in one and not in the other"):
        bp.metrics.objections(votes, ["A", "B"], 1)
    with pytest.raises(bp.DataError, match="voters who weigh something"):
        bp.metrics.objections(Ballots.of(["AB"], weight=np.zeros(1)), ["A", "B"], 1)
