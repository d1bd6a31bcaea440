"""Results of evaluation tools whose files differ only in where they keep an agent, an item and a score.

Each is one entry of `harnesses.json`: paths of fields, read by the same function. A path joins keys by dots; ``*`` stands for
every entry of a list or an object. Names may come from the document (``^path``), from a file in its folder or in one
above (``FILE:path``), or from where the file lies (``@folder``; see `names_by_place`).
"""

import csv
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from glob import escape
from pathlib import Path
from typing import Any

from beatpath._errors import ReadError
from beatpath._text import listed, quoted, shown
from beatpath.data.formats import HARNESSES
from beatpath.data.formats.reader import Head, Reader
from beatpath.data.formats.records import Fields, Tally, finite_number, optional_text, records
from beatpath.data.sources.source import HEAD, Options, Source
from beatpath.data.tables.cells import number_of
from beatpath.data.tables.database import connect, literal, reading_errors
from beatpath.data.tables.open_table import identifiers, parquet_columns
from beatpath.data.tables.words import no_score
from beatpath.evidence import Scores

PASSED = {"pass": True, "passed": True, "fail": False, "failed": False, "timeout": False, "error": False}  # as EvalPlus
# Statistics of HELM that describe a request or a run, not the quality of an answer.
_BOOKKEEPING = re.compile(
    r"num_.*|finish_reason_.*|.*_runtime|.*_cost|batch_size|prompt_truncated|predicted_index|max_prob|platt_.*"
)
# What EvalPlus and BigCodeBench add to a model's name, and LightEval to that of a task.
_ENDINGS = re.compile(r"[._]eval_results$|--bigcodebench.*$|^details_(?=.*\.parquet$)|_\d{4}-\d\d-\d\dT[^_]*\.parquet$")
_MODEL = re.compile(r"(?:(?<=:)|,)(?:model|model_deployment)=[^,]*,?")  # the model in the name of a HELM run
# Weights of errors: Freitag et al. (2021), Experts, Errors, and Context, Table 4; a non-translation weighs 25, minor
# punctuation 0.1.
_SEVERITY = {"major": 5.0, "minor": 1.0, "neutral": 0.0, "no-error": 0.0}
MQM_COLUMNS = {"system", "seg_id", "category", "severity"}  # what every release of MQM annotations has
_TIMES = re.compile(r"\d{4}-\d\d-\d\dT")  # the beginning of a folder's name that is the time of a run
# the name of a folder that is a run, as terminal-bench writes it
_RUN = re.compile(r"(run_?\d*_)?\d{4}-\d\d-\d\d__\d\d-\d\d-\d\d")
_OF_RUNS = {"runs", "results", "logs", "output", "outputs"}  # names of folders of the runs of any agents
# A measure, blanks to a width of 22, a tab, a topic, a tab, a value; or a line of a run: topic, Q0, document, rank, score, name.
_TREC = re.compile(r"\S+ +\t\S+\t\S+\r?\n|\S+[ \t]Q0[ \t]\S+[ \t]\d+[ \t]\S+[ \t]\S+\r?\n")
_ABOVE = 4  # folders in which a file beside is looked for


@dataclass(frozen=True)
class Harness:
    """Where a tool keeps what is needed.

    Attributes
    ----------
    rows : tuple of paths
        The records that hold scores.
    agent, task : tuple of names
        Of each the first that is there; parts joined by ``+`` all count, and of parts joined by ``|`` the first that is there.
    item, replicate : path, "key" or "each"
        The item of a record; "key" is the key under which it lies, "each" that of each of its scores.
    scores : mapping of metric to fields
        Numbers, booleans or words such as "pass"; of several fields all must pass; ``PATH=OTHER`` compares two.
    each : paths
        Several scores in a record: objects with the fields of `named`, or numbers by metric if that is empty; numbers, or the second
        field of `named` in objects, by item or replicate where that is "each".
    where : mapping of path to values
        What a record, or each of its scores, must hold; others are dropped.
    """

    name: str
    sentence: str
    keys: tuple[set[str], ...]
    rows: tuple[str, ...]
    agent: tuple[str, ...]
    item: str = ""
    task: tuple[str, ...] = ()
    replicate: str = ""
    scores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    each: str = ""
    named: tuple[str, str] = ("", "")
    where: Mapping[str, tuple[object, ...]] = field(default_factory=dict)
    sign: str = ""  # a path that the first record must have
    lower: str = ""  # a metric that is better when lower


def _harness(name: str, keys: Sequence[Sequence[str]], **fields: Any) -> Harness:
    """One entry of `harnesses.json`."""
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()
    }
    return Harness(name=name, keys=tuple(map(set, keys)), **values)


# Parquet files with one row per sample: `metrics` until version 0.9 of LightEval, `metric` since.
DETAILS = Harness(
    "lighteval-details", "LightEval details/MODEL/TIME/details_*.parquet",
    ({"doc", "metric", "model_response"}, {"full_prompt", "metrics", "predictions", "choices"}), ("",), ("@model",),
    "doc.id doc.query example full_prompt", ("doc.task_name", "@name"), each="metric.* metrics.*",
)  # fmt: skip


def names_by_place(sources: Sequence[Source]) -> list[dict[str, str]]:
    """Return what every file is called by where it lies.

    ``@file`` is its name without what tools add to it, after that of its folder where files of several folders have one name;
    ``@another`` the same where there are several files; ``@once`` the same, where an item again is an error, since it may be
    that of another agent. ``@name`` is the plain name, that of a task where there is a folder for every agent; ``@folder`` and
    ``@above`` are its folder and the folder of that, ``@run`` the first of them that has not the name of a run; ``@job`` the latter where there are several; ``@model`` the folders between
    one called ``details`` and one called by a time.
    """
    paths = [source.path.resolve() for source in sources]
    plain = names = [_ENDINGS.sub("", path.name.partition(".json")[0]) for path in paths]
    for long in (
        [f"{path.parent.name}/{name}" for path, name in zip(paths, names, strict=True)],
        list(map(str, paths)),
    ):
        again = {name for name, number in Counter(names).items() if number > 1}
        names = [other if name in again else name for name, other in zip(names, long, strict=True)]
    jobs = len({path.parent.parent for path in paths}) > 1
    return [
        {
            **dict.fromkeys(("@file", "@once"), name),
            "@another": name if len(paths) > 1 else "",
            "@name": own,
            "@folder": path.parent.name,
            "@above": path.parent.parent.name,
            "@run": _folder_of_runs(path.parent),
            "@job": path.parent.parent.name if jobs else "",
            "@model": _model_of_details(path),
        }
        for path, name, own in zip(paths, names, plain, strict=True)
    ]


def _folder_of_runs(folder: Path) -> str:
    """A folder that is not called by the time of a run, or the one above; empty if that is called by none of its agents.

    >>> _folder_of_runs(Path("/x/cursor-cli/run1_2025-08-10__05-27-18")), _folder_of_runs(Path("/x/runs/2025-08-10__05-27-18"))
    ('cursor-cli', '')
    """
    name = folder.parent.name if _RUN.fullmatch(folder.name) else folder.name
    return "" if name in _OF_RUNS and name != folder.name else name


def _model_of_details(path: Path) -> str:
    """The model that LightEval names by folders, on disk or in a dataset of the Hub.

    >>> _model_of_details(Path("/out/details/org/gpt/2026-01-01T10-00-00/details_x.parquet"))
    'org/gpt'
    >>> _model_of_details(Path("/hub/details_org__gpt_private/2026-01-01T10-00-00/details_x.parquet"))
    'org/gpt'
    """
    folders = [name for name in path.parent.parts if not _TIMES.match(name)]
    if "details" in folders[:-1]:
        return "/".join(folders[len(folders) - folders[::-1].index("details") :])
    return folders[-1].removeprefix("details_").removesuffix("_private").replace("__", "/")


def read_harness(harness: Harness, sources: Sequence[Source], options: Options) -> Scores:
    """Read the scores of one tool's files; an item that an agent has again is a replicate."""
    tally = Tally(harness.name, sources, options)
    times: Counter[tuple[object, ...]] = Counter()
    if harness.lower:
        tally.direction(harness.lower, False, "", "")
    for source, names in zip(sources, names_by_place(sources), strict=True):
        document: Mapping[str, Any] | None = None
        folder = source.path.resolve().parent
        for record in _records(source, harness, options):
            document = record.values if document is None else document
            rows = (pair for path in harness.rows for pair in entries(record.values, path))
            for key, row in rows:
                row = {str(i): entry for i, entry in enumerate(row)} if isinstance(row, list) else row
                if isinstance(row, dict):
                    find = partial(_found_name, names, folder, (document, record.values), key, row)
                    _take_row(tally, harness, row, find, times, record.place)
    return tally.scores()


def _records(source: Source, harness: Harness, options: Options) -> Iterator[Fields]:
    """The records of a JSON file, or the rows of a Parquet file with the columns that are needed."""
    if not source.first(HEAD).startswith(b"PAR1"):
        yield from records(source, options.encoding)
        return
    needed = {path.partition(".")[0] for path in f"{harness.item} {harness.each} doc".split()}
    names = [name for name in parquet_columns(source)[0] if name in needed]
    sql = f"SELECT {', '.join(identifiers(names))} FROM read_parquet({literal(escape(str(source.path)))})"
    with connect() as con, reading_errors([source.name]):
        for number, row in enumerate(con.execute(sql).fetchall(), 1):
            yield Fields(dict(zip(names, row, strict=True)), f"row {number:,} of {shown(source.name)}")


def _take_row(
    tally: Tally,
    harness: Harness,
    row: Mapping[str, Any],
    find: Callable[[str], str | None],
    times: Counter[tuple[object, ...]],
    where: str,
) -> None:
    """Add the scores of one record, whose names `find` looks up."""
    agent, task = (_first_name(names, find) for names in (harness.agent, harness.task))
    if not harness.each and not _holds(row, harness.where):
        return tally.drop("record of another kind")
    if harness.task == ("key",) and task is None:
        return tally.drop("average over a group of tasks")
    if agent is None:
        raise ReadError(
            f"every run must name its agent; {where} does not under {listed(harness.agent)}. Put the file that does beside it."
        )
    item = next(filter(None, map(find, harness.item.split())), None)
    replicate = find(harness.replicate) if harness.replicate else None
    scores = list(_scores(harness, row))
    if not scores:
        tally.drop("record without a score")
    for metric, value, error in scores:
        names = dict[str, object](agent=agent, task=task, item=item, metric=metric, replicate=replicate)
        for role in ("item", "replicate"):
            if getattr(harness, role) == "each":
                names |= {role: metric, "metric": harness.lower or None}
        if value is None:
            tally.drop("no score")
            continue
        cell = tuple(names.values())
        times[cell] += 1
        if times[cell] > 1 and "@once" in harness.agent and agent == find("@once"):
            raise ReadError(
                f"every record must name its experiment where an item comes again; {where} has {quoted(item)} again, and names none "
                f"under {listed(harness.agent[:2])}. Write it into the records, or put every experiment into a file of its own."
            )
        if times[cell] > 1:
            names["replicate"] = " ".join(filter(None, (replicate, f"again {times[cell]}")))
        tally.use(**names, value=finite_number(value, where, metric), stderr=error)


def _scores(harness: Harness, row: Mapping[str, Any]) -> Iterator[tuple[str, object, float | None]]:
    """The metric, value and standard error of every score of a record."""
    for metric, paths in harness.scores.items():
        values = [_result(row, path) for path in paths]
        if any(path.partition(".")[0] in row for path in paths):
            yield metric, None if None in values else values[0] if len(values) == 1 else all(values), None
    for key, inner in (pair for path in harness.each.split() for pair in entries(row, path)):
        entry = at(inner, harness.named[1]) if not harness.named[0] else inner
        if not harness.named[0]:
            error = at(row, f"{key}_stderr")
            if not key.endswith("_stderr") and isinstance(entry, int | float | None):
                yield key, entry, error if isinstance(error, float) else None
        elif _holds(entry, harness.where):
            names = (_text(at(entry, path)) for path in harness.named[0].split("|"))
            metric = next(filter(None, names), "")
            if not _BOOKKEEPING.fullmatch(metric) and not no_score(metric):
                yield metric, at(entry, harness.named[1]), None


def _result(row: Mapping[str, Any], path: str) -> object:
    """A number, boolean or word; of ``PATH=OTHER`` whether both hold the same text, of ``PATH=~OTHER`` one the other backwards.

    >>> row = {"label": "A>B", "decision": "B>A"}
    >>> _result(row, "decision=label"), _result(row, "decision=~label"), _result(row, "label"), _result(row, "none=label")
    (False, True, None, None)
    """
    path, equals, other = path.partition("=")
    value = at(row, path)
    if not equals or value is None:
        return PASSED.get(value) if isinstance(value, str) else value
    expected = str(at(row, other.lstrip("~")))
    return value == (expected[::-1] if other.startswith("~") else expected)


def read_mqm(sources: Sequence[Source], options: Options) -> Scores:
    """Read the penalty of every segment by each rater, by the weights of Freitag et al. (2021); lower is better."""
    tally = Tally("mqm", sources, options)
    tally.direction("mqm", False, "", "")
    for source in sources:
        penalties: defaultdict[tuple[str, ...], float] = defaultdict(float)
        lines = source.text(options.encoding).removeprefix("\ufeff").splitlines()
        reader = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        if missing := MQM_COLUMNS - set(reader.fieldnames or ()):
            raise ReadError(
                f"MQM annotations must have the column {min(missing)!r}, with tabs between columns; {shown(source.name)} has none."
            )
        for number, row in enumerate(reader, 2):
            severity, category = (str(row[name]).strip().lower() for name in ("severity", "category"))
            weight = 25.0 if category.startswith("non-translation") else _SEVERITY.get(severity)
            if weight is None:
                raise ReadError(
                    f"a severity must be one of {', '.join(_SEVERITY)}; got {quoted(severity)} in line {number:,} of "
                    f"{shown(source.name)}. Correct or remove the line."
                )
            punctuation = severity == "minor" and category.startswith("fluency/punctuation")
            document = row.get("doc") or row.get("doc_id") or ""
            item = f"{document} {row.get('seg_id') or row.get('globalSegId')}".strip()
            penalties[str(row["system"]), item, str(row.get("rater"))] += 0.1 if punctuation else weight
        for (agent, item, rater), value in penalties.items():
            tally.use(agent=agent, item=item, replicate=rater, metric="mqm", value=value)
    return tally.scores()


def read_trec(sources: Sequence[Source], options: Options) -> Scores:
    """Read every measure of every topic, of a file for each run; of runs without topics their averages."""
    tally = Tally("trec-eval", sources, options)
    for source, names in zip(sources, names_by_place(sources), strict=True):
        lines = [line.split() for line in source.text(options.encoding).splitlines() if line.strip()]
        if wrong := next((line for line in lines if len(line) != 3), None):
            raise ReadError(
                f"every line of trec_eval must have a measure, a topic and a value; {shown(source.name)} has {listed(wrong)}. A run "
                "that is not evaluated has none: `trec_eval -q QRELS RUN > RUN.eval`."
            )
        averaged = all(topic == "all" for _, topic, _ in lines)
        for measure, topic, value in lines:
            if measure == "runid" or measure.startswith("num_") or (topic == "all" and not averaged):
                tally.drop("name, count or average of a run")
            else:
                item = None if averaged else topic
                number = finite_number(number_of(value), f"topic {quoted(topic)} of {shown(source.name)}", measure)
                tally.use(agent=Path(names["@file"]).with_suffix("").name, item=item, metric=measure, value=number)
    return tally.scores()


def _holds(row: object, where: Mapping[str, tuple[object, ...]]) -> bool:
    return all(at(row, path) in values for path, values in where.items())


def at(value: object, path: str) -> Any:
    """Return what a path leads to, ``None`` if nothing is there.

    >>> at({"spec": {"fns": ["gpt"]}}, "spec.fns.0"), at({"a": 1}, "a.b")
    ('gpt', None)
    """
    for key in path.split(".") if path else ():
        if isinstance(value, dict):
            value = value.get(key)
        elif isinstance(value, list) and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        else:
            return None
    return value


def entries(value: object, path: str) -> Iterator[tuple[str, Any]]:
    """Yield the last key and the value of everything that a path with stars leads to.

    >>> list(entries({"eval": {"x": [1, 2]}}, "eval.*.*"))
    [('0', 1), ('1', 2)]
    """
    before, star, after = path.partition("*")
    value = at(value, before.strip("."))
    if not star:
        yield "", value
        return
    for key, entry in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        if after:
            yield from entries(entry, after.strip("."))
        else:
            yield str(key), entry


def _first_name(names: Sequence[str], find: Callable[[str], str | None]) -> str | None:
    """The first of these names whose first part is there."""
    for name in names:
        parts = [next(filter(None, map(find, part.split("|"))), None) for part in name.split("+")]
        if parts[0]:
            return " ".join(filter(None, parts))
    return None


def _found_name(
    names: Mapping[str, str],
    folder: Path,
    around: tuple[Mapping[str, Any], Mapping[str, Any]],
    key: str,
    row: Mapping[str, Any],
    name: str,
) -> str | None:
    """What a name stands for: a key, a place, a field of a file beside, of the file's first object, of the one around, or of the record."""
    if name == "key":
        return None if key == "all" or ":_average|" in key else key
    if name.startswith("@"):
        return names[name]
    if ":" in name:
        file, _, path = name.partition(":")
        text = _text(at(_beside(folder, file), path))
        return text and (_MODEL.sub("", text).rstrip(":,") if path == "name" else text)
    of_which = around[name[0] == "/"] if name[0] in "^/" else row
    return _text(at(of_which, name.lstrip("^/")))


@lru_cache(maxsize=1 << 10)
def _beside(folder: Path, name: str) -> object:
    """The JSON file of this name in a folder or one above."""
    for place in [folder, *folder.parents][:_ABOVE]:
        if (place / name).is_file():
            try:
                return json.loads((place / name).read_text(encoding="utf-8"))
            except (ValueError, OSError, RecursionError) as error:
                raise ReadError(f"{quoted(place / name)} must be JSON; it is not: {error}.") from None
    return None


def _text(value: object) -> str | None:
    """A name as text; an object or a list that serves as one in its shortest JSON."""
    if isinstance(value, dict | list) and value:
        return json.dumps(value, sort_keys=True, separators=(",", ":"))
    return optional_text(value)


def _claims(harness: Harness, head: Head) -> bool:
    return not harness.sign or at(head.record, harness.sign) is not None


mqm = Reader(
    "mqm",
    "MQM error annotations (system, seg_id, category, severity)",
    lambda head: MQM_COLUMNS <= set(head.columns),
    read_mqm,
    sign=re.compile(rb"severity"),
)
trec = Reader(
    "trec-eval",
    "trec_eval -q, a file for each run; a run that is not evaluated is refused",
    lambda head: bool(_TREC.match(head.text)),
    read_trec,
    sign=re.compile(rb"\A\S+[ \t]+(all|Q0|\S+[ \t])"),
)
details = Reader(
    DETAILS.name,
    DETAILS.sentence,
    lambda head: any(keys <= set(head.columns) for keys in DETAILS.keys),
    partial(read_harness, DETAILS),
    sign=re.compile(rb"\APAR1"),
)
readers = {
    one.name: Reader(one.name, one.sentence, partial(_claims, one), partial(read_harness, one), keys=one.keys)
    for one in (_harness(name, **fields) for name, fields in HARNESSES.items())
}
