"""What engines share: their libraries, loaded when asked for, the options handed to them as texts, and a table over files."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from beatpath._errors import MissingExtra, UsageError
from beatpath._text import quoted, suggestion
from beatpath.data.engines.files import Files
from beatpath.data.engines.frames import FrameTable


def engine_library(module: str, extra: str) -> Any:
    """Import a module of an engine, or say how to install it.

    >>> engine_library("nowhere.at_all", "spark")
    Traceback (most recent call last):
    ...
    beatpath._errors.MissingExtra: engine='spark' needs nowhere, which is not installed: pip install 'beatpath[spark]'.
    """
    try:
        return import_module(module)
    except ImportError as error:
        missing = (error.name or module).partition(".")[0]
        raise MissingExtra(missing, extra, f"engine={extra!r}") from None


def engine_options(
    given: Mapping[str, object], known: Mapping[str, Callable[[Any], Any]], engine: str
) -> dict[str, Any]:
    """Return the options an engine knows, each made of its text.

    >>> engine_options({"num_cpus": "2"}, {"num_cpus": int, "address": str}, "ray")
    {'num_cpus': 2}
    """
    made = {}
    for name, value in given.items():
        if name not in known:
            raise UsageError(
                f"`engine_options` of {engine} must be among {', '.join(known)}; got {quoted(name)}."
                f"{suggestion(str(name), known)}"
            )
        try:
            made[name] = known[name](value)
        except (ValueError, TypeError):
            kind = "a whole number" if known[name] is int else known[name].__name__
            raise UsageError(f"`engine_options` {name} of {engine} must be {kind}; got {quoted(value)}.") from None
    return made


def refuse_options_of_running(given: Mapping[str, object], what: str) -> None:
    """Refuse options for a session that runs already: they would be passed over in silence."""
    if given:
        raise UsageError(
            f"`engine_options` start a session, and {what} runs already; got {quoted(next(iter(given)))}. Stop it first, or "
            "leave the options out and let it be used as it is."
        )


@dataclass(frozen=True)
class EngineTable(FrameTable):
    """A frame over files; it knows of columns that only some of the files have, and refuses to look at them."""

    files: Files = field(default_factory=lambda: Files("parquet", ()))

    @property
    def names(self) -> tuple[str, ...]:
        """Column names of all files."""
        return self.files.columns or tuple(self.columns)

    def has(self, name: str) -> bool:
        """Whether a column is there, in some file at least."""
        return name in self.names

    def distinct(self, name: str, most: int = 1000) -> list[str]:
        """Return the first distinct texts of a column in sorted order, `most` at the most."""
        self.files.require([name])
        return super().distinct(name, most)

    def place_of(self, values: Mapping[str, str | None]) -> str:
        """Return the rows by what they say: an engine gives no row numbers."""
        said = ", ".join(f"{name}={quoted(value)}" for name, value in values.items())
        return f"the rows with {said}"


def inner_names(columns: tuple[str, ...]) -> dict[str, str]:
    """Return the names that engines see.

    >>> inner_names(("home.team", "away.team"))
    {'home.team': 'c0', 'away.team': 'c1'}
    """
    return {name: f"c{i}" for i, name in enumerate(columns)}
