"""Turn a function of options into a command: typer's parameters, reading of evidence, verbosity, and exit."""

import inspect
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand, TyperGroup

from beatpath._errors import BeatpathError, UsageError
from beatpath._memory import allow_memory
from beatpath._progress import doing
from beatpath._text import guesses, listed, quoted, suggestion
from beatpath.cli.options import RARE, READING, ConventionFlags, ReadOptions, built, option, parameters, rare
from beatpath.cli.output import detail, set_loudness, shown_progress, timed

if TYPE_CHECKING:
    from beatpath.evidence import Evidence

Function = Callable[..., None]  # a verb


ALL = "beatpath.help_all"  # the key in the context of a command under which `--help-all` is noted
FEW = 16  # parameters that `--help` shows all of
USUAL = ("map", "where", "only")  # shared options that `--help` shows all the same
OUTPUT = ("out", "format", "figures", "title", "quiet", "verbose", "all_rows", "help_all")


class VerbCommand(TyperCommand):
    """A verb whose `--help` shows the dozen options that people need, and `--help-all` all of them, by topic."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Parse the arguments; an option that the verb does not have is answered with one that does the same."""
        _convert_texts(self.get_params(ctx))
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            if not hasattr(error, "possibilities"):  # of an unknown option alone
                raise
            raise UsageError(_unknown_option(ctx, error.option_name)) from None  # type: ignore[attr-defined]

    def format_help(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
        """Write the help; that of a verb with many options under data, statistics and output."""
        options: list[Any] = list(self.params)
        for one in options:
            one.declared = getattr(one, "declared", one.rich_help_panel)
            if len(options) <= FEW:
                one.rich_help_panel = None if one.declared == RARE else one.declared
                continue
            one.hidden = one.declared is not None and one.name not in USUAL and ALL not in ctx.meta
            data = one.declared == READING or one.name == "example"
            panel = "Data" if data else "Output" if one.name in OUTPUT else "Statistics"
            one.rich_help_panel = "Files" if one.param_type_name == "argument" else panel
        _show_no_types(self.get_params(ctx))
        super().format_help(ctx, formatter)


class Group(TyperGroup):
    """Verbs whose help has no types of flags."""

    def format_help(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
        """Write the help."""
        _show_no_types(self.get_params(ctx))
        super().format_help(ctx, formatter)


class Verbs(Group):
    """All verbs; a file in place of a verb, or the example, is resolved."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Parse the arguments; without a verb the example is resolved."""
        _convert_texts(self.get_params(ctx))
        return super().parse_args(ctx, ["resolve", *args] if "--example" in args[:1] else args)

    def main(self, *args: Any, **options: Any) -> Any:
        """Run a verb, with errors that name options of the command line."""
        before, BeatpathError.on_command_line = BeatpathError.on_command_line, True
        try:
            return super().main(*args, **options)
        finally:
            BeatpathError.on_command_line = before

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the verb that the arguments name, or `resolve` for a file."""
        is_file = args[0] not in self.commands and (args[0] == "-" or "." in args[0] or Path(args[0]).exists())
        if not is_file and args[0] not in self.commands and not ctx.resilient_parsing:
            raise UsageError(_unknown_verb(args[0], self.commands))
        return super().resolve_command(ctx, ["resolve", *args] if is_file else args)


def _unknown_verb(name: str, verbs: Iterable[str]) -> str:
    """What to say to a verb that does not exist: what does the same, where that is known."""
    from beatpath.methods.registry import ALIASES, METHODS

    key, hints = ALIASES.get(name, name), guesses("commands").get(name, ())
    if key in METHODS:
        hints = (f"`beatpath rank --method {key}`",)
    more = f" Use {hints[0]}." if hints else suggestion(name, verbs)
    return f"a verb must be one of those `beatpath --help` lists, or a file; {quoted(name)} is neither.{more}"


def _unknown_option(ctx: typer.Context, flag: str) -> str:
    """What to say to an option that the verb does not have: its own name for it, what does the same, or verbs that have it."""
    name = flag.lstrip("-")
    meant = guesses("options").get(name.replace("-", "_"), (name,))[0]
    flags = [one for parameter in ctx.command.params for one in parameter.opts]
    verbs = getattr(ctx.parent.command, "commands", {}) if ctx.parent is not None else {}
    others = [verb for verb, one in verbs.items() if any(f"--{meant}" in parameter.opts for parameter in one.params)]
    if f"--{meant}" in flags:
        more = f" Did you mean `--{meant}`?"
    elif hints := guesses("flags").get(name, ()):
        more = f" Use {hints[0]}."
    elif others:
        more = f" `--{meant}` is an option of {listed(others)}."
    else:
        more = suggestion(flag, flags)
    every = "--help-all" if "--help-all" in flags else "--help"
    return f"{quoted(flag)} must be an option of `{ctx.command_path}`; `{every}` lists them.{more}"


def _convert_texts(parameters: Iterable[Any]) -> None:
    """Let texts and defaults pass as they are; typer would load pydantic for them, a seventh of a second."""
    for one in parameters:
        if hasattr(one, "type_descriptor"):  # of versions that convert by pydantic
            one.process_value = partial(_converted, one)


def _converted(one: Any, context: Any, value: Any) -> Any:
    """Return the value of a parameter as typer would."""
    kind, parser = one.type_descriptor.annotation, one.type_descriptor.parameter_info.parser
    given = value is not None and context.get_parameter_source(one.name).name != "DEFAULT"
    if (value is None and one.required) or (given and parser is None and kind not in (str, list[str], bool)):
        return type(one).process_value(one, context, value)
    if value is None and (one.multiple or one.nargs == -1):
        value = ()
    elif given and parser is not None:
        value = parser(value)
    return value if one.callback is None else one.callback(context, one, value)


def _show_no_types(parameters: Iterable[Any]) -> None:
    """Leave the types of flags and arguments out of the help; they have no value, or are files."""
    for one in parameters:
        if one.param_type_name == "argument" or getattr(one, "is_flag", False):
            one.display_type_rich = lambda ctx: ""


def _help_all(context: typer.Context, requested: bool) -> None:
    """Print the help with all options, and stop."""
    if requested:
        context.meta[ALL] = True
        print(context.get_help())
        raise typer.Exit


class ReaderGone(Exception):
    """The reader of a pipe is gone; not an `OSError`, which the option parser would catch."""


@dataclass(frozen=True)
class LoudnessOptions:
    """The verbosity of a verb."""

    quiet: bool = rare("--quiet -q", "Print nothing but the answer and errors.", default=False)
    verbose: bool = option(
        "--verbose -v", "Also print why, under which conditions, what was read and how long it took.", default=False
    )
    all_rows: bool = rare("--all", "Print all rows of long tables.", default=False)
    help_all: bool = option(
        "--help-all", "Show all options, by topic, and stop.", default=False, callback=_help_all, is_eager=True
    )


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
        set_loudness(loudness.quiet, loudness.verbose, loudness.all_rows)
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
            evidence = _with_named_columns(reading.evidence(), options, reading)
        detail(repr(evidence))
        with timed("answer"):
            function(evidence, options)


def _with_named_columns(evidence: "Evidence", options: Any, reading: ReadOptions) -> "Evidence":
    """Return the evidence, read again with the columns without a role that ``--cluster`` and ``--by`` name."""
    unused = evidence.reading.unused if evidence.reading and "-" not in (reading.files or ()) else ()
    cluster, by = getattr(options, "cluster", None), getattr(options, "by", None)
    named = [name for name in (*(() if cluster in (None, "auto") else cluster), by) if name in unused]
    return replace(reading, keep=(*reading.keep, *named)).evidence() if named else evidence
