"""The files that an engine is to read, and what is known of them in advance: format, columns, types, rows.

Engines behave differently if files differ: one fills a missing column with nulls, another fails halfway, a third
takes the first file's columns for all. So headers and footers are inspected here, and a column that some file lacks,
or has in another type, raises an error when requested.
"""

import codecs
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

import duckdb

from beatpath._errors import ReadError, UsageError
from beatpath._text import counted, listed, quoted, shown
from beatpath.data.sources.source import COMPRESSED, HEAD, Options, Source, find, is_address
from beatpath.data.tables.database import connect, literal, reading_errors
from beatpath.data.tables.open_table import (
    TablePart,
    has_comments,
    header_of,
    json_parts,
    kind_of,
    parquet_columns,
    separated_parts,
)

# Formats by file extension.
ENDINGS = {
    ".parquet": "parquet",
    ".csv": "separated",
    ".tsv": "separated",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
}


@dataclass(frozen=True)
class Piece:
    """One file: its location, and the columns that its header or footer states.

    Attributes
    ----------
    name, path : str
        Its name as the user wrote it, and as the engine needs it.
    columns, types : tuple of str
        Empty if only reading the whole file would tell.
    delimiter : str
        The delimiter of separated text.
    compression : str
        "gzip", "zstd" or empty.
    """

    name: str
    path: str
    columns: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    delimiter: str = ""
    compression: str = ""


@dataclass(frozen=True)
class Files:
    """All files of one read, which share one format.

    Attributes
    ----------
    kind : {"parquet", "separated", "json"}
        The format of all files.
    pieces : tuple of Piece
        The files.
    sources : tuple of Source
        The local files; none if addresses are read.
    n_rows : int or None
        Number of rows of all files, if their footers state it.
    passed_over : tuple of str
        Files whose names begin with an underscore, which engines write beside their data.
    """

    kind: str
    pieces: tuple[Piece, ...]
    sources: tuple[Source, ...] = ()
    n_rows: int | None = None
    passed_over: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """What is read, as the user wrote it."""
        return tuple(piece.name for piece in self.pieces)

    @property
    def paths(self) -> tuple[str, ...]:
        """What is read, as an engine needs it."""
        return tuple(piece.path for piece in self.pieces)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns that any file has; empty if not known yet."""
        return tuple(dict.fromkeys(name for piece in self.pieces for name in piece.columns))

    @cached_property
    def common(self) -> tuple[str, ...]:
        """The columns that all files have, with one type."""
        return tuple(name for name in self.columns if not self._fault(name))

    def require(self, columns: Iterable[str]) -> None:
        """Raise an error for columns that some file lacks or has in another type."""
        for name in columns:
            fault = self._fault(name) if name in self.columns else ""
            if fault:
                raise ReadError(f"{fault} Nothing was counted: make the files alike, or read the others alone.")

    def require_all_rows(self, read: int) -> None:
        """Raise an error if an engine read fewer or more rows than the footers of the files state."""
        if self.n_rows is not None and read != self.n_rows:
            raise ReadError(
                f"all {counted(self.n_rows, 'row')} of {listed(self.names, 2)} must be counted; the engine saw {read:,}. "
                "Counts of a part are not given out: read again."
            )

    def _fault(self, name: str) -> str:
        """What is wrong with a column, as a sentence; empty if all files have it alike."""
        lacking = next((piece.name for piece in self.pieces if name not in piece.columns), None)
        if lacking is not None:
            return f"{quoted(name)} must be a column of every file; {shown(lacking)} has none of that name."
        kinds = {piece.types[piece.columns.index(name)]: piece.name for piece in reversed(self.pieces) if piece.types}
        if len(kinds) < 2:
            return ""
        text = " and ".join(f"{shown(kind)} in {shown(file)}" for kind, file in list(kinds.items())[:2])
        return f"{quoted(name)} must have one type in all files; it is {text}."


def files_of(source: Any, options: Options) -> Files:
    """Find the local files, or take the addresses, that a source names."""
    texts = [os.fspath(one) for one in (source if isinstance(source, list | tuple) else [source])]
    if not texts or texts == ["-"]:
        raise UsageError("an engine reads files or addresses; standard input and an empty list are neither.")
    remote = [text for text in texts if is_address(text)]
    if remote and len(remote) < len(texts):
        raise UsageError(f"files and addresses are read apart; got {listed(texts, 4)}.")
    if not remote:
        return _local(texts, options)
    delimiter = options.delimiter or ("\t" if all(".tsv" in address for address in remote) else ",")
    kind = _one_kind({address: _kind_by_name(address) for address in remote})
    return Files(kind, tuple(Piece(address, address, delimiter=delimiter) for address in remote))


def _kind_by_name(address: str) -> str:
    """The format of a file at an address, by its extension.

    >>> _kind_by_name("s3://bucket/day=1/*.parquet"), _kind_by_name("https://x.org/games.csv.gz?raw=1")
    ('parquet', 'separated')
    """
    suffixes = [suffix.lower() for suffix in PurePosixPath(address.partition("?")[0]).suffixes]
    suffixes = suffixes[:-1] if suffixes and suffixes[-1] in COMPRESSED else suffixes
    kind = ENDINGS.get(suffixes[-1]) if suffixes else None
    if kind is None:
        raise UsageError(f"an address must end in one of {', '.join(ENDINGS)}; got {quoted(address)}.")
    return kind


def _one_kind(kinds: dict[str, str]) -> str:
    if len(set(kinds.values())) > 1:
        examples = {kind: name for name, kind in kinds.items()}
        text = ", ".join(f"{quoted(name)} is {kind}" for kind, name in examples.items())
        raise UsageError(f"an engine reads files of one kind at a time; {text}.")
    return next(iter(kinds.values()))


def _local(texts: Sequence[str], options: Options) -> Files:
    files = [source for text in texts for source in find(text)]
    over = tuple(source.name for source in files if source.path.name.startswith("_"))
    sources = tuple(source for source in files if source.name not in over)
    if not sources:
        raise UsageError(f"names that begin with an underscore are passed over, and {listed(over, 2)} is all there is.")
    kind = _one_kind({source.name: kind_of(source) for source in sources})
    pieces = tuple(Piece(source.name, str(source.path), compression=source.compression) for source in sources)
    if kind == "parquet":
        footers = map(parquet_columns, sources)
        pieces = tuple(replace(piece, columns=c, types=t) for piece, (c, t) in zip(pieces, footers, strict=True))
        return Files(kind, pieces, sources, _n_rows(sources), over)
    if kind == "separated":
        if any(map(has_comments, sources)):
            raise UsageError("lines before a header are left out where no engine reads; leave `engine` out.")
        headers = (header_of(source, options) for source in sources)
        pieces = tuple(replace(piece, delimiter=d, columns=c) for piece, (d, c) in zip(pieces, headers, strict=True))
    return Files(kind, pieces, sources, None, over)


def _n_rows(sources: Sequence[Source]) -> int:
    """Number of rows of Parquet files, by their footers."""
    paths = ", ".join(literal(str(source.path)) for source in sources)
    with connect() as con, reading_errors([source.name for source in sources]):
        (total,) = con.execute(f"SELECT sum(num_rows) FROM parquet_file_metadata([{paths}])").fetchall()[0]
    return int(total)


def require_texts_here(files: Files, options: Options, engine: str) -> None:
    """Raise an error for what workers that open text files by path cannot read.

    These are addresses, other encodings, and JSON documents.
    """
    if options.encoding is not None:
        raise UsageError(f"`encoding` works with engine='duckdb' and without an engine; {engine} reads UTF-8.")
    if files.kind == "parquet":
        return
    if not files.sources:
        raise UsageError(
            f"{engine} reads Parquet at addresses, and text files by path; got {listed(files.names, 2)}. Use engine='duckdb'."
        )
    for source in files.sources:
        head = source.first(HEAD)
        if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise ReadError(f"{shown(source.name)} must be UTF-8 for {engine}; it is UTF-16. Save it as UTF-8.")
        if files.kind == "json" and head.removeprefix(codecs.BOM_UTF8).lstrip()[:1] == b"[":
            raise UsageError(
                f"{engine} reads JSON Lines, one object a line; {shown(source.name)} is one JSON array. Use engine='duckdb'."
            )


def piece_batches(piece: Piece, kind: str, columns: Sequence[str]) -> Iterator[Any]:
    """Yield the rows of one text file as Arrow tables with text columns ``c0``, ``c1``, ... for these columns.

    Workers of Dask or Ray read their files with DuckDB, so a cell is the same string in every engine.
    """
    import pyarrow as pa

    with connect() as con, reading_errors([piece.name]):
        (part,) = _parts_of_piece(con, piece, kind)
        cells = ", ".join(f"{part.as_text(name)} AS c{i}" for i, name in enumerate(columns))
        for batch in pa.RecordBatchReader.from_stream(con.sql(f"SELECT {cells} FROM {part.sql}")):
            yield pa.Table.from_batches([batch])


def json_columns(piece: Piece) -> list[str]:
    """Return the keys of all objects of a JSON Lines file, in order of appearance."""
    with connect() as con:
        return [name for part in _parts_of_piece(con, piece, "json") for name in part.names]


def _parts_of_piece(con: duckdb.DuckDBPyConnection, piece: Piece, kind: str) -> list[TablePart]:
    files = {piece.path: piece.name}
    if kind == "json":
        return json_parts(con, files, piece.compression)
    return separated_parts(con, files, piece.compression, piece.delimiter, piece.columns)
