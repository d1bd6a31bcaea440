"""What changed between two boards, as a terminal table and as Markdown for a changelog."""

from collections.abc import Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from beatpath._text import shown
from beatpath.inference.resolve.diff import Diff, DiffRow
from beatpath.reports.terminal.check import markdown

COLUMNS = ("change", "agent", "tier", "ranks", "ranks of both")
STYLES = {"rose": "green", "fell": "red", "entered": "cyan", "left": "yellow"}
PAIRS = 20  # that are listed
WORDS = {
    "turned": "certainly above, and before certainly below",
    "lost": "was certainly above, and is not any more",
    "gained": "is certainly above, and was not",
}


def diff_table(found: Diff) -> RenderableType:
    """Return what is said, the agents that moved, came or went, and the pairs, for a terminal."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in COLUMNS:
        table.add_column(Text(name), overflow="fold")
    for row in _moved(found):
        table.add_row(
            *(Text(cell, style=STYLES[row["change"]] if k == 0 else "") for k, cell in enumerate(_cells(row)))
        )
    parts: list[RenderableType] = [Text(sentence) for sentence in found.sentences]
    parts += [Text(""), table] if _moved(found) else []
    for title, lines in _pair_lines(found):
        parts += [Text(""), Text(title, style="bold"), *(Text(line) for line in lines)]
    return Group(*parts)


def diff_markdown(found: Diff) -> str:
    """Return the same as Markdown."""
    lines = [f"- {markdown(sentence)}" for sentence in found.sentences]
    if _moved(found):
        lines += ["", "| " + " | ".join(COLUMNS) + " |", "|" + " --- |" * len(COLUMNS)]
        lines += ["| " + " | ".join(markdown(cell) for cell in _cells(row)) + " |" for row in _moved(found)]
    for title, pairs in _pair_lines(found):
        lines += ["", f"**{title}**", "", *(f"- {markdown(line)}" for line in pairs)]
    return "\n".join(lines) + "\n"


def _moved(found: Diff) -> list[DiffRow]:
    """The rows of those of whom there is something to say."""
    return [row for row in found.rows() if row["change"] != "open"]


def _cells(row: Mapping[str, Any]) -> list[str]:
    """Change, name, tier, ranks, and ranks among the agents of both boards, before and after."""

    def ends(when: str, what: str) -> str:
        best, worst = row[f"{when}_best{what}"], row[f"{when}_worst{what}"]
        return "-" if best is None else f"{best}" if best == worst else f"{best}-{worst}"

    tier = f"{row['old_tier'] or '-'} > {row['new_tier'] or '-'}"
    ranks = (f"{ends('old', what)} > {ends('new', what)}" for what in ("", "_of_both"))
    return [row["change"], shown(row["agent"]), tier, *ranks]


def _pair_lines(found: Diff) -> list[tuple[str, list[str]]]:
    """The pairs whose certain order turned, was lost or is new, a few of each."""
    parts = []
    for name, what in WORDS.items():
        pairs = getattr(found, name)
        if pairs:
            lines = [f"{shown(above)} > {shown(below)}" for above, below in pairs[:PAIRS]]
            more = [f"and {len(pairs) - PAIRS:,} more"] if len(pairs) > PAIRS else []
            parts.append((f"{name.capitalize()}: the first {what}", lines + more))
    return parts
