"""Storage of an arena: tables in a SQLite file, or in a PostgreSQL database for many machines.

Battles are only added, and answered once. Counts change in the same transaction: `CELL` holds the outcomes of a stage
and pair, `TALLY` the requested and answered battles of a stage and how often its cells changed. `CLAIM` holds what was
reported as certain, `REQUEST` the battles that were sent in response to a request with a key.

What was acknowledged is committed: SQLite in WAL mode with full synchronization, PostgreSQL with synchronous commit.
One transaction writes at a time; readers see a snapshot and block nobody. Writes of several threads share a
transaction, since a disk flush takes milliseconds for one write or for many. In PostgreSQL transactions that record
outcomes run together: they lock the battles, then the counts, each in ascending order.
"""

import os
import random
import sqlite3
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext, suppress
from threading import Condition, RLock
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
import sqlalchemy as sa

from beatpath._arrays import Floats
from beatpath._errors import BeatpathError, DataError, UsageError
from beatpath._text import quoted, shown
from beatpath.arena.damage import require_sound
from beatpath.data.formats.arena_file import DAMAGED
from beatpath.data.sources.source import SQLITE

try:
    import fcntl
except ModuleNotFoundError:  # Windows
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection, Engine


class NotRequested(DataError):
    """A battle that was not requested here."""

    status = 404  # over HTTP, as below


class Answered(DataError):
    """A battle that was answered before with another outcome, or is no longer pending."""

    status = 409


class StorageUnavailable(DataError):
    """A file or a server that cannot be read or written at the moment."""

    status = 503


VERSION = 4  # version of the tables
ADDED = 0  # the stage of battles that were not requested here
META = sa.MetaData()  # the tables of an arena


class Numbers(sa.types.TypeDecorator[Floats]):
    """An array of floats, eight bytes each."""

    impl = sa.LargeBinary
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Any) -> bytes | None:
        """Convert to bytes."""
        return None if value is None else np.ascontiguousarray(value, dtype="<f8").tobytes()

    def process_result_value(self, value: Any, dialect: Any) -> Floats | None:
        """Convert from bytes."""
        return None if value is None else np.frombuffer(value, dtype="<f8")


def table(
    name: str, keys: Sequence[str], /, *, optional: Sequence[str] = (), numbered: bool = False, **columns: Any
) -> sa.Table:
    """Return a table with these columns: its `keys`, in a `numbered` one assigned by the database, and those that may be empty."""
    made = [
        sa.Column(one, kind, primary_key=one in keys, autoincrement=numbered and one in keys, nullable=one in optional)
        for one, kind in columns.items()
    ]
    return sa.Table(name, META, *made, sqlite_with_rowid=len(keys) == 1)


INTEGER, TEXT, NUMBER, BOOLEAN, JSON = sa.Integer, sa.Text, sa.Float(53), sa.Boolean, sa.JSON(none_as_null=True)
# The tables; see the module's docstring. `changes` tells how often settings, or the cells of a stage, changed.
ARENA = table("beatpath_arena", ["name"], name=TEXT, version=INTEGER, settings=JSON, changes=INTEGER)
AGENT = table("beatpath_agent", ["id"], id=INTEGER, name=TEXT, retired=BOOLEAN)
# `began` is the number of battles answered before a stage.
STAGE = table("beatpath_stage", ["id"], id=INTEGER, began=INTEGER, agents=JSON, chance=Numbers, predicted=Numbers)
# `criteria` has an outcome and whether both were bad, by criterion or judge of several; or a difference in style and null.
BATTLE = table(
    "beatpath_battle",
    ["id"],
    optional=("first", "prompt", "answered", "outcome", "both_bad", "judge", "criteria", "comment"),
    id=INTEGER,
    key=TEXT,
    stage=INTEGER,
    a=INTEGER,
    b=INTEGER,
    first=INTEGER,
    prompt=TEXT,
    requested=NUMBER,
    answered=NUMBER,
    outcome=NUMBER,
    both_bad=BOOLEAN,
    judge=TEXT,
    criteria=JSON,
    comment=TEXT,
)
AGENT.append_constraint(sa.UniqueConstraint(AGENT.c.name))
BATTLE.append_constraint(sa.UniqueConstraint(BATTLE.c.key))
OUT = BATTLE.c.answered.is_(None)  # the condition for a pending battle
_INDEX = sa.DDL(  # type: ignore[no-untyped-call]
    "CREATE INDEX beatpath_battle_out ON beatpath_battle (requested) WHERE answered IS NULL"
)
# in SQL that both databases accept: dialect-specific indexes would import both dialects
sa.event.listen(BATTLE, "after_create", _INDEX)
# Counts of a stage and pair, and of a stage.
_OF_PAIR: dict[str, Any] = {"battles": INTEGER, "total": NUMBER, "squares": NUMBER}
CELL = table("beatpath_cell", ["stage", "a", "b"], stage=INTEGER, a=INTEGER, b=INTEGER, **_OF_PAIR)
TALLY = table("beatpath_tally", ["stage"], stage=INTEGER, requested=INTEGER, answered=INTEGER, changes=INTEGER)
DIRECT = -1.0  # `points` of a claim that the first agent wins more than half of its battles against the second
# Two agents, the first certainly above the second (`points` 0, or DIRECT), or certainly less than so many points apart.
CLAIM = table("beatpath_claim", ["id"], numbered=True, id=INTEGER, a=INTEGER, b=INTEGER, points=NUMBER)
REQUEST = table("beatpath_request", ["id"], numbered=True, id=INTEGER, name=TEXT, battles=JSON)  # by their keys
REQUEST.append_constraint(sa.UniqueConstraint(REQUEST.c.name))
WITHDRAWN = table(
    "beatpath_withdrawn",
    ["id"],
    optional=("judge",),
    numbered=True,
    id=INTEGER,
    key=TEXT,
    judge=TEXT,
    outcome=NUMBER,
    both_bad=BOOLEAN,
    answered=NUMBER,
    withdrawn=NUMBER,
)


# What begins a writing transaction in PostgreSQL, alone or with others like it: its commit does not wait for the disk.
LOCK = 7283001  # the advisory lock of the writing transaction in PostgreSQL
_IN_TURN = f"SELECT set_config('synchronous_commit', 'off', true), pg_advisory_xact_lock({LOCK})"
_TOGETHER = _IN_TURN.replace("xact_lock", "xact_lock_shared")
WAIT = 30.0  # seconds to wait for a locked database
MEMORY = ":memory:"  # the address of a database in memory


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
        weakref.finalize(self, self.engine.dispose)  # a storage that is not closed leaves no connection behind
        self._alone: Any = RLock() if address == MEMORY else nullcontext()  # threads share one connection
        self._queue = f"{address}-lock" if self.sqlite and address != MEMORY and fcntl is not None else None
        self._file = self._identity()
        self._closed = False

    @property
    def name(self) -> str:
        """The address without its password."""
        return self.address if self.sqlite else self.engine.url.render_as_string(hide_password=True)

    @contextmanager
    def changing(self, *, sure: bool = True, together: bool = False) -> "Iterator[Connection]":
        """A writing transaction: all of it is stored, or nothing; in PostgreSQL those that may run `together` do.

        One that is not `sure` survives the end of the process, and survives a crash of the machine only once a sure
        one has followed. In PostgreSQL the lock is released before the disk is waited for, so that the waits of several
        writers are one: a second, empty transaction waits for everything before it.
        """
        self._require_open()
        with self._translated_errors(), self._turn(), self.engine.connect() as connection:
            if self.sqlite:
                connection.connection.execute(f"PRAGMA synchronous={'FULL' if sure else 'NORMAL'}")
                connection = connection.execution_options(beatpath_writes=True)
            with connection.begin():
                if not self.sqlite:
                    connection.exec_driver_sql(_TOGETHER if together else _IN_TURN)
                yield connection
            if sure and not self.sqlite:
                with connection.begin():
                    # writes, and so waits
                    connection.exec_driver_sql("SELECT pg_logical_emit_message(true, 'beatpath', '')")

    @contextmanager
    def reading(self) -> "Iterator[Connection]":
        """A reading transaction that sees a snapshot of the database."""
        self._require_open()
        with self._translated_errors(), self._alone, self.engine.connect() as connection:
            if not self.sqlite:
                connection = connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection

    def keep_log(self) -> None:
        """Switch a SQLite file to write-ahead logging, so that readers and the writer do not block each other."""
        if self.sqlite and self.address != MEMORY:
            with self._translated_errors(), self.engine.connect() as connection:
                connection.connection.execute("PRAGMA journal_mode=WAL")

    def close(self) -> None:
        """Close the file or the connection."""
        self._closed = True
        self.engine.dispose()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Wait for other writers of a file: SQLite lets some of them starve, a lock of the system does not."""
        if self._queue is None:
            with self._alone:
                yield
            return
        try:
            descriptor = os.open(self._queue, os.O_CREAT | os.O_RDWR, 0o600)
        except OSError:  # SQLite says what is wrong
            yield
            return
        try:
            until = time.monotonic() + WAIT  # then SQLite says that it is locked
            while not _locked(descriptor) and time.monotonic() < until:
                time.sleep(random.uniform(0.0005, 0.002))
            yield
        finally:
            os.close(descriptor)

    def _identity(self) -> tuple[int, int] | None:
        """The file of a database, None if there is none."""
        if not self.sqlite or self.address == MEMORY or not os.path.exists(self.address):
            return None
        status = os.stat(self.address)
        return status.st_dev, status.st_ino

    def _require_open(self) -> None:
        """Raise an error if the arena was closed, or if its file was removed or replaced since it was opened."""
        if self._closed:
            raise UsageError(f"an arena must be open; {quoted(self.name)} was closed. Open it again.")
        if self._file is not None and self._identity() != self._file:
            raise StorageUnavailable(
                f"the file of the arena {quoted(self.name)} must stay where it is; it was removed or replaced. Put it back, or open "
                "the arena again."
            )

    @contextmanager
    def _translated_errors(self) -> Iterator[None]:
        """Convert errors of the database to sentences."""
        try:
            yield
        except BeatpathError:
            raise
        except (sa.exc.DBAPIError, sqlite3.Error) as error:
            raise self._unavailable(error) from None
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            if self.sqlite:  # a damaged file can raise any of these; other databases check types
                try:
                    with self.engine.connect() as connection:
                        require_sound(connection, META.sorted_tables, self.name)
                except (sa.exc.DBAPIError, sqlite3.Error) as error:
                    raise self._unavailable(error) from None
                except UnicodeDecodeError as error:  # what SQLite says holds bytes of the file
                    raise DataError(
                        f"the arena {quoted(self.name)} must hold text in UTF-8; {error}. {DAMAGED}"
                    ) from None
            raise

    def _unavailable(self, error: sa.exc.DBAPIError | sqlite3.Error) -> StorageUnavailable:
        """The sentence for an error of the database."""
        why = str(getattr(error, "orig", error)).strip().partition("\n")[0].rstrip(".")
        return StorageUnavailable(
            f"the arena {quoted(self.name)} must be there to be read and written; it says: {shown(why, 200)}. Nothing is stored by halves. "
            "Try again once it can be: what is answered again counts once."
        )


def _locked(descriptor: int) -> bool:
    """Whether the lock of a file could be taken."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


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
    """Raise an error if a file holds something else."""
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
    if address != MEMORY and not os.path.exists(address):
        with suppress(OSError):  # readable by its owner alone, or less as the umask says; SQLite says what is wrong
            os.close(os.open(address, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    pool = sa.pool.StaticPool if address == MEMORY else sa.pool.QueuePool
    options = {"timeout": WAIT, "check_same_thread": False}
    engine = sa.create_engine(sa.URL.create("sqlite", database=address), connect_args=options, poolclass=pool)

    @sa.event.listens_for(engine, "connect")
    def _settle(connection: Any, _: object) -> None:
        connection.isolation_level = None  # transactions begin where we say

    @sa.event.listens_for(engine, "begin")
    def _begin(connection: "Connection") -> None:
        writes = connection.get_execution_options().get("beatpath_writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


# The type of a request, and of its answer.
Request = TypeVar("Request")
Answer = TypeVar("Answer")


class BatchedCalls(Generic[Request, Answer]):
    """Combine the requests of several threads into one call.

    Parameters
    ----------
    write : callable
        Takes a list of requests, handles all in one transaction, and returns an answer, or an exception to raise, for
        each in the same order. An exception that it raises itself is raised for all.

    Examples
    --------
    >>> double = BatchedCalls(lambda item: [2 * one for one in item])
    >>> double(21)
    42
    """

    def __init__(self, write: Callable[[Sequence[Request]], Sequence[Answer | Exception]]) -> None:
        self._write = write
        self._waiting: list[tuple[Request, Future[Answer]]] = []
        self._busy = False
        self._turn = Condition()

    def __call__(self, request: Request) -> Answer:
        """Wait for the transaction that includes this request, or run it for all waiting threads."""
        own: Future[Answer] = Future()
        with self._turn:
            self._waiting.append((request, own))
            while self._busy and not own.done():
                self._turn.wait()
            self._busy = self._busy or not own.done()
        if not own.done():
            self._carry_out(own)
        return own.result()

    def _carry_out(self, own: "Future[Answer]") -> None:
        with self._turn:
            requests, self._waiting = self._waiting, []
        futures = [future for _, future in requests]
        try:
            answers = self._write([request for request, _ in requests])
            for future, answer in zip(futures, answers, strict=True):
                if isinstance(answer, Exception):
                    future.set_exception(answer)
                else:
                    future.set_result(answer)
        except Exception as error:  # noqa: BLE001 (raised in every thread that waits)
            for future in futures:
                future.set_exception(error)
        finally:
            with self._turn:  # if this thread was stopped, the others continue without it
                self._waiting = [one for one in requests if not one[1].done() and one[1] is not own] + self._waiting
                self._busy = False
                self._turn.notify_all()
