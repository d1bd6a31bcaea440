"""``beatpath resolve FILE --claim "A > B"``: what the data resolve, and whether they carry a claim."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from beatpath._errors import UsageError
from beatpath._progress import Interrupted
from beatpath._text import quoted
from beatpath._typing import TierScheme
from beatpath.cli.frame import options as o
from beatpath.cli.frame.output import say, show
from beatpath.cli.frame.progress import hide_progress

if TYPE_CHECKING:
    from beatpath.evidence import Evidence
    from beatpath.inference.ranks.claims import ClaimTest
    from beatpath.inference.ranks.rank_sets import RankSets
    from beatpath.inference.resolve.resolution import Resolution

UNSUPPORTED = 3

Claim = Annotated[
    list[str] | None,
    typer.Option(
        "--claim",
        metavar="CLAIM",
        help='"A > B", "A is first", "A is last" or "A is in the top 3"; with contexts also "A > B in X" and '
        '"A is better at X than at Y". Exit 3 when the data do not carry it.',
    ),
]
By = Annotated[
    str | None,
    typer.Option(
        "--by",
        metavar="COLUMN",
        help="Boards for every task, category or other context, drawn towards the whole; a JSON file lists the tasks of "
        "every context.",
    ),
]
Mix = Annotated[
    list[str] | None,
    typer.Option("--mix", metavar="CONTEXT=WEIGHT,...", help="The board of contexts so mixed; of tasks without --by."),
]
Simultaneous = Annotated[
    bool,
    typer.Option("--simultaneous/--marginal", help="Whether all rank ranges hold at once, or each by itself."),
]
MinBattles = Annotated[int, typer.Option("--min-battles", help="Battles a pair needs to be an edge of a cycle.")]
Draws = Annotated[int, typer.Option("--draws", help="Of the simulation that finds critical values.")]
Anytime = Annotated[
    bool,
    typer.Option("--anytime", help="Say what holds at every look, also if the schedule followed the outcomes."),
]
Output = Annotated[
    Literal["table", "json", "csv", "md", "badge"],
    typer.Option("--format", help="How to print the answer; badge is an SVG that says who may be first, for a README."),
]


@o.reads
def resolve_verb(
    evidence: "Evidence",
    conventions: dict[str, Any],
    claim: Claim = None,
    by: By = None,
    mix: Mix = None,
    covariates: o.Covariates = None,
    cluster: o.Cluster = None,
    level: o.Level = 0.95,
    estimand: o.Estimand = "auto",
    simultaneous: Simultaneous = True,
    min_battles: MinBattles = 20,
    draws: Draws = 20_000,
    seed: int = 0,
    tiers: o.TiersOption = "top",
    anytime: Anytime = False,
    format: Output = "table",
) -> None:
    """Say who is certainly above whom, who is tied, which cycles survive the noise, and whether one scale is fair.

    beatpath resolve --example

    beatpath resolve battles.csv --cluster prompt --claim "aurora > basalt"

    beatpath resolve scores.csv --estimand mean_score --format json

    beatpath resolve battles.csv --anytime

    beatpath resolve battles.csv --keep category --by category --mix code=0.7,chat=0.3 --claim "aurora is better at code than at chat"

    beatpath resolve scores.csv --by categories.json

    beatpath resolve battles.csv --format badge > first.svg
    """
    from beatpath.inference.resolve.resolve import resolve

    try:
        found = resolve(
            evidence,
            estimand=o.estimand_of(estimand),
            cluster=o.cluster_of(cluster),
            by=_contexts_of(by, evidence),
            covariates=covariates or (),
            mix=o.numbers_of(mix, "--mix") if mix else None,
            level=level,
            simultaneous=simultaneous,
            min_battles=min_battles,
            draws=draws,
            seed=seed,
            anytime=anytime,
            **conventions,
        )
    except Interrupted as stopped:
        _show_ranks(stopped.found, evidence, format)
        say(f"Interrupted; left out: {stopped.left}.")
        raise KeyboardInterrupt from None
    judged = [found.test(text) for text in claim or ()]
    _show(found, judged, tiers, evidence, format)
    if any(not one.supported for one in judged):
        say("A claim is not supported: exit 3.")
        raise typer.Exit(UNSUPPORTED)


def _contexts_of(by: str | None, evidence: "Evidence") -> "str | dict[str, list[str]] | None":
    """The column that is named, or the tasks of every context where a JSON file is."""
    from beatpath.evidence.select import columns_of

    if by is None or not by.endswith(".json") or by in columns_of(evidence):
        return by
    try:
        found = json.loads(Path(by).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"`--by` must name a column or a file that can be read; {quoted(by)}: {error}.") from None
    except (json.JSONDecodeError, RecursionError) as error:
        raise UsageError(f"{quoted(by)} must be JSON, a list of tasks for every context; {error}.") from None
    if not isinstance(found, dict) or not all(isinstance(tasks, list) for tasks in found.values()):
        raise UsageError(
            f'{quoted(by)} must be a list of tasks for every context, such as {{"code": ["sql", "rust"]}}.'
        )
    return found


def _show_ranks(found: "RankSets", evidence: "Evidence", format: str) -> None:
    """Print the ranks that are open, which is what an interrupt leaves; a badge is no place for it."""
    from beatpath.reports.terminal.check import markdown

    hide_progress()
    if format != "badge":
        show(
            format,
            evidence,
            table=lambda: "\n".join(found.sentences),
            json=found.to_dict,
            csv=found.rows,
            md=lambda: "".join(f"- {markdown(said)}\n" for said in found.sentences),
        )


def _show(found: "Resolution", judged: "list[ClaimTest]", tiers: TierScheme, evidence: "Evidence", format: str) -> None:
    """Print the board with the claims above it; only where agents are compared pair by pair are there tiers and a badge."""
    from beatpath.inference.ranks.tiers import tiers as put_into_tiers
    from beatpath.inference.resolve.pairwise_resolution import PairwiseResolution
    from beatpath.reports.figures.badge import badge

    drawn = {"badge": partial(badge, found)} if isinstance(found, PairwiseResolution) else {}
    if format == "badge" and not drawn:
        raise UsageError(_no_badge(found))
    table, markdown = _printers(found, tiers)

    def plain() -> dict[str, Any]:
        steps = {"tiers": put_into_tiers(found, tiers).to_dict()} if isinstance(found, PairwiseResolution) else {}
        return {**found.to_dict(), **steps, **({"claims": [one.to_dict() for one in judged]} if judged else {})}

    show(
        format,
        evidence,
        table=lambda: table(found, judged),
        json=plain,
        csv=lambda: list(found.rows()),
        md=lambda: markdown(found, judged),
        **drawn,
    )


def _printers(found: "Resolution", tiers: TierScheme) -> tuple[Callable[..., Any], Callable[..., str]]:
    """What makes a table, and what makes Markdown, of a board and the claims above it."""
    from beatpath.inference.resolve.context_resolution import ContextResolution
    from beatpath.inference.resolve.long_board import LongBoard
    from beatpath.inference.resolve.pairwise_resolution import PairwiseResolution
    from beatpath.reports.terminal.anytime_resolution import anytime_markdown, anytime_table
    from beatpath.reports.terminal.contexts import contexts_markdown, contexts_table
    from beatpath.reports.terminal.long_board import long_board_markdown, long_board_table
    from beatpath.reports.terminal.resolution import resolution_markdown, resolution_table

    if isinstance(found, PairwiseResolution):
        return partial(resolution_table, scheme=tiers), partial(resolution_markdown, scheme=tiers)
    if isinstance(found, ContextResolution):
        return contexts_table, contexts_markdown
    return (
        (long_board_table, long_board_markdown) if isinstance(found, LongBoard) else (anytime_table, anytime_markdown)
    )


def _no_badge(found: "Resolution") -> str:
    """Why there is no badge of a board, and what to do."""
    from beatpath.inference.resolve.context_resolution import ContextResolution
    from beatpath.inference.resolve.long_board import LongBoard

    if isinstance(found, ContextResolution):
        return "a badge is made of one board; leave `--by` and `--mix` out, or choose a context with --where."
    do = (
        "here are too many. Choose some with --only."
        if isinstance(found, LongBoard)
        else "for one look. Leave --anytime out."
    )
    return f"a badge is made of boards whose agents are compared pair by pair; {do}"
