"""What a request asks: how to read a file, and what to find out; and the command line that asks the same."""

import json
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from beatpath._typing import BothBad, Matrix, Missing, PairWeight, Per, Repeats, SelfBattles, Ties, Unranked
from beatpath.evidence.conventions import Conventions

Text = Annotated[str, Field(max_length=2000)]
Texts = Annotated[list[Text], Field(max_length=500)]
Pairs = Annotated[dict[Text, Text], Field(max_length=500)]
Numbers = Annotated[dict[Text, float], Field(max_length=2000)]
USUAL = Conventions()


class Strict(BaseModel):
    """A request of which every field is known."""

    model_config = ConfigDict(extra="forbid")


class FileReading(Strict):
    """Which file, and how it is to be read; as for `beatpath.read`."""

    file: Text = Field(description="The identifier of a file, as `/api/files` lists it.", examples=["example"])
    format: Text | None = Field(None, description="The format, where the file does not show it.")
    map: Pairs = Field({}, description="Columns by role, where names do not show it.", examples=[{"agent_a": "left"}])
    labels: Pairs = Field({}, description="What outcome labels mean: a, b, tie, both_bad, drop.")
    where: Texts = Field([], description="Conditions such as `language=en` or `turn<=2` that all rows used meet.")
    keep: Texts = Field([], description="Further columns to carry along, to cluster or to split by.")
    lower: Texts = Field([], description="Metrics or tasks for which lower is better.")
    only: Texts = Field([], description="Keep these agents alone.")
    without: Texts = Field([], description="Leave these agents out.")
    encoding: Text | None = None
    delimiter: Text | None = None
    self_battles: SelfBattles = "drop"
    repeats: Repeats = "error"


class Question(FileReading):
    """What to find out of a file; as for `beatpath.report`."""

    methods: Texts | None = Field(None, description="By default the usual ones that the evidence allows.")
    level: float = Field(0.95, gt=0, lt=1, description="Confidence of whatever is called certain.")
    estimand: (
        Literal[
            "auto",
            "mean_win_rate",
            "mean_score",
            "as_sampled",
            "bradley_terry",
            "iqm",
            "median",
            "optimality_gap",
            "probability_of_improvement",
        ]
        | Numbers
    ) = Field("auto", description="What a score is; a mapping of agents to weights is a mixture of opponents.")
    cluster: Texts | Literal["auto"] | None = Field("auto", description="Columns whose battles belong together.")
    contexts: Text | None = Field(None, description="A column: the same questions are asked of each of its levels.")
    weights: Numbers = Field({}, description="Tasks or voters that do not weigh one.")
    ties: Ties = USUAL.ties
    both_bad: BothBad = USUAL.both_bad
    pair_weight: PairWeight = USUAL.pair_weight
    unranked: Unranked = USUAL.unranked
    missing: Missing = USUAL.missing
    per: Per = USUAL.per
    matrix: Matrix = USUAL.matrix
    seed: int = Field(0, ge=0, le=2**32 - 1)


READING = tuple(name for name in FileReading.model_fields if name != "file")
ASKED = ("methods", "level", "estimand", "cluster", "contexts", "seed")


def conventions_of(question: Mapping[str, Any]) -> Conventions:
    """Return the conventions that a question asks for.

    >>> conventions_of(Question(file="x", ties="drop", weights={"code": 2}).model_dump())
    Conventions(ties='drop', both_bad='tie', pair_weight='count', unranked='ignore', missing='unranked', per='auto', \
tolerance=0.0, weights={'code': 2.0}, matrix='auto')
    """
    told = {one.name: question[one.name] for one in fields(Conventions) if one.name in question}
    return Conventions(**{**told, "weights": told.get("weights") or None})


def command(question: Mapping[str, Any], path: str) -> str:
    """Return the command line that makes the same report.

    >>> told = Question(file="x", map={"agent_a": "left side"}, level=0.9, estimand={"a,b": 2}).model_dump()
    >>> print(command(told, "games.csv"))
    beatpath report games.csv --map 'agent_a=left side' --level 0.9 --estimand '{"a,b": "2.0"}'
    """
    words = ["beatpath", "report", path or "--example"]
    for name, field in Question.model_fields.items():
        value = question[name]
        if name not in ("file", "methods") and value != field.get_default(call_default_factory=True):
            words += _option(name, value)
    words += [word for key in question["methods"] or () for word in ("--method", key)]
    return shlex.join(words)


FLAGS = {
    "format": "--format-in",
    "self_battles": "--self",
    "both_bad": "--both-bad",
    "pair_weight": "--pair-weight",
    "contexts": "--by",
}
REPEATED = ("where", "only", "without")


def _option(name: str, value: Any) -> Iterable[str]:
    """One setting as words of a command line."""
    flag = FLAGS.get(name, f"--{name}")
    if isinstance(value, dict):
        return (flag, _mapping(value))
    if isinstance(value, list):
        return [word for one in value for word in (flag, one)] if name in REPEATED else (flag, ",".join(value))
    return (flag, "none" if value is None else str(value))


def _mapping(value: Mapping[str, Any]) -> str:
    """A mapping as an option takes it; as JSON where a name holds a sign that has a meaning."""
    if not any(set(f"{name}{text}") & set(",={}") for name, text in value.items()):
        return ",".join(f"{name}={text}" for name, text in value.items())
    return json.dumps({name: str(text) for name, text in value.items()}, ensure_ascii=False)
