"""The first rows of a file, and what its columns seem to mean: what somebody looks at before reading all of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from beatpath._errors import DataError
from beatpath.data.formats import reader_named
from beatpath.data.formats.tables import TABLE_OPTIONS, layout_for
from beatpath.data.layouts.peek import Peek
from beatpath.data.layouts.roles import SEPARATOR, layout_of
from beatpath.data.layouts.together import one_table
from beatpath.data.read import reader_of
from beatpath.data.sources.find import find
from beatpath.data.sources.options import Options
from beatpath.data.tables.database import reading_errors
from beatpath.data.tables.open_table import open_parts
from beatpath.data.tables.table import Table

ROWS = 8
LOOKED_AT = 1000  # rows whose values are offered to choose from
VALUES = 40
LONGEST = 200  # signs of a cell


@dataclass(frozen=True, slots=True)
class Preview:
    """What the beginning of a file shows.

    Attributes
    ----------
    format : str
        The format that claims the file.
    columns : tuple of str
        Of a table; empty where the file is none.
    rows : tuple of rows
        The first few, as texts; a cell that is empty is ``None``.
    values : mapping of column to texts
        The commonest values among the first rows.
    layout : str
        How the table would be read; empty where its columns do not show it.
    roles : mapping of role to columns
        What columns mean, given or guessed; several are joined by ``+``.
    guessed : tuple of str
        The roles that were not given.
    """

    format: str
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str | None, ...], ...] = ()
    values: Mapping[str, tuple[str, ...]] | None = None
    layout: str = ""
    roles: Mapping[str, str] | None = None
    guessed: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "format": self.format,
            "columns": list(self.columns),
            "rows": [list(row) for row in self.rows],
            "values": {column: list(texts) for column, texts in (self.values or {}).items()},
            "layout": self.layout,
            "roles": dict(self.roles or {}),
            "guessed": list(self.guessed),
        }


def preview(
    path: str,
    *,
    format: str | None = None,
    map: Mapping[str, str] | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
) -> Preview:
    r"""Return the first rows of a file, folder or glob, and what its columns seem to mean.

    Parameters
    ----------
    path : str
    format, map, encoding, delimiter
        As for `read`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "games.csv"
    >>> _ = path.write_text("left,right,winner\nada,bob,left\nbob,ada,tie\n")
    >>> found = preview(str(path))
    >>> found.layout, found.roles["outcome"], found.rows[0]
    ('battles', 'winner', ('ada', 'bob', 'left'))
    """
    sources = find(path)
    reader, claimed = (reader_named(format), sources) if format else reader_of(sources)
    if not reader.heeds >= TABLE_OPTIONS:  # no table
        return Preview(reader.name)
    options = Options(dict(map or {}), encoding=encoding, delimiter=delimiter)
    with open_parts(claimed, options) as (con, parts):
        table = one_table(con, parts, options, layout_for)
        rows = _first_rows(table)
        layout, roles, guessed = _layout_and_roles(table, map or {})
        return Preview(reader.name, table.names, rows[:ROWS], _values(table.names, rows), layout, roles, guessed)


def format_of(path: str) -> str:
    """Return the name of the format that claims a file, folder or glob, or raise where none does."""
    return reader_of(find(path))[0].name


def _first_rows(table: Table) -> tuple[tuple[str | None, ...], ...]:
    """The first rows, every cell as a text that is not too long."""
    cells = ", ".join(f"left({table.text(name)}, {LONGEST})" for name in table.names)
    with reading_errors(table.sources):
        return tuple(table.con.execute(f"SELECT {cells} FROM rows LIMIT {LOOKED_AT}").fetchall())


def _values(names: tuple[str, ...], rows: tuple[tuple[str | None, ...], ...]) -> dict[str, tuple[str, ...]]:
    """The values of every column, the commonest first."""
    found: dict[str, tuple[str, ...]] = {}
    for k, name in enumerate(names):
        times: dict[str, int] = {}
        for row in rows:
            if (cell := row[k]) is not None:
                times[cell] = times.get(cell, 0) + 1
        found[name] = tuple(sorted(times, key=lambda text: (-times[text], text))[:VALUES])
    return found


def _layout_and_roles(table: Table, given: Mapping[str, str]) -> tuple[str, dict[str, str], tuple[str, ...]]:
    """The layout, its roles, and which of them are guesses; no layout where the columns do not show one."""
    peek = Peek(table.names, table.is_number, table.mostly_numbers, table.distinct, table.first)
    try:
        found = layout_of(given, peek, table.has, table.sources[0])
    except DataError:
        return "", {role: column for role, column in given.items() if column != "none"}, ()
    roles = {role: columns.replace("\x1f", SEPARATOR) for role, columns in found.roles.items()}
    return found.name, roles, tuple(role for role in roles if role in found.guessed)
