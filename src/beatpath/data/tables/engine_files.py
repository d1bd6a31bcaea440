"""Which files an engine is to read, and what is known of them before it does: kind, columns, types, rows.

Engines differ in what they do when files differ: one fills a missing column with nothing, another fails halfway, a third
takes the first file's columns for all. So the files' headers and footers are looked at here, and a column that some file lacks,
or has in another type, is refused when it is requested.
"""

import codecs
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

import duckdb

from beatpath._errors import ReadError, UsageError
from beatpath._text import counted, listed, quoted, shown
from beatpath.data.sources.source import COMPRESSED, HEAD, Options, Source, find, is_address
from beatpath.data.tables.database import connect, literal, reading_errors
from beatpath.data.tables.open_table import TablePart, header_of, json_parts, kind_of, parquet_columns, separated_parts

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
    """One file: where it lies and what its beginning or end says of its columns.

    Attributes
    ----------
    name, path : str
        As the user knows it, and as an engine does.
    columns, types : tuple of str
        Empty where only reading the whole would tell.
    delimiter : str
        Of separated text.
    compression : str
        ``gzip``, ``zstd`` or nothing.
    """

    name: str
    path: str
    columns: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    delimiter: str = ""
    compression: str = ""


@dataclass(frozen=True)
class Files:
    """All files of one reading, which are of one kind.

    Attributes
    ----------
    kind : "parquet", "separated" or "json"
    pieces : tuple of Piece
    sources : tuple of Source
        The local files; none where addresses are read.
    n_rows : int or None
        Rows of all files, where their footers say it.
    passed_over : tuple of str
        Files whose names begin with an underscore: engines write such beside their data.
    """

    kind: str
    pieces: tuple[Piece, ...]
    sources: tuple[Source, ...] = ()
    n_rows: int | None = None
    passed_over: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """What is read, as the user knows it."""
        return tuple(piece.name for piece in self.pieces)

    @property
    def paths(self) -> tuple[str, ...]:
        """What is read, as an engine knows it."""
        return tuple(piece.path for piece in self.pieces)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns that any file has; none where that is not known yet."""
        return tuple(dict.fromkeys(name for piece in self.pieces for name in piece.columns))

    @cached_property
    def common(self) -> tuple[str, ...]:
        """The columns that all files have, in one type."""
        return tuple(name for name in self.columns if not self._fault(name))

    def require(self, columns: Iterable[str]) -> None:
        """Refuse columns that some file lacks or has in another type."""
        for name in columns:
            fault = self._fault(name) if name in self.columns else ""
            if fault:
                raise ReadError(f"{fault} Nothing was counted: make the files alike, or read the others alone.")

    def require_all_rows(self, read: int) -> None:
        """Refuse counts of fewer or more rows than the footers of the files say there are."""
        if self.n_rows is not None and read != self.n_rows:
            raise ReadError(
                f"all {counted(self.n_rows, 'row')} of {listed(self.names, 2)} must be counted; the engine saw {read:,}. "
                "Counts of a part are not given out: read again."
            )

    def _fault(self, name: str) -> str:
        """What is wrong with a column, a sentence; nothing where all files have it alike."""
        lacking = next((piece.name for piece in self.pieces if name not in piece.columns), None)
        if lacking is not None:
            return f"{quoted(name)} must be a column of every file; {shown(lacking)} has none of that name."
        kinds = {piece.types[piece.columns.index(name)]: piece.name for piece in reversed(self.pieces) if piece.types}
        if len(kinds) < 2:
            return ""
        text = " and ".join(f"{shown(kind)} in {shown(file)}" for kind, file in list(kinds.items())[:2])
        return f"{quoted(name)} must have one type in all files; it is {text}."


def files_of(source: Any, options: Options) -> Files:
    """Find the files, or take the addresses, that a reading names."""
    texts = [os.fspath(one) for one in (source if isinstance(source, list | tuple) else [source])]
    if not texts or texts == ["-"]:
        raise UsageError("an engine reads files or addresses; standard input and an empty list are neither.")
    remote = [text for text in texts if is_address(text)]
    if remote and len(remote) < len(texts):
        raise UsageError(f"files and addresses are read apart; got {listed(texts, 4)}.")
    return _at_addresses(remote, options) if remote else _local(texts, options)


def _at_addresses(addresses: Sequence[str], options: Options) -> Files:
    kinds = {address: _kind_by_name(address) for address in addresses}
    delimiter = options.delimiter or ("\t" if all(".tsv" in address for address in addresses) else ",")
    return Files(_one_kind(kinds), tuple(Piece(address, address, delimiter=delimiter) for address in addresses))


def _kind_by_name(address: str) -> str:
    """What a file at an address is, by the ending of its name.

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
    pieces = tuple(_piece(source, kind, options) for source in sources)
    return Files(kind, pieces, sources, _n_rows(sources) if kind == "parquet" else None, over)


def _piece(source: Source, kind: str, options: Options) -> Piece:
    """What the beginning or the end of a file says of its columns."""
    columns: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    delimiter = ""
    if kind == "parquet":
        columns, types = parquet_columns(source)
    elif kind == "separated":
        delimiter, columns = header_of(source, options)
    return Piece(source.name, str(source.path), columns, types, delimiter, source.compression)


def _n_rows(sources: Sequence[Source]) -> int:
    """The rows of Parquet files, by their footers."""
    paths = ", ".join(literal(str(source.path)) for source in sources)
    with connect() as con, reading_errors([source.name for source in sources]):
        (total,) = con.execute(f"SELECT sum(num_rows) FROM parquet_file_metadata([{paths}])").fetchall()[0]
    return int(total)


def require_texts_here(files: Files, options: Options, engine: str) -> None:
    """Refuse what engines whose workers open text files by path cannot read: addresses, other encodings, JSON that is no lines."""
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
    """Yield the rows of one text file as Arrow tables whose text columns ``c0``, ``c1``, ... are these columns, in this order.

    A worker of Dask or Ray reads its file with DuckDB, so that a cell is the same text whoever reads it.
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
