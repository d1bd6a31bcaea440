"""A column of names, kept as small codes: tasks, prompts, judges, files."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import lt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from beatpath._errors import DataError
from beatpath._text import listed
from beatpath.evidence.arrays import read_only


@dataclass(frozen=True, slots=True, eq=False)
class Factor:
    """Codes, one a row, and the names they stand for; code -1 is a missing name.

    The names are distinct and in sorted order, so that a factor does not depend on the order of the rows.

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
        """Build a factor from names; ``None`` is missing, anything else is taken as text."""
        texts = [None if name is None else str(name) for name in names]
        levels = sorted({text for text in texts if text is not None})
        code: dict[str | None, int] = {name: i for i, name in enumerate(levels)}
        code[None] = -1
        return cls(np.fromiter((code[t] for t in texts), np.int32, len(texts)), tuple(levels))

    @classmethod
    def coded(cls, codes: ArrayLike, names: Sequence[str]) -> "Factor":
        """Build a factor from codes into names in any order; unused names are left out and equal ones merged.

        >>> Factor.coded([2, 0, -1], ["z", "y", "a"]).levels
        ('a', 'z')
        """
        codes = np.asarray(codes, dtype=np.int64)
        used = np.flatnonzero(np.bincount(codes + 1, minlength=1)[1:]).tolist()
        levels = sorted({names[i] for i in used})
        place = {name: i for i, name in enumerate(levels)}
        new = np.full(len(names) + 1, -1, dtype=np.int32)  # the last entry serves code -1
        new[used] = [place[names[i]] for i in used]
        return cls(new[codes], tuple(levels))

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        return f"Factor({len(self)} rows, {len(self.levels)} levels, {self.n_missing} missing)"

    @property
    def n_missing(self) -> int:
        """How many rows have no name."""
        return int((self.codes < 0).sum())

    def names(self) -> list[str | None]:
        """Return the name of every row, ``None`` where it is missing."""
        return [None if c < 0 else self.levels[c] for c in self.codes]

    def take(self, rows: NDArray[np.generic]) -> "Factor":
        """Return the chosen rows (indices or a mask), with the levels that remain."""
        return Factor.coded(self.codes[rows], self.levels)
