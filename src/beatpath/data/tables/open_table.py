"""Files of rows opened as one `Table`: Parquet by its footer, JSON by its keys, separated text by its header."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import duckdb

from beatpath._errors import ReadError
from beatpath._text import listed, shown
from beatpath.data.sources.memory import memory_limit
from beatpath.data.sources.options import Options
from beatpath.data.sources.source import HEAD, Source, plain_file
from beatpath.data.tables.database import connect, literal, literally, reading_errors
from beatpath.data.tables.separated import header_of
from beatpath.data.tables.table import Table

_OBJECT_BYTES = 1 << 28  # the largest JSON record DuckDB may meet
_LINE_BYTES = 1 << 25  # the longest line of separated text
_LEAST_BYTES = 1 << 16
_MOST_PARTS = 100  # kinds of JSON objects that are told apart


@contextmanager
def open_table(
    sources: Sequence[Source], options: Options, con: duckdb.DuckDBPyConnection | None = None
) -> Iterator[Table]:
    """Open files of rows as one table; a column that only some files have is empty in the others."""
    with open_parts(sources, options, con) as (opened, parts):
        yield table_of(opened, parts, options)


@contextmanager
def open_parts(
    sources: Sequence[Source], options: Options, con: duckdb.DuckDBPyConnection | None = None
) -> Iterator[tuple[duckdb.DuckDBPyConnection, list["TablePart"]]]:
    """Open files of rows as parts, each of files that have the same columns, in the order in which they are first met."""
    with ExitStack() as stack:
        if con is None:
            con = connect()
            stack.callback(con.close)
        files = [File(src, str(stack.enter_context(plain_file(src, options.encoding)))) for src in sources]
        kinds: dict[tuple[object, ...], list[File]] = {}
        for file in files:
            kinds.setdefault(_alike(file.source, options), []).append(file)
        parts = [part for kind, some in kinds.items() for part in _parts_of(con, kind, some)]
        place = {file.path: i for i, file in enumerate(files)}
        yield con, sorted(parts, key=lambda part: min(place[path] for path in part.files))


def table_of(con: duckdb.DuckDBPyConnection, parts: Sequence["TablePart"], options: Options) -> Table:
    """Put parts together as one table."""
    files = {path: name for part in parts for path, name in part.files.items()}
    sources = tuple(files.values())
    names = tuple(dict.fromkeys(name for part in parts for name in part.names))
    if len(names) < 2:
        raise ReadError(
            f"{shown(sources[0])} must have at least two columns; it has {listed(names)}. "
            "If another sign separates the cells, name it: `--delimiter ';'`."
        )
    uniform = len(parts) == 1
    types = parts[0].types if uniform else ()
    with reading_errors(sources):
        con.execute(f"CREATE OR REPLACE TEMP VIEW rows AS {_all_rows(parts, names, uniform)}")
    paths = tuple(files) if types and parts[0].local else ()
    table = Table(con, names, sources, types, paths=paths, files=files)
    return table.filtered(options.where) if options.where else table


def _all_rows(parts: Sequence["TablePart"], names: Sequence[str], uniform: bool) -> str:
    """The SQL of the rows of all parts, each with the path of its file."""
    selects = []
    for part in parts:
        columns = ", ".join(f"{part.column(name, uniform)} AS c{k}" for k, name in enumerate(names))
        selects.append(f"SELECT {columns}, {part.file} AS file FROM {part.sql}")
    return " UNION ALL ".join(selects)


@dataclass(frozen=True)
class File:
    """A file, and where DuckDB finds it in UTF-8."""

    source: Source
    path: str


@dataclass(frozen=True)
class TablePart:
    """Files with the same columns as SQL, the names of these columns, and the expressions that fetch them.

    `files` maps paths to the names they go by; `file` is the SQL of the path of a row's file; `local` says that these are Parquet
    files of this machine.
    """

    sql: str
    names: tuple[str, ...]
    expressions: tuple[str, ...]
    files: Mapping[str, str]
    types: tuple[str, ...] = ()
    file: str = "filename"
    local: bool = False

    def column(self, name: str, uniform: bool) -> str:
        """The SQL of a column, as text where files differ in their columns or types, NULL where this one lacks it."""
        if name not in self.names:
            return "NULL"
        column = self.expressions[self.names.index(name)]
        return column if uniform else f"CAST({column} AS VARCHAR)"


def _alike(src: Source, options: Options) -> tuple[object, ...]:
    """What files must share to be scanned together."""
    kind = kind_of(src)
    if kind == "parquet":
        return kind, *parquet_columns(src)
    return (kind, src.compression) if kind == "json" else (kind, src.compression, *header_of(src, options))


def _parts_of(con: duckdb.DuckDBPyConnection, kind: tuple[Any, ...], files: Sequence[File]) -> list[TablePart]:
    """Describe files that are scanned together."""
    names = {file.path: file.source.name for file in files}
    if kind[0] == "parquet":
        return [_parquet_files(names, kind[1], kind[2])]
    if kind[0] == "separated":
        return [_separated_part(names, *kind[1:])]
    return json_parts(con, names, kind[1])


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


def _parquet_files(files: Mapping[str, str], names: tuple[str, ...], types: tuple[str, ...]) -> TablePart:
    return TablePart(
        f"read_parquet({_paths(files)}, filename='beatpath file')",
        names,
        _identifiers(names),
        files,
        types,
        '"beatpath file"',
        local=True,
    )


def parquet_at(con: duckdb.DuckDBPyConnection, name: str, path: str) -> TablePart:
    """Describe Parquet files, at a path or at an address with stars, by a footer."""
    sql = f"read_parquet({literal(path)})"
    with reading_errors([name]):
        described = con.execute(f"DESCRIBE SELECT * FROM {sql}").fetchall()
    names = tuple(str(row[0]) for row in described)
    return TablePart(
        sql, names, _identifiers(names), {path: name}, tuple(str(row[1]) for row in described), literal(path)
    )


def _identifiers(names: Sequence[str]) -> tuple[str, ...]:
    return tuple('"' + name.replace('"', '""') + '"' for name in names)


def _paths(files: Iterable[str]) -> str:
    """The SQL of paths in which no sign stands for others."""
    return f"[{', '.join(literal(literally(Path(path))) for path in files)}]"


def parquet_columns(src: Source) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names and the types of a Parquet file's columns; its footer is read once for all who ask."""
    return _footer(src.path, src.mark, src.name)


@lru_cache(maxsize=1 << 12)
def _footer(path: Path, mark: object, name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    with connect() as con:
        part = parquet_at(con, name, literally(path))
    return part.names, part.types


def json_parts(con: duckdb.DuckDBPyConnection, files: Mapping[str, str], compression: str) -> list[TablePart]:
    """Describe JSON files by all the keys their objects have, in one pass; files with the same keys are one part."""
    sql = _json_scan(_paths(files), compression, files)
    keys = _keys_by_file(con, sql, files)
    alike: dict[frozenset[str], dict[str, str]] = {}
    for path, own in keys.items():
        alike.setdefault(frozenset(own), {})[path] = files[path]
    groups = list(alike.values()) if len(alike) <= _MOST_PARTS else [{path: files[path] for path in keys}]
    parts = []
    for some in groups:
        names = tuple(dict.fromkeys(name for path in some for name in keys[path]))
        parts.append(_json_part(_json_scan(_paths(some), compression, some), names, some))
    return parts


def json_at(con: duckdb.DuckDBPyConnection, name: str, address: str) -> TablePart:
    """Describe JSON files at an address, which may have stars."""
    sql = _json_scan(literal(address), "auto_detect", ())
    keys = _keys_by_file(con, sql, {address: name})
    names = tuple(dict.fromkeys(key for own in keys.values() for key in own))
    return replace(_json_part(sql, names, {address: name}), file=literal(address))


def _json_part(sql: str, names: tuple[str, ...], files: Mapping[str, str]) -> TablePart:
    found = tuple(f"json_extract_string(json, {literal(_json_path(name))})" for name in names)
    return TablePart(sql, names, found, files)


def _json_scan(paths: str, compression: str, files: Iterable[str]) -> str:
    """The SQL of all objects; none is larger than the file that holds it."""
    most = _largest(files, compression, min(_OBJECT_BYTES, memory_limit() // 8))
    return (
        f"read_json_objects({paths}, format='auto', maximum_object_size={most}, "
        f"compression={literal(compression or 'uncompressed')}, filename=true)"
    )


def _largest(files: Iterable[str], compression: str, most: int) -> int:
    """The most bytes that a record of some files can have: DuckDB sets memory aside by that number."""
    if compression:
        return most
    return min(max((os.path.getsize(path) for path in files), default=most) + _LEAST_BYTES, most)


def _keys_by_file(con: duckdb.DuckDBPyConnection, sql: str, files: Mapping[str, str]) -> dict[str, list[str]]:
    """The keys of the objects of every file that has some, in the order of the rows that have them first."""
    with reading_errors(
        tuple(files.values())
    ):  # every row adds one empty key, so that one scan counts the rows of a kind too
        found = con.execute(
            "SELECT filename, kind, k, count(*), min(n) AS first FROM (SELECT filename, json_type(json) AS kind, "
            f"row_number() OVER () AS n, unnest(list_append(json_keys(json), NULL)) AS k FROM {sql}) "
            "GROUP BY ALL ORDER BY filename, kind, first, k"
        ).fetchall()
    rows: dict[str, dict[str, int]] = {}
    keys: dict[str, list[str]] = {}
    for path, kind, key, n, _ in found:
        if key is None:
            rows.setdefault(path, {})[str(kind)] = n
        else:
            keys.setdefault(path, []).append(str(key))
    good = {path: keys.get(path, []) for path, kinds in rows.items() if list(kinds) == ["OBJECT"]}
    if not good:
        path, name = next(iter(files.items()))
        seen = ", ".join(f"{n:,} {kind.lower()}" for kind, n in rows.get(path, {}).items()) or "nothing"
        raise ReadError(f"{shown(name)} must hold JSON objects, one a row; it holds {seen}.")
    return good


def _json_path(name: str) -> str:
    """The path of a top-level key, whatever signs it holds."""
    return '$."' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _separated_part(files: Mapping[str, str], compression: str, delimiter: str, names: tuple[str, ...]) -> TablePart:
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(names)))
    sql = (
        f"read_csv({_paths(files)}, auto_detect=false, header=true, delim={literal(delimiter)}, quote='\"', "
        f"escape='\"', strict_mode=true, compression={literal(compression or 'uncompressed')}, "
        f"max_line_size={_largest(files, compression, min(_LINE_BYTES, memory_limit() // 64))}, columns={{{columns}}}, filename=true)"
    )
    return TablePart(sql, names, tuple(f"c{i}" for i in range(len(names))), files)
