"""The majority relation behind a tournament solution: who beats whom, rounding set aside."""

import numpy as np
from numpy.typing import NDArray

from beatpath.evidence import Margins
from beatpath.methods.graph.levels import TOLERANCE


def beats(margins: Margins) -> NDArray[np.bool_]:
    r"""Return who beats whom, :math:`a \succ b \iff M_{ab} > 0`.

    Pairs with no margin are tied, and so are pairs that never met: `Margins.played` tells them apart, and
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
    return net_margins(margins) > 0


def net_margins(margins: Margins) -> NDArray[np.float64]:
    """Return the margins with ties at exactly zero.

    Margins that are not whole or half numbers count as zero up to 1e-9 times the largest (or one), as everywhere else:
    sums of real weights do not cancel exactly.

    >>> net_margins(Margins([[0, 1e-16], [-1e-16, 0]], ("ada", "bob")))
    array([[0., 0.],
           [0., 0.]])
    """
    M = margins.matrix
    if (2 * M == np.rint(2 * M)).all():
        return M
    size = np.abs(M)
    return np.where(size > TOLERANCE * max(1.0, float(size.max())), M, 0.0)


def contained(one: NDArray[np.bool_], other: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which rows of `one`, read as sets, lie within which rows of `other`.

    A set lies within another when they have as many members in common as it has: one matrix product, exact in single
    precision up to 16 million columns.

    >>> contained(np.array([[True, False, False]]), np.array([[True, True, False], [False, True, True]]))
    array([[ True, False]])
    """
    common = one.astype(np.float32) @ other.astype(np.float32).T
    return common == one.sum(axis=1, dtype=np.float32)[:, None]
