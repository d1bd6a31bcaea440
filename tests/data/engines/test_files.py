"""Which files engines read, and what is known of them before."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import beatpath as bp
from beatpath.data.sources.source import Options
from beatpath.data.tables.engine_files import files_of
from helpers.engine_trial import rows_of, written


def test_what_engines_write_beside_their_data_is_passed_over(tmp_path):
    written(rows_of(0, 10), tmp_path / "part-0.parquet")
    (tmp_path / "_SUCCESS").touch()
    assert "_SUCCESS" in bp.read(tmp_path, engine="duckdb").reading.notes[0]
    with pytest.raises(bp.UsageError, match="begin with an underscore are passed over"):
        bp.read(tmp_path / "_SUCCESS", engine="duckdb")


def test_counts_of_a_fragment_are_not_returned(tmp_path, monkeypatch):
    path = written(rows_of(0, 10), tmp_path / "x.parquet")
    monkeypatch.setattr("beatpath.data.tables.engine_files._n_rows", lambda sources: 11)
    with pytest.raises(bp.ReadError, match=r"all 11 rows of .* must be counted; the engine saw 10"):
        bp.read(path, engine="duckdb")


def test_footers_and_headers_tell_columns_and_rows(tmp_path):
    pq.write_table(pa.table({"u": ["x", "y"], "v": [1, 2]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"v": [3], "w": ["z"]}), tmp_path / "b.parquet")
    files = files_of(tmp_path, Options())
    assert (files.kind, files.n_rows, files.columns, files.common) == ("parquet", 3, ("u", "v", "w"), ("v",))
    (tmp_path / "c.tsv").write_text("u\tv\nx\ty\n")
    piece = files_of(tmp_path / "c.tsv", Options()).pieces[0]
    assert (piece.columns, piece.delimiter) == (("u", "v"), "\t")


def test_files_and_addresses_are_read_apart(tmp_path):
    path = written(rows_of(0, 2), tmp_path / "x.csv")
    with pytest.raises(bp.UsageError, match="files and addresses are read apart"):
        files_of([str(path), "s3://bucket/x.csv"], Options())
    with pytest.raises(bp.UsageError, match="an address must end in one of"):
        files_of("s3://bucket/x.xlsx", Options())
    assert files_of("s3://bucket/x.tsv.gz", Options()).pieces[0].delimiter == "\t"
