"""`restored`: the plain data of a saved file, checked against the annotations of the class that wrote it."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from beatpath._errors import ReadError
from beatpath._text import quoted
from beatpath._validate import is_number

HUGE = 1e30  # largest number of a saved state: its fourth power, which ratings need, is a number too
MOST = 2**53  # largest integer that floats count up to exactly
DAMAGED = "The file is damaged: take an older copy, or begin anew."  # what to do
WORDS = {
    float: f"a finite number up to {HUGE:g}",
    int: "a whole number up to 2^53",
    str: "a text",
    bool: "true or false",
}


def restored(hint: Any, value: Any, place: str) -> Any:
    """Return plain data as what an annotation describes: a dataclass, a mapping, a tuple, a number, a text.

    Parameters
    ----------
    hint : annotation
        The type, as in the fields of a `beatpath._result.Record`.
    value : plain data
        What JSON holds there; keys that the type does not know are ignored.
    place : str
        What it is, for error messages.

    Raises
    ------
    ReadError
        If the data are not of this type, or a number is not finite, or huge.

    Examples
    --------
    >>> restored(tuple[str, ...], ["ada", "bob"], "`agents`")
    ('ada', 'bob')
    >>> restored(dict[str, float], {"ada": float("nan")}, "`ratings`")
    Traceback (most recent call last):
    ...
    beatpath._errors.ReadError: `ratings` of 'ada' must be a finite number up to 1e+30; got 'nan'. The file is damaged: take an \
older copy, or begin anew.
    """
    kind, inner = get_origin(hint) or hint, get_args(hint)
    if hint is Any or (hint in (str, bool) and type(value) is hint):
        return value
    if hint is float and is_number(value) and abs(value) <= HUGE:
        return value
    if hint is int and type(value) is int and abs(value) <= MOST:
        return value
    if kind in (Union, UnionType):
        return None if value is None else restored(next(one for one in inner if one is not NoneType), value, place)
    if is_dataclass(kind):
        return _restored_fields(kind, value, place)
    if kind is tuple and isinstance(value, list | tuple) and (... in inner or len(value) == len(inner)):
        hints = [inner[0]] * len(value) if ... in inner else inner
        return tuple(restored(one, part, place) for one, part in zip(hints, value, strict=True))
    if kind in (dict, Mapping) and isinstance(value, Mapping):
        return {str(key): restored(inner[1], part, f"{place} of {quoted(key)}") for key, part in value.items()}
    must = WORDS.get(hint, "a list" if kind is tuple else "a mapping by name")
    raise ReadError(f"{place} must be {must}; got {quoted(value)}. {DAMAGED}")


def _restored_fields(cls: Any, value: Any, place: str) -> Any:
    """A dataclass from a mapping with its fields."""
    if not isinstance(value, Mapping):
        raise ReadError(f"{place} must be a mapping with its fields; got {quoted(value)}. {DAMAGED}")
    hints, names = get_type_hints(cls), [one.name for one in fields(cls)]
    missing = [name for name in names if name not in value]
    if missing:
        raise ReadError(f"{place} must have {', '.join(names)}; {missing[0]} is missing. {DAMAGED}")
    return cls(**{name: restored(hints[name], value[name], f"`{name}`") for name in names})
