"""``beatpath rank FILE --method schulze --method iml``: methods side by side, the Condorcet winner first."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from beatpath._errors import UsageError
from beatpath._progress import INTERRUPTED
from beatpath._text import quoted
from beatpath._typing import TierScheme
from beatpath.cli.frame import options as o
from beatpath.cli.frame.output import show

if TYPE_CHECKING:
    from beatpath.evidence import Evidence
    from beatpath.inference.ranking.compare import Comparison
    from beatpath.inference.ranking.stability import Stability
    from beatpath.inference.ranks.tiers import Tiers
    from beatpath.methods.result import Ranking

STRUCTURED = "bradley_terry_structured"
JUDGED = "bradley_terry_judged"
SECONDS = 5.0  # as `beatpath.methods.kemeny` has it


Method = Annotated[
    list[str] | None,
    typer.Option(
        "--method",
        "-m",
        metavar="KEY",
        autocompletion=o.method_names,
        help="A method, or all; may be repeated. Default: all.",
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="METHOD.NAME=VALUE", help="A setting of a method, such as approval.k=3."),
]
AgentTable = Annotated[
    str | None,
    typer.Option(
        "--covariates",
        metavar="FILE",
        help="A table with a row an agent (size, licence, year): what explains strengths, by bradley_terry_structured.",
    ),
]
Columns = Annotated[
    str | None,
    typer.Option("--columns", metavar="NAMES", help="Those of --covariates to use, commas between. Default: all."),
]
Stable = Annotated[
    bool,
    typer.Option("--stability", help="Say how often rankings stay what they are over all that win rates may be."),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        metavar="SECONDS",
        min=0.0,
        show_default=False,
        help=f"Seconds for methods that search for a proof; they end with the gap that is left. [{SECONDS:g}]",
    ),
]
Exact = Annotated[bool, typer.Option("--exact", help="Let such methods search until they have the proof.")]
Parted = Annotated[
    TierScheme | None,
    typer.Option("--tiers", help="Also say who is parted from whom by what the data resolve, as `resolve` does."),
]
JudgesOption = Annotated[
    Literal["alike", "reliability", "aware"],
    typer.Option(
        "--judges",
        help="Weigh battles alike, or each as much as its judge is reliable (reliability); or weigh them alike and put "
        "beside it strengths fitted with a reliability for every judge, and what that changes (aware).",
    ),
]


@o.reads
def rank_verb(
    evidence: "Evidence",
    conventions: dict[str, Any],
    method: Method = None,
    set_: Settings = None,
    covariates: AgentTable = None,
    columns: Columns = None,
    stability: Stable = False,
    time_limit: TimeLimit = None,
    exact: Exact = False,
    tiers: Parted = None,
    judges: JudgesOption = "alike",
    seed: o.Seed = 0,
    format: o.Output = "table",
) -> None:
    """Rank agents by one method or by all of them side by side; ties stay ties.

    beatpath rank --example

    beatpath rank battles.csv -m schulze -m iml

    beatpath rank helm.csv --weights toxicity=5,bias=3 --format json

    beatpath rank battles.csv --covariates models.csv --columns size,licence

    beatpath rank battles.csv --map judge=annotator --judges aware
    """
    from beatpath.inference.judges.weighed import weighed
    from beatpath.inference.ranking.compare import compare

    evidence = weighed(evidence, "reliability" if judges == "reliability" else "alike")
    keys = o.names_of(method) or ("all" if covariates is None else STRUCTURED,)
    keys = (*keys, JUDGED) if judges == "aware" else keys
    settings = _within(time_limit, exact, _settings_of_methods(set_))
    settings = _explained_by(covariates, columns, keys, settings)
    found = compare(evidence, keys, settings=settings, **conventions)
    drawn = _drawn(evidence, [one.method for one in found.rankings], seed, conventions) if stability else None
    parted = None if tiers is None else _parted(evidence, tiers, seed, conventions)
    _show(found, drawn, parted, evidence, format)
    if INTERRUPTED in found.not_run.values():
        raise KeyboardInterrupt


def _show(
    found: "Comparison", drawn: "Stability | None", parted: "Tiers | None", evidence: "Evidence", format: str
) -> None:
    """Print the rankings side by side, and what else was asked for below them."""
    from rich.console import Group
    from rich.text import Text

    from beatpath.reports.terminal.check import markdown
    from beatpath.reports.terminal.ranking import comparison_markdown, comparison_rows, comparison_table
    from beatpath.reports.terminal.tiers import tier_lines

    more = {"stability": drawn, "tiers": parted}
    below = [
        *_models_said(found.rankings),
        *([] if drawn is None else [drawn.sentences]),
        *([] if parted is None else [tier_lines(parted)]),
    ]
    lists = ("".join(f"- {markdown(said)}\n" for said in lines) for lines in below)
    show(
        format,
        evidence,
        table=lambda: Group(comparison_table(found), *(Text("\n" + "\n".join(lines)) for lines in below)),
        json=lambda: found.to_dict() | {name: one.to_dict() for name, one in more.items() if one is not None},
        csv=lambda: _with_tiers(comparison_rows(found) if drawn is None else drawn.rows(), parted),
        md=lambda: "\n".join([comparison_markdown(found), *lists]),
    )


def _within(time_limit: float | None, exact: bool, settings: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The settings with the limit of time for every method that has one and was not given its own."""
    from beatpath.methods.registry import METHODS

    if exact and time_limit is not None:
        raise UsageError("`--exact` sets no limit of time, and `--time-limit` does; leave one of the two.")
    if not exact and time_limit is None:
        return settings
    limited = [key for key, method in METHODS.items() if "time_limit" in method.settings]
    given = {"time_limit": None if exact else time_limit}
    return {**settings, **{key: {**given, **settings.get(key, {})} for key in limited}}


def _explained_by(
    path: str | None, columns: str | None, keys: Sequence[str], settings: dict[str, dict[str, Any]]
) -> dict[str, dict[str, Any]]:
    """The settings with the table of agents at a path for the method that takes one."""
    if path is None:
        if columns is not None:
            raise UsageError("`--columns` are those of a table of agents; name it with `--covariates`.")
        return settings
    if STRUCTURED not in keys:
        raise UsageError(f"`--covariates` are for {STRUCTURED}; leave `--method` out, or name it.")
    from beatpath.data.read import read_agents

    given: dict[str, Any] = {"covariates": read_agents(path)}
    given |= {} if columns is None else {"columns": list(o.names_of([columns]))}
    return {**settings, STRUCTURED: {**given, **settings.get(STRUCTURED, {})}}


def _models_said(rankings: "Sequence[Ranking]") -> list[tuple[str, ...]]:
    """What explains strengths, and what knowing the judges changes, where that was fitted."""
    from beatpath.methods.rating.bradley_terry.structured import effects_said
    from beatpath.methods.rating.judged.bradley_terry_judged import judged_said

    effects = [effects_said(one.details) for one in rankings if one.method == STRUCTURED]
    return effects + [judged_said(one.details, one.scores) for one in rankings if one.method == JUDGED]


def _drawn(evidence: "Evidence", methods: list[str], seed: int, conventions: dict[str, Any]) -> "Stability":
    """How stable the rankings of those methods that compare pairs are."""
    from beatpath.inference.ranking.stability import stability
    from beatpath.methods.registry import METHODS

    comparing = [key for key in methods if METHODS[key].compares]
    if not comparing:
        raise UsageError(
            "`--stability` is of rules that compare pairs; none of those asked for does. Name one with --method."
        )
    return stability(evidence, comparing, seed=seed, **conventions)


def _parted(evidence: "Evidence", scheme: TierScheme, seed: int, conventions: dict[str, Any]) -> "Tiers":
    """The tiers of what the data resolve."""
    from beatpath.evidence.conventions import Conventions
    from beatpath.inference.options import ResolveOptions
    from beatpath.inference.ranks.tiers import tiers
    from beatpath.inference.resolve.resolve import resolve_profile
    from beatpath.methods.profile import profile_of

    return tiers(
        resolve_profile(profile_of(evidence, Conventions.of(**conventions)), ResolveOptions(seed=seed)), scheme
    )


def _with_tiers(rows: Sequence[Mapping[str, Any]], parted: "Tiers | None") -> Sequence[Mapping[str, Any]]:
    """The rows with what their agents' column says."""
    labels = {} if parted is None else dict(zip(parted.agents, parted.labels, strict=True))
    return rows if parted is None else [{**row, parted.heading: labels[row["agent"]]} for row in rows]


def _settings_of_methods(texts: list[str] | None) -> dict[str, dict[str, Any]]:
    """Return ``{"approval": {"k": 3}}`` from ``approval.k=3``."""
    found: dict[str, dict[str, Any]] = {}
    for name, value in o.named_values(texts, "--set").items():
        key, dot, setting = name.partition(".")
        if not dot:
            raise UsageError(f"`--set` must read METHOD.NAME=VALUE, such as approval.k=3; got {quoted(name)}.")
        found.setdefault(key, {})[setting] = _setting_value(value)
    return found


def _setting_value(text: str) -> Any:
    """A setting as a whole number, a number, or a text."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
