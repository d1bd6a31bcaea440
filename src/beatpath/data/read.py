"""`read`: from whatever people have to evidence."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from inspect import signature
from typing import Any, Never, get_args

from beatpath._errors import ReadError, UsageError
from beatpath._text import counted, listed, quoted, shown
from beatpath._typing import Engine, ReadTo, Repeats, SelfBattles
from beatpath._validate import require_choice
from beatpath.data.formats import reader_named, readers
from beatpath.data.formats.reader import Reader
from beatpath.data.sources.find import found
from beatpath.data.sources.options import Options
from beatpath.data.sources.source import Source, is_address, unchanged
from beatpath.data.tables.head import Head
from beatpath.data.tables.where import chosen
from beatpath.evidence import Ballots, Battles, Evidence, Margins, Pairs, Scores, WinRates
from beatpath.evidence.conventions import require_options


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
    source : path, list of paths, address, "-" or frame
        A file, folder or glob; several, which are read together; an address such as ``s3://bucket/*.parquet``; standard input; or a frame of pandas,
        Polars, PyArrow, DuckDB, Dask, Spark, Ray or anything else narwhals knows.
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
        Who opens the files and counts; a session that runs already is used. Addresses are read by DuckDB unless said.
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
    require_options(unknown, OPTIONS)
    if engine is not None:
        require_choice("engine", engine, get_args(Engine))
    options = Options(
        dict(map or {}),
        dict(labels or {}),
        _as_texts(where),
        _as_texts(keep),
        _as_texts(lower),
        encoding,
        delimiter,
        self_battles,
        repeats,
        to,
        _as_texts(by or ()),
    )
    paths = list(source) if isinstance(source, list | tuple) else [source]
    if engine is None and any(is_address(path) for path in paths):
        engine = "duckdb"
    _require_agreement(options, engine)
    if engine_options and engine is None:
        raise UsageError("`engine_options` start an engine; name it with `engine`.")
    if isinstance(source, Battles | Ballots | Scores | Pairs | Margins | WinRates):
        return source
    if all(isinstance(path, str | os.PathLike) for path in paths):
        if engine is None:
            return _read_files(source, format, options)
        from beatpath.data.engines import read_with

        given = dict(engine_options or {})
        found = read_with(engine, given, source, format, options, by_cluster=by is None)
        return _require_rows(found, options)
    if engine is not None:
        raise UsageError("`engine` opens files; a frame is counted by the engine that holds it. Leave `engine` out.")
    from beatpath.data.engines.frames import read_frame

    return read_frame(source, options)


OPTIONS = tuple(name for name, one in signature(read).parameters.items() if one.kind is one.KEYWORD_ONLY)


_FEW = 20  # files of which each may be read to its end to be recognised


def _as_texts(values: Sequence[str]) -> tuple[str, ...]:
    """A lone text counts as a list of one."""
    return (values,) if isinstance(values, str) else tuple(values)


def _require_agreement(options: Options, engine: str | None) -> None:
    """Refuse options that have no meaning beside each other."""
    counts = options.to == "pairs" or (engine is not None and options.to is None)
    if options.keep and options.to == "pairs":
        raise UsageError("`keep` carries columns along row by row; pair counts are split by columns with `by`.")
    if options.by and not counts:
        raise UsageError("`by` splits pair counts; it goes with `to='pairs'`.")


def _read_files(source: Any, format_name: str | None, options: Options) -> Evidence:
    """Find the files, find who reads them, read them together."""
    with found(source if isinstance(source, list | tuple) else [source]) as sources:
        if not sources:
            raise UsageError("`source` must name at least one file; the list is empty.")
        with unchanged(sources):
            reader, claimed = reader_of(sources) if format_name is None else (reader_named(format_name), sources)
            if options.keep and "keep" not in reader.heeds:
                raise UsageError(f"`keep` carries columns of a table along; {reader.name} files are none.")
            evidence = _heeded(reader.read(claimed, options), reader, options)
            return _account_for(_require_rows(evidence, options), sources)


def _require_rows(evidence: Evidence, options: Options) -> Evidence:
    """Refuse conditions that no row meets: an empty answer would look like one."""
    reading = evidence.reading
    if options.where and reading is not None and reading.rows_read and not reading.rows_used:
        raise ReadError(
            f"`--where` must leave rows to read; {' and '.join(map(quoted, options.where))} leaves none of "
            f"{counted(reading.rows_read, 'row')}. = and != compare texts, the other signs numbers."
        )
    return evidence


def _heeded(evidence: Evidence, reader: Reader, options: Options) -> Evidence:
    """Apply the options that the reader itself does not heed."""
    if options.where and "where" not in reader.heeds:
        evidence = chosen(evidence, options.where)
    if options.to == "pairs" and "to" not in reader.heeds and not isinstance(evidence, Pairs):
        if not isinstance(evidence, Battles | Ballots | Scores):
            raise UsageError(f"only battles, ballots and scores can be counted into pairs; these are {evidence.kind}.")
        evidence = evidence.pairs(options.by)
    return evidence


def reader_of(sources: Sequence[Source]) -> tuple[Reader, list[Source]]:
    """Return the first reader that claims any of the files, and the files it claims."""
    heads = [Head(src, whole=len(sources) <= _FEW) for src in sources]
    empty = [head.source.name for head in heads if not head.start]
    if len(empty) == len(heads):
        raise ReadError(f"{shown(empty[0])} must hold data; the file is empty.")
    for reader in readers():
        claimed = [head.source for head in heads if head.start and reader.claims(head)]
        if claimed:
            return reader, claimed
    raise ReadError(
        f"{listed([src.name for src in sources], 2)} must be in a format that beatpath knows; it is none of them. Name one "
        "with `--format-in`; `beatpath formats` lists them. A table needs at least two columns and a header."
    )


def _account_for(evidence: Evidence, sources: Sequence[Source]) -> Evidence:
    """Add the files that were passed over to the account of the reading."""
    reading = evidence.reading
    if reading is None:
        return evidence
    used = set(reading.sources)
    over = [src.name for src in sources if src.name not in used]
    if not over:
        return evidence
    note = f"passed over {counted(len(over), 'other file')}: {listed(over, 3)}"
    return replace(evidence, reading=replace(reading, notes=(*reading.notes, note)))
