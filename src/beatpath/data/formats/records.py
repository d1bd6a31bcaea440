"""Shared code of the readers of JSON-like formats: records with their locations, and rows under construction.

A reader goes through the records once and passes each battle or score to a `Tally`, which counts what is used, what
is dropped and why, and returns the evidence. Evaluation harnesses store hashes of their prompts; `Hashes` checks that
all files refer to the same prompts.
"""

import io
import json
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from beatpath._errors import ReadError, UnknownLabel
from beatpath._text import counted, listed, quoted, shown
from beatpath.data.layouts.labels import how_to_map
from beatpath.data.sources.memory import require_memory, require_parseable
from beatpath.data.sources.source import Options, Source
from beatpath.evidence import Battles, Convention, Factor, Reading, Scores

_OFTEN = 1 << 12  # rows between checks of their memory
_ROW_BYTES = 600  # bytes per row until it is a row of arrays
OUTCOMES = {"a": 1.0, "b": 0.0, "tie": 0.5, "both_bad": 0.5}  # outcome for agent a by meaning


def records(source: Source, encoding: str | None = None) -> Iterator["Fields"]:
    """Yield every object of a JSON Lines file, a JSON array, or a single JSON document."""
    text = _text_of(source, encoding)
    items = _json_lines(text, source)
    if source.suffix not in (".jsonl", ".ndjson"):
        if text.lstrip().startswith("["):
            items = ((f"record {i:,}", item) for i, item in enumerate(document(source, encoding), 1))
        else:
            with suppress(ValueError, RecursionError):  # otherwise JSON Lines
                items = iter([("the document", json.loads(text))])
    for place, item in items:
        if not isinstance(item, dict):
            raise ReadError(f"{shown(source.name)} must hold JSON objects; {place} is a {type(item).__name__}.")
        yield Fields(item, f"{place} of {shown(source.name)}")


def document(source: Source, encoding: str | None = None) -> Any:
    """Return a parsed JSON file, or raise an error with the line at which it breaks."""
    try:
        return json.loads(_text_of(source, encoding))
    except json.JSONDecodeError as error:
        raise ReadError(
            f"{shown(source.name)} must be JSON; line {error.lineno:,} column {error.colno:,} is not: {error.msg}. "
            "It may be cut short."
        ) from None
    except (RecursionError, ValueError) as error:
        raise ReadError(
            f"{shown(source.name)} must be JSON of ordinary depth and numbers; it is not: {error}."
        ) from None


def _text_of(source: Source, encoding: str | None) -> str:
    """The text of a file whose parsed content fits into memory."""
    text = source.text(encoding)
    require_parseable(text, shown(source.name))
    return text


def _json_lines(text: str, source: Source) -> Iterator[tuple[str, Any]]:
    for number, line in enumerate(io.StringIO(text, newline="\n"), 1):
        if line.strip():
            try:
                yield f"line {number:,}", json.loads(line)
            except (ValueError, RecursionError) as error:
                raise ReadError(
                    f"{shown(source.name)} must have one JSON object a line; line {number:,} is not: {error}. "
                    "It may be cut short."
                ) from None


def json_objects(lines: Iterable[str], name: str, keys: Sequence[str] = ()) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number and the object of every nonblank line; raise an error for a line without these keys."""
    what = f"a JSON object with {', '.join(keys)}" if keys else "a JSON object"
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                row = None
            if not isinstance(row, dict):
                raise ReadError(f"{name}, line {number} must be {what}; got {quoted(line.strip()[:60])}.")
            yield number, row


@dataclass(frozen=True, slots=True)
class Fields:
    """A JSON object and its location, so that an error about a field can name the location."""

    values: Mapping[str, Any]
    place: str

    @classmethod
    def of(cls, value: object, place: str, name: str = "the document") -> "Fields":
        """Return a JSON object, or raise an error that states what is there instead."""
        if isinstance(value, dict):
            return cls(value, place)
        raise _other_than("a JSON object", value, place, name)

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def get(self, key: str) -> Any:
        """Return a field as it is, ``None`` if it is missing."""
        return self.values.get(key)

    def fields(self, key: str, *, needed: bool = True) -> "Fields":
        """Return an object inside this one; an empty one if it is absent and not needed."""
        value = self.values.get(key) if needed else self.values.get(key) or {}
        return Fields.of(value, self.place, key)

    def list(self, key: str, *, needed: bool = True) -> list[Any]:
        """Return an array; an empty one if it is absent and not needed."""
        value = self.values.get(key) if needed else self.values.get(key) or []
        if isinstance(value, list):
            return value
        raise _other_than("a JSON array", value, self.place, key)

    def objects(self, key: str, *, needed: bool = True) -> Iterator["Fields"]:
        """Yield the objects of an array."""
        for value in self.list(key, needed=needed):
            yield Fields.of(value, self.place, key)

    def optional(self, key: str) -> str | None:
        """Return a string or number as a string, ``None`` if it is neither."""
        return optional_text(self.values.get(key))

    def text(self, key: str) -> str:
        """Return a required string field, or raise an error that lists the fields there are."""
        text = self.optional(key)
        if text is not None:
            return text
        names = ", ".join(map(shown, list(self.values)[:12])) or "nothing"
        has = f"{_json_in_words(self.values[key])} there" if key in self.values else names
        raise ReadError(f"every record must have a text or number under `{key}`; {self.place} has {has}.")

    def number(self, key: str) -> float:
        """Return a finite number (a boolean counts as 1 or 0), or raise an error with its location."""
        return finite_number(self.values.get(key), self.place, key)

    def optional_number(self, key: str) -> float | None:
        """Return a finite number, ``None`` if there is no value."""
        return None if self.values.get(key) is None else self.number(key)


def finite_number(value: object, place: str, name: str) -> float:
    """Return a finite number (a boolean counts as 1 or 0), or raise an error with its location."""
    if isinstance(value, bool | int | float) and abs(value) <= sys.float_info.max:
        return float(value)
    raise _other_than("a finite number", value, place, name, "Correct or remove the record.")


def _other_than(
    what: str, value: object, place: str, name: str, advice: str = "It may be another format."
) -> ReadError:
    return ReadError(f"`{shown(name)}` must be {what}; got {_json_in_words(value)} in {place}. {advice}")


def _json_in_words(value: object) -> str:
    """A JSON value, described for a message."""
    return {dict: "an object", list: "an array", type(None): "null"}.get(type(value)) or shown(repr(value))


def optional_text(value: object) -> str | None:
    """Return a string or number as a string, ``None`` if it is neither.

    >>> optional_text(81), optional_text(""), optional_text(["x"])
    ('81', None, None)
    """
    if not isinstance(value, str | int | float) or isinstance(value, bool) or value == "":
        return None
    return None if isinstance(value, float) and math.isnan(value) else str(value)


@dataclass
class Tally:
    """The running account of a read: every row is used, or dropped for a reason."""

    format: str
    sources: Sequence[Source]
    options: Options
    rows: list[dict[str, Any]] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    unknown: Counter[str] = field(default_factory=Counter)
    higher: dict[str, bool] = field(default_factory=dict)  # direction of each metric, as the files state it

    def direction(self, metric: str, up: bool, task: str, place: str) -> None:
        """Record whether higher is better for a metric; if tasks or files disagree, the user must decide."""
        if self.higher.setdefault(metric, up) != up and metric not in self.options.lower:
            raise ReadError(
                f"a metric must be better when higher on every task and in every file, or nowhere; {place} says otherwise of "
                f"{quoted(metric)} on {quoted(task)}. Read them apart, or settle it with `--lower`."
            )

    def records(self) -> Iterator[Fields]:
        """Yield every JSON object of all sources."""
        for source in self.sources:
            yield from records(source, self.options.encoding)

    def drop(self, reason: str, n_rows: int = 1) -> None:
        """Drop rows, with a reason."""
        self.dropped[reason] += n_rows

    def use(self, **row: object) -> None:
        """Add a row; values of ``None`` are unknown and left out."""
        self.rows.append({name: value for name, value in row.items() if value is not None})
        if not len(self.rows) % _OFTEN:
            names = ", ".join(shown(source.name) for source in self.sources[:2])
            require_memory(_ROW_BYTES * len(self.rows), f"the rows of {names}")

    def meaning(self, label: object, known: Mapping[str, str]) -> str | None:
        """Return the meaning of a label by the user's options, otherwise by the format.

        Returns ``None`` if neither knows it.
        """
        text = label if isinstance(label, str) else repr(label)[:60]
        meaning = self.options.labels.get(text, known.get(text))
        if meaning is None:
            self.unknown[text] += 1
        return meaning

    def battle(self, place: str, a: str, b: str, outcome: str | float | None, **columns: object) -> None:
        """Add a battle whose outcome is a number or a meaning; drop it if the meaning is ``drop``.

        An outcome of ``None`` is a label that was already counted as unknown.
        """
        if outcome is None:
            return
        if outcome == "drop":
            self.drop("label to be dropped")
        elif a == b and self.options.self_battles == "drop":
            self.drop("agent against itself")
        elif a == b:
            raise ReadError(
                f"an agent cannot be compared with itself; {quoted(a)} is in {place}. "
                "Correct the record, or leave such battles out with `--self drop`."
            )
        elif isinstance(outcome, str) and outcome not in OUTCOMES:
            raise UnknownLabel(
                f"a label must mean one of {', '.join(OUTCOMES)} or drop; {quoted(outcome)} is none of them ({place})."
            )
        else:
            bad = {"both_bad": True} if outcome == "both_bad" else {}
            value = OUTCOMES[outcome] if isinstance(outcome, str) else outcome
            self.use(a=a, b=b, outcome=value, **bad, **columns)

    def replicate(self) -> None:
        """Number the runs of an agent on a task and metric as replicates; rows name their run in ``run``."""
        runs: defaultdict[tuple[object, ...], dict[object, int]] = defaultdict(dict)
        for row in self.rows:
            runs_of_cell = runs[row["agent"], row.get("task"), row.get("metric")]
            runs_of_cell.setdefault(row["run"], len(runs_of_cell) + 1)
        for row in self.rows:
            runs_of_cell = runs[row["agent"], row.get("task"), row.get("metric")]
            number = runs_of_cell[row.pop("run")]
            if len(runs_of_cell) > 1:
                row["replicate"] = " ".join(["run", str(number), *([row["replicate"]] if "replicate" in row else [])])
        several = sorted(
            {(agent, task) for (agent, task, _), runs_of_cell in runs.items() if len(runs_of_cell) > 1}, key=str
        )
        if several:
            names = [agent if task is None else f"{agent} on {task}" for agent, task in several]
            self.notes.append(f"read more than one run of {listed(names)}: kept as replicates")

    def reading(self, noun: str) -> Reading:
        """Return the account, or raise an error if labels have no known meaning or no row is left."""
        if self.unknown:
            labels = ", ".join(f"{quoted(label)} ({n:,})" for label, n in self.unknown.most_common(10))
            raise UnknownLabel(
                f"every label must have a meaning in the format {self.format}; "
                f"{counted(len(self.unknown), 'label has', 'labels have')} none: {labels}. "
                f"{how_to_map([label for label, _ in self.unknown.most_common()], [*OUTCOMES])}"
            )
        names = tuple(source.name for source in self.sources)
        if not self.rows:
            why = "; ".join(f"{reason}: {n:,}" for reason, n in self.dropped.items())
            raise ReadError(
                f"{', '.join(map(shown, names[:3]))} must hold at least one usable {noun}; "
                f"{f'all were dropped ({why})' if why else 'none was found'}."
            )
        used, dropped = len(self.rows), sum(self.dropped.values())
        return Reading(names, self.format, used + dropped, used, dict(self.dropped), notes=tuple(self.notes))

    def battles(self, *conventions: Convention) -> Battles:
        """Return the battles; every further column of their rows becomes a factor."""
        reading = self.reading("battle")
        plain = {"both_bad": False, "weight": 1.0, "position": 0, "time": np.nan}
        columns = {k: self._column(k, v) for k, v in plain.items() if any(k in row for row in self.rows)}
        return Battles.of(
            [(row["a"], row["b"], row["outcome"]) for row in self.rows],
            factors=self._factors("a", "b", "outcome", *plain),
            conventions=conventions,
            reading=reading,
            **columns,
        )

    def scores(self, *conventions: Convention) -> Scores:
        """Return the scores; directions that the user states override those in the files."""
        reading = self.reading("score")
        used = set(self._column("metric"))
        higher = {metric: up for metric, up in self.higher.items() if metric in used}
        agent, stderr = Factor.of(self._column("agent")), np.array(self._column("stderr"), dtype=np.float64)
        return Scores(
            agent.levels,
            agent.codes,
            np.array(self._column("value"), dtype=np.float64),
            self._factors("agent", "value", "stderr"),
            {**higher, **dict.fromkeys(self.options.lower, False)},
            None if np.isnan(stderr).all() else stderr,
            conventions=conventions,
            reading=reading,
        )

    def _column(self, name: str, missing: object = None) -> list[Any]:
        return [row.get(name, missing) for row in self.rows]

    def _factors(self, *others: str) -> dict[str, Factor]:
        """Factors of all columns except these."""
        names = sorted({name for row in self.rows for name in row}.difference(others))
        return {name: Factor.of(self._column(name)) for name in names}


@dataclass
class Hashes:
    """Hashes of prompts by task and item; raises an error if two files differ."""

    options: Options
    seen: dict[tuple[str, str | None], tuple[str, object, bool]] = field(default_factory=dict)

    def see(self, file: str, task: str, item: str | None, value: object, *, weak: bool = False) -> None:
        """Compare the hash of a file with that of the first file that has one; a missing hash is ignored.

        Two weak hashes are not compared: those of tasks whose items have hashes of their own.

        >>> hashes = Hashes(Options())
        >>> hashes.see("one.json", "math", None, "3f48")
        >>> hashes.see("two.json", "math", None, "acd9")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        beatpath._errors.ReadError: every agent must have had the same prompts; task 'math' has the hash 3f48 in ...
        """
        if not _first_digits(value) or self.options.columns.get("hashes") == "ignore":
            return
        first, theirs, was_weak = self.seen.setdefault((task, item), (file, value, weak))
        if theirs != value and not (weak and was_weak):
            where = f"task {quoted(task)}" + ("" if item is None else f", item {quoted(item)},")
            ours = f"{_first_digits(theirs)} in {shown(first, 120)} and {_first_digits(value)} in {shown(file, 120)}"
            raise ReadError(
                f"every agent must have had the same prompts; {where} has the hash {ours}. "
                "Leave one of the files out, or read both all the same with `--map hashes=ignore`."
            )


def _first_digits(value: object) -> str:
    """The first digits of a hash, or of several joined by a plus; empty if there is none."""
    if isinstance(value, tuple):
        return "+".join(filter(None, map(_first_digits, value)))
    return shown(value[:12]) if isinstance(value, str) else ""
