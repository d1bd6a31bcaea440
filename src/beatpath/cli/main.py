"""The command line: parse, call, print; one file a verb.

Exit status: 0 fine, 1 the data will not do, 2 wrong usage, 3 a claim asked for is not supported.
"""

import os
import sys
from typing import Annotated

import typer

from beatpath._errors import BeatpathError
from beatpath._version import __version__
from beatpath.cli.bench import bench
from beatpath.cli.check import check_verb
from beatpath.cli.convert import convert
from beatpath.cli.core import core_verb
from beatpath.cli.formats import formats_verb
from beatpath.cli.methods import methods_verb
from beatpath.cli.output import say
from beatpath.cli.rank import rank_verb
from beatpath.cli.report import report_verb
from beatpath.cli.reproduce import reproduce
from beatpath.cli.resolve import resolve_verb
from beatpath.cli.schema import schema
from beatpath.cli.serve import serve_verb

app = typer.Typer(
    name="beatpath",
    help="What your evaluation data really show: who is certainly above whom, who is tied, who forms the core.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("check")(check_verb)
app.command("rank")(rank_verb)
app.command("core")(core_verb)
app.command("report")(report_verb)
app.command("resolve")(resolve_verb)
app.command("serve")(serve_verb)
app.command("methods")(methods_verb)
app.command()(convert)
app.command()(reproduce)
app.command()(bench)
app.command("formats")(formats_verb)
app.command()(schema)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"beatpath {__version__}")
        raise typer.Exit


@app.callback()
def _version_option(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line, ending every deliberate error in one sentence on standard error."""
    try:
        app()
    except BeatpathError as error:
        say(f"beatpath: {error}", style="red")
        sys.exit(error.exit_status)
    except BrokenPipeError:  # the reader of a pipe went away
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
