"""Every Eval Ever: the shared schema of evaluation results, an aggregate JSON and a JSON Lines file of instances."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from beatpath._errors import ReadError
from beatpath._text import listed, quoted, shown
from beatpath.data.formats.reader import Reader
from beatpath.data.formats.records import Fields, Hashes, Tally, records
from beatpath.data.sources.source import Options, Source, source
from beatpath.evidence import Scores


@dataclass
class EvaluationResult:
    """One entry of ``evaluation_results``: a task, a metric and the score."""

    task: str
    metric: str
    key: str | None
    lower: bool
    guessed: bool  # the file does not state the direction
    unknown_level: bool
    score: float
    stderr: float | None


@dataclass
class Evaluation:
    """One aggregate document."""

    file: str
    model: str
    results: list[EvaluationResult]
    given: bool  # whether its scores are requested, or only its instances
    by_item: set[int] = field(default_factory=set)  # results that were read from instances


def read_every_eval_ever(sources: Sequence[Source], options: Options) -> Scores:
    """Read instances if they are given, and the aggregate scores of everything else.

    The task is the evaluation's name. A metric goes by its name, or by its result's identifier if an evaluation has
    several of that name. An instance belongs to the result with its identifier, otherwise to the only result of its
    evaluation. Instances that could belong to several are dropped, and the aggregates used. Converters may write the
    mean over epochs on the row of every epoch; such copies are dropped too.
    """
    tally = Tally("every-eval-ever", sources, options)
    evaluations = _evaluations(sources, options)
    hashes = Hashes(options)
    instances = [src for src in sources if src.suffix == ".jsonl"]
    for src in instances:
        _instances(tally, hashes, src, evaluations)
    _drop_copies(tally)
    for evaluation in evaluations.values():
        for i, result in enumerate(evaluation.results):
            if evaluation.given and i not in evaluation.by_item:
                _take_result(tally, evaluation, result, result.score, stderr=result.stderr)
    tally.replicate()
    used = {row["metric"] for row in tally.rows}
    results = [(one, result) for one in evaluations.values() for result in one.results if result.metric in used]
    for evaluation, result in results:
        tally.direction(result.metric, not result.lower, result.task, shown(evaluation.file))
    guessed = sorted({result.metric for _, result in results if result.guessed})
    if guessed:
        tally.notes.append(
            f"the source does not know whether higher is better for {listed(guessed)}; its guess is used"
        )
    return tally.scores()


def _evaluations(sources: Sequence[Source], options: Options) -> dict[str, Evaluation]:
    """The given aggregates, and those next to the given instances, by identifier."""
    explicit = {src.path: src for src in sources if src.suffix != ".jsonl"}
    instances = (src.path for src in sources if src.suffix == ".jsonl")
    names = (path.with_name(f"{path.name.partition('.jsonl')[0].removesuffix('_samples')}.json") for path in instances)
    beside = {path: source(path) for path in names if path.is_file()}
    evaluations: dict[str, Evaluation] = {}
    for path, src in {**beside, **explicit}.items():
        for record in records(src, options.encoding):
            key = record.text("evaluation_id")
            if key in evaluations:
                raise ReadError(
                    f"an evaluation must stand in one file; {quoted(key)} is in {quoted(evaluations[key].file)} and again in "
                    f"{record.place}. Leave one of them out."
                )
            evaluations[key] = _evaluation(record, src.name, path in explicit)
    return evaluations


def _evaluation(record: Fields, file: str, explicit: bool) -> Evaluation:
    info = record.fields("model_info")
    model = info.text("id" if "id" in info else "name")
    results = list(map(_result, record.objects("evaluation_results")))
    names = Counter((result.task, result.metric) for result in results)
    for result in results:
        if names[result.task, result.metric] > 1:
            if result.key is None:
                raise ReadError(
                    f"results of one name must have an `evaluation_result_id`; {quoted(result.metric)} of "
                    f"{quoted(result.task)} stands more than once in {record.place} without. Leave all but one out."
                )
            result.metric = result.key
    return Evaluation(file, model, results, explicit)


def _result(entry: Fields) -> EvaluationResult:
    metric, details = entry.fields("metric_config", needed=False), entry.fields("score_details")
    more = metric.get("additional_details")
    return EvaluationResult(
        task=entry.text("evaluation_name"),
        metric=metric.optional("metric_name") or metric.optional("metric_id") or "score",
        key=entry.optional("evaluation_result_id"),
        lower=metric.get("lower_is_better") is True,
        guessed=isinstance(more, dict) and more.get("polarity") == "unknown",
        unknown_level=metric.get("has_unknown_level") is True,
        score=details.number("score"),
        stderr=_stderr(details.fields("uncertainty", needed=False)),
    )


def _stderr(uncertainty: Fields) -> float | None:
    """The standard error, stated or computed from the standard deviation and the number of samples."""
    error = uncertainty.get("standard_error")
    if isinstance(error, dict):
        error = error.get("value")
    if error is not None:
        return Fields({"standard_error": error}, uncertainty.place).number("standard_error")
    spread, n = uncertainty.optional_number("standard_deviation"), uncertainty.optional_number("num_samples")
    return None if spread is None or n is None else spread / math.sqrt(max(1.0, n))


def _take_result(tally: Tally, evaluation: Evaluation, result: EvaluationResult, value: float, **more: object) -> None:
    if result.unknown_level and value == -1:
        return tally.drop("score -1 for an unknown level")
    names = {"agent": evaluation.model, "task": result.task, "metric": result.metric}
    tally.use(**names, value=value, run=evaluation.file, **more)


def _instances(tally: Tally, hashes: Hashes, src: Source, evaluations: Mapping[str, Evaluation]) -> None:
    """Read the instances of one file."""
    for record in records(src, tally.options.encoding):
        evaluation = evaluations.get(record.text("evaluation_id"))
        if evaluation is None:
            raise ReadError(
                f"instances must come with their aggregate, which says what their scores mean; {record.place} belongs to "
                f"{quoted(record.get('evaluation_id'))}, which was not found. Put its JSON file beside them."
            )
        at = _result_of(record, evaluation)
        if record.get("error") is not None:
            tally.drop("instance ended in an error")
        elif at is None:
            tally.drop("instance that does not say which metric it has")
        else:
            item, result = record.text("sample_id"), evaluation.results[at]
            hashes.see(src.name, result.task, item, record.get("sample_hash"))
            epoch = record.fields("metadata", needed=False).optional("epoch")
            value = record.fields("evaluation").number("score")
            evaluation.by_item.add(at)
            _take_result(tally, evaluation, result, value, item=item, replicate=epoch)


def _result_of(record: Fields, evaluation: Evaluation) -> int | None:
    """Index of the result that an instance belongs to, ``None`` if ambiguous."""
    key, task = record.get("evaluation_result_id"), record.text("evaluation_name")
    near = [i for i, r in enumerate(evaluation.results) if (r.task == task if key is None else r.key == key)]
    if len(near) != 1 or (key is None and evaluation.results[near[0]].lower):
        return None  # a perplexity has no score per instance; converters fill in 0
    return near[0]


def _drop_copies(tally: Tally) -> None:
    """Keep one row per item of results that have several rows, all with the same score, for every item."""
    first: dict[tuple[str, ...], float] = {}
    varies: set[tuple[str, ...]] = set()
    for row in tally.rows:
        key = (row["run"], row["task"], row["metric"])
        if first.setdefault((*key, row["item"]), row["value"]) != row["value"]:
            varies.add(key)
    rows, tally.rows = tally.rows, []
    seen: set[tuple[str, ...]] = set()
    for row in rows:
        key = (row["run"], row["task"], row["metric"])
        if key not in varies and (*key, row["item"]) in seen:
            tally.drop("epoch that repeats the score of the first")
        else:
            seen.add((*key, row["item"]))
            tally.rows.append(row)


reader = Reader(
    "every-eval-ever",
    "Every Eval Ever aggregates (*.json) and instances (*_samples.jsonl)",
    None,
    read_every_eval_ever,
    keys=(
        {"schema_version", "evaluation_id", "model_info", "evaluation_results"},
        {"schema_version", "evaluation_id", "model_id", "sample_id", "evaluation"},
    ),
)
