"""A bound without a solver: circles of three that share no margin must each be broken."""

from time import monotonic

import numpy as np

from beatpath.methods.kemeny.part import Matrix, Order


def circle_packing(margins: Matrix, order: Order, *, deadline: float = np.inf) -> float:
    """Return a number that no order costs less than, from circles of majority packed greedily.

    Every order reverses a win of every circle a > b > c > a. If each circle is given a weight, and the weights through
    a win add up to no more than its margin, then the weights together are a bound. Every circle has a win that `order`
    reverses; the largest of these take first, each through whoever closes the heaviest circle with what is left.

    Parameters
    ----------
    margins : (n, n) float
        Equal to minus its transpose.
    order : (n,) int
        A good order: the fewer wins it reverses the fewer there are to look at.
    deadline : float
        On the clock of `time.monotonic`; what was packed until then is a bound too.

    Examples
    --------
    >>> circle_packing(np.array([[0.0, 3, -1], [-3, 0, 2], [1, -2, 0]]), np.array([0, 1, 2]))
    1.0
    """
    left = np.maximum(margins[np.ix_(order, order)], 0.0)
    incoming = left.T.copy()
    below, above = np.nonzero(np.tril(left))
    bound = 0.0
    for k in np.argsort(-left[below, above], kind="stable").tolist():
        if monotonic() > deadline:
            break
        c, a = below[k], above[k]
        through = np.minimum(left[a], incoming[c])
        while left[c, a] > 0:
            b = int(np.argmax(through))
            weight = min(float(through[b]), float(left[c, a]))
            if weight <= 0:
                break
            for start, end in ((a, b), (b, c), (c, a)):
                left[start, end] -= weight
                incoming[end, start] -= weight
            through[b] -= weight
            bound += weight
    return bound
