"""Payoff ratings: what a strategy gets in an equilibrium when it is played."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from beatpath._arrays import Floats
from beatpath.methods.game.correlated import max_entropy_equilibrium
from beatpath.methods.game.deviation_ratings import require_game


def payoff_ratings(
    payoffs: Sequence[ArrayLike], *, equilibrium: str = "coarse", epsilon: float = 0.0
) -> tuple[Floats, ...]:
    r"""Rate the strategies of every player by what they get on average when an equilibrium plays them.

    With :math:`\sigma` the (coarse) correlated equilibrium of maximum entropy, the payoff rating of Marris and others is

    .. math::  r_p(a_p) = \sum_{a_{-p}} \sigma(a_{-p} \mid a_p)\, G_p(a_p, a_{-p}) .

    Where the equilibrium never plays a strategy, nothing says what it would come with; it is rated by what it would get against what
    the others play, which in an equilibrium is no more than what the player gets.

    Parameters
    ----------
    payoffs : sequence of arrays
        One a player, each with an axis a player, as for `max_entropy_equilibrium`.
    equilibrium : {"coarse", "correlated"}
    epsilon : float
        What a deviation may gain all the same; above 0 more strategies are played.

    Returns
    -------
    tuple of (n_p,) float
        A rating for every strategy of every player, in units of its payoffs.

    Examples
    --------
    Rock, paper and scissors rate alike. Two who want to meet, and rather at the first of two places, do better there.

    >>> rps = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])
    >>> payoff_ratings([rps, -rps])[0].round(6) + 0.0
    array([0., 0., 0.])
    >>> meet = np.diag([2.0, 1.0])
    >>> [rating.round(4) for rating in payoff_ratings([meet, meet])]
    [array([1.1716, 0.6667]), array([1.1716, 0.6667])]

    Notes
    -----
    Of two players of whom one wins what the other loses these are the ratings of Nash averaging. Unlike `deviation_ratings` they are in
    units of payoffs, they tell strategies apart that an equilibrium needs, and a copy of a strategy may move them.

    References
    ----------
    L. Marris et al., "Game theoretic rating in n-player general-sum games with equilibria", 2022, arXiv:2210.02205.
    """
    sigma = max_entropy_equilibrium(payoffs, equilibrium=equilibrium, epsilon=epsilon)
    return tuple(_ratings_of_player(game, sigma, player) for player, game in enumerate(require_game(payoffs)))


def _ratings_of_player(game: Floats, sigma: Floats, player: int) -> Floats:
    """What each strategy of a player gets where it is played, or would get."""
    G = np.moveaxis(game, player, 0).reshape(game.shape[player], -1)
    played = np.moveaxis(sigma, player, 0).reshape(G.shape)
    share = played.sum(axis=1)
    others = played.sum(axis=0)
    with_it = np.divide(played, share[:, None], out=np.tile(others, (len(G), 1)), where=share[:, None] > 0)
    return np.asarray((with_it * G).sum(axis=1), dtype=np.float64)
