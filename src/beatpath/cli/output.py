"""Output: results to standard output, everything else to standard error, as much as the verbosity allows."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from shutil import get_terminal_size
from time import perf_counter
from typing import TYPE_CHECKING, Any, NoReturn

import typer
from rich.console import Console, RenderableType
from rich.text import Text

from beatpath._errors import UsageError
from beatpath._progress import Listener, listening
from beatpath._result import Result, Rows, TableResult, plain
from beatpath._schema import dumps
from beatpath._text import quoted

if TYPE_CHECKING:
    from beatpath.evidence import Evidence
    from beatpath.reports.view import View

PIPED = 120  # width of a table if the output is not a terminal
QUIET, USUAL, VERBOSE = 0, 1, 2  # levels of verbosity
UNSUPPORTED = 3  # exit status if a claim is not supported, or no longer
CLEAR = "\r\x1b[2K"  # clears the progress line
_loudness = ContextVar("loudness", default=USUAL)
_all_rows = ContextVar("all_rows", default=False)


def set_loudness(quiet: bool, verbose: bool, all_rows: bool) -> None:
    """Set the verbosity from `--quiet`, `--verbose` and `--all`."""
    if quiet and verbose:
        raise UsageError("`--quiet` and `--verbose` exclude each other; name one.")
    _loudness.set(QUIET if quiet else VERBOSE if verbose else USUAL)
    _all_rows.set(all_rows)


def show(
    format: str,
    result: Result,
    view: "Callable[[], View] | None" = None,
    *,
    rows: Callable[[], Rows] | None = None,
    evidence: "Evidence | None" = None,
    **added: Any,
) -> None:
    """Print a result in one format, and report how the rows of its evidence were read.

    Parameters
    ----------
    format : {"table", "md", "json", "csv"}
        The format; only this one is computed.
    result : Result
        The result.
    view : callable, optional
        Returns what people see, on a terminal or as Markdown; by default the view of the result.
    rows : callable, optional
        Returns the rows of CSV; by default the rows of the result.
    evidence : Evidence, optional
        The evidence behind the result.
    **added
        Further fields of the JSON document, unless None.
    """
    if format == "json":
        account = {} if evidence is None else {"reading": evidence.reading}
        more = {name: value for name, value in added.items() if value is not None}
        print_json({**result.to_dict(), **plain({**more, **account})})
        return
    if evidence is not None:
        report_reading(evidence)
    if format == "csv":
        print_csv(rows() if rows is not None else result.rows() if isinstance(result, TableResult) else ())
    elif format == "md":
        from beatpath.reports.view import markdown

        sys.stdout.write(markdown((view or result.view)()))
    else:
        print_view((view or result.view)())


def print_view(view: "View") -> None:
    """Print a view for people, with its details if verbose."""
    from beatpath.reports.terminal import MOST_ROWS, Terminal

    print_table(Terminal(view, _loudness.get() == VERBOSE, None if _all_rows.get() else MOST_ROWS))


def print_table(renderable: RenderableType) -> None:
    """Print for people: in color at the width of a terminal, plain and 120 columns wide if piped; COLUMNS overrides."""
    from beatpath.reports.terminal import printed

    console = Console(file=sys.stdout, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        width = None if os.environ.get("COLUMNS", "").isdigit() else PIPED
        console = Console(file=sys.stdout, highlight=False, markup=False, emoji=False, width=width, color_system=None)
    hide_progress()
    sys.stdout.write(printed(console, renderable))


def print_json(data: Mapping[str, Any]) -> None:
    """Print for programs; characters outside ASCII are escaped, so that none can control a terminal."""
    hide_progress()
    sys.stdout.write(dumps(data, indent=2) + "\n")


def print_csv(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print rows as CSV; a text that a spreadsheet would take for a formula gets a leading apostrophe."""
    from beatpath.reports.view import csv_text

    sys.stdout.write(csv_text(rows))


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Print with `--verbose` how long something took."""
    begun = perf_counter()
    yield
    detail(f"{what}: {perf_counter() - begun:,.2f} s")


def detail(message: str) -> None:
    """Print a line of explanation with `--verbose`."""
    if _loudness.get() == VERBOSE:
        say(message)


def say(message: str, style: str = "dim") -> None:
    """Print a line of explanation on standard error; nothing with `--quiet`."""
    if _loudness.get() > QUIET:
        print_error(message, style)


def print_error(message: str, style: str = "red") -> None:
    """Print a line on standard error, whatever the verbosity."""
    hide_progress()
    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    console.print(Text(message, style=style), soft_wrap=not console.is_terminal)


def end_unsupported(message: str) -> NoReturn:
    """Say what does not hold and end with the status of an unsupported claim."""
    sys.stdout.flush()
    say(f"{message}: exit {UNSUPPORTED}.")
    raise typer.Exit(UNSUPPORTED)


def report_reading(evidence: "Evidence") -> None:
    """Print on standard error how the rows were read, if evidence was read."""
    if evidence.reading is not None:
        say(str(evidence.reading))


def refuse_overwriting_input(path: Path, evidence: "Evidence") -> None:
    """Raise an error instead of overwriting the input."""
    sources = () if evidence.reading is None else evidence.reading.sources
    if path.exists() and any(Path(name).exists() and Path(name).samefile(path) for name in sources):
        raise UsageError(f"the output must not be a file that is read; {quoted(path)} is. Name another.")


@contextmanager
def shown_progress() -> Iterator[None]:
    """Show progress while the body runs, if standard error is a terminal; an interrupt may leave a partial result."""
    with listening(Listener(show_progress, partly=True)):
        try:
            yield
        finally:
            hide_progress()


def show_progress(what: str, share: float | None = None) -> None:
    """Replace the progress line; nothing with `--quiet`."""
    if sys.stderr.isatty() and _loudness.get() > QUIET:
        text = what if share is None else f"{what}: {share:.0%}"
        sys.stderr.write(CLEAR + text[: get_terminal_size().columns - 1])
        sys.stderr.flush()


def hide_progress() -> None:
    """Clear the progress line before anything is printed."""
    if sys.stderr.isatty():
        sys.stderr.write(CLEAR)
        sys.stderr.flush()
