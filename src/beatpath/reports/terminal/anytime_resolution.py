"""What holds at every look, as a table and as Markdown."""

from collections.abc import Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from beatpath._text import shown
from beatpath.inference.ranks.claims import ClaimTest
from beatpath.inference.resolve.anytime_resolution import AnytimeResolution
from beatpath.reports.terminal.check import markdown

COLUMNS = ("ranks", "agent", "win rate", "beats", "loses to", "battles")
LEFT = ("ranks", "agent")


def anytime_table(found: AnytimeResolution, judged: Sequence[ClaimTest] = ()) -> RenderableType:
    """Return claims, verdict and agents for a terminal."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in COLUMNS:
        table.add_column(Text(name), justify="left" if name in LEFT else "right", overflow="fold")
    for row in found.rows():
        table.add_row(*(Text(cell) for cell in _anytime_cells(row)))
    said = [Text(sentence) for sentence in (*(one.sentence for one in judged), *found.sentences)]
    return Group(*said, Text(""), table)


def anytime_markdown(found: AnytimeResolution, judged: Sequence[ClaimTest] = ()) -> str:
    """Return claims, verdict and agents as Markdown."""
    lines = [f"- {markdown(sentence)}" for sentence in (*(one.sentence for one in judged), *found.sentences)]
    lines += ["", "| " + " | ".join(COLUMNS) + " |", "| --- | --- |" + " ---: |" * (len(COLUMNS) - 2)]
    lines += ["| " + " | ".join(markdown(cell) for cell in _anytime_cells(row)) + " |" for row in found.rows()]
    return "\n".join(lines) + "\n"


def _anytime_cells(row: dict[str, Any]) -> list[str]:
    best, worst = row["best"], row["worst"]
    ranks = f"{best:,}" if best == worst else f"{best:,}-{worst:,}"
    counts = (f"{row[name]:,}" for name in ("beats", "loses_to", "battles"))
    return [ranks, shown(row["agent"]), f"{100 * row['score']:.1f} %", *counts]
