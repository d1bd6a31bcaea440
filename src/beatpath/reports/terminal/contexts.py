"""Boards by context and of a mixture, as terminal tables and Markdown."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.text import Text

from beatpath._text import shown
from beatpath.reports.terminal.board import Board
from beatpath.reports.terminal.check import markdown

if TYPE_CHECKING:
    from beatpath.inference.ranks.claims import ClaimTest
    from beatpath.inference.resolve.context_resolution import ContextResolution

LEFT = ("ranks", "agent")
CONTEXTS = 5  # that are shown beside the mixture


def contexts_table(found: "ContextResolution", judged: "Sequence[ClaimTest]" = ()) -> RenderableType:
    """Return claims, what was found, the board of the mixture and the scores by context for a terminal."""
    names, rows = _scores_by_context(found)
    heads = ("agent", *(shown(name, 24) for name in names))
    said = [Text(sentence) for sentence in _sentences(found, judged)]
    mixed = Board(_columns(found), [_cells(row, found.board.is_share) for row in _mixed(found)], left=LEFT)
    legend = Text(_legend(found, names), style="dim")
    return Group(*said, Text(""), mixed, Text(""), Board(heads, rows, left=LEFT), legend)


def contexts_markdown(found: "ContextResolution", judged: "Sequence[ClaimTest]" = ()) -> str:
    """Return claims, what was found, the board of the mixture and the scores by context as Markdown."""
    names, rows = _scores_by_context(found)
    lines = [f"- {markdown(sentence)}" for sentence in _sentences(found, judged)]
    lines += ["", *_markdown_table(_columns(found), [_cells(row, found.board.is_share) for row in _mixed(found)], 2)]
    lines += ["", *_markdown_table(("agent", *map(shown, names)), rows, 1)]
    return "\n".join([*lines, "", markdown(_legend(found, names))]) + "\n"


def _columns(found: "ContextResolution") -> tuple[str, ...]:
    return ("ranks", "agent", "score", "interval", f"{found.unit}s")


def _markdown_table(heads: Sequence[str], rows: list[list[str]], left: int) -> list[str]:
    marks = "|" + " --- |" * left + " ---: |" * (len(heads) - left)
    return [
        f"| {' | '.join(map(markdown, heads))} |",
        marks,
        *(f"| {' | '.join(map(markdown, row))} |" for row in rows),
    ]


def _sentences(found: "ContextResolution", judged: "Sequence[ClaimTest]") -> list[str]:
    return [*(one.sentence for one in judged), *found.sentences, *found.notes]


def _mixed(found: "ContextResolution") -> list[dict[str, Any]]:
    return [row for row in found.rows() if row["context"] is None]


def _scores_by_context(found: "ContextResolution") -> tuple[list[str], list[list[str]]]:
    """The contexts with most battles, and every agent's score in each with its interval, in the order of the mixture."""
    names = found.largest(CONTEXTS)
    by = {(row["context"], row["agent"]): row for row in found.rows()}
    agents = [row["agent"] for row in _mixed(found)]
    return names, [[agent, *(_score(by[name, agent], found.board.is_share) for name in names)] for agent in agents]


def _score(row: dict[str, Any], share: bool) -> str:
    """A score and its interval in few figures."""
    score, low, high = (_number(row[name], share, 0 if share else 1) for name in ("score", "low", "high"))
    return f"{score} ({low} to {high})"


def _number(value: float | None, share: bool, digits: int) -> str:
    return "-" if value is None else f"{100 * value if share else value:.{digits}f}"


def _legend(found: "ContextResolution", names: Sequence[str]) -> str:
    unit = " in per cent" if found.board.is_share else ""
    rest = len(found.contexts) - len(names)
    which = f"{len(names)} of {len(found.contexts)} contexts" if rest else "every context"
    listing = f"--format csv or json lists all, with the scores that a context's own {found.unit}s alone give."
    return f"Score: {found.board.estimand}. Below, scores{unit} in {which}, with intervals; {listing}"


def _cells(row: dict[str, Any], share: bool) -> list[str]:
    """The cells of a row of the mixture as people read them: shares in per cent, strengths in log odds."""
    score, low, high = (_number(row[name], share, 1 if share else 2) for name in ("score", "low", "high"))
    unit = " %" if share else ""
    ranks = f"{row['best']}" if row["best"] == row["worst"] else f"{row['best']}-{row['worst']}"
    return [ranks, row["agent"], f"{score}{unit}", f"{low} to {high}{unit}", f"{row['battles']:,}"]
