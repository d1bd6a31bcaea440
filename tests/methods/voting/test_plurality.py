"""plurality: worked by hand."""

from beatpath import Ballots
from beatpath.methods.profile import profile_of

VOTES = Ballots.of([[[x] for x in vote] for vote in ("ABC", "ACB", "CAB", "BCA")], count=[1, 1, 2, 1])
from beatpath.methods.voting.scoring import plurality


def test_the_pentathlon_of_vase():
    assert plurality(profile_of(VOTES)).score.tolist() == [2, 1, 2]


def test_agents_tied_first_share_the_vote():
    shared = Ballots.of([[["A", "B"], ["C"]], [["C"], ["A"]]])
    assert plurality(profile_of(shared)).score.tolist() == [0.5, 0.5, 1]
