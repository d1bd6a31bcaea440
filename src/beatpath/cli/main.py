"""The command line: parse options, call a function, print the result; one module per verb.

Exit status: 0 success, 1 unsuitable data, 2 wrong usage or unwritable output, 3 a claim is not supported, 130
interrupted from the keyboard, 141 broken pipe, 129 and 143 ended by SIGHUP and SIGTERM.
"""

import gc
import os
import re
import signal
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from io import TextIOWrapper
from typing import Annotated, NoReturn

import typer

from beatpath._errors import BeatpathError, UsageError
from beatpath._text import quoted
from beatpath._version import __version__
from beatpath.cli.answers import check_verb, core_verb, items_verb, judges_verb, runs_verb
from beatpath.cli.arena import arena_app
from beatpath.cli.compare import compare_verb
from beatpath.cli.convert import convert_verb
from beatpath.cli.diff import diff_verb
from beatpath.cli.lists import formats_verb, methods_verb, schema_verb
from beatpath.cli.output import print_error
from beatpath.cli.rank import rank_verb
from beatpath.cli.report import report_verb
from beatpath.cli.resolve import resolve_verb
from beatpath.cli.scripts import bench_verb, reproduce_verb
from beatpath.cli.serve import serve_verb
from beatpath.cli.verb import ReaderGone, VerbCommand, Verbs, verb

BROKEN_PIPE = 141  # the status of a process that SIGPIPE ends

# Printed by ``beatpath`` without a verb, and with ``--help``.
TASKS = """\
Try it:                  beatpath resolve --example
Look at your file:       beatpath check battles.csv
Who is above whom:       beatpath battles.csv
By every method:         beatpath rank battles.csv
Did my change help:      beatpath compare base=old.csv new=new.csv
Everything in one page:  beatpath report battles.csv -o report.html"""
WELCOME = f"""\
beatpath {__version__}: what evaluation data really show, and what they do not.

{TASKS}

Files of battles, tables of scores and rankings are read as they are.
All verbs: beatpath --help. One verb: beatpath rank --help."""

app = typer.Typer(
    name="beatpath",
    cls=Verbs,
    help="What your evaluation data really show, and what they do not.\n\n" + re.sub("(?m)^", "- ", TASKS),
    invoke_without_command=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
# The verbs, in the order of the help.
VERBS: dict[str, Callable[..., None]] = {
    "resolve": resolve_verb,
    "check": check_verb,
    "compare": compare_verb,
    "report": report_verb,
    "serve": serve_verb,
    "rank": rank_verb,
    "core": core_verb,
    "diff": diff_verb,
    "judges": judges_verb,
    "items": items_verb,
    "runs": runs_verb,
    "convert": convert_verb,
    "methods": methods_verb,
    "formats": formats_verb,
    "schema": schema_verb,
    "reproduce": reproduce_verb,
    "bench": bench_verb,
}
for name, function in VERBS.items():
    app.command(name, cls=VerbCommand)(verb(function))
app.add_typer(arena_app)


def _version(requested: bool) -> None:
    if requested:
        print(f"beatpath {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        print(WELCOME)


def main() -> None:
    """Run the command line; an expected error, or one in writing, ends it with one sentence on standard error."""
    _prepare_streams()
    signals = _unwind_on_signals()
    # searching lists of a million agents for cycles of objects again and again took an eighth of the time of `check`,
    # and one search of what a small command has imported a twentieth of its time
    gc.set_threshold(200_000, 50, 100)
    try:
        try:
            app(prog_name="beatpath")
        except SystemExit:
            if signals:  # one that came while DuckDB read looks like Ctrl-C
                sys.exit(128 + signals[0])
            raise
        finally:
            sys.stdout.flush()
    except BeatpathError as error:
        _end(error.exit_status, f"beatpath: {error}")
    except (ReaderGone, BrokenPipeError):
        _end(BROKEN_PIPE)
    except OSError as error:
        what = "standard output" if error.filename is None else quoted(error.filename)
        _end(UsageError.exit_status, f"beatpath: {what} cannot be written: {error.strerror or error}.")


def _unwind_on_signals() -> list[int]:
    """Let SIGTERM and SIGHUP end the program as Ctrl-C does, so that temporary files are removed; list those that came."""
    came: list[int] = []

    def end(number: int, _: object) -> NoReturn:
        came.append(number)
        sys.exit(128 + number)

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            with suppress(ValueError):  # only the main thread may set handlers
                signal.signal(number, end)
    return came


def _prepare_streams() -> None:
    """Escape characters that a stream cannot encode, and show Python warnings only to developers who enable them."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if sys.stdout is None:
        _end(UsageError.exit_status, "beatpath: standard output cannot be written: it is closed.")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    if not sys.warnoptions:
        warnings.showwarning = lambda *_, **__: None


def _end(status: int, message: str = "") -> NoReturn:
    """Print a message and exit; output that could not be printed is not tried again."""
    if message:
        print_error(message)
    try:
        sys.stdout.flush()
    except (OSError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(status)
