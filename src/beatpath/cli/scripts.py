"""Verbs that run scripts in the source tree: ``beatpath bench --quick`` and ``beatpath reproduce vase``."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import typer

from beatpath._errors import UsageError
from beatpath._text import quoted, suggestion
from beatpath.cli import options as o
from beatpath.cli.output import say


@dataclass(frozen=True)
class BenchOptions:
    """Options of ``beatpath bench``."""

    quick: bool = o.option("--quick", "Small cases: five minutes at most.", default=False)
    area: tuple[str, ...] = o.option(
        "--area AREA", "startup, ingest, ratings, voting, kemeny, cores, inference, scale, report.", read=o.each
    )
    peers: tuple[str, ...] = o.option(
        "--peers PYTHON", "A Python that has other libraries to compare with.", read=o.each
    )
    dir: str = o.option("--dir FOLDER", "Where files are made and kept.", default="build/bench")


def bench_verb(options: BenchOptions) -> None:
    """Time this package on this machine, next to the other libraries that are installed.

    beatpath bench --quick

    beatpath bench --area inference --peers other/bin/python
    """
    words = ["--quick"] if options.quick else []
    for name, values in (("--area", options.area), ("--peers", options.peers)):
        words += [word for value in values for word in (name, value)]
    if not options.quick:
        say("All cases, peers included, take up to an hour; --quick takes up to five minutes.")
    script = shipped("benchmarks") / "run.py"
    raise typer.Exit(
        subprocess.run([sys.executable, str(script), "--dir", options.dir, *words], check=False).returncode
    )


@dataclass(frozen=True)
class ReproduceOptions:
    """Options of ``beatpath reproduce``."""

    paper: str = o.option("PAPER", "The beginning of a reproduction's name, such as vase; or all.", default=...)
    data: str = o.option("--data FOLDER", "Where the data sets lie that cannot be shipped.", default="../shared/data")
    full: bool = o.option("--full", "As many instances and seeds as the paper had; by default a sample.", default=False)
    format: o.Format = o.OUTPUT()


def reproduce_verb(options: ReproduceOptions) -> None:
    """Recompute the figures of a paper and show both, with the reason where they differ.

    beatpath reproduce vase

    beatpath reproduce sco --full

    beatpath reproduce all --format json
    """
    paper = options.paper
    scripts = {path.parent.name: path for path in sorted(shipped("reproductions").glob("*/reproduce.py"))}
    chosen = [path for name, path in scripts.items() if paper == "all" or name == paper or name.startswith(f"{paper}_")]
    if not chosen:
        raise UsageError(
            f"`reproduce` must name a reproduction; {quoted(paper)} is none of {', '.join(scripts)}.{suggestion(paper, scripts)}"
        )
    form = "json" if options.format == "json" else "table"
    failed = 0
    for script in chosen:
        say(f"{script.parent.name}:")
        more = ["--full"] if options.full and '"--full"' in script.read_text(encoding="utf-8") else []
        words = [sys.executable, str(script), "--data", options.data, "--format", form, *more]
        failed |= subprocess.run(words, check=False).returncode
    raise typer.Exit(1 if failed else 0)


def shipped(name: str) -> Path:
    """Return a folder inside an installed package, or at the root of a checkout."""
    package = Path(__file__).parents[1]
    for folder in (package / f"_{name}", package.parents[1] / name):
        if folder.is_dir():
            return folder
    raise UsageError(f"the {name} come with the source: install beatpath from a wheel or a clone that has them.")
