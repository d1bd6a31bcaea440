"""Files of rows opened as one `Table`: Parquet by its footer, JSON by its keys, separated text by its header."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import duckdb

from beatpath._errors import ReadError
from beatpath._text import listed, shown
from beatpath.data.sources.options import Options
from beatpath.data.sources.source import HEAD, Source, plain_file
from beatpath.data.tables.database import connect, literal, literally, reading_errors
from beatpath.data.tables.separated import header_of
from beatpath.data.tables.table import Table

_OBJECT_BYTES = 1 << 28  # the largest JSON record DuckDB may meet


@contextmanager
def open_table(
    sources: Sequence[Source], options: Options, con: duckdb.DuckDBPyConnection | None = None
) -> Iterator[Table]:
    """Open files of rows as one table; a column that only some files have is empty in the others."""
    with ExitStack() as stack:
        if con is None:
            con = connect()
            stack.callback(con.close)
        parts = [
            _part_of_file(con, src, stack.enter_context(plain_file(src, options.encoding)), options) for src in sources
        ]
        paths = tuple(str(src.path) for src in sources)
        yield table_of(con, parts, tuple(src.name for src in sources), paths, options)


def table_of(
    con: duckdb.DuckDBPyConnection,
    parts: Sequence["TablePart"],
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


def _all_rows(parts: Sequence["TablePart"], names: Sequence[str], uniform: bool, paths: Sequence[str]) -> str:
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
class TablePart:
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
    head = src.first(HEAD)
    if not head:
        raise ReadError(f"{shown(src.name)} must hold data; the file is empty.")
    if head.startswith(b"PAR1"):
        return "parquet"
    if src.suffix in (".json", ".jsonl", ".ndjson") or head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"["):
        return "json"
    return "separated"


def _part_of_file(con: duckdb.DuckDBPyConnection, src: Source, path: Path, options: Options) -> TablePart:
    """Describe one file by what it is."""
    kind = kind_of(src)
    if kind == "parquet":
        return _typed_part(f"read_parquet({literal(literally(path))})", *parquet_columns(src))
    return (
        json_part(con, src.name, literally(path), src.compression)
        if kind == "json"
        else _separated_part(src, path, options)
    )


def parquet_part(con: duckdb.DuckDBPyConnection, name: str, path: str) -> TablePart:
    """Describe Parquet files, at a path or at an address with stars, by a footer."""
    sql = f"read_parquet({literal(path)})"
    with reading_errors([name]):
        described = con.execute(f"DESCRIBE SELECT * FROM {sql}").fetchall()
    return _typed_part(sql, tuple(str(row[0]) for row in described), tuple(str(row[1]) for row in described))


def _typed_part(sql: str, names: tuple[str, ...], types: tuple[str, ...]) -> TablePart:
    return TablePart(sql, names, tuple('"' + name.replace('"', '""') + '"' for name in names), types)


def parquet_columns(src: Source) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names and the types of a Parquet file's columns; its footer is read once for all who ask."""
    return _footer(src.path, src.mark, src.name)


@lru_cache(maxsize=1 << 12)
def _footer(path: Path, mark: object, name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    with connect() as con:
        part = parquet_part(con, name, literally(path))
    return part.names, part.types


def json_part(con: duckdb.DuckDBPyConnection, name: str, path: str, compression: str) -> TablePart:
    """Describe a JSON file by all the keys its objects have."""
    sql = (
        f"read_json_objects({literal(path)}, format='auto', maximum_object_size={_OBJECT_BYTES}, "
        f"compression={literal(compression or 'none')})"
    )
    with reading_errors([name]):  # every row adds one empty key, so that one scan counts the rows of a kind too
        found = con.execute(
            "SELECT kind, k, count(*), min(n) AS first FROM (SELECT json_type(json) AS kind, row_number() OVER () AS n, "
            f"unnest(list_append(json_keys(json), NULL)) AS k FROM {sql}) GROUP BY ALL ORDER BY kind, first, k"
        ).fetchall()
    rows = {str(kind): n for kind, key, n, _ in found if key is None}
    if list(rows) != ["OBJECT"]:
        seen = ", ".join(f"{n:,} {kind.lower()}" for kind, n in rows.items()) or "nothing"
        raise ReadError(f"{shown(name)} must hold JSON objects, one a row; it holds {seen}.")
    names = tuple(str(key) for _, key, _, _ in found if key is not None)
    return TablePart(sql, names, tuple(f"json_extract_string(json, {literal(_json_path(name))})" for name in names))


def _json_path(name: str) -> str:
    """The path of a top-level key, whatever signs it holds."""
    return '$."' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _separated_part(src: Source, path: Path, options: Options) -> TablePart:
    delimiter, named = header_of(src, options)
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(named)))
    sql = (
        f"read_csv({literal(literally(path))}, auto_detect=false, header=true, delim={literal(delimiter)}, quote='\"', "
        f"escape='\"', strict_mode=true, compression={literal(src.compression or 'none')}, "
        f"max_line_size={_OBJECT_BYTES // 8}, columns={{{columns}}})"
    )
    return TablePart(sql, named, tuple(f"c{i}" for i in range(len(named))))
