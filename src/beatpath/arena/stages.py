"""Stages of an arena: periods with constant sampling probabilities and predictions, and their counts.

A stage is read once; its counts are read again only if they changed. So a board after a million battles and a
thousand more reads only what the thousand changed.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
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
from beatpath.arena.storage import ADDED, BATTLE, CELL, JSON, OUT, STAGE, TALLY, TEXT
from beatpath.data.formats.arena_file import DAMAGED
from beatpath.inference.anytime.anytime_board import AnytimeBoard
from beatpath.inference.anytime.stage import Stage, Sums, predictions

SHORTEST = 50  # minimum number of battles of a stage
PAIRS = 20  # or one battle for so many pairs
SHARE = 0.05  # or this share of all earlier battles, whichever is largest
UNKNOWN = 0.05  # most pending battles, relative to those answered, among those that predictions rest on
FIRST = 0.9  # share of the error of the first set of agents; later ones share the rest
# Statements: pending battles, the newest battle; the last stage, later stages, answered battles,
# changes per stage, and cells of stages.
_PENDING = sa.select(*(BATTLE.c[name] for name in ("id", "stage", "a", "b"))).where(OUT)
_NEWEST = sa.select(sa.func.max(BATTLE.c.id))
_LAST = sa.select(STAGE.c.id, STAGE.c.began).order_by(STAGE.c.id.desc()).limit(1)
_SINCE = sa.select(STAGE).where(STAGE.c.id > sa.bindparam("last")).order_by(STAGE.c.id)
_ANSWERED = sa.select(sa.func.sum(TALLY.c.answered)).where(TALLY.c.stage != ADDED)
_CHANGES = sa.select(TALLY.c.stage, TALLY.c.changes)
_CELLS = sa.select(CELL).where(CELL.c.stage.in_(sa.bindparam("stages", expanding=True))).order_by(CELL.c.stage)


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
        return added / added[-1]

    def draw(self, count: int, rng: np.random.Generator) -> list[tuple[int, int]]:
        """Sample pairs of agents."""
        index = np.searchsorted(self._up_to, rng.random(count), side="right")
        a, b = (at[index].tolist() for at in self.pairs)
        return [(self.agents[i], self.agents[j]) for i, j in zip(a, b, strict=True)]


@dataclass(frozen=True, eq=False)
class Counted:
    """The stages of an arena with the outcomes that count.

    Parameters
    ----------
    stages : list of (Design, Stage)
        How the battles of each were sampled, and their outcomes.
    pending : int
        Battles without an outcome, of agents that take part.
    waiting : int
        Battles answered that do not count yet, since an older one is pending.
    """

    stages: list[tuple[Design, Stage]]
    pending: int
    waiting: int

    @property
    def battles(self) -> int:
        """Battles that count."""
        return int(sum(stage.battles.sum() - np.sum(stage.unknown) for _, stage in self.stages))

    def among(self, agents: tuple[int, ...]) -> Iterable[Stage]:
        """Return the stages in which all of these agents took part, as stages of these agents."""
        for design, stage in self.stages:
            if design.agents == agents:
                yield stage
            elif set(agents) <= set(design.agents):
                yield stage.among([design.agents.index(one) for one in agents])


def first_to_wait_for(pending: Sequence[int], newest: int, most: float = np.inf) -> int:
    """Return the number of the pending battle before which battles count, or one more than the newest.

    Battles count in the order of their requests: if outcomes decide how soon they are answered, only those up to a pending
    battle are an unbiased sample. A pending battle that is passed over may have any outcome, which widens bounds by about
    one over the number of battles. Any choice is valid. This one has the narrowest bounds, roughly: of about three
    standard errors, and what the passed-over battles could change. Of those answered, at most the share `most` may be
    passed over.

    Examples
    --------
    >>> first_to_wait_for([990, 995], 1000), first_to_wait_for([5, 990], 1000), first_to_wait_for([5], 1000)
    (990, 990, 1001)
    """
    ends = np.array([*pending, newest + 1])
    passed = np.arange(len(ends))
    counted = np.maximum(ends - 1 - passed, 1)
    cost = 3 / np.sqrt(counted) + passed / counted
    return int(ends[np.argmin(np.where(passed <= most * counted, cost, np.inf))])


def rosters(history: Iterable[tuple[int, ...]]) -> dict[tuple[int, ...], float]:
    r"""Return every set of agents that took part, one after the other, with its share of the error.

    Every set of agents has its own scores, and its own board from all battles in which all of them took part. The first
    one has most of the error, the one after the *m*-th change :math:`0.1 / (m (m + 1))`; the sum is at most one, so
    that all boards hold simultaneously. If agents retired, the outcomes so far may have been the reason: the share is
    divided among all sets of as many agents that could have retired, and by two for each of them, since it could have been
    fewer or more.

    Examples
    --------
    >>> [round(share, 4) for share in rosters([(0, 1, 2), (0, 1, 2, 3), (0, 1, 3)]).values()]
    [0.9, 0.05, 0.0021]
    """
    shares: dict[tuple[int, ...], float] = {}
    before, changes, choices = None, 0, 1
    for agents in history:
        if before is not None and agents != before:
            changes += 1
            gone = len(set(before) - set(agents))
            choices *= 2**gone * math.comb(len(before), gone)
        share = FIRST if not changes else (1 - FIRST) / (changes * (changes + 1))
        shares.setdefault(agents, share / choices)
        before = agents
    return shares


class Stages:
    """The stages of one arena that this process has read."""

    def __init__(self) -> None:
        self._designs: dict[int, Design] = {}
        self._whole: dict[int, tuple[int, Stage]] = {}  # by stage: the change counter, and all outcomes
        self._sums: dict[tuple[int, ...], tuple[list[Stage], Sums]] = {}  # by agents: sums over their first stages

    def of(
        self,
        db: sa.Connection,
        agents: tuple[int, ...],
        chosen: "sa.ColumnElement[Any] | None" = None,
        unknown: float = np.inf,
    ) -> "Counted":
        """Return all stages with the outcomes that count while these agents take part: all, or those `chosen` (see `choice`).

        At most the share `unknown` of them may be pending; see `first_to_wait_for`.
        """
        designs, changes = self._known(db), {stage: n for stage, n in db.execute(_CHANGES)}
        current = {number: one for number, one in self._whole.items() if one[0] == changes.get(number, 0)}
        stale = [one for one in designs if one.number not in current]
        for design, counts in zip(stale, _by_stage(stale, _cells(db, stale)), strict=True):
            stage = Stage(*design.pairs, design.chance, design.predicted, *counts)
            current[design.number] = changes.get(design.number, 0), stage
        self._whole = current
        pending = db.execute(_PENDING).all()
        held = sorted(one.id for one in pending if {one.a, one.b} <= set(agents))
        first = first_to_wait_for(held, db.scalar(_NEWEST) or 0, unknown)
        after, chances = np.zeros((0, 6)), {}
        if chosen is not None:
            after = _numbers(db.execute(_left_out(sa.case((BATTLE.c.id <= first, chosen)))), 6)
            chances = _chances_of_chosen(db, designs, chosen, first)
        elif held:
            after = _numbers(db.execute(_left_out(sa.null()).where(BATTLE.c.id > first)), 6)
        late = [(one.stage, one.a, one.b, 1.0, 0.0, 0.0) for one in pending if one.id < first]
        partial = [one for one in designs if one.number in {*after[:, 0], *(row[0] for row in late)}]
        later, lacking = (_by_stage(partial, np.array(sorted(rows)).reshape(-1, 6)) for rows in (after.tolist(), late))
        stages = {number: stage for number, (_, stage) in current.items()}
        for one, (battles, total, squares), lost in zip(partial, later, lacking, strict=True):
            whole = stages[one.number]
            stage = replace(whole, battles=whole.battles - battles, total=whole.total - total)
            stages[one.number] = replace(stage, squares=whole.squares - squares).with_unknown(lost[0])
        stages |= {number: replace(stages[number], chance=chance) for number, chance in chances.items()}
        return Counted([(one, stages[one.number]) for one in designs], len(held), int(after[:, 3].sum()))

    def sums(self, counted: Counted, agents: tuple[int, ...], best: int = 0, *, reuse: bool = True) -> Sums:
        """Return the sums over the stages of these agents; with `reuse` those over stages that did not change since are reused.

        The last two are added anew every time: battles of the one before the last may still be pending. With 500 agents
        and 200,000 battles a board takes a fifth of the time.
        """
        stages = list(counted.among(agents))
        none = Sums.none(len(agents), best)
        done, sums = self._sums.get(agents, ([], none)) if reuse else ([], none)
        if len(done) > len(stages[:-2]) or any(one is not other for one, other in zip(done, stages, strict=False)):
            done, sums = [], none
        for stage in stages[len(done) : -2]:
            sums = sums.plus(stage)
        if reuse:
            self._sums = {**self._sums, agents: (stages[:-2], sums)}
        for stage in stages[-2:]:
            sums = sums.plus(stage)
        return sums

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
        battles, total = _counts_so_far(db, agents, self.of(db, agents, unknown=UNKNOWN))
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


def choice(
    judges: Sequence[str] | None, prompts: Sequence[str] | None, without: Sequence[str], style: Mapping[str, float]
) -> "sa.ColumnElement[Any]":
    """Return the outcome of a battle by these judges on these prompts with alike styles; null if it has none.

    Of several judges of one battle, the mean of those named counts; a battle that one of `without` judged does not. Nor does one whose
    answers differ by more in a `style`, or are not known to be alike.
    """
    outcome: sa.ColumnElement[Any] = BATTLE.c.outcome
    if judges is not None:
        parts = [by_judge(name) for name in judges]
        number = sum((sa.case((one.is_not(None), 1), else_=0) for one in parts), sa.literal(0))
        mean = sum((sa.func.coalesce(one, 0.0) for one in parts), sa.literal(0.0)) / sa.func.nullif(number, 0)
        outcome = sa.case((BATTLE.c.judge.in_(judges), outcome), else_=mean)
    gone = [sa.false(), BATTLE.c.judge.in_(without), *(by_judge(name).is_not(None) for name in without)]
    gone += [] if prompts is None else [BATTLE.c.prompt.is_(None), BATTLE.c.prompt.not_in(prompts)]
    apart = {name: sa.func.coalesce(sa.func.abs(by_style(name)), np.inf) for name in style}
    gone += [apart[name] > most for name, most in style.items()]
    return sa.case((sa.or_(*gone), None), else_=outcome)


def by_judge(name: str) -> "sa.ColumnElement[Any]":
    """Return the outcome of a battle by one of several judges, or by a criterion."""
    return _part(name, lambda second: second.is_not(None))


def by_style(name: str) -> "sa.ColumnElement[Any]":
    """Return the difference in style of the two answers of a battle."""
    return _part(name, lambda second: second.is_(None))


def _part(name: str, kind: "Callable[[Any], sa.ColumnElement[bool]]") -> "sa.ColumnElement[Any]":
    """Return the number under a name in the column `criteria`, if the one after it is of this kind.

    The name is compared as a key, since no path of SQLite finds one with quotation marks or letters beyond ASCII.
    """
    part = sa.func.json_each(BATTLE.c.criteria).table_valued(sa.column("key", TEXT), sa.column("value", JSON))
    number = sa.select(part.c.value[0].as_float()).where(part.c.key == name, kind(part.c.value[1].as_string()))
    return number.correlate(BATTLE).scalar_subquery()


def _chances_of_chosen(
    db: sa.Connection, designs: Sequence[Design], chosen: "sa.ColumnElement[Any]", first: int
) -> dict[int, Floats]:
    """Return the probability of every pair in the battles that are chosen, by stage.

    A judge may judge some pairs rarely, and answers of some pairs are seldom alike: the share of a pair's battles that are chosen makes
    its probability smaller. It is estimated with one battle more, at the share of all, so that no probability is zero.
    """
    if not designs:
        return {}
    size = 1 + max(max(one.agents) for one in designs)
    at, counts = (BATTLE.c.a, BATTLE.c.b), (sa.func.count(), sa.func.count(chosen))
    used = BATTLE.c.answered.is_not(None), BATTLE.c.stage != ADDED, BATTLE.c.id <= first
    rows = _numbers(db.execute(sa.select(*at, *counts).where(*used).group_by(*at)), 4)
    battles, own = np.zeros((2, size, size))
    a, b = rows[:, :2].astype(int).T
    battles[a, b], own[a, b] = rows[:, 2:].T
    share = (own + own.sum() / max(battles.sum(), 1)) / (battles + 1)
    chances = {}
    for design in designs:
        i, j = (np.array(design.agents)[at] for at in design.pairs)
        weighted = design.chance * share[i, j]
        chances[design.number] = weighted / weighted.sum() if weighted.any() else design.chance
    return chances


def _left_out(counted: "sa.ColumnElement[Any]") -> "sa.Select[Any]":
    """Select, by stage and pair, how many battles do not count, and by how much totals and squares exceed those counted."""
    own, value = BATTLE.c.outcome, sa.func.coalesce(counted, 0.0)
    lost = sa.func.count() - sa.func.count(counted), sa.func.sum(own - value), sa.func.sum(own * own - value * value)
    at = BATTLE.c.stage, BATTLE.c.a, BATTLE.c.b
    return sa.select(*at, *lost).where(BATTLE.c.answered.is_not(None), BATTLE.c.stage != ADDED).group_by(*at)


def _stored_design(row: Any) -> Design:
    """The design of a stage from its row."""
    agents: tuple[int, ...] = restored(tuple[int, ...], row.agents, f"the agents of stage {row.id}")
    numbers, size = np.concatenate([row.chance, row.predicted]), len(agents) * (len(agents) - 1) // 2
    sound = len(row.chance) == len(row.predicted) == size and ((numbers >= 0) & (numbers <= 1)).all()
    if tuple(sorted({*agents})) != agents or not sound:
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


def _cells(db: sa.Connection, designs: Sequence[Design]) -> Floats:
    """Stage, pair, battles, totals and squares of all pairs of these stages."""
    return _numbers(db.execute(_CELLS, {"stages": [one.number for one in designs]}), 6) if designs else np.zeros((0, 6))


def _by_stage(designs: Sequence[Design], rows: Floats) -> list[Floats]:
    """Battles, totals and squares of all pairs of these stages, from rows sorted by stage."""
    numbers = [one.number for one in designs]
    begin, end = np.searchsorted(rows[:, 0], numbers), np.searchsorted(rows[:, 0], numbers, side="right")
    out = []
    for design, i, j in zip(designs, begin, end, strict=True):
        counts = np.zeros((len(design.chance), 3))
        np.add.at(counts, places(design.agents, rows[i:j, 1], rows[i:j, 2]), rows[i:j, 3:])
        out.append(np.ascontiguousarray(counts.T))
    return out


def _counts_so_far(db: sa.Connection, agents: tuple[int, ...], counted: Counted) -> tuple[Floats, Floats]:
    """Battles and totals of every pair of these agents, over all outcomes that count and those from elsewhere.

    Outcomes that do not count yet would bias predictions, if delays depend on outcomes: all known ones may be wins. Variances
    around such predictions are too small until the losses come. So few of the battles may be pending.
    """
    totals = np.zeros((2, len(agents) * (len(agents) - 1) // 2))
    added = _numbers(db.execute(_CELLS, {"stages": [ADDED]}), 6).T
    parts = [(added[1], added[2], added[3:5])]
    for design, stage in counted.stages:
        numbers = np.array(design.agents, dtype=float)
        known = np.array([stage.battles - stage.unknown, stage.total - stage.unknown / 2])
        parts.append((numbers[stage.a], numbers[stage.b], known))
    for a, b, values in parts:
        own = np.isin(a, agents) & np.isin(b, agents)
        totals[:, places(agents, a[own], b[own])] += values[:, own]
    return totals[0], totals[1]


def _numbers(result: Any, columns: int) -> Floats:
    """Rows of numbers as an array."""
    rows = result.cursor.fetchall()
    return np.fromiter(chain.from_iterable(rows), dtype=float, count=columns * len(rows)).reshape(-1, columns)


def places(agents: tuple[int, ...], a: Floats | Ints, b: Floats | Ints) -> Ints:
    """Return indices of pairs in the order of ``np.triu_indices``."""
    i, j = np.searchsorted(agents, a), np.searchsorted(agents, b)
    return i * (2 * len(agents) - i - 1) // 2 + j - i - 1
