r"""Linear systems in the weighted Laplacian of the graph of pairs: the information matrix of paired comparisons.

With weights :math:`h_{ab} \ge 0` on the pairs, :math:`L x = \sum_{ab} h_{ab} (x_a - x_b)(e_a - e_b) + r \circ x`. Without
the diagonal :math:`r` all rows add up to zero: strengths are known up to a constant, and solutions have mean zero.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError
from scipy.linalg.lapack import dpotrf, dpotrs
from scipy.sparse import csr_array

from beatpath._arrays import Floats

Solver = Callable[[Floats, float], Floats]
STEPS, WORK = 300, 500_000_000  # least steps of conjugate gradients, and agents times steps at most
DENSE = 100  # agents up to which the matrix is factored; above, threads of the factorisation cost more than they bring


@dataclass(frozen=True, slots=True, eq=False)
class Laplacian:
    """A weighted graph of pairs ``a < b``, sorted, each at most once, and a diagonal to add.

    Parameters
    ----------
    n_agents : int
    a, b : (m,) int
    weight : (m,) float
    ridge : (n,) float
    start : (n + 1,) int, optional
        Where the pairs of each *a* begin, for those who have it already.

    Examples
    --------
    >>> path = Laplacian(3, np.array([0, 1]), np.array([1, 2]), np.array([2.0, 2.0]), np.zeros(3))
    >>> path.solver()(np.array([2.0, 0.0, -2.0]), 1e-9).round(9)
    array([ 1.,  0., -1.])
    """

    n_agents: int
    a: NDArray[np.int32]
    b: NDArray[np.int32]
    weight: Floats
    ridge: Floats
    start: NDArray[np.int32] | None = None
    diagonal: Floats = field(init=False)

    def __post_init__(self) -> None:
        diagonal = incident(self.n_agents, self.a, self.b, self.weight, self.weight) + self.ridge
        object.__setattr__(self, "diagonal", diagonal)

    def matrix(self) -> Floats:
        """Return the matrix written out."""
        full = np.zeros((self.n_agents,) * 2)
        full[self.a, self.b] = full[self.b, self.a] = -self.weight
        np.fill_diagonal(full, self.diagonal)
        return full

    def solver(self) -> Solver:
        """Return a function of a right-hand side and a relative accuracy, which few agents do not need."""
        return _solver(self._above, self._times, self.diagonal, loose=not self.ridge.any())

    def _above(self) -> Floats:
        """The weights above the diagonal of a table of all pairs."""
        table = np.zeros((self.n_agents,) * 2)
        table[self.a, self.b] = self.weight
        return table

    def _times(self) -> Callable[[Floats], Floats]:
        """The product with a vector, by sparse products."""
        start = first_pairs(self.n_agents, self.a) if self.start is None else self.start
        above = csr_array((self.weight, self.b, start), shape=(self.n_agents,) * 2)
        below = above.T
        return lambda x: self.diagonal * x - above @ x - below @ x


@dataclass(frozen=True, slots=True, eq=False)
class LaplacianTable:
    """The same with the weights of all pairs in a table.

    Parameters
    ----------
    weight : (n, n) float
        Symmetric, zero on the diagonal.
    ridge : (n,) float

    Examples
    --------
    >>> path = LaplacianTable(np.array([[0.0, 2.0, 0.0], [2.0, 0.0, 2.0], [0.0, 2.0, 0.0]]), np.zeros(3))
    >>> path.solver()(np.array([2.0, 0.0, -2.0]), 1e-9).round(9)
    array([ 1.,  0., -1.])
    """

    weight: Floats
    ridge: Floats
    diagonal: Floats = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "diagonal", row_sums(self.weight) + self.ridge)

    def solver(self) -> Solver:
        """Return a function of a right-hand side and a relative accuracy, which few agents do not need."""
        return _solver(lambda: self.weight, self._times, self.diagonal, loose=not self.ridge.any())

    def _times(self) -> Callable[[Floats], Floats]:
        """The product with a vector, on one thread."""
        return lambda x: self.diagonal * x - np.einsum("ij,j", self.weight, x)


def _solver(
    above: Callable[[], Floats], times: Callable[[], Callable[[Floats], Floats]], diagonal: Floats, *, loose: bool
) -> Solver:
    """Factors for few agents, conjugate gradients for more; a `loose` system knows solutions up to a constant.

    `above` makes a table whose entries above the diagonal are the weights, `times` the product of the matrix with a vector.
    """
    if len(diagonal) <= DENSE:
        try:
            return _factored(above(), diagonal, loose)
        except LinAlgError:  # weights too far apart to factor
            pass
    return _iterated(times(), diagonal, loose)


def _factored(above: Floats, diagonal: Floats, loose: bool) -> Solver:
    """Cholesky; a constant added to every entry fills the direction that strengths do not know."""
    constant = float(diagonal.mean()) / len(diagonal) if loose else 0.0
    lower = constant - above  # the lower triangle in the order of Fortran is the upper one here
    lower.reshape(-1)[:: len(diagonal) + 1] += diagonal
    factor, failed = dpotrf(lower.T, lower=True, overwrite_a=True)
    if failed:
        raise LinAlgError("weights too far apart to factor")
    return lambda rhs, accuracy: dpotrs(factor, rhs, lower=True)[0]


def _iterated(times: Callable[[Floats], Floats], diagonal: Floats, loose: bool) -> Solver:
    """Conjugate gradients on products, preconditioned by the diagonal."""

    def solve(rhs: Floats, accuracy: float) -> Floats:
        if not loose:
            return conjugate_gradients(times, rhs, diagonal, accuracy)
        x = conjugate_gradients(times, rhs - rhs.mean(), diagonal, accuracy)  # what rounding adds has no solution
        return x - x.mean()

    return solve


def first_pairs(n_agents: int, a: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return where the pairs of each *a* begin, and the end.

    >>> first_pairs(3, np.array([0, 0, 1]))
    array([0, 2, 3, 3], dtype=int32)
    """
    return np.searchsorted(a, np.arange(n_agents + 1, dtype=a.dtype)).astype(np.int32)


def incident(n_agents: int, a: NDArray[np.int32], b: NDArray[np.int32], at_a: Floats, at_b: Floats) -> Floats:
    """Add up, for every agent, what the pairs hold at either end.

    >>> incident(3, np.array([0, 0]), np.array([1, 2]), np.array([1.0, 2.0]), np.array([10.0, 20.0]))
    array([ 3., 10., 20.])
    """
    return (np.bincount(a, at_a, n_agents) + np.bincount(b, at_b, n_agents)).astype(np.float64, copy=False)


def conjugate_gradients(times: Callable[[Floats], Floats], rhs: Floats, diagonal: Floats, accuracy: float) -> Floats:
    """Solve a positive semidefinite system whose right-hand side lies in its range, as far as `WORK` allows.

    Parameters
    ----------
    times : function
        The product of the matrix with a vector.
    rhs, diagonal : (p,) float
        The right-hand side and the diagonal that preconditions.
    accuracy : float
        The preconditioned residual to reach, relative to that of zero.
    """
    inverse = np.divide(1.0, diagonal, out=np.zeros_like(diagonal), where=diagonal > 0)
    x, residual = np.zeros_like(rhs), rhs
    scaled = inverse * residual
    direction, size = scaled, inner(residual, scaled)
    goal = accuracy**2 * size
    for _ in range(min(5 * len(rhs) + 100, max(STEPS, WORK // max(len(rhs), 1)))):
        if size <= goal:
            break
        image = times(direction)
        bend = inner(direction, image)
        if not bend > 0:  # rounding, or numbers too large to go on
            break
        x = x + (size / bend) * direction
        residual = residual - (size / bend) * image
        scaled = inverse * residual
        previous, size = size, inner(residual, scaled)
        direction = scaled + (size / previous) * direction
    return x


def inner(x: Floats, y: Floats) -> float:
    """Return the sum of the products, on one thread: at these sizes those of BLAS cost more than they bring.

    >>> inner(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    return float(np.einsum("i,i", x, y))


def row_sums(table: Floats) -> Floats:
    """Return the sum of every row, the quickest way for rows of a few hundred.

    >>> row_sums(np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([3., 7.])
    """
    return np.einsum("ij->i", table)
