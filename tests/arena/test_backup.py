"""The samples for a team as they are written, killed, backed up and restored by the commands of the documentation."""

import os
import re
import shlex
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager, suppress

import pytest

pytest.importorskip("sqlalchemy", reason="the extra `live` is not installed")
pytest.importorskip("fastapi", reason="the extra `app` is not installed")
yaml = pytest.importorskip("yaml")

from beatpath.arena import storage
from beatpath.arena.arena import Arena
from beatpath.client import ArenaClient
from helpers.paths import ROOT
from helpers.postgres import Server, missing

PAGE = (ROOT / "docs/how_to/arena_over_http.md").read_text(encoding="utf-8")
SAMPLES = ROOT / "examples/arena"
TOKEN, AGENTS = "abcdefghijklmnopqrst", ["ada", "bob", "cyd"]
WITHOUT_PG_DUMP = missing() or ("" if shutil.which("pg_dump") else "pg_dump is not installed")


def in_the_page(command):
    assert command in PAGE
    return command


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return str(one.getsockname()[1])


@contextmanager
def serving(words, port):
    """A client of the server that these words start."""
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            assert process.poll() is None
            with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/api/arena/health"):
                break
            time.sleep(0.1)
        yield ArenaClient(f"http://127.0.0.1:{port}/?token={TOKEN}")
    finally:
        process.kill()  # at once, as when the power fails
        process.wait()


def killed_and_restored(words, port, run, backup, restore):
    """Ten battles outlive a kill, and what came after the backup is gone after the restore."""
    with serving(words, port) as client:
        client.tell_many([(battle, "a") for battle in client.ask(10)], judge="gpt")
    with serving(words, port) as client:
        waiting = client.ask()
        assert client.status()["battles"] == 10
        run(backup)
        client.tell(client.ask(), "a")
        client.join("dan")
    for command in restore:
        run(command)
    with serving(words, port) as client:
        assert client.status()["battles"] == 10
        assert {row["agent"] for row in client.board()["ranks"]} == {*AGENTS}
        client.tell(waiting, "b")
        client.tell(client.ask(), "tie")
        assert client.status()["battles"] == 12


@pytest.mark.skipif(shutil.which("sqlite3") is None, reason="the program sqlite3 is not installed")
def test_the_service_of_a_file_is_killed_backed_up_and_restored(tmp_path):
    Arena(tmp_path / "arena.db", agents=AGENTS).close()
    (tmp_path / "tokens").write_text(f"{TOKEN} manage\n")
    unit, port = (SAMPLES / "beatpath-arena.service").read_text(encoding="utf-8"), free_port()
    start = re.search(r"ExecStart=\S+ (.*)", unit)[1]
    for there, here in (("/var/lib/beatpath", tmp_path), ("/etc/beatpath", tmp_path), ("8765", port)):
        start = start.replace(there, str(here))

    def run(command):
        subprocess.run(in_the_page(command), shell=True, cwd=tmp_path, check=True)

    restore = ("rm -f arena.db-wal arena.db-shm", "cp backup.db arena.db")
    words = [sys.executable, "-m", "beatpath", *shlex.split(start)]
    killed_and_restored(words, port, run, "sqlite3 arena.db \"VACUUM INTO 'backup.db'\"", restore)
    assert (tmp_path / "arena.db").stat().st_mode & 0o77 == 0


@pytest.mark.skipif(bool(WITHOUT_PG_DUMP), reason=WITHOUT_PG_DUMP)
def test_the_composition_of_a_database_is_killed_backed_up_and_restored(tmp_path):
    """The container is this machine, and the database another server."""
    server = Server()
    (tmp_path / "tokens").write_text(f"{TOKEN} manage\n")
    (tmp_path / "password").write_text("secret\n")
    service, port = (
        yaml.safe_load((SAMPLES / "compose.yaml").read_text(encoding="utf-8"))["services"]["arena"],
        free_port(),
    )
    here = {
        "$$": "$",
        "/run/beatpath": str(tmp_path),
        "exec beatpath": f"exec {shlex.quote(sys.executable)} -m beatpath",
        "postgresql://beatpath@database/arena": server.address,
        "0.0.0.0": "127.0.0.1",
        "8765": port,
    }
    words = [*service["entrypoint"], *service["command"]]
    for there, own in here.items():
        words = [word.replace(there, own) for word in words]

    def run(command):
        own = in_the_page(command).replace(" arena ", " postgres ")  # the database that the server of the test has
        subprocess.run(own, shell=True, cwd=tmp_path, check=True, env={**os.environ, "PGHOST": str(server.folder)})

    try:
        Arena(server.address, agents=AGENTS).close()
        dump, restore = (
            f"{command} arena.dump"
            for command in ("pg_dump -Fc -U beatpath arena >", "pg_restore --clean --if-exists -U beatpath -d arena")
        )
        killed_and_restored(words, port, run, dump, (restore,))
    finally:
        server.stop()


def test_a_restored_file_that_another_program_still_reads_is_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(storage, "WAIT", 0.1)
    Arena(tmp_path / "arena.db", agents=AGENTS).close()
    with sqlite3.connect(tmp_path / "arena.db") as db:
        db.execute(f"VACUUM INTO '{tmp_path / 'backup.db'}'")
    db.close()
    reader = sqlite3.connect(tmp_path / "backup.db", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM beatpath_agent").fetchone()
    with pytest.raises(storage.StorageUnavailable, match="it says: database is locked"):
        Arena(tmp_path / "backup.db")
    reader.close()
    Arena(tmp_path / "backup.db").close()
