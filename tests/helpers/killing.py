"""Writers of one arena that are killed at random moments, and the account of what each was answered is stored."""

import json
import multiprocessing
import os
import random
import signal
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import sqlalchemy as sa

from beatpath._errors import UnknownLabel, UsageError
from beatpath.arena.arena import Arena
from beatpath.arena.storage import ADDED, BATTLE, CELL, TALLY, NotRequested, StorageUnavailable

AGENTS = [f"agent {k}" for k in range(6)]
OUTCOMES = ("a", "b", "tie", "both_bad", 0.25)
GUEST = "guest"  # joins and retires
WRITERS = 8
ZERO = ("lost", "invented", "wrong counts", "wrong tallies", "wrong board", "keys twice")  # what must not be


def write_without_end(address: str, log: Path, seed: int) -> None:
    """Ask and tell for ever; note outcomes before they are sent, and which were acknowledged."""
    rng = random.Random(seed)
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def note(kind, entries):
        os.write(out, (json.dumps([kind, entries]) + "\n").encode())

    arena = patient(lambda: Arena(address))
    while True:
        battles = patient(lambda: arena.ask(count=rng.randint(1, 3)))
        outcomes = [(one.key, rng.choice(OUTCOMES)) for one in battles]
        note("tells", outcomes)
        try:
            patient(partial(arena.tell_many, outcomes, judge=f"judge {seed % 3}"))
        except NotRequested:  # an ask that the server had not written down when it was killed
            note("unknown", outcomes)
            continue
        note("acknowledged", outcomes)
        if rng.random() < 0.2:
            patient(partial(arena.tell_many, outcomes, judge=f"judge {seed % 3}"))
        if rng.random() < 0.02:  # the roster and the goal change meanwhile
            with suppress(UsageError, UnknownLabel):  # somebody else was first
                patient(partial(rng.choice((arena.join, arena.retire)), GUEST))
            patient(partial(arena.change, goal=rng.choice(("first", "ranking", "top 2"))))


def patient(does):
    """Try again until the storage is there."""
    while True:
        try:
            return does()
        except StorageUnavailable:
            time.sleep(0.02)


def killed(address: str, logs: Path, kills: int, server=None, seed: int = 0) -> dict:
    """Kill a writer, or the server every other time, at random moments; return what was stored after each and at the end."""
    rng, fork = random.Random(seed), multiprocessing.get_context("fork")

    def begun(number):
        one = fork.Process(target=write_without_end, args=(address, logs / f"{number}.log", number), daemon=True)
        one.start()
        return one

    writers = [begun(k) for k in range(WRITERS)]
    opened = 0
    try:
        for number in range(kills):
            time.sleep(rng.uniform(0.02, 0.4))
            if server is not None and number % 2:
                server.kill()
                server.start()
            else:
                place = rng.randrange(WRITERS)
                os.kill(writers[place].pid, signal.SIGKILL)
                writers[place].join()
                writers[place] = begun(WRITERS + number)
            again = Arena(address)
            again.board()
            again.close()
            opened += 1
    finally:
        for one in writers:
            os.kill(one.pid, signal.SIGKILL)
            one.join()
    return account(address, logs) | {"kills": kills, "opened": opened}


def account(address: str, logs: Path) -> dict:
    """Hold what writers noted against what is there, and counts against a recount."""
    tells, acknowledged, unknown = {}, {}, 0
    for log in logs.glob("*.log"):
        for line in log.read_text().splitlines(keepends=True):
            if line.endswith("\n"):  # the last may be cut off
                kind, rows = json.loads(line)
                unknown += len(rows) if kind == "unknown" else 0
                {"tells": tells, "acknowledged": acknowledged}.get(kind, {}).update(rows)
    arena = Arena(address)
    with arena._storage.reading() as db:
        rows = db.execute(sa.select(BATTLE).order_by(BATTLE.c.id)).all()
        cells = {(c.stage, c.a, c.b): (c.battles, c.total, c.squares) for c in db.execute(sa.select(CELL))}
        tally = {one.stage: (one.requested, one.answered) for one in db.execute(sa.select(TALLY))}
    seen = arena.resolve()
    arena.close()
    stored = {row.key: row for row in rows if row.answered is not None}
    value = {"a": (1.0, False), "b": (0.0, False), "tie": (0.5, False), "both_bad": (0.5, True), 0.25: (0.25, False)}
    lost = [key for key, came in acknowledged.items() if key not in stored or _came(stored[key]) != value[came]]
    invented = [key for key in stored if key not in tells]
    recount, stages = {}, {}
    for row in rows:
        out, back = stages.get(row.stage, (0, 0))
        stages[row.stage] = out + (row.stage != ADDED), back + (row.answered is not None)
        if row.answered is not None:
            n, total, squares = recount.get((row.stage, row.a, row.b), (0, 0.0, 0.0))
            recount[row.stage, row.a, row.b] = n + 1, total + row.outcome, squares + row.outcome**2
    return {
        "acknowledged": len(acknowledged),
        "stored": len(stored),
        "lost": len(lost),
        "invented": len(invented),
        "asks lost": unknown,
        "wrong counts": sum(cells.get(key) != cell for key, cell in recount.items())
        + len(cells.keys() - recount.keys()),
        "wrong tallies": sum(tally.get(key) != counts for key, counts in stages.items()),
        "wrong board": abs(seen.board.battles + seen.waiting - len(stored)),
        "keys twice": len(rows) - len({row.key for row in rows}),
        "board": seen.board.battles,
    }


def _came(row):
    return row.outcome, bool(row.both_bad)
