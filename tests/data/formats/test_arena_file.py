"""Arenas read as files: by every verb, at one moment, without the extra that runs them; any other database gets a sentence."""

import contextlib
import json
import sqlite3
import subprocess
import sys
import threading

import numpy as np
import pytest

import beatpath as bp
from helpers.command_line import beatpath


@pytest.fixture
def played(tmp_path):
    """A path with an arena of 240 answered battles, three open, two from elsewhere."""
    arena = bp.Arena(
        tmp_path / "arena.db", agents=["ada", "bob", "cyd"], prompts=["why?", "how?"], goal="first", seed=1
    )
    rng = np.random.default_rng(1)
    for judge in ("eve", "fin"):
        battles = arena.ask(count=120)
        came = rng.choice(["a", "a", "a", "b", "tie", "both_bad"], 120).tolist()
        arena.tell_many(zip(battles, came, strict=True), judge=judge)
    arena.ask(count=3)
    arena.add([("cyd", "ada", 0.75), ("bob", "cyd", "b")])
    arena.close()
    return tmp_path / "arena.db"


def test_an_arena_file_is_read_as_its_recorded_outcomes(played):
    evidence = bp.read(played)
    own = bp.Arena(played).evidence()
    assert evidence.agents == own.agents == ("ada", "bob", "cyd")
    for name in ("a", "b", "outcome", "both_bad", "position", "time"):
        np.testing.assert_array_equal(getattr(evidence, name), getattr(own, name))
    assert (
        evidence.factors["judge"].names() == own.factors["judge"].names() == ["eve"] * 120 + ["fin"] * 120 + [None] * 2
    )
    assert set(evidence.factors["cluster"].names()) == {"why?", "how?", None}
    assert (evidence.outcome[-2], evidence.a[-2], evidence.b[-2], evidence.position[-2]) == (0.25, 0, 2, 0)
    assert (evidence.reading.format, evidence.reading.rows_used, evidence.reading.dropped) == (
        "arena",
        242,
        {"not answered yet": 3},
    )


def test_who_was_shown_first_is_the_position(tmp_path):
    with bp.Arena(tmp_path / "arena.db", agents=["ada", "bob", "cyd"], prompts=["why?"], seed=1) as arena:
        battles = arena.ask(count=30)
        arena.tell_many([(battle, "a") for battle in battles])
    assert {battle.first == battle.a for battle in battles} == {True, False}
    np.testing.assert_array_equal(
        bp.read(tmp_path / "arena.db").position, [1 if battle.first == battle.a else -1 for battle in battles]
    )


def test_the_schedule_is_reported_as_outcome_dependent(played):
    assert "pairs were drawn by the policy 'adaptive'" in str(bp.read(played).reading)


@pytest.mark.parametrize("verb", ["check", "rank", "core", "resolve"])
def test_every_verb_reads_an_arena(played, verb):
    done = beatpath(verb, played, "--format", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["reading"]["format"] == "arena"


def test_a_report_and_a_table_are_made_of_an_arena(played, tmp_path):
    assert beatpath("report", played, "-o", tmp_path / "board.html").returncode == 0
    assert beatpath("convert", played, tmp_path / "battles.csv").returncode == 0
    table, own = bp.read(tmp_path / "battles.csv"), bp.read(played)
    np.testing.assert_array_equal(table.outcome, own.outcome)
    assert table.factors["cluster"].names() == own.factors["cluster"].names()


def test_battles_of_one_judge_are_chosen_by_name(played):
    assert len(bp.read(played, where=["judge=eve"])) == 120


def test_several_arenas_are_read_together_and_a_name_is_one_agent(played, tmp_path):
    other = bp.Arena(tmp_path / "other.db", agents=["dan", "cyd"], seed=1)
    other.tell_many((one, "a") for one in other.ask(count=5))
    other.close()
    both = bp.read([played, tmp_path / "other.db"])
    assert both.agents == ("ada", "bob", "cyd", "dan")
    assert len(both) == 247
    assert set(both.a[-5:].tolist()) | set(both.b[-5:].tolist()) == {2, 3}
    assert both.outcome[-5:].tolist() == [1.0] * 5


def test_an_arena_is_read_while_it_is_written_and_shows_one_moment(played):
    arena, stop = bp.Arena(played), threading.Event()

    def write():
        while not stop.is_set():
            arena.tell_many((one, "a") for one in arena.ask(count=20))

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(15):
            assert (len(bp.read(played)) - 242) % 20 == 0
    finally:
        stop.set()
        writer.join()


def test_no_library_but_the_standard_one_is_needed(played):
    code = "import sys; sys.modules['sqlalchemy'] = None; import beatpath as bp; print(len(bp.read(sys.argv[1])))"
    done = subprocess.run([sys.executable, "-c", code, str(played)], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "242", done.stderr


def test_any_other_database_gets_a_sentence(tmp_path):
    with sqlite3.connect(tmp_path / "shop.db") as db:
        db.execute("CREATE TABLE orders (id INTEGER)")
    with pytest.raises(bp.ReadError, match="must be an arena to be read; it is a SQLite file with the tables 'orders'"):
        bp.read(tmp_path / "shop.db")
    with sqlite3.connect(tmp_path / "empty.db") as db:
        db.execute("PRAGMA user_version = 7")
    with pytest.raises(bp.ReadError, match="it is a SQLite file with no table"):
        bp.read(tmp_path / "empty.db")


def test_an_arena_of_a_newer_version_or_without_battles_gets_a_sentence(played, tmp_path):
    bp.Arena(tmp_path / "new.db", agents=["ada", "bob"]).close()
    with pytest.raises(
        bp.ReadError, match="must hold at least one battle that was answered; 0 battles are out and none"
    ):
        bp.read(tmp_path / "new.db")
    with sqlite3.connect(played) as db:
        db.execute("UPDATE beatpath_arena SET version = 99")
    with pytest.raises(bp.ReadError, match="is an arena of version 99; this beatpath reads up to 4"):
        bp.read(played)


def test_a_damaged_arena_gets_a_sentence(played):
    data = bytearray(played.read_bytes())
    data[100:4000] = b"\xff" * 3900
    played.write_bytes(data)
    with pytest.raises(bp.ReadError, match="must be an arena that can be read; SQLite says"):
        bp.read(played)


def test_an_arena_whose_schema_is_no_text_gets_a_sentence(played):
    played.write_bytes(played.read_bytes().replace(b"CREATE TABLE beatpath_agent", b"CREATE \xc7ABLE beatpath_agent"))
    with pytest.raises(bp.ReadError, match="SQLite says: 'utf-8' codec can't decode byte 0xc7"):
        bp.read(played)
    with pytest.raises(bp.DataError, match="must hold text in UTF-8"):
        bp.Arena(played)


def test_what_sqlite_quotes_of_a_damaged_schema_is_escaped(played):
    played.write_bytes(played.read_bytes().replace(b"CREATE TABLE beatpath_agent", b"CREATE TABLE \x1beatpath_agent"))
    for read in (bp.read, bp.Arena):
        with pytest.raises(bp.BeatpathError) as raised:
            read(played)
        assert "\x1b" not in str(raised.value)
        assert r"\x1b" in str(raised.value)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE beatpath_battle SET a = 99 WHERE id = 1",
        "UPDATE beatpath_battle SET outcome = 'often' WHERE id = 1",
        "UPDATE beatpath_battle SET outcome = NULL WHERE id = 1",
        "UPDATE beatpath_battle SET outcome = 7 WHERE id = 1",
        "UPDATE beatpath_arena SET settings = '[]'",
        "UPDATE beatpath_arena SET settings = 'x'",
        "UPDATE beatpath_arena SET version = 'new'",
    ],
)
def test_rows_that_no_arena_writes_get_a_sentence(played, change):
    with contextlib.closing(sqlite3.connect(played)) as db, db:
        db.execute(change)
    with pytest.raises(bp.BeatpathError):
        bp.read(played)


def test_the_reader_knows_the_version_that_arenas_are_made_with():
    from beatpath.arena.storage import VERSION
    from beatpath.data.formats.arena_file import NEWEST

    assert NEWEST == VERSION


def test_a_schema_that_is_no_text_is_a_sentence(tmp_path):
    path = tmp_path / "live.db"
    with bp.Arena(path, agents=["ada", "bob"]):
        pass
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA writable_schema = 1")
        db.execute(
            "UPDATE sqlite_master SET name = CAST(x'A1A1' AS TEXT), sql = CAST(x'A1A1' AS TEXT) WHERE name = 'beatpath_battle'"
        )
        db.commit()
    with pytest.raises(bp.ReadError, match="must be an arena that can be read"):
        bp.read(path)


def test_agents_that_retired_are_named_in_the_notes(played):
    assert not any("retired" in note for note in bp.read(played).reading.notes)
    with bp.Arena(played) as arena:
        gone = arena.agents[0]
        arena.retire(gone)
    assert bp.read(played).reading.notes[1] == f"'{gone}' retired, and is among the agents here"
