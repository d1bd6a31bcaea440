"""A board of more agents than a terminal shows, as a table of its first and as Markdown."""

from collections.abc import Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from beatpath._text import shown
from beatpath.inference.ranks.claims import ClaimTest
from beatpath.inference.resolve.long_board import LongBoard
from beatpath.reports.terminal.check import markdown

COLUMNS = ("ranks", "agent", "score", "interval", "battles", "ranks of all")
LEFT = ("ranks", "agent")
SHOWN = 40


def long_board_table(found: LongBoard, judged: Sequence[ClaimTest] = ()) -> RenderableType:
    """Return claims, verdict and the first agents for a terminal."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in COLUMNS:
        table.add_column(Text(name), justify="left" if name in LEFT else "right", overflow="fold")
    for row in _first_rows(found):
        table.add_row(*(Text(cell) for cell in _long_board_cells(row, found.is_share)))
    said = [Text(sentence) for sentence in _long_board_sentences(found, judged)]
    return Group(*said, Text(""), table, Text(_the_others(found), style="dim"))


def long_board_markdown(found: LongBoard, judged: Sequence[ClaimTest] = ()) -> str:
    """Return claims, verdict and the first agents as Markdown."""
    lines = [f"- {markdown(sentence)}" for sentence in _long_board_sentences(found, judged)]
    lines += ["", "| " + " | ".join(COLUMNS) + " |", "| --- | --- |" + " ---: |" * (len(COLUMNS) - 2)]
    lines += [
        "| " + " | ".join(markdown(cell) for cell in _long_board_cells(row, found.is_share)) + " |"
        for row in _first_rows(found)
    ]
    return "\n".join([*lines, "", markdown(_the_others(found))]) + "\n"


def _long_board_sentences(found: LongBoard, judged: Sequence[ClaimTest]) -> list[str]:
    return [*(one.sentence for one in judged), *found.sentences, *found.notes]


def _first_rows(found: LongBoard) -> list[dict[str, Any]]:
    return [row for row in found.rows() if row["best_of_known"] is not None][:SHOWN]


def _the_others(found: LongBoard) -> str:
    known = int(found.known.sum())
    who = "" if known == len(found.agents) else f" among the {known:,} agents with the most battles"
    ranks = f"Ranks: which intervals that hold at once leave{who}. Interval: of this score by itself."
    return f"{ranks} --format csv or json lists all {len(found.agents):,} agents."


def _long_board_cells(row: dict[str, Any], is_share: bool) -> list[str]:
    """The cells of a row as people read them: shares in per cent, other scores in five figures."""

    def number(value: float | None) -> str:
        if value is None:
            return "-"
        return f"{100 * value:.1f}" if is_share else f"{value:,.3f}" if abs(value) < 1000 else f"{value:,.0f}"

    def span(best: int, worst: int) -> str:
        return f"{best:,}" if best == worst else f"{best:,}-{worst:,}"

    ranks, of_all = span(row["best_of_known"], row["worst_of_known"]), span(row["best"], row["worst"])
    unit = " %" if is_share else ""
    interval = "-" if row["low"] is None else f"{number(row['low'])} to {number(row['high'])}{unit}"
    return [ranks, shown(row["agent"]), f"{number(row['score'])}{unit}", interval, f"{row['battles']:,}", of_all]
