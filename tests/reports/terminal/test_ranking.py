"""Rankings on the terminal: the Condorcet winner first, then ranks side by side."""

import pytest

from beatpath import Ballots, Battles, compare
from beatpath.methods.registry import METHODS
from beatpath.reports.terminal.ranking import comparison_markdown, comparison_rows, comparison_sentences, method_rows

CIRCLE = [("ada", "bob", 1), ("bob", "cyd", 1), ("cyd", "ada", 1)]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([("ada", "bob", 1), ("ada", "cyd", 1), ("bob", "cyd", 1)], "'ada' beats every other agent head to head"),
        (CIRCLE, "there is no Condorcet winner"),
        ([("ada", "bob", 0.5), ("bob", "cyd", 0.5), ("ada", "cyd", 0.5)], "nobody is above anybody"),
        ([("ada", "bob", 1), ("ada", "cyd", 0.5), ("bob", "cyd", 1)], "'ada' loses to nobody"),
        ([("ada", "bob", 1), ("ada", "cyd", 0.5), ("cyd", "bob", 1)], "'ada', 'cyd' lose to nobody"),
    ],
)
def test_the_first_sentence_says_who_beats_everybody(rows, said):
    assert said in comparison_sentences(compare(Battles.of(rows), ["copeland"], matrix="raw"))[0]


def test_methods_that_disagree_are_said_to_and_about_whom():
    votes = [[["A"], ["B"], ["C"]], [["A"], ["C"], ["B"]], [["C"], ["A"], ["B"]], [["B"], ["C"], ["A"]]]
    said = " ".join(comparison_sentences(compare(Ballots.of(votes, count=[1, 1, 2, 1]), ["copeland", "borda"])))
    assert "All 2 methods put 'C' first." in said
    assert "5 votes" in said


def test_rows_hold_every_method_and_agent():
    rows = comparison_rows(compare(Battles.of(CIRCLE), ["copeland", "schulze"]))
    assert {(row["method"], row["agent"]) for row in rows} == {
        (method, agent) for method in ("copeland", "schulze") for agent in ("ada", "bob", "cyd")
    }
    assert {row["rank"] for row in rows} == {1}


def test_markdown_has_a_column_a_method():
    assert "| agent | copeland | schulze |" in comparison_markdown(compare(Battles.of(CIRCLE), ["copeland", "schulze"]))


def test_every_method_has_a_row_with_a_sentence():
    rows = method_rows()
    assert [row["method"] for row in rows] == list(METHODS)
    assert all(row["what it does"] and row["takes"] for row in rows)
