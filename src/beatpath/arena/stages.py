"""The stages of an arena: chances and predictions that stood still while some of its battles were drawn, and what these came to.

A stage is read once; its counts are read again only when they have changed since, so that a board after a million battles and a
thousand more reads what the thousand changed.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
import sqlalchemy as sa

from beatpath._arrays import Floats, Ints
from beatpath.arena.policy import chances
from beatpath.arena.standing import Goal
from beatpath.arena.storage import ADDED, CELL, STAGE, TALLY
from beatpath.inference.anytime.anytime_board import AnytimeBoard
from beatpath.inference.anytime.stage import Stage, predictions

SHORTEST = 50  # battles of a stage, at least
PAIRS = 20  # or one for so many pairs
SHARE = 0.05  # or this share of all battles before it, whichever is most


_LAST = sa.select(STAGE.c.id, STAGE.c.began).order_by(STAGE.c.id.desc()).limit(1)
_SINCE = sa.select(STAGE).where(STAGE.c.id > sa.bindparam("last")).order_by(STAGE.c.id)
_TOLD = sa.select(sa.func.sum(TALLY.c.answered)).where(TALLY.c.stage != ADDED)
_CHANGES = sa.select(TALLY.c.stage, TALLY.c.changes)
_CELLS = sa.select(CELL).where(CELL.c.stage.in_(sa.bindparam("stages", expanding=True))).order_by(CELL.c.stage)
_SUMS = sa.select(CELL.c.a, CELL.c.b, sa.func.sum(CELL.c.battles), sa.func.sum(CELL.c.total)).group_by(
    CELL.c.a, CELL.c.b
)


@dataclass(frozen=True, eq=False)
class Design:
    """How the battles of a stage are drawn.

    Parameters
    ----------
    number : int
    agents : tuple of int
        Who took part.
    chance, predicted : (m,) float
        Of every pair, in the order of ``np.triu_indices``.
    """

    number: int
    agents: tuple[int, ...]
    chance: Floats
    predicted: Floats

    @cached_property
    def pairs(self) -> tuple[Ints, Ints]:
        """All pairs, as places in `agents`."""
        return np.triu_indices(len(self.agents), 1)

    @cached_property
    def _up_to(self) -> Floats:
        """The chance of every pair and those before it, in shares of all."""
        added = np.cumsum(self.chance)
        cumulative: Floats = added / added[-1]
        return cumulative

    def draw(self, count: int, rng: np.random.Generator) -> list[tuple[int, int]]:
        """Draw pairs of agents."""
        index = np.searchsorted(self._up_to, rng.random(count), side="right")
        a, b = (at[index].tolist() for at in self.pairs)
        return [(self.agents[i], self.agents[j]) for i, j in zip(a, b, strict=True)]


class Stages:
    """The stages of one arena, as far as this process has read them."""

    def __init__(self) -> None:
        self._designs: dict[int, Design] = {}
        self._counts: dict[int, tuple[int, Floats]] = {}  # of a stage: how often they had changed, and what they were

    def of(self, db: sa.Connection, agents: tuple[int, ...]) -> list[Stage]:
        """Return the stages in which exactly these agents took part, with what was answered of them."""
        designs = [one for one in self._known(db) if one.agents == agents]
        changes = {stage: n for stage, n in db.execute(_CHANGES)}
        counts = {one.number: self._counts.get(one.number, (0, _nothing(one))) for one in designs}
        stale = [one for one in designs if counts[one.number][0] != changes.get(one.number, 0)]
        for design, fresh in zip(stale, _read_counts(db, stale), strict=True):
            counts[design.number] = changes.get(design.number, 0), fresh
        self._counts = self._counts | counts
        return [Stage(*one.pairs, one.chance, one.predicted, *counts[one.number][1]) for one in designs]

    def present(self, db: sa.Connection, agents: tuple[int, ...]) -> Design | None:
        """Return the stage that battles are drawn by now; none where another is due, for enough was answered or agents came or went."""
        last = db.execute(_LAST).first()
        if last is None:
            return None
        design = self._designs.get(last.id) or self._known(db)[-1]
        due = last.began + stage_length(last.began, len(design.chance))
        return design if design.agents == agents and answered_in_all(db) < due else None

    def begin(self, db: sa.Connection, agents: tuple[int, ...], board: AnytimeBoard, goal: Goal, policy: str) -> Design:
        """Begin a stage: predict and choose chances from what was seen so far."""
        a, b = np.triu_indices(len(agents), 1)
        battles, total = _counts_so_far(db, agents)
        predicted = predictions(a, b, battles, total, len(agents))
        chance = chances(policy, a, b, predicted, battles, board, goal)
        number = 1 + (db.scalar(sa.select(sa.func.max(STAGE.c.id))) or ADDED)
        row = {"id": number, "agents": list(agents), "chance": chance, "predicted": predicted}
        db.execute(sa.insert(STAGE).values(**row, began=answered_in_all(db)))
        return Design(number, agents, chance, predicted)

    def _known(self, db: sa.Connection) -> list[Design]:
        """All stages; those that began since are read."""
        last = max(self._designs, default=ADDED)
        rows = db.execute(_SINCE, {"last": last}).all()
        designs = self._designs | {row.id: Design(row.id, tuple(row.agents), row.chance, row.predicted) for row in rows}
        self._designs = designs
        return [designs[number] for number in sorted(designs)]


def stage_length(answered: int, n_pairs: int) -> int:
    """Return how many battles are answered in a stage that began after so many.

    >>> stage_length(0, 3), stage_length(100_000, 3), stage_length(0, 124_750)
    (50, 5000, 6237)
    """
    return max(SHORTEST, n_pairs // PAIRS, math.ceil(SHARE * answered))


def answered_in_all(db: sa.Connection) -> int:
    """Return how many battles that were requested have been answered."""
    return int(db.scalar(_TOLD) or 0)


def _nothing(design: Design) -> Floats:
    return np.zeros((3, len(design.chance)))


def _read_counts(db: sa.Connection, designs: Sequence[Design]) -> list[Floats]:
    """Battles, total and squares of all pairs of these stages."""
    numbers = [one.number for one in designs]
    rows = _numbers(db.execute(_CELLS, {"stages": numbers}), 6) if designs else np.zeros((0, 6))
    begin, end = np.searchsorted(rows[:, 0], numbers), np.searchsorted(rows[:, 0], numbers, side="right")
    out = []
    for design, i, j in zip(designs, begin, end, strict=True):
        counts = _nothing(design)
        counts[:, _places(design.agents, rows[i:j, 1], rows[i:j, 2])] = rows[i:j, 3:].T
        out.append(counts)
    return out


def _counts_so_far(db: sa.Connection, agents: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Battles and total of every pair of these agents, over all stages and from elsewhere."""
    rows = _numbers(db.execute(_SUMS), 4)
    rows = rows[np.isin(rows[:, :2], agents).all(axis=1)]
    totals = np.zeros((2, len(agents) * (len(agents) - 1) // 2))
    totals[:, _places(agents, rows[:, 0], rows[:, 1])] = rows[:, 2:].T
    return totals[0], totals[1]


def _numbers(result: Any, columns: int) -> Floats:
    """Rows of numbers as an array."""
    rows = result.cursor.fetchall()
    return np.fromiter(chain.from_iterable(rows), dtype=float, count=columns * len(rows)).reshape(-1, columns)


def _places(agents: tuple[int, ...], a: Floats, b: Floats) -> Ints:
    """Where pairs stand in the order of ``np.triu_indices``."""
    i, j = np.searchsorted(agents, a), np.searchsorted(agents, b)
    places: Ints = i * (2 * len(agents) - i - 1) // 2 + j - i - 1
    return places
