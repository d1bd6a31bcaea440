"""Open files of rows as one `Table`: Parquet by its footer, JSON by its keys, separated text by its header."""

import json
import math
import os
import re
import shlex
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from glob import escape
from itertools import islice
from pathlib import Path
from typing import Any

import duckdb

from beatpath._errors import ReadError, UsageError
from beatpath._text import listed, quoted, shown
from beatpath.data.sources.memory import memory_limit, require_parseable
from beatpath.data.sources.source import BEGINNING, HEAD, Options, Source, decode, plain_file
from beatpath.data.tables.cells import number_of
from beatpath.data.tables.database import connect, literal, reading_errors, too_long_row
from beatpath.data.tables.table import Table
from beatpath.data.tables.words import USUAL, WORDS, for_file, tokens

# Delimiters that are tried, and limits on a header.
DELIMITERS = (",", "\t", ";", "|")
MOST_COLUMNS = 100_000
LONGEST_NAME = 10_000  # characters
_SOME = 20  # records by which delimiters are compared
_OBJECT_BYTES = 1 << 28  # the largest JSON record that DuckDB may read
_LINE_BYTES = 1 << 25  # the longest line of separated text
_LEAST_BYTES = 1 << 16  # added to the size of a small file for the largest record it can hold
# Lines before a header: an object of JSON, as monitors of Gym write it, or words in one cell.
# A header of numbers, as pandas writes it for columns without names, is none above names.
_COMMENTS = re.compile(
    r"\A(?:#\s?\{.*\}[ \r]*\n|# [^,;\t|\n]*\n|0,1(?:,\d+)*\r?\n(?=[^\d,\n-][^,\n]*,[^\d,\n-][^,\n]*[,\n\r]))+"
)
_MOST_PARTS = 100  # most distinct sets of JSON keys that are kept apart


@contextmanager
def open_table(sources: Sequence[Source], options: Options) -> Iterator[Table]:
    """Open files of rows as one table; a column that only some files have is empty in the others."""
    with open_parts(sources, options) as (con, parts):
        yield table_of(con, parts, options)


@contextmanager
def open_parts(
    sources: Sequence[Source], options: Options, con: duckdb.DuckDBPyConnection | None = None
) -> Iterator[tuple[duckdb.DuckDBPyConnection, list["TablePart"]]]:
    """Open files of rows as parts with the same columns each, in order of first appearance."""
    with ExitStack() as stack:
        if con is None:
            con = stack.enter_context(connect())
        kinds: dict[tuple[Any, ...], dict[str, str]] = {}  # what files must share to be scanned together
        place: dict[str, int] = {}
        for src in sources:
            kind = kind_of(src)
            opened, compression = stack.enter_context(_opened(src, kind, options.encoding))
            path = str(opened)
            header = () if kind == "json" else parquet_columns(src) if kind == "parquet" else header_of(src, options)
            kinds.setdefault((kind, compression, *header), {})[path] = src.name
            place[path] = len(place)
        parts = [part for kind, files in kinds.items() for part in _MAKERS[kind[0]](con, files, *kind[1:])]
        yield con, sorted(parts, key=lambda part: min(map(place.__getitem__, part.files)))


def table_of(con: duckdb.DuckDBPyConnection, parts: Sequence["TablePart"], options: Options) -> Table:
    """Combine parts into one table."""
    files = {path: name for part in parts for path, name in part.files.items()}
    sources = tuple(files.values())
    names = tuple(dict.fromkeys(name for part in parts for name in part.names))
    if len(names) < 2:
        advice = next(text for sign, text in WORDS["one_column"].items() if re.search(sign, " ".join(names)))
        advice = for_file(advice, sources[0])
        raise ReadError(
            f"{shown(sources[0])} must have at least two columns; it has {listed(names) or 'none'}. {advice}"
        )
    uniform, selects = len(parts) == 1, []
    for part in parts:
        cells = part.expressions if uniform else [part.as_text(name) for name in names]
        columns = ", ".join(f"{cell} AS c{k}" for k, cell in enumerate(cells))
        selects.append(f"SELECT {columns}, {part.file} AS file FROM {part.sql}")
    with reading_errors(sources):
        con.execute(f"CREATE OR REPLACE TEMP VIEW rows AS {' UNION ALL '.join(selects)}")
    types = parts[0].types if uniform else ()
    table = Table(con, names, sources, types, paths=tuple(files) if types and parts[0].local else (), files=files)
    return table.filtered(options.where) if options.where else table


@dataclass(frozen=True)
class TablePart:
    """Files with the same columns as SQL, the names of these columns, and the expressions that fetch them.

    `files` maps paths to display names, `file` is the SQL of the path of a row's file, and `local` marks Parquet
    files on this machine.
    """

    sql: str
    names: tuple[str, ...]
    expressions: tuple[str, ...]
    files: Mapping[str, str]
    types: tuple[str, ...] = ()
    file: str = "filename"
    local: bool = False

    def as_text(self, name: str) -> str:
        """The SQL of a column as text, for files that differ in columns or types; NULL if this part lacks it."""
        return f"CAST({self.expressions[self.names.index(name)]} AS VARCHAR)" if name in self.names else "NULL"


def kind_of(src: Source) -> str:
    """Return the format of a file.

    It is "parquet" by magic bytes, "json" by extension or first character, otherwise "separated".
    """
    head = src.first(HEAD)
    if not head:
        raise ReadError(f"{shown(src.name)} must hold data; the file is empty.")
    if head.startswith(b"version https://git-lfs"):
        raise ReadError(
            f"{shown(src.name)} must hold data; it is a pointer of Git LFS. Fetch the file: `git lfs pull`."
        )
    if head.startswith(b"PAR1"):
        return "parquet"
    if src.suffix in (".json", ".jsonl", ".ndjson") or head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"["):
        return "json"
    return "separated"


def _parquet_parts(
    con: duckdb.DuckDBPyConnection,
    files: Mapping[str, str],
    compression: str,
    names: tuple[str, ...],
    types: tuple[str, ...],
) -> list[TablePart]:
    sql = f"read_parquet({_paths(files)}, filename='beatpath file')"
    return [TablePart(sql, names, identifiers(names), files, types, '"beatpath file"', local=True)]


def parquet_at(con: duckdb.DuckDBPyConnection, name: str, path: str) -> TablePart:
    """Describe Parquet files, at a path or at an address with wildcards, by a footer."""
    return described_at(con, f"read_parquet({literal(path)})", name, path)


def described_at(con: duckdb.DuckDBPyConnection, sql: str, name: str, path: str) -> TablePart:
    """Describe what a table function of DuckDB finds at a path or an address."""
    with reading_errors([name]):
        described = con.execute(f"DESCRIBE SELECT * FROM {sql}").fetchall()
    names, types = (tuple(str(row[k]) for row in described) for k in (0, 1))
    return TablePart(sql, names, identifiers(names), {path: name}, types, literal(path))


def identifiers(names: Sequence[str]) -> tuple[str, ...]:
    """Return names as quoted SQL identifiers."""
    return tuple('"' + name.replace('"', '""') + '"' for name in names)


def _paths(files: Iterable[str]) -> str:
    """The SQL of paths with wildcards escaped: DuckDB would expand ``x[1].csv`` to ``x1.csv``."""
    return f"[{', '.join(literal(escape(path)) for path in files)}]"


def parquet_columns(src: Source) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names and types of a Parquet file's columns; the footer is read once and cached."""
    return _footer(src.path, src.mark, src.name)


@lru_cache(maxsize=1 << 12)
def _footer(path: Path, mark: object, name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    with connect() as con:
        part = parquet_at(con, name, escape(str(path)))
    return part.names, part.types


def json_parts(con: duckdb.DuckDBPyConnection, files: Mapping[str, str], compression: str) -> list[TablePart]:
    """Describe JSON files by all keys of their objects, in one pass; files with the same keys form one part."""
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
    """Describe JSON files at an address, which may have wildcards."""
    sql = _json_scan(literal(address), "auto_detect", ())
    keys = _keys_by_file(con, sql, {address: name})
    names = tuple(dict.fromkeys(key for own in keys.values() for key in own))
    return replace(_json_part(sql, names, {address: name}), file=literal(address))


def _json_part(sql: str, names: tuple[str, ...], files: Mapping[str, str]) -> TablePart:
    columns = tuple(f"json_extract_string(json, {literal(_json_path(name))})" for name in names)
    return TablePart(sql, names, columns, files)


def _json_scan(paths: str, compression: str, files: Iterable[str]) -> str:
    """The SQL of all objects; none is larger than its file."""
    most = _largest(files, compression, min(_OBJECT_BYTES, memory_limit() // 8))
    return (
        f"read_json_objects({paths}, format='auto', maximum_object_size={most}, "
        f"compression={literal(compression or 'uncompressed')}, filename=true)"
    )


def _largest(files: Iterable[str], compression: str, most: int) -> int:
    """The largest size that a record of some files can have, in bytes: DuckDB allocates memory by it."""
    if compression:
        return most
    return min(max((os.path.getsize(path) for path in files), default=most) + _LEAST_BYTES, most)


def _keys_by_file(con: duckdb.DuckDBPyConnection, sql: str, files: Mapping[str, str]) -> dict[str, list[str]]:
    """The keys of the objects of every file that has some, in the order of the rows that have them first."""
    with reading_errors(
        tuple(files.values())
    ):  # every row adds one empty key, so one scan also counts the rows of each set of keys
        cursor = con.execute(
            "SELECT filename, kind, k, count(*), min(n) AS first FROM (SELECT filename, json_type(json) AS kind, "
            f"row_number() OVER () AS n, unnest(list_append(json_keys(json), NULL)) AS k FROM {sql}) "
            "GROUP BY ALL ORDER BY filename, kind, first, k"
        ).fetchall()
    rows: dict[str, dict[str, tuple[int, int]]] = {}  # the number of rows of each set of keys, and the first of them
    keys: dict[str, list[str]] = {}
    for path, kind, key, n, first in cursor:
        if key is None:
            rows.setdefault(path, {})[str(kind)] = (n, first)
        else:
            keys.setdefault(path, []).append(str(key))
    good = {path: keys.get(path, []) for path, kinds in rows.items() if list(kinds) == ["OBJECT"]}
    if not good:
        path, name = next(iter(files.items()))
        kinds = rows.get(path, {})
        kinds_text = ", ".join(f"{n:,} {kind.lower()}" for kind, (n, _) in kinds.items()) or "nothing"
        start = min((first for _, first in kinds.values()), default=0)  # rows are numbered across all files
        odd = min((first for kind, (_, first) in kinds.items() if kind != "OBJECT"), default=start)
        where = f", and row {odd - start + 1:,} is the first that is none" if kinds else ""
        raise ReadError(f"{shown(name)} must hold JSON objects, one a row; it holds {kinds_text}{where}.")
    return good


@contextmanager
def _opened(src: Source, kind: str, encoding: str | None) -> Iterator[tuple[Path, str]]:
    """Yield a file and its compression, or a copy: the rows of the only table in a JSON document, or text below comments.

    W&B and MLflow write ``columns`` and ``data``; other tools one list of records below what holds for all of them.
    """
    rows = rows_of_document(_document(src, encoding)) if src.suffix == ".json" else None
    text = "\n".join(map(json.dumps, rows or ()))
    if kind == "separated" and has_comments(src):
        text = _COMMENTS.sub("", src.text(encoding).removeprefix("\ufeff"))
    with plain_file(src, encoding) as path, tempfile.TemporaryDirectory(prefix="beatpath-") as folder:
        if not text:
            yield path, src.compression
            return
        path = Path(folder) / "rows"
        path.write_text(text, encoding="utf-8", newline="")
        yield path, ""


def has_comments(src: Source) -> bool:
    """Whether lines before the header of separated text are no part of the table."""
    return _COMMENTS.match(src.first(HEAD).decode("utf-8-sig", "replace")) is not None


def _document(src: Source, encoding: str | None) -> object:
    """The JSON document of a file, ``None`` if it is none or one of several in the file."""
    head = src.first(HEAD).decode("utf-8-sig", "replace").lstrip()
    try:
        if head.startswith("{") and head[json.JSONDecoder().raw_decode(head)[1] :].strip():
            return None  # JSON Lines
    except (ValueError, RecursionError):
        pass  # longer than its beginning
    text = src.text(encoding).removeprefix("\ufeff") if head.startswith("{") else ""
    require_parseable(text, shown(src.name))
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def rows_of_document(whole: object) -> list[dict[str, Any]] | None:
    """Return the rows of the only table in a JSON document, ``None`` if there is not exactly one.

    >>> rows_of_document({"columns": ["model", "acc"], "data": [["a", 0.5], ["b", 0.7]]})
    [{'model': 'a', 'acc': 0.5}, {'model': 'b', 'acc': 0.7}]
    >>> rows_of_document({"model": "a", "results": [{"id": 1, "score": 0.5}]})
    [{'model': 'a', 'id': 1, 'score': 0.5}]
    >>> rows_of_document({"a": {"q1": {"acc": 0.5}}, "b": {"q1": {"acc": 0.7}}})
    [{'outer name': 'a', 'inner name': 'q1', 'acc': 0.5}, {'outer name': 'b', 'inner name': 'q1', 'acc': 0.7}]
    """
    if not isinstance(whole, dict):
        return None
    tables = [some for some in (whole, *whole.values()) if isinstance(some, dict) and _are_alike(some.values())]
    if tables and (tables[0] is whole or len(tables) == 1):
        nested = [(name, *pair) for name, inner in tables[0].items() for pair in inner.items()]
        if _are_alike(row for _, _, row in nested):
            return [{"outer name": name, "inner name": inner, **row} for name, inner, row in nested]
        return [{"outer name": name, **row} for name, row in tables[0].items()]
    names, data = whole.get("columns"), whole.get("data")
    if isinstance(names, list) and isinstance(data, list) and all(isinstance(name, str) for name in names):
        rows = [dict(zip(names, row, strict=True)) for row in data if isinstance(row, list) and len(row) == len(names)]
        return rows if len(rows) == len(data) else None
    lists = [v for v in whole.values() if isinstance(v, list) and v and all(isinstance(row, dict) for row in v)]
    plain = {key: value for key, value in whole.items() if not isinstance(value, list | dict)}
    return [{**plain, **row} for row in lists[0]] if len(lists) == 1 else None


def _are_alike(values: Iterable[object]) -> bool:
    """Whether these are several objects that have a key in common."""
    values = list(values)
    keys = [set(value) for value in values if isinstance(value, dict)]
    return len(keys) == len(values) > 1 and bool(set.intersection(*keys))


def _json_path(name: str) -> str:
    """The JSON path of a top-level key, with its characters escaped."""
    return '$."' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def separated_parts(
    con: duckdb.DuckDBPyConnection, files: Mapping[str, str], compression: str, delimiter: str, names: tuple[str, ...]
) -> list[TablePart]:
    """Describe files of separated text with the same header.

    DuckDB's parallel reader drops a last row that is longer than its buffer without an error, so the end of a long file
    is inspected here, and compressed files are read in one thread, which reports such a row.
    """
    most = _largest(files, compression, min(_LINE_BYTES, memory_limit() // 64))
    for path in () if compression else files:
        if os.path.getsize(path) > most:
            with open(path, "rb") as stream:
                stream.seek(-most, os.SEEK_END)
                if b"\n" not in stream.read().rstrip(b"\n"):
                    raise too_long_row(files[path])
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(names)))
    sql = (
        f"read_csv({_paths(files)}, auto_detect=false, header={has_header(names)}, delim={literal(delimiter)}, quote='\"', "
        f"escape='\"', strict_mode=true, compression={literal(compression or 'uncompressed')}, "
        f"parallel={not compression}, max_line_size={most}, columns={{{columns}}}, filename=true)"
    )
    return [TablePart(sql, names, tuple(f"c{i}" for i in range(len(names))), files)]


# The function that describes files of each format.
_MAKERS: dict[str, Callable[..., list[TablePart]]] = {
    "parquet": _parquet_parts,
    "json": json_parts,
    "separated": separated_parts,
}


def header_of(src: Source, options: Options) -> tuple[str, tuple[str, ...]]:
    """Return the delimiter of separated text and the column names; those of a file without a header are numbered."""
    lines = _first_lines(src, options)
    text = _COMMENTS.sub("", lines)
    delimiter = _delimiter_of(text, src, options)
    some = list(islice(split_records(text, delimiter), _SOME))
    names = [name.strip() for name in (some[0] if some else [])]
    if names == ["r", "l", "t"] and '"t_start"' in lines[: len(lines) - len(text)]:
        names = ["reward", "length", "time"]  # of an episode, as monitors of Gym abbreviate them
    long = next((i for i, name in enumerate(names, 1) if len(name) > LONGEST_NAME), 0)
    if long or len(names) > MOST_COLUMNS:
        what = f"the name of column {long:,} has {len(names[long - 1]):,} signs" if long else "there are more columns"
        raise ReadError(
            f"{shown(src.name)} must begin with a header of at most {MOST_COLUMNS:,} columns, their names of at most "
            f"{LONGEST_NAME:,} signs; {what}. If another sign separates the cells, name it: `--delimiter ';'`."
        )
    for sign, sentence in WORDS["headers"].items():
        if re.search(sign, text):
            raise ReadError(f"{shown(src.name)} {for_file(sentence, src.name)}")
    if lacks_header(names, some[1:]):
        numbers = [value for value in map(number_of, names) if not math.isnan(value)]
        if len(numbers) > 1 and numbers == [numbers[0] + i for i in range(len(numbers))]:
            raise ReadError(
                f"the first line of {shown(src.name)} must be a header; {listed(names, 4)} may be names or data. Call its first "
                f"column 'agent' or 'task' if they are names, or put a header above them.{_if_runs(numbers, delimiter, src)}"
            )
        return delimiter, tuple(f"column {i + 1}" for i in range(len(names)))
    named = tuple(name or f"column {i + 1}" for i, name in enumerate(names))
    if len(set(named)) < len(named):
        named = tuple(f"{n} ({named[: i + 1].count(n)})" if n in named[:i] else n for i, n in enumerate(named))
    return delimiter, named


def _if_runs(numbers: Sequence[float], delimiter: str, src: Source) -> str:
    """What to do with columns that are numbered from 0 or 1, as those of resamples and folds are: one row a score."""
    if numbers[0] not in (0, 1):
        return ""
    cells = f'FILENAME "," $1 "," i - {2 - int(numbers[0])} "," $i'
    rows = f"awk -F {shlex.quote(delimiter)} 'FNR > 1 {{for (i = 2; i <= NF; i++) print {cells}}}' FILE"
    return for_file(
        f" If they number the runs of one agent: `(echo agent,task,replicate,value; {rows}) > scores.csv`, with the files of others after FILE.",
        src.name,
    )


def has_header(names: tuple[str, ...]) -> bool:
    """Whether column names come from a file, not from their numbers."""
    return names != tuple(f"column {i + 1}" for i in range(len(names)))


def lacks_header(first: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first record of separated text is data like the others.

    No cell of it is a usual name of a column, empty, or text above numbers, and one of them is a number above numbers, or
    occurs again in its own column or beside itself. Long numbers beside a usual word make an identifier of it.

    >>> lacks_header(["gpt", "0.5"], [["claude", "0.7"]]), lacks_header(["model", "2024"], [["gpt", "0.7"]])
    (True, False)
    >>> lacks_header(["id", "id", "height"], [["ada", "3", "1.5"]])
    False
    >>> lacks_header(["sys00691-utt06.wav", "2.5"], [["sys00691-utt30.wav", "3.5"]])
    True
    """
    words = [tokens(cell) for cell in first if not re.search(r"[a-z]\d\d", cell)]
    if not rows or not all(first) or any(USUAL & {*some, "_".join(some)} for some in words):
        return False
    columns = [[row[i].strip() for row in rows if i < len(row)] for i in range(len(first))]
    text = [math.isnan(number_of(cell)) for cell in first]
    numeric = [not any(map(math.isnan, map(number_of, cells))) for cells in columns]
    if any(above and below for above, below in zip(text, numeric, strict=True)):
        return False
    return len(set(first)) < len(first) or any(
        cell in cells if is_text else below
        for cell, cells, is_text, below in zip(first, columns, text, numeric, strict=True)
    )


def _first_lines(src: Source, options: Options) -> str:
    """The first complete lines of a text file: enough for a header and some rows."""
    for most, lines in ((HEAD, _SOME), (BEGINNING, 1), (BEGINNING << 6, 1)):
        data = src.first(most)
        if len(data) < most:
            break
        if data.count(b"\n") >= lines:
            data = data[: data.rfind(b"\n") + 1]
            break
    return decode(data, src.name, options.encoding).removeprefix("\ufeff")


def split_records(text: str, delimiter: str) -> Iterator[list[str]]:
    r"""Yield the records of separated text, up to one with too many columns; quoted cells may hold anything.

    A quotation mark inside a quoted cell is doubled.

    >>> list(split_records('a,"b ""x"", c"\r\nd,', ","))
    [['a', 'b "x", c'], ['d', '']]
    """
    sign = re.escape(delimiter)  # possessive matching, so that time is linear in the text
    cell = re.compile(rf'(?:"((?:[^"]++|"")*+)"|([^{sign}\r\n]*))({sign}|\r\n|\n|\r|$)')
    record: list[str] = []
    at = 0
    while at < len(text) or record:
        match = cell.match(text, at)
        if match is None:  # a stray quotation mark: take the cell as it is, up to the next delimiter
            match = re.compile(rf"()([^{sign}\r\n]*)({sign}|\r\n|\n|\r|$)").match(text, at)
            assert match is not None
        record.append(match[1].replace('""', '"') if match[1] else match[2] or "")
        at = match.end()
        if len(record) > MOST_COLUMNS:  # over the limit; the exact number does not matter
            yield record
            return
        if match[3] != delimiter:
            yield record
            record = []


def _delimiter_of(text: str, src: Source, options: Options) -> str:
    """Return the delimiter that splits the first records into the most cells, the same number in each."""
    if options.delimiter is not None:
        if len(options.delimiter) != 1:
            raise UsageError(f"`delimiter` must be one sign; got {quoted(options.delimiter)}.")
        return options.delimiter
    if src.suffix == ".tsv":
        return "\t"
    widths = {}
    for sign in DELIMITERS:
        sizes = {len(record) for record in islice(split_records(text, sign), _SOME) if record != [""]}
        if len(sizes) == 1 and max(sizes) > 1:
            widths[sign] = max(sizes)
    return max(widths, key=lambda sign: widths[sign]) if widths else ","
