"""Battles of an arena: requested, answered, added, withdrawn.

The counts change with them in one transaction.
"""

import json
import math
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import sqlalchemy as sa

from beatpath._battle import Battle
from beatpath._errors import DataError, UnknownLabel
from beatpath._text import listed, quoted, suggestion
from beatpath.arena.stages import Design, by_judge, by_style
from beatpath.arena.storage import ADDED, BATTLE, CELL, OUT, REQUEST, TALLY, WITHDRAWN, Answered, NotRequested

if TYPE_CHECKING:
    from beatpath.arena.arena import Arena


FAILED = "failed"  # the outcome that returns a battle unplayed
OUTCOMES = {"a": 1.0, "b": 0.0, "tie": 0.5, "both_bad": 0.5}  # outcome for agent a by label


Outcome: TypeAlias = str | float  # a label, or a number from 0 to 1 for *a*
Outcomes: TypeAlias = Mapping[str, Outcome | None]  # by judge or criterion; None where one abstains
# a battle, its outcome, and optionally its judge, or also criteria and a comment, or also differences in style
AnswerRow: TypeAlias = (
    tuple[Battle | str, Outcome | Outcomes]
    | tuple[Battle | str, Outcome | Outcomes, str | None]
    | tuple[Battle | str, Outcome | Outcomes, str | None, Outcomes | None, str | None]
    | tuple[Battle | str, Outcome | Outcomes, str | None, Outcomes | None, str | None, Mapping[str, float] | None]
)


@dataclass(frozen=True, slots=True)
class Answer:
    """The reported outcome of a battle.

    Parameters
    ----------
    key : str
        Key of the battle.
    outcome : float or None
        Outcome for *a*, from 0 to 1; None if the battle failed.
    both_bad : bool
        Whether both were bad.
    judge : str or None
        Who judged.
    criteria : dict
        Outcome and whether both were bad, by criterion, or by judge of several; a difference in style and None, by style.
    comment : str or None
        Any text.
    """

    key: str
    outcome: float | None
    both_bad: bool
    judge: str | None
    criteria: dict[str, tuple[float, bool | None]] = field(default_factory=dict)
    comment: str | None = None

    @classmethod
    def of(
        cls,
        battle: Battle | str,
        came: Outcome | Outcomes,
        own: str | None = None,
        criteria: Outcomes | None = None,
        comment: str | None = None,
        style: Mapping[str, float] | None = None,
        *,
        judge: str | None = None,
    ) -> "Answer":
        """Parse an outcome, or those of several judges; `own` is the judge of this battle, `judge` the default.

        >>> Answer.of("k", {"gpt": "a", "claude": "tie", "llama": None}).outcome
        0.75
        """
        key = battle.key if isinstance(battle, Battle) else battle
        if not isinstance(key, str):
            raise DataError(f"a battle must be named by its key, a text; got {quoted(key)}.")
        by = text_or_none("a judge", judge if own is None else own)
        if not isinstance(criteria, Mapping | None):
            raise DataError(f"`criteria` must have an outcome for each criterion by name; got {quoted(criteria)}.")
        parts: dict[str, tuple[float, bool | None]] = {
            name: outcome_of(one) for name, one in (criteria or {}).items() if one is not None
        }
        if isinstance(came, Mapping):
            panel = {name: outcome_of(one) for name, one in came.items() if one is not None}
            parts |= panel
            came = sum(value for value, _ in panel.values()) / len(panel) if panel else FAILED
        for name, apart in styles_of(style).items():
            if name in parts:
                raise DataError(f"a style must have a name of its own; {quoted(name)} is a judge or a criterion.")
            parts[name] = apart, None
        for name in parts:
            text_or_none("a criterion", name)
        outcome, both_bad = (None, False) if came == FAILED else outcome_of(came)
        return cls(key, outcome, both_bad, by, parts, text_or_none("a comment", comment))


def styles_of(style: Mapping[str, float] | None) -> dict[str, float]:
    """Return numbers by style, or raise an error that says what is wrong with them.

    >>> styles_of({"words": 120}), styles_of(None)
    ({'words': 120.0}, {})
    """
    if not isinstance(style, Mapping | None) or not all(
        isinstance(one, Real) and not isinstance(one, bool) and math.isfinite(float(one))
        for one in (style or {}).values()
    ):
        raise DataError(f"`style` must have a number for each style by name; got {quoted(style)}.")
    return {name: float(one) for name, one in (style or {}).items()}


def text_or_none(what: str, value: object) -> str | None:
    """Return a string that every database can store, or None.

    >>> text_or_none("a judge", 7)
    Traceback (most recent call last):
    ...
    beatpath._errors.DataError: a judge must be a text; got '7'.
    """
    if value is None:
        return None
    if not isinstance(value, str):
        raise DataError(f"{what} must be a text; got {quoted(value)}.")
    if "\0" in value or value.encode(errors="ignore").decode() != value:
        raise DataError(f"{what} must be whole characters, none of them zero; got {quoted(value)}.")
    return value


def outcome_of(came: Outcome) -> tuple[float, bool]:
    """Return the outcome for *a*, and whether both were bad.

    >>> outcome_of("a"), outcome_of("both_bad"), outcome_of(0.75)
    ((1.0, False), (0.5, True), (0.75, False))
    """
    if isinstance(came, str) and came in OUTCOMES:
        return OUTCOMES[came], came == "both_bad"
    if isinstance(came, Real) and not isinstance(came, bool) and 0 <= float(came) <= 1:
        return float(came), False
    raise UnknownLabel(
        f"an outcome must be one of {listed([*OUTCOMES, FAILED])} or a number from 0 to 1; got {quoted(came)}."
    )


def upsert_add_sql(table: sa.Table) -> str:
    """Return the SQL that inserts a row, or adds it to the row with the same key, for SQLite and PostgreSQL.

    >>> upsert_add_sql(TALLY).partition(" DO ")[0]
    'INSERT INTO beatpath_tally VALUES (?, ?, ?, ?) ON CONFLICT (stage)'
    """
    keys = ", ".join(column.name for column in table.primary_key)
    places = ", ".join("?" for _ in table.columns)
    rest = [column.name for column in table.columns if not column.primary_key]
    sums = ", ".join(f"{name} = {table.name}.{name} + excluded.{name}" for name in rest)
    return f"INSERT INTO {table.name} VALUES ({places}) ON CONFLICT ({keys}) DO UPDATE SET {sums}"


_CELL, _TALLY = upsert_add_sql(CELL), upsert_add_sql(TALLY)  # statements that add to the counts


def count_outcomes(db: sa.Connection, outcomes: Iterable[tuple[int, int, int, float]], sign: int = 1) -> None:
    """Add outcomes, each with its stage and pair, to the counts; with a sign of -1, subtract them."""
    cells: dict[tuple[int, int, int], list[float]] = {}
    stages: dict[int, int] = {}
    for stage, a, b, outcome in outcomes:
        cell = cells.get((stage, a, b))
        if cell is None:
            cell = cells[stage, a, b] = [0, 0.0, 0.0]
        cell[0] += sign
        cell[1] += sign * outcome
        cell[2] += sign * outcome**2
        stages[stage] = stages.get(stage, 0) + sign
    for_all(db, _CELL, [(*key, *cell) for key, cell in sorted(cells.items())])
    for_all(db, _TALLY, [(stage, 0, number, 1) for stage, number in sorted(stages.items())])


def for_all(db: sa.Connection, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Pass a statement with question marks and all its rows to the driver."""
    if rows:
        db.exec_driver_sql(statement if db.dialect.name == "sqlite" else statement.replace("?", "%s"), list(rows))


REMEMBERED = 10_000  # requests with a key that are remembered
# Statements: overdue battles, their renewal, the last number, and the number requested.
_LATE = (
    sa.select(BATTLE)
    .where(OUT, BATTLE.c.requested < sa.bindparam("before"), BATTLE.c.a.in_(sa.bindparam("agents", expanding=True)))
    .where(BATTLE.c.b.in_(sa.bindparam("agents", expanding=True)))
    .order_by(BATTLE.c.requested, BATTLE.c.id)
    .limit(sa.bindparam("most"))
)
# Statements of asks, built once.
_AGAIN = "UPDATE beatpath_battle SET requested = ? WHERE id = ?"
_LAST = sa.select(sa.func.max(BATTLE.c.id))
_REQUESTED = sa.select(sa.func.sum(TALLY.c.requested)).where(TALLY.c.stage != ADDED)
# Columns of a requested battle.
_SENT = ("id", "key", "stage", "a", "b", "first", "prompt", "requested")


def overdue(db: sa.Connection, now: float, before: float, agents: Sequence[int], most: int) -> list[dict[str, Any]]:
    """Reissue battles that were requested before some time and not answered, of agents that still take part."""
    rows = db.execute(_LATE, {"before": before, "agents": list(agents), "most": most}).all()
    for_all(db, _AGAIN, [(now, row.id) for row in rows])
    return [dict(row._mapping) for row in rows]


def requested_before(db: sa.Connection, key: str) -> list[dict[str, Any]] | None:
    """Return the battles of a request that was made before with this key, None if there was none."""
    keys = db.scalar(sa.select(REQUEST.c.battles).where(REQUEST.c.name == key))
    if keys is None:
        return None
    battles = {one.key: dict(one._mapping) for one in db.execute(sa.select(BATTLE).where(BATTLE.c.key.in_(keys)))}
    return [battles[one] for one in keys]


def remember(db: sa.Connection, key: str | None, battles: Sequence[Mapping[str, Any]]) -> None:
    """Store the battles of a request with a key; the oldest requests are forgotten."""
    if key is not None:
        db.execute(sa.insert(REQUEST).values(name=key, battles=[one["key"] for one in battles]))
        newest = db.scalar(sa.select(sa.func.max(REQUEST.c.id))) or 0
        db.execute(sa.delete(REQUEST).where(REQUEST.c.id <= newest - REMEMBERED))


Prompts: TypeAlias = Sequence[str] | Mapping[str, Sequence[str]]  # prompts, or those of each category


def prompts_by_category(prompts: Prompts | None) -> dict[Any, Any]:
    """Return the prompts of each category; those without one are of the category "".

    >>> prompts_by_category(["p", "q"]), prompts_by_category({"math": ["p"]}), prompts_by_category(None)
    ({'': ['p', 'q']}, {'math': ['p']}, {})
    """
    return dict(prompts) if isinstance(prompts, Mapping) else {} if prompts is None else {"": prompts}


def require_known(db: sa.Connection, column: "sa.Column[Any]", names: Iterable[str]) -> None:
    """Raise an error that names a judge, or a prompt, that no battle has."""
    for name in names:
        text_or_none(f"a {column.name}", name)
        own = (column == name) | (by_judge(name).is_not(None) if column is BATTLE.c.judge else sa.false())
        if db.scalar(sa.select(BATTLE.c.id).where(own).limit(1)) is None:
            known = [one for one in db.scalars(sa.select(column).distinct()) if one is not None]
            raise UnknownLabel(f"{quoted(name)} must be the {column.name} of a battle.{suggestion(name, known)}")


def require_styles(db: sa.Connection, names: Iterable[str]) -> None:
    """Raise an error that names a style that no battle has."""
    for name in names:
        if db.scalar(sa.select(BATTLE.c.id).where(by_style(name).is_not(None)).limit(1)) is None:
            raise UnknownLabel(
                f"{quoted(name)} must be a style of a battle; `tell(..., style={{{quoted(name)}: 0.2}})` records it."
            )


def sample_battles(
    db: sa.Connection,
    now: float,
    design: Design,
    prompts: Sequence[str] | None,
    n_wanted: int,
    rng: np.random.Generator,
) -> list[dict[str, Any]]:
    """Request battles sampled by the probabilities of a stage, in random order of showing; prompts are assigned in turn."""
    pairs, shown = design.draw(n_wanted, rng), rng.integers(0, 2, n_wanted).tolist()
    number = next_number(db)
    turn = int(db.scalar(_REQUESTED) or 0) if prompts else 0
    rows = []
    for k, (pair, one) in enumerate(zip(pairs, shown, strict=True)):
        prompt = prompts[(turn + k) % len(prompts)] if prompts else None
        sent = (number + k, fresh_key(number + k), design.number, *pair, pair[one], prompt, now)
        rows.append(dict(zip(_SENT, sent, strict=True)))
    _insert(db, _SENT, rows)
    for_all(db, _TALLY, [(design.number, n_wanted, 0, 0)])
    return rows


def _insert(db: sa.Connection, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert these columns of battles."""
    places = ", ".join("?" for _ in columns)
    statement = f"INSERT INTO beatpath_battle ({', '.join(columns)}) VALUES ({places})"
    for_all(db, statement, [tuple(row[name] for name in columns) for row in rows])


def next_number(db: sa.Connection) -> int:
    """Return the number of the next battle."""
    return 1 + (db.scalar(_LAST) or 0)


def fresh_key(number: int) -> str:
    """Return an unguessable key that sorts by number, so that recent keys share few pages of an index."""
    return f"{number:08x}-{secrets.token_hex(6)}"


_APART = 1e-6  # seconds between the times of battles answered in one transaction
# Statements: battles by key, recording an outcome, returning a battle.
_KNOWN = "SELECT id, key, stage, a, b, answered, outcome, both_bad, judge FROM beatpath_battle WHERE key"
_RECORD = "UPDATE beatpath_battle SET answered = ?, outcome = ?, both_bad = ?, judge = ?, criteria = ?, comment = ? WHERE id = ?"


def tell(db: sa.Connection, tellings: Sequence[Sequence[Answer]]) -> list[Exception | None]:
    """Record batches of outcomes, each all or none, and return None or the error for each."""
    known = {row.key: row for row in battles_by_key(db, [one.key for batch in tellings for one in batch])}
    new: dict[str, Answer] = {}
    answers: list[Exception | None] = []
    for batch in tellings:
        try:
            new |= {one.key: one for one in _news(batch, known, new)}
            answers.append(None)
        except DataError as error:
            answers.append(error)
    _record(db, [(known[one.key], one) for one in new.values()])
    return answers


def moments_of(count: int) -> list[float]:
    """Return `count` distinct times from now on, so that no two battles are answered at the same time."""
    now = time.time()
    return [now + k * _APART for k in range(count)]


def battles_by_key(db: sa.Connection, keys: Sequence[str]) -> Sequence[Any]:
    """Return the battles with one of these keys, locked in the order of their numbers."""
    if db.dialect.name == "sqlite":
        return db.exec_driver_sql(f"{_KNOWN} IN (SELECT value FROM json_each(?))", (json.dumps(keys),)).all()
    return db.exec_driver_sql(f"{_KNOWN} = ANY(%s) ORDER BY id FOR UPDATE", (list(keys),)).all()


def _news(batch: Sequence[Answer], known: Mapping[str, Any], new: Mapping[str, Answer]) -> Iterator[Answer]:
    """The new outcomes of a batch; raises an error if one contradicts or was never requested."""
    own: dict[str, Answer] = {}
    for one in batch:
        row = known.get(one.key)
        if row is None:
            raise NotRequested(
                f"a battle must be requested before it is answered; {quoted(one.key)} was not (a restored backup knows none that came after "
                "it). Ask again; `add` takes battles from elsewhere."
            )
        before = own.get(one.key) or new.get(one.key)
        if before is None and row.answered is not None:
            before = Answer(one.key, row.outcome, bool(row.both_bad), row.judge)
        if before is None or before.outcome is None:
            own[one.key] = one
            yield one
        elif (before.outcome, before.both_bad) != (one.outcome, one.both_bad):
            raise Answered(f"battle {quoted(one.key)} was answered already, with another outcome; it stays as it was.")
        elif before.judge != one.judge:
            raise Answered(
                f"battle {quoted(one.key)} was answered already, by another judge; ask for a battle for each."
            )


def _record(db: sa.Connection, outcomes: Sequence[tuple[Any, Answer]]) -> None:
    """Record and count new outcomes; failed battles are returned to be requested again."""
    came = [(row, one, one.outcome) for row, one in outcomes if one.outcome is not None]
    for_all(db, _AGAIN, [(0.0, row.id) for row, one in outcomes if one.outcome is None])
    moments = moments_of(len(came))
    record = [
        (at, x, one.both_bad, one.judge, json.dumps(one.criteria) if one.criteria else None, one.comment, row.id)
        for at, (row, one, x) in zip(moments, came, strict=True)
    ]
    for_all(db, _RECORD, record)
    count_outcomes(db, [(row.stage, row.a, row.b, outcome) for row, _, outcome in came])


# A battle from elsewhere: agents, outcome, and optionally a key and a judge.
Added: TypeAlias = (
    tuple[str, str, Outcome] | tuple[str, str, Outcome, str | None] | tuple[str, str, Outcome, str | None, str | None]
)
# Columns of a battle from elsewhere, and those that must agree if it is added again.
_FROM_ELSEWHERE = ("id", "key", "stage", "a", "b", "requested", "answered", "outcome", "both_bad", "judge")
_CONTENT = ("stage", "a", "b", "outcome", "both_bad", "judge")


def add(db: sa.Connection, number: Mapping[str, int], rows: Iterable[Added], judge: str | None) -> int:
    """Record battles of known agents, and return how many are new; a battle with a key counts once."""
    at = next_number(db)
    new: list[dict[str, Any]] = []
    rows_added = [_row(number, *row, judge=judge) for row in rows]
    known = {
        row.key: _content(row._asdict()) for row in battles_by_key(db, [one["key"] for one in rows_added if one["key"]])
    }
    for one, now in zip(rows_added, moments_of(len(rows_added)), strict=True):
        if one["key"] in known:
            if known[one["key"]] != _content(one):
                raise Answered(f"battle {quoted(one['key'])} is there already, and is another; it stays as it was.")
            continue
        if one["key"]:
            known[one["key"]] = _content(one)
        key = one["key"] or fresh_key(at + len(new))
        new.append(one | {"id": at + len(new), "key": key, "requested": now, "answered": now})
    if new:
        _insert(db, _FROM_ELSEWHERE, new)
        count_outcomes(db, [(ADDED, one["a"], one["b"], one["outcome"]) for one in new])
    return len(new)


def known_agent(number: Mapping[str, int], agent: str) -> int:
    """Return the number of an agent, or raise an error that suggests the nearest name."""
    if not isinstance(agent, str) or agent not in number:
        raise UnknownLabel(
            f"{quoted(agent)} must be an agent of the arena.{suggestion(str(agent), number)} `join` lets one in."
        )
    return number[agent]


def _row(
    number: Mapping[str, int],
    a: str,
    b: str,
    came: Outcome,
    key: str | None = None,
    own: str | None = None,
    *,
    judge: str | None,
) -> dict[str, Any]:
    i, j = known_agent(number, a), known_agent(number, b)
    by = text_or_none("a judge", judge if own is None else own)
    if i == j:
        raise DataError(f"a battle must be between two agents; got {quoted(a)} twice.")
    value, bad = outcome_of(came)
    content = (ADDED, i, j, value, bad, by) if i < j else (ADDED, j, i, 1 - value, bad, by)
    return {"key": text_or_none("a key", key), **dict(zip(_CONTENT, content, strict=True))}


def _content(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in _CONTENT)


def withdraw(arena: "Arena", battle: str, *, judge: str) -> None:
    """Withdraw a judge's vote on a battle, which is then requested again. Withdrawing twice has no further effect.

    Examples
    --------
    >>> from beatpath.arena.arena import Arena
    >>> arena = Arena(":memory:", agents=["ada", "bob"])
    >>> battle = arena.ask()
    >>> arena.tell(battle, "a", judge="eve")
    >>> withdraw(arena, battle.key, judge="eve")
    >>> arena.board().battles, withdrawn(arena)
    (0, 1)
    """
    with arena._storage.changing() as db:
        row = db.execute(sa.select(BATTLE).where(BATTLE.c.key == battle)).first()
        if row is None:
            raise NotRequested(f"a battle must be requested before it is withdrawn; {quoted(battle)} was not.")
        if row.answered is None:
            return
        if row.judge != judge:
            raise DataError(f"battle {quoted(battle)} must be withdrawn by who answered it; {quoted(judge)} did not.")
        previous = {name: row._mapping[name] for name in ("key", "judge", "outcome", "both_bad", "answered")}
        db.execute(sa.insert(WITHDRAWN).values(**previous, withdrawn=time.time()))
        out = dict.fromkeys(("answered", "outcome", "both_bad", "criteria", "comment"))
        own = sa.update(BATTLE).where(BATTLE.c.id == row.id)
        db.execute(own.values(**out, requested=time.time()))  # held for the judge
        count_outcomes(db, [(row.stage, row.a, row.b, row.outcome)], sign=-1)


def withdrawn(arena: "Arena") -> int:
    """Return the number of withdrawn votes."""
    with arena._storage.reading() as db:
        return int(db.scalar(sa.select(sa.func.count()).select_from(WITHDRAWN)) or 0)


def reserve(arena: "Arena", battle: Battle, prompt: str, *, judge: str) -> Battle:
    """Hold a pending battle for a judge, with a prompt of its own, and return it."""
    with arena._storage.changing(sure=False) as db:
        own = sa.update(BATTLE).where(BATTLE.c.key == battle.key, OUT)
        db.execute(own.values(judge=judge, prompt=prompt))
    return replace(battle, prompt=prompt)


def battles_of(arena: "Arena", judge: str) -> list[tuple[Battle, float | None, bool]]:
    """Return a judge's battles, the latest last: each with its outcome, None if it is pending, and if both were bad."""
    with arena._storage.reading() as db:
        names = {number: name for number, name, _ in arena._roster(db)}
        rows = db.execute(sa.select(BATTLE).where(BATTLE.c.judge == judge).order_by(BATTLE.c.answered)).all()
    return [
        (Battle(row.key, names[row.a], names[row.b], names[row.first], row.prompt), row.outcome, bool(row.both_bad))
        for row in rows
        if row.first is not None
    ]
