"""The words of a page: ranks, scores and what its sections say."""

import pytest

from beatpath import Battles, report
from beatpath.analysis.board_rows import Row
from beatpath.reports.words import ranks, score, sections, spaced


def row(rank=2, best=1, worst=3):
    return Row("ada", rank, best, worst, *[None] * 10, {})


@pytest.mark.parametrize(
    ("interval", "text"),
    [(row(), "1\u20133"), (row(best=2, worst=2), "2"), (row(best=None), "2"), (row(None, None, None), "")],
)
def test_ranks_are_a_range_where_they_are_not_certain(interval, text):
    assert ranks(interval) == text


@pytest.mark.parametrize(
    ("value", "share", "text"), [(0.5, True, "50.0 %"), (1.2, True, "100.0 %"), (None, True, ""), (0.5, False, "0.5")]
)
def test_a_share_is_a_percentage_between_nothing_and_all(value, share, text):
    assert score(value, share=share).rstrip("0") == text.rstrip("0")


def test_contexts_are_a_section_only_where_there_are_some():
    made = report(Battles.of([("ada", "bob", 1), ("ada", "bob", 0)] * 10), methods=["copeland"])
    assert "contexts" not in dict(sections(made))
    assert dict(sections(made))["board"] == "The board"


def test_keys_become_words():
    assert spaced("ranked_pairs") == "ranked pairs"
