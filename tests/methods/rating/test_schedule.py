"""The order in which battles are rated."""

import numpy as np
import pytest

from beatpath import Battles, DataError
from beatpath.methods.rating.online_state import idle_notes, last_time, order_notes, schedule


def test_battles_of_one_time_stand_together_in_the_order_of_time():
    battles = Battles.of([("x", "y", 1), ("y", "z", 1), ("x", "z", 1)], time=[2, 1, 2])
    timetable = schedule(battles)
    assert timetable.rows.tolist() == [1, 0, 2]
    assert timetable.group.tolist() == [0, 1, 1]


def test_one_unknown_time_leaves_the_order_of_the_rows():
    battles = Battles.of([("x", "y", 1), ("y", "z", 1)], time=[2, np.nan])
    assert schedule(battles).rows.tolist() == [0, 1]
    assert order_notes(schedule(battles)) == ["rated in the order of the rows: 1 battle without a time"]


def test_the_last_time_is_stored_and_earlier_battles_are_refused():
    battles = Battles.of([("x", "y", 1), ("y", "z", 1)], time=[3, 2])
    assert last_time(None, battles, schedule(battles)) == 3
    with pytest.raises(DataError, match="the last at 2; got one at 2"):
        last_time(2.0, battles, schedule(battles))
    untimed = Battles.of([("x", "y", 1)])
    assert last_time(2.0, untimed, schedule(untimed)) == 2


def test_agents_that_no_battle_moved_are_named():
    idle = Battles(("x", "y", "z"), [0], [1], [1.0])
    assert idle_notes(idle, schedule(idle)) == ["no battle moved 'z': start rating kept"]
