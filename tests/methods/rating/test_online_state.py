"""The files of online ratings."""

import json

import pytest

from beatpath import OnlineElo, ReadError
from beatpath.methods.rating.online_state import require_state, write_state


def test_a_state_is_written_whole_and_says_what_it_is(tmp_path):
    write_state(tmp_path / "state", OnlineElo(k=8).to_dict())
    state = json.loads((tmp_path / "state").read_text())
    assert (state["type"], state["schema_version"], state["k"]) == ("online_elo", "1", 8)
    assert [path.name for path in tmp_path.iterdir()] == ["state"]


def test_a_missing_field_is_named():
    with pytest.raises(ReadError, match="k is missing"):
        require_state({"type": "online_elo", "schema_version": "1"}, "online_elo", ("k",))
