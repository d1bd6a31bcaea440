"""DuckDB: texts made safe for queries, and its errors as sentences."""

import math
from pathlib import Path

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from beatpath._errors import ReadError
from beatpath.data.tables.columns import number_of
from beatpath.data.tables.database import as_number, connect, literal, literally, private_database, reading_errors


@given(st.text(st.characters(codec="utf-8", exclude_characters="\x00")))
def test_a_text_comes_through_a_query_as_it_is(text):
    with connect() as con:
        assert con.execute(f"SELECT {literal(text)}").fetchall() == [(text,)]


@given(st.sampled_from(["true", "False", " 2.5 ", "1e3", "x", "", "-7"]))
def test_sql_and_python_make_the_same_number_of_a_text(text):
    with connect() as con:
        ((found,),) = con.execute(f"SELECT {as_number(literal(text))}").fetchall()
    expected = number_of(text)
    assert (found is None) == math.isnan(expected)
    assert found is None or found == expected


def test_signs_of_a_glob_in_a_path_stand_for_themselves(tmp_path):
    for name in ("x[1].csv", "x1.csv", "x*.csv"):
        (tmp_path / name).write_text(f"name\n{name}\n")
    with connect() as con:
        for name in ("x[1].csv", "x*.csv"):
            found = con.execute(f"SELECT * FROM read_csv({literal(literally(Path(tmp_path / name)))})").fetchall()
            assert found == [(name,)]


def test_what_duckdb_says_is_one_sentence_with_the_file():
    with (
        pytest.raises(ReadError, match=r"^'x\.csv' cannot be read: .*\. Check that") as told,
        reading_errors(["x.csv"]),
    ):
        raise duckdb.InvalidInputException("CSV Error on Line: 2\nOriginal Line: secret\nExpected Number of Columns: 3")
    assert "\n" not in str(told.value)
    assert "secret" not in str(told.value)


def test_temporary_tables_of_one_connection_are_not_seen_by_another():
    with connect() as one, connect() as other:
        one.execute("CREATE TEMP TABLE mine AS SELECT 1")
        with pytest.raises(duckdb.CatalogException):
            other.execute("SELECT * FROM mine")
    assert private_database().execute("SELECT current_setting('autoinstall_known_extensions')").fetchall() == [(False,)]
