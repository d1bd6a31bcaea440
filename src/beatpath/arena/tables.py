"""The tables of an arena, of the present version.

Battles are only ever added, and told once. Counts stand beside them and change in the same transaction: `CELL` what battles of a
stage and pair came to, `TALLY` how many of a stage were asked for and told and how often its cells changed, `PAIR` how often a pair was asked
for and who was shown first.
"""

from typing import Any

import numpy as np
import sqlalchemy as sa

from beatpath._arrays import Floats

VERSION = 2
ADDED = 0  # the stage of battles that were not asked for here
META = sa.MetaData()


class Numbers(sa.types.TypeDecorator[Floats]):
    """An array of floats, eight bytes each."""

    impl = sa.LargeBinary
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Any) -> bytes | None:
        """To bytes."""
        return None if value is None else np.ascontiguousarray(value, dtype="<f8").tobytes()

    def process_result_value(self, value: Any, dialect: Any) -> Floats | None:
        """From bytes."""
        return None if value is None else np.frombuffer(value, dtype="<f8")


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
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("retired", sa.Boolean, nullable=False),
)
STAGE = sa.Table(
    "beatpath_stage",
    META,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("began", sa.Integer, nullable=False),  # after so many battles were told
    sa.Column("agents", sa.JSON, nullable=False),
    sa.Column("chance", Numbers, nullable=False),
    sa.Column("predicted", Numbers, nullable=False),
)
BATTLE = sa.Table(
    "beatpath_battle",
    META,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("key", sa.Text, nullable=False, unique=True),
    sa.Column("stage", sa.Integer, nullable=False),
    sa.Column("a", sa.Integer, nullable=False),
    sa.Column("b", sa.Integer, nullable=False),
    sa.Column("first", sa.Integer),
    sa.Column("prompt", sa.Text),
    sa.Column("asked", sa.Float(53), nullable=False),
    sa.Column("told", sa.Float(53)),
    sa.Column("outcome", sa.Float(53)),
    sa.Column("both_bad", sa.Boolean),
    sa.Column("judge", sa.Text),
)
OUT = BATTLE.c.told.is_(None)
_INDEX = sa.DDL(  # type: ignore[no-untyped-call]
    "CREATE INDEX beatpath_battle_out ON beatpath_battle (asked) WHERE told IS NULL"
)
sa.event.listen(BATTLE, "after_create", _INDEX)  # in words that both know: naming both would load both
CELL = sa.Table(
    "beatpath_cell",
    META,
    sa.Column("stage", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("a", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("b", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("battles", sa.Integer, nullable=False),
    sa.Column("total", sa.Float(53), nullable=False),
    sa.Column("squares", sa.Float(53), nullable=False),
    sqlite_with_rowid=False,
)
TALLY = sa.Table(
    "beatpath_tally",
    META,
    sa.Column("stage", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("asked", sa.Integer, nullable=False),
    sa.Column("told", sa.Integer, nullable=False),
    sa.Column("changes", sa.Integer, nullable=False),
)
PAIR = sa.Table(
    "beatpath_pair",
    META,
    sa.Column("a", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("b", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("asked", sa.Integer, nullable=False),
    sa.Column("a_first", sa.Integer, nullable=False),
    sqlite_with_rowid=False,
)
