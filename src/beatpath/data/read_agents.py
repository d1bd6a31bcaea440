"""`read_agents`: what is known of agents besides their battles, from a table with a row each."""

import os

import numpy as np

from beatpath._errors import ReadError
from beatpath._text import quoted, shown
from beatpath.data.layouts.words import AGENT_WORDS
from beatpath.data.sources.find import found
from beatpath.data.sources.options import Options
from beatpath.data.tables.open_table import open_table
from beatpath.data.tables.table import Table

Cell = float | str | None


def read_agents(path: str | os.PathLike[str], *, agent: str | None = None) -> dict[str, dict[str, Cell]]:
    r"""Read a table of agents, one row each: size, licence, year.

    Parameters
    ----------
    path : path
        A CSV, TSV, JSON, JSON Lines or Parquet file.
    agent : str, optional
        The column of names; by default one called ``agent``, ``model``, ``player`` or the like, or else the first.

    Returns
    -------
    dict of agent to a dict of column to value
        Numbers where a column holds nothing else, texts otherwise, None where a cell is empty: what `rank` takes as `covariates` of
        ``bradley_terry_structured``.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "agents.csv"
    >>> _ = path.write_text("model,size,licence\nada,7,open\nbob,70,closed\ncyd,,open\n")
    >>> read_agents(path)["cyd"]
    {'size': None, 'licence': 'open'}
    """
    with found([path]) as sources, open_table(sources, Options()) as table:
        name = _agent_column(table, agent)
        others = [column for column in table.names if column != name]
        with table.rows([name, *others]) as rows:
            who = rows.factor(name)
            names = [who.levels[code] if code >= 0 else None for code in who.codes]
            _require_one_row_each(names, table)
            cells = {}
            for column in others:
                if rows.is_number(column):
                    cells[column] = [None if np.isnan(x) else float(x) for x in rows.numbers(column)]
                else:
                    told = rows.factor(column)
                    cells[column] = [(told.levels[code].strip() or None) if code >= 0 else None for code in told.codes]
    return {str(one): {column: cells[column][i] for column in others} for i, one in enumerate(names)}


def _agent_column(table: Table, agent: str | None) -> str:
    """The column of names."""
    if agent is not None:
        table.expression(agent)  # refuses what is no column, with those there are
        return agent
    known = {column.lower(): column for column in reversed(table.names)}
    return next((known[word] for word in AGENT_WORDS if word in known), table.names[0])


def _require_one_row_each(names: list[str | None], table: Table) -> None:
    seen: set[str] = set()
    for i, name in enumerate(names):
        if name is None or not name.strip():
            raise ReadError(f"a table of agents must name an agent in every row; {table.place(i)} names none.")
        if name in seen:
            raise ReadError(
                f"a table of agents must have one row an agent; {quoted(name)} has another in {table.place(i)}. If "
                f"{shown(table.sources[0])} has its names in another column, say which with `agent`."
            )
        seen.add(name)
