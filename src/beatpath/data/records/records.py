"""JSON records, one at a time, with the place of each for error messages; and evidence built from plain rows."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from beatpath._errors import ReadError
from beatpath._text import shown
from beatpath.data.sources.memory import require_parseable
from beatpath.data.sources.source import Source
from beatpath.evidence import Battles, Factor, Reading, Scores


def records(source: Source, encoding: str | None = None) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield ``(place, object)`` for every object of a JSON Lines file, a JSON array, or a single JSON document."""
    text = source.text(encoding)
    require_parseable(text, shown(source.name))
    if source.suffix in (".jsonl", ".ndjson") or not text.lstrip().startswith("["):
        whole = None if source.suffix in (".jsonl", ".ndjson") else _parsed(text)
        items: Iterable[tuple[str, Any]] = (
            [("the document", whole)] if isinstance(whole, dict) else _json_lines(text, source)
        )
    else:
        items = ((f"record {i:,}", item) for i, item in enumerate(document(source, encoding), 1))
    for place, item in items:
        if not isinstance(item, dict):
            raise ReadError(f"{shown(source.name)} must hold JSON objects; {place} is a {type(item).__name__}.")
        yield f"{place} of {shown(source.name)}", item


def document(source: Source, encoding: str | None = None) -> Any:
    """Return a whole JSON file, or raise with the line at which it breaks."""
    text = source.text(encoding)
    require_parseable(text, shown(source.name))
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ReadError(
            f"{shown(source.name)} must be JSON; line {error.lineno:,} column {error.colno:,} is not: {error.msg}. "
            "It may be cut short."
        ) from None
    except (RecursionError, ValueError) as error:
        raise ReadError(
            f"{shown(source.name)} must be JSON of ordinary depth and numbers; it is not: {error}."
        ) from None


def _parsed(text: str) -> Any:
    """The parsed text, or ``None`` when it is not one JSON document."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _json_lines(text: str, source: Source) -> Iterator[tuple[str, Any]]:
    for number, line in enumerate(_lines(text), 1):
        if line.strip():
            try:
                yield f"line {number:,}", json.loads(line)
            except (ValueError, RecursionError) as error:
                raise ReadError(
                    f"{shown(source.name)} must have one JSON object a line; line {number:,} is not: {error}. "
                    "It may be cut short."
                ) from None


def _lines(text: str) -> Iterator[str]:
    """The lines of a text, one after another: all at once would take more memory than the text."""
    at = 0
    while at <= len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        yield text[at:end]
        at = end + 1


def finite_number(value: object, place: str, name: str) -> float:
    """Return a finite number (a truth value counts as 1 or 0), or raise with its place."""
    if isinstance(value, bool | int | float):
        try:
            if math.isfinite(value):
                return float(value)
        except OverflowError:  # a whole number beyond the range of floats
            pass
    raise ReadError(
        f"`{shown(name)}` must be a finite number; got {_json_in_words(value)} in {place}. Correct or remove the record."
    )


def _json_in_words(value: object) -> str:
    """A JSON value in a sentence."""
    return {dict: "an object", list: "an array", type(None): "null"}.get(type(value)) or shown(repr(value))


def mapping_of(value: object, place: str, name: str) -> dict[str, Any]:
    """Return a JSON object, or raise with what stands there instead."""
    if isinstance(value, dict):
        return value
    raise ReadError(
        f"`{shown(name)}` must be a JSON object; got {_json_in_words(value)} in {place}. It may be another format."
    )


def list_of(value: object, place: str, name: str) -> list[Any]:
    """Return a JSON array, or raise with what stands there instead."""
    if isinstance(value, list):
        return value
    raise ReadError(
        f"`{shown(name)}` must be a JSON array; got {_json_in_words(value)} in {place}. It may be another format."
    )


def optional_text(value: object) -> str | None:
    """Return a text or number as text, ``None`` where there is neither.

    >>> optional_text(81), optional_text(""), optional_text(["x"])
    ('81', None, None)
    """
    if not isinstance(value, str | int | float) or isinstance(value, bool) or value == "":
        return None
    return None if isinstance(value, float) and math.isnan(value) else str(value)


def text_of(record: Mapping[str, Any], key: str, place: str) -> str:
    """Return a required text field, or raise with the fields there are."""
    text = optional_text(record.get(key))
    if text is not None:
        return text
    has = (
        f"{_json_in_words(record[key])} there"
        if key in record
        else ", ".join(map(shown, list(record)[:12])) or "nothing"
    )
    raise ReadError(f"every record must have a text or number under `{key}`; {place} has {has}.")


def score_rows(
    rows: Sequence[Mapping[str, Any]],
    reading: Reading,
    *,
    higher_is_better: Mapping[str, bool] | None = None,
) -> Scores:
    """Build scores from rows with ``agent``, ``value`` and any of task, item, metric, replicate, stderr or further names.

    >>> score_rows([{"agent": "ada", "value": 1.0, "task": "t"}], Reading(("x",), "table", 1, 1))
    Scores(1 agent, 1 task, 1 value)
    """
    if not rows:
        raise ReadError(f"{', '.join(map(shown, reading.sources))} must hold at least one score; none was found.")
    agent = Factor.of([row["agent"] for row in rows])
    names = sorted({name for row in rows for name in row} - {"agent", "value", "stderr"})
    stderr = np.array([np.nan if row.get("stderr") is None else row["stderr"] for row in rows], dtype=np.float64)
    return Scores(
        agent.levels,
        agent.codes,
        np.array([row["value"] for row in rows], dtype=np.float64),
        {name: Factor.of([row.get(name) for row in rows]) for name in names},
        higher_is_better or {},
        None if np.isnan(stderr).all() else stderr,
        reading=reading,
    )


def battle_rows(rows: Sequence[Mapping[str, Any]], reading: Reading) -> Battles:
    """Build battles from rows with ``a``, ``b``, ``outcome`` and any of both_bad, weight, position, time or factor names.

    >>> battle_rows([{"a": "ada", "b": "bob", "outcome": 1.0, "judge": "j"}], Reading(("x",), "table", 1, 1))
    Battles(2 agents, 1 battle)
    """
    if not rows:
        raise ReadError(f"{', '.join(map(shown, reading.sources))} must hold at least one battle; none was found.")
    plain = {"both_bad": False, "weight": 1.0, "position": 0, "time": np.nan}
    columns = {k: [row.get(k, v) for row in rows] for k, v in plain.items() if any(k in row for row in rows)}
    names = sorted({name for row in rows for name in row} - {"a", "b", "outcome", *plain})
    factors = {name: Factor.of([row.get(name) for row in rows]) for name in names}
    return Battles.of(
        [(row["a"], row["b"], row["outcome"]) for row in rows], factors=factors, reading=reading, **columns
    )
