"""``beatpath report FILE -o report.html``: everything the data can tell, in one file."""

import shlex
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from beatpath._atomic_write import require_folder, require_writable
from beatpath._errors import MissingExtra, UsageError
from beatpath._progress import INTERRUPTED
from beatpath._text import listed, quoted, shown
from beatpath.cli.frame import options as o
from beatpath.cli.frame.output import print_table, say, say_reading, spare_the_input

if TYPE_CHECKING:
    from beatpath.evidence import Evidence
    from beatpath.reports.report import Report

DEFAULT = "report.html"

Out = Annotated[
    str | None,
    typer.Option(
        "--out", "-o", metavar="PATH", show_default=False, help=f"Where to write it; - prints it. [{DEFAULT}]"
    ),
]
Form = Annotated[
    Literal["html", "md", "json"] | None,
    typer.Option("--format", show_default=False, help="By default what the ending of the path says, else html."),
]
Figures = Annotated[
    str | None,
    typer.Option(
        "--figures", metavar="FOLDER", help="Also write every picture there, as SVG, and as PNG with the extra png."
    ),
]
Title = Annotated[str | None, typer.Option("--title", help="The heading. Default: the name of the file.")]
Method = Annotated[
    list[str] | None,
    typer.Option(
        "--method",
        "-m",
        metavar="KEY",
        autocompletion=o.method_names,
        help="A method to show; may be repeated. Default: the usual ones.",
    ),
]
By = Annotated[
    str | None,
    typer.Option("--by", metavar="COLUMN", help="Ask the same of every level of a column. Default: few tasks."),
]
Workers = Annotated[
    int, typer.Option("--workers", help="Processes that look at contexts; the report is the same with any number.")
]


def _where(out: str | None, form: str | None) -> tuple[str, Path | None]:
    """The form, and the path; none for standard output."""
    if out == "-" or (out is None and form in ("md", "json")):
        return form or "html", None
    path = Path(DEFAULT if out is None else out)
    ending = path.suffix.lstrip(".").lower()
    if form is None and ending not in ("html", "md", "json"):
        raise UsageError(f"`--out` must end in .html, .md or .json, or `--format` must say which; got {quoted(out)}.")
    return form or ending, path


def _place(given: dict[str, Any]) -> None:
    """Raise unless the file, and the folder of pictures where one is named, can be written."""
    _, path = _where(given["out"], given["format"])
    if path is not None:
        require_writable(path)
    if given["figures"] is not None:
        require_folder(Path(given["figures"]))


@partial(o.reads, first=_place)
def report_verb(
    evidence: "Evidence",
    conventions: dict[str, Any],
    out: Out = None,
    format: Form = None,
    figures: Figures = None,
    title: Title = None,
    method: Method = None,
    by: By = None,
    covariates: o.Covariates = None,
    cluster: o.Cluster = None,
    level: o.Level = 0.95,
    estimand: o.Estimand = "auto",
    tiers: o.TiersOption = "top",
    seed: int = 0,
    workers: Workers = 1,
) -> None:
    """Ask the data everything there is to ask, and write one file that opens anywhere and loads nothing.

    beatpath report --example

    beatpath report battles.csv -o report.html --figures pictures

    beatpath report battles.csv --keep category,length_a,length_b --by category --covariates "length_a - length_b"

    beatpath report battles.csv --format md >> "$GITHUB_STEP_SUMMARY"
    """
    from beatpath.reports.report import report as made

    form, path = _where(out, format)
    if path is not None:
        spare_the_input(path, evidence)
    found = made(
        evidence,
        title=title,
        methods=o.names_of(method) or None,
        contexts=by,
        covariates=covariates or (),
        cluster=o.cluster_of(cluster),
        level=level,
        estimand=o.estimand_of(estimand),
        tiers=tiers,
        seed=seed,
        workers=workers,
        progress=say if sys.stderr.isatty() else None,
        command=shlex.join(["beatpath", *sys.argv[1:]]),
        **conventions,
    )
    say_reading(evidence)
    _write(found, path, form, figures)
    if left := [name for name, why in found.not_run.items() if why == INTERRUPTED]:
        say(f"Interrupted; left out: {listed(left, 20)}.")
        raise KeyboardInterrupt


def _write(found: "Report", path: Path | None, form: str, figures: str | None) -> None:
    """Write or print the report, and its pictures where they are asked for."""
    drawn = None if figures is None else _draw(found, Path(figures))
    if path is None:
        sys.stdout.write(found.text(form))
        return
    again = path.exists()
    found.save(path, form)
    lines = [f"{sentence} ({sentence.mark})" for sentence in found.verdict]
    lines.append(f"report: {shown(path, 400)}{', in place of the one that was there' if again else ''}")
    print_table("\n".join(lines if drawn is None else [*lines, drawn]))


def _draw(found: "Report", folder: Path) -> str:
    """Write the pictures, and say where they are."""
    from beatpath.reports.figures import save_picture

    folder.mkdir(parents=True, exist_ok=True)
    pictures = found.figures()
    for name, spec in pictures.items():
        save_picture(spec, folder / f"{name}.svg")
    try:
        for name, spec in pictures.items():
            save_picture(spec, folder / f"{name}.png")
    except MissingExtra as missing:
        say(f"The pictures were written as SVG alone: {missing}")
    return f"pictures: {shown(folder, 400)} ({', '.join(pictures)})"
