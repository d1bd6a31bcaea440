"""Profiles: any evidence as wins and margins."""

import numpy as np
import pytest
from hypothesis import given

from beatpath import Ballots, Battles, DataError
from beatpath.evidence import Conventions, Factor
from beatpath.methods.profile import profile_of
from helpers.strategies import battles


@given(battles())
def test_margins_are_wins_minus_losses(b):
    profile = profile_of(b)
    np.testing.assert_allclose(profile.margins.matrix, profile.wins - profile.wins.T, atol=1e-9)


def test_by_rate_every_pair_adds_up_to_one():
    b = Battles.of([("x", "y", 1)] * 3 + [("y", "x", 1)] + [("y", "z", 1)])
    profile = profile_of(b, Conventions(pair_weight="rate"))
    assert profile.wins.tolist() == [[0, 0.75, 0], [0.25, 0, 1], [0, 0, 0]]


def test_task_weights_multiply_those_of_the_battles():
    b = Battles.of([("x", "y", 1), ("y", "x", 1)], weight=[1, 2], factors={"task": Factor.of(["code", "math"])})
    assert profile_of(b, Conventions(weights={"code": 5})).wins.tolist() == [[0, 5], [2, 0]]


@pytest.mark.parametrize("name", ["task", "voter"])
def test_weights_of_ballots_are_those_of_their_tasks_or_else_of_their_voters(name):
    """A ballot of weight 5 is five ballots."""
    orders = [["x", "y", "z"], ["y", "z", "x"]]
    weighed = profile_of(Ballots.of(orders, factors={name: Factor.of(["one", "two"])}), Conventions(weights={"one": 5}))
    counted = profile_of(Ballots.of(orders, count=[5, 1]))
    assert weighed.wins.tolist() == counted.wins.tolist()


def test_ties_on_ballots_are_among_the_conventions_with_how_many_there_are():
    profile = profile_of(Ballots.of([[("x", "y"), "z"], ["x", "y", "z"], [("x", "y", "z")]]))
    assert {one.name: (one.value, one.affected) for one in profile.conventions}["ties"] == ("half", 1 + 3)


def test_rules_for_rankings_name_those_for_battles():
    with pytest.raises(DataError, match=r"These rules take battles: .*copeland"):
        profile_of(Battles.of([("x", "y", 1)])).require_ballots("borda")
