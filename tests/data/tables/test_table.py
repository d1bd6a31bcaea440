"""Rows under common names: factors, numbers, places."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import beatpath as bp
from beatpath._errors import ReadError
from beatpath.data.sources.source import Options, find
from beatpath.data.tables.open_table import open_table


def test_nested_fields_can_become_columns(write):
    record = {"model_a": "x", "model_b": "y", "winner": "tie", "conv_metadata": {"tokens": {"a": 12}}}
    battles = bp.read(write(json.dumps(record), "one.jsonl"), keep=["conv_metadata.tokens.a"])
    assert battles.covariates["conv_metadata.tokens.a"].tolist() == [12]


@pytest.mark.parametrize("field", ["meta.tokens", "meta.left.deeper"])
def test_a_field_that_a_nested_column_lacks_is_wrong_usage_and_no_fault_of_the_file(tmp_path, field):
    table = pa.table({"meta": [{"left": "x", "right": "y"}], "winner": ["tie"]})
    pq.write_table(table, tmp_path / "nested.parquet")
    columns = {"agent_a": "meta.left", "agent_b": "meta.right"}
    assert bp.read(tmp_path / "nested.parquet", map=columns).agents == ("x", "y")
    with pytest.raises(
        bp.UsageError, match=rf"'{field}' must be a field of a nested column of .*; the column is STRUCT"
    ):
        bp.read(tmp_path / "nested.parquet", map=columns | {"agent_b": field})


def test_blank_text_in_a_number_column_is_a_missing_cell(write):
    rows = [{"model": "x", "task": "t", "score": ""}, {"model": "y", "task": "t", "score": "2"}]
    scores = bp.read(write("\n".join(map(json.dumps, rows)), "scores.jsonl"))
    assert scores.reading.dropped == {"no value": 1}


def test_a_stray_text_among_numbers_is_an_error_and_not_a_lost_column(write):
    path = write("model,mmlu,code\nada,90,0.5\nbob,many,0.4\ncyd,80,0.3\n")
    with pytest.raises(bp.ReadError, match=r"'mmlu' must hold finite numbers; got 'many' in row 2"):
        bp.read(path)


def test_names_that_look_like_numbers_stay_names(write):
    battles = bp.read(write("left,right,winner\n007,7,left\n1e3,1000,right\n"))
    assert battles.agents == ("007", "1000", "1e3", "7")


def test_factors_share_their_sorted_levels_and_missing_cells_have_no_code(write):
    path = write("u,v\nb,a\n,c\na,b\n")
    with open_table(find(path), Options()) as table, table.rows(["u", "v"]) as rows:
        u, v = rows.factors(["u", "v"])
    assert u.levels == v.levels == ("a", "b", "c")
    assert (u.codes.tolist(), v.codes.tolist()) == ([1, -1, 0], [0, 2, 1])


def test_a_column_without_any_text_is_a_factor_without_levels(write):
    path = write("u,v\n,a\n,b\n")
    with open_table(find(path), Options()) as table, table.rows(["u"]) as rows:
        assert (rows.factor("u").levels, rows.factor("u").codes.tolist()) == ((), [-1, -1])


def test_dates_are_seconds_and_what_is_no_time_is_missing(write):
    path = write("u,v\n1970-01-02,1\n12.5,1\nsoon,1\n")
    with open_table(find(path), Options()) as table, table.rows(["u"]) as rows:
        np.testing.assert_array_equal(rows.times("u"), [86400, 12.5, np.nan])


def test_places_are_counted_within_their_file_and_before_the_filters(write):
    sources = [*find(write("u,v\nx,1\ny,2\n", "a.csv")), *find(write("u,v\nz,3\nw,4\n", "b.csv"))]
    with open_table(sources, Options(where=("v>=2",))) as table:
        assert [table.place(i).split("/")[0] for i in range(3)] == ["row 2 of ", "row 1 of ", "row 2 of "]
        assert table.place_of({"u": "w"}).endswith("b.csv")


def test_a_column_that_is_not_there_suggests_one_that_is(write):
    sources = find(write("winner,loser\nx,y\n"))
    with open_table(sources, Options()) as table, pytest.raises(bp.UsageError, match="Did you mean 'winner'"):
        table.expression("wniner")


def test_a_few_bytes_of_parquet_with_many_rows_are_refused_before_they_are_unpacked(tmp_path, monkeypatch):
    monkeypatch.setenv("BEATPATH_MEMORY", "64MB")
    n = 3_000_000
    same = {
        name: pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, np.int32)), pa.array([value]))
        for name, value in (("model_a", "ada"), ("model_b", "bob"), ("winner", "model_a"))
    }
    pq.write_table(pa.table(same), tmp_path / "x.parquet")
    assert (tmp_path / "x.parquet").stat().st_size < 100_000
    with pytest.raises(ReadError, match=r"3,000,000 rows of .*x.parquet.* must fit into the memory"):
        bp.read(tmp_path / "x.parquet")
