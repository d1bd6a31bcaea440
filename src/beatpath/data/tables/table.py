"""Tables: CSV, TSV, JSON, JSON Lines and Parquet files as one set of rows, read by DuckDB.

Text formats are read as text throughout, so that an agent called ``007`` or ``NaN`` keeps its name; numbers are made
from text only where a role asks for numbers, and a cell that is none is an error with its place. Column names never
enter a query: columns are called ``c0``, ``c1``, ... inside.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Floats
from beatpath._errors import ReadError, UsageError
from beatpath._text import counted, listed, quoted, shown, suggestion
from beatpath.data.sources.memory import require_memory
from beatpath.data.tables.columns import (
    are_numbers,
    array_of_column,
    factors_by_hash,
    factors_of_texts,
    finite_numbers,
    number_share,
)
from beatpath.data.tables.database import as_number, literal, reading_errors
from beatpath.data.tables.groups import Groups, count_groups
from beatpath.data.tables.where import condition
from beatpath.evidence import Factor

_PEEK = 1000  # rows looked at to guess what a column holds
_ROW_BYTES, _CELL_BYTES = 32, 16  # that a row takes in memory, and each of its cells, while it becomes evidence
_FEW_BYTES = 1 << 22  # of Parquet files whose rows are kept while they are asked about


@dataclass
class Table:
    """The rows of one or more files under common column names."""

    con: duckdb.DuckDBPyConnection
    names: tuple[str, ...]
    sources: tuple[str, ...]
    types: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()  # of Parquet files that all have the same columns and types
    files: Mapping[str, str] = field(default_factory=dict)  # paths, and the names they go by
    lazy: bool = False  # whether battles are to be counted where they lie, by DuckDB alone
    _factors: int = field(default=0, repr=False)
    _numeric: dict[str, float] = field(default_factory=dict, repr=False)
    _peeked: dict[str, Any] = field(default_factory=dict, repr=False)

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
            self._require_field(name, inner, self.types[at])
            return inner
        return f"json_extract_string(c{at}, {literal('$.' + path)})"

    def _require_field(self, name: str, sql: str, kind: str) -> None:
        """Refuse a field that a nested column does not have."""
        try:
            self.con.execute(f"DESCRIBE SELECT {sql} FROM rows")
        except duckdb.BinderException:
            raise UsageError(
                f"{quoted(name)} must be a field of a nested column of {shown(self.sources[0])}; the column is {shown(kind, 200)}."
            ) from None

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
            self._peeked = self._fetch(f"SELECT * FROM rows LIMIT {_PEEK}")
            self._numeric = {name: number_share(self._peeked[f"c{i}"]) for i, name in enumerate(self.names)}
        return self._numeric

    def first(self, name: str) -> list[str]:
        """Return the first cells of a column that are not empty, as texts, in the order of the rows."""
        if name not in self._shares:
            return []
        column = self._peeked[f"c{self.names.index(name)}"]
        missing = np.ma.getmaskarray(column)
        return [
            str(value)
            for value, none in zip(np.ma.getdata(column), missing, strict=True)
            if not none and value is not None
        ]

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
        kept = "VIEW" if self.types and not self._small else "TABLE"  # much Parquet is quick to scan again, text is not
        if self.types and kept == "TABLE":  # a few bytes of Parquet may hold millions of rows, and say how many
            self._require_room(f"rows{self.where}", len(columns))
        with reading_errors(self.sources):
            self.con.execute(f"CREATE OR REPLACE TEMP {kept} chosen AS SELECT {chosen} FROM rows{self.where}")
        try:
            self._require_room("chosen", len(columns))
            yield Rows(self, columns)
        finally:
            self.con.execute(f"DROP {kept} IF EXISTS chosen")

    def _require_room(self, counted_rows: str, n_columns: int) -> None:
        """Refuse more rows than memory may hold of so many columns."""
        n_rows = int(self._query(f"SELECT count(*) FROM {counted_rows}")[0][0])
        require_memory(
            n_rows * (_ROW_BYTES + _CELL_BYTES * n_columns),
            f"{counted(n_rows, 'row')} of {listed(self.sources, 2)}",
            "Battles can be counted without being held: `--engine duckdb`.",
        )

    @property
    def _small(self) -> bool:
        """Whether these are Parquet files of few bytes, which cost more to open again than to keep."""
        return bool(self.paths) and sum(map(os.path.getsize, self.paths)) < _FEW_BYTES

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
            shared = factors_of_texts(columns[: len(agents)]) + [
                factors_of_texts([c])[0] for c in columns[len(agents) :]
            ]
        else:
            shared = factors_by_hash(columns, hashed, len(agents))
        texts, n = dict(zip(names, shared, strict=True)), np.asarray(got["n"], dtype=np.int64)
        if weight is None:
            return Groups(texts, n)
        lowest = np.nan if np.any(got["empty"]) else float(np.min(got["low"], initial=0.0))
        return Groups(
            texts,
            n,
            array_of_column(got["w"], np.nan, np.float64),
            array_of_column(got["w2"], np.nan, np.float64),
            lowest,
        )

    def factors_of_all_rows(self, names: Sequence[str]) -> list[Factor] | None:
        """Return text columns of large Parquet files by their dictionaries; None where rows are filtered or PyArrow is missing."""
        if self.lazy or self._small or not self._plain_parquet(names):
            return None
        from beatpath.data.tables.dictionaries import factors_of_parquet

        return factors_of_parquet(self.paths, names)

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
        within = f"SELECT count(*) FROM (SELECT file, row_number() OVER () AS n FROM rows) WHERE file = {literal(file)} AND n <= {n}"
        return f"row {self._query(within)[0][0]:,} of {shown(self.files.get(file, file))}"


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
        found = self.table.factors_of_all_rows(names)
        if found is not None:
            return found
        values = [f"CAST({self._column(name)} AS VARCHAR)" for name in names]
        union = " UNION ".join(f"SELECT DISTINCT {v} AS v FROM chosen WHERE {v} IS NOT NULL" for v in values)
        self.table._query(f"CREATE OR REPLACE TEMP TABLE levels AS SELECT v FROM ({union}) ORDER BY v")
        levels = self.table._fetch("SELECT v FROM levels ORDER BY v")["v"]
        if not len(levels):
            missing = np.full(len(self), -1, dtype=np.int32)
            return [Factor(missing, ()) for _ in names]
        self.table._factors += 1
        kind = f"e{self.table._factors}"
        self.table._query(f"CREATE TEMP TYPE {kind} AS ENUM (SELECT v FROM levels ORDER BY v)")
        coded = ", ".join(f"CAST(enum_code(CAST({v} AS {kind})) AS INTEGER) AS f{i}" for i, v in enumerate(values))
        codes = self.table._fetch(f"SELECT {coded} FROM chosen")
        texts = tuple(map(str, levels))
        return [Factor(array_of_column(codes[f"f{i}"], -1, np.int32), texts) for i in range(len(values))]

    def is_number(self, name: str) -> bool:
        """Whether every cell of a column that is not empty is a finite number, and at least one is."""
        return are_numbers(self.table._fetch(f"SELECT {self._column(name)} AS x FROM chosen")["x"])

    def factor(self, name: str) -> Factor:
        """Return one text column as a factor."""
        return self.factors([name])[0]

    def numbers(self, name: str) -> Floats:
        """Return a column as numbers, NaN where the cell is empty; a cell that is no finite number is an error."""
        column = self._column(name)
        text = f"CAST({column} AS VARCHAR)"
        number = as_number(text)
        got = self.table._fetch(f"SELECT {number} AS x, ({column} IS NULL OR trim({text}) = '') AS empty FROM chosen")
        values = array_of_column(got["x"], np.nan, np.float64)
        wrong = ~np.isfinite(values) & ~np.asarray(got["empty"], dtype=bool)
        if wrong.any():
            first = int(np.flatnonzero(wrong)[0])
            value = self.table._query(f"SELECT {text} FROM chosen LIMIT 1 OFFSET {first}")[0][0]
            raise ReadError(
                f"{quoted(name)} must hold finite numbers; got {quoted(value)} in {self.table.place(first)} "
                f"({counted(int(wrong.sum()), 'such cell')}). Correct these cells, or leave them empty where nothing is known."
            )
        return values

    def number_table(self, names: Sequence[str]) -> Floats:
        """Return many columns as numbers at once, one column each, NaN where a cell is empty."""
        got = self.table._fetch(f"SELECT {', '.join(map(self._column, names))} FROM chosen")
        columns = [finite_numbers(got[self._column(name)]) for name in names]
        return np.stack([self.numbers(n) if c is None else c for n, c in zip(names, columns, strict=True)], axis=1)

    def times(self, name: str) -> Floats:
        """Return a column as times: numbers as they are, dates as seconds; NaN where it is neither."""
        column = self._column(name)
        text = f"CAST({column} AS VARCHAR)"
        seconds = f"coalesce(TRY_CAST({text} AS DOUBLE), epoch(TRY_CAST({text} AS TIMESTAMP)))"
        return array_of_column(
            self.table._fetch(f"SELECT CAST({seconds} AS DOUBLE) AS x FROM chosen")["x"], np.nan, np.float64
        )


def _nullable(value: str | None) -> str:
    return "NULL" if value is None else literal(value)
