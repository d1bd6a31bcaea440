"""The majority relation behind a tournament solution: who beats whom."""

import numpy as np
from numpy.typing import NDArray

from beatpath.evidence import Margins


def beats(margins: Margins) -> NDArray[np.bool_]:
    r"""Return who beats whom, :math:`a \succ b \iff M_{ab} > 0`.

    Pairs with no margin are tied (`beatpath.evidence.ties` says which have none), and so are pairs that never met: `Margins.played` tells them apart, and
    `undetermined_top_cycle` says what hangs on them.

    Returns
    -------
    (n, n) bool
        Row beats column.

    Examples
    --------
    >>> beats(Margins([[0, 0.1, 1e-16], [-0.1, 0, 0], [-1e-16, 0, 0]], ("ada", "bob", "cyd"))).astype(int)
    array([[0, 1, 0],
           [0, 0, 0],
           [0, 0, 0]])
    """
    return margins.matrix > 0


def contained(one: NDArray[np.bool_], other: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which rows of `one`, read as sets, lie within which rows of `other`.

    A set lies within another when they have as many members in common as it has: one matrix product, exact in single
    precision up to 16 million columns.

    >>> contained(np.array([[True, False, False]]), np.array([[True, True, False], [False, True, True]]))
    array([[ True, False]])
    """
    common = one.astype(np.float32) @ other.astype(np.float32).T
    return common == one.sum(axis=1, dtype=np.float32)[:, None]
