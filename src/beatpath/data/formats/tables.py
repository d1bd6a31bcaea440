"""Generic tables: any CSV, TSV, JSON, JSON Lines or Parquet file whose columns have known or mapped roles.

Of several files, those with the same roles are read together, and those without any are skipped: a folder may also
hold notes, lists of names and other tables. Each group of files with the same columns is inspected separately; files
whose required roles fall on the same columns form one table.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import duckdb

from beatpath._errors import BeatpathError, ReadError, UsageError
from beatpath._text import listed
from beatpath.data.formats.reader import Head, Reader
from beatpath.data.layouts.ballots import read_best_worst, read_orderings, read_places, read_ranks
from beatpath.data.layouts.battles import count_pairs, read_battles
from beatpath.data.layouts.hints import mapped
from beatpath.data.layouts.role_table import RoleTable
from beatpath.data.layouts.roles import BATTLES, LAYOUTS, Layout, layout_of
from beatpath.data.layouts.scores import read_pair_counts, read_scores, read_wide_scores, read_win_matrix
from beatpath.data.sources.source import Options, Source
from beatpath.data.tables.open_table import TablePart, open_parts, table_of
from beatpath.data.tables.table import Table
from beatpath.evidence import Evidence

if TYPE_CHECKING:
    from beatpath.data.tables.frames import FrameTable

# The function that reads each layout.
READ: Mapping[str, Callable[[RoleTable], Evidence]] = {
    **dict.fromkeys(BATTLES, read_battles),
    "pair counts": read_pair_counts,
    "orderings": read_orderings,
    "best and worst": read_best_worst,
    "places": read_places,
    "places by score": read_places,
    "ranks by column": read_ranks,
    "win matrix": read_win_matrix,
    "scores": read_scores,
    "wide scores": read_wide_scores,
}
# Layouts without labels of outcomes or places.
NUMBERS = ("pair counts", "win matrix", "scores", "wide scores")
# Options that table readers apply themselves.
TABLE_OPTIONS = frozenset({"where", "keep", "to", "by"})
# Extensions of files that tables are stored in.
SUFFIXES = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".parquet")
# Extensions of files that hold text or code, whose commas separate no cells.
PROSE = (
    ".md", ".rst", ".html", ".htm", ".tex", ".bib", ".py", ".r", ".js", ".sh", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".log",
)  # fmt: skip
# Columns by which LMArena battles are recognized.
_ARENA = {"conversation_a", "evaluation_session_id", "anony", "tstamp", "judge_hash", "conv_metadata"}
WEAKEST = "wide scores"  # any names beside any numbers: used only if no clearer layout fits
# Roles with several columns, whose number may differ between files.
_MAY_DIFFER = ("matrix", "places", "options", "ranks")
Essence = tuple[str, tuple[tuple[str, str], ...]]  # a layout and the columns of its required roles


def layout_for(table: "Table | FrameTable", options: Options) -> Layout:
    """Return the layout that the user's mapping and the column names imply."""
    for column in options.keep:
        table.expression(column)
    beside = options.keep if options.columns.get("agent") == "columns" else ()  # columns of tasks, not of agents
    layout = layout_of(options.columns, table, options.lower, beside)
    if "cluster" in table.names and layout.rows_are_tasks and "cluster" not in {*layout.used, *options.keep}:
        guessed = {**layout.guessed, "cluster": "cluster"}
        return replace(layout, guessed=guessed, extra=(*options.keep, "cluster"))
    return replace(layout, extra=tuple(options.keep))


def read_as(layout: Layout, table: "Table | FrameTable", options: Options, format_name: str) -> Evidence:
    """Read a table of any engine by its layout: row by row, or as pair counts computed by the engine."""
    read, battles = READ[layout.name], layout.name in BATTLES
    if options.keep and layout.name in ("win matrix", "wide scores") and not layout.rows_are_tasks:
        raise UsageError(
            f"`keep` carries columns along row by row; in {layout.name} every column has its place already."
        )
    if options.labels and layout.name in NUMBERS:
        raise UsageError(f"`--labels` say what outcomes and places mean; {layout.name} have none. Leave them out.")
    if options.to == "pairs" and not battles and layout.name != "pair counts":
        raise UsageError(f"only battles are counted into pairs while they are read; these are {layout.name}.")
    if battles and (options.to == "pairs" or (options.to is None and table.lazy)):
        read = count_pairs
    return read(RoleTable(table, layout, options, format_name))


def read_table(sources: Sequence[Source], options: Options, name: str = "table") -> Evidence:
    """Read files of rows by the layout of their columns; LMArena battles get their clusters."""
    with open_parts(sources, options) as (con, parts):
        table = table_of(con, parts, options) if len(parts) == 1 else one_table(con, parts, options)
        options = with_sessions(table.names, options) if name == "lmarena" else options
        return read_as(layout_for(table, options), table, options, name)


def with_sessions(names: Sequence[str], options: Options) -> Options:
    """Return the options for LMArena battles: votes of one session, otherwise of one user, form a cluster."""
    sessions = ("evaluation_session_id", "judge", "judge_hash")
    cluster = next((name for name in sessions if name in names), "none")
    return replace(options, columns={"cluster": cluster, **options.columns})


def is_lmarena(names: Sequence[str]) -> bool:
    """Whether the columns are those of LMArena battles."""
    return {"model_a", "model_b", "winner"} <= set(names) and bool(_ARENA & set(names))


def one_table(con: duckdb.DuckDBPyConnection, parts: Sequence[TablePart], options: Options) -> Table:
    """Return the parts that can be read together as one table.

    Raises
    ------
    ReadError
        If files have more than one layout, so that the user must choose.
    """
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
    """The layout, and the columns of its required roles."""
    several = (*_MAY_DIFFER, "value") if layout.name == WEAKEST else _MAY_DIFFER
    return layout.name, tuple((r, layout.roles[r]) for r in LAYOUTS[layout.name]["required"] if r not in several)


def _differing(readings: dict[Essence, list[TablePart]]) -> str:
    """State which files have which layout, and how to read one group or all."""
    texts = []
    for (name, roles), parts in readings.items():
        files = [file for part in parts for file in part.files.values()]
        texts.append(f"{name}{f' ({mapped(dict(roles))})' if roles else ''} in {listed(files, 2)}")
    more = f"; and {len(texts) - 4:,} more" if len(texts) > 4 else ""
    every = [part for parts in readings.values() for part in parts]
    common = next((roles for _, roles in readings if all({c for _, c in roles} <= set(p.names) for p in every)), ())
    return (
        f"files read together must have one layout; there is {'; '.join(texts[:4])}{more}. Name the files of one of them"
        + (f", or read all by columns that all have: `--map {mapped(dict(common))}`." if common else ".")
    )


def claims_table(head: Head) -> bool:
    """Whether a file is a table, by its extension (so that a damaged one gets its own error) or its first bytes.

    Commas in prose and code do not separate cells.
    """
    if head.source.suffix in SUFFIXES:
        return True
    return head.source.suffix not in PROSE and b"\0" not in head.start[:1024] and len(head.columns) > 1


lmarena = Reader(
    "lmarena",
    "LMArena and FastChat battles: model_a, model_b, winner, with sessions or users as clusters",
    lambda head: is_lmarena(head.columns),
    partial(read_table, name="lmarena"),
    TABLE_OPTIONS,
    sign=re.compile(rb"model_a|\APAR1"),
)
reader = Reader(
    "table",
    "any table of battles, pair counts, rankings or scores, by its columns",
    claims_table,
    read_table,
    TABLE_OPTIONS,
)
