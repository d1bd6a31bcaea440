r"""Soft reachability: how surely a chain of majorities leads from one agent to another.

Three forms share the name. The definition is *max-min*, the strength of the strongest path, and its *smooth* form, eqs.
(7)-(10) of Soft Tournament Equilibrium. *Noisy-or* counts paths as if they were independent events; it gives the matrix
printed in that paper's Appendix H.1, and lets many weak paths add up to a strong one, which its section 4.3.1 warns of.
"""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import ArrayLike

from beatpath._arrays import Floats
from beatpath._errors import UsageError
from beatpath._text import quoted
from beatpath._validate import require_choice
from beatpath.methods.graph.paths import widest_walks
from beatpath.methods.soft_core.soft_extremum import require_temperature, required_gamma, softmax

Product = Callable[[Floats, Floats], Floats]

REACH = {
    "max-min": "the strength of the strongest path, a path being as strong as its weakest edge",
    "smooth": "the same with soft minima and maxima, eqs. (7)-(10) of Soft Tournament Equilibrium",
    "noisy-or": "the chance that some path exists if paths were independent, as in its Appendix H.1",
}
WIDE = 600.0  # largest exponent kept away from overflow


def reachability(
    D: ArrayLike, *, reach: str = "max-min", gamma: float | None = None, max_length: int | None = None
) -> Floats:
    r"""Return how strongly each agent reaches each other along edges of strength `D`.

    Parameters
    ----------
    D : (n, n) float
        Strength of the edge from row to column, in [0, 1], with a diagonal of zeros.
    reach : {"max-min", "smooth", "noisy-or"}
        The form.
    gamma : float, optional
        Temperature of "smooth", above zero.
    max_length : int, optional
        Edges a path may have, K; n - 1 by default, which misses none.

    Returns
    -------
    (n, n) float
        In [0, 1], with a diagonal of zeros.

    Examples
    --------
    >>> D = np.array([[0.0, 0.9, 0.1], [0.1, 0.0, 0.8], [0.9, 0.2, 0.0]])
    >>> reachability(D)
    array([[0. , 0.9, 0.8],
           [0.8, 0. , 0.8],
           [0.9, 0.9, 0. ]])
    >>> reachability(D, reach="noisy-or").round(3)
    array([[0.   , 0.902, 0.748],
           [0.748, 0.   , 0.802],
           [0.902, 0.848, 0.   ]])

    Notes
    -----
    Max-min costs one pass, :math:`O(n^3)`, for all lengths. The other two need a product a length, :math:`O(K n^3)`, and
    stop early when a length repeats the one before. Being normalised, a smooth product may lie :math:`\gamma \log n` below the
    hard one, at every length anew: long paths fade, and with many lengths so does their soft maximum.
    """
    require_reach(reach, max_length)
    D = np.asarray(D, dtype=np.float64)
    longest = max(1, min(max_length or len(D), len(D) - 1))
    if reach == "max-min":
        return widest_walks(D, longest)
    if reach == "smooth":
        return smooth_reachability(D, required_gamma(gamma), longest)
    return noisy_or_reachability(D, longest)


def smooth_reachability(D: Floats, gamma: float, max_length: int) -> Floats:
    r"""Return the soft maximum over path lengths up to K of smooth max-min products.

    .. math::  R(a, b) = \operatorname{smax}_\gamma \{ Q^{(k)}(a, b) : k \le K \}, \qquad Q^{(1)} = D, \quad
               Q^{(k)} = Q^{(k-1)} \otimes_\gamma D,

    eqs. (9) and (10) of Soft Tournament Equilibrium.

    >>> smooth_reachability(np.array([[0.0, 1.0], [0.0, 0.0]]), 0.1, 1)
    array([[0., 1.],
           [0., 0.]])
    """
    require_temperature("gamma", gamma)
    total, top = np.zeros_like(D), np.zeros_like(D)
    for Q, times in _walk_powers(D, max_length, lambda X, Y: smooth_product(X, Y, gamma)):
        higher = np.maximum(top, Q)
        total = total * np.exp((top - higher) / gamma) + times * np.exp((Q - higher) / gamma)
        top = higher
    R: Floats = top + gamma * np.log(total / max_length)
    return _hollow(R)


def smooth_product(X: Floats, Y: Floats, gamma: float) -> Floats:
    r"""Return the smooth max-min product.

    .. math::  (X \otimes_\gamma Y)_{ab} = \operatorname{smax}_\gamma \{ \operatorname{smin}_\gamma(X_{ac}, Y_{cb}) : c \}
               = \gamma \log \frac1n \sum_c \frac{2}{e^{-X_{ac}/\gamma} + e^{-Y_{cb}/\gamma}},

    eq. (7) of Soft Tournament Equilibrium, for entries in [0, 1]. In the second form the logarithms and exponentials of the
    two soft extrema cancel, so that a product needs a division for every c, and :math:`n^2` exponentials.

    >>> smooth_product(np.array([[0.2, 0.9]]), np.array([[0.7], [0.8]]), 0.001).round(3)
    array([[0.8]])
    """
    if 1 / gamma > WIDE:
        return np.stack([softmax(_soft_weaker(row[:, None], Y, gamma), gamma, axis=0) for row in X])
    left, right = np.exp(-X / gamma), np.exp(-Y / gamma)
    mean = np.stack([(2 / (row[:, None] + right)).mean(axis=0) for row in left])
    out: Floats = gamma * np.log(mean)
    return out


def noisy_or_reachability(D: Floats, max_length: int) -> Floats:
    r"""Return the chance that some path of at most K edges exists, were they independent.

    .. math::  R = 1 - \prod_{k \le K} (1 - Q^{(k)}), \qquad Q^{(1)} = D, \quad
               Q^{(k)}_{ab} = 1 - \prod_c (1 - Q^{(k-1)}_{ac} D_{cb})

    >>> noisy_or_reachability(np.array([[0.0, 0.5], [0.5, 0.0]]), 3)[0].tolist()  # 1 - (1 - 0.5) (1 - 0.5^3)
    [0.0, 0.5625]
    """
    none = np.ones_like(D)
    for Q, times in _walk_powers(D, max_length, noisy_or_product):
        none *= (1 - Q) ** times
    return _hollow(1 - none)


def noisy_or_product(X: Floats, Y: Floats) -> Floats:
    r"""Return :math:`1 - \prod_c (1 - X_{ac} Y_{cb})`, every agent between being one more chance.

    >>> noisy_or_product(np.array([[0.5, 0.5]]), np.array([[1.0], [0.5]]))
    array([[0.625]])
    """
    none = np.ones((len(X), Y.shape[1]))
    for c in range(len(Y)):
        none *= 1 - X[:, c, None] * Y[c]
    return 1 - none


def require_reach(reach: str, max_length: int | None) -> None:
    """Refuse a form that does not exist and a length below one.

    >>> require_reach("maxmin", None)
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `reach` must be one of max-min, smooth, noisy-or; got 'maxmin'. Did you mean 'max-min'?
    """
    require_choice("reach", reach, REACH)
    whole = isinstance(max_length, int | np.integer) and not isinstance(max_length, bool)
    if max_length is not None and not (whole and max_length >= 1):
        raise UsageError(
            f"`max_length` must be a whole number of edges, 1 or more, or None for all lengths; got {quoted(max_length)}."
        )


def _walk_powers(D: Floats, max_length: int, product: Product) -> Iterator[tuple[Floats, int]]:
    """The products of every length and how often each counts: once, or for all lengths left when it repeats itself."""
    Q = D
    for k in range(1, max_length):
        new = product(Q, D)
        if np.array_equal(new, Q):
            yield Q, max_length - k + 1
            return
        yield Q, 1
        Q = new
    yield Q, 1


def _soft_weaker(x: Floats, y: Floats, gamma: float) -> Floats:
    """The soft minimum of two, without overflow at any temperature."""
    weaker: Floats = np.minimum(x, y) + gamma * (np.log(2) - np.log1p(np.exp(-np.abs(x - y) / gamma)))
    return weaker


def _hollow(R: Floats) -> Floats:
    np.fill_diagonal(R, 0.0)
    return R
