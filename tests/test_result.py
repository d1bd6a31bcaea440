"""What a result gets for nothing from its sentences, its data and its rows."""

import pytest

from beatpath import UsageError
from beatpath._result import Result, html_table


class Answer(Result):
    """A result of one row."""

    sentences = ("<b>ada</b> is first.", "So say all.")

    def to_dict(self):
        return {"schema_version": "1", "type": "answer"}

    def rows(self):
        return [{"agent": "<b>ada</b>", "score": 0.123456, "group": None}]


class Word(Answer):
    """A result that is no table."""

    def rows(self):
        return ()


def test_it_prints_its_sentences_and_names_itself_by_the_first():
    assert str(Answer()) == "<b>ada</b> is first.\nSo say all."
    assert repr(Answer()) == "<Answer: <b>ada</b> is first.>"


def test_a_notebook_gets_sentences_and_rows_escaped():
    text = Answer()._repr_html_()
    assert "<b>" not in text
    assert "&lt;b&gt;ada&lt;/b&gt; is first." in text
    assert "<td>0.1235</td><td></td>" in text


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_its_rows_are_a_frame_of_the_library_named(library):
    pytest.importorskip(library)
    frame = Answer().to_frame(library)
    assert type(frame).__module__.split(".")[0] == library


def test_what_is_no_table_has_no_frame_and_an_empty_table_is_nothing():
    with pytest.raises(UsageError, match="Word is no table"):
        Word().to_frame()
    assert html_table(()) == ""


def test_what_has_no_picture_says_so():
    with pytest.raises(UsageError, match="draws"):
        Answer().plot()
