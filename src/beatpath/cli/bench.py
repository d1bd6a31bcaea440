"""``beatpath bench --quick``: how fast this package is on this machine."""

import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from beatpath._errors import UsageError
from beatpath.cli.output import say


def bench(
    quick: Annotated[bool, typer.Option("--quick", help="Small cases: about two minutes.")] = False,
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
        say("All cases, peers included, take hours; --quick takes two minutes.")
    script = shipped("benchmarks") / "run.py"
    raise typer.Exit(subprocess.run([sys.executable, str(script), "--dir", dir, *words], check=False).returncode)


def shipped(name: str) -> Path:
    """Return a folder that lies inside an installed package, or at the root of a checkout."""
    package = Path(__file__).parents[1]
    for folder in (package / f"_{name}", package.parents[1] / name):
        if folder.is_dir():
            return folder
    raise UsageError(f"the {name} come with the source: install beatpath from a wheel or a clone that has them.")
