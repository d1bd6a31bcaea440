"""Array habits shared by the nouns: our own read-only copies, validated with names in the message."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from beatpath._arrays import Bools, Floats
from beatpath._errors import DataError
from beatpath._text import counted, listed, quoted

T = TypeVar("T", bound=np.generic)
N = TypeVar("N")
MOST = 2.0**53  # the largest whole number up to which floats hold every one


def read_only(values: ArrayLike, dtype: type[T]) -> NDArray[T]:
    """Return an array of this type that nobody can write to: a read-only input as it is, else a copy.

    >>> read_only([1, 2], np.float64).flags.writeable
    False
    """
    array: NDArray[T] = np.asarray(values, dtype=dtype)
    if array.flags.writeable:
        if array is values or array.base is not None:
            array = array.copy()
        array.setflags(write=False)
    return array


def column(values: ArrayLike | None, dtype: type[T], n_rows: int, name: str) -> NDArray[T] | None:
    """Return a read-only column of `n_rows` values, or ``None`` where none was given."""
    if values is None:
        return None
    array = read_only(values, dtype)
    if array.shape != (n_rows,):
        raise DataError(f"`{name}` must have {n_rows:,} values, one a row; got shape {array.shape}.")
    return array


SMALLEST, LARGEST = 1e-120, 1e120  # squares, and sums of many squares, of what lies between are numbers


def beyond_squares(values: Floats) -> Bools:
    """Where a number is too large, or other than zero too small, to be squared and added up.

    >>> beyond_squares(np.array([0.0, 1.0, -1e300, 5e-324])).tolist()
    [False, False, True, True]
    """
    size = np.abs(values)
    found: Bools = (size > LARGEST) | ((size < SMALLEST) & (size > 0))
    return found


def positive_weights(values: ArrayLike | None, n_rows: int, name: str = "weight") -> Floats | None:
    """Return weights that are finite and not negative, or raise with the first that is not."""
    weights = column(values, np.float64, n_rows, name)
    if weights is not None:
        bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
        if bad.size:
            raise DataError(
                f"`{name}` must be finite and not negative; got {weights[bad[0]]:g} in row {bad[0] + 1:,} "
                f"({counted(bad.size, 'such row')}). Correct these rows or leave them out."
            )
        if (bad := np.flatnonzero(beyond_squares(weights))).size:
            raise DataError(
                f"`{name}` must be zero or from {SMALLEST:g} to {LARGEST:g}; got {weights[bad[0]]:g} in row {bad[0] + 1:,}. "
                "Multiply all of them by one number: no answer changes."
            )
    return weights


def agent_names(agents: Sequence[str]) -> tuple[str, ...]:
    """Return the names as a tuple; they must be distinct texts."""
    names = tuple(agents)
    wrong = [name for name in names if not isinstance(name, str)]
    if wrong:
        raise DataError(f"agent names must be text; got {quoted(wrong[0])} of type {type(wrong[0]).__name__}.")
    if len(set(names)) < len(names):
        seen: set[str] = set()
        twice = sorted({name for name in names if name in seen or seen.add(name)})  # type: ignore[func-returns-value]
        raise DataError(f"agent names must be distinct; {listed(twice)} stand more than once. Rename or merge them.")
    return names


def agent_codes(values: ArrayLike, n_agents: int, name: str) -> NDArray[np.int32]:
    """Return agent codes, each from 0 to ``n_agents - 1``."""
    codes = read_only(values, np.int32)
    if codes.ndim != 1 or (codes.size and codes.view(np.uint32).max() >= n_agents):  # what is negative is large there
        raise DataError(f"`{name}` must be one-dimensional with codes from 0 to {n_agents - 1} for {n_agents} agents.")
    return codes


def frozen(instance: object, **fields: Any) -> None:
    """Set the validated fields of a frozen dataclass in its ``__post_init__``."""
    for name, value in fields.items():
        object.__setattr__(instance, name, value)


def trusted(noun: N, **changed: Any) -> N:
    """Return a validated noun with some fields changed, which are validated already: some of its rows, or fewer names.

    Arrays among them become read-only; what the noun has counted so far is not carried over.
    """
    made = copy(noun)
    for value in changed.values():
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
    frozen(made, **{one.name: None for one in fields(noun) if not one.init}, **changed)  # type: ignore[arg-type]
    return made


def require_countable(counts: NDArray[Any], what: str) -> None:
    """Refuse counts whose total is beyond 2**53, up to which floats and whole numbers of a machine hold every one.

    >>> require_countable(np.full(10, 999_999_999_999_999_999), "ballots")
    Traceback (most recent call last):
    ...
    beatpath._errors.DataError: there must be at most 2^53 ballots, about 9e15, to be counted exactly; there are about 1e+19.
    """
    total = float(np.sum(counts, dtype=np.float64))
    if total > MOST:
        raise DataError(
            f"there must be at most 2^53 {what}, about 9e15, to be counted exactly; there are about {total:.3g}."
        )


def require_lengths(columns: Mapping[str, Sequence[object] | NDArray[Any] | Any], n_rows: int, what: str) -> None:
    """Every named column must have one entry a row."""
    for name, values in columns.items():
        if len(values) != n_rows:
            raise DataError(f"{what} {quoted(name)} must have {n_rows:,} rows; got {len(values):,}.")
