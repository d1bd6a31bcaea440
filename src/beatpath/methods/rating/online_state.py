"""The files of online ratings: JSON that says by its `type` what it is, for `beatpath.load` to read."""

from collections.abc import Mapping, Sequence
from math import isfinite
from numbers import Real
from os import PathLike
from typing import Any

from beatpath._atomic_write import write_whole
from beatpath._errors import ReadError
from beatpath._result import SCHEMA_VERSION
from beatpath._schema import dumps
from beatpath._text import counted, quoted


def write_state(path: str | PathLike[str], state: Mapping[str, Any]) -> None:
    """Write a state to a JSON file; one of that name is replaced at once or not at all."""
    write_whole(path, dumps(state))


def require_state(saved: object, kind: str, fields: Sequence[str]) -> Mapping[str, Any]:
    """Return a saved state that is of this kind, of the version known here, and has all its fields.

    >>> require_state({"type": "chess"}, "online_elo", ())
    Traceback (most recent call last):
    ...
    beatpath._errors.ReadError: a saved state must be of type 'online_elo', version 1; got 'chess', version 'None'. Rate anew.
    """
    if not isinstance(saved, Mapping):
        raise ReadError(f"a saved state must be a mapping with its `type`; got {type(saved).__name__}.")
    if saved.get("type") != kind or saved.get("schema_version") != SCHEMA_VERSION:
        raise ReadError(
            f"a saved state must be of type {quoted(kind)}, version {SCHEMA_VERSION}; got {quoted(saved.get('type'))}, "
            f"version {quoted(saved.get('schema_version'))}. Rate anew."
        )
    missing = [name for name in fields if name not in saved]
    if missing:
        raise ReadError(f"a saved state must hold {', '.join(fields)}; {missing[0]} is missing.")
    return saved


def state_of(rated: object, kind: str, settings: Sequence[str], by_agent: Sequence[str]) -> dict[str, Any]:
    """Return a state as plain data: its kind, its settings, how far it came, and what it holds of every agent."""
    return {
        "schema_version": SCHEMA_VERSION,
        "type": kind,
        **{name: getattr(rated, name) for name in (*settings, "battles", "time")},
        **{name: dict(getattr(rated, name)) for name in by_agent},
    }


def fields_of(saved: object, kind: str, settings: Sequence[str], by_agent: Sequence[str]) -> dict[str, Any]:
    """Return the fields of a state that `state_of` gave; what it holds of agents must be finite numbers."""
    fields = (*settings, *by_agent, "battles", "time")
    known = require_state(saved, kind, fields)
    for name in by_agent:
        require_finite_ratings(known[name])
    return {name: dict(known[name]) if name in by_agent else known[name] for name in fields}


def require_finite_ratings(ratings: Mapping[str, object]) -> None:
    """Raise where a saved rating is no finite number."""
    wrong = [name for name, rating in ratings.items() if not is_finite(rating)]
    if wrong:
        raise ReadError(
            f"saved ratings must be finite numbers; that of {quoted(wrong[0])} is {quoted(ratings[wrong[0]])} "
            f"({counted(len(wrong), 'such rating')})."
        )


def is_finite(value: object) -> bool:
    """Whether a value is a finite number.

    >>> is_finite(1.5), is_finite(True), is_finite("1")
    (True, False, False)
    """
    return isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)
