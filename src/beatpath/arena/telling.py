"""What is told: held against what was asked, written down, and counted, all of a telling or nothing."""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from beatpath._errors import DataError
from beatpath._text import quoted
from beatpath.arena.battle import Telling
from beatpath.arena.counts import count_told, for_all
from beatpath.arena.refused import AgentRetired, NeverAsked, ToldAlready
from beatpath.arena.tables import AGENT

_APART = 1e-6  # seconds between battles that are told in one transaction
_KNOWN = "SELECT id, key, stage, a, b, told, outcome, both_bad, judge FROM beatpath_battle WHERE key"
_RETIRED = sa.select(AGENT.c.id, AGENT.c.name).where(AGENT.c.retired)
_RECORD = "UPDATE beatpath_battle SET told = ?, outcome = ?, both_bad = ?, judge = ? WHERE id = ?"
_GIVE_BACK = "UPDATE beatpath_battle SET asked = 0 WHERE id = ?"


def tell(db: sa.Connection, tellings: Sequence[Sequence[Telling]]) -> list[Exception | None]:
    """Record tellings, each all or none, and return for each None or why it was refused."""
    known = {row.key: row for row in battles_by_key(db, [one.key for telling in tellings for one in telling])}
    retired = {number: name for number, name in db.execute(_RETIRED)}
    new: dict[str, Telling] = {}
    answers: list[Exception | None] = []
    for telling in tellings:
        try:
            new |= {one.key: one for one in _news(telling, known, retired, new)}
            answers.append(None)
        except DataError as error:
            answers.append(error)
    _record(db, [(known[one.key], one) for one in new.values()])
    return answers


def moments_of(count: int) -> list[float]:
    """Return as many moments from now on, each a little after the one before: no two battles are told at one."""
    now = time.time()
    return [now + k * _APART for k in range(count)]


def battles_by_key(db: sa.Connection, keys: Sequence[str]) -> Sequence[Any]:
    """Return the battles that have one of these keys."""
    if db.dialect.name == "sqlite":
        return db.exec_driver_sql(f"{_KNOWN} IN (SELECT value FROM json_each(?))", (json.dumps(keys),)).all()
    return db.exec_driver_sql(f"{_KNOWN} = ANY(%s)", (list(keys),)).all()


def _news(
    telling: Sequence[Telling], known: Mapping[str, Any], retired: Mapping[int, str], new: Mapping[str, Telling]
) -> Iterator[Telling]:
    """What of a telling was not told before; refused if it contradicts, was never asked for, or is of an agent that is gone."""
    own: dict[str, Telling] = {}
    for one in telling:
        row = known.get(one.key)
        if row is None:
            raise NeverAsked(
                f"a battle must be asked for before it is told; {quoted(one.key)} was not. `add` takes battles from elsewhere."
            )
        before = own.get(one.key) or new.get(one.key)
        if before is None and row.told is not None:
            before = Telling(one.key, row.outcome, bool(row.both_bad), row.judge)
        if before is None or before.outcome is None:
            if retired:
                _require_present(row, retired)
            own[one.key] = one
            yield one
        elif (before.outcome, before.both_bad) != (one.outcome, one.both_bad):
            raise ToldAlready(f"battle {quoted(one.key)} was told already, with another outcome; it stays as it was.")
        elif before.judge != one.judge:
            raise ToldAlready(
                f"battle {quoted(one.key)} was told already, by another judge; ask for a battle for each."
            )


def _require_present(row: Any, retired: Mapping[int, str]) -> None:
    for number in (row.a, row.b):
        if number in retired:
            raise AgentRetired(
                f"a battle must be of agents that take part; {quoted(row.key)} is of {quoted(retired[number])}, who retired. "
                "Leave it out, or let the agent `join` again."
            )


def _record(db: sa.Connection, told: Sequence[tuple[Any, Telling]]) -> None:
    """Write down what is new, and count it; what failed goes back to be asked again at once."""
    came = [(row, one, one.outcome) for row, one in told if one.outcome is not None]
    for_all(db, _GIVE_BACK, [(row.id,) for row, one in told if one.outcome is None])
    moments = moments_of(len(came))
    record = [(at, x, one.both_bad, one.judge, row.id) for at, (row, one, x) in zip(moments, came, strict=True)]
    for_all(db, _RECORD, record)
    count_told(db, [(row.stage, row.a, row.b, outcome) for row, _, outcome in came])
