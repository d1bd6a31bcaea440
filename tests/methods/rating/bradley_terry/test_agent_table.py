"""Tables of agents as columns: numbers, words and what is not known."""

import numpy as np
import pytest

from beatpath import DataError, UsageError
from beatpath.methods.rating.bradley_terry.design import agent_columns

KNOWN = {
    "ada": {"size": 7, "license": "open"},
    "bob": {"size": 70, "license": "closed"},
    "cyd": {"size": 8, "license": "open"},
    "dan": {"size": None, "license": "open"},
}


def test_words_are_compared_with_the_word_of_most_agents():
    columns = agent_columns(KNOWN, ["ada", "bob", "cyd"], 3)
    assert columns.names == ("size", "license=closed")
    assert columns.usual == {"license": "open"}
    np.testing.assert_array_equal(columns.values, [[7, 0], [70, 1], [8, 0]])


def test_an_agent_of_which_something_is_not_known_is_not_known_at_all():
    columns = agent_columns(KNOWN, ["ada", "dan", "eve"], 3, ["size", "license"])
    assert np.isnan(columns.values).all(axis=1).tolist() == [False, True, True]


def test_truth_values_are_words():
    columns = agent_columns(
        {"ada": {"open": True}, "bob": {"open": False}, "cyd": {"open": True}}, ["ada", "bob", "cyd"], 3
    )
    assert columns.names == ("open=no",)


@pytest.mark.parametrize(
    ("known", "agents", "columns", "message"),
    [
        ({"ada": 3}, ["ada"], (), "values by agent and column"),
        (KNOWN, ["ada"], ["sice"], "Did you mean 'size'"),
        ({"ada": {"size": float("inf")}}, ["ada"], (), "'size' of 'ada'"),
    ],
)
def test_a_table_that_is_none_is_refused(known, agents, columns, message):
    with pytest.raises(UsageError, match=message):
        agent_columns(known, agents, len(agents), columns)


def test_a_column_of_names_is_refused_and_so_is_a_word_nobody_in_battles_has():
    named = {name: {"id": name} for name in "abc"}
    with pytest.raises(DataError, match="every one of 3 agents has its own"):
        agent_columns(named, list("abc"), 3)
    with pytest.raises(DataError, match="'secret' is not one"):
        agent_columns(KNOWN | {"eve": {"size": 3, "license": "secret"}}, ["ada", "bob", "cyd", "eve"], 3)
