"""borda: worked by hand."""

import numpy as np

from beatpath import Ballots
from beatpath.methods.profile import profile_of

VOTES = Ballots.of([[[x] for x in vote] for vote in ("ABC", "ACB", "CAB", "BCA")], count=[1, 1, 2, 1])
from beatpath.methods.voting.borda import borda


def test_the_pentathlon_of_vase():
    assert borda(profile_of(VOTES)).score.tolist() == [6, 3, 6]


def test_points_are_rivals_below_with_ties_as_half():
    places = np.array([[0, 1, 1], [2, 0, 1]])
    votes = Ballots.of([[["A"], ["B", "C"]], [["B"], ["C"], ["A"]]])
    points = [(np.sign(row[None, :] - row[:, None]) + 1).sum(axis=1) / 2 - 0.5 for row in places]
    np.testing.assert_allclose(borda(profile_of(votes)).score, sum(points))
