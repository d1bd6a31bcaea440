"""What the data resolve, as a terminal table, Markdown and rows."""

from collections.abc import Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from beatpath._typing import TierScheme
from beatpath.inference.ranks.claims import ClaimTest
from beatpath.inference.ranks.tiers import tiers
from beatpath.inference.resolve.pairwise_resolution import PairwiseResolution as Resolution
from beatpath.reports.terminal.board import Board
from beatpath.reports.terminal.check import markdown

COLUMNS = ("ranks", "agent", "score", "interval", "battles")  # after the tier, the letters or the group
LEFT = ("tier", "letters", "group", "ranks", "agent")


def resolution_table(found: Resolution, judged: Sequence[ClaimTest] = (), scheme: TierScheme = "top") -> RenderableType:
    """Return claims, verdict and board for a terminal, tiers first."""
    steps = tiers(found, scheme)
    labels = dict(zip(found.agents, steps.labels, strict=True))
    rows = [[labels[row["agent"]] or "-", *_resolution_cells(row, found.board.is_share)] for row in found.rows()]
    board = Board((steps.heading, *COLUMNS), rows, left=LEFT)
    said = [Text(sentence) for sentence in _resolution_sentences(found, judged)]
    legend = [f"Score: {found.board.estimand}.", " ".join(steps.sentences)]
    return Group(*said, Text(""), board, *(Text(line, style="dim") for line in legend))


def resolution_markdown(found: Resolution, judged: Sequence[ClaimTest] = (), scheme: TierScheme = "top") -> str:
    """Return claims, verdict and board as Markdown; the table and the lines below it can stand in a README by themselves."""
    steps = tiers(found, scheme)
    labels = dict(zip(found.agents, steps.labels, strict=True))
    lines = [f"- {markdown(sentence)}" for sentence in _resolution_sentences(found, judged)]
    lines += ["", "| " + " | ".join((steps.heading, *COLUMNS)) + " |", "| --- | --- | --- |" + " ---: |" * 3]
    for row in found.rows():
        cells = [labels[row["agent"]] or "-", *_resolution_cells(row, found.board.is_share)]
        lines.append("| " + " | ".join(markdown(cell) for cell in cells) + " |")
    below = [f"Score: {found.board.estimand}.", *steps.sentences]
    return "\n".join([*lines, "", markdown(" ".join(below))]) + "\n"


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
    return [ranks, row["agent"], score, interval, f"{row['battles']:,}"]
