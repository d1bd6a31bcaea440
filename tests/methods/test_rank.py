"""`rank`: one method on any evidence."""

import pytest

import beatpath as bp

VOTES = bp.Ballots.of([[["A"], ["B"]]])


def test_a_setting_nobody_knows_is_refused_with_its_neighbour():
    with pytest.raises(bp.UsageError, match=r"copeland takes no settings; got 'tiees'. Did you mean 'ties'"):
        bp.rank(VOTES, "copeland", tiees="drop")


def test_evidence_that_a_method_cannot_take_names_those_that_can():
    with pytest.raises(bp.DataError, match="borda needs ballots or scores; battles are neither"):
        bp.rank(bp.Battles.of([("x", "y", 1)]), "borda")
    with pytest.raises(bp.UsageError, match="got list"):
        bp.rank([[1]], "copeland")


def test_names_are_put_to_levels_and_scores():
    found = bp.rank(VOTES, "copeland")
    assert found.levels == (("A",), ("B",))
    assert found.scores == {"A": 1.0, "B": 0.0}
    assert found.condorcet.strong == "A"
