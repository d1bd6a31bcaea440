"""Damaged saved states end in a sentence: on loading or on going on with them, never in a raw error or a warning."""

import sqlite3
from contextlib import closing

import pytest

import beatpath as bp
from beatpath.online import OnlineElo, OnlineGlicko2
from helpers.tampering import (
    EARLY,
    LATER,
    RATINGS,
    damaged_arenas,
    damaged_ledgers,
    damaged_states,
    fault,
    state_fault,
    use_arena,
    use_state,
)


@pytest.mark.parametrize("kind", RATINGS)
def test_damaged_ratings_end_in_a_sentence(tmp_path, kind):
    faults = {story: wrong for story, path in damaged_states(kind, tmp_path) if (wrong := state_fault(path))}
    assert not faults


@pytest.mark.parametrize("part", [pytest.param(k, marks=pytest.mark.nightly if k else ()) for k in range(25)])
def test_damaged_ledgers_end_in_a_sentence(tmp_path, part):
    faults = {story: wrong for story, path in damaged_ledgers(tmp_path, part, 25) if (wrong := state_fault(path))}
    assert not faults


@pytest.mark.parametrize("part", [pytest.param(k, marks=pytest.mark.nightly if k else ()) for k in range(60)])
def test_damaged_arenas_end_in_a_sentence(tmp_path, part):
    faults = {
        story: wrong
        for story, path in damaged_arenas(tmp_path, part, 60)
        for work in (bp.read, use_arena)
        if (wrong := fault(lambda work=work, path=path: work(path)))
    }
    assert not faults


@pytest.mark.parametrize("kind", RATINGS)
def test_whole_states_are_used_without_a_word(tmp_path, kind):
    """So the tests above see the damage and nothing else."""
    path = tmp_path / "state"
    RATINGS[kind].update(EARLY).save(path)
    use_state(path)


def test_what_is_wrong_is_named():
    saved = OnlineElo().update(EARLY).to_dict()
    for change, sentence in (
        ({"time": float("nan")}, "`time` must be a finite number up to 1e.30; got 'nan'"),
        ({"ratings": {"ada": 1e200}}, r"`ratings` of 'ada' must be a finite number up to 1e.30; got '1e.200'"),
        ({"battles": "3"}, "`battles` must be a whole number up to 2.53; got '3'"),
        ({"ratings": None}, "`ratings` must be a mapping by name; got 'None'"),
        ({"schema_version": "2"}, "must be of type 'online_elo', version 1; got 'online_elo', version '2'"),
    ):
        with pytest.raises(bp.ReadError, match=sentence):
            OnlineElo.from_dict(saved | change)
    later = OnlineGlicko2(period=2.0).update(EARLY).to_dict()
    with pytest.raises(bp.ReadError, match="`periods` must be those of rated agents, none after `time`"):
        OnlineGlicko2.from_dict(later | {"periods": {"ada": 99}})


def test_a_period_that_is_too_short_for_the_times_is_refused():
    with pytest.raises(bp.DataError, match=r"at most 2\^53 periods"):
        OnlineGlicko2(period=1e-9).update(bp.Battles.of([("ada", "bob", 1)], time=[1e15]))


@pytest.mark.parametrize("table", ["beatpath_agent", "beatpath_battle", "beatpath_withdrawn"])
def test_a_view_in_place_of_a_table_holds_nobody(tmp_path, table):
    """A view may recurse without end, so none is read."""
    path = tmp_path / "arena.db"
    with bp.Arena(path, agents=["ada", "bob"]) as arena:
        arena.add([("ada", "bob", "a", "k1")])
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"DROP TABLE {table}")
        db.execute(
            f"CREATE VIEW {table} AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT x AS key FROM n"
        )
    for opened in (bp.read, bp.Arena):
        with pytest.raises(bp.DataError, match=rf"must be an arena to be read|must have the table {table}"):
            opened(path)


def test_criteria_that_are_no_object_are_a_sentence(tmp_path):
    path = tmp_path / "arena.db"
    with bp.Arena(path, agents=["ada", "bob"]) as arena:
        arena.add([("ada", "bob", "a", "k1")])
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE beatpath_battle SET criteria = 7")
        db.commit()
    with bp.Arena(path) as arena:
        for criterion in (None, "style"):
            with pytest.raises(bp.ReadError, match="must be as an arena writes them"):
                arena.evidence(criterion=criterion)


def test_times_that_are_no_numbers_are_a_sentence_wherever_the_arena_is_read(tmp_path):
    path = tmp_path / "arena.db"
    with bp.Arena(path, agents=["ada", "bob"]) as arena:
        arena.add([("ada", "bob", "a", "k1")])
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE beatpath_battle SET answered = x'00'")
        db.commit()
    with bp.Arena(path) as arena:
        for read in (arena.evidence, lambda: bp.read(path)):
            with pytest.raises(
                bp.ReadError, match=r"must be as an arena writes them; they are not\. The file is damaged"
            ):
                read()


def test_weights_beyond_what_a_state_can_hold_are_refused_before_they_are_saved():
    with pytest.raises(bp.DataError, match=r"must leave ratings up to 1e\+30"):
        OnlineElo(k=1e10).update(bp.Battles.of([("ada", "bob", 1)], weight=[1e30]))
    assert OnlineElo.from_dict(OnlineElo(k=1e10).update(LATER).to_dict()).battles == 3


def test_a_file_that_cannot_even_be_examined_is_a_sentence(tmp_path):
    """Settings that are no JSON, and a page that is none: the search for what is wrong ends in an error too."""
    path = tmp_path / "arena.db"
    with bp.Arena(path, agents=["ada", "bob"]) as arena:
        arena.add([("ada", "bob", "a", "k1")])
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode=DELETE")
        (page,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'beatpath_agent'").fetchone()
        (size,) = db.execute("PRAGMA page_size").fetchone()
        db.execute("UPDATE beatpath_arena SET settings = '{'")
        db.commit()
    data = bytearray(path.read_bytes())
    data[(page - 1) * size : page * size] = b"\xff" * size
    path.write_bytes(data)
    assert fault(lambda: bp.Arena(path)) is None
    with pytest.raises(bp.BeatpathError):
        bp.Arena(path)


def test_battles_overdue_against_nobody_are_a_sentence_when_they_are_asked_for_again(tmp_path):
    path = tmp_path / "arena.db"
    with bp.Arena(path, agents=["ada", "bob"]) as arena:
        arena.ask(2)
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE beatpath_battle SET first = '[]', requested = -1")
        db.commit()
    with bp.Arena(path) as arena, pytest.raises(bp.DataError, match="must hold what an arena writes"):
        arena.ask(2)
