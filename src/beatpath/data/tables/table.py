"""Tables: files of rows, or columns in memory, as one set of rows with common column names, queried through DuckDB.

Text formats are read as text throughout, so an agent named ``007`` or ``NaN`` keeps its name. Text is converted to
numbers only if a role requires numbers; a cell that is no number raises an error with its location. Column names
never enter a query: internally columns are named ``c0``, ``c1``, ...
"""

import os
import re
from collections import Counter
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
from beatpath.data.sources.memory import memory_limit, require_memory
from beatpath.data.tables.cells import (
    EMPTY,
    PARTS,
    WRAPPING,
    FirstCells,
    Groups,
    are_numbers,
    array_of_column,
    condition,
    factors_of_codes,
    finite_numbers,
    known_texts,
    name_part,
    number_share,
)
from beatpath.data.tables.database import as_number, literal, reading_errors
from beatpath.data.tables.parquet import count_groups
from beatpath.evidence import Factor

_PEEK = 1000  # rows inspected to guess what a column holds
_ROW_BYTES, _CELL_BYTES = 32, 16  # memory per row, and per cell of it, while it becomes evidence
_FEW_BYTES = 1 << 22  # size of Parquet files below which rows are stored while in use
# columns that every file has: its own name, and those of its folders
_FILE_NAME = re.compile(r"(folder[2-9]?|file)(\.[1-9])?")


@dataclass
class Table(FirstCells):
    """The rows of one or more files with common column names.

    Attributes
    ----------
    con : DuckDB connection
        Its view ``rows`` has the columns ``c0``, ``c1``, ... and ``file``, the path of the file of each row.
    names, types : tuple of str
        Names and types of the columns; types are known for Parquet files that all have the same.
    sources : tuple of str
        What was read, as the user wrote it.
    filters : tuple of str
        Conditions on rows, as SQL; `where` is the clause of all of them.
    paths : tuple of str
        Paths of local Parquet files that all have the same columns and types.
    files : mapping of path to name
        Display names of the files.
    lazy : bool
        Whether DuckDB is to count the battles without returning rows.
    """

    con: duckdb.DuckDBPyConnection
    names: tuple[str, ...]
    sources: tuple[str, ...]
    types: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()
    where: str = ""
    paths: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    lazy: bool = False
    _first: dict[str, NDArray[Any]] = field(default_factory=dict, repr=False)

    @property
    def n_rows(self) -> int:
        """Number of rows in the files, before any filter."""
        return self.count("rows")

    def fetch(self, sql: str) -> dict[str, NDArray[Any]]:
        """Return the columns of a query's result."""
        with reading_errors(self.sources):
            return self.con.execute(sql).fetchnumpy()

    def count(self, rows: str) -> int:
        """Return the number of rows of a view, with or without conditions."""
        return int(self.fetch(f"SELECT count(*) AS n FROM {rows}")["n"][0])

    def has(self, name: str) -> bool:
        """Whether a column, a field or part of one (``meta.tokens``, ``pair.1``), or a name of the file exists."""
        inside = any(name.startswith(f"{known}.") for known in self.names)
        return name in self.names or inside or (bool(self.files) and _FILE_NAME.fullmatch(name) is not None)

    def in_several_files(self, names: Sequence[str]) -> bool:
        """Whether rows of more than one file have the same values in these columns."""
        keys = ", ".join(map(self.text, names))
        found = self.fetch(f"SELECT 1 AS x FROM rows GROUP BY {keys} HAVING count(DISTINCT file) > 1 LIMIT 1")
        return len(found["x"]) > 0

    def expression(self, name: str) -> str:
        """Return the SQL of a column, a field or part of one, or a name of the file; a missing one raises an error.

        ``file`` is a file's name without its ending, ``folder`` its folder's, ``folder2`` that of the one above, ``file.2`` a part.
        """
        if name in self.names:
            return f"c{self.names.index(name)}"
        parent = next((known for known in self.names if name.startswith(f"{known}.")), None)
        if parent is None and not self.has(name):
            raise UsageError(unknown_column(name, self.sources[0], self.names))
        if parent is None:
            paths, names = zip(*self.files.items(), strict=True)
            lists = [", ".join(map(literal, texts)) for texts in (paths, [name_part(file, name) for file in names])]
            return f"nullif(list_extract([{lists[1]}], list_position([{lists[0]}], file)), '')"
        at, path = self.names.index(parent), name[len(parent) + 1 :]
        if path.isdigit() and self.kind(parent) != "objects":
            split = f"regexp_split_to_array(CAST(c{at} AS VARCHAR), {literal(PARTS.pattern)})"
            return f"nullif(trim(list_extract({split}, {path}), {literal(WRAPPING)}), '')"
        if self.types and self.types[at].startswith("STRUCT"):
            inner = f"c{at}"
            for part in path.split("."):
                inner = f"struct_extract({inner}, {literal(part)})"
            self._require_field(name, inner, self.types[at])
            return inner
        steps = [
            f"[{int(one) - 1}]" if one.isdigit() and self.kind(parent) == "lists" else f".{one}"
            for one in path.split(".")
        ]
        return f"json_extract_string(c{at}, {literal('$' + ''.join(steps))})"

    def _require_field(self, name: str, sql: str, kind: str) -> None:
        """Raise an error for a field that a nested column does not have."""
        try:
            self.con.execute(f"DESCRIBE SELECT {sql} FROM rows")
        except duckdb.BinderException:
            raise UsageError(
                f"{quoted(name)} must be a field of a nested column of {shown(self.sources[0])}; the column is {shown(kind, 200)}."
            ) from None

    def text(self, name: str) -> str:
        """Return the SQL of a column as text."""
        return f"CAST({self.expression(name)} AS VARCHAR)"

    def _first_cells(self, name: str) -> NDArray[Any]:
        """The first cells of a column; all columns are fetched at the first request."""
        if not self._first:
            self._first = self.fetch(f"SELECT * FROM rows LIMIT {_PEEK}")
        return self._first[f"c{self.names.index(name)}"]

    def number_share(self, name: str) -> float:
        """Return the share of numbers among the first nonempty cells; 1 only without exception."""
        return number_share(self._first_cells(name))

    def first_texts(self, name: str) -> list[str]:
        """Return the first nonempty cells of a column as strings; empty for a nested field."""
        return known_texts(self._first_cells(name)) if name in self.names else []

    def distinct(self, name: str, most: int = 1000) -> list[str]:
        """Return up to `most` distinct strings of a column, sorted."""
        text = self.text(name)
        values = self.fetch(f"SELECT DISTINCT {text} AS v FROM rows WHERE {text} IS NOT NULL ORDER BY v LIMIT {most}")
        return list(map(str, values["v"]))

    def filtered(self, conditions: Sequence[str]) -> "Table":
        """Return the table of rows that satisfy every condition ``COLUMN=VALUE`` (or ``!=  <  <=  >  >=``)."""
        return self._with_filters(tuple(self._condition(c) for c in conditions))

    def _with_filters(self, filters: tuple[str, ...]) -> "Table":
        return replace(self, filters=filters, where=f" WHERE {' AND '.join(filters)}")

    def _condition(self, text: str) -> str:
        """Return the SQL of one condition; equality compares strings, order compares numbers."""
        one = condition(text)
        if one.of_texts:
            meets = f"lower(trim({self.text(one.column)})) = lower({literal(one.value)})"
            return meets if one.operator == "=" else f"({meets}) IS NOT TRUE"
        return f"{as_number(self.text(one.column))} {one.operator} {one.number!r}"

    @contextmanager
    def rows(self, names: Sequence[str]) -> Iterator["Rows"]:
        """Read the filtered rows of these columns once, and hold them while they are in use."""
        columns = {name: f"v{i}" for i, name in enumerate(dict.fromkeys(names))}
        chosen = ", ".join(f"{self.expression(name)} AS {own}" for name, own in columns.items()) or "1 AS v0"
        small = bool(self.paths) and sum(map(os.path.getsize, self.paths)) < _FEW_BYTES
        # large Parquet files are fast to scan again, text is not
        storage = "VIEW" if self.types and not small else "TABLE"
        if self.types and storage == "TABLE":  # a few bytes of Parquet may hold millions of rows, but state how many
            self._require_room(f"rows{self.where}", len(columns))
        with reading_errors(self.sources):
            self.con.execute(f"CREATE OR REPLACE TEMP {storage} chosen AS SELECT {chosen} FROM rows{self.where}")
        try:
            n_rows = self._require_room("chosen", len(columns))
            yield Rows(self, columns, n_rows)
        finally:
            self.con.execute(f"DROP {storage} IF EXISTS chosen")

    def _require_room(self, rows: str, n_columns: int) -> int:
        """Raise an error if so many rows and columns exceed the memory limit, and return the number of rows."""
        n_rows = int(self.fetch(f"SELECT count(*) AS n FROM {rows}")["n"][0])
        need = n_rows * (_ROW_BYTES + _CELL_BYTES * n_columns)
        if need > memory_limit():
            what = f"{counted(n_rows, 'row')} of {listed(self.sources, 2)}"
            require_memory(need, what, "Battles can be counted without being held: `--engine duckdb`.")
        return n_rows

    def groups(self, agents: Sequence[str], others: Sequence[str], weight: str | None) -> Groups:
        """Group the filtered rows by these columns as strings, by the fastest way that the files allow.

        Parquet columns are stored as codes into dictionaries: PyArrow, if installed, counts the codes; DuckDB hashes
        each dictionary entry once and groups by hash. Anything else is grouped by its strings.
        """
        names, sets = [*agents, *others], [agents, *([name] for name in others)]
        if not self.lazy and weight is None and len(others) < 2 and self.are_plain_texts(names):
            counted_groups = count_groups(self.paths, names)
            if counted_groups is not None:
                return Groups(dict(zip(names, counted_groups[0], strict=True)), counted_groups[1])
        hashed = [self._texts_by_hash(some) for some in sets] if self.paths and self._dictionaries(names) else [None]
        key = "{0}" if None in hashed else "hash({0})"
        keys = ", ".join(f"{key.format(self.expression(name))} AS g{i}" for i, name in enumerate(names))
        weigh = ""
        if weight is not None:
            w = as_number(self.text(weight))
            weigh = f", sum({w}) AS total, sum({w} * {w}) AS square, min({w}) AS low, count(*) - count({w}) AS holes"
        cells = self.fetch(f"SELECT {keys}, count(*) AS n{weigh} FROM rows{self.where} GROUP BY ALL")
        if None in hashed:
            return Groups.of(cells, sets)
        columns = iter([cells[f"g{i}"] for i in range(len(names))])
        factors = [
            f
            for some, t in zip(sets, hashed, strict=True)
            for f in factors_of_codes([next(columns) for _ in some], t or {})
        ]
        return Groups.of(cells, sets, factors)

    def are_plain_texts(self, names: Sequence[str]) -> bool:
        """Whether all rows of these columns are requested and are text in Parquet files."""
        kinds = dict(zip(self.names, self.types, strict=False))  # empty for anything but Parquet
        return bool(self.paths) and not self.filters and all(kinds.get(name) == "VARCHAR" for name in names)

    def _dictionaries(self, names: Sequence[str]) -> bool:
        """Whether these Parquet columns are stored as codes into dictionaries."""
        stored = self.fetch(
            "SELECT coalesce(bool_and(contains(CAST(encodings AS VARCHAR), 'DICT')), true) AS yes FROM parquet_metadata("
            f"[{', '.join(map(literal, self.paths))}]) WHERE path_in_schema IN ({', '.join(map(literal, names))})"
        )
        return bool(stored["yes"][0]) and all(name in self.names for name in names)

    def _texts_by_hash(self, names: Sequence[str]) -> dict[int, str | None] | None:
        """The string behind every hash in some columns; ``None`` if two strings share a hash."""
        columns = [self.expression(name) for name in names]
        rows = " UNION ".join(
            f"SELECT hash({c}) AS h, CAST({c} AS VARCHAR) AS t FROM rows GROUP BY {c}" for c in columns
        )
        with reading_errors(self.sources):
            found = self.con.execute(rows).fetchall()
        texts = {int(code): text for code, text in found}
        return texts if len(texts) == len(found) else None

    def place_of(self, values: Mapping[str, str | None]) -> str:
        """Return the location of the first filtered row with these values."""
        texts = {name: "NULL" if value is None else literal(value) for name, value in values.items()}
        meets = [f"{self.text(name)} IS NOT DISTINCT FROM {text}" for name, text in texts.items()]
        return self._with_filters((*self.filters, *meets)).place(0)

    def place(self, index: int) -> str:
        """Return the location of the filtered row with this index: ``row 17 of games.csv``."""
        numbered = "(SELECT *, row_number() OVER () AS n FROM rows)"
        row = self.fetch(f"SELECT file, n FROM {numbered}{self.where} LIMIT 1 OFFSET {int(index)}")
        file, n = str(row["file"][0]), int(row["n"][0])
        within = self.count(f"{numbered} WHERE file = {literal(file)} AND n <= {n}")
        return f"row {within:,} of {shown(self.files.get(file, file))}"


@dataclass(frozen=True)
class Rows:
    """Columns of the filtered rows, as factors or numbers.

    `columns` maps each column to its name in the rows. `texts` names columns that hold no numbers, whatever they look
    like. `absent` counts the cells of each column that say that there is no number, by their text.
    """

    table: Table
    columns: Mapping[str, str]
    n_rows: int
    texts: frozenset[str] = frozenset()
    absent: dict[str, Counter[str]] = field(default_factory=dict)

    def __len__(self) -> int:
        return self.n_rows

    def factors(self, names: Sequence[str]) -> list[Factor]:
        """Return text columns as factors over their common, sorted levels."""
        values = [f"CAST({self.columns[name]} AS VARCHAR)" for name in names]
        union = " UNION ".join(f"SELECT DISTINCT {v} AS v FROM chosen WHERE {v} IS NOT NULL" for v in values)
        levels = self.table.fetch(
            "CREATE OR REPLACE TEMP TABLE levels AS SELECT v, CAST(row_number() OVER (ORDER BY v) - 1 AS INTEGER) AS i "
            f"FROM ({union}); SELECT v FROM levels ORDER BY i"
        )["v"]
        if not len(levels):
            return [Factor(np.full(len(self), -1, dtype=np.int32), ()) for _ in names]
        # by joins, which lose the order of the rows: casts to an enumeration take ten times as long with a million levels
        parts = [
            (f"l{i}.i AS f{i}", f"{v} AS t{i}", f"LEFT JOIN levels AS l{i} ON l{i}.v = t{i}")
            for i, v in enumerate(values)
        ]
        codes, cells, joins = zip(*parts, strict=True)
        numbered = f"(SELECT row_number() OVER () - 1 AS n, {', '.join(cells)} FROM chosen)"
        columns = self.table.fetch(f"SELECT n, {', '.join(codes)} FROM {numbered} {' '.join(joins)}")
        coded = np.empty((len(values), self.n_rows), dtype=np.int32)
        for i, row in enumerate(coded):
            row[columns["n"]] = array_of_column(columns[f"f{i}"], -1, np.int32)
        texts = tuple(map(str, levels))
        return [Factor(row, texts) for row in coded]

    def factor(self, name: str) -> Factor:
        """Return one text column as a factor."""
        return self.factors([name])[0]

    def is_number(self, name: str) -> bool:
        """Whether every nonempty cell of a column is a finite number, and at least one is."""
        column = self.columns[name]
        return name not in self.texts and are_numbers(self.table.fetch(f"SELECT {column} FROM chosen")[column])

    def numbers(self, name: str) -> Floats:
        """Return a column as numbers, NaN if the cell has none; a cell that is no finite number raises an error."""
        column = self.columns[name]
        text = f"CAST({column} AS VARCHAR)"
        # a long list after IN becomes a join, which loses the order of the rows
        none = f"regexp_full_match(lower(trim({text})), {literal('|'.join(map(re.escape, EMPTY)))})"
        cells = self.table.fetch(f"SELECT {as_number(text)} AS x, coalesce({none}, true) AS empty FROM chosen")
        values = array_of_column(cells["x"], np.nan, np.float64)
        empty = np.asarray(cells["empty"], dtype=bool)
        wrong = ~np.isfinite(values) & ~empty
        if empty.any():
            marks = self.table.fetch(f"SELECT trim({text}) AS t FROM chosen WHERE {none} AND trim({text}) <> ''")["t"]
            self.absent[name] = Counter(map(str, marks))
        if wrong.any():
            first = int(np.flatnonzero(wrong)[0])
            value = self.table.fetch(f"SELECT {text} AS t FROM chosen LIMIT 1 OFFSET {first}")["t"][0]
            plain = " Write numbers with a decimal point and no other sign." if "," in value else ""
            raise ReadError(
                f"{quoted(name)} must hold finite numbers; got {quoted(value)} in {self.table.place(first)} "
                f"({counted(int(wrong.sum()), 'such cell')}).{plain} Correct these cells, or leave them empty where nothing is known."
            )
        return values

    def number_table(self, names: Sequence[str]) -> Floats:
        """Return several columns as a table of numbers, NaN if a cell is empty."""
        cells = self.table.fetch(f"SELECT {', '.join(map(self.columns.__getitem__, names))} FROM chosen")
        columns = [finite_numbers(cells[self.columns[name]]) for name in names]
        return np.stack([self.numbers(n) if c is None else c for n, c in zip(names, columns, strict=True)], axis=1)

    def times(self, name: str) -> Floats:
        """Return a column as times: numbers as they are, dates as seconds; NaN if it is neither."""
        text = f"CAST({self.columns[name]} AS VARCHAR)"
        seconds = f"coalesce(TRY_CAST({text} AS DOUBLE), epoch(TRY_CAST({text} AS TIMESTAMP)))"
        return array_of_column(
            self.table.fetch(f"SELECT CAST({seconds} AS DOUBLE) AS x FROM chosen")["x"], np.nan, np.float64
        )


def unknown_column(name: str, source: str, names: Sequence[str]) -> str:
    """State that a column does not exist, and list those that do."""
    return f"{quoted(name)} must be a column of {shown(source)}; it has {listed(names, 12)}.{suggestion(name, names)}"


def table_of_cells(
    con: duckdb.DuckDBPyConnection, names: Sequence[str], cells: Sequence[NDArray[Any]], source: str
) -> Table:
    """Return columns in memory as a table."""
    con.register("cells", {f"c{i}": values for i, values in enumerate(cells)})
    con.execute(f"CREATE OR REPLACE TEMP VIEW rows AS SELECT *, {literal(source)} AS file FROM cells")
    return Table(con, tuple(names), (source,))
