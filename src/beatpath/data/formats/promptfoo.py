"""Promptfoo results, as ``promptfoo eval --output results.json`` (or ``.jsonl``) writes them."""

import json
from collections.abc import Mapping, Sequence
from functools import partial

from beatpath.data.formats.reader import Head, Reader
from beatpath.data.formats.records import Fields, Tally, records
from beatpath.data.sources.source import Options, Source
from beatpath.evidence import Scores

ERROR = 2  # promptfoo's `failureReason`: 0 none, 1 a failed assertion, 2 an error
_ROW = {"testIdx", "promptIdx", "provider", "score"}  # keys of a single result
LONGEST = 40  # longest label of a prompt that is used in an agent's name, in characters


def read_promptfoo(sources: Sequence[Source], options: Options) -> Scores:
    """Read the score of every test, and its named scores as further metrics.

    The agent is the provider's label, otherwise its identifier, followed by the prompt in brackets if the file tries
    several. Tests that ended in an error are dropped; a failed assertion is a low score, not an error. Equal tests,
    which ``--repeat`` writes under separate numbers, are replicates of one item.
    """
    tally = Tally("promptfoo", sources, options)
    for source in sources:
        task, rows = _document(source, options)
        prompts, items = _prompts(rows), _test_names(rows)
        for row in rows:
            if row.get("failureReason") == ERROR:
                tally.drop("test ended in an error")
                continue
            item, replicate = items[row.text("testIdx")]
            names = {"agent": _provider_name(row, prompts), "task": task, "run": source.name, "item": item}
            scores = Fields({**row.fields("namedScores", needed=False).values, "score": row.get("score")}, row.place)
            for metric in scores.values:
                tally.use(**names, replicate=replicate, metric=metric, value=scores.number(metric))
    tally.replicate()
    return tally.scores()


def _document(source: Source, options: Options) -> tuple[str | None, list[Fields]]:
    """The description of an evaluation, if it has one, and its results."""
    task, rows = None, []
    for record in records(source, options.encoding):
        if "testIdx" in record:
            rows.append(record)
            continue
        task = record.fields("config", needed=False).optional("description")
        for i, row in enumerate(record.fields("results").list("results"), 1):
            rows.append(Fields.of(row, f"result {i:,} of {record.place}", "results"))
    return task, rows


def _prompts(rows: Sequence[Fields]) -> dict[str, str]:
    """Names of the prompts: short distinct labels, otherwise numbers; none for a single prompt."""
    labels: dict[str, str] = {}
    for row in sorted(rows, key=partial(_index, "promptIdx")):
        prompt = row.get("prompt")
        label = Fields(prompt, row.place).optional("label") if isinstance(prompt, dict) else None
        labels.setdefault(_prompt(row), label or "")
    if len(labels) < 2:
        return {}
    clear = len(set(labels.values())) == len(labels) and all(0 < len(x) <= LONGEST for x in labels.values())
    return labels if clear else {key: f"prompt {i}" for i, key in enumerate(labels, 1)}


def _test_names(rows: Sequence[Fields]) -> dict[str, tuple[str, str | None]]:
    """For each test number, the first number of an equal test, and which repeat it is if there are several."""
    alike: dict[str, list[str]] = {}
    for row in sorted(rows, key=partial(_index, "testIdx")):
        index, test = row.text("testIdx"), row.get("testCase")
        if isinstance(test, dict) and row.get("vars"):
            key = json.dumps([row.get("vars"), test.get("description"), test.get("assert")], sort_keys=True)
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


def _index(key: str, row: Fields) -> int:
    index = row.get(key)
    return index if isinstance(index, int) else 0


def _prompt(row: Fields) -> str:
    return row.optional("promptId") or row.optional("promptIdx") or ""


def _provider_name(row: Fields, prompts: Mapping[str, str]) -> str:
    provider = row.get("provider")
    if not isinstance(provider, str):
        named = row.fields("provider")
        provider = named.optional("label") or named.text("id")
    return f"{provider} [{prompts[_prompt(row)]}]" if prompts else provider


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
