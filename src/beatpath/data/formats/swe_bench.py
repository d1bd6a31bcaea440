"""SWE-bench results: which instances an agent resolved, in the common file forms.

* ``results/results.json`` of a submission to SWE-bench/experiments: lists of instances under ``resolved``,
  ``no_generation``, ``no_logs`` and, in old ones, ``generated``, ``applied`` and so on;
* the harness's report ``MODEL.RUN.json``: lists under ``resolved_ids``, ``unresolved_ids``, ``submitted_ids`` ...;
* ``per_instance_details.json``: for each instance an object with ``resolved``;
* a leaderboard: a list of objects with ``name`` and ``per_instance_details``.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from beatpath._errors import ReadError
from beatpath._text import quoted, shown
from beatpath.data.formats.reader import Head, Reader
from beatpath.data.formats.records import Fields, Tally, document
from beatpath.data.sources.source import Options, Source
from beatpath.evidence import Convention, Scores

BENCHMARK = "SWE-bench"  # the task if the files do not name the split
_NAME = re.compile(r"""^\s*name:\s*(['"]?)(.+?)\1\s*(?:#.*)?$""", re.MULTILINE)  # the name in a submission's metadata


_UNNAMED = ("final_report", "report", "results")  # names of reports that say nothing of the agent


@dataclass
class InstanceReport:
    """The report of one file on one agent and one split of the benchmark."""

    file: str
    agent: str
    folder: str
    task: str
    resolved: set[str]
    named: set[str]
    not_tried: set[str] = field(default_factory=set)


def read_swe_bench(sources: Sequence[Source], options: Options) -> Scores:
    """Read 1 for every instance that an agent resolved, and 0 for every other.

    Reports name the resolved instances, but not always the others. So the instances of a split are all those that any
    file names for it, and an agent that does not report one as resolved has not resolved it.
    """
    tally = Tally("swe-bench", sources, options)
    reports = [report for source in sources for report in _instance_reports(source, options, tally)]
    folders = defaultdict(set)
    instances: defaultdict[str, set[str]] = defaultdict(set)
    for report in reports:
        folders[report.agent].add(report.folder)
        instances[report.task] |= report.named | report.not_tried
    for report in reports:
        agent = report.agent if len(folders[report.agent]) == 1 else f"{report.agent} ({report.folder})"
        for item in sorted(instances[report.task]):
            value = float(item in report.resolved)
            tally.use(agent=agent, task=report.task, item=item, value=value, run=report.file)
    tally.replicate()
    silent = sum(len(instances[report.task] - report.named) for report in reports)
    sizes = ", ".join(f"{task} {len(names):,}" for task, names in sorted(instances.items()))
    meaning = f"what an agent's report does not name is not resolved; instances are those that any file names ({sizes})"
    return tally.scores(Convention("unnamed", "0", meaning, float(silent)))


def _instance_reports(source: Source, options: Options, tally: Tally) -> Iterator[InstanceReport]:
    """The reports of a file in any of the forms."""
    place, whole = shown(source.name), document(source, options.encoding)
    if isinstance(whole, list):
        yield from _leaderboard(whole, source, BENCHMARK, tally)
        return
    content = Fields.of(whole, place)
    if isinstance(content.get("leaderboards"), list):
        for board in content.objects("leaderboards"):
            yield from _leaderboard(board.list("results"), source, board.text("name"), tally)
    elif "submitted_ids" in content or "resolved_ids" in content:
        lists = {key: _ids(content, key) for key in content.values if key.endswith("_ids") or key == "resolved"}
        model = source.path.name.removesuffix(".json").rpartition(".")[0] or source.path.stem
        not_tried = lists.pop("incomplete_ids", set())
        resolved, named = lists.get("resolved_ids", lists.get("resolved", set())), set().union(*lists.values())
        agent = InstanceReport(source.name, model.replace("__", "/"), model, BENCHMARK, resolved, named)
        if model in _UNNAMED:  # Multi-SWE-bench: the agent is in the name of the folder
            agent = _submission(source, resolved, named)
            agent = replace(agent, agent=agent.agent.replace("__", "/"))
        yield replace(agent, not_tried=not_tried)
    elif "resolved" in content:
        lists = {key: _ids(content, key) for key in content.values}
        yield _submission(source, lists["resolved"], set().union(*lists.values()))
    else:
        yield _submission(source, *_resolved_and_named(content))


def _leaderboard(entries: Sequence[object], source: Source, task: str, tally: Tally) -> Iterator[InstanceReport]:
    """The reports of a leaderboard; entries without instance details are dropped."""
    for i, entry in enumerate(entries, 1):
        place = f"entry {i:,} of {shown(source.name)}"
        record = Fields.of(entry, place, "entry")
        agent = record.text("name")
        if record.get("per_instance_details") is None:
            tally.drop("agent without results by instance")
            continue
        resolved, named = _resolved_and_named(record.fields("per_instance_details"))
        yield InstanceReport(source.name, agent, record.optional("folder") or agent, task, resolved, named)


def _submission(source: Source, resolved: set[str], named: set[str]) -> InstanceReport:
    """A report named by its folder, ``evaluation/SPLIT/SUBMISSION/``, and the metadata there."""
    folder = source.path.resolve().parent
    if folder.name == "results":
        folder = folder.parent
    above = "/".join(folder.parent.parts).rpartition("/evaluation/")[2]  # a split, or a language and a split
    task = above if above.count("/") < 2 and not above.startswith("/") else BENCHMARK
    agent = folder.name
    for path in (folder / "metadata.yml", folder / "metadata.yaml"):
        with suppress(OSError, UnicodeDecodeError):  # the first ``name:`` counts, so no YAML library is needed
            match = _NAME.search(path.read_text(encoding="utf-8"))
            agent = match[2] if match and match[2] not in ("null", "~") else agent
    return InstanceReport(source.name, agent, folder.name, task, resolved, named)


def _ids(content: Fields, name: str) -> set[str]:
    """Distinct instance identifiers."""
    ids = content.list(name)
    wrong = [i for i in ids if not isinstance(i, str)]
    if wrong:
        raise ReadError(f"`{name}` must list instances by name; got {shown(repr(wrong[0]))} in {content.place}.")
    twice = [i for i, n in Counter(ids).items() if n > 1]
    if twice:
        raise ReadError(f"`{name}` must name an instance once; {quoted(twice[0])} stands twice in {content.place}.")
    return set(ids)


def _resolved_and_named(details: Fields) -> tuple[set[str], set[str]]:
    """Resolved and named instances of an object with one entry per instance."""
    answers = {instance: details.fields(instance).get("resolved") for instance in details.values}
    for instance, answer in answers.items():
        if not isinstance(answer, bool):
            raise ReadError(
                f"`resolved` of {quoted(instance)} must be true or false; got {answer!r:.60} in {details.place}."
            )
    return {instance for instance, answer in answers.items() if answer}, set(answers)


def claims_swe_bench(head: Head) -> bool:
    """Whether the first record is a submission, a harness report or a leaderboard."""
    record = head.record
    if isinstance(record.get("resolved"), list):
        named = {"no_generation", "no_logs", "generated", "submitted_ids"} & set(record)
        return bool(named) or set(record) == {"resolved"}
    if {"resolved_ids", "submitted_ids"} <= set(record) or {"name", "per_instance_details"} <= set(record):
        return True
    first = next(iter(record.values()), None)
    if isinstance(record.get("leaderboards"), list):
        return any(isinstance(board, dict) and "results" in board for board in record["leaderboards"][:1])
    return isinstance(first, dict) and isinstance(first.get("resolved"), bool) and "tests_status" not in first


reader = Reader(
    "swe-bench",
    "SWE-bench results by instance: submissions, harness reports, leaderboards",
    claims_swe_bench,
    read_swe_bench,
    sign=re.compile(rb"\A(?:\xef\xbb\xbf)?\s*[{\[]"),  # JSON whose keys may be names of instances
)
