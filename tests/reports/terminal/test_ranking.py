"""Rankings on the terminal: the Condorcet winner first, then ranks side by side."""

from beatpath import Battles, compare
from beatpath.methods.registry import METHODS
from beatpath.reports.terminal.ranking import comparison_markdown, comparison_rows, method_rows

CIRCLE = [("ada", "bob", 1), ("bob", "cyd", 1), ("cyd", "ada", 1)]


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
