"""An evaluation that runs: ask which battle to play, tell what came of it, and look whenever you like."""

import math
import os
import secrets
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, TypeAlias, overload

import numpy as np
import sqlalchemy as sa

from beatpath._arrays import Floats, Ints
from beatpath._errors import DataError, UnknownLabel, UsageError
from beatpath._text import counted, listed, quoted, suggestion
from beatpath.arena.goal import Goal
from beatpath.arena.policy import chances, require_policy
from beatpath.arena.standing import Standing
from beatpath.arena.storage import AGENT, ARENA, BATTLE, CELL, STAGE, VERSION, Storage
from beatpath.evidence import Battles, Factor
from beatpath.evidence.arrays import agent_names
from beatpath.inference.anytime.anytime_board import AnytimeBoard, anytime_board
from beatpath.inference.anytime.stage import Stage

OUTCOMES = {"a": 1.0, "b": 0.0, "tie": 0.5, "both_bad": 0.5, "failed": None}
STAGE_LENGTH, STAGE_SHARE = 50, 0.05  # a stage ends after so many battles, or this share of all, whichever is more
PATIENCE = 3600.0  # seconds after which a battle that was not told is asked again
ADDED = 0  # the stage of battles that were not asked for here


@dataclass(frozen=True, slots=True)
class Battle:
    """A battle to be played.

    Parameters
    ----------
    key : str
        By which it is told.
    a, b : str
        The two agents.
    first : str
        Who is to be shown, or to move, first.
    prompt : str or None
        What to ask them, where prompts were given.
    """

    key: str
    a: str
    b: str
    first: str
    prompt: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"battle": self.key, "a": self.a, "b": self.b, "first": self.first, "prompt": self.prompt}


Told: TypeAlias = tuple[Battle | str, str | float] | tuple[Battle | str, str | float, str | None]


class Arena:
    """Battles that are asked for and told, by any number of workers, and what they have come to.

    Parameters
    ----------
    address : path or str
        A SQLite file, which is made if it is not there, or ``postgresql://...``.
    agents : sequence of str, optional
        Who takes part; needed to make an arena, left out to open one.
    goal : str
        "first", "top 3", "ranking" or "5 points apart".
    level : float
        Of everything that is called certain, at every look at once.
    policy : {"adaptive", "uniform", "a_optimal"}
        How pairs are drawn.
    prompts : sequence of str, optional
        Dealt evenly.
    patience : float
        Seconds after which a battle that was not told is asked again.
    seed : int, optional
        Of the pairs that are drawn; by default another in every process.

    Examples
    --------
    >>> arena = Arena(":memory:", agents=["ada", "bob", "cyd"], goal="first", seed=1)
    >>> battle = arena.ask()
    >>> arena.tell(battle, "a")
    >>> arena.board().battles, arena.done
    (1, False)
    """

    def __init__(
        self,
        address: str | os.PathLike[str],
        *,
        agents: Sequence[str] | None = None,
        goal: str | None = None,
        level: float | None = None,
        policy: str | None = None,
        prompts: Sequence[str] | None = None,
        patience: float | None = None,
        seed: int | None = None,
    ) -> None:
        path = os.fspath(address)
        if agents is None and "://" not in path and not os.path.exists(path):
            raise UsageError(
                f"an arena must be made with `agents` before it is opened; there is none at {quoted(path)}."
            )
        given = {"goal": goal, "level": level, "policy": policy, "prompts": prompts, "patience": patience}
        self._storage = Storage(path)
        self._rng = np.random.default_rng(seed)
        with self._storage.changing() as db:
            row = db.execute(sa.select(ARENA)).first()
            if row is None:
                self._settings = self._make(db, path, agents, given)
            else:
                self._settings = self._open(path, row, agents, given)

    @staticmethod
    def _make(db: sa.Connection, path: str, agents: Sequence[str] | None, given: Mapping[str, Any]) -> dict[str, Any]:
        if agents is None:
            raise UsageError(f"an arena must be made with `agents` before it is opened; {quoted(path)} holds none.")
        names = agent_names(agents)
        if len(names) < 2:
            raise UsageError(f"an arena needs at least two agents; got {counted(len(names), 'agent')}.")
        settings: dict[str, Any] = {
            "goal": "ranking",
            "level": 0.95,
            "policy": "adaptive",
            "prompts": None,
            "patience": PATIENCE,
        }
        settings |= {name: value for name, value in given.items() if value is not None}
        if settings["prompts"] is not None:
            settings["prompts"] = list(settings["prompts"])
        if not 0.5 <= float(settings["level"]) < 1:
            raise UsageError(f"`level` must be from 0.5 to below 1; got {settings['level']!r}.")
        require_policy(settings["policy"])
        Goal.of(settings["goal"], len(names))
        db.execute(sa.insert(ARENA).values(name="arena", version=VERSION, settings=settings))
        db.execute(sa.insert(AGENT), [{"id": k, "name": name, "retired": False} for k, name in enumerate(names)])
        return settings

    @staticmethod
    def _open(path: str, row: Any, agents: Sequence[str] | None, given: Mapping[str, Any]) -> dict[str, Any]:
        if row.version > VERSION:
            raise DataError(
                f"the arena {quoted(path)} is of version {row.version}, this beatpath reads up to {VERSION}. Upgrade beatpath."
            )
        settings = dict(row.settings)
        other = [name for name, value in given.items() if value is not None and settings[name] != value]
        if agents is not None or other:
            what = "agents" if agents is not None else other[0]
            raise UsageError(
                f"the arena {quoted(path)} is there already; it must be opened without `{what}`. Agents join by `join`; for "
                "another goal make another arena."
            )
        return settings

    @property
    def agents(self) -> tuple[str, ...]:
        """Agents that take part now."""
        with self._storage.reading() as db:
            return tuple(name for _, name, retired in self._roster(db) if not retired)

    @overload
    def ask(self, count: None = None) -> Battle: ...
    @overload
    def ask(self, count: int) -> list[Battle]: ...
    def ask(self, count: int | None = None) -> Battle | list[Battle]:
        """Return the next battle to play, or a list of `count`, drawn from what was told so far.

        Those that were not told in time come first.
        """
        wanted = 1 if count is None else count
        if wanted < 1:
            raise UsageError(f"`count` must be 1 or more; got {wanted}.")
        now = time.time()
        with self._storage.changing() as db:
            names = {number: name for number, name, _ in self._roster(db)}
            found = self._overdue(db, now, wanted)
            fresh = self._drawn(db, now, wanted - len(found)) if wanted > len(found) else []
        battles = [
            Battle(row["key"], names[row["a"]], names[row["b"]], names[row["first"]], row["prompt"])
            for row in found + fresh
        ]
        return battles[0] if count is None else battles

    def tell(self, battle: Battle | str, outcome: str | float, *, judge: str | None = None) -> None:
        """Record what came of a battle: "a", "b", "tie", "both_bad", or a number from 0 to 1 for *a*.

        Telling the same twice counts once; telling another outcome is refused. "failed" gives the battle back unplayed, so
        that it is asked again at once.
        """
        self.tell_many([(battle, outcome)], judge=judge)

    def tell_many(self, told: Iterable[Told], *, judge: str | None = None) -> None:
        """Record many battles at once, all or none: ``(battle, outcome)``, or ``(battle, outcome, judge)`` each with its own."""
        rows = [_row(*one, judge=judge) for one in told]
        now = time.time()
        with self._storage.changing() as db:
            keys = [key for key, *_ in rows]
            known = {
                row.key: row
                for part in _parts(keys)
                for row in db.execute(sa.select(BATTLE).where(BATTLE.c.key.in_(part)))
            }
            retired = {number: name for number, name, gone in self._roster(db) if gone}
            news: dict[str, tuple[float | None, bool, str | None]] = {}
            for key, *came in rows:
                self._require_new(known, retired, news, key, tuple(came))
            failed = [key for key, (value, *_) in news.items() if value is None]
            fresh = [key for key in news if known[key].told is None and news[key][0] is not None]
            if failed:
                db.execute(
                    sa.update(BATTLE).where(BATTLE.c.key == sa.bindparam("failed_key")).values(asked=0.0),
                    [{"failed_key": key} for key in failed],
                )
            if fresh:
                db.execute(
                    sa.update(BATTLE).where(BATTLE.c.key == sa.bindparam("told_key")),
                    [
                        {
                            "told_key": key,
                            "told": now,
                            "outcome": news[key][0],
                            "both_bad": news[key][1],
                            "judge": news[key][2],
                        }
                        for key in fresh
                    ],
                )
                _count(
                    db,
                    self._storage.sqlite,
                    [(known[key].stage, known[key].a, known[key].b, float(news[key][0] or 0)) for key in fresh],
                )

    @staticmethod
    def _require_new(
        known: Mapping[str, Any],
        retired: Mapping[int, str],
        news: dict[str, tuple[float | None, bool, str | None]],
        key: str,
        came: Any,
    ) -> None:
        """Refuse what was never asked for, what contradicts, and what is of an agent that is gone."""
        if key not in known:
            raise DataError(
                f"a battle must be asked for before it is told; {quoted(key)} was not. `add` takes battles from elsewhere."
            )
        row = known[key]
        before = (row.outcome, row.both_bad, row.judge) if row.told is not None else news.get(key)
        if before is not None and before[:2] != came[:2]:
            raise DataError(f"battle {quoted(key)} was told already, with another outcome; it stays as it was.")
        if before is not None and before != came:
            raise DataError(f"battle {quoted(key)} was told already, by another judge; ask for a battle for each.")
        gone = [retired[number] for number in (row.a, row.b) if number in retired]
        if before is None and gone:
            raise DataError(
                f"a battle must be of agents that take part; {quoted(key)} is of {quoted(gone[0])}, who retired. `join` lets "
                "an agent in again."
            )
        news[key] = came

    def add(self, rows: Iterable[tuple[str, str, str | float]], *, judge: str | None = None) -> int:
        """Record battles that were not asked for here: ``(agent a, agent b, outcome)``; return how many.

        They inform predictions, and so who plays next; what is called certain rests on battles that were asked for.
        """
        now = time.time()
        with self._storage.changing() as db:
            number = {name: k for k, name, _ in self._roster(db)}
            made, cells = [], []
            for a, b, came in rows:
                i, j = (_known(number, name) for name in (a, b))
                if i == j:
                    raise DataError(f"a battle must be between two agents; got {quoted(a)} twice.")
                value, bad = _outcome(came)
                if value is None:
                    raise DataError(
                        f"a battle from elsewhere must have an outcome; that of {quoted(a)} and {quoted(b)} failed."
                    )
                i, j, value = (i, j, value) if i < j else (j, i, 1 - value)
                made.append(
                    {
                        "key": f"added-{secrets.token_hex(8)}",
                        "stage": ADDED,
                        "a": i,
                        "b": j,
                        "first": None,
                        "prompt": None,
                    }
                    | {"judge": judge, "asked": now, "told": now, "outcome": value, "both_bad": bad}
                )
                cells.append((ADDED, i, j, value))
            if made:
                db.execute(sa.insert(BATTLE), made)
                _count(db, self._storage.sqlite, cells)
        return len(made)

    def join(self, agent: str) -> None:
        """Let an agent take part from now on; a new board begins, of what is asked from now on."""
        with self._storage.changing() as db:
            roster = self._roster(db)
            names = agent_names([*(name for _, name, _ in roster if name != agent), agent])
            if any(name == agent and not retired for _, name, retired in roster):
                raise UsageError(f"{quoted(agent)} takes part already.")
            if any(name == agent for _, name, _ in roster):
                db.execute(sa.update(AGENT).where(AGENT.c.name == agent).values(retired=False))
            else:
                db.execute(sa.insert(AGENT).values(id=len(roster), name=names[-1], retired=False))

    def retire(self, agent: str) -> None:
        """Let an agent take part no longer; its battles are kept, and a new board begins."""
        with self._storage.changing() as db:
            roster = self._roster(db)
            _known({name: k for k, name, retired in roster if not retired}, agent)
            left = sum(not retired for *_, retired in roster) - 1
            if left < 2:
                raise UsageError(f"an arena needs at least two agents; without {quoted(agent)} one is left.")
            Goal.of(self._settings["goal"], left)
            db.execute(sa.update(AGENT).where(AGENT.c.name == agent).values(retired=True))

    def board(self) -> AnytimeBoard:
        """Return scores and who is certainly above whom, valid whenever one looks."""
        with self._storage.reading() as db:
            return self._board(db, self._roster(db))

    def resolve(self) -> Standing:
        """Return the board held against the goal: whether it is settled and by whom, or what is missing."""
        with self._storage.reading() as db:
            board = self._board(db, self._roster(db))
            out = db.scalar(sa.select(sa.func.count()).select_from(BATTLE).where(BATTLE.c.told.is_(None)))
        return Standing.of(board, self._goal(board), int(out or 0))

    @property
    def done(self) -> bool:
        """Whether the goal is settled."""
        return self.resolve().done

    @property
    def reason(self) -> str:
        """Whether the goal is settled and by whom, or what is missing, in a sentence."""
        return self.resolve().reason

    def status(self) -> dict[str, Any]:
        """Return where the arena stands, as plain data."""
        return self.resolve().to_dict()

    def evidence(self) -> Battles:
        """Return all battles that were told, as `bp.read` would."""
        with self._storage.reading() as db:
            names = tuple(name for _, name, _ in self._roster(db))
            rows = db.execute(
                sa.select(
                    BATTLE.c.a, BATTLE.c.b, BATTLE.c.outcome, BATTLE.c.both_bad, BATTLE.c.first, BATTLE.c.told, BATTLE.c.prompt,
                    BATTLE.c.judge,
                ).where(BATTLE.c.told.is_not(None)).order_by(BATTLE.c.id)
            ).all()  # fmt: skip
        a, b, outcome, bad, first, told, prompt, judge = zip(*rows, strict=True) if rows else ((),) * 8
        position = [0 if f is None else 1 if f == i else -1 for f, i in zip(first, a, strict=True)]
        factors = {
            name: Factor.of(column)
            for name, column in (("prompt", prompt), ("judge", judge))
            if any(x is not None for x in column)
        }
        return Battles(
            names,
            np.array(a, dtype=np.int32),
            np.array(b, dtype=np.int32),
            np.array(outcome, dtype=np.float64),
            both_bad=np.array(bad, dtype=bool),
            position=np.array(position, dtype=np.int8),
            time=np.array(told, dtype=np.float64),
            factors=factors,
        )

    def close(self) -> None:
        """Let go of the storage."""
        self._storage.close()

    def _goal(self, board: AnytimeBoard) -> Goal:
        return Goal.of(self._settings["goal"], len(board.agents))

    @staticmethod
    def _roster(db: sa.Connection) -> list[tuple[int, str, bool]]:
        return [
            tuple(row) for row in db.execute(sa.select(AGENT.c.id, AGENT.c.name, AGENT.c.retired).order_by(AGENT.c.id))
        ]

    def _board(self, db: sa.Connection, roster: list[tuple[int, str, bool]]) -> AnytimeBoard:
        """Of the stages in which exactly these agents took part."""
        active = [number for number, _, retired in roster if not retired]
        names = tuple(name for _, name, retired in roster if not retired)
        a, b = np.triu_indices(len(active), 1)
        at = {
            pair: k
            for k, pair in enumerate(zip(np.array(active)[a].tolist(), np.array(active)[b].tolist(), strict=True))
        }
        stages = db.execute(sa.select(STAGE)).all()
        told = {row.id: np.zeros((3, len(a))) for row in stages}
        for row in db.execute(sa.select(CELL).where(CELL.c.stage != ADDED, CELL.c.battles > 0)):
            if (row.a, row.b) in at and row.stage in told:
                told[row.stage][:, at[row.a, row.b]] = row.battles, row.total, row.squares
        kept = [
            Stage(a, b, np.array(row.chance), np.array(row.predicted), *told[row.id])
            for row in stages
            if row.agents == active
        ]
        return anytime_board(names, kept, level=self._settings["level"])

    def _overdue(self, db: sa.Connection, now: float, wanted: int) -> list[dict[str, Any]]:
        """Battles that are out for too long, taken out again."""
        retired = [number for number, _, gone in self._roster(db) if gone]
        late = BATTLE.c.told.is_(None) & (BATTLE.c.asked < now - self._settings["patience"])
        late &= BATTLE.c.a.not_in(retired) & BATTLE.c.b.not_in(retired)
        found = [
            dict(row._mapping) for row in db.execute(sa.select(BATTLE).where(late).order_by(BATTLE.c.id).limit(wanted))
        ]
        if found:
            db.execute(sa.update(BATTLE).where(BATTLE.c.id.in_([row["id"] for row in found])).values(asked=now))
        return found

    def _drawn(self, db: sa.Connection, now: float, wanted: int) -> list[dict[str, Any]]:
        """Battles drawn by the chances of the present stage."""
        stage, active, chance = self._stage(db)
        a, b = np.triu_indices(len(active), 1)
        pairs = self._rng.choice(len(a), size=wanted, p=chance)
        asked = self._asked(db)
        prompts = self._settings["prompts"]
        number = db.scalar(sa.select(sa.func.max(BATTLE.c.id))) or 0
        made = []
        for k, pair in enumerate(pairs.tolist()):
            i, j = active[a[pair]], active[b[pair]]
            shown, i_first = asked.get((i, j), (0, 0))
            first = i if 2 * i_first < shown or (2 * i_first == shown and self._rng.random() < 0.5) else j
            asked[i, j] = shown + 1, i_first + (first == i)
            made.append(
                {
                    "key": secrets.token_hex(8),
                    "stage": stage,
                    "a": i,
                    "b": j,
                    "first": first,
                    "asked": now,
                    "both_bad": False,
                }
                | {"prompt": None if prompts is None else prompts[(number + k) % len(prompts)]}
            )
        db.execute(sa.insert(BATTLE), made)
        _note_asked(db, self._storage.sqlite, made)
        return made

    def _stage(self, db: sa.Connection) -> tuple[int, list[int], Floats]:
        """The present stage; a new one where enough was told since it began, or agents came or went."""
        roster = self._roster(db)
        active = [number for number, _, retired in roster if not retired]
        row = db.execute(sa.select(STAGE).order_by(STAGE.c.id.desc()).limit(1)).first()
        told = int(db.scalar(sa.select(sa.func.sum(CELL.c.battles)).where(CELL.c.stage != ADDED)) or 0)
        length = max(STAGE_LENGTH, math.ceil(STAGE_SHARE * told))
        if row is not None and row.agents == active and told - row.began < length:
            return row.id, active, np.array(row.chance)
        board = self._board(db, roster)
        a, b = np.triu_indices(len(active), 1)
        predicted = self._predicted(db, active, a, b)
        chance = chances(self._settings["policy"], a, b, predicted, self._goal(board).open_pairs(board))
        number = 1 if row is None else row.id + 1
        db.execute(
            sa.insert(STAGE).values(
                id=number, agents=active, chance=chance.tolist(), predicted=predicted.tolist(), began=told
            )
        )
        return number, active, chance

    @staticmethod
    def _predicted(db: sa.Connection, active: list[int], a: Ints, b: Ints) -> Floats:
        """The win rate of every pair from all battles so far, those of elsewhere too, drawn towards a half."""
        summed = sa.select(CELL.c.a, CELL.c.b, sa.func.sum(CELL.c.battles), sa.func.sum(CELL.c.total)).group_by(
            CELL.c.a, CELL.c.b
        )
        seen = {(i, j): (n, total) for i, j, n, total in db.execute(summed)}
        counts = np.array([seen.get((active[i], active[j]), (0.0, 0.0)) for i, j in zip(a, b, strict=True)]).reshape(
            -1, 2
        )
        found: Floats = (counts[:, 1] + 1) / (counts[:, 0] + 2)
        return found

    @staticmethod
    def _asked(db: sa.Connection) -> dict[tuple[int, int], tuple[int, int]]:
        """How often each pair was asked for, and how often its first agent was to be shown first."""
        summed = sa.select(CELL.c.a, CELL.c.b, sa.func.sum(CELL.c.asked), sa.func.sum(CELL.c.a_first)).group_by(
            CELL.c.a, CELL.c.b
        )
        return {(i, j): (int(n), int(first)) for i, j, n, first in db.execute(summed)}


def _row(battle: Battle | str, outcome: str | float, own: str | None = None, *, judge: str | None) -> Any:
    """A telling as key, value, whether both were bad, and judge."""
    return battle.key if isinstance(battle, Battle) else battle, *_outcome(outcome), judge if own is None else own


def _outcome(came: str | float) -> tuple[float | None, bool]:
    """The outcome for *a*, none where the battle failed, and whether both were bad."""
    if isinstance(came, str) and came in OUTCOMES:
        return OUTCOMES[came], came == "both_bad"
    if isinstance(came, Real) and not isinstance(came, bool) and 0 <= float(came) <= 1:
        return float(came), False
    raise UnknownLabel(
        f"an outcome must be one of {listed(list(OUTCOMES))} or a number from 0 to 1; got {quoted(came)}."
    )


def _known(number: Mapping[str, int], agent: str) -> int:
    if agent not in number:
        raise UnknownLabel(
            f"{quoted(agent)} must be an agent of the arena.{suggestion(agent, number)} `join` lets one in."
        )
    return number[agent]


def _parts(keys: list[str], size: int = 500) -> list[list[str]]:
    return [keys[k : k + size] for k in range(0, len(keys), size)]


def _count(db: sa.Connection, sqlite: bool, told: list[tuple[int, int, int, float]]) -> None:
    """Add outcomes to the counts of their stages and pairs."""
    sums: dict[tuple[int, int, int], list[float]] = {}
    for stage, a, b, outcome in told:
        cell = sums.setdefault((stage, a, b), [0.0, 0.0, 0.0])
        cell[0], cell[1], cell[2] = cell[0] + 1, cell[1] + outcome, cell[2] + outcome**2
    _grow_cells(db, sqlite, [(*key, *cell, 0, 0) for key, cell in sums.items()])


def _note_asked(db: sa.Connection, sqlite: bool, made: list[dict[str, Any]]) -> None:
    """Add battles that go out to the counts of their stages and pairs."""
    sums: dict[tuple[int, int, int], list[int]] = {}
    for row in made:
        cell = sums.setdefault((row["stage"], row["a"], row["b"]), [0, 0])
        cell[0], cell[1] = cell[0] + 1, cell[1] + (row["first"] == row["a"])
    _grow_cells(db, sqlite, [(*key, 0.0, 0.0, 0.0, *cell) for key, cell in sums.items()])


def _grow_cells(db: sa.Connection, sqlite: bool, cells: list[tuple[Any, ...]]) -> None:
    from sqlalchemy.dialects import postgresql
    from sqlalchemy.dialects import sqlite as lite

    names = ("stage", "a", "b", "battles", "total", "squares", "asked", "a_first")
    insert: Any = (lite if sqlite else postgresql).insert(CELL)
    grown = {name: CELL.c[name] + insert.excluded[name] for name in names[3:]}
    upsert = insert.on_conflict_do_update(index_elements=list(names[:3]), set_=grown)
    db.execute(upsert, [dict(zip(names, cell, strict=True)) for cell in cells])
