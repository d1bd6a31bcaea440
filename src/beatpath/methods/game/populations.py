"""alpha-Rank of games of any number of players: a population each, drifting."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from beatpath._arrays import Floats, Ints
from beatpath._errors import UsageError
from beatpath.methods.game.alpha_rank import MOST_MOVES, fixation_rates
from beatpath.methods.game.deviation_ratings import require_game
from beatpath.methods.numeric.markov import stationary

TIE = 1e-12  # between payoffs, over the largest


def alpha_rank_populations(payoffs: Sequence[ArrayLike], *, alpha: float | None = None) -> Floats:
    r"""Return the time that populations, one a player, spend on every outcome as mutants with higher payoffs take over.

    A population plays one strategy. In one of them a mutant appears, every other strategy equally often, and takes over with
    the probability that `alpha_rank` gives, by what it gains while the other populations stay as they are: the model of
    several populations.

    Parameters
    ----------
    payoffs : sequence of arrays
        One a player, each with an axis a player: ``payoffs[p][a, b, ...]`` is what player *p* gets when the first plays *a*,
        the second *b*, and so on. Any number of players, any payoffs.
    alpha : float, optional
        How strongly payoffs decide. By default its limit: better mutants always take over, worse ones never, equal ones with
        probability 1 / 50.

    Returns
    -------
    float array with an axis a player
        Adds up to 1. The mass of a player's strategies is its sum over all other axes.

    Examples
    --------
    Matching pennies run in a circle; the prisoner's dilemma ends in confession.

    >>> pennies = np.array([[1.0, -1.0], [-1.0, 1.0]])
    >>> alpha_rank_populations([pennies, -pennies])
    array([[0.25, 0.25],
           [0.25, 0.25]])
    >>> dilemma = np.array([[2.0, 0.0], [3.0, 1.0]])
    >>> alpha_rank_populations([dilemma, dilemma.T])
    array([[0., 0.],
           [0., 1.]])

    Notes
    -----
    Where the chain has several sets that it does not leave again, each counts equally, as OpenSpiel's limit does not: it takes
    a large `alpha` instead, which tells them apart by moves that almost never happen.

    References
    ----------
    S. Omidshafiei et al., "alpha-Rank: Multi-Agent Evaluation by Evolution", *Scientific Reports* 9 (2019).
    """
    if alpha is not None and not (np.isfinite(alpha) and alpha > 0):
        raise UsageError(f"`alpha` must be positive and finite, or left out for its limit; got {alpha!r}.")
    games = require_game(payoffs)
    shape = games[0].shape
    n_moves = games[0].size * sum(size - 1 for size in shape)
    if n_moves > MOST_MOVES:
        raise UsageError(
            f"populations may have {MOST_MOVES:,} moves between outcomes; these have {n_moves:,}. Leave strategies out."
        )
    found = stationary(fixation_rates(_moves(games), alpha))
    return found.mass.reshape(shape)


def _moves(games: tuple[Floats, ...]) -> tuple[Ints, Ints, Floats, int]:
    """From each outcome to those that differ in one player's strategy, and what that player gains."""
    shape = games[0].shape
    place = np.arange(games[0].size).reshape(shape)
    start, end, gain = [], [], []
    for player, game in enumerate(games):
        for strategy in range(shape[player]):
            there = np.broadcast_to(place.take([strategy], axis=player), shape)
            gained = game.take([strategy], axis=player) - game
            moved = there != place
            start.append(place[moved])
            end.append(there[moved])
            gain.append(gained[moved])
    gained = np.concatenate(gain)
    largest = max(float(np.abs(game).max()) for game in games)
    return (
        np.concatenate(start),
        np.concatenate(end),
        np.where(np.abs(gained) <= TIE * largest, 0.0, gained),
        games[0].size,
    )
