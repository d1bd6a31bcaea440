"""Arena files: the answered battles in the SQLite file of a running evaluation.

The standard library reads it without a lock, as a snapshot, even while others write. For an arena in PostgreSQL, use
`Arena.evidence` or ``beatpath arena export``.
"""

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from beatpath._errors import ReadError
from beatpath._text import counted, listed, quoted, shown
from beatpath.data.formats.reader import Reader
from beatpath.data.sources.memory import require_memory
from beatpath.data.sources.source import SQLITE, Options, Source
from beatpath.evidence import Battles, Factor, Reading

NEWEST = 4  # latest version of the tables that this module reads; older ones have the same columns
# Columns of an answered battle, in the order that `arena_battles` expects; then, whether an earlier vote was withdrawn.
COLUMNS = ("a", "b", "outcome", "both_bad", "first", "answered", "prompt", "judge")
WITHDRAWN = "beatpath_withdrawn"  # a table of the latest version
# The advice in errors about a damaged file.
DAMAGED = "The file is damaged, or something else wrote to it: take a copy from before."
_ROW_BYTES = 600  # bytes per battle until it is a row of arrays


def read_arenas(sources: Sequence[Source], options: Options) -> Battles:
    """Read the answered battles of one arena or of several together; agents with the same name are one agent."""
    parts, pending, notes = [], 0, []
    for source in sources:
        with _opened(source) as db:
            note = _require_arena(db, source)
            answered, out = db.execute(
                "SELECT COUNT(answered), COUNT(*) - COUNT(answered) FROM beatpath_battle"
            ).fetchone()
            require_memory(_ROW_BYTES * answered, f"the battles of {shown(source.name)}")
            agents = dict(db.execute("SELECT id, name FROM beatpath_agent ORDER BY id"))
            gone = [name for (name,) in db.execute("SELECT name FROM beatpath_agent WHERE retired ORDER BY id")]
            columns = ", ".join(f'"{name}"' for name in COLUMNS)
            if WITHDRAWN in _tables(db):
                columns += ", key IN (SELECT key FROM beatpath_withdrawn)"
            chosen = f"SELECT {columns} FROM beatpath_battle WHERE answered IS NOT NULL ORDER BY id"
            parts.append((agents, db.execute(chosen).fetchall()))
        pending += out
        retired = f"{listed(gone)} retired, and {'is' if len(gone) == 1 else 'are'} among the agents here"
        notes += [note, retired] if gone else [note]
    used = sum(len(rows) for _, rows in parts)
    if not used:
        raise ReadError(
            f"{shown(sources[0].name)} must hold at least one battle that was answered; {counted(pending, 'battle is', 'battles are')} "
            "out and none was answered."
        )
    names = tuple(source.name for source in sources)
    dropped = {"not answered yet": pending} if pending else {}
    reading = Reading(names, "arena", used + pending, used, dropped, notes=tuple(dict.fromkeys(notes)))
    return arena_battles(parts, reading)


# the names of agents by id, and battles in the order of `COLUMNS`
Part = tuple[dict[int, str], Iterable[Sequence[Any]]]


def arena_battles(parts: Sequence[Part], reading: Reading | None = None) -> Battles:
    """Build battles from the agents and rows of arenas; prompts are clusters.

    The factor `revised` tells votes that replace a withdrawn one ("yes") from others, if there are any.
    """
    with undamaged("the arena" if reading is None else shown(reading.sources[0])):
        return _battles(parts, reading)


@contextmanager
def undamaged(name: str) -> Iterator[None]:
    """Raise an error that says that an arena is damaged where its battles are not as an arena writes them."""
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        raise ReadError(f"the battles of {name} must be as an arena writes them; they are not. {DAMAGED}") from None


def _battles(parts: Sequence[Part], reading: Reading | None) -> Battles:
    agents = tuple(dict.fromkeys(name for names, _ in parts for name in names.values()))
    place = {name: k for k, name in enumerate(agents)}
    moved = [{number: place[name] for number, name in names.items()} for names, _ in parts]
    rows = list(chain.from_iterable(((at, row) for row in rows) for at, (_, rows) in zip(moved, parts, strict=True)))
    revised = ["yes" if row[len(COLUMNS) :] and row[len(COLUMNS)] else "no" for _, row in rows]
    named = {"cluster": [row[6] for _, row in rows], "judge": [row[7] for _, row in rows]}
    named |= {"revised": revised} if "yes" in revised else {}
    factors = {role: Factor.of(names) for role, names in named.items() if any(name is not None for name in names)}
    return Battles(
        agents,
        np.array([at[row[0]] for at, row in rows], dtype=np.int32),
        np.array([at[row[1]] for at, row in rows], dtype=np.int32),
        np.array([row[2] for _, row in rows], dtype=np.float64),
        both_bad=np.array([row[3] for _, row in rows], dtype=bool),
        position=np.array([0 if row[4] is None else 1 if row[4] == row[0] else -1 for _, row in rows], dtype=np.int8),
        time=np.array([row[5] for _, row in rows], dtype=np.float64),
        factors=factors,
        reading=reading,
    )


@contextmanager
def _opened(source: Source) -> Iterator[sqlite3.Connection]:
    """Open a database read-only as a snapshot; if its folder is not writable, as an immutable file."""
    address = f"file:{quote(str(Path(source.path).resolve()))}?mode=ro"
    db = None
    try:
        try:
            db = sqlite3.connect(address, uri=True, isolation_level=None)
            db.execute("SELECT 1 FROM sqlite_master")
        except sqlite3.OperationalError:
            log = Path(f"{source.path}-wal")
            if log.exists() and log.stat().st_size:
                raise
            db = sqlite3.connect(f"{address}&immutable=1", uri=True, isolation_level=None)
        db.execute("BEGIN")
        yield db
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise ReadError(
            f"{shown(source.name)} must be an arena that can be read; SQLite says: {shown(str(error), 200)}. If its folder cannot be written "
            "to, copy the file and the one that ends in -wal elsewhere."
        ) from None
    finally:
        if db is not None:
            db.close()


def _tables(db: sqlite3.Connection) -> list[str]:
    """The names of tables, without views, which may have no end."""
    return sorted(name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'"))


def _require_arena(db: sqlite3.Connection, source: Source) -> str:
    """Raise an error for other databases and newer versions; return a note on how pairs were sampled."""
    tables, row = _tables(db), None
    views = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'view'")]
    if {"beatpath_arena", "beatpath_agent", "beatpath_battle"} <= set(tables) and WITHDRAWN not in views:
        row = db.execute("SELECT version, settings FROM beatpath_arena").fetchone()
    if row is None:
        held = f"the tables {', '.join(quoted(name) for name in tables[:5])}" if tables else "no table"
        raise ReadError(
            f"{shown(source.name)} must be an arena to be read; it is a SQLite file with {held}. Write the table you mean to a "
            "CSV file."
        )
    version, settings = row
    if not isinstance(version, int):
        text = quoted(str(version))
        raise ReadError(f"the version of {shown(source.name)} must be a whole number; got {text}. {DAMAGED}")
    if version > NEWEST:
        raise ReadError(
            f"{shown(source.name)} is an arena of version {version}; this beatpath reads up to {NEWEST}. Upgrade beatpath."
        )
    try:
        policy = str(json.loads(settings)["policy"])
    except (KeyError, TypeError, ValueError):
        raise ReadError(f"the settings of {shown(source.name)} must name a policy; they do not. {DAMAGED}") from None
    return (
        f"pairs were drawn by the policy {quoted(policy)}: for verdicts that hold at every look, use "
        "`beatpath arena status`"
    )


reader = Reader(
    "arena",
    "Arenas that beatpath runs (SQLite), and no other SQLite file",
    None,
    read_arenas,
    sign=re.compile(rb"\A" + re.escape(SQLITE)),
)
