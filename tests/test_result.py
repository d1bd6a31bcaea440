"""What a result gets for nothing from its sentences, its data and its rows."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, NotRequired, TypedDict

import numpy as np
import pytest

from beatpath import UsageError
from beatpath._arrays import Floats
from beatpath._result import Record, Result, TableResult
from beatpath._schema import document_schema
from helpers.schemas import validated


class Answer(TableResult):
    """A result of one row."""

    sentences = ("<b>ada</b> is first.", "So say all.")

    def to_dict(self):
        return {"schema_version": "1", "type": "answer"}

    def rows(self):
        return [{"agent": "<b>ada</b>", "score": 0.123456, "group": None}]


class Word(Result):
    """A result that is no table."""

    sentences = ("It is so.",)


def test_it_prints_its_sentences_and_names_itself_by_the_first():
    assert str(Answer()) == "<b>ada</b> is first.\nSo say all."
    assert repr(Answer()) == "<Answer: <b>ada</b> is first.>"


def test_a_notebook_gets_sentences_and_rows_escaped():
    text = Answer()._repr_html_()
    assert "<b>" not in text
    assert "&lt;b&gt;ada&lt;/b&gt; is first." in text
    assert re.search("<td[^>]*>0.1235</td><td[^>]*>-</td>", text)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_its_rows_are_a_frame_of_the_library_named(library):
    pytest.importorskip(library)
    frame = Answer().to_frame(library)
    assert type(frame).__module__.split(".")[0] == library


def test_what_is_no_table_has_no_frame_and_an_empty_table_is_nothing():
    assert not hasattr(Word(), "to_frame")
    with pytest.raises(AttributeError, match="it is not a table"):
        Word().to_frame()
    assert "<table>" not in Word()._repr_html_()


def test_what_has_no_picture_says_so():
    assert not hasattr(Answer(), "plot")
    with pytest.raises(AttributeError, match="no figure"):
        Answer().plot()


def test_a_table_gives_its_rows_one_by_one_and_by_agent():
    answer = Answer()
    assert len(answer) == 1
    assert [row["score"] for row in answer] == [0.123456]
    assert answer["<b>ada</b>"] == answer[0]
    assert "<b>ada</b>" in answer
    assert "bob" not in answer
    with pytest.raises(UsageError, match="must be in a row"):
        answer["bob"]
    assert TableResult.__bool__(answer)


@pytest.mark.parametrize("ending", [".json", ".md", ".csv", ".html"])
def test_it_is_saved_as_the_path_ends(tmp_path, ending):
    path = Answer().save(tmp_path / f"answer{ending}")
    assert path.read_text(encoding="utf-8")


def test_what_is_no_table_is_not_saved_as_one(tmp_path):
    with pytest.raises(UsageError, match=r"must be one of \.json, \.md, \.html"):
        Word().save(tmp_path / "word.csv")


def test_it_is_summed_up_with_its_table():
    assert "0.1235" in Answer().summary()
    assert Word().summary() == "It is so."
    assert "| agent | score | group |" in Answer().to_markdown()


@pytest.mark.parametrize(("name", "instead"), [("to_pandas", "to_frame"), ("to_csv", "save"), ("sumary", "summary")])
def test_what_other_packages_call_otherwise_is_named(name, instead):
    with pytest.raises(AttributeError, match=instead):
        getattr(Answer(), name)


class Row(TypedDict):
    """One agent.

    Attributes
    ----------
    agent : str
        Its name.
    score : float
        Its score.
    """

    agent: str
    score: float
    note: NotRequired[str]


@dataclass(frozen=True, slots=True)
class Part(Record):
    """A part.

    Attributes
    ----------
    low, high : float
        Ends of the
        interval.
    names : mapping
        Names by key.

    Notes
    -----
    Not an attribute.
    """

    low: float
    high: float
    names: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class DerivedBoard(TableResult):
    """A board whose document derives from its declarations.

    Attributes
    ----------
    part : Part or None
        A part, where there is one.
    matrix : (n, n) float
        A matrix.
    """

    part: Part | None
    matrix: Floats
    hidden: int = 0

    document: ClassVar[tuple[str, ...]] = ("part", "matrix", "answer", "rows")

    @property
    def sentences(self):
        return ("It is so.",)

    @property
    def answer(self) -> Literal["yes", "no"]:
        """The answer."""
        return "yes"

    def rows(self) -> list[Row]:
        """One row an agent."""
        return [{"agent": "ada", "score": 0.5}]


def test_a_document_derives_from_the_declared_fields():
    board = DerivedBoard(Part(0.0, np.inf, {"a": "b"}), np.array([[1.0, np.nan], [0.0, 1.0]]))
    assert board.to_dict() == {
        "schema_version": "1",
        "type": "derived_board",
        "sentences": ["It is so."],
        "part": {"low": 0.0, "high": None, "names": {"a": "b"}},
        "matrix": [[1.0, None], [0.0, 1.0]],
        "answer": "yes",
        "rows": [{"agent": "ada", "score": 0.5}],
    }


def test_the_schema_derives_from_annotations_and_docstrings():
    schema = document_schema("derived_board")
    properties = schema["properties"]
    assert "hidden" not in properties
    assert properties["part"] == {
        "anyOf": [{"$ref": "#/$defs/Part"}, {"type": "null"}],
        "description": "A part, where there is one.",
    }
    assert properties["answer"] == {"enum": ["yes", "no"], "description": "The answer."}
    assert schema["$defs"]["Part"]["properties"]["high"] == {
        "type": ["number", "null"],
        "description": "Ends of the interval.",
    }
    assert schema["$defs"]["Row"]["required"] == ["agent", "score"]
    assert validated(DerivedBoard(None, np.eye(2)).to_dict())
