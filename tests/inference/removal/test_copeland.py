"""Fewest ballots, by trying every set."""

from itertools import combinations

from hypothesis import assume, given, settings
from hypothesis import strategies as st

import beatpath as bp
from beatpath import Ballots
from beatpath.inference.removal import search
from beatpath.inference.removal.smallest_influential_set import smallest_influential_set


@given(data=st.data())
@settings(max_examples=25)
def test_fewest_ballots_for_borda_and_copeland_are_those_of_trying_every_set(data):
    votes = [[[x] for x in data.draw(st.permutations("xyz"))] for _ in range(data.draw(st.integers(2, 7)))]
    method = data.draw(st.sampled_from(["borda", "copeland"]))
    up, down = data.draw(st.permutations("xyz"))[:2]
    whole = bp.rank(Ballots.of(votes), method)
    assume(whole.rank(up) >= whole.rank(down))
    truth = None
    for size in range(1, len(votes)):
        for some in combinations(range(len(votes)), size):
            left = bp.rank(Ballots.of([v for i, v in enumerate(votes) if i not in some], agents=tuple("xyz")), method)
            if truth is None and left.rank(up) < left.rank(down):
                truth = size
    removal = smallest_influential_set(Ballots.of(votes), method, above=up, below=down)
    assert (removal.unit, removal.needed, removal.exact) == ("ballot", truth, True)
    assert removal.verified == (truth is not None)


def test_a_number_is_called_fewest_only_where_every_rival_was_tried(monkeypatch):
    votes = [[["x"], ["y"], ["z"]]] * 6 + [[["y"], ["z"], ["x"]]] * 2 + [[["z"], ["y"], ["x"]]]
    results = []
    for tried in (2, 1):  # of the rivals of the first
        monkeypatch.setattr(search, "PROVEN", tried)
        removal = smallest_influential_set(Ballots.of(votes), "copeland")
        results.append((removal.needed, removal.at_least, removal.exact))
    assert results == [(3, 3, True), (3, 1, False)]
