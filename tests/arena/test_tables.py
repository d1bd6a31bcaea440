"""The tables: arrays come back to the bit, and open battles are looked up by an index."""

import numpy as np
import sqlalchemy as sa

from beatpath.arena.arena import Arena
from beatpath.arena.storage import STAGE


def test_numbers_come_back_to_the_bit(address):
    arena = Arena(address, agents=["ada", "bob"])
    chance = np.array([1.0, np.pi, 5e-324, 1e308])
    with arena._storage.changing() as db:
        db.execute(sa.insert(STAGE).values(id=7, began=0, agents=[0, 1], chance=chance, predicted=chance[::-1]))
        row = db.execute(sa.select(STAGE)).one()
    assert row.chance.tobytes() == chance.tobytes()
    assert row.predicted.tolist() == chance[::-1].tolist()
    arena.close()


def test_no_look_goes_over_all_battles(tmp_path):
    arena = Arena(tmp_path / "arena.db", agents=["ada", "bob", "cyd"], prompts=["x"])
    arena.tell_many((one, "a") for one in arena.ask(count=60))
    seen = []
    sa.event.listen(arena._storage.engine, "before_cursor_execute", lambda *words: seen.append(words[2:4]))
    arena.tell(arena.ask(), "a")
    arena.ask(count=5)
    arena.resolve()
    with arena._storage.reading() as db:
        for statement, given in [one for one in seen if one[0].startswith(("SELECT", "UPDATE"))]:
            rows = given if isinstance(given, tuple) else given[0]
            plan = " ".join(row[3] for row in db.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", rows))
            assert "SCAN beatpath_battle" not in plan.replace(
                "SCAN beatpath_battle USING INDEX beatpath_battle_out", ""
            )
