"""Compare published figures with ours: the table that a reproduction prints, and whether they agree."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rich.console import Console

from beatpath._result import Record, Result
from beatpath._schema import dumps
from beatpath.reports.terminal import Terminal
from beatpath.reports.view import Column, Table, View

MARKS = {True: "agrees", False: "differs", None: "explained"}  # how `Line.agrees` is printed


@dataclass(frozen=True, slots=True)
class Line(Record):
    """A published number next to ours.

    Attributes
    ----------
    what : str
        What the number is.
    published : str
        The value in the paper.
    ours : str
        Our value.
    agrees : bool or None
        Whether they agree; ``None`` if they differ for the reason in `note`.
    note : str
        An explanation.
    """

    what: str
    published: str
    ours: str
    agrees: bool | None
    note: str = ""


# Columns of the table.
COLUMNS = (
    Column("", lambda line: line.what, left=True, folds=True),
    Column("published", lambda line: line.published, left=True, folds=True),
    Column("ours", lambda line: line.ours, left=True, folds=True),
    Column("", lambda line: MARKS[line.agrees], left=True, folds=True),
    Column("note", lambda line: line.note, left=True, folds=True),
)


@dataclass(frozen=True, slots=True, repr=False)
class Reproduction(Result):
    """A table of a paper next to ours.

    Attributes
    ----------
    title : str
        The title of the reproduction.
    lines : sequence of Line
        One line per number.
    """

    title: str
    lines: Sequence[Line]

    @property
    def sentences(self) -> tuple[str, ...]:
        """How many numbers agree."""
        agreed = sum(line.agrees is True for line in self.lines)
        explained = sum(line.agrees is None for line in self.lines)
        return (f"{agreed} of {len(self.lines)} figures agree, {explained} differ for the reason noted",)

    def view(self) -> View:
        """Return the table with the summary below it."""
        return View(tables=[Table(COLUMNS, self.lines, title=self.title)], lists=[("", self.sentences)])


def show(title: str, lines: Sequence[Line], form: str = "table") -> int:
    """Print the lines as a table or as JSON, and return the exit status: 1 if a number differs without a reason."""
    # converts numpy booleans too
    lines = [replace(line, agrees=None if line.agrees is None else bool(line.agrees)) for line in lines]
    reproduction = Reproduction(title, lines)
    if form == "json":
        print(dumps(reproduction.to_dict(), indent=2))
    else:
        console = Console(highlight=False)
        console = console if console.is_terminal else Console(highlight=False, width=120, color_system=None)
        console.print(Terminal(reproduction.view()))
    return int(any(line.agrees is False for line in lines))
