"""Stationary distributions of Markov chains."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from beatpath._arrays import Floats, Ints

DENSE = 1500  # most states of a class that is solved densely
SMALL = 1e-20  # rates below this, relative to the largest, are hidden by rounding


@dataclass(frozen=True, slots=True, eq=False)
class Stationary:
    """A stationary distribution, its closed classes, and whether it converged to full precision."""

    mass: Floats
    classes: tuple[Ints, ...]
    converged: bool = True


def stationary(rates: csr_array, *, tol: float = 1e-13, max_iter: int = 100_000) -> Stationary:
    r"""Return the stationary distribution of a chain with these transition rates.

    The chain ends up in one of its closed classes, the strongly connected components without an exit. With one, the
    distribution is unique. With several, each has its own, and the result is their unweighted mean; `classes` lists
    them.

    Parameters
    ----------
    rates : (n, n) sparse float
        Nonnegative rates from row to column, on any scale; the diagonal is ignored.
    tol, max_iter : float, int
        For classes of more than 1500 states, which are solved by iteration: the change in total variation at which to
        stop, and the maximum number of steps.

    Examples
    --------
    State 0 is left and never entered again; 1 and 2 alternate, 2 twice as long.

    >>> distribution = stationary(csr_array(np.array([[0, 1, 1], [0, 0, 2.0], [0, 1, 0]])))
    >>> distribution.mass.round(4), len(distribution.classes)
    (array([0.    , 0.3333, 0.6667]), 1)
    """
    n = rates.shape[0]
    n_parts, part = connected_components(rates, directed=True, connection="strong")
    source, target = rates.nonzero()
    left = part[source[part[source] != part[target]]]
    groups = np.split(np.argsort(part, kind="stable"), np.cumsum(np.bincount(part))[:-1])
    classes = tuple(groups[k] for k in np.setdiff1d(np.arange(n_parts), left))
    mass, converged = np.zeros(n), True
    for states in classes:
        if len(states) == 1:
            mass[states] = 1 / len(classes)
            continue
        inner = rates[states][:, states]
        if len(states) <= DENSE:
            mass[states] = _solved_whole(inner.toarray()) / len(classes)
        else:
            distribution, done = _iterated(inner, tol, max_iter)
            mass[states] = distribution / len(classes)
            converged = converged and done
    return Stationary(mass, classes, converged)


def _solved_whole(rates: Floats) -> Floats:
    """Solve one linear system unless some rate is so small that rounding would hide it; then eliminate states."""
    n = len(rates)
    np.fill_diagonal(rates, 0.0)
    if n == 1:
        return np.ones(1)
    rates /= rates.max()
    if rates[rates > 0].min() < SMALL:
        return _eliminated(rates)
    system = rates.T - np.diag(rates.sum(axis=1))
    system[-1] = 1.0
    x = np.maximum(np.linalg.solve(system, np.append(np.zeros(n - 1), 1.0)), 0.0)
    return x / x.sum()


def _eliminated(rates: Floats) -> Floats:
    """Eliminate states one by one [1]_, in logarithms: without subtraction, even tiny masses keep their digits.

    References
    ----------
    .. [1] W. K. Grassmann, M. I. Taksar, D. P. Heyman, "Regenerative analysis and steady state distributions for Markov
           chains", *Operations Research* 33 (1985), 1107-1116.
    """
    n = len(rates)
    P = np.full((n, n), -np.inf)
    np.log(rates, out=P, where=rates > 0)
    for k in range(n - 1, 0, -1):
        P[:k, k] -= np.logaddexp.reduce(P[k, :k])
        P[:k, :k] = np.logaddexp(P[:k, :k], P[:k, k, None] + P[k, :k])
        np.fill_diagonal(P[:k, :k], -np.inf)
    x = np.zeros(n)
    for k in range(1, n):
        x[k] = np.logaddexp.reduce(x[:k] + P[:k, k])
    return np.exp(x - np.logaddexp.reduce(x))


def _iterated(rates: csr_array, tol: float, max_iter: int) -> tuple[Floats, bool]:
    """Iterate the jump chain, slightly lazy so that it cannot alternate, then weight by the holding times."""
    leaving = np.asarray(rates.sum(axis=1)).ravel() - rates.diagonal()
    jumps = rates.multiply(1.0 / leaving[:, None]).tocsr()
    jumps.setdiag(0.0)
    jumps = jumps.T.tocsr()
    x, settled = iterated(lambda x: 0.1 * x + 0.9 * (jumps @ x), len(leaving), tol, max_iter)
    time = x / leaving
    return time / time.sum(), settled


def iterated(step: Callable[[Floats], Floats], n: int, tol: float, max_iter: int) -> tuple[Floats, bool]:
    """Repeat a step on shares that sum to 1, from equal ones, until they change by at most `tol`; say whether they did.

    >>> iterated(lambda x: np.array([2.0, 1.0]) * x.sum(), 2, 1e-12, 9)
    (array([0.66666667, 0.33333333]), True)
    """
    x = np.full(n, 1.0 / n)
    for _ in range(max_iter):
        new = step(x)
        new /= new.sum()
        change, x = float(np.abs(new - x).sum()), new
        if change <= tol:
            return x, True
    return x, False
