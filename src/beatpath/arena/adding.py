"""Battles that were not asked for here: they inform predictions, and so who plays next, and no verdict."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import sqlalchemy as sa

from beatpath._errors import DataError, UnknownLabel
from beatpath._text import quoted, suggestion
from beatpath.arena.asking import fresh_key, next_number
from beatpath.arena.battle import outcome_of, text_or_none
from beatpath.arena.counts import count_told, for_all
from beatpath.arena.refused import ToldAlready
from beatpath.arena.tables import ADDED
from beatpath.arena.telling import battles_by_key, moments_of

Added: TypeAlias = (
    tuple[str, str, str | float]
    | tuple[str, str, str | float, str | None]
    | tuple[str, str, str | float, str | None, str | None]
)
_NEW = ("id", "key", "stage", "a", "b", "asked", "told", "outcome", "both_bad", "judge")
_ADD = f"INSERT INTO beatpath_battle ({', '.join(_NEW)}) VALUES ({', '.join('?' for _ in _NEW)})"
_CONTENT = ("stage", "a", "b", "outcome", "both_bad", "judge")


def add(db: sa.Connection, number: Mapping[str, int], rows: Iterable[Added], judge: str | None) -> int:
    """Record battles of known agents, and return how many are new; a key of its own makes one count once."""
    at = next_number(db)
    new: list[dict[str, Any]] = []
    made = [_made(number, *row, judge=judge) for row in rows]
    known = {row.key: _content(row._asdict()) for row in battles_by_key(db, [one["key"] for one in made if one["key"]])}
    for one, now in zip(made, moments_of(len(made)), strict=True):
        if one["key"] in known:
            if known[one["key"]] != _content(one):
                raise ToldAlready(f"battle {quoted(one['key'])} is there already, and is another; it stays as it was.")
            continue
        if one["key"]:
            known[one["key"]] = _content(one)
        key = one["key"] or fresh_key(at + len(new))
        new.append(one | {"id": at + len(new), "key": key, "asked": now, "told": now})
    if new:
        for_all(db, _ADD, [tuple(one[name] for name in _NEW) for one in new])
        count_told(db, [(ADDED, one["a"], one["b"], one["outcome"]) for one in new])
    return len(new)


def known_agent(number: Mapping[str, int], agent: str) -> int:
    """Return the number of an agent, or raise with the nearest name there is."""
    if not isinstance(agent, str) or agent not in number:
        raise UnknownLabel(
            f"{quoted(agent)} must be an agent of the arena.{suggestion(str(agent), number)} `join` lets one in."
        )
    return number[agent]


def _made(
    number: Mapping[str, int],
    a: str,
    b: str,
    came: str | float,
    key: str | None = None,
    own: str | None = None,
    *,
    judge: str | None,
) -> dict[str, Any]:
    i, j = known_agent(number, a), known_agent(number, b)
    by = text_or_none("a judge", judge if own is None else own)
    if i == j:
        raise DataError(f"a battle must be between two agents; got {quoted(a)} twice.")
    value, bad = outcome_of(came)
    i, j, value = (i, j, value) if i < j else (j, i, 1 - value)
    return {
        "key": text_or_none("a key", key),
        "stage": ADDED,
        "a": i,
        "b": j,
        "outcome": value,
        "both_bad": bad,
        "judge": by,
    }


def _content(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in _CONTENT)
