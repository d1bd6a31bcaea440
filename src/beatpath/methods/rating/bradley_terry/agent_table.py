"""What is known of agents besides their battles: a table of numbers and words, as columns that strengths may depend on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from numbers import Real

import numpy as np

from beatpath._arrays import Floats
from beatpath._errors import DataError, UsageError
from beatpath._text import counted, listed, quoted, suggestion

Known = Mapping[str, Mapping[str, float | str | None]]


@dataclass(frozen=True, slots=True, eq=False)
class AgentColumns:
    """A column for every number, and one for every word but the usual one of a column of words.

    Attributes
    ----------
    names : tuple of str
        ``size``, or ``licence=open`` for a word.
    values : (rows, k) float
        NaN in the whole row of an agent of which something is not known.
    usual : mapping of str to str
        The word of each column of words that the others are compared with: what most of the agents are.
    """

    names: tuple[str, ...]
    values: Floats
    usual: Mapping[str, str]


def agent_columns(known: Known, agents: Sequence[str], n_met: int, columns: Sequence[str] = ()) -> AgentColumns:
    """Return what is known of agents as numbers, a row an agent.

    Parameters
    ----------
    known : mapping of agent to a mapping of column to value
    agents : sequence of str
        Of which rows are made.
    n_met : int
        How many of these, from the first, are in the battles; words are told by them.
    columns : sequence of str
        Those to use; by default all.

    Examples
    --------
    >>> known = {"ada": {"size": 7, "licence": "open"}, "bob": {"size": 70, "licence": "closed"}, "cyd": {"size": 8, "licence": "open"}}
    >>> found = agent_columns(known, ["ada", "bob", "cyd"], 3)
    >>> found.names, found.values.tolist(), found.usual
    (('size', 'licence=closed'), [[7.0, 0.0], [70.0, 1.0], [8.0, 0.0]], {'licence': 'open'})
    """
    require_known(known)
    wanted = columns_wanted(known, columns)
    names: list[str] = []
    made: list[Floats] = []
    usual: dict[str, str] = {}
    for column in wanted:
        cells = [_cell(known, agent, column) for agent in agents]
        if any(isinstance(cell, str) for cell in cells):
            words = _words(column, cells, n_met)
            usual[column] = words[0]
            names += [f"{column}={word}" for word in words[1:]]
            made += [
                np.array([np.nan if cell is None else float(cell == word) for cell in cells]) for word in words[1:]
            ]
        else:
            names.append(column)
            made.append(np.array([np.nan if cell is None else cell for cell in cells], dtype=np.float64))
    values = np.column_stack(made) if made else np.zeros((len(agents), 0))
    values[np.isnan(values).any(axis=1)] = np.nan
    return AgentColumns(tuple(names), values, usual)


def require_known(known: object) -> None:
    """Refuse a table of agents that is none.

    >>> require_known([1])
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


def columns_wanted(known: Known, columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns to use, or raise with those there are.

    >>> columns_wanted({"ada": {"size": 7}}, ["sice"])
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `columns` must name columns of the table of agents ('size'); 'sice' is not among them. Did \
you mean 'size'?
    """
    there = tuple(dict.fromkeys(column for row in known.values() for column in row))
    if isinstance(columns, str):
        columns = [part.strip() for part in columns.split(",") if part.strip()]
    for name in columns:
        if name not in there:
            raise UsageError(
                f"`columns` must name columns of the table of agents ({listed(there)}); {quoted(name)} is not among them."
                f"{suggestion(str(name), there)}"
            )
    return tuple(dict.fromkeys(columns)) or there


def _cell(known: Known, agent: str, column: str) -> float | str | None:
    """A finite number, a word, or nothing."""
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
    """The words of a column, that of most agents first, the rest by name."""
    told = [str(cell) for cell in cells[:n_met] if cell is not None]
    words = sorted(set(told), key=lambda word: (-told.count(word), word))
    if len(words) == len(told) and len(words) > 2:
        raise DataError(
            f"{quoted(column)} must hold numbers, or words that several agents share; every one of "
            f"{counted(len(told), 'agent')} has its own. Leave it out: name the columns to use with `columns` or --columns."
        )
    new = next((str(cell) for cell in cells[n_met:] if cell is not None and str(cell) not in words), None)
    if new is not None:
        raise DataError(
            f"{quoted(column)} must have only words that some agent with battles has; {quoted(new)} is not one, and nothing "
            "says what it adds. Leave these agents out of the table, or the column with --columns."
        )
    return [words[0], *sorted(words[1:])] if words else []
