"""Backup and restore, by the commands of the documentation."""

import os
import shutil
import sqlite3
import subprocess

import pytest

pytest.importorskip("sqlalchemy", reason="the extra `live` is not installed")

from beatpath.arena.arena import Arena
from beatpath.arena.storage import StorageUnavailable
from helpers.paths import ROOT
from helpers.postgres import Server, missing

PAGE = (ROOT / "docs/how_to/arena_over_http.md").read_text(encoding="utf-8")


def in_the_page(command):
    assert command in PAGE
    return command


def played(arena):
    """Ten answered battles, one open."""
    for battle in arena.ask(10):
        arena.tell(battle, "a")
    return arena.ask()


def restored(arena, open_battle):
    """The battles of the backup are there, the open one can be answered, and the arena goes on."""
    assert arena.board().battles == 10
    arena.tell(open_battle, "b")
    arena.tell(arena.ask(), "tie")
    assert arena.board().battles == 12


@pytest.mark.skipif(shutil.which("sqlite3") is None, reason="the program sqlite3 is not installed")
def test_a_file_is_backed_up_while_it_is_written_and_restored(tmp_path):
    arena = Arena(tmp_path / "arena.db", agents=["ada", "bob", "cyd"])
    waiting = played(arena)
    subprocess.run(in_the_page("sqlite3 arena.db \"VACUUM INTO 'backup.db'\""), shell=True, cwd=tmp_path, check=True)
    arena.tell(arena.ask(), "a")
    arena.close()
    for command in ("rm -f arena.db-wal arena.db-shm", "cp backup.db arena.db"):
        subprocess.run(in_the_page(command), shell=True, cwd=tmp_path, check=True)
    assert (tmp_path / "arena.db").stat().st_mode & 0o77 == 0
    restored(Arena(tmp_path / "arena.db"), waiting)


@pytest.mark.skipif(bool(missing()) or shutil.which("pg_dump") is None, reason=missing() or "pg_dump is not installed")
def test_a_database_is_backed_up_and_restored(tmp_path):
    server = Server()
    place = {**os.environ, "PGHOST": str(server.folder)}

    def run(command):
        own = in_the_page(command).replace(" arena ", " postgres ")  # the database that the server of the test has
        subprocess.run(own, shell=True, cwd=tmp_path, check=True, env=place)

    try:
        arena = Arena(server.address, agents=["ada", "bob", "cyd"])
        waiting = played(arena)
        run("pg_dump -Fc -U beatpath arena > arena.dump")
        arena.tell(arena.ask(), "a")
        arena.close()
        run("pg_restore --clean --if-exists -U beatpath -d arena arena.dump")
        arena = Arena(server.address)
        restored(arena, waiting)
        arena.close()
    finally:
        server.stop()


def test_a_restored_file_that_another_program_still_reads_is_a_sentence(tmp_path):
    Arena(tmp_path / "arena.db", agents=["ada", "bob", "cyd"]).close()
    with sqlite3.connect(tmp_path / "arena.db") as db:
        db.execute(f"VACUUM INTO '{tmp_path / 'backup.db'}'")
    db.close()
    reader = sqlite3.connect(tmp_path / "backup.db", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM beatpath_agent").fetchone()
    with pytest.raises(StorageUnavailable, match="it says: database is locked. Nothing is stored by halves"):
        Arena(tmp_path / "backup.db")
    reader.close()
    Arena(tmp_path / "backup.db").close()
