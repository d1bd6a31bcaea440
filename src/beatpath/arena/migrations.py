"""Arenas of older versions, brought to the present one in the transaction that opens them."""

import json
from collections.abc import Callable

import sqlalchemy as sa

from beatpath.arena.tables import ARENA, BATTLE, CELL, META, PAIR, STAGE, TALLY, VERSION


def migrate(db: sa.Connection, version: int) -> None:
    """Bring the tables from a version to the present one, step by step."""
    for step in range(version, VERSION):
        STEPS[step](db)
    db.execute(sa.update(ARENA).values(version=VERSION))


def _from_1(db: sa.Connection) -> None:
    """Numbers of stages were JSON; how often pairs were asked for stood beside what was told; nobody counted by stage."""
    old = {name: f"{name}_1" for name in (STAGE.name, BATTLE.name, CELL.name)}
    db.execute(sa.text("DROP INDEX beatpath_battle_open"))
    for name, aside in old.items():
        db.execute(sa.text(f"ALTER TABLE {name} RENAME TO {aside}"))
    if db.dialect.name == "postgresql":  # names of constraints are of the whole schema there
        for name, aside in old.items():
            db.execute(sa.text(f"ALTER TABLE {aside} RENAME CONSTRAINT {name}_pkey TO {aside}_pkey"))
        db.execute(
            sa.text(f"ALTER TABLE {BATTLE.name}_1 RENAME CONSTRAINT {BATTLE.name}_key_key TO {BATTLE.name}_1_key_key")
        )
    META.create_all(db)
    stages = db.execute(sa.text(f"SELECT id, began, agents, chance, predicted FROM {old[STAGE.name]}")).all()
    for number, began, *arrays in stages:
        agents, chance, predicted = (json.loads(one) if isinstance(one, str) else one for one in arrays)
        values = {"id": number, "began": began, "agents": agents, "chance": chance, "predicted": predicted}
        db.execute(sa.insert(STAGE).values(**values))
    columns = ", ".join(f'"{column.name}"' for column in BATTLE.columns)
    db.execute(sa.text(f"INSERT INTO {BATTLE.name} ({columns}) SELECT {columns} FROM {old[BATTLE.name]}"))
    cells = old[CELL.name]
    db.execute(
        sa.text(
            f"INSERT INTO {CELL.name} SELECT stage, a, b, CAST(battles AS INTEGER), total, squares FROM {cells} WHERE battles > 0"
        )
    )
    db.execute(sa.text(f"INSERT INTO {PAIR.name} SELECT a, b, SUM(asked), SUM(a_first) FROM {cells} GROUP BY a, b"))
    db.execute(
        sa.text(
            f"INSERT INTO {TALLY.name} SELECT stage, SUM(asked), CAST(SUM(battles) AS INTEGER), 1 FROM {cells} GROUP BY stage"
        )
    )
    for aside in old.values():
        db.execute(sa.text(f"DROP TABLE {aside}"))


STEPS: dict[int, Callable[[sa.Connection], None]] = {1: _from_1}
