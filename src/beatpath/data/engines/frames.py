"""Frames of pandas, Polars, PyArrow, DuckDB, Dask, Spark and kin, through narwhals, and datasets of Ray.

A frame answers the same questions as a `Table`, so the same layouts and rules read it. Pair counts are grouped by the
engine that holds the frame; only the groups come back.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC
from functools import cached_property
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from beatpath._arrays import Floats
from beatpath._errors import BeatpathError, ReadError, UsageError
from beatpath._text import counted, listed, quoted, shown, suggestion
from beatpath.data.sources.options import Options
from beatpath.data.tables.columns import is_blank, number_of
from beatpath.data.tables.groups import Groups
from beatpath.data.tables.where import condition
from beatpath.evidence import Evidence, Factor

NUMBER = r"^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$"  # in small letters


@dataclass(frozen=True)
class FrameTable:
    """A frame as a table of rows.

    `columns` says what the frame itself calls each column, where that is not its name: engines that take a dot in a name for
    a field inside a column see ``c0``, ``c1``, ... instead.
    """

    frame: Any
    sources: tuple[str, ...]
    filters: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def _schema(self) -> Mapping[str, Any]:
        with self._errors():
            schema = dict(self.frame.collect_schema())
        return {name: schema[column] for name, column in self.columns.items()} or schema

    @property
    def engine(self) -> str:
        """The name of the engine that holds the frame."""
        return str(self.frame.implementation.name).lower()

    def _errors(self) -> AbstractContextManager[None]:
        """Sentences for what a lazy frame's engine fails with; frames in memory have no engine that could."""
        return engine_errors(self.engine) if self.lazy else nullcontext()

    def _column(self, name: str) -> Any:
        """The narwhals expression of a column that is there."""
        return nw.col(self.columns.get(name, name))

    @property
    def names(self) -> tuple[str, ...]:
        """Column names."""
        return tuple(self._schema)

    @property
    def lazy(self) -> bool:
        """Whether the rows lie elsewhere and are fetched only on demand."""
        return isinstance(self.frame, nw.LazyFrame)

    @cached_property
    def n_rows(self) -> int:
        """Rows of the frame, before any filter."""
        with self._errors():
            return int(_eager(self.frame.select(nw.len())).item(0, 0))

    def has(self, name: str) -> bool:
        """Whether a column is there."""
        return name in self._schema

    def expression(self, name: str) -> Any:
        """Return the narwhals expression of a column, or raise with the columns there are."""
        if name not in self._schema:
            raise UsageError(
                f"{quoted(name)} must be a column of the frame; it has {listed(self.names, 12)}."
                f"{suggestion(name, self.names)}"
            )
        return self._column(name)

    def used(self, names: Sequence[str]) -> dict[str, str]:
        """Return what the frame calls these columns and those of the filters; one that is not there is an error."""
        asked = dict.fromkeys([*names, *(condition(text).column for text in self.filters)])
        for name in asked:
            self.expression(name)
        return {name: self.columns.get(name, name) for name in asked}

    def _text(self, name: str) -> Any:
        """A column as text; a float that is a whole number keeps its decimal point, and what is missing stays so."""
        column, kind = self._column(name), self._schema[name]
        return column if kind == nw.String else nw.when(~column.is_null()).then(column.cast(nw.String))

    def _number(self, name: str) -> Any:
        """A column as numbers; texts become numbers by the rule of `number_of`, those that are none become missing."""
        column = self._column(name)
        if self._schema[name] != nw.String:
            return column.cast(nw.Float64)
        text = column.str.strip_chars().str.to_lowercase()
        for word, digit in (("true", "1"), ("false", "0")):
            text = nw.when(text == word).then(nw.lit(digit)).otherwise(text)
        return nw.when(text.str.contains(NUMBER)).then(text).cast(nw.Float64)

    def is_number(self, name: str) -> bool:
        """Whether a column is of a numeric or Boolean type."""
        kind = self._schema[name]
        return bool(kind.is_numeric()) or kind == nw.Boolean

    def mostly_numbers(self, name: str) -> bool:
        """Whether a column is of a numeric or Boolean type."""
        return self.is_number(name)

    def distinct(self, name: str, most: int = 1000) -> list[str]:
        """Return the first distinct texts of a column in sorted order, `most` at the most."""
        with self._errors():
            column = self._filtered().select(self._text(name).alias("v")).drop_nulls().unique()
            return sorted(map(str, _eager(column)["v"].to_list()))[:most]

    def first(self, name: str, most: int = 1000) -> list[str]:
        """Return the first cells of a column that are not empty, as texts."""
        with self._errors():
            return list(
                map(str, _eager(self.frame.head(most).select(self._text(name).alias("v")).drop_nulls())["v"].to_list())
            )

    def _filtered(self) -> Any:
        frame = self.frame
        for text in self.filters:
            frame = frame.filter(self._condition(text))
        return frame

    def _condition(self, text: str) -> Any:
        asked = condition(text)
        self.expression(asked.column)
        if asked.of_texts:
            meets = self._text(asked.column).str.to_lowercase() == asked.value.lower()
            return meets if asked.operator == "=" else ~meets.fill_null(False)
        column, bound = self._number(asked.column), asked.number
        return {"<": column < bound, "<=": column <= bound, ">": column > bound, ">=": column >= bound}[asked.operator]

    @contextmanager
    def rows(self, names: Sequence[str]) -> Iterator["FrameRows"]:
        """Fetch these columns of the filtered rows, as they are and as texts."""
        columns = list(dict.fromkeys(names))
        chosen = [self.expression(name).alias(f"v{i}") for i, name in enumerate(columns)]
        chosen += [self._text(name).alias(f"t{i}") for i, name in enumerate(columns)]
        with self._errors():
            fetched = _eager(self._filtered().select(chosen))
        yield FrameRows(self, columns, fetched)

    def groups(self, agents: Sequence[str], others: Sequence[str], weight: str | None) -> Groups:
        """Group the filtered rows by these columns as texts, in the engine."""
        with self._errors():
            fetched = _eager(self.grouping([*agents, *others], weight))
        return grouped(fetched, agents, others, weight)

    def grouping(self, names: Sequence[str], weight: str | None) -> Any:
        """Return the frame of groups: keys ``g0``, ``g1``, ..., their rows and, where there are weights, their totals."""
        chosen = [self._text(name).alias(f"g{i}") for i, name in enumerate(names)]
        chosen += [self._number(weight).alias("w")] if weight else []
        parts = [nw.len().alias("n")]
        frame = self._filtered().select(chosen)
        if weight:
            hole = nw.col("w").is_null().cast(nw.Int64).alias("hole")
            frame = frame.with_columns((nw.col("w") * nw.col("w")).alias("w2"), hole)
            parts += [nw.col("w").sum().alias("total"), nw.col("w2").sum().alias("square")]
            parts += [nw.col("w").min().alias("low"), nw.col("hole").sum().alias("holes")]
        return frame.group_by([f"g{i}" for i in range(len(names))], drop_null_keys=False).agg(*parts)

    def place(self, index: int) -> str:
        """Return where a filtered row stands."""
        return f"row {index + 1:,} of {self.sources[0]}{' after its filters' if self.filters else ''}"

    def place_of(self, values: Mapping[str, str | None]) -> str:
        """Return the row by what it says: a frame that was counted has no row numbers."""
        said = ", ".join(f"{name}={quoted(value)}" for name, value in values.items())
        return f"{self.sources[0]}, where {said}"


@dataclass(frozen=True)
class FrameRows:
    """Fetched columns of a frame, as factors or numbers."""

    table: FrameTable
    names: list[str]
    frame: Any

    def __len__(self) -> int:
        return len(self.frame)

    def _column(self, name: str, form: str = "v") -> Any:
        """A fetched column as it is (``v``) or as texts (``t``)."""
        return self.frame[f"{form}{self.names.index(name)}"]

    def factors(self, names: Sequence[str]) -> list[Factor]:
        """Return columns as factors over their common levels."""
        return _factors([self._column(name, "t") for name in names])

    def factor(self, name: str) -> Factor:
        """Return one column as a factor."""
        return self.factors([name])[0]

    def is_number(self, name: str) -> bool:
        """Whether a column is of a numeric or Boolean type."""
        return self.table.is_number(name)

    def numbers(self, name: str) -> Floats:
        """Return a column as numbers, NaN where it is empty; what is no finite number is an error."""
        if self.is_number(name):
            values = _floats(self._column(name))
            wrong = np.isinf(values)
        else:
            texts = self.factor(name)
            levels = np.array([number_of(level) for level in texts.levels] + [np.nan])
            values = levels[texts.codes]
            said = np.array([not is_blank(level) for level in texts.levels] + [False])[texts.codes]
            wrong = ~np.isfinite(values) & said
        if wrong.any():
            first = int(np.flatnonzero(wrong)[0])
            raise ReadError(
                f"{quoted(name)} must hold finite numbers; got {quoted(self._column(name).to_list()[first])} in "
                f"{self.table.place(first)} ({counted(int(wrong.sum()), 'such cell')}). Correct these cells, or leave them empty."
            )
        return values

    def number_table(self, names: Sequence[str]) -> Floats:
        """Return many columns as numbers at once, one column each."""
        return np.stack([self.numbers(name) for name in names], axis=1)

    def times(self, name: str) -> Floats:
        """Return a column as times: numbers as they are, dates as seconds."""
        if self.is_number(name):
            return _floats(self._column(name))
        return np.array([_seconds(value) for value in self._column(name).to_list()], dtype=np.float64)


def grouped(got: Any, agents: Sequence[str], others: Sequence[str], weight: str | None) -> Groups:
    """Put the fetched groups of `FrameTable.grouping` into their common form."""
    texts = dict(zip(agents, _factors([got[f"g{i}"] for i in range(len(agents))]), strict=True))
    texts |= {name: _factors([got[f"g{i}"]])[0] for i, name in enumerate(others, len(agents))}
    n = np.asarray(got["n"].to_list(), dtype=np.int64)
    if not weight:
        return Groups(texts, n)
    low, holes = _floats(got["low"]), _floats(got["holes"])
    lowest = np.nan if holes.any() else float(np.min(low, initial=0.0))
    return Groups(texts, n, _floats(got["total"]), _floats(got["square"]), lowest)


@contextmanager
def engine_errors(engine: str) -> Iterator[None]:
    """Turn whatever an engine fails with into one sentence: a session that died, a file cut short, a cell it cannot read."""
    try:
        yield
    except BeatpathError:
        raise
    except Exception as error:
        raise ReadError(
            f"{engine} must finish what it is asked; it stopped with {type(error).__name__}: {_reason(error)} Nothing was "
            "counted. Check that its session lives, and that every file is whole and of the kind its name says."
        ) from error


def _reason(error: Exception) -> str:
    r"""The line of a long message that says why: the last cause, or what a traceback ends with, else the first line.

    >>> _reason(ValueError("went wrong\nTraceback\n  line 1\nOSError: no space left"))
    'OSError: no space left.'
    """
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    causes = [line.removeprefix("Caused by: ") for line in lines if line.startswith("Caused by: ")]
    told = causes[-1] if causes else lines[-1] if any("Traceback" in line for line in lines) else lines[0]
    return shown(told.rstrip(".:"), 240) + "."


def _eager(frame: Any) -> Any:
    """A fetched frame: by the engine itself, without PyArrow where the engine is DuckDB."""
    if not isinstance(frame, nw.LazyFrame):
        return frame
    if frame.implementation.name == "DUCKDB":
        return _Fetched(nw.to_native(frame).fetchnumpy())
    return frame.collect()


class _Fetched(dict[str, Any]):
    """Columns fetched from DuckDB, answering as much of a frame's interface as is asked of one."""

    def __getitem__(self, name: str) -> "_Column":
        return _Column(super().__getitem__(name))

    def __len__(self) -> int:
        return len(next(iter(self.values()))) if self.keys() else 0

    def item(self, row: int, column: int) -> Any:
        return list(self.values())[column][row]


@dataclass(frozen=True)
class _Column:
    values: Any

    def to_list(self) -> list[Any]:
        missing = np.ma.getmaskarray(self.values)
        return [
            None if none else value for value, none in zip(np.ma.getdata(self.values).tolist(), missing, strict=True)
        ]


def _factors(columns: Sequence[Any]) -> list[Factor]:
    """Text columns as factors over their common, sorted levels; NaN counts as missing, as pandas has it."""
    lists = [[None if _is_missing(value) else str(value) for value in column.to_list()] for column in columns]
    factor = Factor.of([value for values in lists for value in values])
    parts = np.split(factor.codes, np.cumsum([len(values) for values in lists])[:-1])
    return [Factor(part, factor.levels) for part in parts]


def _is_missing(value: Any) -> bool:
    """Whether a value is ``None``, NaN, or what pandas has in their place."""
    return (
        value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and np.isnan(value))
    )


def _floats(column: Any) -> Floats:
    return np.array([np.nan if _is_missing(value) else value for value in column.to_list()], dtype=np.float64)


def _seconds(value: Any) -> float:
    """A date, or the text of a number or date, as seconds; NaN where it is neither.

    >>> _seconds("12.5"), _seconds("1970-01-02"), _seconds("soon")
    (12.5, 86400.0, nan)
    """
    number = number_of(value) if isinstance(value, str) else float("nan")
    if not np.isnan(number) or _is_missing(value):
        return number
    if getattr(value, "tzinfo", None) is not None:
        value = value.astimezone(UTC).replace(tzinfo=None)
    try:
        return float(np.datetime64(value, "us").astype(np.int64)) / 1e6
    except (ValueError, TypeError):
        return float("nan")


def read_frame(native: Any, options: Options) -> Evidence:
    """Read a frame by the layout its columns show; lazy frames of battles are counted where they lie."""
    from beatpath.data.formats.tables import read_layout

    if type(native).__module__.startswith("ray.data"):
        from beatpath.data.engines.on_ray import dataset_table

        return read_layout(dataset_table(native, ("the ray dataset",), tuple(options.where)), options, "frame")
    try:
        frame: Any = nw.from_native(native)
    except TypeError:
        raise UsageError(
            "`source` must be a path, a list of paths, '-', or a frame of pandas, Polars, PyArrow, DuckDB, Dask, Spark or "
            f"Ray; got {type(native).__name__}."
        ) from None
    return read_layout(_table_of(frame, tuple(options.where)), options, "frame")


def _table_of(frame: Any, filters: tuple[str, ...]) -> FrameTable:
    """The frame as a table, with the care that its engine needs."""
    engine = str(frame.implementation.name).lower()
    sources = (f"the {engine} frame",)
    if engine.startswith("pyspark"):
        from beatpath.data.engines.on_spark import plainly_named

        native, columns = plainly_named(nw.to_native(frame))
        return FrameTable(nw.from_native(native), sources, filters, columns)
    if engine == "dask":
        from beatpath.data.engines.on_dask import DaskTable

        return DaskTable(frame, sources, filters)
    return FrameTable(frame, sources, filters)
