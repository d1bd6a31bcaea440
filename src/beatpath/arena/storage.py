"""Where an arena lives: a SQLite file, or a PostgreSQL database for many machines; battles are only ever added.

What was acknowledged is committed: SQLite in WAL mode with full synchronisation. Counts by stage and pair are kept up to date in the
transaction that tells a battle, so that a board never goes over all battles.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from beatpath._errors import BeatpathError, DataError, UsageError
from beatpath._text import quoted

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection, Engine

VERSION = 1  # of the tables
META = sa.MetaData()
ARENA = sa.Table(
    "beatpath_arena",
    META,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("settings", sa.JSON, nullable=False),
)
AGENT = sa.Table(
    "beatpath_agent",
    META,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("retired", sa.Boolean, nullable=False, default=False),
)
STAGE = sa.Table(
    "beatpath_stage",
    META,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("agents", sa.JSON, nullable=False),
    sa.Column("chance", sa.JSON, nullable=False),
    sa.Column("predicted", sa.JSON, nullable=False),
    sa.Column("began", sa.Integer, nullable=False),
)
BATTLE = sa.Table(
    "beatpath_battle",
    META,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("key", sa.Text, nullable=False, unique=True),
    sa.Column("stage", sa.Integer),
    sa.Column("a", sa.Integer, nullable=False),
    sa.Column("b", sa.Integer, nullable=False),
    sa.Column("first", sa.Integer),
    sa.Column("prompt", sa.Text),
    sa.Column("judge", sa.Text),
    sa.Column("asked", sa.Float, nullable=False),
    sa.Column("told", sa.Float),
    sa.Column("outcome", sa.Float),
    sa.Column("both_bad", sa.Boolean, nullable=False, default=False),
    sa.Index("beatpath_battle_open", "told", "asked"),
)
CELL = sa.Table(
    "beatpath_cell",
    META,
    sa.Column("stage", sa.Integer, primary_key=True),
    sa.Column("a", sa.Integer, primary_key=True),
    sa.Column("b", sa.Integer, primary_key=True),
    sa.Column("battles", sa.Float, nullable=False),
    sa.Column("total", sa.Float, nullable=False),
    sa.Column("squares", sa.Float, nullable=False),
    sa.Column("asked", sa.Integer, nullable=False),
    sa.Column("a_first", sa.Integer, nullable=False),
)


class Storage:
    """An open database with one arena in it.

    Parameters
    ----------
    address : str
        The path of a SQLite file, or ``postgresql://...``.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self.engine = _engine(address)
        self.sqlite = self.engine.dialect.name == "sqlite"
        with self.changing() as connection:
            META.create_all(connection)

    @contextmanager
    def changing(self) -> "Iterator[Connection]":
        """A transaction that writes: all of it is kept, or nothing."""
        with self._told(), self.engine.begin() as connection:
            if not self.sqlite:
                connection.execute(sa.text("SELECT pg_advisory_xact_lock(7283001)"))
            yield connection

    @contextmanager
    def reading(self) -> "Iterator[Connection]":
        """One look at the database as it was at one moment."""
        with self._told(), self.engine.connect() as connection:
            yield connection

    def close(self) -> None:
        """Let go of the file or the server."""
        self.engine.dispose()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn what the database raises into a sentence; nothing of the transaction is kept then."""
        try:
            yield
        except BeatpathError:
            raise
        except sa.exc.DBAPIError as error:
            raise DataError(
                f"the arena {quoted(self.address)} could not be read or written: {error.orig}. Nothing was changed; try again "
                "once it can be."
            ) from None


def _engine(address: str) -> "Engine":
    if "://" in address:
        if not address.startswith(("postgresql://", "postgresql+psycopg://")):
            raise UsageError(f"an arena's address must be a file or postgresql://...; got {quoted(address)}.")
        return sa.create_engine(address.replace("postgresql://", "postgresql+psycopg://", 1), pool_pre_ping=True)
    engine = sa.create_engine(f"sqlite:///{address}", connect_args={"timeout": 30, "check_same_thread": False})

    @sa.event.listens_for(engine, "connect")
    def _settle(connection: Any, _: object) -> None:
        connection.isolation_level = None  # transactions begin where we say
        for line in ("PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL", "PRAGMA busy_timeout=30000"):
            connection.execute(line)

    @sa.event.listens_for(engine, "begin")
    def _begin(connection: "Connection") -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine
