"""DuckDB: addresses, extensions, memory, and a database that closes."""

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import beatpath as bp
from beatpath.data import engines
from helpers.engine_trial import MAP, named_counts, rows_of, written


def test_a_database_that_is_closed_meanwhile_is_a_sentence(tmp_path, monkeypatch):
    path = written(rows_of(0, 10), tmp_path / "x.csv")
    layout_for = engines.layout_for
    monkeypatch.setattr(
        engines, "layout_for", lambda table, options: (layout_for(table, options), table.con.close())[0]
    )
    with pytest.raises(bp.ReadError, match="cannot be read: Connection"):
        bp.read(path, engine="duckdb")


def test_text_files_at_addresses_are_read_by_duckdb(tmp_path):
    for kind in ("csv", "jsonl"):
        path = written(rows_of(0, 10), tmp_path / f"x.{kind}")
        expected = bp.read(path, to="pairs", by=["cluster"], map=MAP)
        assert named_counts(bp.read(f"file://{path}", map=MAP))[:3] == named_counts(expected)[:3]


@pytest.mark.parametrize(
    "address", ["s3://bucket/*.parquet", "gs://bucket/x.parquet", "https://example.org/games.csv.gz?raw=1"]
)
def test_an_address_needs_the_extension_of_duckdb(tmp_path, address):
    names = {name for (name,) in duckdb.connect().execute("SELECT name FROM duckdb_settings()").fetchall()}
    folder = "extension_directory" if "extension_directory" in names else "extension_directories"
    with pytest.raises(bp.UsageError, match="needs the extension httpfs of DuckDB, which is not installed"):
        bp.read(address, engine="duckdb", engine_options={folder: str(tmp_path)})
    with pytest.raises(bp.BeatpathError) as raised:
        bp.read(address)
    assert "must be a file, folder or glob" not in str(raised.value)


def test_more_rows_than_memory_are_counted_by_duckdb(tmp_path):
    """A million battles within 64 MB, most of them of one pair and cluster each."""
    rng = np.random.default_rng(0)
    n = 1_000_000
    a = rng.integers(0, 50, n)
    table = {"agent_a": a, "agent_b": a + rng.integers(1, 50, n), "outcome": rng.integers(0, 2, n)}
    pq.write_table(
        pa.table({name: pa.array(values).cast(pa.string()) for name, values in table.items()}), tmp_path / "x.parquet"
    )
    counted = bp.read(tmp_path / "x.parquet", engine="duckdb", engine_options={"memory_limit": "64MB", "threads": "1"})
    assert counted.battles.sum() == n
