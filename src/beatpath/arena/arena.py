"""`Arena`: a live evaluation. Ask which battle to play, tell its outcome, and look at the board at any time."""

import os
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from numbers import Real
from typing import Any, Self, overload

import numpy as np
import sqlalchemy as sa

from beatpath._arrays import Bools, Floats
from beatpath._battle import Battle
from beatpath._errors import BeatpathError, DataError, UnknownLabel, UsageError
from beatpath._text import counted, listed, quoted, shown, suggestion
from beatpath._validate import require_whole
from beatpath.arena.battles import (
    Added,
    Answer,
    AnswerRow,
    Outcome,
    Outcomes,
    Prompts,
    add,
    known_agent,
    overdue,
    prompts_by_category,
    remember,
    requested_before,
    require_known,
    require_styles,
    sample_battles,
    styles_of,
    tell,
    text_or_none,
)
from beatpath.arena.damage import require_sound
from beatpath.arena.policy import require_policy
from beatpath.arena.stages import Design, Stages, choice, rosters
from beatpath.arena.standing import Goal, Standing
from beatpath.arena.storage import (
    AGENT,
    ARENA,
    BATTLE,
    CLAIM,
    DIRECT,
    MEMORY,
    META,
    VERSION,
    WITHDRAWN,
    Answered,
    BatchedCalls,
    Storage,
    StorageUnavailable,
)
from beatpath.arena.voters import Voters, price_of_first, voter_agreement, voter_rows
from beatpath.data.formats.arena_file import COLUMNS, DAMAGED, arena_battles, undamaged
from beatpath.evidence import Battles
from beatpath.evidence.arrays import agent_names
from beatpath.inference.anytime.anytime_board import AnytimeBoard, board_of, combined

MOST_REQUESTED = 1_000_000  # battles of one request
# options of a new arena
DEFAULTS: dict[str, Any] = {"goal": "ranking", "level": 0.95, "policy": "adaptive", "prompts": None, "patience": 3600.0}
# Options that are numbers, with the least, what they stay below, and both in words.
NUMBERS = (
    ("level", 0.5, 1.0, "from 0.5 to below 1"),
    ("patience", 0.0, np.inf, "a finite number of seconds, 0 or more"),
)
# Queries: the agents, and new statements.
_ROSTER = sa.select(AGENT.c.id, AGENT.c.name, AGENT.c.retired).order_by(AGENT.c.id)
_CLAIMS = sa.select(CLAIM).where(CLAIM.c.id > sa.bindparam("last")).order_by(CLAIM.c.id)
# What it costs to change a setting.
COSTS = {
    "goal": "The error was reserved for the goal {own}: the new one is judged by the board of all pairs, which takes about {price} times the "
    "battles of an arena made for it. All that is certain holds together with the first goal.",
    "own goal": "The arena was made for this goal: it costs nothing to return to it.",
    "higher level": "Orders that were certain at the lower level are listed again once they are certain at the new one. A level holds if it "
    "was not chosen because of the outcomes.",
    "lower level": "Everything holds at the lower level from now on, also what was certain at the higher one. A level holds if it was not "
    "chosen because of the outcomes.",
    "prompts": "Win rates are means over all prompts that were asked, old and new, as often as each was. What was certain is about the "
    "prompts until then.",
    "policy": "Pairs are drawn by the new policy from the next stage on; nothing that is certain changes.",
    "patience": "Battles that wait longer are requested again from now on; nothing that is certain changes.",
}
NO_STYLE = (np.nan, None)  # of a battle for which a style was not told
SALT = 0xBEA7  # added to a seed, so that a judge with the same seed is independent of the sampled pairs


class NoArena(UsageError):
    """An address at which there is no arena yet."""


class Arena:
    """A live evaluation in a database.

    Any number of workers request and answer battles; the board is valid at all times.

    Parameters
    ----------
    address : path or str
        A SQLite file, created if it does not exist, or ``postgresql://...``.
    agents : sequence of str, optional
        The agents; required to create an arena. An existing arena with the same agents is opened.
    goal : str
        "first", "top 3", "ranking", "core", "5 points apart", or the order of two agents, "ada > bob".
    level : float
        Confidence level of everything that is called certain, valid simultaneously at all times.
    policy : {"adaptive", "uniform", "a_optimal"}
        How pairs are sampled.
    prompts : sequence of str or mapping, optional
        Prompts, assigned evenly; or a mapping of categories to prompts.
    patience : float
        Seconds after which an unanswered battle is requested again.
    seed : int, optional
        Seed of the sampled pairs; by default a different one in every process.

    See Also
    --------
    resolve : The analysis of a fixed data set.

    Examples
    --------
    >>> arena = Arena(":memory:", agents=["ada", "bob", "cyd"], goal="first", seed=1)
    >>> battle = arena.ask()
    >>> arena.tell(battle, "a")
    >>> arena.board().battles, arena.done
    (1, False)

    It is closed at the end of a block, or by `close`.

    >>> with Arena(":memory:", agents=["ada", "bob"]) as arena:
    ...     arena.tell(arena.ask(), "tie")
    """

    def __init__(
        self,
        address: str | os.PathLike[str],
        *,
        agents: Sequence[str] | None = None,
        goal: str | None = None,
        level: float | None = None,
        policy: str | None = None,
        prompts: Prompts | None = None,
        patience: float | None = None,
        seed: int | None = None,
    ) -> None:
        path, pool = os.fspath(address), _stored_prompts(prompts)
        settings = _given(goal=goal, level=level, policy=policy, prompts=pool, patience=patience)
        if agents is None and "://" not in path and path != MEMORY and not os.path.exists(path):
            raise NoArena(f"an arena must be made with `agents` before it is opened; there is none at {quoted(path)}.")
        new = None if agents is None else _new_arena(agents, settings)
        self._storage = Storage(path)
        self._rng = np.random.default_rng(None if seed is None else [seed, SALT])
        self._stages = Stages()
        self._claims = np.zeros((0, 4))  # number, agents and points of each
        self._known_settings: tuple[int, dict[str, Any]] = (-1, {})  # with the number of changes
        try:
            _open_or_create(self._storage, new, settings)
        except BeatpathError:
            self._storage.close()
            raise
        self._tell = BatchedCalls(self._tell_all)

    @property
    def agents(self) -> tuple[str, ...]:
        """Agents that take part now."""
        with self._storage.reading() as db:
            return tuple(name for _, name, retired in self._roster(db) if not retired)

    def __repr__(self) -> str:
        return f"Arena({quoted(self._storage.name)})"

    def __enter__(self) -> Self:
        """Return the arena, which is closed at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the storage."""
        self.close()

    @overload
    def ask(self, count: None = None, *, key: str | None = None) -> Battle: ...
    @overload
    def ask(self, count: int, *, key: str | None = None) -> list[Battle]: ...
    def ask(self, count: int | None = None, *, key: str | None = None) -> Battle | list[Battle]:
        """Return the next battle to play, or a list of `count`, chosen by the outcomes so far.

        Battles that failed or were not answered in time come first. A request with a `key` returns the same battles
        whenever it is repeated, also after a restart and from another process.
        """
        number = 1 if count is None else count
        require_whole("count", number, most=MOST_REQUESTED)
        text_or_none("a key", key)
        with self._storage.changing(sure=False) as db:  # the first outcome after it makes it durable
            names = {k: name for k, name, _ in self._roster(db)}
            rows = None if key is None else requested_before(db, key)
            if rows is None:
                rows = self._next_battles(db, number)
                remember(db, key, rows)
            if len(rows) != number:
                raise Answered(
                    f"`key` must be new for another request; {quoted(key)} was used for {len(rows)}, not {number}."
                )
            battles = [
                Battle(one["key"], names[one["a"]], names[one["b"]], names[one["first"]], one["prompt"]) for one in rows
            ]
        return battles[0] if count is None else battles

    def tell(
        self,
        battle: Battle | str,
        outcome: Outcome | Outcomes,
        *,
        judge: str | None = None,
        criteria: Outcomes | None = None,
        comment: str | None = None,
        style: Mapping[str, float] | None = None,
    ) -> None:
        """Record the outcome of a battle: "a", "b", "tie", "both_bad", or a number from 0 to 1 for *a*.

        The same outcome twice counts once; a different one raises an error. "failed" returns the battle unplayed, so
        that it is requested again. When this returns, the outcome is on disk.

        Parameters
        ----------
        battle : Battle or str
            A battle from `ask`, or its key.
        outcome : str, float or mapping
            The outcome; or those of several judges by name, None for one that abstains, of which the mean counts.
        judge : str, optional
            Who judged.
        criteria : mapping, optional
            Outcomes by further criteria, which `evidence` returns one at a time.
        comment : str, optional
            Any text.
        style : mapping, optional
            By how much the answer of *a* exceeds that of *b* in length or any other style, for boards of battles with alike styles.
        """
        self._tell([Answer.of(battle, outcome, judge, criteria, comment, style)])

    def tell_many(self, outcomes: Iterable[AnswerRow], *, judge: str | None = None) -> None:
        """Record many outcomes, all or none: ``(battle, outcome)``, or also the judge, or also criteria and a comment, or also the style."""
        self._tell([Answer.of(*one, judge=judge) for one in outcomes])

    def add(self, rows: Iterable[Added], *, judge: str | None = None) -> int:
        """Record battles that were not requested here: ``(agent a, agent b, outcome)``; return how many are new.

        A key as a fourth item makes a battle count once, however often it is added; a fifth is its judge. Such
        battles inform predictions, and so which pairs are sampled. Confidence statements rest only on requested
        battles.
        """
        with self._storage.changing() as db:
            return add(db, {name: k for k, name, _ in self._roster(db)}, rows, judge)

    def join(self, agent: str) -> None:
        """Add an agent from now on. What is certain among the others stays certain, and their battles count on."""
        with self._storage.changing() as db:
            roster = self._roster(db)
            names = agent_names([*(name for _, name, _ in roster if name != agent), _agent_name(agent)])
            if any(name == agent and not retired for _, name, retired in roster):
                raise UsageError(f"{quoted(agent)} takes part already.")
            if any(name == agent for _, name, _ in roster):
                db.execute(sa.update(AGENT).where(AGENT.c.name == agent).values(retired=False))
            else:
                db.execute(sa.insert(AGENT).values(id=len(roster), name=names[-1], retired=False))

    def retire(self, agent: str) -> None:
        """Remove an agent from now on. What is certain among the others stays certain, and their battles count on."""
        with self._storage.changing() as db:
            active = {name: k for k, name, retired in self._roster(db) if not retired}
            known_agent(active, agent)
            if len(active) < 3:
                raise UsageError(f"an arena needs at least two agents; without {quoted(agent)} one is left.")
            _require_settings(self._settings(db), [name for name in active if name != agent])
            db.execute(sa.update(AGENT).where(AGENT.c.name == agent).values(retired=True))

    def change(
        self,
        *,
        goal: str | None = None,
        level: float | None = None,
        policy: str | None = None,
        prompts: Prompts | None = None,
        patience: float | None = None,
    ) -> tuple[str, ...]:
        """Change the goal, level, policy, prompts or patience from now on, for all processes; return what that costs.

        Goals and policies decide which pairs are requested from the next stage on. Whatever is called certain stays
        valid, as the returned sentences say.
        """
        new = _given(goal=goal, level=level, policy=policy, prompts=prompts, patience=patience)
        with self._storage.changing() as db:
            before, active = self._settings(db), [name for _, name, retired in self._roster(db) if not retired]
            settings, board = _require_settings({**before, **new}, active), self._look(db).board
            aim = _goal(settings, len(active))
            if aim.core and not aim.own:
                raise UsageError(
                    "`goal` can become core only where the arena was made for it: the core rests on single pairs, for which no error was "
                    "reserved. Make another arena, and `add` these battles."
                )
            if settings["level"] > before["level"]:
                db.execute(sa.delete(CLAIM))
            db.execute(sa.update(ARENA).values(settings=settings, changes=ARENA.c.changes + 1))
        return _costs(before, settings, aim.price(board))

    def board(
        self,
        *,
        judges: str | Sequence[str] | None = None,
        prompts: str | Sequence[str] | None = None,
        category: str | None = None,
        without: str | Sequence[str] = (),
        style: Mapping[str, float] | None = None,
    ) -> AnytimeBoard:
        """Return scores and who is certainly above whom, valid at any time.

        Parameters
        ----------
        judges, prompts : str or sequence of str, optional
            Count the battles of these judges, or on these prompts, alone; of several judges of one battle, their mean.
            Such a board holds at any time by itself, not together with others.
        category : str, optional
            Count the battles on the prompts of this category alone.
        without : str or sequence of str
            Leave out the battles that these judges judged.
        style : mapping, optional
            Count the battles alone whose answers differ by at most so much in each style; see `tell`.
        """
        judges, prompts, without, alike = _several(judges), _several(prompts), _several(without) or [], styles_of(style)
        if judges is None and prompts is None and category is None and not without and not alike:
            return self.resolve().board
        with self._storage.reading() as db:
            pool = prompts_by_category(self._settings(db)["prompts"])
            if category is not None and category not in pool:
                raise UnknownLabel(f"{quoted(category)} must be a category of prompts.{suggestion(category, pool)}")
            own = prompts if category is None else [one for one in pool[category] if prompts is None or one in prompts]
            require_known(db, BATTLE.c.judge, [*(judges or ()), *without])
            require_known(db, BATTLE.c.prompt, {*(prompts or ())}.difference(*pool.values()))
            require_styles(db, alike)
            return self._look(db, choice(judges, own, without, alike)).board

    def resolve(self) -> Standing:
        """Return the board compared with the goal: whether it is reached and by whom, or what is missing.

        What is certain stays so at all later looks.
        """
        with self._storage.reading() as db:
            standing, agents, settings = self._look(db), self._active(db), self._settings(db)
        board, goal = standing.board, Goal.of(standing.goal, len(agents))
        certain = {0.0: board.above}
        if goal.core:
            certain[DIRECT] = board.beats
        if goal.points:
            certain[goal.points] = np.triu(board.near, 1)

        def new() -> list[dict[str, float]]:
            return [
                {"a": agents[i], "b": agents[j], "points": points}
                for points, holds in certain.items()
                for i, j in np.argwhere(holds & ~self._reported(agents, points)).tolist()
            ]

        if new():
            with suppress(StorageUnavailable), self._storage.changing() as db:
                self._read_claims(db)
                if self._settings(db) is settings and (rows := new()):  # nobody has asked for a higher level since
                    db.execute(sa.insert(CLAIM), rows)
        return standing

    @property
    def done(self) -> bool:
        """Whether the goal is reached."""
        return self.resolve().done

    @property
    def reason(self) -> str:
        """Whether the goal is reached and by whom, or what is missing, as a sentence."""
        return self.resolve().reason

    def status(self) -> dict[str, Any]:
        """Return the state of the arena as plain data."""
        return self.resolve().to_dict()

    def evidence(self, *, criterion: str | None = None) -> Battles:
        """Return all answered battles, as `bp.read` does from a file; or those judged by a `criterion`, or judge of several.

        Differences in style are covariates.
        """
        revised = BATTLE.c.key.in_(sa.select(WITHDRAWN.c.key))
        columns = (*(BATTLE.c[name] for name in COLUMNS), revised, BATTLE.c.criteria)
        query = sa.select(*columns).where(BATTLE.c.answered.is_not(None)).order_by(BATTLE.c.id)
        with self._storage.reading() as db:
            names, found = {k: name for k, name, _ in self._roster(db)}, db.execute(query).all()
        rows = [row[:-1] for row in found]
        with undamaged("the arena"):
            if criterion is not None:
                found = [row for row in found if (row.criteria or {}).get(criterion, NO_STYLE)[1] is not None]
                rows = [(row.a, row.b, *row.criteria[criterion], *row[COLUMNS.index("first") : -1]) for row in found]
            return replace(arena_battles([(names, rows)]), covariates=_styles([row.criteria or {} for row in found]))

    def voters(self, *, per_person: int | None = None) -> Voters:
        """Return who votes, how far they agree, who looks careless, the board without those, and the price of first place.

        With at most `per_person` votes each, the last comes with the number of accounts.
        """
        if per_person is not None and per_person < 1:
            raise UsageError(f"`per_person` must be 1 or more; got {per_person}.")
        battles, board = self.evidence(), self.board()
        rows = voter_rows(battles)
        careless = [row["voter"] for row in rows if row["careless"]]
        without = self.board(without=careless) if careless else board
        return Voters(rows, board, without, price_of_first(board, per_person), voter_agreement(battles, board.level))

    def comments(self) -> list[dict[str, str]]:
        """Return the comments on battles: the battle, the judge and the text of each."""
        query = sa.select(BATTLE.c.key.label("battle"), BATTLE.c.judge, BATTLE.c.comment)
        with self._storage.reading() as db:
            rows = db.execute(query.where(BATTLE.c.comment.is_not(None)).order_by(BATTLE.c.id)).all()
        return [dict(row._mapping) for row in rows]

    def close(self) -> None:
        """Close the storage."""
        self._storage.close()

    def _next_battles(self, db: sa.Connection, count: int) -> list[dict[str, Any]]:
        """Battles that are overdue, then new ones."""
        now, active, settings = time.time(), self._active(db), self._settings(db)
        rows = overdue(db, now, now - settings["patience"], active, count)
        if count > len(rows):
            design = self._design(db, active)
            prompts = [*chain(*prompts_by_category(settings["prompts"]).values())]
            rows += sample_battles(db, now, design, prompts, count - len(rows), self._rng)
        return rows

    def _tell_all(self, tellings: Sequence[Sequence[Answer]]) -> list[Exception | None]:
        """Record the outcomes of all waiting threads."""
        with self._storage.changing(together=True) as db:
            return tell(db, tellings)

    def _design(self, db: sa.Connection, agents: tuple[int, ...]) -> Design:
        """The current stage, begun now if it is due."""
        design = self._stages.present(db, agents)
        if design is None:
            board, goal = self._look(db).board, self._goal(db)
            design = self._stages.begin(db, agents, board, goal, self._settings(db)["policy"])
        return design

    def _look(self, db: sa.Connection, chosen: "sa.ColumnElement[Any] | None" = None) -> Standing:
        """The board of the agents that take part, with what earlier sets of agents say of them, and the goal.

        A board of `chosen` outcomes stands by itself: it knows nothing of what was reported before.
        """
        names, agents = {number: name for number, name, _ in self._roster(db)}, self._active(db)
        settings, counted = self._settings(db), self._stages.of(db, agents, chosen)
        goal = self._goal(db)
        shares = rosters([*(design.agents for design, _ in counted.stages), agents])
        level, own = settings["level"], Goal.of(settings["own_goal"], sys.maxsize)
        reserved = own.reserved(len(agents))
        boards = {
            one: board_of(
                [names[k] for k in one],
                self._stages.sums(counted, one, own.best, reuse=chosen is None),
                level,
                share,
                reserved,
            )
            for one, share in shares.items()
            if len(set(one) & set(agents)) > 1
        }
        board = replace(boards.pop(agents), battles=counted.battles)
        if boards:
            board = combined(board, list(boards.values()))
        if chosen is not None:
            return Standing.of(board, goal, counted.pending)
        self._read_claims(db)
        beats, near = self._reported(agents, DIRECT), self._reported(agents, goal.points or np.nan)
        board = replace(
            board, claims=self._reported(agents, 0.0), near=near | near.T, beats=board.beats | (beats & ~board.beats.T)
        )
        return Standing.of(board, goal, counted.pending, counted.waiting)

    def _settings(self, db: sa.Connection) -> dict[str, Any]:
        """The settings, read again if somebody changed them."""
        changes = db.scalar(sa.select(ARENA.c.changes)) or 0
        if changes != self._known_settings[0]:
            self._known_settings = changes, dict(db.scalars(sa.select(ARENA.c.settings)).one())
            self._claims = self._claims[:0]  # some may have been deleted
        return self._known_settings[1]

    def _goal(self, db: sa.Connection) -> Goal:
        return _goal(self._settings(db), len(self._active(db)))

    def _read_claims(self, db: sa.Connection) -> None:
        """Read what was reported as certain since the last time, the latest last."""
        rows = db.execute(_CLAIMS, {"last": self._claims[:, 0].max(initial=0)}).all()
        self._claims = np.vstack([self._claims, np.array(rows, dtype=float).reshape(-1, 4)])

    def _reported(self, agents: tuple[int, ...], points: float) -> Bools:
        """Whether the row was reported as certainly above the column (see `CLAIM`), and not the opposite later."""
        own = np.isin(self._claims[:, 1:3], agents).all(axis=1) & (self._claims[:, 3] == points)
        number, i, j = self._claims[own, 0], *np.searchsorted(agents, self._claims[own, 1:3].T)
        latest = np.zeros((len(agents), len(agents)))
        np.maximum.at(latest, (i, j), number)
        return latest > latest.T

    def _active(self, db: sa.Connection) -> tuple[int, ...]:
        """The numbers of the agents that take part."""
        return tuple(number for number, _, retired in self._roster(db) if not retired)

    @staticmethod
    def _roster(db: sa.Connection) -> list[tuple[int, str, bool]]:
        return [(number, name, retired) for number, name, retired in db.execute(_ROSTER)]


def _new_arena(agents: Sequence[str], options: Mapping[str, Any]) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Names and settings of a new arena, or an error that says why it cannot be created."""
    if isinstance(agents, str):
        raise UsageError(f"`agents` must be a list of names; got the text {quoted(agents)}.")
    names = agent_names([_agent_name(name) for name in agents])
    if len(names) < 2:
        raise UsageError(f"an arena needs at least two agents; got {counted(len(names), 'agent')}.")
    return names, _require_settings({**DEFAULTS, "own_goal": options.get("goal", DEFAULTS["goal"]), **options}, names)


def _given(**options: Any) -> dict[str, Any]:
    """The options that were given."""
    return {name: value for name, value in options.items() if value is not None}


def _require_settings(settings: dict[str, Any], agents: Sequence[str]) -> dict[str, Any]:
    """Return the settings, or raise an error that says why they do not suit these agents."""
    settings["prompts"] = _stored_prompts(settings["prompts"])
    for name, least, below, must in NUMBERS:
        if not (isinstance(value := settings[name], Real) and least <= float(value) < below):
            raise UsageError(f"`{name}` must be {must}; got {quoted(value)}.")
        settings[name] = value if isinstance(value, int) else float(value)
    require_policy(settings["policy"])
    missing = [name for name in Goal.of(settings["goal"], len(agents)).pair if name not in agents]
    if missing:
        raise UsageError(
            f"`goal` must be of agents that take part; {quoted(missing[0])} does not. Choose another goal."
        )
    return settings


def _stored_prompts(prompts: Prompts | None) -> Prompts | None:
    """Prompts, or those of each category, as they are stored; or an error that says what is wrong with them."""
    pool = prompts_by_category(prompts)
    if prompts is not None and (not pool or any(isinstance(own, str) or not own for own in pool.values())):
        raise UsageError(
            f"`prompts` must be a list of at least one prompt, or such a list for each category; got {quoted(prompts)}."
        )
    lists = {
        text_or_none("a category", name) or "": [text_or_none("a prompt", one) or "" for one in own]
        for name, own in pool.items()
    }
    return lists if isinstance(prompts, Mapping) else lists.get("")


def _goal(settings: Mapping[str, Any], n_agents: int) -> Goal:
    """The goal, with whether some of the error is reserved for it."""
    made_for = Goal.of(settings["own_goal"], sys.maxsize).text
    return Goal.of(settings["goal"], n_agents, own=Goal.of(settings["goal"], n_agents).text == made_for)


def _costs(before: Mapping[str, Any], now: Mapping[str, Any], price: float) -> tuple[str, ...]:
    """What a change of settings costs, in sentences."""
    kinds = {
        "goal": "own goal" if now["goal"] == now["own_goal"] else "goal",
        "level": "higher level" if now["level"] > before["level"] else "lower level",
    }
    changed = [kinds.get(name, name) for name in now if now[name] != before[name]]
    return tuple(COSTS[kind].format(own=quoted(now["own_goal"]), price=f"{price:.2g}") for kind in changed)


def _agent_name(name: object) -> str:
    """Return the name of an agent, or raise an error that says what is wrong with it."""
    text = text_or_none("an agent's name", name)
    if not text or not text.strip():
        raise UsageError(f"an agent's name must have at least one visible character; got {quoted(name)}.")
    return text


def _styles(parts: Sequence[Mapping[str, tuple[float, bool | None]]]) -> dict[str, Floats]:
    """The differences in style of all battles, by style; not a number where a battle has none."""
    names = sorted({name for own in parts for name, (_, bad) in own.items() if bad is None})
    by_style = {name: [own.get(name, NO_STYLE) for own in parts] for name in names}
    return {name: np.array([x if bad is None else np.nan for x, bad in own]) for name, own in by_style.items()}


def _several(names: str | Sequence[str] | None) -> Sequence[str] | None:
    return [names] if isinstance(names, str) else names


def _open_or_create(
    storage: Storage, new: tuple[tuple[str, ...], dict[str, Any]] | None, options: Mapping[str, Any]
) -> None:
    """Open the existing arena, or create the requested one."""
    with storage.reading() as db:
        tables = sa.inspect(db).get_table_names()
        row = db.execute(sa.select(ARENA.c.version, ARENA.c.settings)).first() if ARENA.name in tables else None
    if row is None:
        if storage.sqlite and tables:
            raise DataError(
                f"{quoted(storage.name)} must be an arena; it is a database of something else, with the table {quoted(tables[0])}. "
                "Choose another name."
            )
        if new is None:
            raise NoArena(
                f"an arena must be made with `agents` before it is opened; {quoted(storage.name)} holds none."
            )
        _create(storage, *new)
        return
    if row.version != VERSION:
        newer = isinstance(row.version, int) and row.version > VERSION
        do = "Upgrade beatpath." if newer else "`bp.read` reads its battles; `add` them to a new one."
        raise DataError(
            f"the arena {quoted(storage.name)} is of version {shown(row.version)}, this beatpath opens version {VERSION}. {do}"
        )
    settings = _stored_settings(storage, row.settings)
    with storage.reading() as db:
        agents = db.scalars(sa.select(AGENT.c.name).where(~AGENT.c.retired).order_by(AGENT.c.id)).all()
    other = [name for name, value in options.items() if settings[name] != value]
    if other or (new is not None and set(new[0]) != set(agents)):
        raise _there_already(storage, other[0] if other else "agents", settings[other[0]] if other else listed(agents))
    storage.keep_log()


def _stored_settings(storage: Storage, settings: Any) -> dict[str, Any]:
    """The settings of an arena that exists, checked as those of a new one; its tables are sound, but for single battles."""
    with storage.reading() as db:
        if storage.sqlite:
            require_sound(db, META.sorted_tables, storage.name, unread=BATTLE)  # which may be many
        names = db.scalars(sa.select(AGENT.c.name)).all()
    try:
        missing = {*DEFAULTS, "own_goal"} - {*dict(settings)}
        if missing:
            raise ValueError(f"{listed(sorted(missing))} must be among the settings.")
        return _new_arena(names, dict(settings))[1]
    except (BeatpathError, TypeError, ValueError) as error:
        raise DataError(
            f"the agents and settings of the arena {quoted(storage.name)} must be as it wrote them: {error} {DAMAGED}"
        ) from None


def _create(storage: Storage, names: Sequence[str], settings: dict[str, Any]) -> None:
    storage.keep_log()
    with storage.changing() as db:
        if ARENA.name in sa.inspect(db).get_table_names():
            raise StorageUnavailable(f"somebody else made the arena {quoted(storage.name)} just now. Try again.")
        META.create_all(db)
        db.execute(sa.insert(ARENA).values(name="arena", version=VERSION, settings=settings, changes=0))
        db.execute(sa.insert(AGENT), [{"id": k, "name": name, "retired": False} for k, name in enumerate(names)])


def _there_already(storage: Storage, what: str, current: object) -> UsageError:
    return UsageError(
        f"opening an arena must not change its {what}; {quoted(storage.name)} is there already and has: {shown(str(current), 200)}. "
        f"Open it without `{what}`. Agents join by `join`, settings change by `change`."
    )
