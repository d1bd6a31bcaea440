"""The files that may be read, by identifiers that survive a restart."""

import pytest

from beatpath import UsageError
from beatpath.web.files import ReadableFile, ReadableFiles, offered
from helpers.refusals import refused


def test_the_example_is_always_there_and_what_was_named_beside_it(games):
    readable = ReadableFiles([games])
    assert [offer.kind for offer in readable] == ["example", "offered"]
    assert readable["example"].to_dict()["bytes"] == 0
    assert [offer.to_dict()["bytes"] for offer in readable][1] == games.stat().st_size


def test_a_file_that_was_deleted_since_has_no_size(games):
    offer = offered(games)
    games.unlink()
    assert offer.to_dict()["bytes"] == 0


def test_a_link_works_when_the_server_is_started_again(games):
    assert offered(games).id == offered(games).id


def test_the_mark_of_a_file_changes_with_the_file(games):
    offer = offered(games)
    before = offer.place()["mark"]
    games.write_text(games.read_text() + "ada,bob,left\n")
    assert offer.place()["mark"] != before


def test_what_is_not_offered_is_a_sentence():
    with refused(404, match="upload the file again"):
        ReadableFiles()["secret"]


def test_what_is_dropped_is_gone_and_dropping_twice_is_no_error():
    readable = ReadableFiles()
    readable.put(ReadableFile("x", "x", "upload"))
    readable.drop("x")
    readable.drop("x")
    assert [offer.id for offer in readable] == ["example"]


def test_standard_input_cannot_be_served():
    with pytest.raises(UsageError, match="standard input"):
        offered("-")
