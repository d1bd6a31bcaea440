"""Data frames of pandas, Polars, PyArrow, DuckDB, Dask, Spark and similar libraries as tables, through narwhals.

Requested rows are fetched and become a `Table`, so all later steps are shared. Pair counts are grouped by the engine
that holds the frame, and only the groups come back.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from importlib import import_module
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from beatpath._errors import BeatpathError, MissingExtra, ReadError, UsageError
from beatpath._text import quoted, shown
from beatpath._validate import require_known
from beatpath.data.tables.cells import FirstCells, Groups, condition
from beatpath.data.tables.database import connect
from beatpath.data.tables.engine_files import Files
from beatpath.data.tables.table import Rows, table_of_cells, unknown_column

NUMBER = r"^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$"  # a number, after conversion to lower case
_PEEK = 1000  # rows inspected to guess what a column holds


@dataclass(frozen=True)
class Grouping:
    """How to group rows: the key columns, the weights to sum, and the conditions. It is all that a worker needs.

    `columns` maps each column to its name in the frame: engines that take a dot in a name for a nested field use
    ``c0``, ``c1``, ...
    """

    columns: Mapping[str, str]
    names: tuple[str, ...]
    weight: str | None = None
    conditions: tuple[str, ...] = ()

    def of(self, frame: Any) -> Any:
        """Return the frame of groups: keys ``g0``, ``g1``, ..., their counts and, if there are weights, their sums."""
        schema = frame.collect_schema()
        chosen = [self._text(name, schema).alias(f"g{i}") for i, name in enumerate(self.names)]
        chosen += [self._number(self.weight, schema).alias("w")] if self.weight else []
        parts = [nw.len().alias("n")]
        frame = self.filtered(frame).select(chosen)
        if self.weight:
            hole = nw.col("w").is_null().cast(nw.Int64).alias("hole")
            frame = frame.with_columns((nw.col("w") * nw.col("w")).alias("w2"), hole)
            parts += [nw.col("w").sum().alias("total"), nw.col("w2").sum().alias("square")]
            parts += [nw.col("w").min().alias("low"), nw.col("hole").sum().alias("holes")]
        return frame.group_by([f"g{i}" for i in range(len(self.names))], drop_null_keys=False).agg(*parts)

    def filtered(self, frame: Any) -> Any:
        """Return the rows that satisfy all conditions."""
        schema = frame.collect_schema()
        for text in self.conditions:
            frame = frame.filter(self._condition(text, schema))
        return frame

    def cells(self, frame: Any) -> list[NDArray[Any]]:
        """Fetch the columns of the rows that satisfy all conditions.

        Numbers and dates stay as they are; anything else becomes a string.
        """
        schema, chosen = frame.collect_schema(), []
        for i, name in enumerate(self.names):
            column, kind = self.columns[name], schema[self.columns[name]]
            plain = is_numeric(kind) or kind in (nw.Datetime, nw.Date)
            chosen.append((nw.col(column) if plain else self._text(name, schema)).alias(f"v{i}"))
        return list(fetched(self.filtered(frame).select(chosen)).values())

    def _text(self, name: str, schema: Mapping[str, Any]) -> Any:
        """A column as strings; an integral float keeps its decimal point, and missing values stay missing."""
        column, kind = nw.col(self.columns[name]), schema[self.columns[name]]
        return column if kind == nw.String else nw.when(~column.is_null()).then(column.cast(nw.String))

    def _number(self, name: str, schema: Mapping[str, Any]) -> Any:
        """A column as numbers.

        Strings are converted by the rule of `number_of`, and those that are no numbers become missing.
        """
        column = nw.col(self.columns[name])
        if schema[self.columns[name]] != nw.String:
            return column.cast(nw.Float64)
        text = column.str.strip_chars().str.to_lowercase()
        for word, digit in (("true", "1"), ("false", "0")):
            text = nw.when(text == word).then(nw.lit(digit)).otherwise(text)
        return nw.when(text.str.contains(NUMBER)).then(text).cast(nw.Float64)

    def _condition(self, text: str, schema: Mapping[str, Any]) -> Any:
        one = condition(text)
        if one.of_texts:
            meets = self._text(one.column, schema).str.to_lowercase() == one.value.lower()
            return meets if one.operator == "=" else ~meets.fill_null(False)
        column, bound = self._number(one.column, schema), one.number
        return {"<": column < bound, "<=": column <= bound, ">": column > bound, ">=": column >= bound}[one.operator]


@dataclass(frozen=True)
class FrameTable(FirstCells):
    """A data frame as a table of rows.

    Attributes
    ----------
    frame : narwhals frame
        The frame.
    sources : tuple of str
        What is read, for messages.
    filters : tuple of str
        Conditions on rows, as the user wrote them.
    columns : mapping of name to name
        Name of each column in the frame; by default the same.
    files : Files, optional
        The files that an engine opened. Columns that only some of them have raise an error when used.
    """

    frame: Any
    sources: tuple[str, ...]
    filters: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    files: Files | None = None

    @cached_property
    def schema(self) -> Mapping[str, Any]:
        """The type of every column."""
        with self.errors():
            schema = dict(self.frame.collect_schema())
        return {name: schema[column] for name, column in self.columns.items()} or schema

    @property
    def engine(self) -> str:
        """The name of the engine that holds the frame."""
        return str(self.frame.implementation.name).lower()

    def errors(self) -> AbstractContextManager[None]:
        """A context that converts errors of a lazy frame's engine to sentences; frames in memory need none."""
        return engine_errors(self.engine) if self.lazy else nullcontext()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Column names, including those that only some files have."""
        return (self.files.columns if self.files else ()) or tuple(self.schema)

    @property
    def lazy(self) -> bool:
        """Whether the rows are stored elsewhere and fetched on demand."""
        return isinstance(self.frame, nw.LazyFrame)

    @cached_property
    def n_rows(self) -> int:
        """Number of rows of the frame, before any filter."""
        with self.errors():
            return int(fetched(self.frame.select(nw.len().alias("n")))["n"][0])

    def has(self, name: str) -> bool:
        """Whether a column exists, in some file at least."""
        return name in self.names

    def expression(self, name: str) -> str:
        """Return the name of a column in the frame, or raise an error that lists the columns."""
        if name not in self.schema:
            raise UsageError(unknown_column(name, "the frame", self.names))
        return self.columns.get(name, name)

    def number_share(self, name: str) -> float:
        """Return 1 for a column with a numeric type, otherwise 0."""
        return float(name in self.schema and is_numeric(self.schema[name]))

    def first_texts(self, name: str) -> list[str]:
        """Return the first nonempty cells of a column as strings."""
        head = replace(self, frame=self.frame.head(_PEEK), filters=())
        return [str(cell) for cell in head.cells([name])[0] if cell is not None]

    def distinct(self, name: str, most: int = 1000) -> list[str]:
        """Return up to `most` distinct strings of a column, sorted."""
        if self.files is not None:
            self.files.require([name])
        return list(self.groups([name], (), None).texts[name].levels)[:most]

    def grouping(self, names: Sequence[str], weight: str | None = None) -> Grouping:
        """Return the grouping by these columns; a missing column raises an error."""
        used = [*names, *([weight] if weight else []), *(condition(text).column for text in self.filters)]
        return Grouping({name: self.expression(name) for name in used}, tuple(names), weight, self.filters)

    def cells(self, names: Sequence[str]) -> list[NDArray[Any]]:
        """Fetch these columns of the filtered rows."""
        with self.errors():
            return self.grouping(names).cells(self.frame)

    @contextmanager
    def rows(self, names: Sequence[str]) -> Iterator[Rows]:
        """Fetch these columns of the filtered rows, and hold them while they are in use."""
        columns, cells = list(dict.fromkeys(names)), self.cells(list(dict.fromkeys(names)))
        source = f"{self.sources[0]}{' after its filters' if self.filters else ''}"
        with connect() as con, table_of_cells(con, columns, cells, source).rows(columns) as rows:
            yield replace(rows, texts=frozenset(name for name in columns if not is_numeric(self.schema[name])))

    def groups(self, agents: Sequence[str], others: Sequence[str], weight: str | None) -> Groups:
        """Group the filtered rows by these columns as strings, in the engine."""
        with self.errors():
            cells = self.grouped(self.grouping([*agents, *others], weight))
        return Groups.of(cells, [agents, *([name] for name in others)])

    def grouped(self, grouping: Grouping) -> dict[str, NDArray[Any]]:
        """Return the columns of the groups."""
        return fetched(grouping.of(self.frame))

    def place_of(self, values: Mapping[str, str | None]) -> str:
        """Describe rows by their values, since a frame that was counted has no row numbers."""
        text = ", ".join(f"{name}={quoted(value)}" for name, value in values.items())
        return f"{self.sources[0]}, where {text}" if self.files is None else f"the rows with {text}"


def is_numeric(kind: Any) -> bool:
    """Whether a narwhals type is numeric or Boolean."""
    return bool(kind.is_numeric()) or kind == nw.Boolean


def fetched(frame: Any) -> dict[str, NDArray[Any]]:
    """Return the columns of a frame with ``None`` for missing cells; avoids PyArrow if the engine is DuckDB."""
    if isinstance(frame, nw.LazyFrame):
        if frame.implementation.name == "DUCKDB":
            return {name: _filled(column) for name, column in nw.to_native(frame).fetchnumpy().items()}
        frame = frame.collect()
    return {name: _array(frame[name]) for name in frame.columns}


def _array(column: Any) -> NDArray[Any]:
    """A column in memory with ``None`` for missing cells; each text of Arrow is made once, not once a row."""
    if column.implementation.name == "PYARROW" and column.dtype == nw.String:
        coded = column.to_native().dictionary_encode().combine_chunks()
        texts = np.array([*coded.dictionary.to_pylist(), None], dtype=object)
        return np.asarray(texts[coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)])
    if column.dtype.is_integer() and not column.null_count():
        return np.asarray(column.to_numpy())
    return _objects(column.to_list())


def _filled(column: Any) -> NDArray[Any]:
    """A column of DuckDB with ``None`` for masked cells."""
    missing, cells = np.ma.getmaskarray(column), np.ma.getdata(column)
    if cells.dtype.kind == "M":
        cells = np.datetime_as_string(cells.astype("datetime64[us]"))
    if missing.any():
        cells = cells.astype(object)
        cells[missing] = None
    return cells


def _objects(values: list[Any]) -> NDArray[Any]:
    """Values as an array that DuckDB accepts; None, NaN and pandas' missing values become ``None``."""
    seen: dict[str, str] = {}  # equal strings of a column are stored once
    plain = [seen.setdefault(value, value) if type(value) is str else _plain(value) for value in values]
    cells: NDArray[Any] = np.empty(len(plain), dtype=object)
    cells[:] = plain
    return cells


def _plain(value: Any) -> Any:
    if value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and np.isnan(value)):
        return None
    if isinstance(value, datetime) and value.tzinfo is not None:
        value = value.astimezone(UTC).replace(tzinfo=None)
    return value if isinstance(value, bool | int | float | str) else str(value)


@contextmanager
def engine_errors(engine: str) -> Iterator[None]:
    """Convert an engine's failure to one sentence: a dead session, a truncated file, an unreadable cell."""
    try:
        yield
    except BeatpathError as error:
        raised = getattr(error, "cause", None)  # Ray adds its trace and advice to the sentence that a worker raised
        if isinstance(raised, BeatpathError):
            raise type(raised)(str(raised).splitlines()[0]) from None
        raise
    except Exception as error:
        raise ReadError(
            f"{engine} must finish what it is asked; it stopped with {type(error).__name__}: {_reason(error)} Nothing was "
            "counted. Check that its session lives, and that every file is whole and of the kind its name says."
        ) from error


def _reason(error: Exception) -> str:
    r"""The line of a long message that states the reason: the last cause, the end of a traceback, or the first line.

    >>> _reason(ValueError("went wrong\nTraceback\n  line 1\nOSError: no space left"))
    'OSError: no space left.'
    """
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    causes = [line.removeprefix("Caused by: ") for line in lines if line.startswith("Caused by: ")]
    reason = causes[-1] if causes else lines[-1] if any("Traceback" in line for line in lines) else lines[0]
    return shown(reason.rstrip(".:"), 240) + "."


def engine_library(module: str, extra: str) -> Any:
    """Import a module of an engine, or raise an error that says how to install it.

    >>> engine_library("nowhere.at_all", "spark")
    Traceback (most recent call last):
    ...
    beatpath._errors.MissingExtra: engine='spark' needs nowhere, which is not installed: pip install 'beatpath[spark]'.
    """
    try:
        return import_module(module)
    except ImportError as error:
        missing = (error.name or module).partition(".")[0]
        raise MissingExtra(missing, extra, f"engine={extra!r}") from None


def engine_options(
    values: Mapping[str, object], known: Mapping[str, Callable[[Any], Any]], engine: str
) -> dict[str, Any]:
    """Return the options of an engine, each converted from its string.

    >>> engine_options({"num_cpus": "2"}, {"num_cpus": int, "address": str}, "ray")
    {'num_cpus': 2}
    """
    parsed = {}
    for name, value in values.items():
        must = f"`engine_options` of {engine} must be among {', '.join(known)}; got {quoted(name)}."
        require_known(name, known, must)
        try:
            parsed[name] = known[name](value)
        except (ValueError, TypeError):
            kind = "a whole number" if known[name] is int else known[name].__name__
            raise UsageError(f"`engine_options` {name} of {engine} must be {kind}; got {quoted(value)}.") from None
    return parsed


def refuse_options_of_running(values: Mapping[str, object], what: str) -> None:
    """Raise an error for options of a session that already runs, which would be ignored."""
    if values:
        raise UsageError(
            f"`engine_options` start a session, and {what} runs already; got {quoted(next(iter(values)))}. Stop it first, or "
            "leave the options out and let it be used as it is."
        )


def inner_names(columns: tuple[str, ...]) -> dict[str, str]:
    """Return the internal names of columns, which engines use.

    >>> inner_names(("home.team", "away.team"))
    {'home.team': 'c0', 'away.team': 'c1'}
    """
    return {name: f"c{i}" for i, name in enumerate(columns)}
