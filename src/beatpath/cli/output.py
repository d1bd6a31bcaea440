"""Where answers go: tables and data to standard output, everything else to standard error."""

import csv
import io
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console, RenderableType
from rich.text import Text

from beatpath._schema import dumps
from beatpath._text import shown
from beatpath.cli.frame.progress import hide_progress

if TYPE_CHECKING:
    from beatpath.evidence import Evidence


def print_table(renderable: RenderableType) -> None:
    """Print for people: in colour and to the width of a terminal, plain and 120 wide when piped."""
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console = Console(highlight=False, markup=False, emoji=False, width=120, color_system=None)
    console.print(renderable)


def print_json(data: Mapping[str, Any]) -> None:
    """Print for programs; every character outside ASCII is escaped, so that nothing can act on a terminal."""
    hide_progress()
    sys.stdout.write(dumps(data, indent=2) + "\n")


def print_csv(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print rows as CSV; a text that a spreadsheet would take for a formula gets an apostrophe in front."""
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: inert(value) for key, value in row.items()} for row in rows)
    sys.stdout.write(out.getvalue())


def inert(value: Any) -> Any:
    """Return a cell that no spreadsheet runs and no terminal obeys.

    >>> inert("=HYPERLINK(1)"), inert(-1.5)
    ("'=HYPERLINK(1)", -1.5)
    """
    if not isinstance(value, str):
        return value
    text = shown(value, 10_000)
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


def say(message: str, style: str = "dim") -> None:
    """Print a line of explanation on standard error."""
    hide_progress()
    Console(stderr=True, highlight=False, markup=False, emoji=False).print(Text(message, style=style), soft_wrap=True)


def say_reading(evidence: "Evidence") -> None:
    """Say on standard error what became of the rows, where evidence was read."""
    if evidence.reading is not None:
        say(str(evidence.reading))


def with_reading(data: Mapping[str, Any], evidence: "Evidence") -> dict[str, Any]:
    """Return an answer with the account of the rows that it rests on."""
    return {**data, "reading": None if evidence.reading is None else evidence.reading.to_dict()}
