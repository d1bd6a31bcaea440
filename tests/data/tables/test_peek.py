"""What a guesser may look at."""

from beatpath.data.tables.cells import Peek


def peek(cells):
    return Peek(
        "x.csv", ("x",), lambda name: 0.0, lambda name: sorted(set(cells)), lambda name: cells, lambda name: True
    )


def test_names_that_stand_more_than_twice_on_average_repeat():
    assert not peek(["a", "b", "c", "c"]).repeats("x")
    assert not peek(["a", "a"]).repeats("x")
    assert peek(["a", "a", "b", "a", "b"]).repeats("x")


def test_where_cells_are_not_known_nothing_repeats():
    assert not peek([]).repeats("x")
