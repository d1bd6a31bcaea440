"""Files of rows opened as one table."""

import json

import duckdb
import pytest

from beatpath._errors import ReadError
from beatpath.data.sources.source import HEAD, Options, find
from beatpath.data.tables.open_table import _first_lines, kind_of, open_table, parquet_columns


def opened_rows(*paths):
    with open_table([src for path in paths for src in find(path)], Options()) as table, table.rows(table.names) as rows:
        return table.names, list(zip(*(rows.factor(name).names() for name in table.names), strict=True))


def test_files_are_put_together_by_the_names_of_their_columns(write, tmp_path):
    duckdb.sql("SELECT 7 AS v, 'p' AS u").write_parquet(str(tmp_path / "b.parquet"))
    paths = [write("u,v\na,1\n", "a.csv"), tmp_path / "b.parquet", write(json.dumps({"w": True, "u": "j"}), "c.jsonl")]
    assert opened_rows(*paths) == (
        ("u", "v", "w"),
        [("a", "1", None), ("p", "7", None), ("j", None, "true")],
    )


def test_keys_come_in_the_order_of_the_rows_that_have_them_first(write):
    rows = [{"z": 1, "a": 2}, {"a": 3, "m": 4}, {}, {"b": 5}]
    names, _ = opened_rows(write("".join(json.dumps(row) + "\n" for row in rows), "x.jsonl"))
    assert names == ("a", "z", "m", "b")


def test_what_is_no_object_is_counted_by_its_kind(write):
    with pytest.raises(
        ReadError, match="must hold JSON objects, one a row; it holds 1 array, 2 object, 1 varchar, and row 2 is"
    ):
        opened_rows(write('{"a": 1}\n[1]\n"x"\n{"a": 2}\n', "x.jsonl"))


@pytest.mark.parametrize(
    ("data", "name", "kind"),
    [
        (b"PAR1...", "x", "parquet"),
        (b"u,v", "x.json", "json"),
        (b"\xef\xbb\xbf [", "x", "json"),
        (b"u,v", "x", "separated"),
    ],
)
def test_a_file_is_known_by_its_first_bytes_else_by_its_name(write, data, name, kind):
    assert kind_of(find(write(data, name))[0]) == kind


def test_a_parquet_file_that_was_written_anew_has_new_columns(tmp_path):
    path = tmp_path / "x.parquet"
    duckdb.sql("SELECT 1 AS u, 2 AS v").write_parquet(str(path))
    assert parquet_columns(find(path)[0]) == (("u", "v"), ("INTEGER", "INTEGER"))
    path.unlink()
    duckdb.sql("SELECT 'longer text' AS w, 2 AS v, 3 AS u").write_parquet(str(path))
    assert parquet_columns(find(path)[0])[0] == ("w", "v", "u")


def test_one_column_is_no_table(write):
    with pytest.raises(ReadError, match="must have at least two columns; it has 'u'"):
        opened_rows(write("u\nx\n"))


def test_numbers_in_a_row_may_be_names_or_data_and_others_are_data(write):
    """Years above numbers may be agents or rows; numbers that do not follow each other are a row of a file without a header."""
    for text in ("2021,2022,2023\n5,3,1\n4,2,2\n", "ada,2022,2023\nbob,5,3\ncyd,2,1\n"):
        with pytest.raises(ReadError, match=r"must be a header; '\w+', '2022', '2023' may be names or data"):
            opened_rows(write(text, "a.csv"))
    names, rows = opened_rows(write("7,1,3\n5,3,1\n", "b.csv"))
    assert (names, rows) == (("column 1", "column 2", "column 3"), [("7", "1", "3"), ("5", "3", "1")])


def test_the_beginning_of_a_long_file_ends_with_a_whole_line(write):
    line = "ada,bob,1\n"
    path = write("a,b,won\n" + line * (2 * HEAD // len(line)))
    (src,) = find(path)
    lines = _first_lines(src, Options()).splitlines(keepends=True)
    assert lines[0] == "a,b,won\n"
    assert set(lines[1:]) == {line}
    assert HEAD - len(line) <= len("".join(lines)) <= HEAD
