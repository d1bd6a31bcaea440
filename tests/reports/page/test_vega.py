"""The library that draws: kept for the next time, and trusted only where it is what it should be."""

import hashlib
from importlib.metadata import version

import pytest

from beatpath.reports.page import vega


@pytest.fixture
def made(tmp_path, monkeypatch):
    """How often the script was put together, where that gives one whose hash is known."""
    calls = []
    monkeypatch.setattr("vl_convert.javascript_bundle", lambda snippet: calls.append(snippet) or "script")
    monkeypatch.setitem(vega.KNOWN, version("vl-convert-python"), hashlib.sha256(b"script").hexdigest())
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    return calls


def test_the_library_is_kept_for_the_next_time(made):
    assert [vega.vega_script(), vega.vega_script()] == ["script", "script"]
    assert len(made) == 1


def test_it_is_made_again_where_it_cannot_be_kept(made, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "file"))
    assert [vega.vega_script(), vega.vega_script()] == ["script", "script"]
    assert len(made) == 2


@pytest.mark.parametrize("kept", [b"window.hit = 1", b"", b"scrip", b"\xff\xfe", b"script\n"])
def test_a_script_that_was_changed_is_made_anew_and_replaced(made, kept):
    vega.vega_script()
    vega._place().write_bytes(kept)
    assert vega.vega_script() == "script"
    assert vega._place().read_bytes() == b"script"


def test_a_version_whose_hash_is_not_known_is_neither_kept_nor_trusted(made, monkeypatch):
    vega.vega_script()
    monkeypatch.delitem(vega.KNOWN, version("vl-convert-python"))
    vega._place().write_text("window.hit = 1")
    assert vega.vega_script() == "script"
    assert vega._place().read_text() == "window.hit = 1"


def test_the_hash_of_the_version_that_is_installed_is_the_known_one(tmp_path, monkeypatch):
    if version("vl-convert-python") not in vega.KNOWN:
        pytest.skip("a version of vl-convert that is not known yet: its script is put together each time")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    vega.vega_script()
    assert vega._place().exists()
