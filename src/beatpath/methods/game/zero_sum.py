"""Equilibria of two-player zero-sum games: one, by linear programming, and the one of maximum entropy."""

from dataclasses import dataclass

import numpy as np

from beatpath._arrays import Floats
from beatpath.methods.game.max_entropy import max_entropy_strategies
from beatpath.methods.numeric.linear_program import linear_program

BATCH = 16
WHOLE = 64
TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Equilibrium:
    """Both players' maximum-entropy optimal strategies, the value to the row player, and what was found on the way.

    Attributes
    ----------
    row, column : float
        Probabilities; a strategy that no optimum uses has exactly zero.
    value : float
        What the row player can be sure of.
    row_unique, column_unique : bool
        Whether the player has no other optimal strategy.
    certificate : float
        How far the worse of the two falls short of the value against its best reply, in units of the largest payoff;
        zero up to rounding at an exact equilibrium, never positive.
    """

    row: Floats
    column: Floats
    value: float
    row_unique: bool
    column_unique: bool
    certificate: float


def symmetric_equilibrium(payoff: Floats) -> Equilibrium:
    r"""Return the maximum-entropy equilibrium of a symmetric zero-sum game, whose value is zero.

    The optimal strategies are :math:`\{p \ge 0 : \sum_a p_a = 1,\ M^\top p \ge 0\}`, a polytope; entropy is strictly
    concave, so exactly one of them has the most of it.

    Parameters
    ----------
    payoff : (n, n) float
        :math:`M`, equal to minus its transpose.

    Examples
    --------
    >>> symmetric_equilibrium(np.array([[0.0, 1.0, -2.0], [-1.0, 0.0, 3.0], [2.0, -3.0, 0.0]])).row.round(4)
    array([0.5   , 0.3333, 0.1667])
    >>> symmetric_equilibrium(np.zeros((2, 2))).row
    array([0.5, 0.5])

    Notes
    -----
    A double oracle: the game is solved on a few strategies, the best replies to that solution join them, until no
    strategy outside does better. Then `max_entropy_strategies`.
    """
    n = len(payoff)
    scale = float(np.abs(payoff).max(initial=0.0))
    if scale == 0.0:
        p = np.full(n, 1.0 / n)
        return Equilibrium(p, p, 0.0, n == 1, n == 1, 0.0)
    M = payoff / scale
    M = (M - M.T) / 2
    p = _double_oracle(M)
    (best, _), (unique, _) = max_entropy_strategies(M, p, p, symmetric=True)
    shortfall = min(0.0, float((best @ M).min()))
    return Equilibrium(best, best, 0.0, unique, unique, shortfall)


def equilibrium(payoff: Floats) -> Equilibrium:
    r"""Return the maximum-entropy equilibrium of a zero-sum game; the row player maximises, the other minimises.

    With value *v* the optimal strategies are :math:`\{x \in \Delta : A^\top x \ge v\}` and
    :math:`\{y \in \Delta : A y \le v\}`; any pair of them is an equilibrium, so entropy picks one of each.

    Parameters
    ----------
    payoff : (k, n) float
        :math:`A`, what the row player gets.

    Examples
    --------
    The third task is never chosen; the other two decide.

    >>> found = equilibrium(np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]))
    >>> found.value, found.row, found.column
    (0.5, array([0.5, 0.5]), array([0.5, 0.5, 0. ]))
    """
    centre = float(payoff.max() + payoff.min()) / 2
    scale = float(np.abs(payoff - centre).max()) or 1.0
    A = (payoff - centre) / scale
    x, y, _ = _saddle(A)
    v = float(x @ A @ y)
    (row, column), (row_unique, column_unique) = max_entropy_strategies(A - v, x, y)
    v = float(row @ A @ column)
    shortfall = min(0.0, float((row @ A).min()) - v, v - float((A @ column).max()))
    return Equilibrium(row, column, centre + scale * v, row_unique, column_unique, shortfall)


def _double_oracle(M: Floats) -> Floats:
    """An optimal strategy of a symmetric game, found on as few strategies as will do."""
    n = len(M)
    inside = np.arange(n) if n <= WHOLE else np.argsort(-np.sign(M).sum(axis=1), kind="stable")[:BATCH]
    while True:
        p = np.zeros(n)
        p[inside] = _saddle(M[np.ix_(inside, inside)])[0]
        reply = p @ M
        reply[inside] = np.inf
        worst = np.argsort(reply, kind="stable")[: max(BATCH, len(inside) // 2)]
        worst = worst[reply[worst] < -TOLERANCE]
        if not worst.size:
            return p
        inside = np.sort(np.concatenate([inside, worst]))


def _saddle(A: Floats) -> tuple[Floats, Floats, float]:
    r"""Optimal strategies and value, from :math:`\max v` subject to :math:`A^\top x \ge v`, *x* a distribution."""
    k, n = A.shape
    matrix = np.zeros((n + 1, k + 1))
    matrix[:n, :k], matrix[:n, k], matrix[n, :k] = A.T, -1.0, 1.0
    low, high = np.zeros(n + 1), np.full(n + 1, np.inf)
    low[n] = high[n] = 1.0
    x_low, x_high = np.zeros(k + 1), np.full(k + 1, np.inf)
    x_low[k] = -np.inf
    x, dual = linear_program(np.append(np.zeros(k), -1.0), matrix, low, high, x_low=x_low, x_high=x_high)
    return _distribution(x[:k]), _distribution(dual[:n]), float(x[k])


def _distribution(x: Floats) -> Floats:
    x = np.maximum(x, 0.0)
    return x / x.sum()
