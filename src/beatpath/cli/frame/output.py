"""Where answers go: tables and data to standard output, everything else to standard error, as much of it as is asked for."""

import csv
import inspect
import io
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from math import isfinite
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console, RenderableType
from rich.text import Text

from beatpath._errors import UsageError
from beatpath._schema import dumps
from beatpath._text import quoted, shown
from beatpath.cli.frame.progress import hide_progress, silence_progress

if TYPE_CHECKING:
    from beatpath.evidence import Evidence

PIPED = 120
QUIET, USUAL, VERBOSE = 0, 1, 2
_loudness = ContextVar("loudness", default=USUAL)

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but the answer and errors.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Also say what was read, and how long it took.")]


def print_table(renderable: RenderableType) -> None:
    """Print for people: in colour and to the width of a terminal, plain and 120 wide when piped; COLUMNS says otherwise."""
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        width = None if os.environ.get("COLUMNS", "").isdigit() else PIPED
        console = Console(highlight=False, markup=False, emoji=False, width=width, color_system=None)
    with console.capture() as caught:
        console.print(renderable)
    sys.stdout.write("\n".join(line.rstrip(" ") for line in caught.get().split("\n")))


def print_json(data: Mapping[str, Any]) -> None:
    """Print for programs; every character outside ASCII is escaped, so that nothing can act on a terminal."""
    hide_progress()
    sys.stdout.write(dumps(data, indent=2) + "\n")


def print_csv(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print rows as CSV; a text that a spreadsheet would take for a formula gets an apostrophe in front."""
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: inert(value) for key, value in row.items()} for row in rows)
    sys.stdout.write(out.getvalue())


def inert(value: Any) -> Any:
    """Return a cell that no spreadsheet runs and no terminal obeys; nothing for a number that is none.

    >>> inert("=HYPERLINK(1)"), inert(-1.5), inert(float("nan")), inert(-0.0)
    ("'=HYPERLINK(1)", -1.5, '', 0.0)
    """
    if isinstance(value, float):
        return value + 0.0 if isfinite(value) else ""
    if not isinstance(value, str):
        return value
    text = shown(value, 10_000)
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


def print_text(text: str) -> None:
    """Print what stands as it is: Markdown, a picture."""
    sys.stdout.write(text)


PRINTED: dict[str, Callable[[Any], None]] = {
    "table": print_table,
    "json": print_json,
    "csv": print_csv,
    "md": print_text,
    "badge": print_text,
}


def show(format: str, evidence: "Evidence | None" = None, **made: Callable[[], Any]) -> None:
    """Print an answer in a format, the only one that is made; and what became of the rows of the evidence it rests on.

    `made` has a function for every format the answer has: `table`, `json`, `csv`, `md`.
    """
    if evidence is not None and format != "json":
        say_reading(evidence)
    answer = made[format]()
    PRINTED[format](with_reading(answer, evidence) if evidence is not None and format == "json" else answer)


class ReaderGone(Exception):
    """Who reads from the pipe went away; no `OSError`, which the parser of options would take for its own."""


def voiced(verb: Callable[..., None]) -> Callable[..., None]:
    """Return the verb with the options that say how much it tells: `--quiet` and `--verbose`."""
    made = inspect.signature(verb)
    more = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=kind)
        for name, kind in (("quiet", Quiet), ("verbose", Verbose))
    ]
    own = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in made.parameters.values()]

    def run(quiet: bool, verbose: bool, **given: Any) -> None:
        if quiet and verbose:
            raise UsageError("`--quiet` and `--verbose` exclude each other; name one.")
        _loudness.set(QUIET if quiet else VERBOSE if verbose else USUAL)
        silence_progress(quiet)
        try:
            with timed("all"):
                verb(**given)
                sys.stdout.flush()
        except BrokenPipeError:
            raise ReaderGone from None

    run.__name__, run.__doc__ = verb.__name__, verb.__doc__
    run.__signature__ = made.replace(parameters=[*own, *more])  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in (*own, *more)}
    return run


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Say with `--verbose` how long something took."""
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
        complain(message, style)


def complain(message: str, style: str = "red") -> None:
    """Print a line on standard error that nothing silences."""
    hide_progress()
    Console(stderr=True, highlight=False, markup=False, emoji=False).print(Text(message, style=style), soft_wrap=True)


def say_reading(evidence: "Evidence") -> None:
    """Say on standard error what became of the rows, where evidence was read."""
    if evidence.reading is not None:
        say(str(evidence.reading))


def with_reading(data: Mapping[str, Any], evidence: "Evidence") -> dict[str, Any]:
    """Return an answer with the account of the rows that it rests on."""
    return {**data, "reading": None if evidence.reading is None else evidence.reading.to_dict()}


def spare_the_input(path: Path, evidence: "Evidence") -> None:
    """Refuse to write over what was read."""
    sources = () if evidence.reading is None else evidence.reading.sources
    if path.exists() and any(Path(name).exists() and Path(name).samefile(path) for name in sources):
        raise UsageError(f"the output must not be a file that is read; {quoted(path)} is. Name another.")
