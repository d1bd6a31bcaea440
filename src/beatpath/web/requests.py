"""Bodies of requests: how to read a file, and what to analyze; and the equivalent command line."""

import json
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from beatpath._typing import (
    BothBad,
    EstimandName,
    Matrix,
    Missing,
    PairWeight,
    Per,
    Repeats,
    SelfBattles,
    Ties,
    Unranked,
)
from beatpath.evidence.conventions import DEFAULT, Conventions
from beatpath.inference.options import ReportOptions

# Types of fields, with limits on their sizes.
Text = Annotated[str, Field(max_length=2000)]
Texts = Annotated[list[Text], Field(max_length=500)]
Pairs = Annotated[dict[Text, Text], Field(max_length=500)]
Numbers = Annotated[dict[Text, float], Field(max_length=2000)]


class Strict(BaseModel):
    """A request in which every field must be known."""

    model_config = ConfigDict(extra="forbid")


class FileReading(Strict):
    """Which file to read, and how; as for `beatpath.read`."""

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


READ = frozenset(FileReading.model_fields) - {"file", "only", "without"}  # the options that `beatpath.read` takes


class Question(FileReading):
    """What to analyze; as for `beatpath.report`."""

    level: float = Field(0.95, gt=0, lt=1, description="Confidence of whatever is called certain.")
    estimand: EstimandName | Numbers = Field(
        "auto", description="What a score is; a mapping of agents to weights is a mixture of opponents."
    )
    cluster: Texts | Literal["auto"] | None = Field("auto", description="Columns whose battles belong together.")
    contexts: Text | None = Field(None, description="A column: the same analyses are run on each of its levels.")
    weights: Numbers = Field({}, description="Tasks or voters that do not weigh one.")
    ties: Ties = DEFAULT.ties
    both_bad: BothBad = DEFAULT.both_bad
    pair_weight: PairWeight = DEFAULT.pair_weight
    unranked: Unranked = DEFAULT.unranked
    missing: Missing = DEFAULT.missing
    per: Per = DEFAULT.per
    matrix: Matrix = DEFAULT.matrix
    seed: int = Field(0, ge=0, le=2**32 - 1)
    methods: Texts | None = Field(None, description="By default the usual ones that the evidence allows.")

    def options(self, title: str | None, path: str) -> ReportOptions:
        """Return the options of the report for a file with this path.

        >>> Question(file="x", ties="drop", weights={"code": 2}).options(None, "x.csv").conventions
        Conventions(ties='drop', both_bad='tie', pair_weight='count', unranked='ignore', missing='unranked', per='auto', \
tolerance=0.0, weights={'code': 2.0}, matrix='auto')
        """
        names = (one.name for one in fields(Conventions))
        chosen: dict[str, Any] = {name: getattr(self, name) or None for name in names if hasattr(self, name)}
        own: dict[str, Any] = {
            name: getattr(self, name) for name in ("methods", "level", "estimand", "cluster", "seed")
        }
        own |= {"by": self.contexts, "command": self.command(path), "conventions": Conventions(**chosen)}
        return ReportOptions(title=title, **own)

    def command(self, path: str) -> str:
        """Return the command line that makes the same report.

        >>> print(Question(file="x", map={"agent_a": "left side"}, level=0.9, estimand={"a,b": 2}).command("games.csv"))
        beatpath report games.csv --map 'agent_a=left side' --level 0.9 --estimand '{"a,b": "2.0"}'
        """
        words = ["beatpath", "report", path or "--example"]
        for name, value in self.model_dump(exclude={"file"}, exclude_defaults=True).items():
            words += _option(name, value)
        return shlex.join(words)


# flags with names other than the field
FLAGS = {"format": "format-in", "self_battles": "self", "contexts": "by", "methods": "method"}
REPEATED = ("where", "only", "without", "methods")  # fields whose flag is repeated for each value


def _option(name: str, value: Any) -> Iterable[str]:
    """One setting as arguments of the command line."""
    flag = f"--{FLAGS.get(name, name.replace('_', '-'))}"
    if isinstance(value, dict):
        return (flag, _mapping(value))
    if isinstance(value, list):
        return [word for one in value for word in (flag, one)] if name in REPEATED else (flag, ",".join(value))
    return (flag, "none" if value is None else str(value))


def _mapping(value: Mapping[str, Any]) -> str:
    """A mapping as the value of an option; as JSON if a name contains a special character."""
    if not any(set(f"{name}{text}") & set(",={}") for name, text in value.items()):
        return ",".join(f"{name}={text}" for name, text in value.items())
    return json.dumps({name: str(text) for name, text in value.items()}, ensure_ascii=False)
