"""The libraries of engines, loaded when an engine is asked for, and the options that people hand to them as texts."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from beatpath._errors import MissingExtra, UsageError
from beatpath._text import quoted, suggestion


def library(module: str, extra: str) -> Any:
    """Import a module of an engine, or say how to install it.

    >>> library("nowhere.at_all", "spark")
    Traceback (most recent call last):
    ...
    beatpath._errors.MissingExtra: engine='spark' needs nowhere, which is not installed: pip install 'beatpath[spark]'.
    """
    try:
        return import_module(module)
    except ImportError as error:
        missing = (error.name or module).partition(".")[0]
        raise MissingExtra(missing, extra, f"engine={extra!r}") from None


def taken(given: Mapping[str, object], known: Mapping[str, Callable[[Any], Any]], engine: str) -> dict[str, Any]:
    """Return the options an engine knows, each made of its text.

    >>> taken({"num_cpus": "2"}, {"num_cpus": int, "address": str}, "ray")
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


def refuse_late(given: Mapping[str, object], what: str) -> None:
    """Refuse options for a session that runs already: they would be passed over in silence."""
    if given:
        raise UsageError(
            f"`engine_options` start a session, and {what} runs already; got {quoted(next(iter(given)))}. Stop it first, or "
            "leave the options out and let it be used as it is."
        )
