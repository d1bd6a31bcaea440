"""Shared code of the evidence types: read-only validated arrays, categorical columns, and row selection."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, fields
from operator import lt
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from beatpath._arrays import Bools, Floats, Ints
from beatpath._errors import BeatpathError, DataError, UsageError
from beatpath._guard import guard_methods
from beatpath._text import counted, listed, missing_attribute, quoted, suggestion

# The dtype of an array; an evidence type.
T = TypeVar("T", bound=np.generic)
N = TypeVar("N")
MOST = 2.0**53  # largest integer up to which a float represents every integer exactly


def refuse(wrong: Bools, sentence: Callable[[int, str], str], error: type[BeatpathError] = DataError) -> None:
    """Raise an error about the first row flagged as wrong.

    `sentence` builds the message from the index of that row and the count of flagged rows, such as "2 such rows".

    >>> refuse(np.array([False, True, True]), lambda row, such: f"row {row} is wrong ({such})")
    Traceback (most recent call last):
    ...
    beatpath._errors.DataError: row 1 is wrong (2 such rows)
    """
    rows = np.flatnonzero(wrong)
    if rows.size:
        raise error(sentence(int(rows[0]), counted(rows.size, "such row")))


def read_only(values: ArrayLike, dtype: type[T]) -> NDArray[T]:
    """Return a read-only array of this dtype: the input itself if it is read-only already, otherwise a copy.

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
    """Return a read-only column of `n_rows` values, or ``None`` if `values` is ``None``."""
    if values is None:
        return None
    array = read_only(values, dtype)
    if array.shape != (n_rows,):
        raise DataError(f"`{name}` must have {n_rows:,} values, one a row; got shape {array.shape}.")
    return array


# within these bounds a square, and a sum of many squares, neither overflows nor underflows
SMALLEST, LARGEST = 1e-120, 1e120


def beyond_squares(values: Floats) -> Bools:
    """Flag numbers that are too large, or nonzero and too small, to be squared and summed.

    >>> beyond_squares(np.array([0.0, 1.0, -1e300, 5e-324])).tolist()
    [False, False, True, True]
    """
    size = np.abs(values)
    return (size > LARGEST) | ((size < SMALLEST) & (size > 0))


def positive_weights(values: ArrayLike | None, n_rows: int, name: str = "weight") -> Floats | None:
    """Return weights that are finite and nonnegative, or raise an error that names the first that is not."""
    weights = column(values, np.float64, n_rows, name)
    if weights is not None:
        refuse(
            ~(np.isfinite(weights) & (weights >= 0)),
            lambda row, such: (
                f"`{name}` must be finite and not negative; got {weights[row]:g} in row {row + 1:,} ({such}). "
                "Correct these rows or leave them out."
            ),
        )
        refuse(
            beyond_squares(weights),
            lambda row, _: (
                f"`{name}` must be zero or from {SMALLEST:g} to {LARGEST:g}; got {weights[row]:g} in row {row + 1:,}. "
                "Multiply all of them by one number: no answer changes."
            ),
        )
    return weights


def agent_names(agents: Sequence[str]) -> tuple[str, ...]:
    """Return the agent names as a tuple; they must be distinct strings."""
    names = tuple(agents)
    wrong = [] if set(map(type, names)) <= {str} else [name for name in names if not isinstance(name, str)]
    if wrong:
        raise DataError(f"agent names must be text; got {quoted(wrong[0])} of type {type(wrong[0]).__name__}.")
    if len(set(names)) < len(names):
        twice = sorted(name for name, n in Counter(names).items() if n > 1)
        raise DataError(f"agent names must be distinct; {listed(twice)} stand more than once. Rename or merge them.")
    return names


def agent_codes(values: ArrayLike, n_agents: int, name: str) -> NDArray[np.int32]:
    """Return validated agent codes, integers from 0 to ``n_agents - 1``."""
    codes = read_only(values, np.int32)
    # a negative code is large as an unsigned integer
    if codes.ndim != 1 or (codes.size and codes.view(np.uint32).max() >= n_agents):
        raise DataError(f"`{name}` must be one-dimensional with codes from 0 to {n_agents - 1} for {n_agents} agents.")
    return codes


def frozen(instance: object, **values: Any) -> None:
    """Set validated fields of a frozen dataclass from inside its ``__post_init__``."""
    for name, value in values.items():
        object.__setattr__(instance, name, value)


def trusted(noun: N, **changed: Any) -> N:
    """Return a copy of validated evidence with some fields replaced, without validating again.

    The new fields must be valid already, such as a subset of the rows. Arrays among them become read-only. Cached
    counts are not carried over.
    """
    copied = copy(noun)
    for value in changed.values():
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
    frozen(copied, **{one.name: None for one in fields(noun) if not one.init}, **changed)  # type: ignore[arg-type]
    return copied


# Metadata of a field with one entry per row: the dtype of its values, or that it maps names to such columns.
CODES: Mapping[str, Any] = {"dtype": np.int32}
SIGNS: Mapping[str, Any] = {"dtype": np.int8}
INTS: Mapping[str, Any] = {"dtype": np.int64}
FLOATS: Mapping[str, Any] = {"dtype": np.float64}
BOOLS: Mapping[str, Any] = {"dtype": np.bool_}
NAMED: Mapping[str, Any] = {"named": True}


class EvidenceBase:
    """Base class of all evidence types: frozen, validated once, organized in rows."""

    __slots__ = ()

    kind: ClassVar[str]
    """The word for this kind of evidence."""
    agents: tuple[str, ...]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        guard_methods(cls)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({counted(len(self.agents), 'agent')})"

    if not TYPE_CHECKING:  # or every attribute would be there for type checkers

        def __getattr__(self, name):
            raise missing_attribute(self, name)

    def to_frame(self, library: str | None = None) -> Any:
        """Return the rows that `beatpath.write` writes as a frame of pandas, polars or pyarrow: as named, else as you brought."""
        from beatpath._coerce import evidence_frame

        return evidence_frame(self, library)

    def factor(self, name: str) -> "Factor":
        """Return the column with this name, or raise an error that lists the columns there are."""
        factors: Mapping[str, Factor] = getattr(self, "factors", {})
        if name not in factors:
            raise UsageError(
                f"{quoted(name)} must be a column these {self.kind} have ({', '.join(factors) or 'they have none'})."
                f"{suggestion(name, factors)} Map one with `--map {name}=COLUMN` or keep one with `--keep`."
            )
        return factors[name]

    def freeze(self, n_rows: int, **validated: Any) -> None:
        """Set the validated fields, and validate the agents and every other field that has one entry per row."""
        if "agents" not in validated:
            validated["agents"] = agent_names(self.agents)
        for one in fields(self):  # type: ignore[arg-type]
            value = validated.get(one.name, getattr(self, one.name))
            if one.name not in validated and value is not None:
                if one.metadata == CODES:
                    value = agent_codes(value, len(validated["agents"]), one.name)
                if one.name == "weight":
                    value = positive_weights(value, n_rows)
                elif "dtype" in one.metadata:
                    value = column(value, one.metadata["dtype"], n_rows, one.name)
                elif "named" in one.metadata:
                    value = _named(value, n_rows, one.name.removesuffix("s")) if value else {}
            object.__setattr__(self, one.name, value)

    def take(self, rows: NDArray[np.generic], **changed: Any) -> Self:
        """Return the chosen rows (indices or a mask) of every field with one entry per row.

        `changed` replaces other fields; all the rest stay as they are.
        """
        for one in fields(self):  # type: ignore[arg-type]
            value = getattr(self, one.name)
            if one.name in changed or value is None:
                continue
            if "dtype" in one.metadata:
                changed[one.name] = value[rows]
            elif "named" in one.metadata:
                changed[one.name] = {name: _some(values, rows) for name, values in value.items()}
        return trusted(self, **changed)


guard_methods(EvidenceBase)


def _named(columns: Mapping[str, Any], n_rows: int, what: str) -> dict[str, Any]:
    """Validate named columns that have one entry per row."""
    for name, values in columns.items():
        if isinstance(values, Factor) and len(values) != n_rows:
            raise DataError(f"{what} {quoted(name)} must have {n_rows:,} rows; got {len(values):,}.")
    return {k: v if isinstance(v, Factor) else column(v, np.float64, n_rows, k) for k, v in columns.items()}


def _some(values: Any, rows: NDArray[np.generic]) -> Any:
    return values.take(rows) if isinstance(values, Factor) else read_only(values[rows], np.float64)


def require_countable(counts: NDArray[Any], what: str) -> None:
    """Raise an error if the total count exceeds 2**53, the largest integer that floats count up to exactly.

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


@dataclass(frozen=True, slots=True, eq=False)
class Factor:
    """A categorical column: one code per row, and the names the codes stand for; code -1 means missing.

    The levels are distinct and sorted, so a factor does not depend on the order of the rows.

    Parameters
    ----------
    codes : (t,) int
        Index into `levels` for every row, -1 if missing.
    levels : tuple of str
        The names, distinct and sorted.

    Examples
    --------
    >>> Factor.of(["b", "a", None, "b"])
    Factor(4 rows, 2 levels, 1 missing)
    >>> Factor.of(["b", "a", None, "b"]).codes
    array([ 1,  0, -1,  1], dtype=int32)
    """

    codes: NDArray[np.int32]
    levels: tuple[str, ...]

    def __post_init__(self) -> None:
        codes = read_only(self.codes, np.int32)
        if codes.ndim != 1 or (codes.size and not -1 <= codes.min() <= codes.max() < len(self.levels)):
            raise DataError(
                f"`codes` must be one-dimensional, each from -1 to {len(self.levels) - 1} for {len(self.levels)} levels."
            )
        object.__setattr__(self, "codes", codes)
        object.__setattr__(self, "levels", tuple(self.levels))
        if not all(map(lt, self.levels, self.levels[1:])):
            raise DataError(f"`levels` must be distinct and sorted; got {listed(self.levels)}.")

    @classmethod
    def of(cls, names: Iterable[object]) -> "Factor":
        """Build a factor from names; ``None`` is missing, anything else is converted to a string."""
        texts = [None if name is None else str(name) for name in names]
        levels = sorted({text for text in texts if text is not None})
        code: dict[str | None, int] = {name: i for i, name in enumerate(levels)}
        code[None] = -1
        return cls(np.fromiter((code[t] for t in texts), np.int32, len(texts)), tuple(levels))

    @classmethod
    def coded(cls, codes: ArrayLike, names: Sequence[str]) -> "Factor":
        """Build a factor from codes into names in any order; drop unused names and merge equal ones.

        >>> Factor.coded([2, 0, -1], ["z", "y", "a"]).levels
        ('a', 'z')
        """
        codes = np.asarray(codes, dtype=np.int64)
        used = np.flatnonzero(np.bincount(codes + 1, minlength=1)[1:]).tolist()
        levels = sorted({names[i] for i in used})
        place = {name: i for i, name in enumerate(levels)}
        new = np.full(len(names) + 1, -1, dtype=np.int32)  # the last entry maps code -1
        new[used] = [place[names[i]] for i in used]
        return cls(new[codes], tuple(levels))

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        return f"Factor({len(self)} rows, {len(self.levels)} levels, {self.n_missing} missing)"

    @property
    def n_missing(self) -> int:
        """The number of rows without a name."""
        return int((self.codes < 0).sum())

    def names(self) -> list[str | None]:
        """Return the name of every row, ``None`` if missing."""
        return [None if c < 0 else self.levels[c] for c in self.codes]

    def take(self, rows: NDArray[np.generic]) -> "Factor":
        """Return the chosen rows (indices or a mask), with only the levels that they use."""
        return Factor.coded(self.codes[rows], self.levels)

    def each(self, value: Callable[[str], Any], missing: Any) -> NDArray[Any]:
        """Return ``value(name)`` for every row, and `missing` for rows without a name.

        >>> Factor.of(["b", "a", None]).each(str.upper, "").tolist()
        ['B', 'A', '']
        """
        return np.array([*map(value, self.levels), missing])[self.codes]


def joint_codes(factors: Iterable[Factor], n_rows: int) -> Ints:
    """Return one integer code per row for its combination of names; equal combinations get equal codes.

    >>> joint_codes([Factor.of(["b", "a", "b"]), Factor.of([None, "x", None])], 3)
    array([4, 3, 4])
    """
    code, size = np.zeros(n_rows, dtype=np.int64), 1
    for factor in factors:
        if size > 2**30:  # keeps the product of this size and the next within int64
            distinct, code = np.unique(code, return_inverse=True)
            size = len(distinct)
        code = code * (len(factor.levels) + 1) + factor.codes + 1
        size *= len(factor.levels) + 1
    return code
