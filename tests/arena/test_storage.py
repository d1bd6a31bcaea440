"""The storage: what it promises of a file, and sentences where it cannot be used."""

import sqlite3

import pytest

import beatpath as bp
from beatpath.arena.arena import Arena
from beatpath.arena.storage import Storage


def test_a_file_is_kept_in_wal_mode_and_fully_synchronised(tmp_path):
    Arena(tmp_path / "arena.db", agents=["ada", "bob"]).close()
    with Storage(str(tmp_path / "arena.db")).reading() as db:
        assert db.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert db.exec_driver_sql("PRAGMA synchronous").scalar() == 2


def test_an_arena_of_a_newer_version_is_left_alone(tmp_path):
    Arena(tmp_path / "arena.db", agents=["ada", "bob"]).close()
    with sqlite3.connect(tmp_path / "arena.db") as db:
        db.execute("UPDATE beatpath_arena SET version = 99")
    with pytest.raises(bp.DataError, match="is of version 99, this beatpath reads up to"):
        Arena(tmp_path / "arena.db")


def test_a_file_that_is_no_database_gets_a_sentence(tmp_path):
    (tmp_path / "notes.txt").write_text("not a database at all, but long enough to look like one " * 20)
    with pytest.raises(bp.DataError, match="must be an arena; it is no SQLite file"):
        Arena(tmp_path / "notes.txt")


def test_an_address_of_another_kind_is_refused():
    with pytest.raises(bp.UsageError, match=r"must be a file or postgresql://"):
        Arena("mysql://x", agents=["ada", "bob"])
