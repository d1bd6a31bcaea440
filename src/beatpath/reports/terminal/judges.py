"""Judges as a terminal table and Markdown."""

from rich.console import Group, RenderableType
from rich.text import Text

from beatpath._text import counted, shown
from beatpath.inference.judges.judges_result import Judges
from beatpath.reports.terminal.board import Board
from beatpath.reports.terminal.check import markdown

REST = "--format csv shows all"
TOLD = ("first without it", "falls out")  # in sentences, above the table


def judges_table(found: Judges) -> RenderableType:
    """Return the sentences, then one row a judge, those that fall out first."""
    rows = [{name: value for name, value in row.items() if name not in TOLD} for row in found.rows()]
    parts: list[RenderableType] = [Text(sentence) for sentence in found.sentences]
    cells = [tuple(_cell(value) for value in row.values()) for row in rows]
    parts += [Text(""), Board(tuple(rows[0]), cells, names="judge", left=("judge",), rest=REST)]
    return Group(*parts, *([Text(_more(found), style="dim")] if _more(found) else []))


def judges_markdown(found: Judges) -> str:
    """Return the sentences and the rows as Markdown."""
    rows = found.rows()
    lines = [f"- {markdown(sentence)}" for sentence in found.sentences]
    lines += ["", "| " + " | ".join(map(markdown, rows[0])) + " |", "| " + " --- |" * len(rows[0])]
    lines += ["| " + " | ".join(markdown(_cell(value)) for value in row.values()) + " |" for row in rows]
    return "\n".join([*lines, *(["", _more(found)] if _more(found) else [])]) + "\n"


def _more(found: Judges) -> str:
    left = len(found.judges) - len(found.rows())
    return f"{counted(left, 'more judge')}." if left else ""


def _cell(value: object) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.2f}" if isinstance(value, float) else shown(value)
