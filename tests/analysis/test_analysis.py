"""An analysis: what it says, gives as rows and as data."""

import pytest

from beatpath import Battles
from beatpath.analysis.analyse import analyse
from beatpath.inference.options import ReportOptions
from helpers.schemas import validated


@pytest.fixture(scope="module")
def made():
    rows = [("ada", "bob", 1), ("bob", "cyd", 1), ("ada", "cyd", 1), ("bob", "ada", 1), ("cyd", "bob", 1)] * 12
    return analyse(Battles.of(rows), ReportOptions(methods=["copeland", "bradley_terry"]))


def test_its_data_are_as_their_schema_says(made):
    assert validated(made.to_dict())["type"] == "report"


def test_its_rows_are_the_board_with_a_column_a_method(made):
    rows = made.rows()
    assert [row["agent"] for row in rows] == list(made.agents)
    assert {"copeland", "bradley_terry"} <= set(rows[0])


def test_only_what_was_used_is_cited(made):
    assert any("Copeland" in paper for paper in made.citations)
    assert not any("Kemeny" in paper for paper in made.citations)


def test_its_sentences_are_the_short_answer_and_those_of_the_verdict(made):
    assert made.sentences == (made.answer.text, *(str(sentence) for sentence in made.verdict))
