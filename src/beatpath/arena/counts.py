"""Counts that stand beside the battles and change with them in one transaction, so that nobody ever goes over all battles."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from beatpath.arena.tables import CELL, PAIR, TALLY


def grown(table: sa.Table) -> str:
    """Return the statement that adds a row to the one with the same key, or puts it there, as both databases write it.

    >>> print(grown(TALLY))
    INSERT INTO beatpath_tally VALUES (?, ?, ?, ?) ON CONFLICT (stage) DO UPDATE SET
    asked = beatpath_tally.asked + excluded.asked, told = beatpath_tally.told + excluded.told,
    changes = beatpath_tally.changes + excluded.changes
    """
    keys = ", ".join(column.name for column in table.primary_key)
    places = ", ".join("?" for _ in table.columns)
    rest = [column.name for column in table.columns if not column.primary_key]
    sums = ",\n".join(
        ", ".join(f"{name} = {table.name}.{name} + excluded.{name}" for name in rest[k : k + 2])
        for k in range(0, len(rest), 2)
    )
    return f"INSERT INTO {table.name} VALUES ({places}) ON CONFLICT ({keys}) DO UPDATE SET\n{sums}"


_CELL, _PAIR, _TALLY = grown(CELL), grown(PAIR), grown(TALLY)


def count_told(db: sa.Connection, told: Iterable[tuple[int, int, int, float]], sign: int = 1) -> None:
    """Add outcomes, each with its stage and pair, to the counts; or take them off again, with a sign of -1."""
    cells: dict[tuple[int, int, int], list[float]] = {}
    stages: dict[int, int] = {}
    for stage, a, b, outcome in told:
        cell = cells.get((stage, a, b))
        if cell is None:
            cell = cells[stage, a, b] = [0, 0.0, 0.0]
        cell[0] += sign
        cell[1] += sign * outcome
        cell[2] += sign * outcome**2
        stages[stage] = stages.get(stage, 0) + sign
    for_all(db, _CELL, [(*key, *cell) for key, cell in cells.items()])
    for_all(db, _TALLY, [(stage, 0, number, 1) for stage, number in stages.items()])


def count_asked(db: sa.Connection, stage: int, asked: Mapping[tuple[int, int], Sequence[bool]]) -> None:
    """Add battles that go out, each by whether the first agent of its pair is shown first, to the counts."""
    for_all(db, _PAIR, [(*pair, len(firsts), sum(firsts)) for pair, firsts in asked.items()])
    for_all(db, _TALLY, [(stage, sum(map(len, asked.values())), 0, 0)])


def for_all(db: sa.Connection, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Hand a statement, written with question marks, and all its rows to the driver as they are."""
    if rows:
        db.exec_driver_sql(statement if db.dialect.name == "sqlite" else statement.replace("?", "%s"), list(rows))
