"""What is asked: battles that came back or are overdue, then battles drawn by the chances of the present stage."""

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import sqlalchemy as sa

from beatpath.arena.counts import count_asked, for_all
from beatpath.arena.stages import Design
from beatpath.arena.tables import ADDED, BATTLE, OUT, PAIR, TALLY

PART = 400  # pairs looked up at once
_LATE = (
    sa.select(BATTLE)
    .where(OUT, BATTLE.c.asked < sa.bindparam("before"), BATTLE.c.a.not_in(sa.bindparam("gone", expanding=True)))
    .where(BATTLE.c.b.not_in(sa.bindparam("gone", expanding=True)))
    .order_by(BATTLE.c.asked, BATTLE.c.id)
    .limit(sa.bindparam("most"))
)
_AGAIN = "UPDATE beatpath_battle SET asked = ? WHERE id = ?"
_LAST = sa.select(sa.func.max(BATTLE.c.id))
_ASKED = sa.select(sa.func.sum(TALLY.c.asked)).where(TALLY.c.stage != ADDED)
_SHOWN = sa.select(PAIR).where(sa.tuple_(PAIR.c.a, PAIR.c.b).in_(sa.bindparam("pairs", expanding=True)))
_NEW = ("id", "key", "stage", "a", "b", "first", "prompt", "asked")
_SEND = f"INSERT INTO beatpath_battle ({', '.join(_NEW)}) VALUES ({', '.join('?' for _ in _NEW)})"


def overdue(db: sa.Connection, now: float, before: float, retired: Sequence[int], most: int) -> list[dict[str, Any]]:
    """Take out again battles that went out before some time and were not told, of agents that still take part."""
    rows = db.execute(_LATE, {"before": before, "gone": list(retired), "most": most}).all()
    for_all(db, _AGAIN, [(now, row.id) for row in rows])
    return [dict(row._mapping) for row in rows]


def drawn(
    db: sa.Connection, now: float, design: Design, prompts: Sequence[str] | None, wanted: int, rng: np.random.Generator
) -> list[dict[str, Any]]:
    """Send out battles drawn by the chances of a stage; orders are balanced within pairs, prompts dealt in turn."""
    pairs = design.draw(wanted, rng)
    before = _shown(db, list(dict.fromkeys(pairs)))
    number = next_number(db)
    turn = int(db.scalar(_ASKED) or 0) if prompts else 0
    firsts: dict[tuple[int, int], list[bool]] = {}
    made = []
    for k, pair in enumerate(pairs):
        own = firsts.setdefault(pair, [])
        asked, a_first = before.get(pair, (0, 0))
        ahead = 2 * (a_first + sum(own)) - asked - len(own)
        own.append(ahead < 0 or (ahead == 0 and rng.random() < 0.5))
        made.append(
            {
                "id": number + k,
                "key": fresh_key(number + k),
                "stage": design.number,
                "a": pair[0],
                "b": pair[1],
                "first": pair[0] if own[-1] else pair[1],
                "prompt": prompts[(turn + k) % len(prompts)] if prompts else None,
                "asked": now,
            }
        )
    for_all(db, _SEND, [tuple(one[name] for name in _NEW) for one in made])
    count_asked(db, design.number, firsts)
    return made


def next_number(db: sa.Connection) -> int:
    """Return the number of the next battle."""
    return 1 + (db.scalar(_LAST) or 0)


def fresh_key(number: int) -> str:
    """Return a key nobody can guess that sorts by number, so that keys of one time lie on few pages of an index."""
    return f"{number:08x}-{secrets.token_hex(6)}"


def _shown(db: sa.Connection, pairs: Sequence[tuple[int, int]]) -> Mapping[tuple[int, int], tuple[int, int]]:
    """How often each of these pairs was asked for, and how often its first agent was to be shown first."""
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for k in range(0, len(pairs), PART):
        rows = db.execute(_SHOWN, {"pairs": pairs[k : k + PART]})
        found |= {(i, j): (asked, first) for i, j, asked, first in rows}
    return found
