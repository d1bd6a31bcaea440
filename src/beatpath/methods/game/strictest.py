"""The mixture under which the largest of many linear gains is as small as can be, then the next, and so on."""

import numpy as np

from beatpath._arrays import Bools, Floats
from beatpath.methods.numeric.linear_program import linear_program

PRICED = 1e-7  # a price above which a row is tight under every best mixture
ROOM = 1e-11  # by which rows that are settled may be exceeded, over the largest gain


def strictest_gains(gain: Floats) -> Floats:
    r"""Return the gains :math:`G p` of which the sorted vector is the smallest, over all probability vectors *p*.

    Compared is the largest gain first, then the next, and so on; the gains themselves are unique, though *p* need not be. For
    a matrix game this is the nucleolus [1]_.

    Parameters
    ----------
    gain : (k, n) float
        What row *i* gains under the pure choice of column *j*.

    Returns
    -------
    (k,) float

    Examples
    --------
    The largest gain is at least 1, at the second column or any mixture with it; the second row is then as small as can be.

    >>> strictest_gains(np.array([[1.0, 1.0], [0.0, -1.0]]))
    array([ 1., -1.])

    Notes
    -----
    Linear programs: each finds the smallest bound on the gains not settled yet, and settles those whose row has a price, for
    these reach the bound under every best mixture. At most *k* programs.

    References
    ----------
    .. [1] J. A. M. Potters and S. H. Tijs, "The nucleolus of a matrix game and other nucleoli", *Mathematics of Operations
           Research* 17 (1992), 164-174.
    """
    largest = float(np.abs(gain).max(initial=0.0))
    if not largest:
        return np.zeros(len(gain))
    gain = gain / largest
    found = np.full(len(gain), np.inf)
    while np.isinf(found).any():
        bound, tight = _smallest_bound(gain, found)
        found[tight] = bound
    return found * largest


def _smallest_bound(gain: Floats, settled: Floats) -> tuple[float, Bools]:
    """The smallest bound on the gains not settled, given those that are, and the rows that reach it whatever the mixture."""
    k, n = gain.shape
    free = np.isinf(settled)
    rows = np.zeros((k + 1, n + 1))
    rows[:k, :n], rows[:k, n], rows[k, :n] = gain, -free.astype(np.float64), 1.0
    high = np.append(np.where(free, 0.0, settled + ROOM), 1.0)
    low = np.append(np.full(k, -np.inf), 1.0)
    cost = np.append(np.zeros(n), 1.0)
    x, price = linear_program(
        cost, rows, low, high, x_low=np.append(np.zeros(n), -1.0), x_high=np.append(np.ones(n), 1.0)
    )
    priced = np.where(free, np.abs(price[:k]), 0.0)
    return float(x[n]), free & (priced >= min(PRICED, float(priced.max())))
