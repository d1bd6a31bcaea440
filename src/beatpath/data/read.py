"""`read`: from whatever people have to evidence; `preview`: what a file shows before it is read; `read_agents`: what is known of agents."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import signature
from typing import Any, Never, get_args

import numpy as np

from beatpath._errors import DataError, ReadError, UsageError
from beatpath._result import Record
from beatpath._text import counted, listed, quoted, shown
from beatpath._typing import Engine, ReadTo, Repeats, SelfBattles
from beatpath._validate import require_choice
from beatpath.data.formats import reader_named, readers
from beatpath.data.formats.reader import Head, Reader
from beatpath.data.formats.tables import TABLE_OPTIONS, layout_for, one_table, read_as
from beatpath.data.layouts.roles import SEPARATOR, layout_of
from beatpath.data.layouts.words import AGENT_WORDS
from beatpath.data.sources.source import Options, Source, find, found_sources, is_address, unchanged
from beatpath.data.tables.cells import chosen
from beatpath.data.tables.database import reading_errors
from beatpath.data.tables.open_table import open_parts, open_table, table_of
from beatpath.data.tables.table import Table
from beatpath.evidence import Ballots, Battles, Evidence, Pairs, Scores
from beatpath.evidence.conventions import require_options

ROWS = 8  # shown in a preview
LOOKED_AT = 1000  # rows whose values are offered to choose from
VALUES = 40  # of a column, that are offered
LONGEST = 200  # signs of a cell
Cell = float | str | None


def read(
    source: Any,
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
    r"""Read battles, rankings or scores, and keep an account of every row.

    Parameters
    ----------
    source : path, list of paths, address, "-", frame, dict or evidence
        A file, folder or glob; several, which are read together; an address such as ``s3://bucket/*.parquet``; standard input; a frame of pandas,
        Polars, PyArrow, DuckDB, Dask, Spark, Ray or anything else narwhals knows; a dataset of Hugging Face; a dict of columns, or a list of
        records; or a dict of frames, whose keys are the tasks (the agents, where the frames name none). Evidence is returned as it is.
    format : str, optional
        One of the names that ``beatpath formats`` lists; by default the file itself shows it.
    map : mapping of role to column, optional
        Overrides of what the column names suggest: ``{"agent_a": "left", "outcome": "label"}``. Several columns are
        joined by ``+``; ``none`` leaves a role empty.
    labels : mapping of label to meaning, optional
        What outcome labels mean: ``a``, ``b``, ``tie``, ``both_bad`` or ``drop``; of place labels: ``last`` or ``drop``.
    where : sequence of str, optional
        Conditions such as ``anony=true`` or ``turn<=2`` that the rows used must all meet.
    keep : sequence of str, optional
        Further columns to carry along; what an engine counts is split by them, and by cluster.
    lower : sequence of str, optional
        Metrics or tasks for which lower is better.
    encoding, delimiter : str, optional
        Of text files, where they do not show it themselves.
    self_battles : "drop" or "error"
        What to do with battles of an agent against itself: leave them out and count them in the account, or refuse them.
    repeats : "error" or "best"
        What to do with an agent that stands on a ballot more than once; ``best`` keeps its best place.
    to : "battles" or "pairs", optional
        Battles row by row, or counted by pair where they lie, so that only counts come back. By default rows from files
        and frames in memory, counts from lazy frames and engines.
    by : sequence of str, optional
        Roles or columns that such counts are split by. By default engines split them by cluster, where there is one.
    engine : "duckdb", "spark", "dask" or "ray", optional
        Who opens the files and counts; a session that runs already is used. Addresses are read by DuckDB by default.
    engine_options : mapping, optional
        What a session is started with: settings of DuckDB; ``master`` and ``spark.*`` of Spark; ``address`` or ``scheduler`` of
        Dask; ``address``, ``namespace``, ``num_cpus`` and ``object_store_memory`` of Ray.
    **unknown
        Any other option is an error that names the nearest there is.

    Returns
    -------
    Battles, Ballots, Scores, Pairs, Margins or WinRates
        With its `reading`: what was guessed, and how many rows were read, used and dropped for what reason.

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
    sources = list(source) if isinstance(source, list | tuple) else [source]
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
    """Refuse options that do not go together."""
    if engine is not None:
        require_choice("engine", engine, get_args(Engine))
    if options.keep and options.to == "pairs":
        raise UsageError("`keep` carries columns along row by row; pair counts are split by columns with `by`.")
    if options.by and options.to != "pairs" and (engine is None or options.to is not None):
        raise UsageError("`by` splits pair counts; it goes with `to='pairs'`.")
    if engine_options and engine is None:
        raise UsageError("`engine_options` start an engine; name it with `engine`.")


def _read_frame(source: Any, options: Options, engine: Engine | None) -> Evidence:
    """Read a frame by the columns that it has."""
    if engine is not None:
        raise UsageError("`engine` opens files; a frame is counted by the engine that holds it. Leave `engine` out.")
    from beatpath.data.engines import frame_table

    table = frame_table(source, tuple(options.where))
    return read_as(layout_for(table, options), table, options, "frame")


OPTIONS = tuple(name for name, one in signature(read).parameters.items() if one.kind is one.KEYWORD_ONLY)


def _read_files(paths: Sequence[str | os.PathLike[str]], format_name: str | None, options: Options) -> Evidence:
    """Find the files, find who reads them, read them together."""
    with found_sources(paths) as sources:
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
    """Refuse conditions that no row meets: an empty answer would look like one."""
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
    raise ReadError(
        f"{listed([src.name for src in sources], 2)} must be in a format that beatpath knows; it is none of them. Name one "
        "with `--format-in`; `beatpath formats` lists them. A table needs at least two columns and a header."
    )


def _account_for(evidence: Evidence, sources: Sequence[Source]) -> Evidence:
    """Add the files that were passed over to the account of the reading."""
    reading = evidence.reading
    over = [src.name for src in sources if reading is not None and src.name not in reading.sources]
    if reading is None or not over:
        return evidence
    note = f"passed over {counted(len(over), 'other file')}: {listed(over, 3)}"
    return replace(evidence, reading=replace(reading, notes=(*reading.notes, note)))


@dataclass(frozen=True, slots=True)
class Preview(Record):
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
    >>> result = preview(str(path))
    >>> result.layout, result.roles["outcome"], result.rows[0]
    ('battles', 'winner', ('ada', 'bob', 'left'))
    """
    sources = find(path)
    reader, claimed = (reader_named(format), sources) if format else reader_of(sources)
    if not reader.heeds >= TABLE_OPTIONS:  # no table
        return Preview(reader.name)
    options = Options(dict(map or {}), encoding=encoding, delimiter=delimiter)
    with open_parts(claimed, options) as (con, parts):
        table = table_of(con, parts, options) if len(parts) == 1 else one_table(con, parts, options)
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
    values: dict[str, tuple[str, ...]] = {}
    for k, name in enumerate(names):
        times = Counter(cell for row in rows if (cell := row[k]) is not None)
        common = sorted(times.items(), key=lambda one: (-one[1], one[0]))
        values[name] = tuple(text for text, _ in common[:VALUES])
    return values


def _layout_and_roles(table: Table, mapping: Mapping[str, str]) -> tuple[str, dict[str, str], tuple[str, ...]]:
    """The layout, its roles, and which of them are guesses; no layout where the columns do not show one."""
    try:
        layout = layout_of(mapping, table)
    except DataError:
        return "", {role: column for role, column in mapping.items() if column != "none"}, ()
    roles = {role: columns.replace("\x1f", SEPARATOR) for role, columns in layout.roles.items()}
    return layout.name, roles, tuple(role for role in roles if role in layout.guessed)


def read_agents(path: str | os.PathLike[str], *, agent: str | None = None) -> dict[str, dict[str, Cell]]:
    r"""Read a table of agents, one row each: size, licence, year.

    Parameters
    ----------
    path : path
        A CSV, TSV, JSON, JSON Lines or Parquet file.
    agent : str, optional
        The column of names; by default one called ``agent``, ``model``, ``player`` or the like, or else the first.

    Returns
    -------
    dict of agent to a dict of column to value
        Numbers where a column holds nothing else, texts otherwise, None where a cell is empty: what `rank` takes as `covariates` of
        ``bradley_terry_structured``.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "agents.csv"
    >>> _ = path.write_text("model,size,licence\nada,7,open\nbob,70,closed\ncyd,,open\n")
    >>> read_agents(path)["cyd"]
    {'size': None, 'licence': 'open'}
    """
    with found_sources([path]) as sources, open_table(sources, Options()) as table:
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
    """The column of names."""
    if agent is not None:
        table.expression(agent)  # refuses what is no column, with those there are
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
