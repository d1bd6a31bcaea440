"""Boards by context in a terminal and as Markdown."""

import io

import pytest
from rich.console import Console

import beatpath as bp
from beatpath.reports.terminal.contexts import contexts_markdown, contexts_table


@pytest.fixture(scope="module")
def found():
    keys = {"task": bp.Factor.of(["x\x1b[31m|y", "z"])}
    told = bp.Pairs(("a|b", "<c>\x1b"), [0, 0], [1, 1], [[30, 10, 0, 0], [10, 30, 0, 0]], keys=keys)
    return bp.resolve(told, by="task")


def test_the_table_shows_the_mixture_and_every_context(found):
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(contexts_table(found, [found.test("a|b > <c>\x1b in z")]))
    text = console.export_text()
    assert "is not supported" in text
    best = found.contexts["z"].score[1]
    assert 0.5 < best < 0.75  # what was seen, drawn towards the half that both contexts give
    assert f"{100 * best:.0f} (" in text
    assert "50.0 %" in text
    assert "\x1b" not in text


def test_no_name_breaks_the_markdown(found):
    text = contexts_markdown(found)
    tables = [line for line in text.splitlines() if line.startswith("|")]
    assert len(tables) == 8
    assert "\x1b" not in text
    assert "<c>" not in text
