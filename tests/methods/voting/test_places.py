"""Places: how many stand above each entry and beside it."""

from hypothesis import given
from hypothesis import strategies as st

from beatpath.methods.voting.scoring import places_of
from helpers.strategies import ballots


@given(ballots(), st.integers(1, 4))
def test_places_are_what_a_look_at_every_ballot_says(b, k):
    places = places_of(b, k)
    entries = []
    for vote in b:
        above = 0
        for place, group in enumerate(vote):
            if place < k:
                entries += [(name, above, len(group)) for name in sorted(group, key=b.agents.index)]
            above += len(group)
    assert [(b.agents[a], u, g) for a, u, g in zip(places.agent, places.above, places.tied, strict=True)] == entries
