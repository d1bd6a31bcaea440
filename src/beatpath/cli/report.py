"""``beatpath report FILE -o report.html``: the full analysis in one file."""

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from beatpath._atomic_write import require_folder, require_writable
from beatpath._errors import MissingExtra, UsageError
from beatpath._progress import INTERRUPTED
from beatpath._text import listed, quoted, shown
from beatpath._typing import TierScheme
from beatpath.cli import options as o
from beatpath.cli.output import print_view, refuse_overwriting_input, report_reading, say

if TYPE_CHECKING:
    from beatpath.evidence import Evidence
    from beatpath.reports.report import Report

DEFAULT = "report.html"  # the default output


@dataclass(frozen=True)
class ReportOptions(o.ConventionFlags):
    """Options of ``beatpath report``."""

    out: str | None = o.option("--out -o PATH", f"Where to write it; - prints it. [{DEFAULT}]")
    format: Literal["html", "md", "json"] | None = o.option(
        "--format", "By default what the ending of the path says, else html."
    )
    figures: str | None = o.option(
        "--figures FOLDER", "Also write every picture there, as SVG, and as PNG with the extra png."
    )
    title: str | None = o.option("--title", "The heading. Default: the name of the file.")
    methods: tuple[str, ...] = o.METHOD(help="A method to show; may be repeated. Default: the usual ones.")
    by: str | None = o.option(
        "--by COLUMN", "Repeat the report for every level of a column. Default: tasks, if there are few."
    )
    covariates: str | None = o.COVARIATES()
    cluster: o.Clusters = o.CLUSTER()
    level: float = o.LEVEL()
    estimand: o.Estimand = o.ESTIMAND()
    tiers: TierScheme = o.TIERS()
    seed: int = o.SEED()
    workers: int = o.rare(
        "--workers", "Processes that analyze contexts; the report is the same with any number.", default=1
    )

    def target(self) -> tuple[str, Path | None]:
        """Return the form and the path; None for standard output."""
        if self.out == "-" or (self.out is None and self.format in ("md", "json")):
            return self.format or "html", None
        path = Path(DEFAULT if self.out is None else self.out)
        ending = path.suffix.lstrip(".").lower()
        if self.format is None and ending not in ("html", "md", "json"):
            raise UsageError(
                f"`--out` must end in .html, .md or .json, or `--format` must say which; got {quoted(self.out)}."
            )
        return self.format or ending, path

    def before_reading(self) -> None:
        """Raise an error unless the file, and the folder of figures if one is named, can be written."""
        _, path = self.target()
        if path is not None:
            require_writable(path)
        if self.figures is not None:
            require_folder(Path(self.figures))


def report_verb(evidence: "Evidence", options: ReportOptions) -> None:
    """Run all analyses and write one file that opens anywhere and loads nothing.

    beatpath report --example

    beatpath report battles.csv -o report.html --figures pictures

    beatpath report battles.csv --keep category,length_a,length_b --by category --covariates "length_a - length_b"

    beatpath report battles.csv --format md >> "$GITHUB_STEP_SUMMARY"
    """
    from beatpath.inference.options import ReportOptions as AnalysisOptions
    from beatpath.reports.report import report_with

    form, path = options.target()
    if path is not None:
        refuse_overwriting_input(path, evidence)
    command, methods = shlex.join(["beatpath", *sys.argv[1:]]), options.methods or None
    report_options = options.options(
        AnalysisOptions, methods=methods, covariates=options.covariates or (), command=command
    )
    report = report_with(evidence, report_options, say if sys.stderr.isatty() else None)
    report_reading(evidence)
    _write(report, path, form, options.figures)
    if left := [name for name, why in report.not_run.items() if why == INTERRUPTED]:
        say(f"Interrupted; left out: {listed(left, 20)}.")
        raise KeyboardInterrupt


def _write(report: "Report", path: Path | None, form: str, figures: str | None) -> None:
    """Write or print the report, and its figures if requested."""
    from beatpath.reports.first_screen import written_view

    folder_note = None if figures is None else _draw(report, Path(figures))
    if path is None:
        sys.stdout.write(report.text(form))
        return
    again = path.exists()
    report.save(path, form)
    where = f"report: {shown(path, 400)}{', replacing the previous one' if again else ''}"
    print_view(written_view(report, [where] if folder_note is None else [where, folder_note]))


def _draw(report: "Report", folder: Path) -> str:
    """Write the figures, and return a message with their location."""
    from beatpath.reports.figures import save_picture

    folder.mkdir(parents=True, exist_ok=True)
    pictures = report.figures()
    for name, spec in pictures.items():
        save_picture(spec, folder / f"{name}.svg")
    try:
        for name, spec in pictures.items():
            save_picture(spec, folder / f"{name}.png")
    except MissingExtra as missing:
        say(f"The pictures were written as SVG only: {missing}")
    return f"pictures: {shown(folder, 400)} ({', '.join(pictures)})"
