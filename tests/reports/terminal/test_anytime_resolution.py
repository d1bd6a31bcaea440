"""Tables of what holds at every look."""

import io

from rich.console import Console

import beatpath as bp
from beatpath.reports.terminal.anytime_resolution import anytime_markdown, anytime_table

TOLD = bp.Pairs(("a|[b]", "c"), [0], [1], [[60, 20, 5, 0]])


def test_hostile_names_are_shown_as_they_are_and_escaped_in_markdown():
    found = bp.resolve(TOLD, anytime=True)
    out = io.StringIO()
    Console(file=out, width=120).print(anytime_table(found, [found.test("a|[b] > c")]))
    assert "a|[b]" in out.getvalue()
    said = anytime_markdown(found)
    assert "a\\|" in said
    assert said.splitlines()[-2].startswith("| 1 | ")
