"""`read_run`: one run of an evaluation, whose table need not name the agent; `read_run_columns`: a run in every column."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from beatpath._errors import BeatpathError, ReadError
from beatpath._text import listed, quoted
from beatpath.data.formats.reader import Head
from beatpath.data.read import read
from beatpath.data.sources.source import open_sources
from beatpath.data.tables.words import TASK_FIRST, is_measure, own_names, plain_name
from beatpath.evidence import Factor, Scores
from beatpath.evidence.scores import usually_lower

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
    agent, columns = "file", columns_of(source)
    if not isinstance(source, str | Path | list | tuple):
        import narwhals.stable.v2 as nw

        agent = "agent"
        if isinstance(source, Mapping):
            source = {**source, agent: [name] * max(map(len, source.values()), default=0)}
        else:
            source = nw.from_native(source).with_columns(nw.lit(name).alias(agent)).to_native()
    return _of_one_agent(name, _read_items(name, source, reading, columns, agent))


def read_run_columns(source: Any, reading: Mapping[str, Any], cluster: str) -> Scores | None:
    """Read a table with a row for every item and a column of scores for every run; return None for any other.

    Items are in the column that is called like one, otherwise in the first. Columns that are called like several measures,
    as ``accuracy`` and ``f1`` are, are no runs, nor is that of clusters.
    """
    columns = columns_of(source)
    if reading.get("map") or not columns:
        return None
    item, kept = next(filter(names_items, columns), columns[0]), {*(reading.get("keep") or ()), cluster} & {*columns}
    try:
        scores = read(source, **{**reading, "map": {"agent": "columns", "task": item}, "keep": sorted(kept - {item})})
    except BeatpathError:
        return None
    if not isinstance(scores, Scores) or scores.reading is None or len(scores.agents) < 2:
        return None
    if any(is_measure(name) or usually_lower(name) for name in own_names(scores.agents)):
        return None
    each = {name: scores.value[scores.agent == k] for k, name in enumerate(scores.agents)}
    whole = [name for name, x in each.items() if not (x % 1).any() and ((x < 0) | (x > 1)).any()]
    others = [name for name in each if name not in whole]
    if len(others) > 1 and whole:
        raise ReadError(
            f"columns of runs must have one scale; {listed(whole)} {'holds' if len(whole) == 1 else 'hold'} whole numbers, "
            f"{listed(others)} do not. Name the runs: `--map agent=columns,task={item},value={'+'.join(others)}`; a column of "
            f"correlated items is `--cluster {whole[0]}`."
        )
    guessed = {**scores.reading.guessed, **scores.reading.given}
    return replace(scores, reading=replace(scores.reading, guessed=guessed, given={}))


def names_items(column: str) -> bool:
    """Return whether a column names items by its name.

    >>> names_items("doc_id"), names_items("Question"), names_items("base")
    (True, True, False)
    """
    return column.lower() in ID_COLUMNS or plain_name(column) in TASK_FIRST


def columns_of(source: Any) -> Sequence[str]:
    """Return the names of the columns of a file or a frame."""
    if isinstance(source, str | Path | list | tuple):
        with open_sources([source] if isinstance(source, str | Path) else source) as sources:
            return Head(sources[0]).columns
    if isinstance(source, Mapping):
        return [*source]
    import narwhals.stable.v2 as nw

    return nw.from_native(source).collect_schema().names()


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
