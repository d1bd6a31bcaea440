"""``beatpath resolve FILE --claim "A > B"``: confidence statements about a leaderboard.

It prints significant differences and rank sets, and whether the data support a claim.
"""

import json
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from beatpath._errors import UsageError
from beatpath._progress import Interrupted
from beatpath._text import quoted
from beatpath._typing import TierScheme
from beatpath.cli import options as o
from beatpath.cli.output import end_unsupported, hide_progress, report_reading, say, show

if TYPE_CHECKING:
    from beatpath.evidence import Evidence
    from beatpath.inference.ranks.claims import ClaimTest
    from beatpath.inference.ranks.rank_sets import RankSets
    from beatpath.inference.resolve.resolution import Resolution


@dataclass(frozen=True)
class ResolveOptions(o.ConventionFlags):
    """Options of ``beatpath resolve``."""

    claim: tuple[str, ...] = o.option(
        "--claim CLAIM",
        '"A > B", "A > B by 3 points", "A within 2 points of B", "A at most 1 point below B", "A is first", "A is last" or '
        '"A is in the top 3", joined by and; with contexts also "A > B in X" and "A is better at X than at Y". Exit 3 when the data '
        "do not support it.",
        read=o.each,
    )
    by: str | None = o.option(
        "--by COLUMN",
        "A board for every task, category or other context, shrunk toward the overall scores; a JSON file lists the tasks of "
        "every context.",
    )
    mix: dict[str, float] = o.option(
        "--mix CONTEXT=WEIGHT,...",
        "The board of this mixture of contexts; of tasks without --by.",
        read=partial(o.numbers_of, option="--mix"),
    )
    covariates: str | None = o.COVARIATES()
    cluster: o.Clusters = o.CLUSTER()
    level: float = o.LEVEL()
    estimand: o.Estimand = o.ESTIMAND()
    simultaneous: bool | None = o.rare(
        "--simultaneous/--marginal",
        "Whether all rank sets hold simultaneously (the default), or each by itself. With --simultaneous, claims are corrected for all pairs too, "
        "as claims chosen after seeing the data must be; otherwise only for the claims given.",
        default=None,
    )
    field: str = o.rare(
        "--field auto|all", "Keep agents with too little data off the board (auto), or place all.", default="auto"
    )
    min_battles: int = o.rare("--min-battles", "Battles a pair needs to be an edge of a cycle.", default=20)
    draws: int = o.rare("--draws", "Draws of the simulation of critical values.", default=20_000)
    seed: int = o.SEED()
    tiers: TierScheme = o.TIERS()
    anytime: bool = o.option(
        "--anytime", "Use intervals that hold at every look, also under adaptive sampling.", default=False
    )
    humans: tuple[str, ...] = o.option(
        "--humans JUDGE",
        "Judge whose preference the board is about, as the judge column names it; repeat for more. All other judges narrow the "
        "intervals and cannot bias them.",
        read=o.each,
    )
    format: Literal["table", "json", "csv", "md", "badge"] = o.OUTPUT(
        help="How to print the answer; badge is an SVG that says who may be first, for a README."
    )


def resolve_verb(evidence: "Evidence", options: ResolveOptions) -> None:
    """Show which agents are certainly above others, which are tied, which cycles survive the noise, and whether a Bradley-Terry model fits.

    beatpath resolve --example

    beatpath resolve battles.csv --cluster prompt --claim "aurora > basalt"

    beatpath resolve scores.csv --estimand mean_score --format json

    beatpath resolve battles.csv --anytime

    beatpath resolve battles.csv --keep category --by category --mix code=0.7,chat=0.3 --claim "aurora is better at code than at chat"

    beatpath resolve battles.csv --humans human

    beatpath resolve scores.csv --by categories.json

    beatpath resolve battles.csv --format badge > first.svg
    """
    from beatpath.inference.options import ResolveOptions as AnalysisOptions
    from beatpath.inference.resolve.resolve import resolve_with

    by, covariates = _contexts_of(options.by, evidence), options.covariates or ()
    simultaneous = options.simultaneous is not False
    resolve_options = options.options(
        AnalysisOptions, by=by, covariates=covariates, mix=options.mix or None, simultaneous=simultaneous
    )
    try:
        resolution = resolve_with(evidence, resolve_options)
    except Interrupted as stopped:
        _show_ranks(stopped.found, evidence, options.format)
        say(f"Interrupted; left out: {stopped.left}.")
        raise KeyboardInterrupt from None
    number, at_once = len(options.claim), options.simultaneous is True
    claims = [resolution.test(text, n_claims=number, simultaneous=at_once) for text in options.claim]
    _show(resolution, claims, evidence, options)
    if any(not one.supported for one in claims):
        end_unsupported("A claim is not supported")


def _contexts_of(by: str | None, evidence: "Evidence") -> "str | dict[str, list[str]] | None":
    """The named column, or the tasks of every context from a JSON file."""
    from beatpath.evidence.select import columns_of

    if by is None or not by.endswith(".json") or by in columns_of(evidence):
        return by
    try:
        contexts = json.loads(Path(by).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"`--by` must name a column or a file that can be read; {quoted(by)}: {error}.") from None
    except (json.JSONDecodeError, RecursionError) as error:
        raise UsageError(f"{quoted(by)} must be JSON, a list of tasks for every context; {error}.") from None
    if not isinstance(contexts, dict) or not all(isinstance(tasks, list) for tasks in contexts.values()):
        raise UsageError(
            f'{quoted(by)} must be a list of tasks for every context, such as {{"code": ["sql", "rust"]}}.'
        )
    return contexts


def _show_ranks(ranks: "RankSets", evidence: "Evidence", format: str) -> None:
    """Print the rank sets, the partial result after an interrupt; not as a badge."""
    from beatpath.reports.view import View

    hide_progress()
    if format != "badge":
        show(format, ranks, lambda: View(facts=ranks.sentences), evidence=evidence)


def _show(resolution: "Resolution", claims: "list[ClaimTest]", evidence: "Evidence", options: ResolveOptions) -> None:
    """Print the leaderboard with the claims above it."""
    from beatpath.checks import check
    from beatpath.inference.ranks.tiers import tiers
    from beatpath.reports.result_views import board_view

    if options.format == "badge":
        _print_badge(resolution, evidence, options)
        return
    show(
        options.format,
        resolution,
        lambda: board_view(resolution, claims, options.tiers, check(evidence)),
        evidence=evidence,
        tiers=tiers(resolution, options.tiers) if resolution.above.size else None,
        claims=claims or None,
    )


def _print_badge(resolution: "Resolution", evidence: "Evidence", options: ResolveOptions) -> None:
    """Print the badge of a leaderboard, or explain why it has none."""
    from beatpath.reports.figures.badge import badge

    if resolution.contexts:
        raise UsageError(
            "a badge is made of one board; leave `--by` and `--mix` out, or choose a context with --where."
        )
    if options.anytime or not resolution.above.size:
        do = "for one look. Leave --anytime out." if options.anytime else "here are too many. Choose some with --only."
        raise UsageError(f"a badge is made of boards whose agents are compared pair by pair; {do}")
    report_reading(evidence)
    sys.stdout.write(badge(resolution))
