"""Delimiters, headers and records of separated text."""

import csv
import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

import beatpath as bp
from beatpath.data.sources.source import Options, find
from beatpath.data.tables import open_table as open_table_module
from beatpath.data.tables.open_table import DELIMITERS, header_of, split_records

HEAD = "left,right,winner\n"


def test_a_wrong_delimiter_shows_what_was_seen(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(HEAD + "x,y,left\n")
    with pytest.raises(bp.ReadError, match=r"at least two columns; it has 'left,right,winner'.*delimiter="):
        bp.read(path, delimiter=";", format="table")


CELLS = st.text(st.sampled_from('ab ,;\t|"\n'), max_size=5)


@given(st.lists(st.lists(CELLS, min_size=2, max_size=2), min_size=1, max_size=5), st.sampled_from(DELIMITERS))
def test_records_are_those_of_pythons_own_reader(records, delimiter):
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(records)
    assert list(split_records(text.getvalue(), delimiter)) == records


@pytest.mark.parametrize("sign", DELIMITERS)
def test_the_delimiter_is_the_sign_that_splits_all_lines_alike(write, sign):
    text = "".join(
        sign.join(row) + "\n" for row in (("left", "right", "winner"), ("a, b", "c; d", "left"), ("x", "y", "tie"))
    )
    text = text if sign not in ",;" else text.replace("a, b", "a b").replace("c; d", "c d")
    assert header_of(find(write(text))[0], Options())[0] == sign


def test_a_delimiter_is_one_sign(write):
    with pytest.raises(bp.UsageError, match="`delimiter` must be one sign; got '::'"):
        header_of(find(write(HEAD))[0], Options(delimiter="::"))


def test_columns_without_a_name_get_one_and_names_that_recur_are_numbered(write):
    assert header_of(find(write("x,,x, y ,x\n1,2,3,4,5\n"))[0], Options()) == (
        ",",
        ("x", "column 2", "x (2)", "y", "x (3)"),
    )


def test_a_header_longer_than_the_buffer_of_many_files_is_read_whole(tmp_path):
    names = [f"task {i} with a rather long name" for i in range(4000)]
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text(",".join(names) + "\n" + ",".join("1" * 4000) + "\n")
    assert [header_of(src, Options())[1] for src in find(tmp_path)] == [tuple(names)] * 2


@pytest.mark.parametrize("form", ["plain", "gzip"])
@pytest.mark.parametrize("rows", [0, 20])
def test_a_last_row_longer_than_the_readers_buffer_is_refused(tmp_path, monkeypatch, form, rows):
    """DuckDB's buffer has 32 MB at the least; a longer last row was read as no row."""
    monkeypatch.setattr(open_table_module, "_LINE_BYTES", 1 << 16)
    text = (
        b"model_a,model_b,winner,prompt\n" + b"x,y,model_a,short\n" * rows + b"x,y,model_b," + b"x" * 33_000_000 + b"\n"
    )
    path = tmp_path / ("long.csv" if form == "plain" else "long.csv.gz")
    path.write_bytes(text if form == "plain" else gzip.compress(text, 1))
    with pytest.raises(bp.ReadError, match=r"must have rows that each fit into the memory for one; a row goes beyond"):
        bp.read(path)
