"""Several files of rows: those that say the same things are read together, those that say nothing are passed over.

A folder may hold notes, lists of names and tables of other kinds beside the data. Each group of files with the same columns is
looked at by itself; files whose required roles fall on the same columns are one table.
"""

import shlex
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
_MAY_DIFFER = (
    "matrix",
    "places",
    "options",
    "ranks",
)  # roles of several columns, of which files may have other numbers

Essence = tuple[str, tuple[tuple[str, str], ...]]


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
    several = (*_MAY_DIFFER, "value") if layout.name == WEAKEST else _MAY_DIFFER
    return layout.name, tuple((r, layout.roles[r]) for r in LAYOUTS[layout.name]["required"] if r not in several)


def _differing(readings: dict[Essence, list[TablePart]]) -> str:
    """Say which files show which layout, and how to read those of one, or all."""
    told = []
    for (name, roles), parts in readings.items():
        files = [file for part in parts for file in part.files.values()]
        told.append(f"{name}{f' ({_mapped(roles)})' if roles else ''} in {listed(files, 2)}")
    more = f"; and {len(told) - 4:,} more" if len(told) > 4 else ""
    every = [part for parts in readings.values() for part in parts]
    common = next((roles for _, roles in readings if all({c for _, c in roles} <= set(p.names) for p in every)), ())
    return (
        f"files read together must have one layout; there is {'; '.join(told[:4])}{more}. Name the files of one of them"
        + (f", or read all by columns that all have: `--map {shlex.quote(_mapped(common))}`." if common else ".")
    )


def _mapped(roles: Sequence[tuple[str, str]]) -> str:
    return ",".join(f"{role}={shown(column)}" for role, column in roles)
