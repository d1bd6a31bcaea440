"""Where an arena lives: a SQLite file, or a PostgreSQL database for many machines.

What was acknowledged is committed: SQLite in WAL mode with full synchronisation, PostgreSQL with synchronous commit. One
transaction writes at a time; readers see one moment and hold up nobody.
"""

import os
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from threading import RLock
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from beatpath._errors import BeatpathError, DataError, UsageError
from beatpath._text import quoted
from beatpath.arena.refused import StorageAway
from beatpath.data.sources.source import SQLITE

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection, Engine

WAIT = 30.0  # seconds until a database that others keep locked is given up
LOCK = 7283001  # of the one transaction that writes to a PostgreSQL database
MEMORY = ":memory:"


class Storage:
    """An open database.

    Parameters
    ----------
    address : str
        The path of a SQLite file, ``:memory:``, or ``postgresql://...``.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self.engine = _engine(address)
        self.sqlite = self.engine.dialect.name == "sqlite"
        weakref.finalize(self, self.engine.dispose)  # who forgets to close it leaves no connection behind
        self._alone: Any = RLock() if address == MEMORY else nullcontext()  # one connection, which threads share

    @property
    def name(self) -> str:
        """The address as it may be shown: without a password."""
        return self.address if self.sqlite else self.engine.url.render_as_string(hide_password=True)

    @contextmanager
    def changing(self, *, sure: bool = True) -> "Iterator[Connection]":
        """A transaction that writes: all of it is kept, or nothing.

        One that is not `sure` is kept when the process dies, and when the machine does once a sure one has followed; only SQLite
        makes the difference.
        """
        with self._told(), self._alone, self.engine.connect() as connection:
            if self.sqlite:
                connection.connection.execute(f"PRAGMA synchronous={'FULL' if sure else 'NORMAL'}")
                connection = connection.execution_options(beatpath_writes=True)
            with connection.begin():
                if not self.sqlite:
                    connection.execute(sa.text(f"SELECT pg_advisory_xact_lock({LOCK})"))
                yield connection

    @contextmanager
    def reading(self) -> "Iterator[Connection]":
        """One look at the database as it was at one moment."""
        with self._told(), self._alone, self.engine.connect() as connection:
            if not self.sqlite:
                connection = connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection

    def keep_log(self) -> None:
        """Let a SQLite file keep a log of what is written, so that readers and the writer do not wait for each other."""
        if self.sqlite and self.address != MEMORY:
            with self._told(), self.engine.connect() as connection:
                connection.connection.execute("PRAGMA journal_mode=WAL")

    def close(self) -> None:
        """Let go of the file or the server."""
        self.engine.dispose()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn what the database raises into a sentence."""
        try:
            yield
        except BeatpathError:
            raise
        except sa.exc.DBAPIError as error:
            why = str(error.orig).strip().partition("\n")[0].rstrip(".")
            raise StorageAway(
                f"the arena {quoted(self.name)} must be there to be read and written; it says: {why}. Nothing is kept by halves. "
                "Try again once it can be: what is told again counts once."
            ) from None


def _engine(address: str) -> "Engine":
    if "://" in address:
        if not address.startswith(("postgresql://", "postgresql+psycopg://")):
            raise UsageError(f"an arena's address must be a file or postgresql://...; got {quoted(address)}.")
        return _postgresql(address)
    if os.path.isdir(address):
        raise UsageError(f"an arena's address must be a file or postgresql://...; {quoted(address)} is a folder.")
    _require_database(address)
    return _sqlite(address)


def _require_database(path: str) -> None:
    """Refuse a file that holds something else."""
    if path == MEMORY or not os.path.exists(path):
        return
    try:
        with open(path, "rb") as stream:
            start = stream.read(len(SQLITE))
    except OSError as error:
        raise DataError(f"{quoted(path)} must be an arena; it cannot be read: {error.strerror or error}.") from None
    if start and start != SQLITE:
        raise DataError(f"{quoted(path)} must be an arena; it is no SQLite file. `bp.read` reads files of battles.")


def _postgresql(address: str) -> "Engine":
    engine = sa.create_engine(address.replace("postgresql://", "postgresql+psycopg://", 1), pool_pre_ping=True)

    @sa.event.listens_for(engine, "connect")
    def _settle(connection: Any, _: object) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET synchronous_commit TO on")
        connection.commit()

    return engine


def _sqlite(address: str) -> "Engine":
    pool = sa.pool.StaticPool if address == MEMORY else sa.pool.QueuePool
    given = {"timeout": WAIT, "check_same_thread": False}
    engine = sa.create_engine(sa.URL.create("sqlite", database=address), connect_args=given, poolclass=pool)

    @sa.event.listens_for(engine, "connect")
    def _settle(connection: Any, _: object) -> None:
        connection.isolation_level = None  # transactions begin where we say

    @sa.event.listens_for(engine, "begin")
    def _begin(connection: "Connection") -> None:
        writes = connection.get_execution_options().get("beatpath_writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine
