"""``beatpath compare base=OLD new=NEW``: did a change help, by how much, and how certain is that."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from beatpath._atomic_write import write_whole
from beatpath._errors import UsageError
from beatpath._schema import dumps
from beatpath._text import listed, quoted
from beatpath.cli import options as o
from beatpath.cli.output import end_unsupported, say, show


@dataclass(frozen=True)
class CompareOptions(o.FileOptions):
    """Options of ``beatpath compare``."""

    runs: o.Texts = o.option(
        "NAME=FILE...",
        "Runs of one evaluation: files, folders or globs, each with a name. The first is the base. Or one folder with a run in every "
        "subfolder or file, or one table with an agent or a column for every run.",
    )
    claim: tuple[str, ...] = o.option(
        "--claim CLAIM",
        '"new > base", "new > base by 3 points", "new within 2 points of base", "new at most 1 point below base", "new is first", '
        '"new in top 3"; joined by and. Exit 3 when one is not supported.',
        read=o.each,
    )
    samples: str | None = o.option("--samples pass@K", o.SAMPLES)
    cost: str | None = o.option(
        "--cost COLUMN",
        "Column of the price, tokens or time of every item: how much cheaper is each run?",
    )
    metric: str | None = o.option("--metric NAME", "Compare by this metric alone.")
    cluster: str | None = o.option("--cluster COLUMN", "The column of correlated items, such as their document.")
    level: float = o.option("--level", "Confidence, simultaneous over all comparisons of the answer.", default=0.95)
    out: tuple[str, ...] = o.option(
        "-o FILE",
        "Also write the answer to a file: .html with every item that changed, .md, .json or .csv.",
        read=o.each,
    )
    badge: str | None = o.option("--badge FILE", "Write a badge for shields.io, as JSON.")
    format: o.Format = o.OUTPUT()


def compare_verb(options: CompareOptions) -> None:
    """Say whether a new run is better than the old one, by how much, and which items changed.

    beatpath compare base=old/ new=new/

    beatpath compare base=old.csv new=new.csv --claim "new at most 1 point below base"

    beatpath compare old.jsonl new.jsonl -o report.html -o comment.md --badge badge.json
    """
    from beatpath.analysis.compare_runs import compare

    result = compare(
        runs_of(options.runs or ()), level=options.level, metric=options.metric, cluster=options.cluster, claims=options.claim,
        samples=options.samples, cost=options.cost, read=options.reading())  # fmt: skip
    show(options.format, result)
    for path in options.out:
        if path.lower().endswith(".html"):
            from beatpath.reports.result_views import run_comparison_view
            from beatpath.reports.view import page

            write_whole(path, page(run_comparison_view(result, None), result.answer))
        else:
            result.save(path)
        say(f"Wrote {quoted(path)}.")
    if options.badge:
        write_whole(options.badge, dumps(result.badge) + "\n")
    if not all(result.claims):
        end_unsupported("A claim is not supported")


def runs_of(texts: Sequence[str]) -> dict[str, str] | str:
    """Return names and sources, or one path without a name; of several, a path without a name has its own last part as name."""
    if len(texts) == 1 and "=" not in texts[0]:
        return texts[0]
    runs: dict[str, str] = {}
    for text in texts:
        name, equals, source = text.partition("=")
        name, source = (name, source) if equals else (Path(text).stem or text, text)
        if not source or name in runs:
            what = "needs a file after the =" if not source else "is named twice"
            raise UsageError(
                f"runs must be named once each, as in `base=old/ new=new/`; {quoted(name)} {what}. Got {listed(texts)}."
            )
        runs[name] = source
    return runs
