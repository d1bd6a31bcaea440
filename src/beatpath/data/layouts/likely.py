"""Columns that do not show what they mean: the likeliest readings, each with the option that asks for it.

Names say nothing here, so the cells are asked: two columns that hold the same texts are the two agents of a battle, texts that
come again and again beside a number are agents of a game or a task.
"""

import shlex
from collections.abc import Iterator

from beatpath._text import listed, shown
from beatpath.data.layouts.peek import Peek
from beatpath.data.layouts.words import score_twins, sides_of, tokens

_ALIKE = 0.3  # share of texts that two columns of agents have in common
_FEW = 8  # labels of an outcome, at the most


def unclear(peek: Peek, source: str) -> str:
    """Say that columns do not show what they mean, and give the two likeliest readings or else examples."""
    found = list(likely_readings(peek))[:2]
    said = f"the columns of {shown(source)} must show what they mean; {listed(peek.names, 12)} do not. "
    if not found:
        return said + (
            "Map them, for example `--map agent_a=COLUMN,agent_b=COLUMN,outcome=COLUMN` for battles, `--map agent=COLUMN,"
            "task=COLUMN,value=COLUMN` for scores, `--map ballot=COLUMN,agent=COLUMN,rank=COLUMN` for games; `beatpath formats` "
            "lists all."
        )
    options = [f"{what}, `--map {_option(roles)}`" for what, roles in found]
    return said + f"They may be {'; or '.join(options)}. `beatpath formats` lists all layouts."


def likely_readings(peek: Peek) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield what a table may hold and the roles of its columns, the likeliest first."""
    number = [name for name in peek.names if peek.mostly_numbers(name)]
    text = [name for name in peek.names if name not in number]
    measure = [name for name in number if not {"id", "index", "idx", "date", "time", "year"} & set(tokens(name))]
    agents = _alike(peek, text) or _alike(peek, [name for name in number if name not in measure])
    if agents is not None:
        yield from _battles(peek, agents, [name for name in measure if name not in agents])
    names = [name for name in text if peek.repeats(name)]
    game = next(
        (
            n
            for n in peek.names
            if {"id", "game", "match", "race", "round"} & set(tokens(n))
            and len(set(peek.first(n))) < len(peek.first(n))
        ),
        None,
    )
    if names and measure:
        agent = next((name for name in names if name != game), names[0])
        values = [name for name in measure if name not in (agent, game)]
        others = [name for name in names if name not in (agent, game)]
        if game is not None and game != agent and values:
            yield "places in games, more being better", {"ballot": game, "agent": agent, "score": values[0]}
        if values:
            yield "scores", {"agent": agent, **({"task": others[0]} if others else {}), "value": values[0]}
    elif text and len(measure) > 1:
        yield "a table of scores, one column a task", {"agent": text[0], "value": "+".join(measure[:8])}


def _battles(peek: Peek, agents: tuple[str, str], measure: list[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Battles by score and by label between two columns of agents."""
    roles = dict(zip(("agent_a", "agent_b"), agents, strict=True))
    scores = score_twins(measure, sides_of(*agents)) or (measure[:2] if len(measure) > 1 else None)
    if scores:
        yield "battles by score", {**roles, "score_a": scores[0], "score_b": scores[1]}
    rest = [name for name in peek.names if name not in agents and not {"id", "date"} & set(tokens(name))]
    label = next((name for name in rest if 2 <= len(set(peek.first(name))) <= _FEW), None)
    if label is not None:
        yield "battles", {**roles, "outcome": label}


def _alike(peek: Peek, names: list[str]) -> tuple[str, str] | None:
    """The first two columns that have many texts in common."""
    cells = {name: set(peek.first(name)) for name in names}
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            if min(len(cells[a]), len(cells[b])) > 1 and len(cells[a] & cells[b]) >= _ALIKE * len(cells[a] | cells[b]):
                return a, b
    return None


def _option(roles: dict[str, str]) -> str:
    return shlex.quote(",".join(f"{role}={shown(column, 200)}" for role, column in roles.items()))
