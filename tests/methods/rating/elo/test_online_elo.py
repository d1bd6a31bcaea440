"""The order in which battles are rated."""

import numpy as np

from beatpath import Battles, OnlineElo
from beatpath.methods.rating.elo.online_elo import schedule


def test_battles_of_one_time_stand_together_in_the_order_of_time():
    battles = Battles.of([("x", "y", 1), ("y", "z", 1), ("x", "z", 1)], time=[2, 1, 2])
    found = schedule(battles)
    assert found.rows.tolist() == [1, 0, 2]
    assert found.group.tolist() == [0, 1, 1]


def test_one_unknown_time_leaves_the_order_of_the_rows():
    battles = Battles.of([("x", "y", 1), ("y", "z", 1)], time=[2, np.nan])
    assert schedule(battles).rows.tolist() == [0, 1]


def test_ties_that_are_dropped_are_not_rated():
    battles = Battles.of([("x", "y", 0.5), ("y", "z", 1)])
    assert OnlineElo().update(battles, ties="drop").battles == 1
