r"""Maximum-entropy (coarse) correlated equilibria of games with any number of players, and payoff ratings.

Equilibria are the probabilities over outcomes under which no deviation gains, :math:`A \sigma \le \epsilon`. If some
of them use an outcome, the one of maximum entropy does, and a deviation that gains exactly zero under all of them is
an equation. One linear program finds both, and on that face the dual of maximum entropy is smooth.

Payoff ratings are the expected payoffs of strategies in an equilibrium, given that they are played.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from beatpath._arrays import Floats
from beatpath._errors import DataError
from beatpath._text import listed, quoted
from beatpath._threads import threads_for
from beatpath._validate import require_choice, require_few, require_number
from beatpath.evidence.ties import levels_of
from beatpath.methods.game.payoffs import ACCURACY, gains_of_player, require_game
from beatpath.methods.game.zero_sum import max_entropy_point, usable
from beatpath.methods.profile import Profile
from beatpath.methods.result import Outcome

EQUILIBRIA = ("coarse", "correlated")  # the kinds of equilibrium
MOST_CELLS = 1_000_000  # limit on deviations of all players, times outcomes


def max_entropy_equilibrium(
    payoffs: Sequence[ArrayLike], *, equilibrium: str = "coarse", epsilon: float = 0.0
) -> Floats:
    r"""Return the coarse correlated, or the correlated, equilibrium of maximum entropy.

    A mediator samples an outcome from :math:`\sigma` and recommends each player its strategy. In a coarse correlated
    equilibrium no player gains by always playing :math:`a'`; in a correlated one none gains by playing :math:`a'`
    whenever *a* is recommended:

    .. math::  \sum_a \sigma(a) \left[ G_p(a', a_{-p}) - G_p(a) \right] \le \epsilon, \qquad
               \sum_{a_{-p}} \sigma(a_p, a_{-p}) \left[ G_p(a', a_{-p}) - G_p(a_p, a_{-p}) \right] \le \epsilon .

    Parameters
    ----------
    payoffs : sequence of arrays
        One per player, each with one axis per player: ``payoffs[p][a, b, ...]`` is the payoff of player *p* if the
        first plays *a*, the second *b*, and so on. Any number of players, any payoffs.
    equilibrium : {"coarse", "correlated"}
        The kind of equilibrium; default coarse.
    epsilon : float
        Gain of a deviation that is tolerated; default 0.

    Returns
    -------
    array of float with one axis per player
        Probabilities of the outcomes.

    See Also
    --------
    payoff_ratings : Ratings by this equilibrium.

    Examples
    --------
    In the game of chicken it pays to dare only if the other yields: both dare half as often as either dares alone.

    >>> G = np.array([[0.0, 7.0], [2.0, 6.0]])  # dare, yield
    >>> max_entropy_equilibrium([G, G.T]).round(4)
    array([[0.1483, 0.2967],
           [0.2967, 0.2583]])

    Notes
    -----
    It exists, is unique, and is symmetric in strategies and players that the payoffs treat alike. In a two-player
    zero-sum game it is the product of the strategies of Nash averaging. Cloning a strategy changes it.

    References
    ----------
    L. Marris et al., "Multi-agent training beyond zero-sum with correlated equilibrium meta-solvers", 2021, arXiv:2106.09435.
    L. E. Ortiz, R. E. Schapire, S. M. Kakade, "Maximum entropy correlated equilibria", *AISTATS* 2007.
    """
    games = require_game(payoffs)
    require_choice("equilibrium", equilibrium, EQUILIBRIA)
    require_number("epsilon", epsilon, "a gain, 0 or more", least=0)
    n_deviations = sum(n if equilibrium == "coarse" else n * (n - 1) for n in games[0].shape)
    size = n_deviations * games[0].size
    require_few(size, MOST_CELLS, "a game may have {} deviations times outcomes", "Leave strategies out.")
    A = np.concatenate([_deviations(game, player, equilibrium) for player, game in enumerate(games)])
    largest = float(np.abs(A).max(initial=0.0))
    A = (A - epsilon) / largest if largest else A[:0]
    A = A[(A > 0).any(axis=1)]  # deviations that gain nowhere hold trivially
    outcomes, even = usable(A)
    weights = np.zeros(games[0].size)
    rows = A[:, outcomes]
    with threads_for(min(A.shape)):
        weights[outcomes] = max_entropy_point(rows[even], -rows[~even])[0]
    return weights.reshape(games[0].shape)


def _deviations(game: Floats, player: int, equilibrium: str) -> Floats:
    """Gain of each deviation of a player on each outcome, shape (deviations, outcomes)."""
    gains = gains_of_player(game, player)
    if equilibrium == "coarse":
        return gains
    move = np.indices(game.shape)[player].ravel()
    n = game.shape[player]
    rows = [np.where(move == a, gains[to], 0.0) for a in range(n) for to in range(n) if to != a]
    return np.stack(rows) if rows else np.zeros((0, game.size))


def payoff(profile: Profile, *, equilibrium: str = "coarse", epsilon: float = 0.0) -> Outcome:
    r"""Rank agents by their expected payoff in an equilibrium of the game that they play with each other, given play.

    Scores are payoffs: what an agent gets with each agent as partner or rival, itself included. Two players choose an
    agent each, from the same table *G*; the rating is that of `payoff_ratings` for :math:`(G, G^\top)` [1]_, the same
    for both players.

    Parameters
    ----------
    profile : Profile
        Scores whose tasks are the agents. Several scores of a cell are averaged.
    equilibrium : {"coarse", "correlated"}
        The kind of equilibrium; default coarse.
    epsilon : float
        Gain of a deviation that is tolerated; above 0 more agents are played.

    Returns
    -------
    Outcome
        Ratings in units of scores; those that differ by less than 1e-7 of the largest score share a level. Details:
        ``mass``, the probability of each agent in the equilibrium, and ``value``, the payoff of a player.

    Examples
    --------
    Hawks and doves. A hawk does better if it is played, since it meets doves.

    >>> from beatpath import Factor, Scores
    >>> from beatpath.methods.profile import profile_of
    >>> scores = Scores(("hawk", "dove"), [0, 0, 1, 1], [0, 7, 2, 6], {"task": Factor.of(["hawk", "dove", "hawk", "dove"])})
    >>> payoff(profile_of(scores)).score.round(4)
    array([4.6667, 3.8616])

    Notes
    -----
    In zero-sum games, such as battles, these are the ratings of `nash_averaging`.

    References
    ----------
    .. [1] L. Marris et al., "Game theoretic rating in n-player general-sum games with equilibria", 2022, arXiv:2210.02205.
    """
    G = _among_agents(profile)
    sigma = max_entropy_equilibrium([G, G.T], equilibrium=equilibrium, epsilon=epsilon)
    score = _ratings_of_player(G, sigma, 0)
    level = levels_of(score, ACCURACY * max(float(np.abs(G).max(initial=0.0)), 1e-300))
    mass = dict(zip(profile.agents, sigma.sum(axis=1).tolist(), strict=True))
    return Outcome(level, score, details={"mass": mass, "value": float((sigma * G).sum()), "equilibrium": equilibrium})


def _among_agents(profile: Profile) -> Floats:
    """Payoff of each agent, a row, with each agent, a column; raises an error if cells are missing."""
    if profile.scores is None:
        raise DataError("payoff_ratings needs scores of agents with each other; resampled votes do not keep them.")
    (table, names), agents = profile.scores.table("task"), profile.agents
    strange = sorted(set(names) - set(agents))
    if strange:
        raise DataError(
            f"payoff_ratings needs scores of agents with each other, so that tasks are agents; {listed(strange, 3)} "
            f"{'is' if len(strange) == 1 else 'are'} none. Name the column of the partner or rival with `--map task=COLUMN`; for agents "
            "against tasks take nash_averaging."
        )
    place = {name: k for k, name in enumerate(names)}
    lost = [name for name in agents if name not in place]
    G = (table * profile.scores.voter_signs("task"))[:, [place[name] for name in agents if name in place]]
    hole = np.argwhere(np.isnan(G))
    if lost or len(hole):
        one, other = (agents[0], lost[0]) if lost else (agents[int(k)] for k in hole[0])
        raise DataError(
            "payoff_ratings needs what every agent gets with every agent, a copy of itself included; what "
            f"{quoted(one)} gets with {quoted(other)} is missing. Add it, or leave agents out with `--only`."
        )
    return np.asarray(G, dtype=np.float64)


def payoff_ratings(
    payoffs: Sequence[ArrayLike], *, equilibrium: str = "coarse", epsilon: float = 0.0
) -> tuple[Floats, ...]:
    r"""Rate the strategies of every player by their expected payoffs in an equilibrium, given that they are played.

    With :math:`\sigma` the (coarse) correlated equilibrium of maximum entropy, the payoff rating of Marris et al. is

    .. math::  r_p(a_p) = \sum_{a_{-p}} \sigma(a_{-p} \mid a_p)\, G_p(a_p, a_{-p}) .

    A strategy that the equilibrium never plays is rated by its payoff against the others' marginal play, which in an
    equilibrium is at most the player's payoff.

    Parameters
    ----------
    payoffs : sequence of arrays
        One per player, each with one axis per player, as for `max_entropy_equilibrium`.
    equilibrium : {"coarse", "correlated"}
        The kind of equilibrium; default coarse.
    epsilon : float
        Gain of a deviation that is tolerated; above 0 more strategies are played.

    Returns
    -------
    tuple of (n_p,) float
        A rating for every strategy of every player, in units of its payoffs.

    See Also
    --------
    max_entropy_equilibrium : The equilibrium behind these ratings.
    deviation_ratings : Ratings that cloning does not change.

    Examples
    --------
    Rock, paper and scissors have equal ratings. Two players who want to meet, preferably at the first of two places,
    do better there.

    >>> rps = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])
    >>> payoff_ratings([rps, -rps])[0].round(6) + 0.0
    array([0., 0., 0.])
    >>> meet = np.diag([2.0, 1.0])
    >>> [rating.round(4) for rating in payoff_ratings([meet, meet])]
    [array([1.1716, 0.6667]), array([1.1716, 0.6667])]

    Notes
    -----
    In a two-player zero-sum game these are the ratings of Nash averaging. Unlike `deviation_ratings` they are in
    units of payoffs, they separate strategies that an equilibrium needs, and cloning a strategy may change them.

    References
    ----------
    L. Marris et al., "Game theoretic rating in n-player general-sum games with equilibria", 2022, arXiv:2210.02205.
    """
    sigma = max_entropy_equilibrium(payoffs, equilibrium=equilibrium, epsilon=epsilon)
    return tuple(_ratings_of_player(game, sigma, player) for player, game in enumerate(require_game(payoffs)))


def _ratings_of_player(game: Floats, sigma: Floats, player: int) -> Floats:
    """Payoff of each strategy of a player given that it is played, or against the others' marginal play."""
    G = np.moveaxis(game, player, 0).reshape(game.shape[player], -1)
    played = np.moveaxis(sigma, player, 0).reshape(G.shape)
    share = played.sum(axis=1)
    others = played.sum(axis=0)
    with_it = np.divide(played, share[:, None], out=np.tile(others, (len(G), 1)), where=share[:, None] > 0)
    return np.asarray((with_it * G).sum(axis=1), dtype=np.float64)
