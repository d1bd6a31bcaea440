"""Tables: CSV, TSV, JSON, JSON Lines and Parquet files as one set of rows, read by DuckDB.

Text formats are read as text throughout, so that an agent called ``007`` or ``NaN`` keeps its name; numbers are made
from text only where a role asks for numbers, and a cell that is none is an error with its place. Column names never
enter a query: columns are called ``c0``, ``c1``, ... inside.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from glob import escape
from itertools import islice
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from beatpath._errors import BeatpathError, ReadError, UsageError
from beatpath._text import counted, listed, quoted, shown, suggestion
from beatpath.data.sources.options import Options
from beatpath.data.sources.source import Source, decode, plain_file
from beatpath.data.tables.arrow import count_groups
from beatpath.data.tables.groups import Groups
from beatpath.data.tables.head import Head
from beatpath.data.tables.numbers import is_blank, number_of
from beatpath.data.tables.where import condition
from beatpath.evidence import Factor

DELIMITERS = (",", "\t", ";", "|")
_PEEK = 1000  # rows looked at to guess what a column holds
_OBJECT_BYTES = 1 << 28  # the largest JSON record DuckDB may meet


@dataclass
class Table:
    """The rows of one or more files under common column names."""

    con: duckdb.DuckDBPyConnection
    names: tuple[str, ...]
    sources: tuple[str, ...]
    types: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()  # of Parquet files that all have the same columns and types
    lazy: bool = False  # whether battles are to be counted where they lie, by DuckDB alone
    _factors: int = field(default=0, repr=False)
    _numeric: dict[str, float] = field(default_factory=dict, repr=False)

    @property
    def n_rows(self) -> int:
        """Rows in the files, before any filter."""
        return int(self._query("SELECT count(*) FROM rows")[0][0])

    def _query(self, sql: str) -> list[tuple[Any, ...]]:
        with reading_errors(self.sources):
            return self.con.execute(sql).fetchall()

    def _fetch(self, sql: str) -> dict[str, NDArray[np.generic]]:
        with reading_errors(self.sources):
            return self.con.execute(sql).fetchnumpy()

    def has(self, name: str) -> bool:
        """Whether a column, or a field inside a nested one (``meta.tokens``), is there."""
        return name in self.names or any(name.startswith(f"{known}.") for known in self.names)

    def expression(self, name: str) -> str:
        """Return the SQL that stands for a column or for a field inside a nested one."""
        if name in self.names:
            return f"c{self.names.index(name)}"
        parent = next((known for known in self.names if name.startswith(f"{known}.")), None)
        if parent is None:
            raise UsageError(
                f"{quoted(name)} must be a column of {shown(self.sources[0])}; it has {listed(self.names, 12)}."
                f"{suggestion(name, self.names)}"
            )
        at, path = self.names.index(parent), name[len(parent) + 1 :]
        if self.types and self.types[at].startswith("STRUCT"):
            inner = f"c{at}"
            for part in path.split("."):
                inner = f"struct_extract({inner}, {literal(part)})"
            return inner
        return f"json_extract_string(c{at}, {literal('$.' + path)})"

    def is_number(self, name: str) -> bool:
        """Whether the first cells of a column are finite numbers: enough to guess by, and verified when it is read."""
        return self._shares[name] == 1

    def mostly_numbers(self, name: str) -> bool:
        """Whether more than half of the first cells that are not empty are finite numbers."""
        return self._shares[name] > 0.5

    @property
    def _shares(self) -> dict[str, float]:
        """The share of numbers among the first cells of every column that are not empty."""
        if not self._numeric:
            first = self._fetch(f"SELECT * FROM rows LIMIT {_PEEK}")
            self._numeric = {name: _number_share(first[f"c{i}"]) for i, name in enumerate(self.names)}
        return self._numeric

    def distinct(self, name: str, most: int = 1000) -> list[str]:
        """Return the first distinct texts of a column in sorted order, `most` at the most."""
        text = self.text(name)
        found = self._query(f"SELECT DISTINCT {text} AS v FROM rows WHERE {text} IS NOT NULL ORDER BY v LIMIT {most}")
        return [str(row[0]) for row in found]

    def numeric(self, name: str) -> str:
        """Return the SQL for a column as numbers: truth values are 1 and 0, what is no number is NULL."""
        return as_number(self.text(name))

    def text(self, name: str) -> str:
        """Return the SQL for a column as text."""
        return f"CAST({self.expression(name)} AS VARCHAR)"

    @property
    def where(self) -> str:
        """The WHERE clause of the filters, or nothing."""
        return f" WHERE {' AND '.join(self.filters)}" if self.filters else ""

    def filtered(self, conditions: Sequence[str]) -> "Table":
        """Return the table with rows that meet every condition ``COLUMN=VALUE`` (or ``!=  <  <=  >  >=``)."""
        return replace(self, filters=tuple(self._condition(c) for c in conditions))

    def _condition(self, text: str) -> str:
        """Return the SQL of one condition; texts are compared as texts, order as numbers."""
        asked = condition(text)
        if asked.of_texts:
            meets = f"lower({self.text(asked.column)}) = lower({literal(asked.value)})"
            return meets if asked.operator == "=" else f"({meets}) IS NOT TRUE"
        return f"{self.numeric(asked.column)} {asked.operator} {asked.number!r}"

    @contextmanager
    def rows(self, names: Sequence[str]) -> Iterator["Rows"]:
        """Read the filtered rows of these columns once and keep them while they are asked about."""
        columns = list(dict.fromkeys(names))
        chosen = ", ".join(f"{self.expression(name)} AS v{i}" for i, name in enumerate(columns)) or "1 AS v0"
        kept = "VIEW" if self.types else "TABLE"  # Parquet is quick to scan again, text is not
        with reading_errors(self.sources):
            self.con.execute(f"CREATE OR REPLACE TEMP {kept} chosen AS SELECT {chosen} FROM rows{self.where}")
        try:
            yield Rows(self, columns)
        finally:
            self.con.execute(f"DROP {kept} IF EXISTS chosen")

    def groups(self, agents: Sequence[str], others: Sequence[str], weight: str | None) -> Groups:
        """Group the filtered rows by these columns as texts, by the quickest way the files allow.

        Parquet columns are stored as codes into dictionaries: PyArrow, where it is installed, counts the codes; DuckDB
        hashes each dictionary entry once and groups by hashes. Anything else is grouped by its texts.
        """
        names = [*agents, *others]
        if not self.lazy and weight is None and len(others) < 2 and self._plain_parquet(names):
            counted = count_groups(self.paths, agents, others)
            if counted is not None:
                return counted
        hashed = self._hashed(names) if self.paths and self._dictionaries(names) else None
        key = "{0}" if hashed is None else "hash({0})"
        keys = ", ".join(f"{key.format(self.expression(name))} AS g{i}" for i, name in enumerate(names))
        weigh = ""
        if weight is not None:
            w = self.numeric(weight)
            weigh = f", sum({w}) AS w, sum({w} * {w}) AS w2, min({w}) AS low, count(*) - count({w}) AS empty"
        got = self._fetch(f"SELECT {keys}, count(*) AS n{weigh} FROM rows{self.where} GROUP BY ALL")
        columns = [got[f"g{i}"] for i in range(len(names))]
        if hashed is None:
            shared = _shared_factors(columns[: len(agents)]) + [_shared_factors([c])[0] for c in columns[len(agents) :]]
        else:
            shared = _looked_up(columns, hashed, len(agents))
        texts, n = dict(zip(names, shared, strict=True)), np.asarray(got["n"], dtype=np.int64)
        if weight is None:
            return Groups(texts, n)
        lowest = np.nan if np.any(got["empty"]) else float(np.min(got["low"], initial=0.0))
        return Groups(texts, n, _filled(got["w"], np.nan, np.float64), _filled(got["w2"], np.nan, np.float64), lowest)

    def _plain_parquet(self, names: Sequence[str]) -> bool:
        """Whether all rows of these columns are wanted and are texts in Parquet files."""
        kinds = dict(zip(self.names, self.types, strict=False))  # none for anything but Parquet
        return bool(self.paths) and not self.filters and all(kinds.get(name) == "VARCHAR" for name in names)

    def _dictionaries(self, names: Sequence[str]) -> bool:
        """Whether these Parquet columns are stored as codes into dictionaries."""
        found = self._query(
            "SELECT coalesce(bool_and(contains(CAST(encodings AS VARCHAR), 'DICT')), true) FROM parquet_metadata("
            f"[{', '.join(map(literal, self.paths))}]) WHERE path_in_schema IN ({', '.join(map(literal, names))})"
        )
        return bool(found[0][0]) and all(name in self.names for name in names)

    def _hashed(self, names: Sequence[str]) -> list[dict[int, str | None]] | None:
        """For each column, the text behind every hash; ``None`` if two texts of a column share a hash."""
        found = []
        for name in names:
            column = self.expression(name)
            rows = self._query(f"SELECT hash({column}), CAST({column} AS VARCHAR) FROM rows GROUP BY {column}")
            found.append({int(code): text for code, text in rows})
            if len(found[-1]) < len(rows):
                return None
        return found

    def place_of(self, values: Mapping[str, str | None]) -> str:
        """Return where the first filtered row with these texts stands."""
        meets = [f"{self.text(name)} IS NOT DISTINCT FROM {_nullable(value)}" for name, value in values.items()]
        return replace(self, filters=(*self.filters, *meets)).place(0)

    def place(self, index: int) -> str:
        """Return where the row with this index among the filtered rows stands: ``row 17 of games.csv``."""
        numbered = (
            f"SELECT file, row_number() OVER () AS n FROM rows{self.where}"
            if not self.filters
            else (f"SELECT file, n FROM (SELECT *, row_number() OVER () AS n FROM rows){self.where}")
        )
        file, n = self._query(f"{numbered} LIMIT 1 OFFSET {int(index)}")[0]
        before = self._query(f"SELECT count(*) FROM rows WHERE file < {file}")[0][0]
        return f"row {int(n) - int(before):,} of {shown(self.sources[int(file)])}"


@dataclass(frozen=True)
class Rows:
    """Columns of the filtered rows, as factors or numbers."""

    table: Table
    names: list[str]

    def __len__(self) -> int:
        return int(self.table._query("SELECT count(*) FROM chosen")[0][0])

    def _column(self, name: str) -> str:
        return f"v{self.names.index(name)}"

    def factors(self, names: Sequence[str]) -> list[Factor]:
        """Return text columns as factors over their common levels, which are sorted."""
        values = [f"CAST({self._column(name)} AS VARCHAR)" for name in names]
        union = " UNION ".join(f"SELECT DISTINCT {v} AS v FROM chosen WHERE {v} IS NOT NULL" for v in values)
        levels = self.table._fetch(f"SELECT v FROM ({union}) ORDER BY v")["v"]
        if not len(levels):
            missing = np.full(len(self), -1, dtype=np.int32)
            return [Factor(missing, ()) for _ in names]
        self.table._factors += 1
        kind = f"e{self.table._factors}"
        self.table._query(f"CREATE TEMP TYPE {kind} AS ENUM (SELECT v FROM ({union}) ORDER BY v)")
        coded = ", ".join(f"CAST(enum_code(CAST({v} AS {kind})) AS INTEGER) AS f{i}" for i, v in enumerate(values))
        codes = self.table._fetch(f"SELECT {coded} FROM chosen")
        texts = tuple(map(str, levels))
        return [Factor(_filled(codes[f"f{i}"], -1, np.int32), texts) for i in range(len(values))]

    def is_number(self, name: str) -> bool:
        """Whether every cell of a column that is not empty is a finite number, and at least one is."""
        return are_numbers(self.table._fetch(f"SELECT {self._column(name)} AS x FROM chosen")["x"])

    def factor(self, name: str) -> Factor:
        """Return one text column as a factor."""
        return self.factors([name])[0]

    def numbers(self, name: str) -> NDArray[np.float64]:
        """Return a column as numbers, NaN where the cell is empty; a cell that is no finite number is an error."""
        column = self._column(name)
        text = f"CAST({column} AS VARCHAR)"
        number = as_number(text)
        got = self.table._fetch(f"SELECT {number} AS x, ({column} IS NULL OR trim({text}) = '') AS empty FROM chosen")
        values = _filled(got["x"], np.nan, np.float64)
        wrong = ~np.isfinite(values) & ~np.asarray(got["empty"], dtype=bool)
        if wrong.any():
            first = int(np.flatnonzero(wrong)[0])
            value = self.table._query(f"SELECT {text} FROM chosen LIMIT 1 OFFSET {first}")[0][0]
            raise ReadError(
                f"{quoted(name)} must hold finite numbers; got {quoted(value)} in {self.table.place(first)} "
                f"({counted(int(wrong.sum()), 'such cell')}). Correct these cells, or leave them empty where nothing is known."
            )
        return values

    def number_table(self, names: Sequence[str]) -> NDArray[np.float64]:
        """Return many columns as numbers at once, one column each, NaN where a cell is empty."""
        got = self.table._fetch(f"SELECT {', '.join(map(self._column, names))} FROM chosen")
        columns = [_numbers(got[self._column(name)]) for name in names]
        return np.stack([self.numbers(n) if c is None else c for n, c in zip(names, columns, strict=True)], axis=1)

    def times(self, name: str) -> NDArray[np.float64]:
        """Return a column as times: numbers as they are, dates as seconds; NaN where it is neither."""
        column = self._column(name)
        text = f"CAST({column} AS VARCHAR)"
        seconds = f"coalesce(TRY_CAST({text} AS DOUBLE), epoch(TRY_CAST({text} AS TIMESTAMP)))"
        return _filled(self.table._fetch(f"SELECT CAST({seconds} AS DOUBLE) AS x FROM chosen")["x"], np.nan, np.float64)


def _looked_up(columns: Sequence[Any], hashed: list[dict[int, str | None]], n_agents: int) -> list[Factor]:
    """Hash columns as factors; those of the agents share their levels."""
    agents = {text for known in hashed[:n_agents] for text in known.values()}
    found = []
    for i, (column, known) in enumerate(zip(columns, hashed, strict=True)):
        texts = agents if i < n_agents else set(known.values())
        levels = tuple(sorted(text for text in texts if text is not None))
        place: dict[str | None, int] = {text: k for k, text in enumerate(levels)} | {None: -1}
        order = sorted(known)
        codes = np.array([place[known[code]] for code in order], dtype=np.int32)
        found.append(Factor(codes[np.searchsorted(np.array(order, dtype=np.uint64), column)], levels))
    return found


def _shared_factors(columns: Sequence[Any]) -> list[Factor]:
    """Fetched text columns as factors over their common, sorted levels."""
    sizes = np.cumsum([len(column) for column in columns])[:-1]
    missing = np.concatenate([np.ma.getmaskarray(column) for column in columns])
    values = np.concatenate([np.asarray(np.ma.getdata(column), dtype=object) for column in columns])
    code: dict[str, int] = {}
    codes = np.fromiter(
        (
            -1 if none or value is None else code.setdefault(str(value), len(code))
            for value, none in zip(values, missing, strict=True)
        ),
        np.int64,
        len(values),
    )
    factor = Factor.coded(codes, list(code))
    return [Factor(part, factor.levels) for part in np.split(factor.codes, sizes)]


def _filled(values: Any, missing: float, dtype: type) -> NDArray[Any]:
    """A fetched column as a plain array, with a value where DuckDB had NULL."""
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.filled(values.astype(dtype), missing)
    return np.asarray(values, dtype=dtype)


def _nullable(value: str | None) -> str:
    return "NULL" if value is None else literal(value)


def _numbers(column: Any) -> NDArray[np.float64] | None:
    """A fetched column as finite numbers, NaN where it is empty; ``None`` where a cell is something else."""
    missing = np.ma.getmaskarray(column)
    values = np.full(len(column), np.nan)
    try:
        values[~missing] = np.ma.getdata(column)[~missing].astype(np.float64)
    except (ValueError, TypeError):
        return None
    return values if np.isfinite(values[~missing]).all() else None


def _number_share(column: Any) -> float:
    """The share of truth values or finite numbers among the cells that are not empty, 0 where all are."""
    if are_numbers(column):
        return 1.0
    values = [v for v, none in zip(np.ma.getdata(column), np.ma.getmaskarray(column), strict=True) if not none]
    texts = [text for value in values if not is_blank(text := str(value))]
    good = sum(bool(np.isfinite(number_of(text))) for text in texts)
    return min(good / len(texts), 0.99) if texts else 0.0  # 1 is for columns without exception


def are_numbers(column: Any) -> bool:
    """Return whether a fetched column holds truth values or finite numbers, and at least one."""
    if np.ma.getdata(column).dtype == object:
        texts = [v for v, none in zip(np.ma.getdata(column), np.ma.getmaskarray(column), strict=True) if not none]
        if texts and {str(text).lower() for text in texts} <= {"true", "false"}:
            return True
    numbers = _numbers(column)
    return numbers is not None and bool(np.isfinite(numbers).any())


def as_number(text: str) -> str:
    """Return the SQL that makes a number of a text: truth values are 1 and 0, what is no number is NULL."""
    return f"CASE lower({text}) WHEN 'true' THEN 1.0 WHEN 'false' THEN 0.0 ELSE TRY_CAST(trim({text}) AS DOUBLE) END"


def literally(path: Path) -> str:
    """Return a path in which no sign stands for others: DuckDB would expand ``x[1].csv`` to ``x1.csv``.

    >>> literally(Path("x[1].csv"))
    'x[[]1].csv'
    """
    return escape(str(path))


def literal(value: str) -> str:
    """Return a text as an SQL literal.

    >>> literal("it's")
    "'it''s'"
    """
    return "'" + value.replace("'", "''") + "'"


@contextmanager
def reading_errors(sources: Sequence[str]) -> Iterator[None]:
    """Turn what DuckDB says of a damaged file into one sentence."""
    try:
        yield
    except duckdb.OutOfMemoryException as error:
        raise ReadError(
            f"{listed(sources, 2)} cannot be read within the memory there is: {_first_line(error)}"
        ) from None
    except (duckdb.Error, UnicodeDecodeError, OverflowError) as error:
        raise ReadError(
            f"{listed(sources, 2)} cannot be read: {_first_line(error)} Check that the file is whole, UTF-8 and of the "
            "kind its name says, with the same number of cells in every row."
        ) from None


def _first_line(error: Exception) -> str:
    """The first two lines of a DuckDB message, made safe and ended with a full stop."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith(("Original Line", "Possible", "*", "/*"))][:2]
    return shown(". ".join(line.rstrip(".:") for line in lines), 240) + "."


@lru_cache(maxsize=1)
def _database(process: int) -> duckdb.DuckDBPyConnection:
    """The DuckDB that all reading of one process shares."""
    return private_database()


def private_database() -> duckdb.DuckDBPyConnection:
    """Open a DuckDB of its own in memory that fetches no extension and shows no progress bar."""
    con = duckdb.connect(config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"})
    con.execute("SET enable_progress_bar = false")
    return con


def connect() -> duckdb.DuckDBPyConnection:
    """Open a connection of its own, with temporary tables of its own, to the process's database."""
    return _database(os.getpid()).cursor()


@contextmanager
def open_table(
    sources: Sequence[Source], options: Options, con: duckdb.DuckDBPyConnection | None = None
) -> Iterator[Table]:
    """Open files of rows as one table; a column that only some files have is empty in the others."""
    with ExitStack() as stack:
        if con is None:
            con = connect()
            stack.callback(con.close)
        parts = [part_of(con, src, stack.enter_context(plain_file(src, options.encoding)), options) for src in sources]
        paths = tuple(str(src.path) for src in sources)
        yield table_of(con, parts, tuple(src.name for src in sources), paths, options)


def table_of(
    con: duckdb.DuckDBPyConnection,
    parts: Sequence["Part"],
    sources: tuple[str, ...],
    paths: tuple[str, ...],
    options: Options,
) -> Table:
    """Put the files together as one table."""
    names = tuple(dict.fromkeys(name for part in parts for name in part.names))
    if len(names) < 2:
        raise ReadError(
            f"{shown(sources[0])} must have at least two columns; it has {listed(names)}. "
            "If another sign separates the cells, name it: `--delimiter ';'`."
        )
    uniform = all((part.names, part.types) == (parts[0].names, parts[0].types) for part in parts)
    types = parts[0].types if uniform else ()
    paths = paths if types else ()
    with reading_errors(sources):
        con.execute(f"CREATE TEMP VIEW rows AS {_all_rows(parts, names, uniform, paths)}")
    table = Table(con, names, sources, types, paths=paths)
    return table.filtered(options.where) if options.where else table


def _all_rows(parts: Sequence["Part"], names: Sequence[str], uniform: bool, paths: Sequence[str]) -> str:
    """The SQL of all files' rows; Parquet files that are alike are scanned as one, which takes less memory."""
    if len(set(paths)) == len(parts) > 1:
        columns = ", ".join(f"{parts[0].column(name, True)} AS c{k}" for k, name in enumerate(names))
        listed_paths = f"[{', '.join(map(literal, paths))}]"
        return f"SELECT {columns}, list_position({listed_paths}, filename) - 1 AS file FROM read_parquet({listed_paths}, filename=true)"
    selects = []
    for i, part in enumerate(parts):
        columns = ", ".join(f"{part.column(name, uniform)} AS c{k}" for k, name in enumerate(names))
        selects.append(f"SELECT {columns}, {i} AS file FROM {part.sql}")
    return " UNION ALL ".join(selects)


@dataclass(frozen=True)
class Part:
    """One file as SQL, the names of its columns, and the expressions that fetch them."""

    sql: str
    names: tuple[str, ...]
    expressions: tuple[str, ...]
    types: tuple[str, ...] = ()

    def column(self, name: str, uniform: bool) -> str:
        """The SQL of a column, as text where files differ in their columns or types, NULL where this one lacks it."""
        if name not in self.names:
            return "NULL"
        column = self.expressions[self.names.index(name)]
        return column if uniform else f"CAST({column} AS VARCHAR)"


def kind_of(src: Source) -> str:
    """Return what a file is: ``parquet`` by its magic, ``json`` by its ending or first sign, else ``separated`` text."""
    head = src.read(1 << 16)
    if not head:
        raise ReadError(f"{shown(src.name)} must hold data; the file is empty.")
    if head.startswith(b"PAR1"):
        return "parquet"
    if src.suffix in (".json", ".jsonl", ".ndjson") or head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"["):
        return "json"
    return "separated"


def part_of(con: duckdb.DuckDBPyConnection, src: Source, path: Path, options: Options) -> Part:
    """Describe one file by what it is."""
    kind = kind_of(src)
    if kind == "parquet":
        return parquet_part(con, src.name, literally(path))
    return (
        json_part(con, src.name, literally(path), src.compression) if kind == "json" else _separated(src, path, options)
    )


def parquet_part(con: duckdb.DuckDBPyConnection, name: str, path: str) -> Part:
    """Describe a Parquet file by its footer."""
    sql = f"read_parquet({literal(path)})"
    with reading_errors([name]):
        described = con.execute(f"DESCRIBE SELECT * FROM {sql}").fetchall()
    names = tuple(str(row[0]) for row in described)
    quoted_names = tuple('"' + name.replace('"', '""') + '"' for name in names)
    return Part(sql, names, quoted_names, tuple(str(row[1]) for row in described))


def json_part(con: duckdb.DuckDBPyConnection, name: str, path: str, compression: str) -> Part:
    """Describe a JSON file by all the keys its objects have."""
    sql = (
        f"read_json_objects({literal(path)}, format='auto', maximum_object_size={_OBJECT_BYTES}, "
        f"compression={literal(compression or 'none')})"
    )
    with reading_errors([name]):
        kinds = con.execute(
            f"SELECT json_type(json) AS kind, count(*) FROM {sql} GROUP BY ALL ORDER BY kind"
        ).fetchall()
        if [kind for kind, _ in kinds] != ["OBJECT"]:
            found = ", ".join(f"{n:,} {str(kind).lower()}" for kind, n in kinds) or "nothing"
            raise ReadError(f"{shown(name)} must hold JSON objects, one a row; it holds {found}.")
        keys = con.execute(
            f"SELECT k FROM (SELECT unnest(json_keys(json)) AS k, row_number() OVER () AS n FROM {sql}) GROUP BY k ORDER BY min(n), k"
        ).fetchall()
    names = tuple(str(key) for (key,) in keys)
    return Part(sql, names, tuple(f"json_extract_string(json, {literal(_json_path(name))})" for name in names))


def _json_path(name: str) -> str:
    """The path of a top-level key, whatever signs it holds."""
    return '$."' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def header_of(src: Source, options: Options) -> tuple[str, tuple[str, ...]]:
    """Return the delimiter of separated text and the names of its columns, each once and none empty."""
    delimiter = _delimiter(src, options)
    names = _header(src, delimiter, options)
    named = tuple(name or f"column {i + 1}" for i, name in enumerate(names))
    if len(set(named)) < len(named):
        named = tuple(f"{n} ({named[: i + 1].count(n)})" if n in named[:i] else n for i, n in enumerate(named))
    return delimiter, named


def _separated(src: Source, path: Path, options: Options) -> Part:
    delimiter, named = header_of(src, options)
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(named)))
    sql = (
        f"read_csv({literal(literally(path))}, auto_detect=false, header=true, delim={literal(delimiter)}, quote='\"', "
        f"escape='\"', strict_mode=true, compression={literal(src.compression or 'none')}, "
        f"max_line_size={_OBJECT_BYTES // 8}, columns={{{columns}}})"
    )
    return Part(sql, named, tuple(f"c{i}" for i in range(len(named))))


def _beginning(src: Source, options: Options) -> str:
    """The first whole lines of a text file, about a megabyte of them."""
    for most in (1 << 20, 1 << 26):
        data = src.read(most)
        if len(data) < most:
            break
        if b"\n" in data:
            data = data[: data.rfind(b"\n") + 1]
            break
    return decode(data, src.name, options.encoding).removeprefix("\ufeff")


def split_records(text: str, delimiter: str) -> Iterator[list[str]]:
    r"""Yield the records of separated text; cells in quotation marks may hold anything, a mark doubled.

    >>> list(split_records('a,"b ""x"", c"\r\nd,', ","))
    [['a', 'b "x", c'], ['d', '']]
    """
    sign = re.escape(delimiter)
    cell = re.compile(rf'(?:"((?:[^"]|"")*)"|([^{sign}\r\n]*))({sign}|\r\n|\n|\r|$)')
    record: list[str] = []
    at = 0
    while at < len(text) or record:
        match = cell.match(text, at)
        if match is None:  # a stray quotation mark: take the cell as it is, up to the next delimiter
            match = re.compile(rf"()([^{sign}\r\n]*)({sign}|\r\n|\n|\r|$)").match(text, at)
            assert match is not None
        record.append(match[1].replace('""', '"') if match[1] else match[2] or "")
        at = match.end()
        if match[3] != delimiter:
            yield record
            record = []


def _delimiter(src: Source, options: Options) -> str:
    """The sign that splits the first records into the most cells, the same number in each."""
    if options.delimiter is not None:
        if len(options.delimiter) != 1:
            raise UsageError(f"`delimiter` must be one sign; got {quoted(options.delimiter)}.")
        return options.delimiter
    if src.suffix == ".tsv":
        return "\t"
    text, widths = _beginning(src, options), {}
    for sign in DELIMITERS:
        sizes = {len(record) for record in islice(split_records(text, sign), 20) if record != [""]}
        if len(sizes) == 1 and max(sizes) > 1:
            widths[sign] = max(sizes)
    return max(widths, key=lambda sign: widths[sign]) if widths else ","


def _header(src: Source, delimiter: str, options: Options) -> list[str]:
    """The names in the first record."""
    return [name.strip() for name in next(split_records(_beginning(src, options), delimiter), [])]


def column_names(head: Head) -> tuple[str, ...]:
    """Return the column names that the beginning of a file shows, none where it is no table; never raises."""
    if head.record:
        return tuple(head.record)
    try:
        if head.start.startswith(b"PAR1"):
            with connect() as con:
                return parquet_part(con, head.source.name, literally(head.source.path)).names
        return tuple(_header(head.source, _delimiter(head.source, Options()), Options()))
    except BeatpathError:
        return ()
