"""Readers: ours and those that others add."""

from importlib.metadata import EntryPoint, EntryPoints

import pytest

import beatpath as bp
from beatpath.data import formats
from beatpath.data.formats.reader import Reader


def claims_dice(head):
    return head.text.startswith("DICE")


def read_dice(sources, options):
    reading = bp.results.Reading(tuple(src.name for src in sources), "dice", 1, 1)
    return bp.Battles.of([("x", "y", 1)], factors={"die": bp.Factor.of(["six"])}, reading=reading)


dice = Reader("dice", "dice, thrown", claims_dice, read_dice)


@pytest.fixture
def added(monkeypatch):
    """The reader of dice among the entry points."""
    entry = EntryPoint("dice", "nowhere:dice", "beatpath.readers")
    monkeypatch.setattr(EntryPoint, "load", lambda self: dice)
    monkeypatch.setattr(formats, "entry_points", lambda group: EntryPoints([entry]) if group == entry.group else [])


def test_a_registered_reader_claims_first_and_is_known_by_name(added, write):
    path = write("DICE,x\n1,2\n", "x.csv")
    assert bp.read(path).reading.format == "dice"
    assert formats.reader_named("dice") is dice
    assert bp.read(path, format="table", map={"agent": "DICE", "value": "x"}).kind == "scores"


def test_options_that_a_reader_ignores_are_applied_to_its_result_or_refused(added, write):
    path = write("DICE", "x.dice")
    assert bp.read(path, to="pairs").kind == "pairs"
    with pytest.raises(bp.ReadError, match="must leave rows to read"):
        bp.read(path, where=["die=one"])
    with pytest.raises(bp.UsageError, match="`keep` carries columns of a table along; dice files are none"):
        bp.read(path, keep=["die"])


def test_every_built_in_reader_has_its_key_as_its_name():
    for name in formats.BUILT_IN:
        assert formats.reader_named(name).name == name
