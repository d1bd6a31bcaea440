"""Several files of rows: those that say the same things are read together, those that say nothing are passed over.

A folder may hold notes, lists of names and tables of other kinds beside the data. Each group of files with the same columns is
looked at by itself; files whose required roles fall on the same columns are one table.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import duckdb

from beatpath._errors import BeatpathError, ReadError
from beatpath._text import listed, shown
from beatpath.data.layouts.roles import LAYOUTS, Layout
from beatpath.data.sources.options import Options
from beatpath.data.tables.open_table import TablePart, table_of
from beatpath.data.tables.table import Table

WEAKEST = "wide scores"  # any names beside any numbers: it gives way to whatever is clearer
_MAY_DIFFER = ("value", "matrix", "places", "options", "ranks")  # roles of several columns, of which files may have other numbers

Essence = tuple[str, ...]


def one_table(
    con: duckdb.DuckDBPyConnection,
    parts: Sequence[TablePart],
    options: Options,
    layout_for: Callable[[Table, Options], Layout],
) -> Table:
    """Return the parts that can be read, and be read together, as one table.

    Raises
    ------
    ReadError
        Where files show more than one layout: which of them is wanted only the user knows.
    """
    if len(parts) == 1:
        return table_of(con, parts, options)
    plain = replace(options, where=(), keep=())
    readings: dict[Essence, list[TablePart]] = {}
    failed: list[BeatpathError] = []
    for part in parts:
        try:
            layout = layout_for(table_of(con, [part], plain), plain)
        except BeatpathError as error:
            failed.append(error)
            continue
        readings.setdefault(_essence(layout), []).append(part)
    if not readings:
        raise failed[0]
    clear = {essence: some for essence, some in readings.items() if essence[0] != WEAKEST} or readings
    if len(clear) > 1:
        raise ReadError(_differing(clear))
    return table_of(con, next(iter(clear.values())), options)


def _essence(layout: Layout) -> Essence:
    """The layout, and the columns of the roles it must have."""
    required = [role for role in LAYOUTS[layout.name]["required"] if role not in _MAY_DIFFER]
    return layout.name, *(f"{role}={layout.roles[role]}" for role in required)


def _differing(readings: dict[Essence, list[TablePart]]) -> str:
    """Say which files show which layout, and how to read those of one."""
    told = []
    for (name, *roles), parts in readings.items():
        files = [file for part in parts for file in part.files.values()]
        columns = f" ({', '.join(map(shown, roles))})" if roles else ""
        told.append(f"{name}{columns} in {listed(files, 2)}")
    shown_here, more = told[:4], len(told) - 4
    rest = f"; and {more:,} more" if more > 0 else ""
    return (
        f"files read together must have one layout; there is {'; '.join(shown_here)}{rest}. Name the files of one of them, "
        "or map roles to columns that all of them have with `--map`."
    )
