"""``beatpath diff OLD NEW``: what changed between two boards, and whether a claim was lost."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from beatpath._errors import UsageError
from beatpath._text import quoted
from beatpath.cli.frame import options as o
from beatpath.cli.frame.output import say, say_reading, show

if TYPE_CHECKING:
    from beatpath.inference.ranks.ranks import Ranks

LOST = 3
WHAT = "JSON that `resolve` or `report` wrote (- for standard input), or a file of battles"


Old = Annotated[str, typer.Argument(metavar="OLD", help=f"The board before: {WHAT}.")]
New = Annotated[str, typer.Argument(metavar="NEW", help="The board after, likewise.")]
Claim = Annotated[
    list[str] | None,
    typer.Option(
        "--claim",
        metavar="CLAIM",
        help='"A > B", "A is first", "A is last" or "A is in the top 3". Exit 3 when it held before and does not now.',
    ),
]
Level = Annotated[
    float | None,
    typer.Option("--level", show_default=False, help="Confidence of files of battles. [that of the JSON, or 0.95]"),
]
Seed = Annotated[int, typer.Option("--seed", help="Seed of everything random.")]


def diff_verb(
    old: Old,
    new: New,
    claim: Claim = None,
    map: o.Map = None,
    labels: o.Labels = None,
    where: o.Where = None,
    lower: o.Lower = None,
    format_in: o.FormatIn = None,
    cluster: o.Cluster = None,
    level: Level = None,
    estimand: o.Estimand = "auto",
    seed: Seed = 0,
    format: o.Output = "table",
) -> None:
    """Say who certainly rose or fell between two boards, who came and went, and which claims hold no more.

    beatpath diff old.json new.json

    beatpath diff old.json battles.csv --claim "aurora is in the top 3"

    beatpath diff may.csv june.csv --format md >> CHANGELOG.md
    """
    from beatpath.inference.resolve.diff import diff_of
    from beatpath.reports.terminal.diff import diff_markdown, diff_table

    if old == new == "-":
        raise UsageError("only one of OLD and NEW may be -, standard input.")
    documents = [_document(name) for name in (old, new)]
    reading = {
        "map": o.named_values(map, "--map"),
        "labels": o.named_values(labels, "--labels"),
        "where": tuple(where or ()),
        "lower": o.names_of(lower),
        "format": format_in,
    }
    told: dict[str, Any] = {"cluster": o.cluster_of(cluster), "seed": seed, "estimand": o.estimand_of(estimand)}
    known = [_level(one) for one in documents if one is not None]
    told["level"] = level if level is not None else known[0] if known else 0.95
    before, after = (_board(one, name, reading, told) for one, name in zip(documents, (old, new), strict=True))
    found = diff_of(before, after, claims=claim or ())
    show(
        format,
        table=lambda: diff_table(found),
        json=found.to_dict,
        csv=found.rows,
        md=lambda: diff_markdown(found),
    )
    if found.lost_claims:
        say("A claim was lost: exit 3.")
        raise typer.Exit(LOST)


def _document(name: str) -> dict[str, Any] | None:
    """The document in a file, or nothing where the file is none of ours."""
    if name == "-":
        text = sys.stdin.read()
    else:
        path = Path(name)
        if not path.is_file() or path.suffix.lower() != ".json":
            return None
        text = path.read_text(encoding="utf-8", errors="replace")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, dict) and "schema_version" in found and "type" in found:
        return found
    if name == "-":
        raise UsageError(
            "standard input must be JSON that `resolve` or `report` wrote; name a file to compare battles."
        )
    return None


def _level(document: dict[str, Any]) -> float:
    """The level of a document, as far as it says one; what it must hold is looked at later."""
    inner = document.get("resolution") or document
    settings = inner.get("settings") if isinstance(inner, dict) else None
    level = settings.get("level") if isinstance(settings, dict) else None
    return level if isinstance(level, float) else 0.95


def _board(document: dict[str, Any] | None, name: str, reading: dict[str, Any], told: dict[str, Any]) -> "Ranks":
    """The board of a document, or of a file of battles that is resolved now."""
    from beatpath.inference.resolve.diff import ranks_of

    if document is not None:
        return ranks_of(document, quoted(name))
    from beatpath.data.read import read
    from beatpath.inference.resolve.resolve import resolve

    evidence = read(name, **reading)
    say_reading(evidence)
    return ranks_of(resolve(evidence, **told), quoted(name))
