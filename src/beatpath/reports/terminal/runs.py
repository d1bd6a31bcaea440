"""What runs say, as a terminal table and Markdown."""

from rich.console import Group, RenderableType
from rich.text import Text

from beatpath.analysis.run_findings import RunFindings
from beatpath.reports.terminal.board import Board
from beatpath.reports.terminal.check import markdown

REST = "--format csv shows all"


def runs_table(found: RunFindings) -> RenderableType:
    """Return the sentences, then one row an agent, the best interquartile mean first."""
    rows = found.rows()
    cells = [tuple(row.values()) for row in rows]
    return Group(
        *map(Text, found.sentences), Text(""), Board(tuple(rows[0]), cells, names="agent", left=("agent",), rest=REST)
    )


def runs_markdown(found: RunFindings) -> str:
    """Return the sentences and the rows as Markdown."""
    rows = found.rows()
    lines = [f"- {markdown(sentence)}" for sentence in found.sentences]
    lines += ["", "| " + " | ".join(rows[0]) + " |", "| " + " --- |" * len(rows[0])]
    lines += ["| " + " | ".join(markdown(cell) for cell in row.values()) + " |" for row in rows]
    return "\n".join(lines) + "\n"
