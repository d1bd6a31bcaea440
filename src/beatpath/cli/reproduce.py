"""``beatpath reproduce vase``: the figures of a paper, published beside ours."""

import subprocess
import sys
from typing import Annotated

import typer

from beatpath._errors import UsageError
from beatpath._text import quoted, suggestion
from beatpath.cli import options as o
from beatpath.cli.bench import shipped
from beatpath.cli.output import say


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
