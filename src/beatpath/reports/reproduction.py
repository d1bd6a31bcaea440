"""Published figures beside ours: the lines that a reproduction prints, and whether they agree."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from rich.console import Console

from beatpath._result import SCHEMA_VERSION
from beatpath._schema import dumps
from beatpath.reports.terminal import terminal
from beatpath.reports.view import Column, Table, View

MARKS = {True: "agrees", False: "differs", None: "explained"}


@dataclass(frozen=True, slots=True)
class Line:
    """One figure: what it is, what was published, what we find, whether they agree (``None``: differs for the reason noted)."""

    what: str
    published: str
    ours: str
    agrees: bool | None
    note: str = ""


COLUMNS = (
    Column("", lambda line: line.what, left=True, folds=True),
    Column("published", lambda line: line.published, left=True, folds=True),
    Column("ours", lambda line: line.ours, left=True, folds=True),
    Column("", lambda line: MARKS[line.agrees], left=True, folds=True),
    Column("note", lambda line: line.note, left=True, folds=True),
)


def show(title: str, lines: Sequence[Line], form: str = "table") -> int:
    """Print the lines as a table or as JSON, and return the exit status: 1 if any figure differs without a reason."""
    lines = [replace(line, agrees=None if line.agrees is None else bool(line.agrees)) for line in lines]  # numpy's too
    agreed = sum(line.agrees is True for line in lines)
    explained = sum(line.agrees is None for line in lines)
    summary = f"{agreed} of {len(lines)} figures agree, {explained} differ for the reason noted"
    if form == "json":
        rows = [asdict(line) for line in lines]
        made = {"schema_version": SCHEMA_VERSION, "type": "reproduction", "title": title, "lines": rows}
        print(dumps(made, indent=2))
    else:
        console = Console(highlight=False)
        console = console if console.is_terminal else Console(highlight=False, width=120, color_system=None)
        console.print(terminal(View(tables=[Table(COLUMNS, lines, title=title)], lists=[("", [summary])])))
    return int(any(line.agrees is False for line in lines))
