"""The files of online ratings."""

import json
import subprocess
import sys

import pytest

from beatpath import ReadError
from beatpath.online import OnlineElo


def test_a_state_is_written_whole_and_says_what_it_is(tmp_path):
    OnlineElo(k=8).save(tmp_path / "state")
    state = json.loads((tmp_path / "state").read_text())
    assert (state["type"], state["schema_version"], state["k"]) == ("online_elo", "1", 8)
    assert [path.name for path in tmp_path.iterdir()] == ["state"]


def test_a_missing_field_is_named():
    saved = OnlineElo().to_dict()
    del saved["k"]
    with pytest.raises(ReadError, match="k is missing"):
        OnlineElo.from_dict(saved)


FULL = """
import resource, sys
from beatpath import UsageError
from beatpath.online import OnlineElo, OnlineSco
resource.setrlimit(resource.RLIMIT_FSIZE, (20, 20))
try:
    {}().save(sys.argv[1])
except UsageError as error:
    print(error)
"""


@pytest.mark.posix
@pytest.mark.parametrize("kind", ["OnlineElo", "OnlineSco"])
def test_a_disk_without_room_leaves_the_old_state(tmp_path, kind):
    place = tmp_path / "state"
    place.write_text("old")
    done = subprocess.run([sys.executable, "-c", FULL.format(kind), place], capture_output=True, text=True, check=True)
    assert "cannot be: File too large." in done.stdout
    assert place.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["state"]
