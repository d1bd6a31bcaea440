"""The storage: what it promises of a file, and sentences where it cannot be used."""

import multiprocessing
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

import beatpath as bp
from beatpath.arena.arena import Arena
from beatpath.arena.storage import VERSION, Storage, StorageUnavailable
from helpers.killing import AGENTS, ZERO, killed
from helpers.postgres import Server, missing


def test_a_file_is_in_wal_mode_and_fully_synchronized(tmp_path):
    Arena(tmp_path / "arena.db", agents=["ada", "bob"]).close()
    with Storage(str(tmp_path / "arena.db")).reading() as db:
        assert db.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert db.exec_driver_sql("PRAGMA synchronous").scalar() == 2


@pytest.mark.parametrize(
    ("version", "do"), [(VERSION + 1, "Upgrade beatpath"), (VERSION - 1, "`add` them to a new one")]
)
def test_an_arena_of_another_version_is_refused_with_what_to_do(tmp_path, version, do):
    path = tmp_path / "arena.db"
    Arena(path, agents=["ada", "bob"]).close()
    with sqlite3.connect(path) as db:
        db.execute("UPDATE beatpath_arena SET version = ?", (version,))
    with pytest.raises(bp.DataError, match=rf"is of version {version}, this beatpath opens version {VERSION}\. .*{do}"):
        Arena(path)


def test_a_file_that_is_no_database_gets_a_sentence(tmp_path):
    (tmp_path / "notes.txt").write_text("not a database at all, but long enough to look like one " * 20)
    with pytest.raises(bp.DataError, match="must be an arena; it is no SQLite file"):
        Arena(tmp_path / "notes.txt")


@pytest.mark.posix
@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o600), (0o277, 0o400)])
def test_a_new_file_is_for_its_owner_alone_or_less_as_the_umask_says(tmp_path, mask, mode):
    before = os.umask(mask)
    try:
        if mode == 0o600:
            Arena(tmp_path / "arena.db", agents=["ada", "bob"]).tell  # noqa: B018 (made, and left open)
        else:
            Storage(str(tmp_path / "arena.db"))
    finally:
        os.umask(before)
    for path in tmp_path.iterdir():
        assert path.stat().st_mode & 0o777 == mode


@pytest.mark.parametrize("replaced", [False, True])
def test_a_file_that_was_removed_or_replaced_is_refused(tmp_path, replaced):
    path, other = tmp_path / "arena.db", tmp_path / "other.db"
    Arena(other, agents=["ada", "bob"]).close()
    arena = Arena(path, agents=["ada", "bob"])
    battle = arena.ask()
    path.unlink()
    if replaced:
        other.rename(path)
    for call in (arena.ask, arena.board, lambda: arena.tell(battle, "a")):
        with pytest.raises(StorageUnavailable, match="must stay where it is; it was removed or replaced"):
            call()


def test_an_address_of_another_kind_is_refused():
    with pytest.raises(bp.UsageError, match=r"must be a file or postgresql://"):
        Arena("mysql://x", agents=["ada", "bob"])


def test_a_database_of_something_else_is_left_alone(tmp_path):
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE orders (id INTEGER)")
    before = path.read_bytes()
    with pytest.raises(bp.DataError, match="a database of something else, with the table 'orders'"):
        Arena(path, agents=["ada", "bob"])
    with pytest.raises(bp.DataError, match="a database of something else"):
        Arena(path)
    assert path.read_bytes() == before


def test_a_folder_and_a_server_that_is_not_there_get_a_sentence(tmp_path):
    with pytest.raises(bp.UsageError, match="is a folder"):
        Arena(tmp_path, agents=["ada", "bob"])
    with pytest.raises(
        StorageUnavailable, match=r"'postgresql\+psycopg://eve:\*\*\*@/x\?host=%2Fnowhere' must be there"
    ) as error:
        Arena("postgresql://eve:secret@/x?host=/nowhere")
    assert "secret" not in str(error.value)


def test_a_storage_in_memory_is_one_for_all_threads():
    arena = Arena(":memory:", agents=["ada", "bob"])

    def work():
        for _ in range(20):
            arena.tell(arena.ask(), "a")
            arena.board()

    threads = [threading.Thread(target=work) for _ in range(6)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert arena.board().battles == 120


def test_readers_do_not_wait_for_a_writer_and_writers_say_that_they_cannot(tmp_path, monkeypatch):
    monkeypatch.setattr("beatpath.arena.storage.WAIT", 0.1)
    path = tmp_path / "arena.db"
    arena = Arena(path, agents=["ada", "bob"])
    one, two = arena.ask(count=2)
    arena.tell(one, "a")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StorageUnavailable, match="it says: database is locked"):
        arena.tell(two, "a")
    with pytest.raises(StorageUnavailable, match="database is locked"):
        arena.ask()
    assert arena.board().battles == 1
    other.execute("ROLLBACK")
    other.close()
    arena.tell(two, "a")
    assert arena.board().battles == 2


@pytest.mark.posix
def test_a_writer_that_hangs_in_the_queue_of_a_file_stops_nobody_for_long(tmp_path, monkeypatch):
    import fcntl

    monkeypatch.setattr("beatpath.arena.storage.WAIT", 0.1)
    arena = Arena(tmp_path / "arena.db", agents=["ada", "bob"])
    with open(tmp_path / "arena.db-lock", "rb") as stuck:
        fcntl.flock(stuck, fcntl.LOCK_EX)
        arena.tell(arena.ask(), "a")
    assert arena.board().battles == 1


FULL = """
import resource, sys
from pathlib import Path
from beatpath.arena.arena import Arena
from beatpath.arena.storage import StorageUnavailable
path, limit = sys.argv[1], int(sys.argv[2])
arena = Arena(path)
battles = arena.ask(count=20_000)
if limit:
    most = max(Path(path + end).stat().st_size for end in ("", "-wal")) + limit
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
try:
    for one in battles:
        arena.tell(one, "a", judge="x" * 500)
        print(one.key)
    print("all told")
except StorageUnavailable as error:
    print("said", error)
"""


def _filled_up(path, limit):
    Arena(path, agents=["ada", "bob", "cyd"]).close()
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(path), str(limit)], capture_output=True, text=True, check=True
    )
    *acknowledged, message = done.stdout.splitlines()
    return acknowledged, message


def _whole(path, acknowledged):
    arena = Arena(path)
    with arena._storage.reading() as db:
        stored = {key for (key,) in db.exec_driver_sql("SELECT key FROM beatpath_battle WHERE answered IS NOT NULL")}
        counted = db.exec_driver_sql("SELECT SUM(battles) FROM beatpath_cell").scalar()
    assert stored == set(acknowledged)
    assert counted == len(stored) == arena.board().battles + arena.resolve().waiting == len(bp.read(path))


@pytest.mark.posix
@pytest.mark.slow
def test_a_file_that_may_not_grow_gets_a_sentence_and_keeps_what_was_acknowledged(tmp_path):
    acknowledged, message = _filled_up(tmp_path / "arena.db", 300_000)
    assert re.match(
        r"said the arena .* must be there to be read and written; it says: (disk I/O error|database or disk is full)",
        message,
    )
    assert acknowledged
    _whole(tmp_path / "arena.db", acknowledged)


@pytest.mark.posix
@pytest.mark.slow
def test_a_full_disk_gets_a_sentence_and_keeps_what_was_acknowledged(tmp_path):
    (tmp_path / "disk").mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(tmp_path / "disk")]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no small disk can be mounted here")
    try:
        acknowledged, message = _filled_up(tmp_path / "disk" / "arena.db", 0)
        assert "it says: database or disk is full" in message
        assert acknowledged
        for end in ("", "-wal"):  # to where there is room again
            if (tmp_path / "disk" / f"arena.db{end}").exists():
                shutil.copy(tmp_path / "disk" / f"arena.db{end}", tmp_path / f"arena.db{end}")
    finally:
        subprocess.run(["umount", str(tmp_path / "disk")], check=True)
    _whole(tmp_path / "arena.db", acknowledged)


@pytest.mark.posix
def test_a_file_that_may_only_be_read_is_read_and_not_written():
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    path = folder / "arena.db"
    arena = Arena(path, agents=["ada", "bob"])
    battle = arena.ask()
    arena.tell(arena.ask(), "a")
    arena.close()
    bp.read(path)  # nobody may not be allowed to load what reading takes
    path.chmod(0o444)
    folder.chmod(0o555)
    answers = multiprocessing.get_context("fork").Queue()

    def as_nobody():
        if os.geteuid() == 0:
            os.setuid(65534)
        try:
            answers.put(len(bp.read(path)))
            Arena(path).tell(battle, "a")
            answers.put("told")
        except bp.BeatpathError as error:
            answers.put(str(error))

    child = multiprocessing.get_context("fork").Process(target=as_nobody)
    child.start()
    child.join(60)
    folder.chmod(0o755)
    try:
        assert answers.get(timeout=5) == 1
        assert "must be there to be read and written; it says:" in answers.get(timeout=5)
        assert len(Arena(path).evidence()) == 1
    finally:
        shutil.rmtree(folder)


@pytest.mark.posix
@pytest.mark.slow
def test_a_server_that_goes_away_gets_a_sentence_and_is_used_again_when_it_is_back():
    if missing():
        pytest.skip(missing())
    server = Server()
    try:
        arena = Arena(server.address, agents=["ada", "bob"])
        one, two = arena.ask(count=2)
        arena.tell(one, "a")
        server.kill()
        with pytest.raises(StorageUnavailable, match="must be there to be read and written; it says: "):
            arena.tell(two, "b")
        with pytest.raises(StorageUnavailable, match="must be there"):
            arena.board()
        server.start()
        arena.tell(two, "b")
        assert arena.board().battles == 2
        arena.close()
    finally:
        server.stop()


@pytest.mark.posix
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.nightly)])
def test_killed_writers_and_servers_lose_nothing_that_was_acknowledged(tmp_path, kind):
    if kind == "postgresql" and missing():
        pytest.skip(missing())
    server = Server() if kind == "postgresql" else None
    try:
        address = server.address if server else str(tmp_path / "arena.db")
        Arena(address, agents=AGENTS, goal="first").close()
        tally = killed(address, tmp_path, 8, server)
        assert tally["acknowledged"] > 0
        assert [name for name in ZERO if tally[name]] == []
        assert tally["opened"] == 8
    finally:
        if server:
            server.stop()
