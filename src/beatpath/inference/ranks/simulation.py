r"""Simulated errors of a board's scores, for max-t critical values.

An error common to all scores cancels in differences, so errors are simulated relative to their weighted mean. Their
covariance is estimated with :math:`\nu` degrees of freedom. With few, it shows spurious correlations, which make
critical values too small: of 40 equal agents measured on 6 tasks, all were left unresolved in 45 % of boards instead
of 95 %. So correlations are shrunk toward zero by the shrinkage :math:`\rho` of Chen et al. [1]_,

.. math::  \rho = \min\left(1, \frac{(1 - 2/p) \operatorname{tr} C^2 + p^2}
                                 {(\nu + 1 - 2/p) (\operatorname{tr} C^2 - p)}\right),

for the (p, p) correlation matrix *C*. A known covariance is not shrunk. Degrees of freedom vary by difference; their
harmonic mean is used.

References
----------
.. [1] Y. Chen, A. Wiesel, Y. C. Eldar, A. O. Hero, "Shrinkage algorithms for MMSE covariance estimation",
       *IEEE Transactions on Signal Processing* 58 (2010), 5016-5029.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beatpath._validate import generator
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.ranks.differences import Array, Mask

WIDTH = 512  # draws per block
CELLS = 1 << 16  # errors processed at a time, few enough to stay in the CPU cache
SPREAD = 1e3  # ratio of standard deviations up to which single precision keeps three decimal places
NEGATIVE = 1e-9  # relative size up to which a negative eigenvalue is rounding

Draws = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Simulation:
    """Simulated errors of scores.

    Parameters
    ----------
    errors : (n, draws) float
        Errors of the scores minus that of their weighted mean; 0 for an agent without a usable difference.
    scale : (n, n) float
        One over the standard deviation of each difference in the simulation; 0 where it is not used.
    per_degree : float
        Mean of one over the degrees of freedom of the differences; 0 where the covariance is known.
    mended : bool
        Whether the covariance had a negative part, which was dropped.
    """

    errors: Draws
    scale: Array
    per_degree: float
    mended: bool

    def bound(self) -> Draws:
        """Return an upper bound of the largest statistic of every draw."""
        inverse = (1 / _separable_radii(self.scale)).astype(self.errors.dtype)
        parts = in_parts(self.errors.shape[1], len(inverse))
        return np.concatenate([_largest_bound(self.errors[:, part], inverse) for part in parts])


def in_parts(total: int, agents: int = CELLS // WIDTH) -> Iterator[slice]:
    """Split a number of draws into slices that stay in the CPU cache, wider ones for few agents.

    >>> list(in_parts(700)), list(in_parts(700, agents=10))
    ([slice(0, 512, None), slice(512, 700, None)], [slice(0, 700, None)])
    """
    width = max(WIDTH, CELLS // max(agents, 1))
    return (slice(start, min(start + width, total)) for start in range(0, total, width))


def simulate(board: Leaderboard, used: Mask, draws: int, seed: int) -> Simulation:
    """Simulate errors of a board's scores from a Gaussian with its covariance.

    The data decide the order in which agents are simulated, so neither names nor input order matter. Single precision
    suffices unless two agents have errors so nearly equal that their difference is lost in it.
    """
    live = in_order_of_data(board, np.asarray(used.any(axis=1)))
    some = np.ix_(live, live)
    nearest = np.where(used, board.variance_of_differences, np.inf)[live].min(axis=1, initial=np.inf)
    weight = (1 / nearest) / max((1 / nearest).sum(), np.finfo(float).tiny)
    centre = np.eye(len(live)) - weight
    per_degree = float((1 / board.df[used]).mean()) if len(live) else 0.0
    root, mended = shrunk_root(centre @ _zero_where_unknown(board.covariance[some]) @ centre.T, per_degree)
    length = (root**2).sum(axis=1)
    variance = length[:, None] + length[None, :] - 2 * root @ root.T
    scale = np.zeros(used.shape)
    scale[some] = np.where(used[some], 1 / np.sqrt(np.where(variance > 0, variance, np.inf)), 0.0)
    near = np.sqrt(length.max(initial=0.0)) * scale.max(initial=0.0) < SPREAD
    kind = np.dtype(np.float32 if near else np.float64)
    errors = np.zeros((len(used), draws), dtype=kind)
    root = root.astype(kind)
    for part, normal in zip(in_parts(draws), normals(len(live), draws, kind, seed), strict=True):
        errors[live, part] = root @ normal
    return Simulation(errors, scale, per_degree, mended)


def score_maxima(board: Leaderboard, draws: int, seed: int) -> Draws:
    """Return the largest standardized error of a score in every draw."""
    live = in_order_of_data(board, np.isfinite(board.score) & (np.diag(board.covariance) > 0))
    per_degree = float((1 / np.diag(board.df)[live]).mean()) if len(live) else 0.0
    root, _ = shrunk_root(_zero_where_unknown(board.covariance[np.ix_(live, live)]), per_degree)
    unit = (root / np.sqrt((root**2).sum(axis=1, keepdims=True))).astype(np.float32)
    noise = normals(len(live), draws, unit.dtype, seed)
    return np.concatenate([np.abs(unit @ normal).max(axis=0, initial=0.0) for normal in noise])


def normals(n: int, draws: int, kind: np.dtype[Any], seed: int) -> Iterator[Draws]:
    """Yield standard normal numbers, (n, draws) in blocks; boards with equally many agents have the same ones.

    >>> [part.shape for part in normals(3, 700, np.dtype(np.float32), 0)]
    [(3, 512), (3, 188)]
    """
    rng = generator(seed)
    return (rng.standard_normal((n, part.stop - part.start), dtype=kind) for part in in_parts(draws))


def in_order_of_data(board: Leaderboard, mask: Mask) -> NDArray[np.int64]:
    """Return the agents of a mask sorted by score and variance, so that renaming agents changes nothing.

    Digits that depend on the order of sums are rounded off; names decide between agents equal in both.
    """
    score, variance = board.score.round(9), np.diag(board.covariance)
    unit = np.nanmax(variance, initial=1e-300)
    key = [(score[i], round(float(variance[i] / unit), 6), board.agents[i]) for i in range(len(score))]
    return np.array(sorted(np.flatnonzero(mask), key=lambda i: key[i]), dtype=np.int64)


def _zero_where_unknown(V: Array) -> Array:
    return np.nan_to_num(V, nan=0.0, posinf=0.0, neginf=0.0)


def shrunk_root(V: Array, per_degree: float) -> tuple[Array, bool]:
    """Return the symmetric root of the shrunk, scaled covariance, and whether a negative part was dropped."""
    size = np.abs(V).max(initial=0.0)
    value, vector = np.linalg.eigh(V / size if size > 0 else V)
    mended = bool(value.min(initial=0.0) < -NEGATIVE * value.max(initial=0.0))
    positive = (vector * np.maximum(value, 0.0)) @ vector.T
    if per_degree > 0:
        value, vector = np.linalg.eigh(shrunk(positive, per_degree))
    return (vector * np.sqrt(np.maximum(value, 0.0))) @ vector.T, mended


def shrunk(V: Array, per_degree: float) -> Array:
    r"""Return a covariance with correlations shrunk toward zero, variances unchanged [1]_.

    Parameters
    ----------
    V : (p, p) float
        Estimated covariance, positive.
    per_degree : float
        One over its degrees of freedom.

    Examples
    --------
    Here the trace is :math:`3 + 6 / 4`. With four degrees of freedom :math:`\rho = (4.5 / 3 + 9) / (1.5 \cdot 13 / 3)`
    is more than one, so nothing is left; with forty it is 0.174.

    >>> V = np.full((3, 3), 0.5) + 0.5 * np.eye(3)
    >>> shrunk(V, 1 / 4)[0], shrunk(V, 1 / 40)[0].round(3)
    (array([1., 0., 0.]), array([1.   , 0.413, 0.413]))
    """
    p, variance = len(V), np.diag(V)
    product = np.sqrt(variance[:, None] * variance[None, :])
    square = float((np.divide(V, product, out=np.zeros_like(V), where=product > 0) ** 2).sum())
    above = (1 - 2 / p) * square + p**2
    below = (1 / per_degree + 1 - 2 / p) * (square - p)
    share = max(0.0, 1 - above / below) if below > 0 else 0.0
    result = share * V
    np.fill_diagonal(result, variance)
    return result


def _separable_radii(scale: Array, rounds: int = 20) -> Array:
    r"""Return :math:`r` with :math:`r_a + r_c \le \operatorname{sd}(Z_a - Z_c)`, enlarged over a few rounds.

    For any positive weights :math:`q`, the numbers :math:`q_a \min_c \operatorname{sd}_{ac} / (q_a + q_c)` satisfy it.
    Each solution is the weight of the next round and never shrinks.

    >>> _separable_radii(np.array([[0, 0.5, 0.25], [0.5, 0, 0.25], [0.25, 0.25, 0]])).round(3)
    array([1., 1., 3.])
    """
    widest = 1 / scale[scale > 0].min(initial=1.0)
    sd = np.where(scale > 0, 1 / np.where(scale > 0, scale, 1.0), 1e3 * widest)
    r = sd.min(axis=1, initial=np.inf) / 2
    for _ in range(rounds):
        r = r * (sd / (r[:, None] + r[None, :])).min(axis=1)
    return np.asarray(r * (1 - 1e-5))  # keeps the bound valid under rounding


def _largest_bound(errors: Draws, inverse: Draws) -> Draws:
    """Return the largest :math:`|Z_a - m| / r_a` of every draw, with *m* balanced between the two extreme agents."""
    errors = np.ascontiguousarray(errors.T)  # one draw per row, for fast maxima along rows
    out, draw = np.empty_like(errors), np.arange(len(errors))
    np.multiply(errors, inverse, out=out)
    for _ in range(2):
        a, c = out.argmax(axis=1), out.argmin(axis=1)
        m = (inverse[a] * errors[draw, a] + inverse[c] * errors[draw, c]) / (inverse[a] + inverse[c])
        np.multiply(np.subtract(errors, m[:, None], out=out), inverse, out=out)
    return np.asarray(np.abs(out, out=out).max(axis=1))
