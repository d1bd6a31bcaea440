"""Online SCO: one step a result, saved and resumed."""

import numpy as np
import pytest

import beatpath as bp
from beatpath import Ballots, Battles
from beatpath._errors import DataError, ReadError, UsageError
from beatpath.methods.rating.sco.losses import Cells, sigmoid_gradient
from beatpath.methods.rating.sco.online_sco import OnlineSco

RESULTS = [[["a"], ["b"], ["c"]], [["b"], ["a", "d"]], [["d"], ["c"]], [["e"], ["a"]], [["c"], ["a"], ["b"], ["e"]]] * 5


def played(results, **settings):
    online = OnlineSco(**settings)
    for result in results:
        online = online.update(result)
    return online


def test_an_update_is_one_step_of_algorithm_1_on_that_vote():
    online = played([[["a"], ["b"], ["c"]], [["c"], ["a"]]], learning_rate=3.0, temperature=2.0)
    before = np.array([online.ratings[name] for name in "abc"])
    online = online.update([["c"], ["a", "b"]])
    wins = np.zeros((3, 3))
    wins[2, :2] = 1
    after = before - 3.0 * sigmoid_gradient(before, Cells.from_wins(wins), 2.0)
    np.testing.assert_allclose([online.ratings[name] for name in "abc"], after)


def test_only_agents_in_the_result_change():
    online = played(RESULTS)
    after = online.update([["a"], ["b"]])
    assert {name for name in online.ratings if online.ratings[name] != after.ratings[name]} == {"a", "b"}


def test_ratings_keep_to_the_box():
    online = played([[["a"], ["b"]]] * 50, learning_rate=20.0, low=0.0, high=10.0)
    assert online.ratings == {"a": 10.0, "b": 0.0}


def test_saved_and_resumed_is_as_if_it_had_gone_on(tmp_path):
    whole, half = played(RESULTS), played(RESULTS[:12])
    half.save(tmp_path / "state.json")
    resumed = bp.online.load(tmp_path / "state.json")
    for result in RESULTS[12:]:
        resumed = resumed.update(result)
    assert resumed.to_dict() == whole.to_dict()


def test_many_results_at_once_are_one_step_each():
    assert OnlineSco().update(Ballots.of(RESULTS)) == played(RESULTS)
    rows = [("a", "b", 1), ("c", "a", 1), ("b", "c", 0.5)]
    battles = Battles.of(rows, time=[3, 1, 2])
    assert OnlineSco().update(battles) == played([[["c"], ["a"]], [["b", "c"]], [["a"], ["b"]]])


def test_a_strong_agent_rises_and_equals_share_a_level():
    online = played([[["x"], ["y", "z"]]] * 3)
    assert online.levels() == (("x",), ("y", "z"))


@pytest.mark.parametrize(
    ("result", "error", "words"),
    [
        ([["a"], ["b", "a"]], DataError, "names 'a' twice"),
        (["a", "b"], UsageError, "lists of names"),
        ("ab", UsageError, "got str"),
    ],
)
def test_a_result_that_cannot_be_is_refused_and_changes_nothing(result, error, words):
    online = played(RESULTS)
    before = online.to_dict()["ratings"].copy()
    with pytest.raises(error, match=words):
        online.update(result)
    assert online.ratings == before


@pytest.mark.parametrize(
    "state", [[], {"type": "other", "schema_version": "1"}, {"type": "online_sco", "schema_version": "2"}]
)
def test_what_is_no_state_is_refused(state):
    with pytest.raises(ReadError, match="a saved state must be"):
        OnlineSco.from_dict(state)


def test_a_state_with_missing_or_impossible_parts_is_refused():
    state = played(RESULTS).to_dict()
    with pytest.raises(ReadError, match="ratings is missing"):
        OnlineSco.from_dict({k: v for k, v in state.items() if k != "ratings"})
    with pytest.raises(ReadError, match="saved box"):
        OnlineSco.from_dict({**state, "ratings": {"a": 1e9}})


@pytest.mark.parametrize("bad", [{"learning_rate": 0.0}, {"temperature": -1.0}, {"low": 2.0, "high": 1.0}])
def test_settings_that_cannot_work_are_refused(bad):
    with pytest.raises(UsageError, match="must be"):
        OnlineSco(**bad)
