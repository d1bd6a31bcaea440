"""Groups of equal rows: what an engine hands back instead of the rows themselves."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from beatpath.evidence import Factor


@dataclass(frozen=True)
class Groups:
    """Distinct rows of some text columns, how many rows each stands for, and their weights.

    Attributes
    ----------
    texts : mapping of column to Factor
        The two agents' columns share their levels.
    n : (g,) int
        Rows of each group.
    weight, square : (g,) float, optional
        Total and total square of the weights.
    lowest : float
        The smallest weight, NaN where one was empty.
    """

    texts: Mapping[str, Factor]
    n: NDArray[np.int64]
    weight: NDArray[np.float64] | None = None
    square: NDArray[np.float64] | None = None
    lowest: float = 0.0
