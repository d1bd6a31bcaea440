r"""Equilibria of two-player zero-sum games: by linear programming, and the one of maximum entropy.

Let :math:`C = A - v` be the payoffs minus the value. The row player's optimal strategies are the face :math:`\{x \in
\Delta : C^\top x \ge 0\}`. Two index sets describe it (Goldman and Tucker, 1956): *S*, the rows that some optimal
strategy uses, and *E*, the columns that some optimal strategy of the opponent uses. All optimal *x* vanish outside
*S* and have :math:`(C^\top x)_j = 0` on *E*; some have :math:`(C^\top x)_j > 0` on every other column. On *S* the
entropy has its maximum at a strictly positive *x*, so the dual is smooth and has a solution, which Newton's method
finds.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csc_array, eye_array, hstack

from beatpath._arrays import Bools, Floats
from beatpath.methods.graph.relation import dominance_blocks
from beatpath.methods.numeric.linear_program import linear_program

# Probabilities and payoffs below this count as zero.
ZERO = 1e-9
Strategy = Floats  # probabilities of a player's choices


def max_entropy_strategy(C: Floats, x: Strategy, y: Strategy) -> tuple[Strategy, bool]:
    """Return the row player's optimal strategy of maximum entropy, and whether it is the only optimal one.

    Parameters
    ----------
    C : (k, n) float
        Payoffs to the row player minus the value of the game, scaled to about one.
    x, y : (k,) and (n,) float
        Any optimal strategies of the row and the column player.

    Examples
    --------
    Two equal rows: all mixtures are optimal, and maximum entropy divides equally.

    >>> C = np.array([[0.0, 1.0], [0.0, 1.0]])
    >>> max_entropy_strategy(C, np.array([1.0, 0.0]), np.array([1.0, 0.0]))
    (array([0.5, 0.5]), False)
    """
    alone = _only_optimum(C, x, y)
    if alone is not None:
        return alone, True
    rows = np.flatnonzero((C @ y >= -ZERO) | (x > ZERO))  # no optimal strategy uses others
    worth = C[rows].T
    worth = worth[(worth < -ZERO).any(axis=1)]  # columns whose payoff could be negative
    used, even = usable(-worth)
    best, unique = max_entropy_point(worth[even][:, used], worth[~even][:, used])
    p = np.zeros(len(x))
    p[rows[used]] = best
    return p, unique


def usable(A: Floats) -> tuple[Bools, Bools]:
    r"""Return which entries some :math:`x \ge 0` with :math:`A x \le 0` uses, and which rows are zero under all of them.

    Such *x* form a cone, so :math:`\max \sum \min(x_j, 1) + \sum \min(-(A x)_i, 1)` reaches one in every term that
    can be positive.
    """
    m, n = A.shape
    one, many = np.ones, np.full
    matrix = hstack([csc_array(A), csc_array(A), eye_array(m), eye_array(m)], format="csc")
    cost = np.concatenate([-one(n), np.zeros(n), -one(m), np.zeros(m)])
    high = np.concatenate([one(n), many(n, np.inf), one(m), many(m, np.inf)])
    x, _ = linear_program(cost, matrix, np.zeros(m), np.zeros(m), x_low=np.zeros(2 * (n + m)), x_high=high)
    return x[:n] > 0.5, x[2 * n : 2 * n + m] <= 0.5


def _only_optimum(C: Floats, x: Strategy, y: Strategy) -> Strategy | None:
    """The row player's optimal strategy to full precision if the opponent's *y* allows only one, else None.

    Every optimal strategy uses best replies to *y* only, and leaves the opponent indifferent between the columns that
    *y* uses.
    """
    reply = np.flatnonzero((C @ y >= -ZERO) | (x > ZERO))
    K = C[np.ix_(reply, np.flatnonzero(y > ZERO))].T  # one equation per column: its payoff is zero
    # and the probabilities sum to one
    K = np.vstack([K[np.abs(K).max(axis=1, initial=0.0) > ZERO], np.ones(len(reply))])
    if len(K) < len(reply):
        return None
    solution, _, rank, _ = np.linalg.lstsq(K, np.append(np.zeros(len(K) - 1), 1.0), rcond=ZERO)
    if rank < len(reply):
        return None
    p = np.zeros(len(x))
    p[reply] = np.where(solution > ZERO, solution, 0.0)
    p /= p.sum()
    return p if (p @ C).min() >= min((x @ C).min(), -1e-12) else x


def max_entropy_point(E: Floats, D: Floats) -> tuple[Strategy, bool]:
    r"""Maximize entropy over probability vectors *x* with :math:`E x = 0` and :math:`D x \ge 0`.

    Some such *x* must be strictly positive with :math:`D x > 0`.

    >>> max_entropy_point(np.array([[1.0, -2.0]]), np.zeros((0, 2)))[0].round(4)
    array([0.6667, 0.3333])
    """
    U, size, V = np.linalg.svd(np.vstack([E, np.ones(E.shape[1])]), full_matrices=False)
    rank = int((size > ZERO * size[0]).sum())
    B, b = V[:rank], U[-1, :rank] / size[:rank]
    joined = np.zeros(len(D), dtype=bool)
    while True:
        x = _dual_newton(B, b, D[joined])
        new = (D @ x < -1e-13) & ~joined
        if not new.any():
            return np.asarray(x / x.sum()), rank == E.shape[1]
        joined |= new


def _dual_newton(B: Floats, b: Floats, G: Floats) -> Strategy:
    r"""Maximize :math:`-\sum x \log x` subject to :math:`Bx = b`, :math:`Gx \ge 0`.

    The dual is :math:`\min \sum_i x_i - b^\top \eta` over free :math:`\eta` and :math:`\lambda \ge 0`, with
    :math:`x = \exp(B^\top \eta + G^\top \lambda - 1)`. A shrinking logarithmic barrier keeps :math:`\lambda`
    positive; the constraints then active become equations for a last, exact solve.
    """
    k = B.shape[1]
    eta = np.linalg.lstsq(B.T, np.full(k, 1.0 - np.log(k)), rcond=None)[0]
    if not len(G):
        return _newton(B, b, eta, 0, 0.0)[0]
    theta = np.append(eta, np.full(len(G), 1e-2))
    K, target = np.vstack([B, G]), np.append(b, np.zeros(len(G)))
    x = np.full(k, 1.0 / k)
    for mu in 10.0 ** -np.arange(2, 13, 2):
        x, theta = _newton(K, target, theta, len(G), mu)
    active = theta[len(b) :] > G @ x
    U, size, V = np.linalg.svd(np.vstack([B, G[active]]), full_matrices=False)
    rank = int((size > ZERO * size[0]).sum())
    side = U[:, :rank].T @ np.append(b, np.zeros(active.sum())) / size[:rank]
    start = np.linalg.lstsq(V[:rank].T, np.log(x) + 1.0, rcond=None)[0]
    exact, _ = _newton(V[:rank], side, start, 0, 0.0)
    return exact if (G @ exact).min() > -1e-12 and np.abs(exact - x).max() < 1e-5 else x


def _newton(K: Floats, target: Floats, theta: Floats, barred: int, mu: float) -> tuple[Strategy, Floats]:
    """Damped Newton steps on the dual; a barrier of weight `mu` keeps the last `barred` coordinates positive.

    A step is halved until the slope along it has not turned upward by more than half of its size: the dual is convex,
    and slopes can be compared where values no longer can.
    """
    free = len(theta) - barred

    def at(theta: Floats) -> tuple[Strategy, Floats]:
        x = np.exp(np.minimum(K.T @ theta - 1.0, 300.0))
        slope = K @ x - target
        slope[free:] -= mu / theta[free:]
        return x, slope

    x, slope = at(theta)
    best = np.inf
    for _ in range(200):
        size = float(np.abs(slope).max())
        if size < 1e-16 or (size < 1e-12 and size > best / 2):
            break
        best = min(best, size)
        wall = np.append(np.zeros(free), mu / theta[free:] ** 2)
        curve = (K * x) @ K.T + np.diag(wall)
        try:
            step = -cho_solve(cho_factor(curve), slope)
        except np.linalg.LinAlgError:
            step = -np.linalg.lstsq(curve, slope, rcond=1e-15)[0]
        down = free + np.flatnonzero(step[free:] < 0)
        length = min(1.0, 0.99 * float((-theta[down] / step[down]).min(initial=np.inf)))
        downhill = float(slope @ step)
        while True:
            x, new = at(theta + length * step)
            if new @ step <= -downhill / 2 or length < 1e-12:
                break
            length /= 2
        theta, slope = theta + length * step, new
    return x, theta


# Large games are solved on few strategies: IML of 500 agents and 1,000 votes takes 0.4 s, whole games 5.3.
BATCH = 16  # initial strategies, and the fewest to add
WHOLE = 64  # most strategies for which a game is solved as a whole
TOLERANCE = 1e-9  # gain of a best reply below which the double oracle stops


@dataclass(frozen=True, slots=True, eq=False)
class Equilibrium:
    """Both players' maximum-entropy optimal strategies, the value to the row player, and a certificate.

    Attributes
    ----------
    row, column : float
        Probabilities; a strategy that no optimum uses has exactly zero.
    value : float
        The payoff that the row player can guarantee.
    row_unique, column_unique : bool
        Whether the player has no other optimal strategy.
    certificate : float
        How far the worse of the two falls short of the value against its best reply, relative to the largest payoff;
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
    concave, so exactly one of them maximizes it.

    Parameters
    ----------
    payoff : (n, n) float
        :math:`M`, an antisymmetric matrix.

    Examples
    --------
    >>> symmetric_equilibrium(np.array([[0.0, 1.0, -2.0], [-1.0, 0.0, 3.0], [2.0, -3.0, 0.0]])).row.round(4)
    array([0.5   , 0.3333, 0.1667])
    >>> symmetric_equilibrium(np.zeros((2, 2))).row
    array([0.5, 0.5])

    Notes
    -----
    A double oracle: the game is solved on a few strategies, and the best replies to that solution are added, until no
    strategy outside does better. Then `max_entropy_strategy`.
    """
    n = len(payoff)
    scale = float(np.abs(payoff).max(initial=0.0))
    if scale == 0.0:
        p = np.full(n, 1.0 / n)
        return Equilibrium(p, p, 0.0, n == 1, n == 1, 0.0)
    M = payoff / scale
    M = (M - M.T) / 2
    p = _double_oracle(M)
    best, unique = max_entropy_strategy(M, p, p)
    shortfall = min(0.0, float((best @ M).min()))
    return Equilibrium(best, best, 0.0, unique, unique, shortfall)


def maximal_lottery_equilibrium(margins: Floats) -> Equilibrium:
    r"""Return the maximal lottery of maximum entropy, as an equilibrium.

    A lottery *x* is maximal if no other is preferred to it on average,

    .. math::  \max_{x \in \Delta} \min_{y \in \Delta} x^\top M y \ge 0,

    eq. (6) of VasE [1]_: an optimal strategy of the symmetric zero-sum game whose payoffs are the margins. The paper
    leaves open which one is meant if there are several, which ties in the margins can cause. Here it is the one of
    maximum entropy, so the answer is unique and indistinguishable agents get equal shares.

    Parameters
    ----------
    margins : (n, n) float
        Antisymmetric margins. Only ratios matter: a positive factor changes nothing.

    Returns
    -------
    Equilibrium
        The lottery is its `row`, and equal to its `column`.

    Examples
    --------
    VasE's pentathlon: C beats both.

    >>> maximal_lottery_equilibrium(np.array([[0, 3, -1], [-3, 0, -1], [1, 1, 0]])).row
    array([0., 0., 1.])

    The loser of a weak win gets a larger share than the loser of a strong one.

    >>> maximal_lottery_equilibrium(np.array([[0, 1, -2], [-1, 0, 3], [2, -3, 0]])).row.round(4)
    array([0.5   , 0.3333, 0.1667])

    Notes
    -----
    Optimal strategies are within the Smith set, so the game is solved there, by a double oracle over linear programs.
    With odd integer margins between all agents the maximal lottery is unique [2]_. Probabilities below 1e-9 count as
    zero.

    References
    ----------
    .. [1] M. Lanctot et al., "Evaluating Agents using Social Choice Theory" (VasE), 2023, arXiv:2312.03121.
    .. [2] G. Laffond, J.-F. Laslier, M. Le Breton, "A theorem on symmetric two-player zero-sum games",
           *Journal of Economic Theory* 72 (1997), 426-431.
    """
    M = np.asarray(margins, dtype=np.float64)
    smith = dominance_blocks(M)[0]
    lottery = symmetric_equilibrium(M[np.ix_(smith, smith)])
    p = np.zeros(len(M))
    p[smith] = lottery.row
    return replace(lottery, row=p, column=p)


def equilibrium(payoff: Floats) -> Equilibrium:
    r"""Return the maximum-entropy equilibrium of a zero-sum game; the row player maximizes, the other minimizes.

    With value *v* the optimal strategies are :math:`\{x \in \Delta : A^\top x \ge v\}` and
    :math:`\{y \in \Delta : A y \le v\}`; any pair of them is an equilibrium, so entropy picks one of each.

    Parameters
    ----------
    payoff : (k, n) float
        :math:`A`, the payoffs of the row player.

    Examples
    --------
    The third task is never chosen; the other two have all the weight.

    >>> result = equilibrium(np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]))
    >>> result.value, result.row, result.column
    (0.5, array([0.5, 0.5]), array([0.5, 0.5, 0. ]))
    """
    center = float(payoff.max() + payoff.min()) / 2
    scale = float(np.abs(payoff - center).max()) or 1.0
    A = (payoff - center) / scale
    x, y, _ = _saddle(A)
    v = float(x @ A @ y)
    row, row_unique = max_entropy_strategy(A - v, x, y)
    column, column_unique = max_entropy_strategy(v - A.T, y, x)
    v = float(row @ A @ column)
    shortfall = min(0.0, float((row @ A).min()) - v, v - float((A @ column).max()))
    return Equilibrium(row, column, center + scale * v, row_unique, column_unique, shortfall)


def _double_oracle(M: Floats) -> Floats:
    """An optimal strategy of a symmetric game, found on as few strategies as possible."""
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
