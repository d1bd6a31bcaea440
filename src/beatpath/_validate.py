"""Validation of single arguments, each with its error message."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import inf, isfinite
from numbers import Real
from typing import Any

import numpy as np

from beatpath._errors import DataError, UsageError
from beatpath._text import listed, quoted, suggestion


def is_number(value: object) -> bool:
    """Whether a value is a finite number.

    >>> is_number(1.5), is_number(float("nan")), is_number(True), is_number("1.5"), is_number(10**400)
    (True, False, False, False, False)
    """
    try:
        return isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)
    except OverflowError:  # a whole number beyond every float
        return False


def require_number(
    name: str, value: Any, must: str, *, least: float = -inf, above: float = -inf, below: float = inf, hint: str = ""
) -> None:
    """Raise an error unless a value is a finite number within bounds, which `must` describes; `hint` says what to do.

    >>> require_number("spread", 0, "a positive number of log odds", above=0)
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `spread` must be a positive number of log odds; got '0'.
    """
    if not (is_number(value) and value >= least and above < value < below):
        raise UsageError(f"`{name}` must be {must}; got {quoted(value)}.{hint and ' ' + hint}")


def require_kind(name: str, value: object, must: str, *kinds: type) -> None:
    """Raise an error unless a value is of one of these types, which `must` describes.

    >>> require_kind("battles", 7, "battles, as `bp.read` returns them", str)
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `battles` must be battles, as `bp.read` returns them; got int.
    """
    if not isinstance(value, kinds):
        raise UsageError(f"`{name}` must be {must}; got {type(value).__name__}.")


def require_share(name: str, value: float, such_as: float = 0.95) -> None:
    """Raise an error unless a level, a power or an error rate lies strictly between 0 and 1."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.floating) or not 0 < value < 1:
        raise UsageError(f"`{name}` must lie between 0 and 1, as in {such_as}; got {quoted(value)}.")


def require_whole(name: str, value: object, least: int = 1, most: int | None = None, why: str = "") -> None:
    """Raise an error unless a value is an integer, at least `least`, and at most `most`, for which `why` gives the reason.

    >>> require_whole("draws", 0)
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `draws` must be a whole number, 1 or more; got 0.
    >>> require_whole("k", 4, most=3, why=", the agents there are")
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `k` must be a whole number from 1 to 3, the agents there are; got 4.
    """
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):  # type: ignore[operator]
        must = f", {least} or more" if most is None else f" from {least} to {most:,}{why}"
        text = quoted(value) if isinstance(value, str) else repr(value)
        raise UsageError(f"`{name}` must be a whole number{must}; got {text}.")


def require_few(number: int, most: int, limit: str, instead: str) -> None:
    """Raise an error where there is more of something than can be computed; `limit` says of what, with a place for `most`.

    >>> require_few(501, 500, "`humans` takes at most {} agents", "Choose some with `--only`.")
    Traceback (most recent call last):
    ...
    beatpath._errors.DataError: `humans` takes at most 500 agents; there are 501. Choose some with `bp.only`.
    """
    if number > most:
        raise DataError(f"{limit.format(f'{most:,}')}; there are {number:,}. {instead}")


def generator(seed: int) -> np.random.Generator:
    """Return a random generator with this seed.

    >>> generator(-1)
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `seed` must be a whole number, 0 or more; got -1.
    """
    require_whole("seed", seed, 0)
    return np.random.default_rng(seed)


def require_known(name: object, known: Collection[str], must: str) -> None:
    """Raise an error with this sentence unless a name is one of those known; suggest the nearest.

    >>> require_known("bop", ("ada", "bob"), "'bop' must be one of the agents.")
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: 'bop' must be one of the agents. Did you mean 'bob'?
    """
    if name not in known:
        raise UsageError(f"{must}{suggestion(str(name), known)}")


def require_agents(names: Iterable[str], agents: Sequence[str]) -> None:
    """Raise an error unless every name is one of the agents; suggest the nearest.

    >>> require_agents(["bop"], ("ada", "bob"))
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: 'bop' must be one of the agents. Did you mean 'bob'?
    """
    for name in names:
        require_known(name, agents, f"{quoted(name)} must be one of the agents.")


def require_choice(name: str, value: object, known: Collection[str]) -> None:
    """Raise an error unless a value is one of those known; suggest the nearest.

    >>> require_choice("repeats", "bset", ("error", "best"))
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `repeats` must be one of error, best; got 'bset'. Did you mean 'best'?
    """
    if value not in known:  # words only where they are needed
        require_known(value, known, f"`{name}` must be one of {', '.join(known)}; got {quoted(value)}.")


def require_positive(name: str, value: float) -> None:
    """Raise an error unless a value is a positive number.

    >>> require_positive("temperature", 0)
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `temperature` must be a positive number; got '0'.
    """
    require_number(name, value, "a positive number", above=0)


def mixture_shares(mixture: Mapping[str, float], contexts: Collection[str], by: str) -> dict[str, float]:
    """Return the nonzero weights of contexts, normalized to sum to one.

    >>> mixture_shares({"math": 3, "code": 1, "prose": 0}, ["code", "math", "prose"], "task")
    {'code': 0.25, 'math': 0.75}
    """
    require_contexts(mixture, contexts, by)
    for name, weight in mixture.items():
        if not (is_number(weight) and weight >= 0):
            raise UsageError(f"`mix` must weigh contexts by numbers not below 0; got {weight!r} for {quoted(name)}.")
    total = sum(mixture.values())
    if not total > 0:
        raise UsageError("`mix` must give at least one context a weight above 0; got none.")
    return {name: weight / total for name, weight in sorted(mixture.items()) if weight > 0}


def require_contexts(names: Iterable[str], known: Collection[str], by: str) -> None:
    """Raise an error unless every name is a context of some row; suggest the nearest."""
    for name in names:
        must = f"a context must be one that {quoted(by)} names in some row; {quoted(name)} occurs in none."
        require_known(name, known, f"{must} It has {listed(known)}.")
