"""DuckDB: texts made safe for queries, and its errors as sentences."""

import gzip
import math
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from glob import escape
from pathlib import Path
from socket import socketpair

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from beatpath._errors import BeatpathError, DataError, ReadError
from beatpath.data.tables.cells import number_of
from beatpath.data.tables.database import as_number, connect, literal, private_database, reading_errors


@given(st.text(st.characters(codec="utf-8", exclude_characters="\x00")))
def test_a_text_comes_through_a_query_as_it_is(text):
    with connect() as con:
        assert con.execute(f"SELECT {literal(text)}").fetchall() == [(text,)]


@given(st.sampled_from(["true", "False", " 2.5 ", "1e3", "x", "", "-7"]))
def test_sql_and_python_make_the_same_number_of_a_text(text):
    with connect() as con:
        ((value,),) = con.execute(f"SELECT {as_number(literal(text))}").fetchall()
    expected = number_of(text)
    assert (value is None) == math.isnan(expected)
    assert value is None or value == expected


def test_signs_of_a_glob_in_a_path_stand_for_themselves(tmp_path):
    for name in ("x[1].csv", "x1.csv", "x*.csv"):
        (tmp_path / name).write_text(f"name\n{name}\n")
    with connect() as con:
        for name in ("x[1].csv", "x*.csv"):
            rows = con.execute(f"SELECT * FROM read_csv({literal(escape(str(tmp_path / name)))})").fetchall()
            assert rows == [(name,)]


def test_what_duckdb_says_is_one_sentence_with_the_file():
    with (
        pytest.raises(ReadError, match=r"^'x\.csv' cannot be read: .*\. Check that") as raised,
        reading_errors(["x.csv"]),
    ):
        raise duckdb.InvalidInputException("CSV Error on Line: 2\nOriginal Line: secret\nExpected Number of Columns: 3")
    assert "\n" not in str(raised.value)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('x.csv', no_such_option=true)",  # an option that another version knows
        "CREATE TEMP WORD mood AS ENUM ('a')",
        "SELECT no_such_function(1)",
        "SELECT * FROM no_such_table",
    ],
)
def test_a_failure_of_duckdb_names_the_library_and_its_version_and_does_not_blame_the_file(sql):
    with pytest.raises(BeatpathError) as raised, connect() as con, reading_errors(["x.csv"]):
        con.execute(sql)
    assert not isinstance(raised.value, DataError)
    message = str(raised.value)
    assert message.startswith(f"DuckDB {duckdb.__version__} must carry out what reading 'x.csv' takes; it failed: ")
    assert "not one found in the file" in message
    assert "Check that" not in message
    assert isinstance(raised.value.__cause__, duckdb.Error)


@pytest.mark.parametrize("kind", [duckdb.InternalException, duckdb.NotImplementedException, duckdb.FatalException])
def test_what_fails_inside_duckdb_is_not_a_damaged_file(kind):
    with pytest.raises(BeatpathError, match=r"not one found in the file") as raised, reading_errors(["x.csv"]):
        raise kind("no line of max_line_size was read")
    assert not isinstance(raised.value, DataError)


def test_temporary_tables_of_one_connection_are_not_seen_by_another():
    with connect() as one, connect() as other:
        one.execute("CREATE TEMP TABLE mine AS SELECT 1")
        with pytest.raises(duckdb.CatalogException):
            other.execute("SELECT * FROM mine")
    assert private_database().execute("SELECT current_setting('autoinstall_known_extensions')").fetchall() == [(False,)]


@pytest.mark.parametrize("theirs", [False, True])
def test_connections_closed_in_any_order_leave_the_wakeup_of_signals_as_it_was(theirs):
    """An event loop has a socket of its own there."""
    one, other = socketpair()
    with one, other:
        one.setblocking(False)
        before = one.fileno() if theirs else -1
        signal.set_wakeup_fd(before)
        first, second = connect(), connect()
        first.__enter__(), second.__enter__()
        during = signal.set_wakeup_fd(-1)
        signal.set_wakeup_fd(during)
        first.__exit__(None, None, None), second.__exit__(None, None, None)
        assert signal.set_wakeup_fd(-1) == before
    assert during == before if theirs else during != -1


def test_a_connection_opened_in_a_thread_leaves_signals_to_the_main_thread():
    with ThreadPoolExecutor(1) as pool:
        opened = connect()
        assert pool.submit(opened.__enter__).result().execute("SELECT 1").fetchall() == [(1,)]
        assert signal.set_wakeup_fd(-1) == -1
        pool.submit(opened.__exit__, None, None, None).result()


def test_what_memory_does_not_hold_goes_to_a_temporary_folder_and_not_here(tmp_path):
    code = (
        "from beatpath.data.tables.database import connect\n"
        "opened = connect()\n"
        "con = opened.__enter__()\n"
        "print(con.execute(\"SELECT current_setting('temp_directory')\").fetchone()[0])\n"
        "con.execute('CREATE TEMP TABLE t AS SELECT i, hash(i) AS h FROM range(12000000) AS r(i)')\n"
        "print(con.execute('SELECT sum(temporary_storage_bytes) FROM duckdb_memory()').fetchone()[0])\n"
    )
    environment = {**os.environ, "BEATPATH_MEMORY": "64MB", "PYTHONPATH": os.pathsep.join(sys.path)}
    printed = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    ).stdout.split()
    assert not list(tmp_path.iterdir())
    assert int(printed[1]) > 0  # it did not fit
    assert not Path(printed[0]).exists()


def test_the_smallest_compressed_file_is_read_with_the_least_memory(tmp_path, monkeypatch):
    monkeypatch.setenv("BEATPATH_MEMORY", "1MB")
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(b"n\n1\n"))
    with closing(private_database()) as con:
        assert con.execute(f"SELECT * FROM read_csv({literal(str(tmp_path / 'x.csv.gz'))})").fetchall() == [(1,)]


class WithoutWidgets:
    """A connection as in a notebook without ipywidgets, where DuckDB 2 shows no bar and refuses to change that."""

    def __init__(self, con):
        self.con = con
        con.execute("SET enable_progress_bar = false")

    def execute(self, sql):
        if sql.startswith("SET enable_progress_bar"):
            raise duckdb.InvalidInputException("required package 'ipywidgets' is missing")
        return self.con.execute(sql)


def test_files_are_read_in_a_notebook_where_the_progress_bar_cannot_be_changed(monkeypatch):
    real = duckdb.connect
    monkeypatch.setattr(duckdb, "connect", lambda **how: WithoutWidgets(real(**how)))
    assert private_database().execute("SELECT 1").fetchall() == [(1,)]
