"""minimax: worked by hand."""

import numpy as np

from beatpath import Ballots, Margins
from beatpath.methods.profile import profile_of

VOTES = Ballots.of([[[x] for x in vote] for vote in ("ABC", "ACB", "CAB", "BCA")], count=[1, 1, 2, 1])
from beatpath.methods.voting.pairwise import minimax


def test_the_pentathlon_of_vase():
    assert minimax(profile_of(VOTES)).score.tolist() == [-1, -3, 0]


def test_the_smallest_worst_defeat_wins_in_a_cycle():
    wins = np.array([[0, 6, 1], [3, 0, 7], [8, 2, 0]])
    profile = profile_of(Margins.from_wins(wins, ["A", "B", "C"]))
    worst = [max(0, *(wins[b, a] - wins[a, b] for b in range(3))) for a in range(3)]
    assert minimax(profile).score.tolist() == [-x for x in worst]
