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


def test_a_file_is_recognized(place):
    assert recognized(place, print) == {"format": "table"}


def test_a_preview_has_the_first_rows_and_what_the_whole_holds(place):
    preview = previewed(place, FileReading(file="x").model_dump(), True, print)
    assert preview["columns"] == ["left", "right", "winner"]
    assert preview["evidence"]["agents"] == ["ada", "bob", "cyd"]
    assert "copeland" in preview["evidence"]["methods"]


def test_a_large_file_is_not_read_whole_for_its_preview(place):
    preview = previewed(place, FileReading(file="x").model_dump(), False, print)
    assert preview["evidence"] is None
    assert "is large" in preview["note"]


def test_a_read_error_is_shown_beside_the_rows(place):
    reading = FileReading(file="x", labels={"left": "nonsense"}).model_dump()
    preview = previewed(place, reading, True, print)
    assert preview["error"]
    assert preview["rows"]


def test_an_answer_has_every_form_and_its_data_are_as_their_schema_says(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    question = Question(file="example", methods=["copeland"], only=["aurora", "basalt", "cinder"]).model_dump()
    answer = answered(ReadableFiles()["example"].place(), question, print)
    assert set(answer) == {"html", "md", "json"}
    assert validated(answer["json"])["provenance"]["command"].startswith("beatpath report --example")
