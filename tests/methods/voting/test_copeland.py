"""copeland: worked by hand."""

from beatpath import Ballots
from beatpath.methods.profile import profile_of

VOTES = Ballots.of([[[x] for x in vote] for vote in ("ABC", "ACB", "CAB", "BCA")], count=[1, 1, 2, 1])
from beatpath.methods.voting.pairwise import copeland


def test_the_pentathlon_of_vase():
    assert copeland(profile_of(VOTES)).score.tolist() == [1, 0, 2]
