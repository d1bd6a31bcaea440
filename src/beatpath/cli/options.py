"""Options as frozen dataclasses.

A field has its type, flags, help and parser, and typer builds its parameters from them.
"""

import inspect
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import MISSING, Field, dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypeVar, get_args, get_origin, get_type_hints

import typer

from beatpath._errors import DataError, UsageError
from beatpath._text import quoted
from beatpath._typing import (
    BothBad,
    Engine,
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

if TYPE_CHECKING:
    from beatpath.evidence import Evidence
    from beatpath.evidence.conventions import ConventionOptions, Conventions

# Panels of options: of a verb with many options, `--help` shows few of these, and `--help-all` all.
READING = "Reading"
CONVENTIONS = "Conventions"
RARE = "Rare"
# Types of options that several verbs share.
Format = Literal["table", "json", "csv", "md"]
Clusters: TypeAlias = str | tuple[str, ...] | None
Estimand: TypeAlias = str | dict[str, float]
Texts: TypeAlias = list[str] | None
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Limit:
    """The range of a numeric option, and whether it must be an integer.

    >>> Limit(0, 65_535).number("port", "99999")
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `port` must be a whole number from 0 to 65,535; got '99999'.
    """

    least: float
    most: float
    whole: bool = True

    def number(self, option: str, text: str) -> float:
        """Return the number that a string represents, or raise an error that states the range."""
        try:
            value = int(text) if self.whole else float(text)
        except ValueError:
            value = float("nan")
        if not self.least <= value <= self.most:
            kind, share = "a whole number" if self.whole else "a number", value / 100
            percent = f" {value:g} % is {share:g}." if self.most < 1 and self.least <= share <= self.most else ""
            raise UsageError(
                f"`{option}` must be {kind} from {self.least:,} to {self.most:,}; got {quoted(text)}.{percent}"
            )
        return value


# Ranges that several options share.
TEMPERATURE = Limit(1e-6, 10**6, whole=False)
WEIGHT = Limit(0, 1e100, whole=False)
LIMITS = {  # ranges by option: wide enough for every use, narrow enough that no solver overflows
    "seed": Limit(0, 10**18),
    "level": Limit(0.5, 0.999, whole=False),
    "min_battles": Limit(1, 10**9),
    "min_agent_battles": Limit(0, 10**9),
    "draws": Limit(100, 10**9),
    "workers": Limit(1, 10**4),
    "top": Limit(2, 10**9),
    "batch": Limit(1, 10**9),
    "tau": TEMPERATURE,
    "gamma": TEMPERATURE,
    "max_length": Limit(1, 10**6),
    "port": Limit(0, 65_535),
    "max_upload": Limit(0.001, 10**6, whole=False),
    "time_limit": Limit(0, 10**6, whole=False),
}


def option(
    names: str,
    help: str = "",
    *,
    default: Any = None,
    read: Callable[[Any], Any] | None = None,
    kind: Any = Texts,
    **info: Any,
) -> Any:
    """Return a field of an options dataclass that the command line sets.

    Parameters
    ----------
    names : str
        Flags and the placeholder of the value, ``--method -m KEY``; without a flag it is a positional argument.
    help : str
        Help text.
    default
        Default as typer takes it; ``...`` if a value is required.
    read : callable, optional
        Converts the value that typer passes, which then has type `kind`; by default the type is that of the field.
    kind : type
        Type that typer parses if `read` is given.
    **info
        Further arguments of typer's `Option` and `Argument`: rich_help_panel, min, ...
    """
    words = names.split()
    flags = [word for word in words if word.startswith("-")]
    metavar = " ".join(words[len(flags) :]) or None
    make = partial(typer.Option, *flags) if flags else typer.Argument
    known = {"info": make(help=help, metavar=metavar, **info), "default": default, "read": read, "kind": kind}
    if read is None:
        return field(default=default, metadata=known)
    return field(default_factory=partial(read, None if default is ... else default), metadata=known)


def parameters(options: type, limited: bool = True) -> dict[str, inspect.Parameter]:
    """Return the fields of an options dataclass as typer parameters.

    Numbers and choices are restricted to their limits.
    """
    hints = get_type_hints(options)
    out = {}
    for one in fields(options):
        known = one.metadata
        kind = hints[one.name] if known["read"] is None else known["kind"]
        if isinstance(known["info"], typer.models.OptionInfo):
            known["info"].metavar = known["info"].metavar or _placeholder(kind)
            if limited:
                _limit(one.name, kind, known["info"])
        out[one.name] = inspect.Parameter(
            one.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if known["default"] is ... else known["default"],
            annotation=Annotated[kind, known["info"]],
        )
    return out


def _placeholder(kind: Any) -> str | None:
    """What the help shows for a value of a type; None for a switch or a choice.

    >>> _placeholder(float | None), _placeholder(list[str] | None), _placeholder(bool)
    ('NUMBER', 'TEXT', None)
    """
    names = {int: "N", float: "NUMBER", str: "TEXT", Path: "FILE"}
    inside = () if get_origin(kind) is Literal else get_args(kind)
    return names[kind] if kind in names else next(filter(None, map(_placeholder, inside)), None)


def built(options: type, arguments: dict[str, Any]) -> Any:
    """Return options from the values that typer passes, with every string converted."""
    values = {one.name: (arguments[one.name], one.metadata["read"]) for one in fields(options)}
    return options(**{name: value if read is None else read(value) for name, (value, read) in values.items()})


def given(options: Any) -> dict[str, str]:
    """Return the flag of every option that differs from its default, by the name of its field."""
    return {
        one.name: _flag(one.metadata["info"])
        for one in fields(options)
        if isinstance(one.metadata["info"], typer.models.OptionInfo) and getattr(options, one.name) != _default(one)
    }


def _default(one: Field[Any]) -> Any:
    return one.default if one.default_factory is MISSING else one.default_factory()


def _flag(info: typer.models.OptionInfo) -> str:
    return next(str(way) for way in (info.default, *(info.param_decls or ())) if str(way).startswith("--"))


def _limit(name: str, kind: Any, info: typer.models.OptionInfo) -> None:
    """Give an option with a number or with several choices a parser that validates it."""
    types = [part for part in (kind, *get_args(kind)) if part in (int, float) or get_origin(part) is Literal]
    if not types or get_origin(kind) is list:
        return
    flag = _flag(info)
    if get_origin(types[0]) is Literal:
        words = [str(word) for word in get_args(types[0])]
        info.parser, info.autocompletion = _parser("|".join(words), partial(_one_of, flag, words)), lambda: words
    elif name in LIMITS:
        info.parser = _parser("number", partial(LIMITS[name].number, flag))


def _parser(name: str, read: Callable[[str], Any]) -> Callable[[str], Any]:
    """A parser of strings, under the name that the help shows for its values."""

    def parse(text: str) -> Any:
        return read(str(text))

    parse.__name__ = name
    return parse


def _one_of(flag: str, words: Sequence[str], text: str) -> str:
    from beatpath._validate import require_choice

    require_choice(flag, text, words)
    return text


def named_values(texts: Sequence[str] | None, option: str) -> dict[str, str]:
    """Return ``{"agent_a": "left"}`` from ``agent_a=left,...`` or from a JSON object; may be repeated.

    >>> named_values(["agent_a=left,agent_b=right", '{"outcome": "who, then"}'], "--map")
    {'agent_a': 'left', 'agent_b': 'right', 'outcome': 'who, then'}
    """
    values: dict[str, str] = {}
    for text in texts or ():
        if text.lstrip().startswith("{"):
            values |= _object(text, option)
            continue
        for part in filter(None, text.split(",")):
            name, equals, value = part.rpartition("=") if option == "--labels" else part.partition("=")
            if not equals or not name.strip() or not value.strip():
                raise UsageError(
                    f"`{option}` must read NAME=VALUE, with commas between; got {quoted(part)}. Names with a comma or an "
                    f'equals sign go into JSON: {option} \'{{"NAME": "VALUE"}}\'.'
                )
            values[name.strip()] = value.strip()
    return values


def _object(text: str, option: str) -> dict[str, str]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise UsageError(f"`{option}` must be NAME=VALUE or a JSON object; got {quoted(text)}: {error}.") from None
    if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
        raise UsageError(f"`{option}` must be a JSON object of texts; got {quoted(text)}.")
    return value


def numbers_of(texts: Sequence[str] | None, option: str) -> dict[str, float]:
    """Return ``{"toxicity": 5.0}`` from ``toxicity=5,...``; may be repeated.

    >>> numbers_of(["toxicity=5,bias=3"], "--weights")
    {'toxicity': 5.0, 'bias': 3.0}
    """
    return {name: WEIGHT.number(f"{option} {name}", text) for name, text in named_values(texts, option).items()}


def names_of(texts: Sequence[str] | None) -> tuple[str, ...]:
    """Return names from ``a,b``; may be repeated.

    >>> names_of(["a,b", "c"])
    ('a', 'b', 'c')
    """
    return tuple(part.strip() for text in texts or () for part in text.split(",") if part.strip())


def each(texts: Sequence[str] | None) -> tuple[str, ...]:
    """Return strings as a tuple, empty if there are none."""
    return tuple(texts or ())


def cluster_of(texts: Sequence[str] | None) -> Clusters:
    """Return the named columns, "auto" if there are none, None for ``none``.

    >>> cluster_of(None), cluster_of(["none"]), cluster_of(["prompt", "judge"])
    ('auto', None, ('prompt', 'judge'))
    """
    columns = names_of(texts)
    if not columns:
        return "auto"
    return None if columns == ("none",) else columns


def estimand_of(text: str) -> Estimand:
    """Return the name of an estimand, or the weights of a mixture.

    >>> estimand_of("as_sampled"), estimand_of("ada=2,bob=1")
    ('as_sampled', {'ada': 2.0, 'bob': 1.0})
    """
    return numbers_of([text], "--estimand") if "=" in text else text


def settings_of(texts: Sequence[str] | None) -> dict[str, str]:
    """Return ``{"master": "local[2]"}`` from ``master=local[2]``; may be repeated, and values may contain commas.

    >>> settings_of(["master=local[2]", "spark.jars=a.jar,b.jar"])
    {'master': 'local[2]', 'spark.jars': 'a.jar,b.jar'}
    """
    values = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"`--engine-option` must read KEY=VALUE; got {quoted(text)}.")
        values[name.strip()] = value.strip()
    return values


def _sign(delimiter: str | None) -> str | None:
    r"""A delimiter as the shell can write it: ``\t`` is a tab."""
    return "\t" if delimiter in ("\\t", "tab") else delimiter


def method_names() -> list[str]:
    """Names of the methods, for shell completion."""
    from beatpath.methods.registry import METHODS

    return list(METHODS)


def format_names() -> list[str]:
    """Names of the formats, for shell completion."""
    from beatpath.data.formats import readers

    return [reader.name for reader in readers()]


rare = partial(option, rich_help_panel=RARE)  # an option that most people never need
_reading = partial(option, rich_help_panel=READING)
_settling = partial(option, rich_help_panel=CONVENTIONS)

# Options that several verbs share.
SEED = partial(option, "--seed", default=0, help="Seed of everything random; it also generates the example.")
OUTPUT = partial(option, "--format", default="table", help="How to print the answer.")
LEVEL = partial(option, "--level", default=0.95, help="Confidence, from 0.5 to 0.999.")
CLUSTER = partial(
    option,
    "--cluster COLUMN",
    read=cluster_of,
    help="The column of correlated battles: prompt, session, judge. Twice for two-way; none for independent battles.",
)
COVARIATES = partial(
    rare,
    "--covariates COLUMN,...",
    help='With contexts: compare at equal values of "length_a - length_b", or of a column that holds a difference.',
)
TIERS = partial(
    option,
    "--tiers",
    default="top",
    help="How to show which agents are separated: tiers from the top, letters (agents that share none differ), or "
    "cuts (groups, every agent of one above every agent of the next).",
)
METHOD = partial(option, "--method -m KEY", read=names_of, autocompletion=method_names)
ESTIMAND = partial(
    option,
    "--estimand NAME",
    default="auto",
    read=estimand_of,
    kind=str,
    autocompletion=lambda: list(get_args(EstimandName)),
    help="auto, mean_win_rate, mean_score (tables of scores), as_sampled, bradley_terry, or AGENT=WEIGHT,... for a mixture; of "
    "tables with several runs also iqm, median, optimality_gap, probability_of_improvement.",
)


@dataclass(frozen=True)
class FileOptions:
    """How to interpret files; as for `beatpath.read`."""

    map: dict[str, str] = _reading(
        "--map ROLE=COLUMN,...",
        read=partial(named_values, option="--map"),
        help="What columns mean, where their names do not show it.",
    )
    labels: dict[str, str] = _reading(
        "--labels LABEL=MEANING,...",
        read=partial(named_values, option="--labels"),
        help="What labels mean: a, b, tie, both_bad, drop; for places: last, drop.",
    )
    where: tuple[str, ...] = _reading(
        "--where COLUMN=VALUE", read=each, help="Use only rows that satisfy this (also != < <= > >=). May be repeated."
    )
    lower: tuple[str, ...] = _reading(
        "--lower METRIC,...", read=names_of, help="Metrics or tasks for which lower is better."
    )
    format_in: str | None = _reading(
        "--format-in NAME", autocompletion=format_names, help="The format of the file; `beatpath formats` lists them."
    )

    def reading(self) -> dict[str, Any]:
        """Return the options of `beatpath.read` that were given."""
        named = {one.name.removesuffix("_in"): getattr(self, one.name) for one in fields(FileOptions)}
        return {name: value for name, value in named.items() if value}


# Help of the option that scores repeated samples.
SAMPLES = (
    "Of tables with several samples an item: score it by the chance that one (pass@5), every one (pass^5) or most (maj@5) of so "
    "many are right, or by the best of them (best@5)."
)


@dataclass(frozen=True)
class ReadOptions(FileOptions):
    """What to read, and how; as for `beatpath.read`."""

    files: Texts = option("FILE...", "Files, folders, globs or addresses, read together; - for standard input.")
    keep: tuple[str, ...] = _reading("--keep COLUMN,...", "Keep further columns.", read=names_of)
    zero: str | None = _reading(
        "--zero AGENT",
        "Of tables of scores: the agent whose score on a task counts as 0, such as a random player, or a number. With --one.",
    )
    one: str | None = _reading(
        "--one AGENT",
        "The agent whose score on a task counts as 1, such as a human, or a number. With --zero; both leave the table.",
    )
    samples: str | None = _reading("--samples pass@K", SAMPLES)
    only: Texts = _reading("--only AGENT", "Keep this agent; repeat for more.")
    without: Texts = _reading("--without AGENT", "Leave this agent out; repeat for more.")
    min_agent_battles: int = _reading(
        "--min-agent-battles N",
        "Leave out agents with fewer battles (ballots, scores) among those kept.",
        default=0,
        min=0,
    )
    encoding: str | None = _reading("--encoding NAME", "Of a text file that is not UTF-8.")
    delimiter: str | None = _reading(
        "--delimiter SIGN", "Between the cells of a text file.", read=_sign, kind=str | None
    )
    self_battles: SelfBattles = _reading(
        "--self", "What to do with battles of an agent against itself.", default="drop"
    )
    repeats: Repeats = _reading("--repeats", "What to do with an agent that a ballot ranks twice.", default="error")
    engine: Engine | None = _reading(
        "--engine",
        "The engine that opens the files and counts battles; counts are split by cluster and the columns of --keep.",
    )
    engine_option: dict[str, str] = _reading(
        "--engine-option KEY=VALUE",
        "What the engine is started with: memory_limit=8GB, master=local[4], address=... May be repeated.",
        read=settings_of,
    )
    memory: str | None = _reading(
        "--memory SIZE",
        "The memory limit, such as 8GB; what needs more is refused with a message. Default: the free memory, half of it for reading.",
    )
    example: bool = option(
        "--example", "Use the built-in example, a simulated arena, instead of a file.", default=False
    )
    seed: int = SEED()

    def evidence(self) -> "Evidence":
        """Read the source, rescale scores to references, and keep the selected agents with enough battles."""
        evidence = self._on_references(self._source())
        if not self.only and not self.without and not self.min_agent_battles:
            return evidence
        from beatpath.evidence import select as among

        evidence = among.only(evidence, self.only) if self.only else evidence
        evidence = among.without(evidence, self.without) if self.without else evidence
        return among.only(evidence, min_battles=self.min_agent_battles) if self.min_agent_battles else evidence

    def _source(self) -> "Evidence":
        """Read the files, or simulate the example."""
        if self.example == bool(self.files):
            raise UsageError("name the files to read (or - for standard input), or --example, and not both.")
        if not self.files:
            from beatpath.data.example import example
            from beatpath.data.tables.cells import chosen

            return chosen(example(seed=self.seed), self.where) if self.where else example(seed=self.seed)
        from beatpath.data.read import read

        return read(
            self.files,
            keep=self.keep,
            encoding=self.encoding,
            delimiter=self.delimiter,
            self_battles=self.self_battles,
            repeats=self.repeats,
            engine=self.engine,
            engine_options=self.engine_option,
            **self.reading(),
        )

    def _on_references(self, evidence: "Evidence") -> "Evidence":
        """Rescale scores so that two reference agents or numbers are 0 and 1, if both are named; sum samples up before."""
        if self.samples is not None:
            from beatpath.inference.runs.pass_at_k import pass_at_k_named

            evidence = pass_at_k_named(evidence, self.samples)  # type: ignore[arg-type]
        if self.zero is None and self.one is None:
            return evidence
        if self.zero is None or self.one is None:
            raise UsageError("`--zero` and `--one` must be given together: what counts as 0, and what as 1.")
        from beatpath.evidence import Scores
        from beatpath.inference.runs.runs import normalized

        if not isinstance(evidence, Scores):
            raise DataError(f"`--zero` and `--one` need a table of scores; these are {evidence.kind}.")
        zero, one = (text if text in evidence.agents else value_of(text) for text in (self.zero, self.one))
        return normalized(evidence, zero=zero, one=one)


def value_of(text: str) -> float | str:
    """Return the number that a string represents, whole where it is, or else the string.

    >>> value_of("3"), value_of("0.5"), value_of("auto")
    (3, 0.5, 'auto')
    """
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


@dataclass(frozen=True)
class ConventionFlags:
    """How evidence becomes comparisons; as for `beatpath.Conventions`."""

    weights: dict[str, float] = _settling(
        "--weights TASK=WEIGHT,...",
        "Weights of tasks or voters; all others weigh 1.",
        read=partial(numbers_of, option="--weights"),
    )
    ties: Ties = _settling("--ties", "What a tied battle counts as.", default="half")
    both_bad: BothBad = _settling("--both-bad", "What 'both bad' counts as.", default="tie")
    pair_weight: PairWeight = _settling("--pair-weight", "Whether battles or pairs weigh alike.", default="count")
    unranked: Unranked = _settling("--unranked", "What it means that a ballot leaves an agent out.", default="ignore")
    missing: Missing = _settling("--missing", "What a missing score means.", default="unranked")
    per: Per = _settling("--per", "Who votes in a score table.", default="auto")
    matrix: Matrix = _settling("--matrix", "What pairwise methods use: estimated win rates or counts.", default="auto")

    @property
    def chosen(self) -> "Conventions":
        """The conventions."""
        from beatpath.evidence.conventions import Conventions

        named: dict[str, Any] = {one.name: getattr(self, one.name) or None for one in fields(ConventionFlags)}
        return Conventions(**named)

    @property
    def conventions(self) -> "ConventionOptions":
        """The conventions that differ from the defaults, as keyword arguments."""
        return self.chosen.options()

    def options(self, kind: type[T], **named: Any) -> T:
        """Return an options object from the flags with the same names, and from `named`."""
        known = {one.name: getattr(self, one.name) for one in fields(kind) if hasattr(self, one.name)}  # type: ignore[arg-type]
        return kind(**{**known, "conventions": self.chosen, **named})
