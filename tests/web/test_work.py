"""What a worker does with a file: plain data in, plain data out."""

import pytest

from beatpath.web.files import ReadableFiles, offered
from beatpath.web.requests import FileReading, Question
from beatpath.web.work import answered, previewed, recognized
from helpers.schemas import validated


@pytest.fixture
def place(games, monkeypatch):
    monkeypatch.chdir(games.parent)  # workers move about
    return offered(games).place()


def test_a_file_is_recognised(place):
    assert recognized(place, print) == {"format": "table"}


def test_a_preview_has_the_first_rows_and_what_the_whole_holds(place):
    found = previewed(place, FileReading(file="x").model_dump(), True, print)
    assert found["columns"] == ["left", "right", "winner"]
    assert found["evidence"]["agents"] == ["ada", "bob", "cyd"]
    assert "copeland" in found["evidence"]["methods"]


def test_a_large_file_is_not_read_whole_for_its_preview(place):
    found = previewed(place, FileReading(file="x").model_dump(), False, print)
    assert found["evidence"] is None
    assert "is large" in found["note"]


def test_what_cannot_be_read_is_said_beside_the_rows(place):
    told = FileReading(file="x", labels={"left": "nonsense"}).model_dump()
    found = previewed(place, told, True, print)
    assert found["error"]
    assert found["rows"]


def test_an_answer_has_every_form_and_its_data_are_as_their_schema_says(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    told = Question(file="example", methods=["copeland"], only=["aurora", "basalt", "cinder"]).model_dump()
    found = answered(ReadableFiles()["example"].place(), told, print)
    assert set(found) == {"html", "md", "json"}
    assert validated(found["json"])["provenance"]["command"].startswith("beatpath report --example")
