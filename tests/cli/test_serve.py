"""`beatpath serve`: what it takes; tests/web has the server itself."""

import sqlite3
from contextlib import closing

import pytest

from helpers.command_line import beatpath


def test_help_says_what_may_be_read_and_that_nothing_is_encrypted():
    text = " ".join(beatpath("serve", "--help").stdout.split())
    for word in ("--host", "--port", "--token-file", "BEATPATH_TOKEN", "--max-upload", "--time-limit", "not encrypted"):
        assert word in text


def test_a_file_that_is_not_there_is_a_sentence():
    done = beatpath("serve", "nowhere.csv")
    assert done.returncode == 2
    assert "there is none" in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_an_arena_is_served_alone(tmp_path):
    pytest.importorskip("sqlalchemy", reason="the extra `live` is not installed")
    from beatpath.arena.arena import Arena

    Arena(tmp_path / "arena.db", agents=["ada", "bob"]).close()
    (tmp_path / "games.csv").write_text("left,right,winner\nada,bob,left\n")
    done = beatpath("serve", "arena.db", "games.csv", cwd=tmp_path)
    assert done.returncode == 2
    assert "an arena must be served alone" in " ".join(done.stderr.split())


def test_a_database_of_something_else_is_a_sentence_and_stays_as_it_is(tmp_path):
    pytest.importorskip("sqlalchemy", reason="the extra `live` is not installed")
    place = tmp_path / "other.db"
    with closing(sqlite3.connect(place)) as db:
        db.execute("CREATE TABLE cooking (recipe TEXT)")
        db.commit()
    before = place.read_bytes()
    done = beatpath("serve", "other.db", cwd=tmp_path)
    assert done.returncode == 1
    assert "must be an arena" in " ".join(done.stderr.split())
    assert place.read_bytes() == before
