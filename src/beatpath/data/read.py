"""Read files and data frames: `read` evidence, `preview` a file before reading, `read_agents` for a table of agents."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import signature
from typing import Any, Never, get_args

import numpy as np

from beatpath._coerce import EvidenceLike
from beatpath._errors import DataError, ReadError, UsageError
from beatpath._result import Record
from beatpath._text import counted, listed, quoted, shown
from beatpath._typing import Engine, ReadTo, Repeats, SelfBattles
from beatpath._validate import require_choice
from beatpath.data.formats import reader_named, readers
from beatpath.data.formats.reader import Head, Reader
from beatpath.data.formats.tables import TABLE_OPTIONS, layout_for, one_table, read_as
from beatpath.data.layouts.roles import SEPARATOR, layout_of
from beatpath.data.sources.source import Options, Source, find, is_address, open_sources, unchanged
from beatpath.data.tables.cells import chosen
from beatpath.data.tables.database import reading_errors
from beatpath.data.tables.open_table import open_parts, open_table, table_of
from beatpath.data.tables.table import Table
from beatpath.data.tables.words import AGENT_WORDS, WORDS, for_file
from beatpath.evidence import Ballots, Battles, Evidence, Pairs, Scores
from beatpath.evidence.conventions import require_options

ROWS = 8  # rows of a preview
LOOKED_AT = 1000  # rows whose values a preview lists
VALUES = 40  # most values of a column that a preview lists
LONGEST = 200  # longest cell of a preview, in characters
Cell = float | str | None  # a value in a table of agents


def read(
    source: EvidenceLike,
    *,
    format: str | None = None,
    map: Mapping[str, str] | None = None,
    labels: Mapping[str, str] | None = None,
    where: Sequence[str] = (),
    keep: Sequence[str] = (),
    lower: Sequence[str] = (),
    encoding: str | None = None,
    delimiter: str | None = None,
    self_battles: SelfBattles = "drop",
    repeats: Repeats = "error",
    to: ReadTo | None = None,
    by: Sequence[str] | None = None,
    engine: Engine | None = None,
    engine_options: Mapping[str, object] | None = None,
    **unknown: Never,
) -> Evidence:
    r"""Read battles, rankings or scores from files or data frames, and account for every row.

    The format, the layout and the roles of the columns are inferred; options override them. A row is used or dropped
    for a stated reason, never silently.

    Parameters
    ----------
    source : path, list of paths, address, "-", frame, dict or evidence
        A file, folder or glob; a list of them, read together; an address such as ``s3://bucket/*.parquet``; standard
        input; a data frame of pandas, Polars, PyArrow, DuckDB, Dask, Spark, Ray or any other library that narwhals
        supports; a dataset of Hugging Face; a dict of columns, or a list of
        records; or a dict of frames, whose keys are the tasks (the agents, where the frames name none). Evidence is returned as it is.
    format : str, optional
        One of the names that ``beatpath formats`` lists; by default inferred from the file.
    map : mapping of role to column, optional
        Roles of columns, instead of those inferred from their names: ``{"agent_a": "left", "outcome": "label"}``.
        Join several columns with ``+``; ``none`` leaves a role empty.
    labels : mapping of label to meaning, optional
        Meanings of outcome labels: ``a``, ``b``, ``tie``, ``both_bad`` or ``drop``; of place labels: ``last`` or
        ``drop``.
    where : sequence of str, optional
        Conditions such as ``anony=true`` or ``turn<=2``; rows that do not satisfy all of them are dropped.
    keep : sequence of str, optional
        Further columns to keep. Counts by an engine are split by them, and by cluster.
    lower : sequence of str, optional
        Metrics or tasks for which lower is better.
    encoding, delimiter : str, optional
        Encoding and delimiter of text files; by default inferred.
    self_battles : {"drop", "error"}
        Drop battles of an agent against itself and count them in the account (default), or raise an error.
    repeats : {"error", "best"}
        Raise an error if a ballot ranks an agent twice (default), or keep its best place.
    to : {"battles", "pairs"}, optional
        Individual battles, or pair counts computed where the data are stored. By default battles from files and
        frames in memory, and counts from lazy frames and engines.
    by : sequence of str, optional
        Roles or columns that split the counts. By default engines split them by cluster, if there is one.
    engine : {"duckdb", "spark", "dask", "ray"}, optional
        The library that opens the files and counts; an existing session is reused. Addresses default to DuckDB.
    engine_options : mapping, optional
        Options of a new session: settings of DuckDB; ``master`` and ``spark.*`` of Spark; ``address`` or
        ``scheduler`` of Dask; ``address``, ``namespace``, ``num_cpus`` and ``object_store_memory`` of Ray.
    **unknown
        Any other option raises an error that suggests the nearest valid one.

    Returns
    -------
    Battles, Ballots, Scores, Pairs, Margins or WinRates
        The kind that the data hold. Its `reading` states what was guessed, and how many rows were read, used and
        dropped, with reasons.

    Raises
    ------
    ReadError
        If a file is damaged, or no format matches.
    UnknownLabel
        If an outcome label has no known meaning; the message lists all labels with their counts.
    UsageError
        If options contradict each other.

    See Also
    --------
    preview : Look at a file before reading it.
    write : Save evidence to a file.

    Examples
    --------
    >>> import csv, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "games.csv"
    >>> _ = path.write_text("left,right,winner\nada,bob,left\nbob,ada,tie\n")
    >>> battles = read(path)
    >>> battles
    Battles(2 agents, 2 battles)
    >>> battles.reading.guessed["agent_a"]
    'left'
    """
    if unknown:
        require_options(unknown, OPTIONS)
    meant, named = dict(map or {}), dict(labels or {})
    options = Options(meant, named, where, keep, lower, encoding, delimiter, self_battles, repeats, to, by or ())
    sources: list[Any] = list(source) if isinstance(source, list | tuple) else [source]
    if engine is None and any(is_address(one) for one in sources):
        engine = "duckdb"
    _require_consistent(options, engine, engine_options)
    if isinstance(source, Evidence):
        return source
    if not all(isinstance(one, str | os.PathLike) for one in sources):
        return _read_frame(source, options, engine)
    if engine is None:
        return _read_files(sources, format, options)
    from beatpath.data.engines import read_with

    evidence = read_with(engine, dict(engine_options or {}), sources, format, options, by_cluster=by is None)
    if options.where:
        _require_rows(evidence, options)
    return evidence


def _require_consistent(options: Options, engine: Engine | None, engine_options: Mapping[str, object] | None) -> None:
    """Raise an error if options contradict each other."""
    if engine is not None:
        require_choice("engine", engine, get_args(Engine))
    if options.keep and options.to == "pairs":
        raise UsageError("`keep` carries columns along row by row; pair counts are split by columns with `by`.")
    if options.by and options.to != "pairs" and (engine is None or options.to is not None):
        raise UsageError("`by` splits pair counts; it goes with `to='pairs'`.")
    if engine_options and engine is None:
        raise UsageError("`engine_options` start an engine; name it with `engine`.")


def _read_frame(source: Any, options: Options, engine: Engine | None) -> Evidence:
    """Read a data frame by its columns."""
    if engine is not None:
        raise UsageError("`engine` opens files; a frame is counted by the engine that holds it. Leave `engine` out.")
    from beatpath.data.engines import frame_table

    table = frame_table(source, tuple(options.where))
    try:
        return read_as(layout_for(table, options), table, options, "frame")
    except ReadError as error:
        index = [name for name in getattr(getattr(source, "index", None), "names", ()) if name is not None]
        if not index:
            raise
        raise ReadError(
            f"{error} The index of the frame, {listed(index)}, is not read: `reset_index()` makes it a column."
        ) from error


# the keyword arguments of `read`
OPTIONS = tuple(name for name, one in signature(read).parameters.items() if one.kind is one.KEYWORD_ONLY)


def _read_files(paths: Sequence[str | os.PathLike[str]], format_name: str | None, options: Options) -> Evidence:
    """Find the files and the reader that claims them, and read them together."""
    with open_sources(paths) as sources:
        if not sources:
            raise UsageError("`source` must name at least one file; the list is empty.")
        with unchanged(sources):
            reader, claimed = reader_of(sources) if format_name is None else (reader_named(format_name), sources)
            if options.keep and "keep" not in reader.heeds:
                raise UsageError(f"`keep` carries columns of a table along; {reader.name} files are none.")
            evidence = reader.read(claimed, options)
            if options.where and "where" not in reader.heeds:
                evidence = chosen(evidence, options.where)
            if options.to == "pairs" and "to" not in reader.heeds and not isinstance(evidence, Pairs):
                if not isinstance(evidence, Battles | Ballots | Scores):
                    raise UsageError(
                        f"only battles, ballots and scores can be counted into pairs; these are {evidence.kind}."
                    )
                evidence = evidence.pairs(options.by)
            if options.where:
                _require_rows(evidence, options)
            return evidence if len(sources) == 1 else _account_for(evidence, sources)


def _require_rows(evidence: Evidence, options: Options) -> None:
    """Raise an error if no row satisfies the conditions, instead of returning empty evidence."""
    reading = evidence.reading
    if reading is not None and reading.rows_read and not reading.rows_used:
        raise ReadError(
            f"`--where` must leave rows to read; {' and '.join(map(quoted, options.where))} leaves none of "
            f"{counted(reading.rows_read, 'row')}. = and != compare texts, the other signs numbers."
        )


def reader_of(sources: Sequence[Source]) -> tuple[Reader, list[Source]]:
    """Return the first reader that claims any of the files, and the files it claims."""
    heads = list(map(Head, sources))
    empty = [head.source.name for head in heads if not head.start]
    if len(empty) == len(heads):
        raise ReadError(f"{shown(empty[0])} must hold data; the file is empty.")
    for reader in readers():
        claimed = [head.source for head in heads if head.start and reader.takes(head)]
        if claimed:
            return reader, claimed
    advice = WORDS["converted"].get(sources[0].suffix.replace("yaml", "yml"), WORDS["converted"][""])
    raise ReadError(
        f"{listed([src.name for src in sources], 2)} must be in a format that beatpath knows; it is none of them. "
        + for_file(advice, shown(sources[0].name))
    )


def _account_for(evidence: Evidence, sources: Sequence[Source]) -> Evidence:
    """Add the files that were skipped to the account of the reading."""
    reading = evidence.reading
    over = [src.name for src in sources if reading is not None and src.name not in reading.sources]
    if reading is None or not over:
        return evidence
    note = f"passed over {counted(len(over), 'other file')}: {listed(over, 3)}"
    return replace(evidence, reading=replace(reading, notes=(*reading.notes, note)))


@dataclass(frozen=True, slots=True)
class Preview(Record):
    """The beginning of a file: its format, columns, first rows, and the inferred roles.

    Attributes
    ----------
    format : str
        The format that claims the file.
    columns : tuple of str
        Columns of a table; empty if the file is not a table.
    rows : tuple of rows
        The first rows as strings; an empty cell is ``None``.
    values : mapping of column to texts
        The most common values among the first rows.
    layout : str
        The layout that the columns imply; empty if they imply none.
    roles : mapping of role to columns
        Roles of columns, given or guessed; several columns are joined by ``+``.
    guessed : tuple of str
        The roles that were guessed.
    """

    format: str
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str | None, ...], ...] = ()
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    layout: str = ""
    roles: Mapping[str, str] = field(default_factory=dict)
    guessed: tuple[str, ...] = ()


def preview(
    path: str,
    *,
    format: str | None = None,
    map: Mapping[str, str] | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
) -> Preview:
    r"""Return the first rows of a file, folder or glob, and the inferred roles of its columns.

    Use it to check how `read` would interpret a file.

    Parameters
    ----------
    path : str
        A file, folder or glob.
    format, map, encoding, delimiter
        As for `read`.

    Returns
    -------
    Preview

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "games.csv"
    >>> _ = path.write_text("left,right,winner\nada,bob,left\nbob,ada,tie\n")
    >>> result = preview(str(path))
    >>> result.layout, result.roles["outcome"], result.rows[0]
    ('battles', 'winner', ('ada', 'bob', 'left'))
    """
    sources = find(path)
    reader, claimed = (reader_named(format), sources) if format else reader_of(sources)
    if not reader.heeds >= TABLE_OPTIONS:  # not a table
        return Preview(reader.name)
    options = Options(dict(map or {}), encoding=encoding, delimiter=delimiter)
    with open_parts(claimed, options) as (con, parts):
        table = table_of(con, parts, options) if len(parts) == 1 else one_table(con, parts, options)
        rows = _first_rows(table)
        layout, roles, guessed = _layout_and_roles(table, map or {})
        return Preview(reader.name, table.names, rows[:ROWS], _values(table.names, rows), layout, roles, guessed)


def format_of(path: str) -> str:
    """Return the name of the format that claims a file, folder or glob, or raise an error if none does."""
    return reader_of(find(path))[0].name


def _first_rows(table: Table) -> tuple[tuple[str | None, ...], ...]:
    """The first rows, with cells as truncated strings."""
    cells = ", ".join(f"left({table.text(name)}, {LONGEST})" for name in table.names)
    with reading_errors(table.sources):
        return tuple(table.con.execute(f"SELECT {cells} FROM rows LIMIT {LOOKED_AT}").fetchall())


def _values(names: tuple[str, ...], rows: tuple[tuple[str | None, ...], ...]) -> dict[str, tuple[str, ...]]:
    """The values of every column, most common first."""
    values: dict[str, tuple[str, ...]] = {}
    for k, name in enumerate(names):
        times = Counter(cell for row in rows if (cell := row[k]) is not None)
        values[name] = tuple(sorted(times, key=lambda cell: (-times[cell], cell))[:VALUES])
    return values


def _layout_and_roles(table: Table, mapping: Mapping[str, str]) -> tuple[str, dict[str, str], tuple[str, ...]]:
    """The layout, its roles, and which of them are guesses; no layout if the columns imply none."""
    try:
        layout = layout_of(mapping, table)
    except DataError:
        return "", {role: column for role, column in mapping.items() if column != "none"}, ()
    roles = {role: columns.replace("\x1f", SEPARATOR) for role, columns in layout.roles.items()}
    return layout.name, roles, tuple(role for role in roles if role in layout.guessed)


def read_agents(path: str | os.PathLike[str], *, agent: str | None = None) -> dict[str, dict[str, Cell]]:
    r"""Read a table of agents with one row each, such as size, license and year, to use as covariates.

    Parameters
    ----------
    path : path
        A CSV, TSV, JSON, JSON Lines or Parquet file.
    agent : str, optional
        The column of names; by default one named ``agent``, ``model``, ``player`` or similar, otherwise the first.

    Returns
    -------
    dict of str to dict
        Values by agent and column: numbers if a column holds only numbers, otherwise strings; ``None`` for an empty
        cell. `rank` accepts it as `covariates` of ``bradley_terry_structured``.

    See Also
    --------
    read : Read battles, rankings or scores.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "agents.csv"
    >>> _ = path.write_text("model,size,license\nada,7,open\nbob,70,closed\ncyd,,open\n")
    >>> read_agents(path)["cyd"]
    {'size': None, 'license': 'open'}
    """
    with open_sources([path]) as sources, open_table(sources, Options()) as table:
        name = _agent_column(table, agent)
        others = [column for column in table.names if column != name]
        with table.rows([name, *others]) as rows:
            names = rows.factor(name).names()
            _require_one_row_each(names, table)
            cells: dict[str, list[Cell]] = {}
            for column in others:
                if rows.is_number(column):
                    cells[column] = [None if np.isnan(x) else float(x) for x in rows.numbers(column)]
                else:
                    cells[column] = [(text or "").strip() or None for text in rows.factor(column).names()]
    return {str(one): {column: cells[column][i] for column in others} for i, one in enumerate(names)}


def _agent_column(table: Table, agent: str | None) -> str:
    """The column that holds the names."""
    if agent is not None:
        table.expression(agent)  # raises an error that lists the columns if there is no such column
        return agent
    known = {column.lower(): column for column in reversed(table.names)}
    return next((known[word] for word in AGENT_WORDS if word in known), table.names[0])


def _require_one_row_each(names: list[str | None], table: Table) -> None:
    seen: set[str] = set()
    for i, name in enumerate(names):
        if name is None or not name.strip():
            raise ReadError(f"a table of agents must name an agent in every row; {table.place(i)} names none.")
        if name in seen:
            raise ReadError(
                f"a table of agents must have one row an agent; {quoted(name)} has another in {table.place(i)}. If "
                f"{shown(table.sources[0])} has its names in another column, say which with `agent`."
            )
        seen.add(name)
