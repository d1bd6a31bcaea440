"""Checks of single arguments, each with its sentence."""

from collections.abc import Collection, Iterable, Sequence
from math import isfinite

import numpy as np

from beatpath._errors import UsageError
from beatpath._text import quoted, suggestion


def require_share(name: str, value: float) -> None:
    """Raise unless a level or a power lies strictly between 0 and 1."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.floating) or not 0 < value < 1:
        raise UsageError(f"`{name}` must lie between 0 and 1, as in 0.95; got {quoted(value)}.")


def require_whole(name: str, value: object, least: int = 1) -> None:
    """Raise unless a value is a whole number, no less than `least`.

    >>> require_whole("draws", 0)
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `draws` must be a whole number, 1 or more; got 0.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        got = quoted(value) if isinstance(value, str) else repr(value)
        raise UsageError(f"`{name}` must be a whole number, {least} or more; got {got}.")


def generator(seed: int) -> np.random.Generator:
    """Return what draws from a seed, the same for the same seed.

    >>> generator(-1)
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `seed` must be a whole number, 0 or more; got -1.
    """
    require_whole("seed", seed, 0)
    return np.random.default_rng(seed)


def require_agents(names: Iterable[str], agents: Sequence[str]) -> None:
    """Raise unless every name is one of the agents; the nearest is suggested.

    >>> require_agents(["bop"], ("ada", "bob"))
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: 'bop' must be one of the agents. Did you mean 'bob'?
    """
    for name in names:
        if name not in agents:
            raise UsageError(f"{quoted(name)} must be one of the agents.{suggestion(name, agents)}")


def require_choice(name: str, value: object, known: Collection[str]) -> None:
    """Raise unless a value is one of those known; the nearest is suggested.

    >>> require_choice("repeats", "bset", ("error", "best"))
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `repeats` must be one of error, best; got 'bset'. Did you mean 'best'?
    """
    if value not in known:
        raise UsageError(
            f"`{name}` must be one of {', '.join(known)}; got {quoted(value)}.{suggestion(str(value), known)}"
        )


def require_positive(name: str, value: float) -> None:
    """Refuse what is not a positive number.

    >>> require_positive("temperature", 0)
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `temperature` must be a positive number; got 0.
    """
    if not (isfinite(value) and value > 0):
        raise UsageError(f"`{name}` must be a positive number; got {value:g}.")
