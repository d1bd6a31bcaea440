"""``beatpath resolve FILE --claim "A > B"``: what the data resolve, and whether they carry a claim."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from beatpath._errors import UsageError
from beatpath._progress import Interrupted
from beatpath._text import quoted
from beatpath.cli.frame import options as o
from beatpath.cli.frame.output import print_csv, print_json, print_table, say, say_reading, with_reading
from beatpath.cli.frame.progress import hide_progress

if TYPE_CHECKING:
    from beatpath.evidence import Evidence
    from beatpath.inference.ranks.rank_sets_result import RankSets
    from beatpath.inference.resolve.anytime_resolution import AnytimeResolution
    from beatpath.inference.resolve.claims import ClaimTest
    from beatpath.inference.resolve.context_resolution import ContextResolution
    from beatpath.inference.resolve.long_board import LongBoard

UNSUPPORTED = 3


@o.reads
def resolve_verb(
    evidence: "Evidence",
    conventions: dict[str, Any],
    claim: Annotated[
        list[str] | None,
        typer.Option(
            "--claim",
            metavar="CLAIM",
            help='"A > B", "A is first", "A is last" or "A is in the top 3"; with contexts also "A > B in X" and '
            '"A is better at X than at Y". Exit 3 when the data do not carry it.',
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            metavar="COLUMN",
            help="Boards for every task, category or other context, drawn towards the whole; a JSON file lists the tasks of "
            "every context.",
        ),
    ] = None,
    mix: Annotated[
        list[str] | None,
        typer.Option(
            "--mix", metavar="CONTEXT=WEIGHT,...", help="The board of contexts so mixed; of tasks without --by."
        ),
    ] = None,
    covariates: Annotated[
        str | None,
        typer.Option(
            "--covariates",
            metavar="COLUMN,...",
            help='With --by or --mix: compare at equal values of "length_a - length_b", or of a column that holds a difference.',
        ),
    ] = None,
    cluster: o.Cluster = None,
    level: o.Level = 0.95,
    estimand: o.Estimand = "auto",
    simultaneous: Annotated[
        bool,
        typer.Option("--simultaneous/--marginal", help="Whether all rank ranges hold at once, or each by itself."),
    ] = True,
    min_battles: Annotated[
        int, typer.Option("--min-battles", help="Battles a pair needs to be an edge of a cycle.")
    ] = 20,
    draws: Annotated[int, typer.Option("--draws", help="Of the simulation that finds critical values.")] = 20_000,
    seed: int = 0,
    tiers: o.TiersOption = "top",
    anytime: Annotated[
        bool,
        typer.Option("--anytime", help="Say what holds at every look, also if the schedule followed the outcomes."),
    ] = False,
    format: Annotated[
        Literal["table", "json", "csv", "md", "badge"],
        typer.Option(
            "--format", help="How to print the answer; badge is an SVG that says who may be first, for a README."
        ),
    ] = "table",
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
    from beatpath.inference.ranks.tiers import tiers as put_into_tiers
    from beatpath.inference.resolve.anytime_resolution import AnytimeResolution
    from beatpath.inference.resolve.context_resolution import ContextResolution
    from beatpath.inference.resolve.long_board import LongBoard
    from beatpath.inference.resolve.resolve import resolve as resolved
    from beatpath.reports.figures.badge import badge
    from beatpath.reports.terminal.resolution import resolution_markdown, resolution_table

    try:
        found = resolved(
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
        _print_ranks(stopped.found, evidence, format)
        say(f"Interrupted; left out: {stopped.left}.")
        raise KeyboardInterrupt from None
    judged = [found.test(text) for text in claim or ()]
    if isinstance(found, ContextResolution):
        _print_contexts(found, judged, evidence, format)
    elif isinstance(found, LongBoard | AnytimeResolution):
        _print_short(found, judged, evidence, format)
    elif format == "json":
        data = with_reading({**found.to_dict(), "tiers": put_into_tiers(found, tiers).to_dict()}, evidence)
        print_json({**data, "claims": [one.to_dict() for one in judged]} if judged else data)
    else:
        say_reading(evidence)
        if format == "csv":
            print_csv(found.rows())
        elif format == "md":
            print(resolution_markdown(found, judged, tiers), end="")
        elif format == "badge":
            print(badge(found), end="")
        else:
            print_table(resolution_table(found, judged, tiers))
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


def _print_ranks(found: "RankSets", evidence: "Evidence", format: str) -> None:
    """Print the ranks that are open, which is what an interrupt leaves; a badge is no place for it."""
    from beatpath.reports.terminal.check import markdown

    hide_progress()
    if format == "json":
        print_json(with_reading(found.to_dict(), evidence))
    elif format == "csv":
        print_csv(found.rows())
    elif format == "md":
        print("".join(f"- {markdown(said)}\n" for said in found.sentences), end="")
    elif format == "table":
        say_reading(evidence)
        print_table("\n".join(found.sentences))


def _print_short(
    found: "LongBoard | AnytimeResolution", judged: "list[ClaimTest]", evidence: "Evidence", format: str
) -> None:
    """Print a board of more agents than are compared pair by pair, or one that holds at every look; they have no tiers and no badge."""
    from beatpath.inference.resolve.long_board import LongBoard
    from beatpath.reports.terminal.anytime_resolution import anytime_markdown, anytime_table
    from beatpath.reports.terminal.long_board import long_board_markdown, long_board_table

    long = isinstance(found, LongBoard)
    if format == "badge":
        do = "here are too many. Choose some with --only." if long else "for one look. Leave --anytime out."
        raise UsageError(f"a badge is made of boards whose agents are compared pair by pair; {do}")
    if format == "json":
        data = with_reading(found.to_dict(), evidence)
        print_json({**data, "claims": [one.to_dict() for one in judged]} if judged else data)
        return
    say_reading(evidence)
    if format == "csv":
        print_csv(list(found.rows()))
    elif format == "md":
        print(
            long_board_markdown(found, judged) if isinstance(found, LongBoard) else anytime_markdown(found, judged),
            end="",
        )
    else:
        print_table(long_board_table(found, judged) if isinstance(found, LongBoard) else anytime_table(found, judged))


def _print_contexts(found: "ContextResolution", judged: "list[ClaimTest]", evidence: "Evidence", format: str) -> None:
    """Print boards by context; they have no tiers and no badge."""
    from beatpath.reports.terminal.contexts import contexts_markdown, contexts_table

    if format == "badge":
        raise UsageError(
            "a badge is made of one board; leave `--by` and `--mix` out, or choose a context with --where."
        )
    if format == "json":
        data = with_reading(found.to_dict(), evidence)
        print_json({**data, "claims": [one.to_dict() for one in judged]} if judged else data)
        return
    say_reading(evidence)
    if format == "csv":
        print_csv(found.rows())
    elif format == "md":
        print(contexts_markdown(found, judged), end="")
    else:
        print_table(contexts_table(found, judged))
