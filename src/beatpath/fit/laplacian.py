r"""The weighted Laplacian of the comparison graph, the information matrix of paired comparisons, and its systems.

With weights :math:`h_{ab} \ge 0` on the pairs, :math:`L x = \sum_{ab} h_{ab} (x_a - x_b)(e_a - e_b) + r \circ x`.
Without the diagonal :math:`r` all rows sum to zero: strengths are identified up to a constant in every connected
component of the graph, and solutions have mean zero there.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve, cho_solve_banded, cholesky_banded
from scipy.linalg.lapack import dpotrf, dpotrs
from scipy.sparse import csr_array

from beatpath._arrays import Floats, Ints
from beatpath._errors import DataError

# Agent codes; a solver, from a right-hand side and a relative accuracy; a matrix-vector product.
Codes = NDArray[np.integer]
Solver = Callable[[Floats, float], Floats]
Product = Callable[[Floats], Floats]
STEPS, WORK = 300, 500_000_000  # least steps of conjugate gradients, and most agents times steps: about ten seconds
# most agents for which the matrix is factored; above, threads of the factorization cost more than they save
DENSE = 100


# The matrix


def laplacian_matrix(n_agents: int, a: Codes, b: Codes, weight: Floats, ridge: Floats | float = 0.0) -> Floats:
    """Return the dense matrix, (..., n, n), for weights (..., m) of pairs that may occur several times.

    >>> laplacian_matrix(3, np.array([0, 1]), np.array([1, 2]), np.array([2.0, 1.0]))
    array([[ 2., -2.,  0.],
           [-2.,  3., -1.],
           [ 0., -1.,  1.]])
    """
    code = a.astype(np.int64) * n_agents + b
    batch = int(np.prod(weight.shape[:-1]))
    if batch > 1:
        code = (np.arange(batch)[:, None] * n_agents**2 + code).ravel()
    table = np.bincount(code, weight.ravel(), batch * n_agents**2).astype(np.float64, copy=False)
    return laplacian_of_table(table.reshape(*weight.shape[:-1], n_agents, n_agents), ridge)


def laplacian_of_table(table: Floats, ridge: Floats | float = 0.0) -> Floats:
    """Return the matrix for weights in a table (..., n, n) with each pair once, on either side of an empty diagonal."""
    full = 0.0 - table - table.swapaxes(-1, -2)  # avoids negative zeros
    at = np.arange(table.shape[-1])
    full[..., at, at] = ridge - full.sum(axis=-1)
    return full


def centered_inverse(information: Floats, part: Ints | None = None) -> Floats:
    r"""Return the covariance of strengths with mean zero from their (n, n) information, singular or not.

    The inverse is :math:`(L + c Z Z^\top)^{-1}` minus its means, with *Z* the indicators of the connected components,
    which do not affect each other.

    Parameters
    ----------
    information : (n, n) float
        The information matrix.
    part : (n,) int, optional
        Component of every agent; by default all are in one.

    Examples
    --------
    >>> centered_inverse(np.array([[1.0, -1.0], [-1.0, 1.0]]))
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """
    n = len(information)
    part = np.zeros(n, dtype=np.int64) if part is None else part
    same = part[:, None] == part[None, :]
    lifted = information + max(float(information.diagonal().mean()), 1e-300) / n * same
    inverse = centered(centered(solved(lifted, np.eye(n)), part).T, part)  # both sides: with a prior they differ
    return np.where(same, (inverse + inverse.T) / 2, 0.0)


def solved(matrix: Floats, right: Floats) -> Floats:
    """Solve a positive definite system; weights lost to rounding are replaced by tiny ones."""
    try:
        x: Floats = cho_solve(cho_factor(matrix, lower=True), right)
    except LinAlgError:
        trace = 1e-8 * np.diag(matrix).max() * np.eye(len(matrix))
        x = cho_solve(cho_factor(matrix + trace, lower=True), right)
    return x


def centered(x: Floats, part: Ints | None = None) -> Floats:
    """Return values (n,) or (n, k) minus their means over every component.

    >>> centered(np.array([1.0, 3.0, 5.0]), np.array([0, 0, 1]))
    array([-1.,  1.,  0.])
    """
    if part is None:
        return x - x.mean(axis=0)
    size = np.bincount(part)
    if len(size) == 1:
        return x - x.mean(axis=0)
    if x.ndim == 1:
        return x - (np.bincount(part, x) / size)[part]
    indicators = csr_array((np.ones(len(part)), (part, np.arange(len(part)))))
    return x - ((indicators @ x) / size[:, None])[part]


def across(matrix: Floats, a: Codes, b: Codes) -> Floats:
    """Return :math:`(e_a - e_b)^T M (e_a - e_b)` for every pair.

    It is the variance of the pair's difference if M is a covariance.
    """
    own = np.diag(matrix)
    return own[a] + own[b] - matrix[a, b] - matrix[b, a]


def incident(n_agents: int, a: Codes, b: Codes, at_a: Floats, at_b: Floats) -> Floats:
    """Sum, for every agent, the values of its pairs at its end.

    >>> incident(3, np.array([0, 0]), np.array([1, 2]), np.array([1.0, 2.0]), np.array([10.0, 20.0]))
    array([ 3., 10., 20.])
    """
    return (np.bincount(a, at_a, n_agents) + np.bincount(b, at_b, n_agents)).astype(np.float64, copy=False)


def incidence(n_agents: int, a: Codes, b: Codes) -> csr_array:
    """Return the sparse (m, n) matrix with the rows :math:`e_a - e_b`."""
    columns = np.stack([a, b], axis=1).ravel()
    return csr_array((np.tile([1.0, -1.0], len(a)), columns, 2 * np.arange(len(a) + 1)), shape=(len(a), n_agents))


# Systems


@dataclass(frozen=True, slots=True, eq=False)
class Laplacian:
    """A weighted graph of pairs, each at most once, and a diagonal to add.

    Parameters
    ----------
    n_agents : int
        Number of agents.
    a, b : (m,) int
        The pairs.
    weight : (m,) float
        Weight of each pair.
    ridge : (n,) float, optional
        The diagonal; default zero.
    part : (n,) int, optional
        Connected component of every agent, if there may be several.
    start : (n + 1,) int, optional
        Offset of the pairs of each *a*, if they are sorted: see `first_pairs`.
    chained : bool
        Whether pairs ``(k, k + 1)`` outweigh all others, as the points of a curve do; they are then the
        preconditioner.
    most_steps : int, optional
        Limit on conjugate-gradient steps; more raise an error.

    Examples
    --------
    >>> path = Laplacian(3, np.array([0, 1]), np.array([1, 2]), np.array([2.0, 2.0]))
    >>> path.solver()(np.array([2.0, 0.0, -2.0]), 1e-9).round(9)
    array([ 1.,  0., -1.])
    """

    n_agents: int
    a: Codes
    b: Codes
    weight: Floats
    ridge: Floats | None = None
    part: Ints | None = None
    start: NDArray[np.int32] | None = None
    chained: bool = False
    most_steps: int | None = None
    diagonal: Floats = field(init=False)

    def __post_init__(self) -> None:
        diagonal = incident(self.n_agents, self.a, self.b, self.weight, self.weight)
        object.__setattr__(self, "diagonal", diagonal if self.ridge is None else diagonal + self.ridge)

    def matrix(self) -> Floats:
        """Return the dense matrix."""
        return laplacian_matrix(self.n_agents, self.a, self.b, self.weight, 0.0 if self.ridge is None else self.ridge)

    def sparse(self) -> csr_array:
        """Return the sparse matrix."""
        each, w = np.arange(self.n_agents), self.weight
        at = (np.concatenate([self.a, self.b, each]), np.concatenate([self.b, self.a, each]))
        return csr_array((np.concatenate([-w, -w, self.diagonal]), at), shape=(self.n_agents,) * 2)

    def solver(self) -> Solver:
        """Return a function of a right-hand side, (n,) or (n, k), and a relative accuracy.

        For few agents it factors the matrix, which ignores the accuracy; for more it uses conjugate gradients.
        """
        if self.n_agents <= DENSE:
            try:
                table = np.zeros((self.n_agents,) * 2)
                table[np.minimum(self.a, self.b), np.maximum(self.a, self.b)] = self.weight
                if self._loose and self.part is not None:
                    apart = self.part[:, None] != self.part[None, :]
                    table[apart] = lift_of(self.diagonal)  # which `factored` removes again
                return factored(table, self.diagonal, self._loose)
            except LinAlgError:  # weights too far apart to factor
                pass
        return self.iterative_solver()

    def iterative_solver(self) -> Solver:
        """Like `solver`, by conjugate gradients with sparse products for any number of agents."""
        times, precondition = self._times(), self._precondition()

        def solve(right: Floats, accuracy: float) -> Floats:
            # rounding errors outside the range have no solution
            right = centered(right, self.part) if self._loose else right
            x, settled = conjugate_gradients(times, right, precondition, accuracy, self.most_steps)
            if not settled and self.most_steps is not None and self.n_agents > self.most_steps:
                raise _unsettled(self.n_agents, self.most_steps)
            return centered(x, self.part) if self._loose else x

        return solve

    @property
    def _loose(self) -> bool:
        """Whether solutions are identified only up to a constant."""
        return self.ridge is None or not self.ridge.any()

    def _times(self) -> Product:
        """The product with one vector or several, by sparse products."""
        places = (self.weight, (self.a, self.b)) if self.start is None else (self.weight, self.b, self.start)
        above = csr_array(places, shape=(self.n_agents,) * 2)
        below, diagonal = above.T, self.diagonal
        return lambda x: (diagonal * x.T).T - above @ x - below @ x

    def _precondition(self) -> Product:
        """The preconditioner: inverse of the diagonal, or of the tridiagonal part."""
        if self.chained:
            next_ = np.flatnonzero(self.b == self.a + 1)
            beside = np.zeros(self.n_agents)
            beside[self.b[next_]] = -self.weight[next_]
            factor = cholesky_banded(np.stack([beside, self.diagonal]), check_finite=False)
            return lambda x: cho_solve_banded((factor, False), x, check_finite=False)
        return by_diagonal(self.diagonal)


def first_pairs(n_agents: int, a: Codes) -> NDArray[np.int32]:
    """Return the offset of the pairs of each *a*, in sorted order, and the total.

    >>> first_pairs(3, np.array([0, 0, 1]))
    array([0, 2, 3, 3], dtype=int32)
    """
    return np.searchsorted(a, np.arange(n_agents + 1, dtype=a.dtype)).astype(np.int32)


def lift_of(diagonal: Floats) -> float:
    """Return the constant added in the direction that differences do not identify."""
    return float(diagonal.mean()) / len(diagonal)


def factored(above: Floats, diagonal: Floats, loose: bool) -> Solver:
    """Return a solver by Cholesky factorization of a table with the weights above its diagonal.

    Raises
    ------
    LinAlgError
        If weights are too far apart to factor.
    """
    lower = (lift_of(diagonal) if loose else 0.0) - above  # the lower triangle in Fortran order is the upper one here
    lower.reshape(-1)[:: len(diagonal) + 1] += diagonal
    factor, failed = dpotrf(lower.T, lower=True, overwrite_a=True)
    if failed:
        raise LinAlgError("weights too far apart to factor")
    return lambda right, accuracy: dpotrs(factor, right, lower=True)[0]


def by_diagonal(diagonal: Floats) -> Product:
    """Return the product with the inverse of a diagonal, zero for zero entries."""
    inverse = np.divide(1.0, diagonal, out=np.zeros_like(diagonal), where=diagonal > np.finfo(np.float64).tiny)
    return lambda x: (inverse * x.T).T


def conjugate_gradients(
    times: Product, right: Floats, precondition: Product, accuracy: float, most: int | None = None
) -> tuple[Floats, bool]:
    """Solve positive semidefinite systems with right-hand sides in their range, and return whether they converged.

    Parameters
    ----------
    times, precondition : function
        Products of the matrix, and of an approximate inverse, with vectors.
    right : (p,) or (p, k) float
        Right-hand sides.
    accuracy : float
        Preconditioned residual to reach, relative to that of zero.
    most : int, optional
        Maximum number of steps; by default as many as `WORK` allows.
    """
    most = min(5 * len(right) + 100, max(STEPS, WORK // max(len(right), 1))) if most is None else most
    x, residual = np.zeros_like(right), right
    ahead = precondition(residual)
    direction, size = ahead, columns_inner(residual, ahead)
    goal = accuracy**2 * size
    for _ in range(most):
        if (size <= goal).all():
            return x, True
        image = times(direction)
        bend = columns_inner(direction, image)
        open_ = (size > goal) & (bend > 0)  # the rest has converged, or is rounding, or overflows
        if not open_.any():
            return x, False
        step = np.divide(size, bend, out=np.zeros_like(size), where=open_)
        x = x + step * direction
        residual = residual - step * image
        ahead = precondition(residual)
        previous, size = size, columns_inner(residual, ahead)
        direction = ahead + np.divide(size, previous, out=np.zeros_like(size), where=open_) * direction
    return x, bool((size <= goal).all())


def columns_inner(x: Floats, y: Floats) -> Floats:
    """Return the inner products of columns, () or (k,), on one thread."""
    return np.asarray(np.einsum("i...,i...->...", x, y))


def inner(x: Floats, y: Floats) -> float:
    """Return the inner product, on one thread: at these sizes threads of BLAS cost more than they save.

    >>> inner(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    return float(np.einsum("i,i", x, y))


def row_sums(table: Floats) -> Floats:
    """Return the sum of every row, by the fastest way for rows of a few hundred.

    >>> row_sums(np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([3., 7.])
    """
    return np.einsum("ij->i", table)


def _unsettled(n_agents: int, most: int) -> DataError:
    """The error for no convergence: a step propagates by one battle, so long chains need as many steps as agents."""
    return DataError(
        f"the strengths of {n_agents:,} agents do not converge within {most:,} steps: only long chains of battles "
        "connect some of them. Keep agents with more battles (`min_agent_battles`), or choose some with "
        "`only`; `rank` by copeland or elo needs no steps."
    )
