"""Arenas of every older version open as if they had been made today, with nothing lost."""

import sqlite3
from collections import Counter

import numpy as np
import pytest
import sqlalchemy as sa

import beatpath as bp
from beatpath.arena.arena import Arena
from beatpath.arena.migrations import STEPS
from beatpath.arena.tables import VERSION
from beatpath.inference.anytime.anytime_board import anytime_board
from beatpath.inference.anytime.stage import Stage
from helpers.killing import account
from helpers.old_arenas import make_version_1

MAKERS = {1: make_version_1}


def test_every_older_version_has_a_step_and_a_maker():
    assert sorted(STEPS) == sorted(MAKERS) == list(range(1, VERSION))


@pytest.mark.parametrize("version", MAKERS)
def test_an_older_arena_is_opened_with_all_its_battles_and_its_board(address, version, tmp_path):
    told, out = MAKERS[version](address)
    arena = Arena(address)
    found = arena.evidence()
    assert Counter(zip(found.a.tolist(), found.b.tolist(), found.outcome.tolist(), strict=True)) == Counter(
        (a, b, x) for _, a, b, x in told
    )
    sums = np.zeros((3, 3))
    for stage, a, b, x in told:
        if stage:
            sums[:, {(0, 1): 0, (0, 2): 1, (1, 2): 2}[a, b]] += 1, x, x**2
    stage = Stage(*np.triu_indices(3, 1), np.array([0.25, 0.5, 0.25]), np.array([0.5, 0.6, 0.55]), *sums)
    expected = anytime_board(("ada", "bob", "cyd"), [stage])
    np.testing.assert_allclose(arena.board().score, expected.score)
    np.testing.assert_allclose(arena.board().radius, expected.radius)
    assert arena.resolve().pending == len(out)
    arena.tell_many((key, "a") for key in out)
    assert {one.key for one in arena.ask(count=5)}.isdisjoint(out)
    arena.tell(arena.ask(), "tie")
    assert len(arena.evidence()) == len(told) + len(out) + 1
    arena.close()
    counts = account(address, tmp_path)
    assert (counts["wrong counts"], counts["wrong tallies"], counts["wrong pairs"]) == (0, 0, 0)


@pytest.mark.parametrize("version", MAKERS)
def test_an_older_arena_is_brought_to_the_tables_of_today(address, version):
    MAKERS[version](address)
    arena = Arena(address)

    def shape(one):
        look = sa.inspect(one._storage.engine)
        return {
            table: (
                {(column["name"], str(column["type"]), column["nullable"]) for column in look.get_columns(table)},
                {(tuple(index["column_names"]), index["unique"]) for index in look.get_indexes(table)},
                look.get_pk_constraint(table)["constrained_columns"],
            )
            for table in look.get_table_names()
        }

    found = shape(arena)
    arena.close()
    fresh = Arena(":memory:", agents=["ada", "bob"])
    assert found.keys() == shape(fresh).keys()
    if arena._storage.sqlite:
        assert found == shape(fresh)


def test_a_file_of_an_older_version_is_read_without_being_changed(tmp_path):
    told, out = make_version_1(str(tmp_path / "arena.db"))
    before = (tmp_path / "arena.db").read_bytes()
    found = bp.read(tmp_path / "arena.db")
    assert len(found) == len(told)
    assert found.reading.dropped == {"not told yet": len(out)}
    assert (tmp_path / "arena.db").read_bytes() == before


def test_a_migration_that_fails_leaves_the_arena_as_it_was(tmp_path, monkeypatch):
    make_version_1(str(tmp_path / "arena.db"))
    with sqlite3.connect(tmp_path / "arena.db") as db:
        before = list(db.iterdump())

    def fails(db):
        STEPS_1(db)
        raise bp.DataError("the power is gone")

    STEPS_1 = STEPS[1]
    monkeypatch.setitem(STEPS, 1, fails)
    with pytest.raises(bp.DataError, match="the power is gone"):
        Arena(tmp_path / "arena.db")
    with sqlite3.connect(tmp_path / "arena.db") as db:
        assert list(db.iterdump()) == before
