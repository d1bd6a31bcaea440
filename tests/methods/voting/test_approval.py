"""approval: worked by hand."""

from beatpath import Ballots
from beatpath.methods.profile import profile_of

VOTES = Ballots.of([[[x] for x in vote] for vote in ("ABC", "ACB", "CAB", "BCA")], count=[1, 1, 2, 1])
from beatpath.methods.voting.scoring import approval


def test_the_pentathlon_of_vase():
    assert approval(profile_of(VOTES)).score.tolist() == [5, 5, 5]


def test_two_approved_places_count_who_stands_on_them():
    assert approval(profile_of(VOTES), k=2).score.tolist() == [4, 2, 4]
