"""Text files as Arrow tables of texts, by the rules of `beatpath.data.tables`: what workers of Dask and Ray do with one file.

Cells are texts, so that an agent called ``007`` or ``NaN`` keeps its name; an empty cell of separated text is missing; every row
has as many cells as the header.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, BinaryIO

from beatpath._errors import ReadError
from beatpath._text import shown
from beatpath.data.engines.files import Piece

_BYTES = 1 << 24  # of separated text parsed at a time
_LINES = 1 << 16  # of JSON


def piece_batches(piece: Piece, kind: str, columns: Sequence[str]) -> Iterator[Any]:
    """Yield the rows of one file as Arrow tables whose text columns ``c0``, ``c1``, ... are these columns, in this order."""
    yield from (_separated_batches if kind == "separated" else _json_batches)(piece, columns)


def piece_table(piece: Piece, kind: str, columns: Sequence[str]) -> Any:
    """Return the rows of one file as one Arrow table."""
    import pyarrow as pa

    schema = pa.schema([(f"c{i}", pa.string()) for i in range(len(columns))])
    return pa.concat_tables([schema.empty_table(), *piece_batches(piece, kind, columns)])


def json_columns(piece: Piece) -> list[str]:
    """Return the keys of all objects of a JSON Lines file, in order of appearance."""
    return list(dict.fromkeys(name for record in _records(piece) for name in record))


def _separated_batches(piece: Piece, columns: Sequence[str]) -> Iterator[Any]:
    import pyarrow as pa
    from pyarrow import csv

    inner = [f"h{i}" for i in range(len(piece.columns))]
    wanted = [inner[piece.columns.index(name)] for name in columns]
    with _stream(piece) as stream:
        parsed = csv.open_csv(
            stream,
            csv.ReadOptions(block_size=_BYTES, column_names=inner, skip_rows_after_names=1, use_threads=False),
            csv.ParseOptions(delimiter=piece.delimiter, newlines_in_values=True),
            csv.ConvertOptions(
                column_types=dict.fromkeys(inner, pa.string()),
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=True,
            ),
        )
        for batch in parsed:
            rows = pa.Table.from_batches([batch]).select(wanted)
            yield rows.rename_columns([f"c{i}" for i in range(len(wanted))])


def _json_batches(piece: Piece, columns: Sequence[str]) -> Iterator[Any]:
    import pyarrow as pa

    held: list[dict[str, Any]] = []
    for record in _records(piece):
        held.append(record)
        if len(held) == _LINES:
            yield _text_batch(held, columns, pa)
            held = []
    yield _text_batch(held, columns, pa)


def _text_batch(records: Sequence[dict[str, Any]], columns: Sequence[str], pa: Any) -> Any:
    cells = {f"c{i}": [_cell_text(record.get(name)) for record in records] for i, name in enumerate(columns)}
    return pa.table({name: pa.array(values, pa.string()) for name, values in cells.items()})


def _cell_text(value: Any) -> str | None:
    """A JSON value as text, numbers as they were written.

    >>> _cell_text(True), _cell_text("x"), _cell_text(None), _cell_text({"n": 1})
    ('true', 'x', None, '{"n":1}')
    """
    if value is None or isinstance(value, str):
        return value
    return json.dumps(_with_numbers(value), ensure_ascii=False, separators=(",", ":"))


class _Number(str):
    """A number as it was written."""

    __slots__ = ()


def _with_numbers(value: Any) -> Any:
    """A nested value with its numbers as numbers again."""
    if isinstance(value, dict):
        return {key: _with_numbers(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_with_numbers(inner) for inner in value]
    return json.loads(value) if isinstance(value, _Number) else value


def _records(piece: Piece) -> Iterator[dict[str, Any]]:
    """The objects of a JSON Lines file, numbers kept as they were written; what is no object is an error with its line."""
    with _stream(piece) as stream:
        for number, line in enumerate(_text_lines(stream), start=1):
            if not line.strip():
                continue
            try:
                record = json.loads(line, parse_float=_Number, parse_int=_Number)
            except ValueError as error:
                raise ReadError(
                    f"{shown(piece.name)} must hold one JSON object a line; line {number:,} is none: {error}."
                ) from None
            if not isinstance(record, dict):
                raise ReadError(
                    f"{shown(piece.name)} must hold one JSON object a line; line {number:,} is {shown(line[:40])}."
                )
            yield record


def _text_lines(stream: BinaryIO) -> Iterable[str]:
    import io

    return io.TextIOWrapper(stream, encoding="utf-8-sig")


def _stream(piece: Piece) -> Any:
    """The bytes of a file, decompressed."""
    import pyarrow as pa

    return pa.input_stream(piece.path, compression=piece.compression or None)
