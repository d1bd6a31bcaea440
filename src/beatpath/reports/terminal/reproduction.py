"""Published figures beside ours: the lines that a reproduction prints, and whether they agree."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from rich.console import Console
from rich.table import Table
from rich.text import Text

from beatpath._result import SCHEMA_VERSION
from beatpath._schema import dumps

MARKS = {True: "agrees", False: "differs", None: "explained"}


@dataclass(frozen=True, slots=True)
class Line:
    """One figure: what it is, what was published, what we find, whether they agree (``None``: differs for the reason noted)."""

    what: str
    published: str
    ours: str
    agrees: bool | None
    note: str = ""


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
        table = Table(title=title, title_justify="left", title_style="bold", box=None, padding=(0, 2, 0, 0))
        for name in ("", "published", "ours", "", "note"):
            table.add_column(name, overflow="fold")
        for line in lines:
            table.add_row(*map(Text, (line.what, line.published, line.ours, MARKS[line.agrees], line.note)))
        console = Console(highlight=False)
        console = console if console.is_terminal else Console(highlight=False, width=120, color_system=None)
        console.print(table, Text(summary))
    return int(any(line.agrees is False for line in lines))
