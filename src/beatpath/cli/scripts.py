"""Verbs that run scripts which come with the source: ``beatpath bench --quick`` and ``beatpath reproduce vase``."""

import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from beatpath._errors import UsageError
from beatpath._text import quoted, suggestion
from beatpath.cli.frame import options as o
from beatpath.cli.frame.output import say


def bench(
    quick: Annotated[bool, typer.Option("--quick", help="Small cases: five minutes at most.")] = False,
    area: Annotated[
        list[str] | None,
        typer.Option(
            "--area", metavar="AREA", help="startup, ingest, ratings, voting, kemeny, cores, inference, scale, report."
        ),
    ] = None,
    peers: Annotated[
        list[str] | None,
        typer.Option("--peers", metavar="PYTHON", help="A Python that has other libraries to compare with."),
    ] = None,
    dir: Annotated[str, typer.Option("--dir", metavar="FOLDER", help="Where files are made and kept.")] = "build/bench",
) -> None:
    """Time this package on this machine, beside whatever other libraries are installed.

    beatpath bench --quick

    beatpath bench --area inference --peers other/bin/python
    """
    words = ["--quick"] if quick else []
    for name, values in (("--area", area), ("--peers", peers)):
        words += [word for value in values or () for word in (name, value)]
    if not quick:
        say("All cases, peers included, take up to an hour; --quick takes up to five minutes.")
    script = shipped("benchmarks") / "run.py"
    raise typer.Exit(subprocess.run([sys.executable, str(script), "--dir", dir, *words], check=False).returncode)


def reproduce(
    paper: Annotated[
        str, typer.Argument(metavar="PAPER", help="The beginning of a reproduction's name, such as vase; or all.")
    ],
    data: Annotated[
        str, typer.Option("--data", metavar="FOLDER", help="Where the data sets lie that cannot be shipped.")
    ] = "../shared/data",
    full: Annotated[
        bool, typer.Option("--full", help="As many instances and seeds as the paper had; by default a sample.")
    ] = False,
    format: o.Output = "table",
) -> None:
    """Recompute what a paper printed, and show both, with the reason wherever they differ.

    beatpath reproduce vase

    beatpath reproduce sco --full

    beatpath reproduce all --format json
    """
    scripts = {path.parent.name: path for path in sorted(shipped("reproductions").glob("*/reproduce.py"))}
    chosen = [path for name, path in scripts.items() if paper == "all" or name == paper or name.startswith(f"{paper}_")]
    if not chosen:
        raise UsageError(
            f"`reproduce` must name a reproduction; {quoted(paper)} is none of {', '.join(scripts)}.{suggestion(paper, scripts)}"
        )
    form = "json" if format == "json" else "table"
    failed = 0
    for script in chosen:
        say(f"{script.parent.name}:")
        more = ["--full"] if full and '"--full"' in script.read_text(encoding="utf-8") else []
        words = [sys.executable, str(script), "--data", data, "--format", form, *more]
        failed |= subprocess.run(words, check=False).returncode
    raise typer.Exit(1 if failed else 0)


def shipped(name: str) -> Path:
    """Return a folder that lies inside an installed package, or at the root of a checkout."""
    package = Path(__file__).parents[1]
    for folder in (package / f"_{name}", package.parents[1] / name):
        if folder.is_dir():
            return folder
    raise UsageError(f"the {name} come with the source: install beatpath from a wheel or a clone that has them.")
