"""What the data resolve, as a terminal table, Markdown and rows."""

from collections.abc import Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from beatpath.inference.resolve.resolution import ClaimTest, Resolution
from beatpath.reports.terminal.board import Board
from beatpath.reports.terminal.check import markdown

COLUMNS = ("ranks", "agent", "score", "interval", "group", "battles")
LEFT = ("ranks", "agent")


def resolution_table(found: Resolution, judged: Sequence[ClaimTest] = ()) -> RenderableType:
    """Return claims, verdict and board for a terminal."""
    rows = [_resolution_cells(row, found.board.is_share) for row in found.rows()]
    board = Board(COLUMNS, rows, left=LEFT)
    said = [Text(sentence) for sentence in _resolution_sentences(found, judged)]
    legend = f"Score: {found.board.estimand}. Groups: the order between them is certain, within one it is not."
    return Group(*said, Text(""), board, Text(legend, style="dim"))


def resolution_markdown(found: Resolution, judged: Sequence[ClaimTest] = ()) -> str:
    """Return claims, verdict and board as Markdown."""
    lines = [f"- {markdown(sentence)}" for sentence in _resolution_sentences(found, judged)]
    lines += ["", "| " + " | ".join(COLUMNS) + " |", "| --- | --- |" + " ---: |" * (len(COLUMNS) - 2)]
    lines += [
        "| " + " | ".join(markdown(cell) for cell in _resolution_cells(row, found.board.is_share)) + " |"
        for row in found.rows()
    ]
    return "\n".join([*lines, "", f"Score: {markdown(found.board.estimand)}."]) + "\n"


def _resolution_sentences(found: Resolution, judged: Sequence[ClaimTest]) -> list[str]:
    return [*(one.sentence for one in judged), *found.sentences, *found.notes]


def _resolution_cells(row: dict[str, Any], is_share: bool) -> list[str]:
    """The cells of a row as people read them: shares in per cent, other scores in five figures."""

    def number(value: float) -> str:
        return f"{100 * value:.1f}" if is_share else f"{value:,.3f}" if abs(value) < 1000 else f"{value:,.0f}"

    ranks = f"{row['best']}" if row["best"] == row["worst"] else f"{row['best']}-{row['worst']}"
    known = row["score"] is not None
    unit = " %" if is_share else ""
    interval = f"{number(row['low'])} to {number(row['high'])}{unit}" if known and row["low"] is not None else "-"
    score = f"{number(row['score'])}{unit}" if known else "-"
    return [ranks, row["agent"], score, interval, str(row["group"] or "-"), f"{row['battles']:,}"]
