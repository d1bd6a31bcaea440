"""Stages of an arena: periods with constant sampling probabilities and predictions, and their counts.

A stage is read once; its counts are read again only if they changed. So a board after a million battles and a
thousand more reads only what the thousand changed.
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
from beatpath._errors import DataError
from beatpath._saved import restored
from beatpath.arena.policy import chances
from beatpath.arena.standing import Goal
from beatpath.arena.storage import ADDED, CELL, STAGE, TALLY
from beatpath.data.formats.arena_file import DAMAGED
from beatpath.inference.anytime.anytime_board import AnytimeBoard
from beatpath.inference.anytime.stage import Stage, predictions

SHORTEST = 50  # minimum number of battles of a stage
PAIRS = 20  # or one battle for so many pairs
SHARE = 0.05  # or this share of all earlier battles, whichever is largest


# Statements: the last stage, later stages, answered battles, changes per stage, cells of stages, and sums over
# stages.
_LAST = sa.select(STAGE.c.id, STAGE.c.began).order_by(STAGE.c.id.desc()).limit(1)
_SINCE = sa.select(STAGE).where(STAGE.c.id > sa.bindparam("last")).order_by(STAGE.c.id)
_ANSWERED = sa.select(sa.func.sum(TALLY.c.answered)).where(TALLY.c.stage != ADDED)
_CHANGES = sa.select(TALLY.c.stage, TALLY.c.changes)
_CELLS = sa.select(CELL).where(CELL.c.stage.in_(sa.bindparam("stages", expanding=True))).order_by(CELL.c.stage)
_SUMS = sa.select(CELL.c.a, CELL.c.b, sa.func.sum(CELL.c.battles), sa.func.sum(CELL.c.total)).group_by(
    CELL.c.a, CELL.c.b
)


@dataclass(frozen=True, eq=False)
class Design:
    """How the battles of a stage are sampled.

    Parameters
    ----------
    number : int
        Number of the stage.
    agents : tuple of int
        The agents that took part.
    chance, predicted : (m,) float
        Probability and predicted win rate of every pair, in the order of ``np.triu_indices``.
    """

    number: int
    agents: tuple[int, ...]
    chance: Floats
    predicted: Floats

    @cached_property
    def pairs(self) -> tuple[Ints, Ints]:
        """All pairs, as indices into `agents`."""
        return np.triu_indices(len(self.agents), 1)

    @cached_property
    def _up_to(self) -> Floats:
        """Cumulative probabilities of the pairs."""
        added = np.cumsum(self.chance)
        cumulative: Floats = added / added[-1]
        return cumulative

    def draw(self, count: int, rng: np.random.Generator) -> list[tuple[int, int]]:
        """Sample pairs of agents."""
        index = np.searchsorted(self._up_to, rng.random(count), side="right")
        a, b = (at[index].tolist() for at in self.pairs)
        return [(self.agents[i], self.agents[j]) for i, j in zip(a, b, strict=True)]


class Stages:
    """The stages of one arena that this process has read."""

    def __init__(self) -> None:
        self._designs: dict[int, Design] = {}
        self._counts: dict[int, tuple[int, Floats]] = {}  # by stage: the change counter, and the counts

    def of(self, db: sa.Connection, agents: tuple[int, ...]) -> list[Stage]:
        """Return the stages in which exactly these agents took part, with their outcomes."""
        designs = [one for one in self._known(db) if one.agents == agents]
        changes = {stage: n for stage, n in db.execute(_CHANGES)}
        counts = {one.number: self._counts.get(one.number, (0, _nothing(one))) for one in designs}
        stale = [one for one in designs if counts[one.number][0] != changes.get(one.number, 0)]
        for design, fresh in zip(stale, _read_counts(db, stale), strict=True):
            counts[design.number] = changes.get(design.number, 0), fresh
        self._counts = self._counts | counts
        return [Stage(*one.pairs, one.chance, one.predicted, *counts[one.number][1]) for one in designs]

    def present(self, db: sa.Connection, agents: tuple[int, ...]) -> Design | None:
        """Return the current stage, or None if a new one is due.

        A new one is due if enough battles were answered, or agents joined or left.
        """
        last = db.execute(_LAST).first()
        if last is None:
            return None
        design = self._designs.get(last.id) or self._known(db)[-1]
        due = last.began + stage_length(last.began, len(design.chance))
        return design if design.agents == agents and answered_in_all(db) < due else None

    def begin(self, db: sa.Connection, agents: tuple[int, ...], board: AnytimeBoard, goal: Goal, policy: str) -> Design:
        """Begin a stage: compute predictions and probabilities from the outcomes so far."""
        a, b = np.triu_indices(len(agents), 1)
        battles, total = _counts_so_far(db, agents)
        predicted = predictions(a, b, battles, total, len(agents))
        chance = chances(policy, a, b, predicted, battles, board, goal)
        number = 1 + (db.scalar(sa.select(sa.func.max(STAGE.c.id))) or ADDED)
        row = {"id": number, "agents": list(agents), "chance": chance, "predicted": predicted}
        db.execute(sa.insert(STAGE).values(**row, began=answered_in_all(db)))
        return Design(number, agents, chance, predicted)

    def _known(self, db: sa.Connection) -> list[Design]:
        """All stages, after reading new ones."""
        last = max(self._designs, default=ADDED)
        rows = db.execute(_SINCE, {"last": last}).all()
        designs = self._designs | {row.id: _stored_design(row) for row in rows}
        self._designs = designs
        return [designs[number] for number in sorted(designs)]


def _stored_design(row: Any) -> Design:
    """The design of a stage from its row."""
    agents: tuple[int, ...] = restored(tuple[int, ...], row.agents, f"the agents of stage {row.id}")
    numbers = (
        np.stack([row.chance, row.predicted]) if len(row.chance) == len(row.predicted) else np.full((1, 1), np.nan)
    )
    size = len(agents) * (len(agents) - 1) // 2
    if tuple(sorted({*agents})) != agents or numbers.shape[1] != size or not ((numbers >= 0) & (numbers <= 1)).all():
        raise DataError(f"stage {row.id} must have a probability of every pair of its agents; it has not. {DAMAGED}")
    return Design(row.id, agents, row.chance, row.predicted)


def stage_length(answered: int, n_pairs: int) -> int:
    """Return how many battles are answered in a stage that begins after `answered`.

    >>> stage_length(0, 3), stage_length(100_000, 3), stage_length(0, 124_750)
    (50, 5000, 6237)
    """
    return max(SHORTEST, n_pairs // PAIRS, math.ceil(SHARE * answered))


def answered_in_all(db: sa.Connection) -> int:
    """Return how many requested battles have been answered."""
    return int(db.scalar(_ANSWERED) or 0)


def _nothing(design: Design) -> Floats:
    return np.zeros((3, len(design.chance)))


def _read_counts(db: sa.Connection, designs: Sequence[Design]) -> list[Floats]:
    """Battles, totals and squares of all pairs of these stages."""
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
    """Battles and totals of every pair of these agents, over all stages and from elsewhere."""
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
    """Indices of pairs in the order of ``np.triu_indices``."""
    i, j = np.searchsorted(agents, a), np.searchsorted(agents, b)
    places: Ints = i * (2 * len(agents) - i - 1) // 2 + j - i - 1
    return places
