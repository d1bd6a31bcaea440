"""Design columns of a Bradley-Terry model: position, differences of covariates ("style control"), and agent covariates.

Battles become distinct rows of (pair, position, values), oriented so that the pair is in the order of its codes;
reversing a pair negates the values. A table of agents, with numbers and words, becomes columns that strengths may
depend on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np

from beatpath._arrays import Bools, Floats, Ints
from beatpath._errors import DataError, UsageError
from beatpath._text import counted, listed, quoted
from beatpath._validate import require_known
from beatpath.evidence import Battles, Pairs
from beatpath.evidence.pairs import BOTH_BAD, LOSS, TIE, WIN
from beatpath.stats.codes import first_rows, joint

Known = Mapping[str, Mapping[str, float | str | None]]  # values by agent and column


@dataclass(frozen=True, slots=True, eq=False)
class AgentColumns:
    """Covariates of agents: one column per number, and one per word except the reference level of a categorical column.

    Attributes
    ----------
    names : tuple of str
        ``size``, or ``license=open`` for a word.
    values : (rows, k) float
        NaN in the whole row of an agent with a missing value.
    usual : mapping of str to str
        Reference level of each categorical column: the most common word.
    """

    names: tuple[str, ...]
    values: Floats
    usual: Mapping[str, str]


def agent_columns(known: Known, agents: Sequence[str], n_met: int, columns: Sequence[str] = ()) -> AgentColumns:
    """Return a table of agents as numbers, one row per agent.

    Parameters
    ----------
    known : mapping of agent to a mapping of column to value
        The table.
    agents : sequence of str
        The agents of the rows.
    n_met : int
        How many of these, from the first, have battles; they determine the reference levels.
    columns : sequence of str
        Columns to use; by default all.

    Examples
    --------
    >>> known = {"ada": {"size": 7, "license": "open"}, "bob": {"size": 70, "license": "closed"}, "cyd": {"size": 8, "license": "open"}}
    >>> result = agent_columns(known, ["ada", "bob", "cyd"], 3)
    >>> result.names, result.values.tolist(), result.usual
    (('size', 'license=closed'), [[7.0, 0.0], [70.0, 1.0], [8.0, 0.0]], {'license': 'open'})
    """
    require_agent_table(known)
    chosen = chosen_columns(known, columns)
    names: list[str] = []
    columns_of: list[Floats] = []
    usual: dict[str, str] = {}
    for column in chosen:
        cells = [_cell(known, agent, column) for agent in agents]
        parts: dict[str, list[Any]] = {column: cells}
        if any(isinstance(cell, str) for cell in cells):
            usual[column], *words = _words(column, cells, n_met)
            parts = {f"{column}={word}": [None if cell is None else cell == word for cell in cells] for word in words}
        names += parts
        columns_of += [np.array(values, dtype=np.float64) for values in parts.values()]  # None becomes NaN
    values = np.column_stack(columns_of) if columns_of else np.zeros((len(agents), 0))
    values[np.isnan(values).any(axis=1)] = np.nan
    return AgentColumns(tuple(names), values, usual)


def require_agent_table(known: object) -> None:
    """Raise an error if the argument is not a table of agents.

    >>> require_agent_table([1])
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `covariates` must be values by agent and column, such as {'ada': {'size': 7}}; got '[1]'. \
`bp.read_agents` reads them from a file.
    """
    if not isinstance(known, Mapping) or not all(isinstance(row, Mapping) for row in known.values()):
        raise UsageError(
            f"`covariates` must be values by agent and column, such as {{'ada': {{'size': 7}}}}; got {quoted(known)}. "
            "`bp.read_agents` reads them from a file."
        )


def chosen_columns(known: Known, columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns to use, or raise an error that lists those there are.

    >>> chosen_columns({"ada": {"size": 7}}, ["sice"])
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `columns` must name columns of the table of agents ('size'); 'sice' is not among them. Did \
you mean 'size'?
    """
    there = tuple(dict.fromkeys(column for row in known.values() for column in row))
    if isinstance(columns, str):
        columns = [part.strip() for part in columns.split(",") if part.strip()]
    for name in columns:
        must = f"`columns` must name columns of the table of agents ({listed(there)})"
        require_known(name, there, f"{must}; {quoted(name)} is not among them.")
    return tuple(dict.fromkeys(columns)) or there


def _cell(known: Known, agent: str, column: str) -> float | str | None:
    """A finite number, a word, or None."""
    cell = known.get(agent, {}).get(column)
    if cell is None or isinstance(cell, str):
        return cell or None
    if isinstance(cell, bool | np.bool_):
        return "yes" if cell else "no"
    if not isinstance(cell, Real) or not isfinite(cell):
        raise UsageError(
            f"a table of agents must hold finite numbers, words or nothing; {quoted(column)} of {quoted(agent)} is {quoted(cell)}."
        )
    return float(cell)


def _words(column: str, cells: Sequence[float | str | None], n_met: int) -> list[str]:
    """The words of a column, most common first, the rest by name."""
    texts = [str(cell) for cell in cells[:n_met] if cell is not None]
    words = sorted(set(texts), key=lambda word: (-texts.count(word), word))
    if len(words) == len(texts) and len(words) > 2:
        raise DataError(
            f"{quoted(column)} must hold numbers, or words that several agents share; every one of "
            f"{counted(len(texts), 'agent')} has its own. Leave it out: name the columns to use with `--columns`."
        )
    new = next((str(cell) for cell in cells[n_met:] if cell is not None and str(cell) not in words), None)
    if new is not None:
        raise DataError(
            f"{quoted(column)} must have only words that some agent with battles has; {quoted(new)} is not one, and nothing "
            "says what it adds. Leave these agents out of the table, or the column with `--columns`."
        )
    return [words[0], *sorted(words[1:])] if words else []


# Name of the position column; separator of a difference of two columns.
POSITION = "position"
BETWEEN = " - "


def covariate_names(covariates: str | Sequence[str]) -> tuple[str, ...]:
    """Return the names of covariates, given as a list or as one text with commas.

    >>> covariate_names("len_a - len_b, tone")
    ('len_a - len_b', 'tone')
    """
    if isinstance(covariates, str):
        covariates = [part.strip() for part in covariates.split(",") if part.strip()]
    names = tuple(covariates)
    if not all(isinstance(name, str) for name in names):
        raise UsageError(f"`covariates` must be names of columns; got {listed(names)}.")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(f"`covariates` must name each difference once; {quoted(twice)} stands twice.")
    return names


def shifts(battles: Battles | None, position: bool, covariates: Sequence[str]) -> Floats:
    """Return what shifts the lead of *a* in each battle: one column for the position, one per covariate.

    A covariate is a column that already holds a difference, *a* minus *b*, or ``left - right`` for two columns of
    which the first belongs to *a*.

    >>> battles = Battles.of([("x", "y", 1), ("y", "x", 0)], position=[1, -1], covariates={"la": [5.0, 3], "lb": [2.0, 3]})
    >>> shifts(battles, True, ["la - lb"])
    array([[ 1.,  3.],
           [-1.,  0.]])
    """
    what = "`position`" if position else "`covariates`"
    if battles is None:
        raise DataError(
            f"{what} need battles, one row each; counts, ballots and tables do not say how each battle was set up."
        )
    columns = [_difference(battles, name) for name in covariates]
    if position:
        columns.insert(0, _position_shift(battles))
    return np.column_stack(columns)


def distinct_rows(battles: Battles, x: Floats) -> tuple[Pairs, Floats]:
    """Return the battles summed over equal (pair, x), sorted by pair, and the x of each row.

    >>> battles = Battles.of([("x", "y", 1), ("y", "x", 0), ("x", "y", 0.5)])
    >>> rows, x = distinct_rows(battles, np.array([[1.0], [-1.0], [2.0]]))
    >>> rows.counts, x
    (array([[2., 0., 0., 0.],
           [0., 0., 1., 0.]]), array([[1.],
           [2.]]))
    """
    turned = battles.a > battles.b
    low, high = np.minimum(battles.a, battles.b), np.maximum(battles.a, battles.b)
    x = np.where(turned[:, None], -x, x) + 0.0  # avoids negative zeros
    row, size = joint([low, high, *x.T])
    first = first_rows(row, size)
    counts = _outcomes_by_row(battles, turned, row, len(first))
    return Pairs(battles.agents, low[first], high[first], counts), x[first]


def require_shifts(rows: Pairs, x: Floats, names: Sequence[str]) -> None:
    """Raise an error for a column that is constant over the battles with nonzero weight."""
    weighs = rows.counts.sum(axis=1) > 0
    for name, column in zip(names, x.T, strict=True):
        if not column[weighs].any():
            what = "the position" if name == POSITION else f"covariate {quoted(name)}"
            raise DataError(f"{what} must vary between battles; it is 0 in all of them. Leave it out.")


def _difference(battles: Battles, name: str) -> Floats:
    """The difference that a covariate names, known and not constant."""
    left, between, right = name.partition(BETWEEN)
    if name in battles.covariates or not between:
        values = _covariate_column(battles, name)
    else:
        values = _covariate_column(battles, left.strip()) - _covariate_column(battles, right.strip())
    if len(values) and (values == values[0]).all():
        raise DataError(
            f"covariate {quoted(name)} must vary between battles; it is {values[0]:g} in all of them. Leave it out, or use "
            "`position` for the effect of being first."
        )
    return values


def _covariate_column(battles: Battles, name: str) -> Floats:
    known = listed(battles.covariates) or "they have none"
    must = f"`covariates` must name numeric columns of the battles, which `--keep` carries along ({known})"
    require_known(name, battles.covariates, f"{must}; {quoted(name)} is not among them.")
    values = battles.covariates[name]
    missing = int((~np.isfinite(values)).sum())
    if missing:
        raise DataError(
            f"covariate {quoted(name)} must be a number in every battle; it is missing in {counted(missing, 'battle')} of "
            f"{len(values):,}. Leave these battles out, or fill them in."
        )
    return values


def _position_shift(battles: Battles) -> Floats:
    if battles.position is None or not battles.position.any():
        raise DataError(
            "`position` needs to know who was first; these battles do not say. Map a column with `--map position=COLUMN`."
        )
    return battles.position.astype(np.float64)


def _outcomes_by_row(battles: Battles, turned: Bools, row: Ints, n_rows: int) -> Floats:
    """Wins, losses, ties and both-bad counts by row; soft preferences are split."""
    weight = np.ones(len(battles)) if battles.weight is None else battles.weight
    outcome = np.where(turned, 1 - battles.outcome, battles.outcome)
    bad = np.zeros(len(battles), dtype=bool) if battles.both_bad is None else battles.both_bad
    tied = (outcome == 0.5) & ~bad
    sided = weight * ~(tied | bad)
    parts = {WIN: sided * outcome, LOSS: sided * (1 - outcome), TIE: weight * tied, BOTH_BAD: weight * bad}
    return np.column_stack([np.bincount(row, parts[k], n_rows) for k in sorted(parts)])
