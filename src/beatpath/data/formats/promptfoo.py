"""Results of promptfoo, as ``promptfoo eval --output results.json`` (or ``.jsonl``) writes them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from beatpath.data.formats.reader import Head, Reader
from beatpath.data.formats.records import Tally, finite_number, list_of, mapping_of, optional_text, records, text_of
from beatpath.data.sources.source import Options, Source
from beatpath.evidence import Scores

ERROR = 2  # promptfoo's `failureReason`: 0 none, 1 an assertion failed, 2 an error
_ROW = {"testIdx", "promptIdx", "provider", "score"}  # keys of a result by itself
LONGEST = 40  # characters of a prompt's label that may stand in an agent's name

Row = tuple[str, dict[str, Any]]


def read_promptfoo(sources: Sequence[Source], options: Options) -> Scores:
    """Read the score of every test, and its named scores as further metrics.

    The agent is the provider's label, else its identifier, followed by the prompt in brackets where the file tries
    several. Tests that ended in an error are dropped; a failed assertion is a low score, not an error.
    Equal tests, as ``--repeat`` makes them under numbers of their own, are replicates of one item.
    """
    tally = Tally("promptfoo", sources, options)
    for source in sources:
        task, rows = _document(source, options)
        prompts, items = _prompts(rows), _test_names(rows)
        for place, row in rows:
            if row.get("failureReason") == ERROR:
                tally.drop("test ended in an error")
            else:
                item, replicate = items[text_of(row, "testIdx", place)]
                names = {"agent": _provider_name(row, place, prompts), "task": task, "run": source.name}
                _take_test(tally, place, row, **names, item=item, replicate=replicate)
    tally.replicate()
    return tally.scores()


def _document(source: Source, options: Options) -> tuple[str | None, list[Row]]:
    """The description of an evaluation, where it has one, and its results with their places."""
    task, rows = None, []
    for place, record in records(source, options.encoding):
        if "testIdx" in record:
            rows.append((place, record))
            continue
        config = mapping_of(record.get("config") or {}, place, "config")
        task = optional_text(config.get("description"))
        rows.extend(_results(mapping_of(record.get("results"), place, "results"), place))
    return task, rows


def _results(results: Mapping[str, Any], place: str) -> Iterator[Row]:
    for i, row in enumerate(list_of(results.get("results"), place, "results"), 1):
        where = f"result {i:,} of {place}"
        yield where, mapping_of(row, where, "results")


def _prompts(rows: Sequence[Row]) -> dict[str, str]:
    """Names of the prompts: their labels where these are short and distinct, else numbers; none for a single prompt."""
    labels: dict[str, str] = {}
    for _, row in sorted(rows, key=lambda row: _index(row, "promptIdx")):
        prompt = row.get("prompt")
        label = optional_text(prompt.get("label")) if isinstance(prompt, dict) else None
        labels.setdefault(_prompt(row), label or "")
    if len(labels) < 2:
        return {}
    clear = len(set(labels.values())) == len(labels) and all(0 < len(x) <= LONGEST for x in labels.values())
    return labels if clear else {key: f"prompt {i}" for i, key in enumerate(labels, 1)}


def _test_names(rows: Sequence[Row]) -> dict[str, tuple[str, str | None]]:
    """For each test number the first number of an equal test, and which repeat it is, if there are several."""
    alike: dict[str, list[str]] = {}
    for place, row in sorted(rows, key=lambda row: _index(row, "testIdx")):
        index, test = text_of(row, "testIdx", place), row.get("testCase")
        if isinstance(test, dict) and row.get("vars"):
            key = json.dumps([row["vars"], test.get("description"), test.get("assert")], sort_keys=True)
        else:
            key = f"test {index}"
        numbers = alike.setdefault(key, [])
        if index not in numbers:
            numbers.append(index)
    return {
        index: (numbers[0], str(i) if len(numbers) > 1 else None)
        for numbers in alike.values()
        for i, index in enumerate(numbers, 1)
    }


def _index(row: Row, key: str) -> int:
    index = row[1].get(key)
    return index if isinstance(index, int) else 0


def _prompt(row: Mapping[str, Any]) -> str:
    return optional_text(row.get("promptId")) or optional_text(row.get("promptIdx")) or ""


def _provider_name(row: Mapping[str, Any], place: str, prompts: Mapping[str, str]) -> str:
    provider = row.get("provider")
    if not isinstance(provider, str):
        named = mapping_of(provider, place, "provider")
        provider = optional_text(named.get("label")) or text_of(named, "id", place)
    return f"{provider} [{prompts[_prompt(row)]}]" if prompts else provider


def _take_test(tally: Tally, place: str, row: Mapping[str, Any], **names: object) -> None:
    """Keep the score and the named scores of one test."""
    scores = {**mapping_of(row.get("namedScores") or {}, place, "namedScores"), "score": row.get("score")}
    for metric, value in scores.items():
        tally.use(**names, metric=metric, value=finite_number(value, place, metric))


def claims_promptfoo(head: Head) -> bool:
    """Whether the first record is an evaluation, or a row of one."""
    results = head.record.get("results")
    if isinstance(results, dict):
        return isinstance(results.get("results"), list)
    return head.record.keys() >= _ROW


reader = Reader(
    "promptfoo",
    "promptfoo evaluations (--output results.json or .jsonl)",
    claims_promptfoo,
    read_promptfoo,
    keys=(*({"results", key} for key in ("evalId", "config", "shareableUrl")), _ROW),
)
