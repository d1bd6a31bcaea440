"""`read_run`: one run of an evaluation, whose table need not name the agent."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from beatpath._errors import ReadError
from beatpath._text import listed, quoted
from beatpath.data.formats.reader import Head
from beatpath.data.read import read
from beatpath.data.sources.source import open_sources
from beatpath.evidence import Factor, Scores

# columns that name items, where a table has no agents
ID_COLUMNS = (
    "id", "idx", "index", "doc_id", "sample_id", "instance_id", "example_id", "question_id", "item", "task_id",
)  # fmt: skip


def read_run(name: str, source: Any, reading: Mapping[str, Any]) -> Any:
    """Read one run; a table that names no agents, or whose ids were taken for agents or for nothing, holds the items of one."""
    with suppress(ReadError):  # which the second attempt raises too, unless all that lacks is the agent
        scores = read(source, **reading)
        if not isinstance(scores, Scores) or scores.reading is None:
            return scores
        of_items = {"task", "item"} & {*scores.factors} or not {*ID_COLUMNS} & {*map(str.lower, scores.reading.unused)}
        if of_items and scores.reading.guessed.get("agent", "").lower() not in ID_COLUMNS:
            return scores
    agent = "file"
    if not isinstance(source, str | Path):
        import narwhals.stable.v2 as nw

        agent, frame = "agent", nw.from_native(source)
        source, columns = frame.with_columns(nw.lit(name).alias(agent)).to_native(), frame.collect_schema().names()
    else:
        with open_sources([source]) as sources:
            columns = Head(sources[0]).columns
    return _of_one_agent(name, _read_items(name, source, reading, columns, agent))


def _read_items(name: str, source: Any, reading: Mapping[str, Any], columns: Sequence[str], agent: str) -> Any:
    """The scores of a table, its items in the first column that is called like one."""
    lowered = {column.lower(): column for column in columns}
    item = next(({"item": lowered[one]} for one in ID_COLUMNS if one in lowered), {})
    try:
        return read(source, **{**reading, "map": {"agent": agent, **item, **(reading.get("map") or {})}})
    except ReadError as error:
        if "must show what they mean" not in str(error):
            raise
        raise ReadError(
            f"a run must have a column of items and one of scores, numbers or true and false; of the columns of {quoted(name)}, "
            f"{listed(columns, 8)}, it is not clear which. Say so: `--map item=COLUMN,value=COLUMN`."
        ) from None


def _of_one_agent(name: str, scores: Any) -> Any:
    """Scores whose agents are the files of one run; files that share items are tasks."""
    if not isinstance(scores, Scores):
        return scores
    item, factors = scores.factors.get("item"), dict(scores.factors)
    if item is not None and len(scores.agents) > 1 and "task" not in factors:
        pairs = np.unique(np.stack([scores.agent, item.codes]), axis=1)
        if pairs.shape[1] > len(np.unique(item.codes)):
            factors["task"] = Factor.coded(scores.agent, scores.agents)
    return replace(scores, agents=(name,), agent=np.zeros_like(scores.agent), factors=factors)
