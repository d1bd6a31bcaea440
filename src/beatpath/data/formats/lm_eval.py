"""Results of the lm-evaluation-harness: aggregates of a run, and its samples if they were logged.

A run is one ``results_TIME.json`` and, with ``--log_samples``, one ``samples_TASK_TIME.jsonl`` per task next to it;
the time in the names links them. Only the results name the model and state which metrics are lower-is-better.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

from beatpath._errors import ReadError
from beatpath._text import listed, quoted, shown
from beatpath.data.formats.reader import Reader
from beatpath.data.formats.records import Fields, Hashes, Tally, document, finite_number, records
from beatpath.data.sources.source import Options, Source, source
from beatpath.evidence import Scores

# The time in the name of a results file; the task in the name of a samples file.
_TIME = re.compile(r"_(\d{4}-\d\d-\d\dT[\d.:-]*\d)\.json")
_SAMPLES = re.compile(r"samples_(.+)_\d{4}-\d\d-\d\dT")
# Fields of a sample that are not metrics.
_NOT_METRICS = {
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics",
    "doc_hash", "prompt_hash", "target_hash",
}  # fmt: skip
# Metrics of which a sample holds the log-likelihood, at most 0 and better when higher; only the aggregate is the metric.
_OF_LIKELIHOODS = ("perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte")


@dataclass
class Run:
    """One results file, with the samples files that belong to it."""

    name: str
    model: str
    results: Fields
    given: bool  # whether the user requested the aggregates too, or only named samples
    samples: list[tuple[Source, str]] = field(default_factory=list)

    def part(self, key: str) -> Fields:
        """Return one of its tables, empty if there is none."""
        return self.results.fields(key, needed=False)

    def keys(self, task: str) -> Iterator[tuple[str, str]]:
        """Yield the ``(metric, filter)`` of every value that the run reports for a task; versions before 0.4 have no filters."""
        names = self.part("results").fields(task, needed=False).values
        filtered = any("," in name for name in names)
        for name in names:
            metric, chain = name.rpartition(",")[::2] if filtered else (name, "")
            if metric and not metric.endswith("_stderr"):
                yield metric, chain


def read_lm_eval(sources: Sequence[Source], options: Options) -> Scores:
    """Read per-item scores of tasks that have samples, and the aggregates of all other tasks.

    A metric is named ``metric`` or ``metric,filter``, as in the results. Metrics whose samples are not plain numbers
    (perplexities) come from the aggregates; a sample that holds a log-likelihood under the name of a perplexity is read as
    one. Averages over groups of tasks are left out. If models answered different
    prompts on one task, by the hashes in the files, that is an error unless ``--map hashes=ignore``.
    """
    tally = Tally("lm-eval", sources, options)
    hashes = Hashes(options)
    by_item: set[str] = set()
    for run in _runs(sources, options):
        _learn_directions(tally, run)
        done: set[tuple[str, str]] = set()
        for src, task in run.samples:
            done |= _samples(tally, hashes, run, src, task)
        if run.given:
            _aggregates(tally, hashes, run, done)
            by_item |= {task for task, _ in done}
        if not run.part("config").get("model_args"):
            tally.notes.append(
                f"{run.results.place}: the run did not name its model; {quoted(run.model)} is a stand-in"
            )
    if by_item:
        tally.notes.append(f"read by item from the samples, not from the aggregates: {listed(sorted(by_item))}")
    tally.replicate()
    return tally.scores()


def _runs(sources: Sequence[Source], options: Options) -> list[Run]:
    """Match samples with the results of the same time and folder, looking there for results that were not named."""
    given = {src.path: src for src in sources if src.suffix != ".jsonl"}
    samples = [(_results_of(src), src) for src in sources if src.suffix == ".jsonl"]
    runs: dict[Path, Run] = {}
    for path in sorted({*given, *(path for path, _ in samples)}):
        src = given.get(path) or source(path)
        results = Fields.of(document(src, options.encoding), shown(src.name))
        model = results.optional("model_name") or _model_of(results) or path.resolve().parent.name.replace("__", "/")
        runs[path] = Run(src.name, model, results, path in given)
    for path, src in samples:
        task = _SAMPLES.search(src.path.name)
        runs[path].samples.append((src, task[1] if task else src.path.stem))
    return list(runs.values())


def _model_of(results: Fields) -> str:
    """The model and its revision that the arguments of a run name; empty if they name none."""
    arguments = results.fields("config", needed=False).optional("model_args") or ""
    named = dict(one.partition("=")[::2] for one in arguments.split(","))
    return "@".join(filter(None, (named.get("pretrained") or named.get("model"), named.get("revision"))))


def _results_of(src: Source) -> Path:
    """The results file next to a samples file: the one with its time, otherwise the only one."""
    time = _TIME.search(src.path.name)
    beside = sorted(path for path in src.path.parent.glob("*.json") if not path.name.startswith("samples_"))
    same = [path for path in beside if time and time[1] in path.name] or beside
    if len(same) != 1:
        raise ReadError(
            f"{shown(src.name)} must lie beside the results file of its run, which names the model; "
            f"{f'there are {len(same)}' if same else 'there is none'} in {quoted(src.path.parent)}. "
            "Put the results_*.json of the run there, or read that alone."
        )
    return same[0]


def _learn_directions(tally: Tally, run: Run) -> None:
    """Read from a run which metrics are lower-is-better."""
    stated = run.part("higher_is_better")
    for task in stated.values:
        for metric, up in stated.fields(task, needed=False).values.items():
            if isinstance(up, bool):
                for name in (metric, *(_name(*key) for key in run.keys(task) if key[0] == metric)):
                    tally.direction(name, up, task, run.results.place)


def _name(metric: str, chain: str) -> str:
    return metric if chain in ("", "none") else f"{metric},{chain}"


def _samples(tally: Tally, hashes: Hashes, run: Run, src: Source, task: str) -> set[tuple[str, str]]:
    """Read per-item scores of one task, and return the metrics that were read."""
    seen: set[tuple[str, str]] = set()
    likelihoods: dict[str, str] = {}
    lists: Counter[str] = Counter()
    for record in records(src, tally.options.encoding):
        item, chain = record.text("doc_id"), record.optional("filter") or "none"
        hashes.see(run.name, task, item, (record.get("doc_hash"), record.get("prompt_hash")))
        for metric in _metrics(record):
            name = _name(metric, chain)
            if isinstance(record.get(metric), list | dict):
                lists[name] += 1
                continue
            if (name, item) in seen:
                raise ReadError(
                    f"a document must have one score a metric; {quoted(item)} has {quoted(name)} twice, again in "
                    f"{record.place}. Leave the samples out and read the results file alone."
                )
            seen.add((name, item))
            value = record.number(metric)
            if metric in _OF_LIKELIHOODS and value <= 0:
                name = likelihoods.setdefault(name, f"{name} (log-likelihood)")
            tally.use(agent=run.model, task=task, metric=name, item=item, value=value, run=run.name)
    for name, likelihood in likelihoods.items():
        tally.direction(likelihood, True, task, run.results.place)
        tally.notes.append(
            f"{shown(src.name)}: samples hold log-likelihoods under {quoted(name)}: read as {quoted(likelihood)}, better when higher"
        )
    taken = {name for name, _ in seen}
    reported = {_name(*key) for key in run.keys(task)} if run.given else set()
    for name, n_rows in lists.items():
        if name in taken or name not in reported:
            tally.drop("a sample that is not one number", n_rows)
    return {(task, name) for name in taken}


def _metrics(record: Fields) -> list[str]:
    """Names of the metrics of a sample; files before 0.4.8 do not list them."""
    if "metrics" not in record:
        return [key for key in record.values if key not in _NOT_METRICS]
    return [name for name in record.list("metrics") if isinstance(name, str)]


def _aggregates(tally: Tally, hashes: Hashes, run: Run, done: set[tuple[str, str]]) -> None:
    """Read the aggregates of everything that has no samples."""
    sampled = {task for _, task in run.samples}
    subtasks = run.part("group_subtasks").values
    groups = {*run.part("groups").values, *(group for group, tasks in subtasks.items() if tasks)}
    for task in run.part("results").values:
        values = run.part("results").fields(task)
        if task not in groups:
            hashes.see(run.name, task, None, run.part("task_hashes").get(task), weak=task in sampled)
        for metric, chain in run.keys(task):
            name = _name(metric, chain)
            value, stderr = (values.get(f"{one},{chain}".rstrip(",")) for one in (metric, f"{metric}_stderr"))
            if task in groups:
                tally.drop("average over a group of tasks")
            elif (task, name) in done:
                continue
            elif isinstance(value, str):  # the harness writes "N/A" or a blank for a missing value
                tally.drop("no value")
            else:
                known = stderr is not None and not isinstance(stderr, str)
                error = finite_number(stderr, run.results.place, f"{name} stderr of {task}") if known else None
                number = finite_number(value, run.results.place, f"{name} of {task}")
                tally.use(agent=run.model, task=task, metric=name, value=number, stderr=error, run=run.name)
        size = run.part("n-samples").fields(task, needed=False)
        if size.get("effective") != size.get("original"):
            some, every = shown(size.get("effective")), shown(size.get("original"))
            tally.notes.append(f"{run.results.place}: {quoted(task)} was run on {some} of {every} documents")


_OF_RUNS = ("n-shot", "versions", "configs", "task_hashes")  # the results of a run have at least two of these
reader = Reader(
    "lm-eval",
    "lm-evaluation-harness results_*.json and samples_*.jsonl",
    None,
    read_lm_eval,
    keys=(
        {"doc_id", "filtered_resps"},
        {"results", "versions", "config"},
        *({"results", *two} for two in combinations(_OF_RUNS, 2)),
    ),
)
