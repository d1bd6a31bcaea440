"""Turn a function of options into a command: typer's parameters, reading of evidence, verbosity, and exit."""

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from beatpath._memory import allow_memory
from beatpath._progress import doing
from beatpath._text import listed
from beatpath.cli.options import ConventionFlags, ReadOptions, built, option, parameters
from beatpath.cli.output import detail, set_loudness, shown_progress, timed

Function = Callable[..., None]  # a verb


class ReaderGone(Exception):
    """The reader of a pipe is gone; not an `OSError`, which the option parser would catch."""


@dataclass(frozen=True)
class LoudnessOptions:
    """The verbosity of a verb."""

    quiet: bool = option("--quiet -q", "Print nothing but the answer and errors.", default=False)
    verbose: bool = option("--verbose -v", "Also print what was read and how long it took.", default=False)


def command(function: Function, parts: tuple[type, ...] = (), limited: bool = False) -> Function:
    """Return the function that typer calls, with the fields of its options, and of further `parts`, as parameters.

    The function takes one options dataclass, and the values that typer passes for every further part.
    """
    own = [p.annotation for p in inspect.signature(function).parameters.values() if isinstance(p.annotation, type)]
    known: dict[str, inspect.Parameter] = {}
    for part in (*own, *parts):
        known = {**known, **{name: one for name, one in parameters(part, limited).items() if name not in known}}
    ordered = _shared_last(known)

    def run(**values: Any) -> None:
        function(*(built(part, values) for part in (*own, *parts)))

    run.__name__, run.__doc__ = function.__name__, function.__doc__
    run.__signature__ = inspect.Signature(ordered)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in ordered}
    return run


def _shared_last(known: dict[str, inspect.Parameter]) -> list[inspect.Parameter]:
    """Order parameters: files first, then the verb's own, then conventions, reading and verbosity."""
    last = [one.name for part in (ConventionFlags, ReadOptions, LoudnessOptions) for one in fields(part)]
    return sorted(
        known.values(),
        key=lambda one: -1 if one.name == "files" else 1 + last.index(one.name) if one.name in last else 0,
    )


def verb(function: Function) -> Function:
    """Return a verb as a command with validated options, a verbosity, and evidence if it takes some.

    A verb that takes `evidence` gets what the files and reading options give. The checks in `before_reading` of its
    options, such as that a path can be written, run first.
    """
    takes = list(inspect.signature(function).parameters.values())
    reads = [ReadOptions] if takes and takes[0].name == "evidence" else []

    def run(*values: Any) -> None:
        *options, loudness = values
        set_loudness(loudness.quiet, loudness.verbose)
        try:
            with timed("all"):
                if reads:
                    _read_then(function, *options)
                else:
                    function(*options)
                sys.stdout.flush()
        except BrokenPipeError:
            raise ReaderGone from None

    run.__name__, run.__doc__ = function.__name__, function.__doc__
    run.__signature__ = inspect.Signature(takes)  # type: ignore[attr-defined]
    return command(run, (*reads, LoudnessOptions), limited=True)


def _read_then(function: Function, options: Any, reading: ReadOptions) -> None:
    """Read the evidence and call the verb with it."""
    allow_memory(reading.memory)
    if hasattr(options, "before_reading"):
        options.before_reading()
    with shown_progress():
        doing(f"reading {listed(reading.files or ['the example'], 3)}")
        with timed("reading"):
            evidence = reading.evidence()
        detail(repr(evidence))
        with timed("answer"):
            function(evidence, options)
