"""Damaged saved states: every place of a document replaced by junk, and every cell of an arena's tables."""

import copy
import io
import json
import math
import random
import shutil
import sqlite3
import traceback
import warnings
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

import beatpath as bp
from beatpath.online import Ledger, OnlineElo, OnlineGlicko2, OnlineSco, OnlineWengLin, load

# Values that do not belong in most places: other types, extreme numbers, texts that look like numbers.
JUNK = (
    None, True, False, 0, -1, 7, 1.5, math.nan, math.inf, -math.inf, 5e-324, 1e-200, 1e16, 1e155, -1e155, 1e308, -1e308, 2**53,
    2**63, -(2**70), 10**400, "", "x", "1", "NaN", "\x00", "ada", "bob", "2", [], [None], ["x"], [[1]], {}, {"x": None},
    {"ada": 1}, {"ada": "x"}, {"": {}},
)  # fmt: skip
STATES = 8  # one case of so many of the fuzzer is a saved state or an arena
EARLY = bp.Battles.of(
    [("ada", "bob", 1), ("bob", "cyd", 0.5), ("ada", "cyd", 0)],
    time=[1, 2, 3],
    factors={"cluster": bp.Factor.of(["p", "q", "q"])},
)
LATER = bp.Battles.of(
    [("cyd", "ada", 1), ("dan", "ada", 1), ("bob", "ada", 0)],
    time=[7, 8, 9],
    factors={"cluster": bp.Factor.of(["p", "r", "q"])},
)
RATINGS = {
    "elo": OnlineElo(k=32),
    "glicko2": OnlineGlicko2(),
    "glicko2 with periods": OnlineGlicko2(period=2.0),
    "weng_lin": OnlineWengLin(),
    "sco": OnlineSco(),
}


def places(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place of a document, by the keys that lead to it."""
    yield path
    items = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for key, value in items:
        yield from places(value, (*path, key))


def damaged(document: Any) -> Iterator[tuple[str, Any]]:
    """The document with one place replaced by each piece of junk, removed, or named otherwise; with what was done."""
    for path in places(document):
        for junk in JUNK:
            yield f"{path} = {junk!r:.40}", _put(document, path, junk)
        if path:
            yield f"without {path}", _put(document, path, None, remove=True)
            yield f"{path} named otherwise", _put(document, path, None, rename=True)


def _put(document: Any, path: tuple[Any, ...], value: Any, *, remove: bool = False, rename: bool = False) -> Any:
    if not path:
        return value
    changed = copy.deepcopy(document)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    if remove or rename:
        old = inner.pop(path[-1])
        if rename and isinstance(inner, dict):
            inner["other"] = old
    else:
        inner[path[-1]] = value
    return changed


def state_fault(path: Path) -> str | None:
    """Load a state, go on with it and save it; return the error if it is not one of ours, or a warning."""
    return fault(lambda: use_state(path))


def fault(work: Callable[[], object]) -> str | None:
    """The error of some work, where it is neither none nor a sentence of ours."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            work()
    except bp.BeatpathError as error:
        return None if str(error).rstrip().endswith((".", "?")) else f"no sentence: {error}"
    except Exception:  # noqa: BLE001 (whatever it is, it is the finding)
        return traceback.format_exc(limit=-6)
    return None


def use_state(path: Path) -> None:
    """Load a state, advance it, ask it, and save it."""
    state = load(path)
    repr(state), str(state)
    again = path.with_suffix(".again")
    again.unlink(missing_ok=True)
    if isinstance(state, Ledger):
        state = state.add(LATER, batch="tuesday")
        state.fit(prior=1), bp.rank(state.pairs, "copeland")
    elif isinstance(state, OnlineSco):
        state = state.update(LATER).update([["eve"], ["ada", "bob"]])
        state.levels()
    else:
        assert 0 <= state.predict("ada", "bob") <= 1
        state = state.update(LATER, ties="drop").update(bp.Battles.of([("eve", "ada", 1)], time=[1000]))
        assert 0 <= state.predict("ada", "eve") <= 1
        if isinstance(state, OnlineGlicko2):
            state.deviation_now("ada")
    state.save(again)
    load(again)


def damaged_states(kind: str, folder: Path) -> Iterator[tuple[str, Path]]:
    """Files of an online rating, each with one damage."""
    whole = RATINGS[kind].update(EARLY).to_dict()
    path = folder / "state.json"
    for story, document in damaged(whole):
        path.write_text(json.dumps(document), encoding="utf-8")
        yield f"{kind}: {story}", path


def whole_ledger(path: Path) -> None:
    """A ledger of three battles with all online ratings, replacing what is there."""
    path.unlink(missing_ok=True)
    rated = {name: one for name, one in RATINGS.items() if " " not in name}
    Ledger(by=("cluster",), **rated).add(EARLY, batch="monday").fit(prior=1).save(path)


def damaged_ledgers(folder: Path, part: int = 0, parts: int = 1) -> Iterator[tuple[str, Path]]:
    """Files of a ledger with one damage to the header, or to one of its arrays; one part of them all."""
    whole = folder / "whole"
    whole_ledger(whole)
    with zipfile.ZipFile(whole) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    path = folder / "ledger"
    for story, changed in islice(_damaged_members(members), part, None, parts):
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in changed.items():
                archive.writestr(name, data)
        yield f"ledger: {story}", path


def _damaged_members(members: dict[str, bytes]) -> Iterator[tuple[str, dict[str, bytes]]]:
    for story, document in damaged(json.loads(members["ledger.json"])):
        yield story, members | {"ledger.json": json.dumps(document).encode()}
    for name, data in members.items():
        if not name.endswith(".npy"):
            continue
        for story, other in _damaged_arrays(np.load(io.BytesIO(data))):
            sink = io.BytesIO()
            np.save(sink, other, allow_pickle=False)
            yield f"{name} {story}", members | {name: sink.getvalue()}
        yield f"without {name}", {key: value for key, value in members.items() if key != name}


def _damaged_arrays(array: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    flat = array.astype(float).ravel()
    for junk in (math.nan, math.inf, -1.0, 0.5, 1e16, 1e155, 1e308, 2.0**63):
        for at in {0, len(flat) - 1}:
            other = flat.copy()
            other[at] = junk
            yield f"[{at}] = {junk}", other.reshape(array.shape)
    yield "of other shape", array[..., None]
    yield "shorter", array[:-1]
    yield "empty", array[:0]
    yield "longer", np.concatenate([array, array])
    yield "complex", array.astype(complex)
    yield "texts", array.astype(str)
    yield "times", array.astype("int64").astype("datetime64[s]")
    yield "small", array.astype("int8")


SQL_JUNK = (
    None, 0, -1, 7, 1.5, 1e308, -1e308, 9.0e18, 2**62, "", "x", "null", "[]", "{}", "[1]", '{"policy": 1}', "NaN", "\x00", "ada",
    "bob", b"", b"\x00" * 8, b"\xff" * 24, b"\x00\x00\x00\x00\x00\x00\xf8\x7f" * 3,
)  # fmt: skip


def whole_arena(path: Path) -> None:
    """An arena of four agents with some battles answered, one requested, and one from elsewhere."""
    arena = bp.Arena(path, agents=["ada", "bob", "cyd", "dan"], prompts=["p", "q"], seed=1)
    rng = random.Random(3)
    for battle in arena.ask(60):
        arena.tell(battle, rng.choice(["a", "b", "tie", "both_bad"]), judge="eve")
    arena.add([("ada", "bob", "a", "k1")])
    arena.ask(2)
    arena.close()
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode=DELETE")


def damaged_arenas(folder: Path, part: int = 0, parts: int = 1) -> Iterator[tuple[str, Path]]:
    """Arenas with a column of one row or of all replaced, without rows or tables, with views for tables; one part of all."""
    whole, path = folder / "whole.db", folder / "arena.db"
    whole_arena(whole)
    for story, statements in islice(_damages(whole), part, None, parts):
        for name in ("arena.db", "arena.db-wal", "arena.db-shm", "arena.db-journal"):
            (folder / name).unlink(missing_ok=True)
        path.write_bytes(whole.read_bytes())
        with closing(sqlite3.connect(path)) as db:
            try:
                for statement, values in statements:
                    db.execute(statement, values)
                db.commit()
            except (sqlite3.IntegrityError, sqlite3.OperationalError):
                continue  # the table itself forbids it
        yield f"arena: {story}", path


def tampered_fault(
    rng: random.Random, damage: Callable[[random.Random, str, bytes], tuple[bytes, str]], folder: Path
) -> tuple[str, str | None]:
    """Damage a saved state or an arena at random places, and use it; return what was done, and what is wrong with how it ended."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    kind = rng.choice([*RATINGS, "ledger", "ledger", "arena", "arena", "arena"])
    path = folder / ("arena.db" if kind == "arena" else "state")
    if kind == "arena":
        whole_arena(path)
        if rng.random() < 0.6:
            return _arena_tampered(rng, path)
    elif kind == "ledger":
        whole_ledger(path)
    else:
        RATINGS[kind].update(EARLY).save(path)
    data, story = damage(rng, path.name, path.read_bytes())
    path.write_bytes(data)
    return f"{kind}: {story}", _arena_fault(path) if kind == "arena" else state_fault(path)


def _arena_tampered(rng: random.Random, path: Path) -> tuple[str, str | None]:
    """Several cells, tables or columns of an arena changed at once."""
    damages = rng.sample(list(_damages(path)), rng.choice([1, 2, 3, 6]))
    with closing(sqlite3.connect(path)) as db:
        for statement, values in (one for _, statements in damages for one in statements):
            with suppress(sqlite3.IntegrityError, sqlite3.OperationalError):
                db.execute(statement, values)
        db.commit()
    return f"arena: {'; '.join(story for story, _ in damages)}", _arena_fault(path)


def _arena_fault(path: Path) -> str | None:
    return fault(lambda: bp.read(path)) or fault(lambda: use_arena(path))


def _damages(whole: Path) -> Iterator[tuple[str, list[tuple[str, tuple[Any, ...]]]]]:
    with closing(sqlite3.connect(whole)) as db:
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        columns = {name: [row[1] for row in db.execute(f"PRAGMA table_info({name})")] for name in tables}
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)"
    for table in tables:
        for name in columns[table]:
            for junk in SQL_JUNK:
                key = columns[table][0]
                for where in (f" WHERE {key} = (SELECT max({key}) FROM {table})", ""):
                    story = f"{table}.{name} = {junk!r:.30}{' in all rows' if not where else ''}"
                    yield story, [(f'UPDATE {table} SET "{name}" = ?{where}', (junk,))]
        yield f"{table} empty", [(f"DELETE FROM {table}", ())]
        yield f"no {table}", [(f"DROP TABLE {table}", ())]
        shown = ", ".join(f'x AS "{name}"' for name in columns[table])
        view = [(f"DROP TABLE {table}", ()), (f"CREATE VIEW {table} AS {endless} SELECT {shown} FROM n", ())]
        yield f"{table} is an endless view", view
        without = [f'ALTER TABLE {table} DROP COLUMN "{columns[table][-1]}"']
        yield f"{table} without a column", [(one, ()) for one in without]


def use_arena(path: Path) -> None:
    """Open an arena, look at it, and go on with it."""
    arena = bp.Arena(path, seed=2)
    try:
        for look in (arena.board, arena.resolve, arena.evidence, lambda: arena.agents):
            look()
        battles = arena.ask(3)
        arena.tell(battles[0], "a", judge="eve")
        arena.tell_many([(one, "tie") for one in battles[1:]])
        arena.add([("ada", "bob", "a", "k1"), ("ada", "bob", "b")])
        arena.join("fay")
        arena.retire("ada")
        arena.ask(), arena.board(), arena.resolve().to_dict()
    finally:
        arena.close()
