"""DuckDB: one database a process, what its errors say, and texts made safe for its queries."""

import atexit
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from shutil import rmtree
from tempfile import mkdtemp

import duckdb

from beatpath._errors import BeatpathError, ReadError
from beatpath._text import listed, shown
from beatpath.data.sources.memory import VARIABLE, memory_limit

_LEAST = 64 << 20  # bytes without which DuckDB opens no compressed file, however small
# What DuckDB says of a row that is too long.
_RECORD_SIZES = ("maximum_object_size", "max_line_size", "Maximum line size")
# What DuckDB raises when it does not know a word of the SQL that beatpath writes, or fails inside itself. Damaged files
# raise InvalidInput, IO, Conversion, Serialization and OutOfRange exceptions instead.
_ENGINE_FAULTS = (
    duckdb.BinderException,
    duckdb.CatalogException,
    duckdb.ParserException,
    duckdb.SyntaxException,
    duckdb.NotSupportedError,
    duckdb.InternalError,
    duckdb.FatalException,
)


def as_number(text: str) -> str:
    """Return the SQL that makes a number of a text: truth values are 1 and 0, what is no number is NULL."""
    return f"CASE lower({text}) WHEN 'true' THEN 1.0 WHEN 'false' THEN 0.0 ELSE TRY_CAST(trim({text}) AS DOUBLE) END"


def literal(value: str) -> str:
    """Return a text as an SQL literal.

    >>> literal("it's")
    "'it''s'"
    """
    return "'" + value.replace("'", "''") + "'"


@contextmanager
def reading_errors(sources: Sequence[str]) -> Iterator[None]:
    """Turn what DuckDB says of a damaged file into one sentence; a failure of DuckDB itself is not blamed on the file."""
    try:
        yield
    except _ENGINE_FAULTS as error:
        raise BeatpathError(
            f"DuckDB {duckdb.__version__} must carry out what reading {listed(sources, 2)} takes; it failed: "
            f"{_duckdb_reason(error)} This is a fault of the library or of its version, not one found in the file. Try another "
            "version, `pip install --upgrade duckdb`; if it fails too, report it with this message."
        ) from error
    except duckdb.OutOfMemoryException as error:
        raise ReadError(
            f"{listed(sources, 2)} must fit into the memory that reading may fill; it does not: {_duckdb_reason(error)} "
            f"If the file is sound, allow more with `--memory` or the variable {VARIABLE}."
        ) from None
    except (duckdb.Error, UnicodeDecodeError, OverflowError) as error:
        if any(setting in str(error) for setting in _RECORD_SIZES):
            raise ReadError(
                f"{listed(sources, 2)} must have rows that each fit into the memory for one; a row goes beyond. Check that the "
                "file is whole, its quotation marks closed; if it is sound, allow more with `--memory`."
            ) from None
        raise ReadError(
            f"{listed(sources, 2)} cannot be read: {_duckdb_reason(error)} Check that the file is whole, UTF-8 and of the "
            "kind its name says, with the same number of cells in every row."
        ) from None


@contextmanager
def writing_errors() -> Iterator[None]:
    """Turn what DuckDB says of a file that it cannot write into the error of the system behind it."""
    try:
        yield
    except duckdb.IOException as error:
        text = str(error)
        number = re.search(r'"errno":"(\d+)"', text)
        reason = os.strerror(int(number[1])) if number else text.splitlines()[0].rpartition(": ")[2]
        raise OSError(None, reason) from None


def _duckdb_reason(error: Exception) -> str:
    """The first two lines of a DuckDB message, made safe and ended with a full stop."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith(("Original Line", "Possible", "See also", "*", "/*"))][:2]
    return shown(". ".join(line.rstrip(".:") for line in lines), 240) + "."


@lru_cache(maxsize=1)
def _shared_database(process: int) -> duckdb.DuckDBPyConnection:
    """The DuckDB that all reading of one process shares; what memory does not hold goes to a folder that goes with the process."""
    con, folder = private_database(), mkdtemp(prefix="beatpath-")
    atexit.register(rmtree, folder, ignore_errors=True)
    con.execute(f"SET temp_directory = {literal(folder)}")
    con.execute(f"SET max_temp_directory_size = '{max(memory_limit(), 1 << 30)}B'")
    return con


def private_database() -> duckdb.DuckDBPyConnection:
    """Open a DuckDB of its own in memory that fetches no extension and shows no progress bar."""
    con = duckdb.connect(config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"})
    con.execute("SET enable_progress_bar = false")
    con.execute(f"SET memory_limit = '{max(memory_limit(), _LEAST)}B'")
    return con


def connect() -> duckdb.DuckDBPyConnection:
    """Open a connection of its own, with temporary tables of its own, to the process's database."""
    return _shared_database(os.getpid()).cursor()
