"""Who beats all others, and who loses to nobody."""

import beatpath as bp
from beatpath.evidence.condorcet import Condorcet, condorcet, won_and_lost


def test_a_condorcet_winner_beats_all_and_a_weak_one_loses_to_none():
    margins = bp.Margins([[0, 0, 1], [0, 0, 1], [-1, -1, 0]], ("A", "B", "C"))
    assert condorcet(margins) == Condorcet(None, ("A", "B"))
    assert [counts.tolist() for counts in won_and_lost(margins)] == [[1, 1, 0], [0, 0, 2]]
