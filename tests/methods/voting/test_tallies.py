"""First and last places among those left, against counting them ballot by ballot."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beatpath.methods.voting.runoff import Tallies
from helpers.strategies import ballots


@settings(max_examples=60, deadline=None)
@given(b=ballots(), data=st.data())
def test_a_ballot_is_shared_by_those_it_ranks_first_and_by_those_it_ranks_last(b, data):
    left = np.array(data.draw(st.lists(st.booleans(), min_size=len(b.agents), max_size=len(b.agents))), dtype=bool)
    remaining = {name for name, yes in zip(b.agents, left, strict=True) if yes}
    first, last = dict.fromkeys(b.agents, 0.0), dict.fromkeys(b.agents, 0.0)
    for vote, n in zip(b, b.count.tolist(), strict=True):
        groups = [here for group in vote if (here := [name for name in group if name in remaining])]
        for name in groups[0] if groups else []:
            first[name] += n / len(groups[0])
        for name in groups[-1] if len(groups) > 1 else []:
            last[name] += n / len(groups[-1])
    votes = Tallies.of(b)
    assert votes.firsts(left).tolist() == pytest.approx(list(first.values()))
    assert votes.lasts(left).tolist() == pytest.approx(list(last.values()))
