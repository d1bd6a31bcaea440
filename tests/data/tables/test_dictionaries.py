"""Text columns of Parquet files by their dictionaries, against the texts themselves."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import beatpath as bp
from beatpath.data.sources.source import Options, find
from beatpath.data.tables import parquet, table
from beatpath.data.tables.open_table import open_table
from beatpath.data.tables.parquet import factors_of_parquet
from beatpath.evidence import Factor

TEXTS = ["b", "a", None, "", "ü", "b", "🙂", "a", "007", "x" * 300]


def texts(seed, n=1000):
    return [TEXTS[i] for i in np.random.default_rng(seed).integers(0, len(TEXTS), n)]


def written(tmp_path, columns, name="rows.parquet", **options):
    path = tmp_path / name
    pq.write_table(pa.table(columns), path, **options)
    return str(path)


@pytest.mark.parametrize("dictionary", [True, False])
@pytest.mark.parametrize("batch", [7, 1 << 20])
def test_columns_are_the_factors_of_their_texts_over_common_levels(tmp_path, monkeypatch, dictionary, batch):
    monkeypatch.setattr(parquet, "BATCH", batch)
    u, v = texts(0), texts(1)
    path = written(tmp_path, {"u": u, "v": v}, row_group_size=37, use_dictionary=dictionary)
    both = Factor.of([*u, *v])
    for factor, codes in zip(factors_of_parquet([path], ["u", "v"]), np.split(both.codes, 2), strict=True):
        assert factor.levels == both.levels
        np.testing.assert_array_equal(factor.codes, codes)


@pytest.mark.parametrize("dictionary", [True, False])
@pytest.mark.parametrize("long", [13, 1 << 22])
def test_columns_of_nearly_as_many_texts_as_rows_are_the_factors_of_their_texts(
    tmp_path, monkeypatch, dictionary, long
):
    monkeypatch.setattr(parquet, "LONG", long)
    monkeypatch.setattr(parquet, "FEW", 1)
    rng = np.random.default_rng(0)
    many = [None if i < 9 else f"s{i}" for i in rng.integers(0, 150, 200)]  # old texts and new ones in every batch
    path = written(tmp_path, {"u": many}, row_group_size=37, use_dictionary=dictionary)
    assert not parquet._entries_are_shared(path, "u")
    second = written(tmp_path, {"u": texts(0, 1000)}, "second.parquet")
    assert parquet._entries_are_shared(second, "u")
    (factor,) = factors_of_parquet([path, second], ["u"])
    expected = Factor.of([*many, *texts(0, 1000)])
    assert factor.levels == expected.levels
    np.testing.assert_array_equal(factor.codes, expected.codes)


def test_rows_of_several_files_follow_each_other_also_where_one_comes_twice(tmp_path):
    paths = [written(tmp_path, {"u": texts(i, 50)}, f"{i}.parquet") for i in range(2)]
    (factor,) = factors_of_parquet([paths[1], paths[0], paths[1]], ["u"])
    assert factor.names() == [*texts(1, 50), *texts(0, 50), *texts(1, 50)]


def test_an_entry_that_no_row_uses_is_no_level(tmp_path):
    column = pa.DictionaryArray.from_arrays(pa.array([0, 2, None]), pa.array(["z", "unused", "y"]))
    (factor,) = factors_of_parquet([written(tmp_path, {"u": column})], ["u"])
    assert (factor.levels, factor.codes.tolist()) == (("y", "z"), [1, 0, -1])


def test_files_that_arrow_cannot_read_are_left_to_duckdb(tmp_path):
    path = tmp_path / "broken.parquet"
    path.write_bytes(b"PAR1 and no more")
    assert factors_of_parquet([str(path)], ["u"]) is None


def test_large_files_are_read_alike_with_and_without_dictionaries(tmp_path, monkeypatch):
    monkeypatch.setattr(table, "_FEW_BYTES", 0)
    rng = np.random.default_rng(0)
    a = rng.integers(0, 9, 500)
    columns = {
        "model_a": [f"m{i}" for i in a],
        "model_b": [f"m{i}" for i in (a + rng.integers(1, 9, 500)) % 9],
        "winner": rng.choice(["model_a", "model_b", "tie", "tie (bothbad)", None], 500).tolist(),
        "cluster": [None if i == 3 else f"s{i}" for i in rng.integers(0, 40, 500)],
        "weight": rng.integers(1, 4, 500).astype(float),
    }
    path = written(tmp_path, columns, row_group_size=64)
    with open_table(find(path), Options()) as rows:
        assert rows.are_plain_texts(["model_a"])
        assert not rows.filtered(["winner=tie"]).are_plain_texts(["model_a"])
    by_arrow = bp.read(path)
    monkeypatch.setattr(table, "factors_of_parquet", lambda *_: None)
    by_duckdb = bp.read(path)
    assert by_arrow.agents == by_duckdb.agents
    for name in ("a", "b", "outcome", "both_bad", "weight", "position"):
        np.testing.assert_array_equal(getattr(by_arrow, name), getattr(by_duckdb, name))
    assert by_arrow.factors["cluster"].names() == by_duckdb.factors["cluster"].names()
    assert by_arrow.reading.dropped == by_duckdb.reading.dropped
