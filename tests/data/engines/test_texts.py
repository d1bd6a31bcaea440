"""Text files as Arrow tables say what DuckDB says of them."""

import pyarrow as pa
import pytest

from beatpath._errors import ReadError
from beatpath.data.sources.source import Options
from beatpath.data.tables.engine_files import files_of, json_columns, piece_batches
from helpers.engine_trial import ROWS, written


def piece_table(piece, kind, columns):
    return pa.concat_tables(piece_batches(piece, kind, columns))


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "jsonl"])
def test_every_cell_is_the_text_that_was_written(tmp_path, kind):
    files = files_of(written(ROWS, tmp_path / f"x.{kind}"), Options())
    table = piece_table(files.pieces[0], files.kind, ["winner", "w", "model_a"])
    assert table.to_pydict() == {"c0": ROWS["winner"], "c1": ROWS["w"], "c2": ROWS["model_a"]}


def test_numbers_of_json_are_the_texts_that_duckdb_gives(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"a": 1.50, "b": {"n": 1e3}}\n\n{"c": true, "a": null}\n')
    piece = files_of(path, Options()).pieces[0]
    assert json_columns(piece) == ["a", "b", "c"]
    assert piece_table(piece, "json", ["a", "c"]).to_pydict() == {"c0": ["1.5", None], "c1": [None, "true"]}


def test_what_is_no_object_is_refused(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"a": 1}\n[2]\n')
    with pytest.raises(
        ReadError, match=r"x\.jsonl.* must hold JSON objects, one a row; it holds 1 array, 1 object, and row 2 is"
    ):
        json_columns(files_of(path, Options()).pieces[0])
