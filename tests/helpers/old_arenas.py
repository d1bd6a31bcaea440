"""Arenas as older versions made them, table by table, in SQLite or PostgreSQL."""

import numpy as np
import sqlalchemy as sa

from beatpath.arena.storage import Storage

AGENTS = ("ada", "bob", "cyd", "dan")


def make_version_1(address):
    """An arena of the first version: three agents and one retired, a stage, battles told, out and from elsewhere.

    Returns the battles that were told, as ``(stage, a, b, outcome)``, and the keys of those that are out.
    """
    storage, meta = Storage(address), sa.MetaData()
    arena = sa.Table(
        "beatpath_arena", meta,
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("settings", sa.JSON, nullable=False),
    )  # fmt: skip
    agent = sa.Table(
        "beatpath_agent", meta,
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("retired", sa.Boolean, nullable=False, default=False),
    )  # fmt: skip
    stage = sa.Table(
        "beatpath_stage", meta,
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("agents", sa.JSON, nullable=False),
        sa.Column("chance", sa.JSON, nullable=False),
        sa.Column("predicted", sa.JSON, nullable=False),
        sa.Column("began", sa.Integer, nullable=False),
    )  # fmt: skip
    battle = sa.Table(
        "beatpath_battle", meta,
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
    )  # fmt: skip
    cell = sa.Table(
        "beatpath_cell", meta,
        sa.Column("stage", sa.Integer, primary_key=True),
        sa.Column("a", sa.Integer, primary_key=True),
        sa.Column("b", sa.Integer, primary_key=True),
        sa.Column("battles", sa.Float, nullable=False),
        sa.Column("total", sa.Float, nullable=False),
        sa.Column("squares", sa.Float, nullable=False),
        sa.Column("asked", sa.Integer, nullable=False),
        sa.Column("a_first", sa.Integer, nullable=False),
    )  # fmt: skip
    rng = np.random.default_rng(0)
    settings = {"goal": "first", "level": 0.95, "policy": "adaptive", "prompts": ["x", "y"], "patience": 3600.0}
    chance, predicted = [0.25, 0.5, 0.25], [0.5, 0.6, 0.55]
    rows, cells, told, out = [], {}, [], []
    for k in range(40):
        number = 0 if k >= 36 else 1
        a, b = ((0, 1), (0, 2), (1, 2))[k % 3]
        done = number == 0 or k % 6 != 5
        value = float(rng.choice([0.0, 0.5, 1.0, 0.25])) if done else None
        first = None if number == 0 else (a, b)[k % 2]
        one = {
            "key": f"key {k}",
            "stage": number,
            "a": a,
            "b": b,
            "first": first,
            "prompt": "xy"[k % 2],
            "asked": 1e9 + k,
        }
        rows.append(one | {"told": 2e9 + k if done else None, "outcome": value, "both_bad": False, "judge": "eve"})
        have = cells.setdefault((number, a, b), [0.0, 0.0, 0.0, 0, 0])
        if number:
            have[3], have[4] = have[3] + 1, have[4] + (first == a)
        if done:
            have[0], have[1], have[2] = have[0] + 1, have[1] + value, have[2] + value**2
            told.append((number, a, b, value))
        else:
            out.append(f"key {k}")
    names = ("stage", "a", "b", "battles", "total", "squares", "asked", "a_first")
    with storage.changing() as db:
        meta.create_all(db)
        db.execute(sa.insert(arena).values(name="arena", version=1, settings=settings))
        db.execute(sa.insert(agent), [{"id": k, "name": n, "retired": k == 3} for k, n in enumerate(AGENTS)])
        db.execute(sa.insert(stage).values(id=1, agents=[0, 1, 2], chance=chance, predicted=predicted, began=0))
        db.execute(sa.insert(battle), rows)
        db.execute(sa.insert(cell), [dict(zip(names, (*key, *have), strict=True)) for key, have in cells.items()])
    storage.close()
    return told, out
