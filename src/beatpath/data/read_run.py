"""`read_run`: one run of an evaluation, whose table need not name the agent."""

from collections.abc import Mapping
from typing import Any

import duckdb

from beatpath._errors import ReadError
from beatpath.data.read import read

# columns that name items, where a table has no agents
ID_COLUMNS = (
    "id",
    "idx",
    "index",
    "doc_id",
    "sample_id",
    "instance_id",
    "example_id",
    "question_id",
    "item",
    "task_id",
)


def read_run(name: str, source: Any, reading: Mapping[str, Any]) -> Any:
    """Read one run; a table that names no agents, or whose ids were taken for agents, holds the items of one."""
    con = duckdb.connect()  # lives until the rows are read
    try:
        scores = read(source, **reading)
    except ReadError:
        table = _one_agent(con, name, source)
        if table is None:
            raise
    else:
        guessed = {} if scores.reading is None else scores.reading.guessed
        table = _one_agent(con, name, source) if guessed.get("agent", "").lower() in ID_COLUMNS else None
        if table is None:
            return scores
    lowered = {column.lower(): column for column in table.columns}
    item = next(({"item": lowered[one]} for one in ID_COLUMNS if one in lowered), {})
    return read(table, **{**reading, "map": {**item, **(reading.get("map") or {})}})


def _one_agent(con: duckdb.DuckDBPyConnection, name: str, source: Any) -> Any:
    """The rows of a table file with a column for the only agent; nothing where it is no table, or has such a column."""
    try:
        table = con.sql(f"SELECT *, {_literal(name)} AS agent FROM {_literal(str(source))}")
    except duckdb.Error:
        return None
    return table


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
