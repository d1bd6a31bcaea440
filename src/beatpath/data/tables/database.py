"""DuckDB: one database per process, its errors as sentences, and strings escaped for its queries."""

import atexit
import os
import re
import shlex
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import lru_cache
from shutil import rmtree
from socket import socket, socketpair
from tempfile import mkdtemp

import duckdb

from beatpath._errors import BeatpathError, ReadError
from beatpath._text import listed, shown
from beatpath.data.sources.memory import memory_limit
from beatpath.data.tables.cells import DECIMAL_COMMA, SPREAD

_OPEN: list[duckdb.DuckDBPyConnection] = []  # connections of the process
_WAKING: list[socket] = []  # the socket, at most one, that Python writes the numbers of signals to
_ENDING = {getattr(signal, name, None) for name in ("SIGINT", "SIGTERM", "SIGHUP")}
_LEAST = 64 << 20  # bytes without which DuckDB opens no compressed file, however small
# Parts of DuckDB's messages about a row that is too long.
_RECORD_SIZES = (
    "maximum_object_size",
    "max_line_size",
    "Maximum line size",
    "does not support a full read on this file",
)
# Exceptions of DuckDB for SQL that it does not support or for internal failures. Damaged files raise InvalidInput, IO, Conversion,
# Serialization and OutOfRange exceptions instead.
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
    """Return the SQL that converts a string to a number.

    Booleans are 1 and 0, percent signs and spreads are left out, anything else that is no number is NULL.
    """
    plain = f"rtrim(trim({text}), ' %')"
    bare = f"rtrim(regexp_replace({plain}, '{SPREAD}', ''), ' %')"
    comma = f"CASE WHEN regexp_full_match({plain}, '{DECIMAL_COMMA}') THEN replace({plain}, ',', '.') END"
    number = f"coalesce({', '.join(f'TRY_CAST({form} AS DOUBLE)' for form in (plain, comma, bare))})"
    return f"CASE lower({text}) WHEN 'true' THEN 1.0 WHEN 'false' THEN 0.0 ELSE {number} END"


def literal(value: str) -> str:
    """Return a string as an SQL literal.

    >>> literal("it's")
    "'it''s'"
    """
    return "'" + value.replace("'", "''") + "'"


@contextmanager
def reading_errors(sources: Sequence[str]) -> Iterator[None]:
    """Convert DuckDB's error about a damaged file to one sentence, and that about Ctrl-C to what it was.

    A failure of DuckDB itself is not blamed on the file.
    """
    try:
        yield
    except (duckdb.InterruptException, RuntimeError) as error:
        if isinstance(error, duckdb.InterruptException) or str(error) == "Query interrupted":
            raise KeyboardInterrupt from None
        raise
    except _ENGINE_FAULTS as error:
        if _RECORD_SIZES[-1] in str(error):
            raise too_long_row(*sources) from None
        raise BeatpathError(
            f"DuckDB {duckdb.__version__} must carry out what reading {listed(sources, 2)} takes; it failed: "
            f"{_duckdb_reason(error)} This is a fault of the library or of its version, not one found in the file. Try another "
            "version, `pip install --upgrade duckdb`; if it fails too, report it with this message."
        ) from error
    except duckdb.OutOfMemoryException as error:
        raise ReadError(
            f"{listed(sources, 2)} must fit into the memory that reading may fill; it does not: {_duckdb_reason(error)} "
            f"If the file is sound, allow more with `--memory`."
        ) from None
    except (duckdb.Error, UnicodeDecodeError, OverflowError) as error:
        if any(setting in str(error) for setting in _RECORD_SIZES):
            raise too_long_row(*sources) from None
        if "state machine" in str(error):
            raise ReadError(
                f"every line of {listed(sources, 2)} must end in one way, with its quotation marks closed; some do not. Where two "
                f"systems wrote it, `tr -d '\\r' < {shlex.quote(sources[0])} > cells.csv`."
            ) from None
        raise ReadError(
            f"{listed(sources, 2)} cannot be read: {_duckdb_reason(error)} Check that the file is whole, UTF-8 and of the "
            "kind its name says, with the same number of cells in every row."
        ) from None


def too_long_row(*sources: str) -> ReadError:
    """Return the error for a row that is longer than the reader may hold."""
    return ReadError(
        f"{listed(sources, 2)} must have rows that each fit into the memory for one; a row goes beyond. Check that the "
        "file is whole, its quotation marks closed; if it is sound, allow more with `--memory`."
    )


@contextmanager
def writing_errors() -> Iterator[None]:
    """Convert DuckDB's error about a file that it cannot write to the system error behind it."""
    try:
        yield
    except duckdb.IOException as error:
        text = str(error)
        number = re.search(r'"errno":"(\d+)"', text)
        reason = os.strerror(int(number[1])) if number else text.splitlines()[0].rpartition(": ")[2]
        raise OSError(None, reason) from None


def _duckdb_reason(error: Exception) -> str:
    """The first two lines of a DuckDB message, escaped and ended with a period."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith(("Original Line", "Possible", "See also", "*", "/*"))][:2]
    return shown(". ".join(line.rstrip(".:") for line in lines), 240) + "."


@lru_cache(maxsize=1)
def _shared_database(process: int) -> duckdb.DuckDBPyConnection:
    """The DuckDB database that all reads of a process share; it spills to a folder that is removed with the process."""
    con, folder = private_database(), mkdtemp(prefix="beatpath-")
    atexit.register(rmtree, folder, ignore_errors=True)
    con.execute(f"SET temp_directory = {literal(folder)}")
    con.execute(f"SET max_temp_directory_size = '{max(memory_limit(), 1 << 30)}B'")
    return con


def private_database() -> duckdb.DuckDBPyConnection:
    """Open a separate in-memory DuckDB that fetches no extensions and shows no progress bar."""
    con = duckdb.connect(config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"})
    # where it is off it stays untouched: in a notebook without ipywidgets DuckDB 2 refuses even to switch it off
    if con.execute("SELECT current_setting('enable_progress_bar')").fetchall() == [(True,)]:
        con.execute("SET enable_progress_bar = false")
    con.execute(f"SET memory_limit = '{max(memory_limit(), _LEAST)}B'")
    return con


@contextmanager
def connect() -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a new connection, with its own temporary tables, to the database of the process."""
    with closing(_shared_database(os.getpid()).cursor()) as con, ended_by_signals(con):
        yield con


@contextmanager
def ended_by_signals(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Let Ctrl-C and SIGTERM end the queries of a connection at once; by itself DuckDB may not notice them for minutes.

    Python's handlers wait until a query returns. Before that, the bytes that a signal writes wake a thread, which interrupts all
    open connections.
    """
    _OPEN.append(con)
    _watch_signals()
    try:
        yield
    finally:
        _OPEN.remove(con)
        _watch_signals()


def _watch_signals() -> None:
    """Watch signals while a connection is open, unless an event loop does; only the main thread may say what they wake."""
    if threading.current_thread() is not threading.main_thread() or bool(_OPEN) == bool(_WAKING):
        return
    before = signal.set_wakeup_fd(-1)
    if _WAKING:
        waking = _WAKING.pop()
        before = -1 if before == waking.fileno() else before
        waking.close()  # which ends the thread
    elif before == -1:
        waiting, waking = socketpair()
        waking.setblocking(False)
        before = waking.fileno()
        _WAKING.append(waking)
        threading.Thread(target=_interrupt_on_signals, args=(waiting,), daemon=True).start()
    signal.set_wakeup_fd(before, warn_on_full_buffer=False)


def _interrupt_on_signals(waiting: socket) -> None:
    with waiting:
        while numbers := waiting.recv(64):
            if not _ENDING.isdisjoint(numbers):
                for con in tuple(_OPEN):
                    with suppress(duckdb.Error):  # closed meanwhile
                        con.interrupt()
