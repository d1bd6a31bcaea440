"""A vote taken back: the battle is out again, counts are what they were before, and what was withdrawn is kept in a table of its own."""

import time
from typing import TYPE_CHECKING

import sqlalchemy as sa

from beatpath._errors import DataError
from beatpath._text import quoted
from beatpath.arena.counts import count_told
from beatpath.arena.refused import NeverAsked
from beatpath.arena.tables import BATTLE

if TYPE_CHECKING:
    from beatpath.arena.arena import Arena

WITHDRAWN = sa.Table(
    "beatpath_withdrawn",
    sa.MetaData(),  # made when the first vote is withdrawn: an arena without one is as it was
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("key", sa.Text, nullable=False),
    sa.Column("judge", sa.Text),
    sa.Column("outcome", sa.Float, nullable=False),
    sa.Column("both_bad", sa.Boolean, nullable=False),
    sa.Column("told", sa.Float, nullable=False),
    sa.Column("withdrawn", sa.Float, nullable=False),
)


def withdraw(arena: "Arena", battle: str, *, judge: str) -> None:
    """Take back what a judge told of a battle; it is out again. Doing it twice does it once.

    Examples
    --------
    >>> from beatpath.arena.arena import Arena
    >>> arena = Arena(":memory:", agents=["ada", "bob"])
    >>> battle = arena.ask()
    >>> arena.tell(battle, "a", judge="eve")
    >>> withdraw(arena, battle.key, judge="eve")
    >>> arena.board().battles, withdrawn(arena)
    (0, 1)
    """
    with arena._storage.changing() as db:
        row = db.execute(sa.select(BATTLE).where(BATTLE.c.key == battle)).first()
        if row is None:
            raise NeverAsked(f"a battle must be asked for before it is withdrawn; {quoted(battle)} was not.")
        if row.told is None:
            return
        if row.judge != judge:
            raise DataError(f"battle {quoted(battle)} must be withdrawn by who told it; {quoted(judge)} did not.")
        WITHDRAWN.create(db, checkfirst=True)
        kept = {
            "key": row.key,
            "judge": row.judge,
            "outcome": row.outcome,
            "both_bad": bool(row.both_bad),
            "told": row.told,
        }
        db.execute(sa.insert(WITHDRAWN).values(**kept, withdrawn=time.time()))
        out = {"told": None, "outcome": None, "both_bad": None, "judge": None, "asked": time.time()}
        db.execute(sa.update(BATTLE).where(BATTLE.c.id == row.id).values(**out))
        count_told(db, [(row.stage, row.a, row.b, row.outcome)], sign=-1)


def withdrawn(arena: "Arena") -> int:
    """Return how many votes were taken back."""
    with arena._storage.reading() as db:
        if not sa.inspect(db).has_table(WITHDRAWN.name):
            return 0
        return int(db.scalar(sa.select(sa.func.count()).select_from(WITHDRAWN)) or 0)
