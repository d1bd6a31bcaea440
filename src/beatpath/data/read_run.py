"""`read_run`: one run of an evaluation, whose table need not name the agent."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb

from beatpath._errors import ReadError
from beatpath._text import listed, quoted
from beatpath.data.read import read

# columns that name items, where a table has no agents
ID_COLUMNS = (
    "id", "idx", "index", "doc_id", "sample_id", "instance_id", "example_id", "question_id", "item", "task_id",
)  # fmt: skip


def read_run(name: str, source: Any, reading: Mapping[str, Any]) -> Any:
    """Read one run; a table that names no agents, or whose ids were taken for agents, holds the items of one."""
    with duckdb.connect() as con:  # open until the rows are read
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
        columns = table.column_names if hasattr(table, "column_names") else table.columns  # of pyarrow, or of others
        lowered = {column.lower(): column for column in columns}
        item = next(({"item": lowered[one]} for one in ID_COLUMNS if one in lowered), {})
        try:
            return read(table, **{**reading, "map": {**item, **(reading.get("map") or {})}})
        except ReadError as error:
            if "must show what they mean" not in str(error):
                raise
            raise ReadError(
                f"a run must have a column of items and one of scores, numbers or true and false; of the columns of {quoted(name)}, "
                f"{listed([c for c in columns if c != 'agent'], 8)}, it is not clear which. Say so: `--map item=COLUMN,value=COLUMN`."
            ) from None


def _one_agent(con: duckdb.DuckDBPyConnection, name: str, source: Any) -> Any:
    """The rows of a frame, or of the files of a table, with a column for the only agent; nothing where it is no table."""
    if not isinstance(source, str | Path):
        import narwhals.stable.v2 as nw

        frame = nw.from_native(source, pass_through=True)
        return frame.with_columns(nw.lit(name).alias("agent")).to_native() if hasattr(frame, "with_columns") else None
    path = Path(source)
    endings = {one.suffix for one in path.iterdir() if one.is_file()} if path.is_dir() else set()
    files = str(path / f"*{endings.pop()}") if len(endings) == 1 else str(source)
    try:
        return con.sql(f"SELECT *, {_literal(name)} AS agent FROM {_literal(files)}")
    except duckdb.Error:
        return None


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
