"""``beatpath diff OLD NEW``: what changed between two leaderboards, and whether a claim no longer holds."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beatpath._errors import UsageError
from beatpath._text import quoted
from beatpath.cli import options as o
from beatpath.cli.output import end_unsupported, report_reading, show

if TYPE_CHECKING:
    from beatpath.inference.ranks.ranks import Ranks

# what an argument may be, for the help
WHAT = "JSON that `resolve` or `report` wrote (- for standard input), or a file of battles"


@dataclass(frozen=True)
class DiffOptions(o.FileOptions):
    """Options of ``beatpath diff``."""

    old: str = o.option("OLD", f"The board before: {WHAT}.", default=...)
    new: str = o.option("NEW", "The board after, likewise.", default=...)
    claim: tuple[str, ...] = o.option(
        "--claim CLAIM",
        '"A > B", "A is first", "A is last" or "A is in the top 3". Exit 3 when it held before and does not now.',
        read=o.each,
    )
    cluster: o.Clusters = o.CLUSTER()
    level: float | None = o.option("--level", "Confidence of files of battles. [that of the JSON, or 0.95]")
    estimand: o.Estimand = o.ESTIMAND()
    seed: int = o.option("--seed", "Seed of everything random.", default=0)
    format: o.Format = o.OUTPUT()


def diff_verb(options: DiffOptions) -> None:
    """Compare two boards: which agents certainly rose or fell, came or went, and which claims no longer hold.

    beatpath diff old.json new.json

    beatpath diff old.json battles.csv --claim "aurora is in the top 3"

    beatpath diff may.csv june.csv --format md >> CHANGELOG.md
    """
    from beatpath.inference.resolve.diff import diff_of, ranks_of

    if options.old == options.new == "-":
        raise UsageError("only one of OLD and NEW may be -, standard input.")
    names = (options.old, options.new)
    documents = [_document(name) for name in names]
    stored = [None if one is None else ranks_of(one, quoted(name)) for one, name in zip(documents, names, strict=True)]
    known = [board.level for board in stored if board is not None]
    if len(known) == 2:
        _require_no_analysis(options)
    level = options.level if options.level is not None else known[0] if known else 0.95
    boards = (board or _resolved(name, options, level) for board, name in zip(stored, names, strict=True))
    result = diff_of(*boards, claims=options.claim)
    show(options.format, result)
    if result.lost_claims:
        end_unsupported("A claim was lost")


def _document(name: str) -> dict[str, Any] | None:
    """The document in a file, or None if the file is not one of ours."""
    if name == "-":
        text = sys.stdin.read()
    else:
        path = Path(name)
        if not path.is_file() or path.suffix.lower() != ".json":
            return None
        text = path.read_text(encoding="utf-8", errors="replace")
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        document = None
    if isinstance(document, dict) and "schema_version" in document and "type" in document:
        return document
    if name == "-":
        raise UsageError(
            "standard input must be JSON that `resolve` or `report` wrote; name a file to compare battles."
        )
    return None


def _require_no_analysis(options: DiffOptions) -> None:
    """Raise if an option of reading or analysis is given, where both boards are JSON and nothing is read or analyzed."""
    unused = [f"`{flag}`" for name, flag in o.given(options).items() if name not in ("claim", "format")]
    if unused:
        raise UsageError(
            f"options of reading and analysis must be left out where both boards are JSON, which has been analyzed; got "
            f"{' and '.join(unused)}. Give them to `resolve` where it writes the JSON."
        )


def _resolved(name: str, options: DiffOptions, level: float) -> "Ranks":
    """The leaderboard of a file of battles, which is resolved now."""
    from beatpath.data.read import read
    from beatpath.inference.resolve.diff import ranks_of
    from beatpath.inference.resolve.resolve import resolve

    evidence = read(name, **options.reading())
    report_reading(evidence)
    board = resolve(evidence, estimand=options.estimand, cluster=options.cluster, level=level, seed=options.seed)
    return ranks_of(board, quoted(name))
