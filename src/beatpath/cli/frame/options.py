"""The options that every verb which reads a file shares, and how their texts are taken apart."""

import inspect
import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from beatpath._errors import DataError, UsageError
from beatpath._memory import allow_memory
from beatpath._progress import doing
from beatpath._text import listed, quoted
from beatpath._typing import (
    BothBad,
    Engine,
    Matrix,
    Missing,
    PairWeight,
    Per,
    Repeats,
    SelfBattles,
    TierScheme,
    Ties,
    Unranked,
)
from beatpath.cli.frame.limits import WEIGHT
from beatpath.cli.frame.output import detail, timed
from beatpath.cli.frame.progress import shown_progress

if TYPE_CHECKING:
    from beatpath.evidence import Evidence
    from beatpath.evidence.conventions import ConventionOptions


def method_names() -> list[str]:
    """The methods there are, for the shell to complete."""
    from beatpath.methods.registry import METHODS

    return list(METHODS)


def format_names() -> list[str]:
    """The formats there are, for the shell to complete."""
    from beatpath.data.formats import readers

    return [reader.name for reader in readers()]


READING = "Reading"
CONVENTIONS = "Conventions"
Format = Literal["table", "json", "csv", "md"]

Files = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FILE...",
        show_default=False,
        help="Files, folders, globs or addresses, read together; - for standard input.",
    ),
]
Map = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="ROLE=COLUMN,...",
        rich_help_panel=READING,
        help="Which column means what, where names do not show it.",
    ),
]
Labels = Annotated[
    list[str] | None,
    typer.Option(
        "--labels",
        metavar="LABEL=MEANING,...",
        rich_help_panel=READING,
        help="What labels mean: a, b, tie, both_bad, drop; for places: last, drop.",
    ),
]
Where = Annotated[
    list[str] | None,
    typer.Option(
        "--where",
        metavar="COLUMN=VALUE",
        rich_help_panel=READING,
        help="Use only rows that meet this (also != < <= > >=). May be repeated.",
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option("--keep", metavar="COLUMN,...", rich_help_panel=READING, help="Carry further columns along."),
]
Lower = Annotated[
    list[str] | None,
    typer.Option(
        "--lower", metavar="METRIC,...", rich_help_panel=READING, help="Metrics or tasks for which lower is better."
    ),
]
FormatIn = Annotated[
    str | None,
    typer.Option(
        "--format-in",
        metavar="NAME",
        autocompletion=format_names,
        rich_help_panel=READING,
        help="The format of the file; `beatpath formats` lists them.",
    ),
]
Only = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="AGENT", rich_help_panel=READING, help="Keep this agent; repeat for more."),
]
Without = Annotated[
    list[str] | None,
    typer.Option("--without", metavar="AGENT", rich_help_panel=READING, help="Leave this agent out; repeat for more."),
]
MinAgentBattles = Annotated[
    int,
    typer.Option(
        "--min-agent-battles",
        metavar="N",
        min=0,
        rich_help_panel=READING,
        help="Leave out agents with fewer battles (ballots, scores) among those kept.",
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option("--encoding", metavar="NAME", rich_help_panel=READING, help="Of a text file that is not UTF-8."),
]
Delimiter = Annotated[
    str | None,
    typer.Option("--delimiter", metavar="SIGN", rich_help_panel=READING, help="Between the cells of a text file."),
]
Self = Annotated[
    SelfBattles,
    typer.Option("--self", rich_help_panel=READING, help="What to do with battles of an agent against itself."),
]
RepeatsOption = Annotated[
    Repeats,
    typer.Option("--repeats", rich_help_panel=READING, help="What to do with an agent that stands on a ballot twice."),
]
EngineOption = Annotated[
    Engine | None,
    typer.Option(
        "--engine",
        rich_help_panel=READING,
        help="Who opens the files and counts their battles; counts are split by cluster and the columns of --keep.",
    ),
]
EngineSetting = Annotated[
    list[str] | None,
    typer.Option(
        "--engine-option",
        metavar="KEY=VALUE",
        rich_help_panel=READING,
        help="What the engine is started with: memory_limit=8GB, master=local[4], address=... May be repeated.",
    ),
]
Weights = Annotated[
    list[str] | None,
    typer.Option(
        "--weights",
        metavar="TASK=WEIGHT,...",
        rich_help_panel=CONVENTIONS,
        help="Tasks or voters that do not weigh one.",
    ),
]
TiesOption = Annotated[
    Ties,
    typer.Option("--ties", rich_help_panel=CONVENTIONS, help="What a tied battle counts as."),
]
BothBadOption = Annotated[
    BothBad,
    typer.Option("--both-bad", rich_help_panel=CONVENTIONS, help="What 'both bad' counts as."),
]
PairWeightOption = Annotated[
    PairWeight,
    typer.Option("--pair-weight", rich_help_panel=CONVENTIONS, help="Whether battles or pairs weigh alike."),
]
UnrankedOption = Annotated[
    Unranked,
    typer.Option("--unranked", rich_help_panel=CONVENTIONS, help="What an agent that a ballot leaves out means."),
]
MissingOption = Annotated[
    Missing,
    typer.Option("--missing", rich_help_panel=CONVENTIONS, help="What a missing score means."),
]
PerOption = Annotated[
    Per,
    typer.Option("--per", rich_help_panel=CONVENTIONS, help="Who votes in a score table."),
]
MatrixOption = Annotated[
    Matrix,
    typer.Option(
        "--matrix",
        rich_help_panel=CONVENTIONS,
        help="What rules that compare pairs take: estimated win rates or counts.",
    ),
]
Example = Annotated[
    bool, typer.Option("--example", help="Use the built-in example, a simulated arena, instead of a file.")
]
Output = Annotated[Format, typer.Option("--format", help="How to print the answer.")]
Cluster = Annotated[
    list[str] | None,
    typer.Option(
        "--cluster",
        metavar="COLUMN",
        help="Battles that belong together: prompt, session, judge. Twice for two-way; none for independent battles.",
    ),
]
Covariates = Annotated[
    str | None,
    typer.Option(
        "--covariates",
        metavar="COLUMN,...",
        help='With contexts: compare at equal values of "length_a - length_b", or of a column that holds a difference.',
    ),
]
TiersOption = Annotated[
    TierScheme,
    typer.Option(
        "--tiers",
        help="The column that says who is parted from whom: tiers from the top, letters (agents that share none differ), or "
        "cuts (groups, everyone of one above everyone of the next).",
    ),
]
Level = Annotated[float, typer.Option("--level", help="Confidence, from 0.5 to 0.999.")]
Estimand = Annotated[
    str,
    typer.Option(
        "--estimand",
        metavar="NAME",
        autocompletion=lambda: [
            *("auto", "mean_win_rate", "mean_score", "as_sampled", "bradley_terry"),
            *("iqm", "median", "optimality_gap", "probability_of_improvement"),
        ],
        help="auto, mean_win_rate, mean_score (tables of scores), as_sampled, bradley_terry, or AGENT=WEIGHT,... for a mixture; of "
        "tables with several runs also iqm, median, optimality_gap, probability_of_improvement.",
    ),
]
Zero = Annotated[
    str | None,
    typer.Option(
        "--zero",
        metavar="AGENT",
        rich_help_panel=READING,
        help="Of tables of scores: the agent whose score on a task counts as 0, such as a random player, or a number. With --one.",
    ),
]
One = Annotated[
    str | None,
    typer.Option(
        "--one",
        metavar="AGENT",
        rich_help_panel=READING,
        help="The agent whose score on a task counts as 1, such as a human, or a number. With --zero; both leave the table.",
    ),
]
Memory = Annotated[
    str | None,
    typer.Option(
        "--memory",
        metavar="SIZE",
        rich_help_panel=READING,
        help="The most that anything large may fill, such as 8GB; what needs more is refused with a sentence. By default what is free, half of it for reading.",
    ),
]
Seed = Annotated[int, typer.Option("--seed", help="Seed of everything random; the example is drawn from it.")]


def named_values(texts: Sequence[str] | None, option: str) -> dict[str, str]:
    """Return ``{"agent_a": "left"}`` from ``agent_a=left,...`` or from a JSON object, given any number of times.

    >>> named_values(["agent_a=left,agent_b=right", '{"outcome": "who, then"}'], "--map")
    {'agent_a': 'left', 'agent_b': 'right', 'outcome': 'who, then'}
    """
    found: dict[str, str] = {}
    for text in texts or ():
        if text.lstrip().startswith("{"):
            found |= _object(text, option)
            continue
        for part in filter(None, text.split(",")):
            name, equals, value = part.rpartition("=") if option == "--labels" else part.partition("=")
            if not equals or not name.strip() or not value.strip():
                raise UsageError(
                    f"`{option}` must read NAME=VALUE, with commas between; got {quoted(part)}. Names with a comma or an "
                    f'equals sign go into JSON: {option} \'{{"NAME": "VALUE"}}\'.'
                )
            found[name.strip()] = value.strip()
    return found


def _object(text: str, option: str) -> dict[str, str]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise UsageError(f"`{option}` must be NAME=VALUE or a JSON object; got {quoted(text)}: {error}.") from None
    if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
        raise UsageError(f"`{option}` must be a JSON object of texts; got {quoted(text)}.")
    return value


def numbers_of(texts: Sequence[str] | None, option: str) -> dict[str, float]:
    """Return ``{"toxicity": 5.0}`` from ``toxicity=5,...``, given any number of times.

    >>> numbers_of(["toxicity=5,bias=3"], "--weights")
    {'toxicity': 5.0, 'bias': 3.0}
    """
    return {name: WEIGHT.number(f"{option} {name}", text) for name, text in named_values(texts, option).items()}


def names_of(texts: Sequence[str] | None) -> tuple[str, ...]:
    """Return names from ``a,b`` given any number of times.

    >>> names_of(["a,b", "c"])
    ('a', 'b', 'c')
    """
    return tuple(part.strip() for text in texts or () for part in text.split(",") if part.strip())


def cluster_of(texts: Sequence[str] | None) -> str | tuple[str, ...] | None:
    """Return the columns named, ``auto`` where none is, nothing for ``none``.

    >>> cluster_of(None), cluster_of(["none"]), cluster_of(["prompt", "judge"])
    ('auto', None, ('prompt', 'judge'))
    """
    given = names_of(texts)
    if not given:
        return "auto"
    return None if given == ("none",) else given


def estimand_of(text: str) -> str | dict[str, float]:
    """Return the name of an estimand, or the weights of a mixture.

    >>> estimand_of("as_sampled"), estimand_of("ada=2,bob=1")
    ('as_sampled', {'ada': 2.0, 'bob': 1.0})
    """
    return numbers_of([text], "--estimand") if "=" in text else text


READS: dict[str, tuple[Any, Any]] = {
    "map": (Map, None),
    "labels": (Labels, None),
    "where": (Where, None),
    "keep": (Keep, None),
    "lower": (Lower, None),
    "zero": (Zero, None),
    "one": (One, None),
    "only": (Only, None),
    "without": (Without, None),
    "min_agent_battles": (MinAgentBattles, 0),
    "format_in": (FormatIn, None),
    "encoding": (Encoding, None),
    "delimiter": (Delimiter, None),
    "self_battles": (Self, "drop"),
    "repeats": (RepeatsOption, "error"),
    "engine": (EngineOption, None),
    "engine_option": (EngineSetting, None),
    "memory": (Memory, None),
    "example": (Example, False),
    "seed": (Seed, 0),
}
SETTLES: dict[str, tuple[Any, Any]] = {
    "weights": (Weights, None),
    "ties": (TiesOption, "half"),
    "both_bad": (BothBadOption, "tie"),
    "pair_weight": (PairWeightOption, "count"),
    "unranked": (UnrankedOption, "ignore"),
    "missing": (MissingOption, "unranked"),
    "per": (PerOption, "auto"),
    "matrix": (MatrixOption, "auto"),
}


def reads(verb: Callable[..., None], first: Callable[[dict[str, Any]], None] | None = None) -> Callable[..., None]:
    """Give a verb the FILE arguments and the reading options; it gets the `evidence` they lead to as its first argument.

    A default that the verb itself declares for one of these options takes precedence. A verb that takes `conventions` gets the
    options that settle them too, and the conventions as a mapping; one that takes `seed` gets the seed. What `first` says of the
    other options, such as a path to write to, is heard before anything is read.
    """
    own = list(inspect.signature(verb).parameters.values())[1:]
    settles = SETTLES if any(p.name == "conventions" for p in own) else {}
    theirs = {p.name: p.default for p in own if p.name in READS}
    shared = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=theirs.get(name, default), annotation=kind)
        for name, (kind, default) in (settles | READS).items()
    ]
    files = inspect.Parameter("files", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Files)
    mine = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own if p.name not in (*READS, "conventions")]

    def run(**given: Any) -> None:
        reading = {name: given.pop(name) for name in ("files", *READS)}
        allow_memory(reading.pop("memory"))
        if settles:
            given["conventions"] = _conventions_of({name: given.pop(name) for name in settles})
        if "seed" in theirs:
            given["seed"] = reading["seed"]
        if first is not None:
            first(given)
        with shown_progress():
            doing(f"reading {listed(reading['files'] or ['the example'], 3)}")
            with timed("reading"):
                evidence = evidence_named(**reading)
            detail(repr(evidence))
            with timed("answer"):
                verb(evidence, **given)

    run.__name__, run.__doc__ = verb.__name__, verb.__doc__
    run.__signature__ = inspect.Signature([files, *mine, *shared])  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in (files, *mine, *shared)}
    return run


def _conventions_of(told: dict[str, Any]) -> "ConventionOptions":
    """What differs from the usual conventions, as keyword arguments."""
    from beatpath.evidence.conventions import Conventions

    return Conventions(**{**told, "weights": numbers_of(told["weights"], "--weights") or None}).options()


def evidence_named(
    only: list[str] | None,
    without: list[str] | None,
    min_agent_battles: int,
    zero: str | None,
    one: str | None,
    **reading: Any,
) -> "Evidence":
    """Read what the options say, put scores on the scale of references, and keep the agents named and met often enough."""
    evidence = _on_references(_read_source(**reading), zero, one)
    if not only and not without and not min_agent_battles:
        return evidence
    from beatpath.evidence import select as among

    if only:
        evidence = among.only(evidence, only)
    evidence = among.without(evidence, without) if without else evidence
    return among.often_met(evidence, min_agent_battles) if min_agent_battles else evidence


def _on_references(evidence: "Evidence", zero: str | None, one: str | None) -> "Evidence":
    """Scores of which 0 and 1 are those of two agents or numbers, where both are named."""
    if zero is None and one is None:
        return evidence
    if zero is None or one is None:
        raise UsageError("`--zero` and `--one` must be given together: what counts as 0, and what as 1.")
    from beatpath.evidence import Scores
    from beatpath.inference.runs.runs import normalised

    if not isinstance(evidence, Scores):
        raise DataError(f"`--zero` and `--one` need a table of scores; these are {evidence.kind}.")
    told = [text if text in evidence.agents else _number(text) for text in (zero, one)]
    return normalised(evidence, zero=told[0], one=told[1])


def _number(text: str) -> float | str:
    """The number that a text is, or else the text."""
    try:
        return float(text)
    except ValueError:
        return text


def _read_source(files: list[str] | None, example: bool, seed: int, **reading: Any) -> "Evidence":
    """Read the files, or make the example."""
    if example == bool(files):
        raise UsageError("name the files to read (or - for standard input), or --example, and not both.")
    if not files:
        from beatpath.data.example import example as made

        return made(seed=seed)
    from beatpath.data.read import read

    return read(
        files,
        format=reading["format_in"],
        map=named_values(reading["map"], "--map"),
        labels=named_values(reading["labels"], "--labels"),
        where=tuple(reading["where"] or ()),
        keep=names_of(reading["keep"]),
        lower=names_of(reading["lower"]),
        encoding=reading["encoding"],
        delimiter=_sign(reading["delimiter"]),
        self_battles=reading["self_battles"],
        repeats=reading["repeats"],
        engine=reading["engine"],
        engine_options=settings_of(reading["engine_option"]),
    )


def settings_of(texts: Sequence[str] | None) -> dict[str, str]:
    """Return ``{"master": "local[2]"}`` from ``master=local[2]``, given any number of times; values may hold commas.

    >>> settings_of(["master=local[2]", "spark.jars=a.jar,b.jar"])
    {'master': 'local[2]', 'spark.jars': 'a.jar,b.jar'}
    """
    found = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"`--engine-option` must read KEY=VALUE; got {quoted(text)}.")
        found[name.strip()] = value.strip()
    return found


def _sign(delimiter: str | None) -> str | None:
    r"""A delimiter as the shell can write it: ``\t`` is a tab."""
    return "\t" if delimiter in ("\\t", "tab") else delimiter
