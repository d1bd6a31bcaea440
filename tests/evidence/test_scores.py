"""Score tables as ballots."""

import numpy as np
import pytest

from beatpath import DataError, Scores

TABLE = Scores.from_table([[3.0, np.nan], [2.0, 5.0], [2.05, 4.0]], ["a", "b", "c"], ["x", "y"])


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [[("a",), ("c",), ("b",)], [("b",), ("c",)]]),
        ({"tolerance": 0.1}, [[("a",), ("b", "c")], [("b",), ("c",)]]),
        ({"missing": "last"}, [[("a",), ("c",), ("b",)], [("b",), ("c",), ("a",)]]),
        ({"missing": "drop_task"}, [[("a",), ("c",), ("b",)]]),
    ],
)
def test_tasks_rank_agents_as_the_policies_say(options, expected):
    assert list(TABLE.ballots(**options)) == expected


def test_a_missing_score_can_be_an_error_that_names_it():
    with pytest.raises(DataError, match="'a' has none on 'y'"):
        TABLE.ballots(missing="error")
