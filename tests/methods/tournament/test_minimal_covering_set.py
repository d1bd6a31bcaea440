"""The minimal covering set, by hand; laws over all solutions stand in test_sets."""

from beatpath import Margins
from beatpath.methods.tournament.solutions import minimal_covering_set


def test_a_cycle_of_three_is_separated_from_a_fourth():
    margins = Margins.from_wins([[0, 1, 0, 1], [0, 0, 1, 1], [1, 0, 0, 1], [0, 0, 0, 0]], ["ada", "bob", "cyd", "dan"])
    assert minimal_covering_set(margins).tolist() == [True, True, True, False]


def test_a_condorcet_winner_is_chosen_alone():
    margins = Margins.from_wins([[0, 5, 3], [2, 0, 4], [1, 4, 0]], ["ada", "bob", "cyd"])
    assert minimal_covering_set(margins).tolist() == [True, False, False]
