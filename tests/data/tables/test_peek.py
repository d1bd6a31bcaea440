"""What a guesser may look at."""

import numpy as np

from beatpath.data.tables.database import connect
from beatpath.data.tables.table import table_of_cells


def repeats(cells):
    with connect() as con:
        return table_of_cells(con, ("x",), [np.array(cells, dtype=object)], "x.csv").repeats("x")


def test_names_that_stand_more_than_twice_on_average_repeat():
    assert not repeats(["a", "b", "c", "c"])
    assert not repeats(["a", "a"])
    assert repeats(["a", "a", "b", "a", "b"])


def test_where_cells_are_not_known_nothing_repeats():
    assert not repeats([None, None])
