"""The index of the pair of a battle among the pairs compared directly."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Ints
from beatpath.evidence.pairs import Pairs

MOST_TABULATED = 1 << 26  # most possible pairs with a lookup table of positions, 256 MB


@dataclass(frozen=True, slots=True, eq=False)
class PairIndex:
    """Indices of the pairs compared directly, in sorted order."""

    n: int
    code: Ints
    table: NDArray[np.int32] | None

    @classmethod
    def of(cls, whole: Pairs) -> "PairIndex":
        """Index the pairs of counts, each of which occurs once."""
        n, code = len(whole.agents), whole.a.astype(np.int64) * len(whole.agents) + whole.b
        if n**2 > MOST_TABULATED:
            return cls(n, code, None)
        table = np.full(n**2, -1, dtype=np.int32)
        table[code] = np.arange(len(code))
        return cls(n, code, table)

    def at(self, code: Ints) -> NDArray[np.int32]:
        """Return the indices of pairs from their codes ``a * n + b``, -1 for others.

        >>> pairs = Pairs(("x", "y", "z"), [0, 1], [2, 2], [[1, 0, 0, 0]] * 2)
        >>> PairIndex.of(pairs).at(np.array([2, 1, 5]))
        array([ 0, -1,  1], dtype=int32)
        """
        if self.table is not None:
            return self.table[code]
        index = np.minimum(np.searchsorted(self.code, code), len(self.code) - 1).astype(np.int32)
        return np.where(self.code[index] == code, index, np.int32(-1))
