r"""The (coarse) correlated equilibrium of maximum entropy of a game of any number of players.

Equilibria are the probabilities over outcomes under which no deviation gains, :math:`A \sigma \le \epsilon`. Where some of them use an
outcome, the one of maximum entropy does, and a deviation that is worth nothing under all of them is an equation: one linear program
finds both, and on that face the dual of maximum entropy is smooth.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from beatpath._arrays import Bools, Floats
from beatpath._errors import UsageError
from beatpath._text import quoted, suggestion
from beatpath._threads import threads_for
from beatpath.methods.game.deviation_ratings import gains_of_player, require_game
from beatpath.methods.game.max_entropy import max_entropy_point
from beatpath.methods.numeric.linear_program import linear_program

EQUILIBRIA = ("coarse", "correlated")
MOST_CELLS = 1_000_000  # deviations of all players, times outcomes


def max_entropy_equilibrium(
    payoffs: Sequence[ArrayLike], *, equilibrium: str = "coarse", epsilon: float = 0.0
) -> Floats:
    r"""Return the coarse correlated, or the correlated, equilibrium of maximum entropy.

    A mediator draws an outcome from :math:`\sigma` and tells each player its strategy. In a coarse correlated equilibrium no player gains
    by playing :math:`a'` always; in a correlated one none gains by playing :math:`a'` whenever told *a*:

    .. math::  \sum_a \sigma(a) \left[ G_p(a', a_{-p}) - G_p(a) \right] \le \epsilon, \qquad
               \sum_{a_{-p}} \sigma(a_p, a_{-p}) \left[ G_p(a', a_{-p}) - G_p(a_p, a_{-p}) \right] \le \epsilon .

    Parameters
    ----------
    payoffs : sequence of arrays
        One a player, each with an axis a player: ``payoffs[p][a, b, ...]`` is what player *p* gets when the first plays *a*,
        the second *b*, and so on. Any number of players, any payoffs.
    equilibrium : {"coarse", "correlated"}
    epsilon : float
        What a deviation may gain all the same.

    Returns
    -------
    float array with an axis a player
        Adds up to 1.

    Examples
    --------
    In the game of chicken it pays to dare only where the other yields: both dare half as often as either dares alone.

    >>> G = np.array([[0.0, 7.0], [2.0, 6.0]])  # dare, yield
    >>> max_entropy_equilibrium([G, G.T]).round(4)
    array([[0.1483, 0.2967],
           [0.2967, 0.2583]])

    Notes
    -----
    It exists, is unique, and treats strategies and players alike that the payoffs treat alike. Of two players of whom one wins what
    the other loses it is the product of the strategies of Nash averaging. A copy of a strategy moves it.

    References
    ----------
    L. Marris et al., "Multi-agent training beyond zero-sum with correlated equilibrium meta-solvers", 2021, arXiv:2106.09435.
    L. E. Ortiz, R. E. Schapire, S. M. Kakade, "Maximum entropy correlated equilibria", *AISTATS* 2007.
    """
    games = require_game(payoffs)
    _require_settings(equilibrium, epsilon)
    _require_size(games, equilibrium)
    A = np.concatenate([_deviations(game, player, equilibrium) for player, game in enumerate(games)])
    largest = float(np.abs(A).max(initial=0.0))
    A = (A - epsilon) / largest if largest else A[:0]
    A = A[(A > 0).any(axis=1)]  # what nowhere gains holds by itself
    outcomes, even = _used(A)
    found = np.zeros(games[0].size)
    rows = A[:, outcomes]
    with threads_for(min(A.shape)):
        found[outcomes] = max_entropy_point(rows[even], -rows[~even])
    return found.reshape(games[0].shape)


def _used(A: Floats) -> tuple[Bools, Bools]:
    r"""Which outcomes some :math:`x \ge 0` with :math:`A x \le 0` uses, and which rows are zero under all of them.

    Such *x* form a cone, so :math:`\max \sum \min(x_j, 1) + \sum \min(-(A x)_i, 1)` reaches one wherever anything can be reached.
    """
    m, n = A.shape
    one, many = np.ones, np.full
    matrix = np.hstack([A, A, np.eye(m), np.eye(m)])
    cost = np.concatenate([-one(n), np.zeros(n), -one(m), np.zeros(m)])
    high = np.concatenate([one(n), many(n, np.inf), one(m), many(m, np.inf)])
    x, _ = linear_program(cost, matrix, np.zeros(m), np.zeros(m), x_low=np.zeros(2 * (n + m)), x_high=high)
    return x[:n] > 0.5, x[2 * n : 2 * n + m] <= 0.5


def _deviations(game: Floats, player: int, equilibrium: str) -> Floats:
    """What each deviation of a player gains on each outcome, shape (deviations, outcomes)."""
    gains = gains_of_player(game, player)
    if equilibrium == "coarse":
        return gains
    told = np.indices(game.shape)[player].ravel()
    n = game.shape[player]
    rows = [np.where(told == a, gains[to], 0.0) for a in range(n) for to in range(n) if to != a]
    return np.stack(rows) if rows else np.zeros((0, game.size))


def _require_size(games: Sequence[Floats], equilibrium: str) -> None:
    """Refuse a game with more deviations times outcomes than a linear program takes in its stride."""
    rows = sum(n if equilibrium == "coarse" else n * (n - 1) for n in games[0].shape)
    size = rows * games[0].size
    if size > MOST_CELLS:
        raise UsageError(
            f"a game may have {MOST_CELLS:,} deviations times outcomes; this one has {size:,}. Leave strategies out."
        )


def _require_settings(equilibrium: str, epsilon: float) -> None:
    if equilibrium not in EQUILIBRIA:
        near = suggestion(str(equilibrium), EQUILIBRIA)
        raise UsageError(f"`equilibrium` must be one of {', '.join(EQUILIBRIA)}; got {quoted(equilibrium)}.{near}")
    if isinstance(epsilon, bool) or not isinstance(epsilon, int | float) or not 0 <= epsilon < np.inf:
        raise UsageError(f"`epsilon` must be a gain, 0 or more; got {quoted(epsilon)}.")
