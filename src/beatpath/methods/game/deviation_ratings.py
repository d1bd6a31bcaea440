"""Deviation ratings: what an agent would gain by stepping out of the strictest equilibrium."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from beatpath._arrays import Floats
from beatpath._errors import UsageError
from beatpath.evidence.ties import levels_of
from beatpath.methods.game.payoffs import payoffs
from beatpath.methods.game.strictest import strictest_gains
from beatpath.methods.profile import Profile
from beatpath.methods.result import Outcome
from beatpath.methods.status import EXACT

ACCURACY = 1e-7  # of gains, in units of the largest payoff
MOST_CELLS = 4_000_000  # strategies of all players, times outcomes


def deviation(profile: Profile, *, against: str = "auto") -> Outcome:
    r"""Rank agents by what they gain, at most nothing, against the mixture of rivals or tasks that lets nobody gain.

    Two players choose an agent and a rival, or an agent and a task, and one gains what the other loses. The rating is that of
    `deviation_ratings` for the player that chooses the agent, which for such games is

    .. math::  r = A q^* - v,

    with *v* the value and :math:`q^*` the optimal mixture under which the gains, sorted, are smallest [1]_: zero for agents that
    the equilibrium needs, and as far below as it can be for all others.

    Parameters
    ----------
    profile : Profile
    against : {"auto", "agents", "tasks"}
        "auto" plays against tasks when there is a score table.

    Returns
    -------
    Outcome
        Ratings that differ by less than 1e-7 of the largest payoff share a level. Details say how the payoffs were made.

    Examples
    --------
    Rock, paper and scissors beat each other; a stone loses to all three.

    >>> from beatpath import Margins
    >>> from beatpath.methods.profile import profile_of
    >>> wins = [[0, 0, 1, 1], [1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 0, 0]]
    >>> deviation(profile_of(Margins.from_wins(wins, ["rock", "paper", "scissors", "stone"]))).score.round(6) + 0.0
    array([ 0.,  0.,  0., -1.])

    Notes
    -----
    At most as many linear programs as agents. Nash averaging takes the optimal mixture of maximum entropy instead, which a copy of
    an agent may move; here a copy of an agent or a task moves no rating.

    References
    ----------
    .. [1] L. Marris et al., "Deviation ratings: a general, clone-invariant rating method", 2025, arXiv:2502.11645.
    """
    game = payoffs(profile, against)
    score = strictest_gains(game.matrix) if game.matrix.shape[1] else np.zeros(len(profile.agents))
    score = score - score.max()
    level = levels_of(score, ACCURACY * max(float(np.abs(game.matrix).max(initial=0.0)), 1e-300))
    remarks = game.remarks if game.matrix.shape[1] else ("no task tells the agents apart: all are tied",)
    return Outcome(level, score, "; ".join(remarks) or EXACT, game.details)


def deviation_ratings(payoffs: Sequence[ArrayLike]) -> tuple[Floats, ...]:
    r"""Rate the strategies of every player of a game by what stepping out of the strictest equilibrium would gain.

    With :math:`\sigma` a probability over outcomes, a player that always plays :math:`a'` instead gains

    .. math::  \delta_p^\sigma(a') = \sum_a \sigma(a) \left[ G_p(a', a_{-p}) - G_p(a) \right].

    Where no gain is above zero :math:`\sigma` is a coarse correlated equilibrium. The strictest one makes the largest gain as
    small as can be, then the next largest, and so on; a strategy's rating is its gain there.

    Parameters
    ----------
    payoffs : sequence of arrays
        One a player, each with an axis a player: ``payoffs[p][a, b, ...]`` is what player *p* gets when the first plays *a*,
        the second *b*, and so on. Any number of players, any payoffs.

    Returns
    -------
    tuple of (n_p,) float
        A rating for every strategy of every player, at most zero; nearer to zero is better.

    Examples
    --------
    The prisoner's dilemma: whoever stays silent loses one by it, or two.

    >>> G = np.array([[2.0, 0.0], [3.0, 1.0]])  # silence, confession
    >>> [ratings.round(6) + 0.0 for ratings in deviation_ratings([G, G.T])]
    [array([-1.,  0.]), array([-1.,  0.])]

    Notes
    -----
    Ratings exist and are unique. A copy of a strategy gets the rating of the original and moves no other; so does any mixture
    of strategies, which is rated no better than the best of them. Adding to a player's payoffs what the others alone decide
    changes nothing. At most as many linear programs, over all outcomes, as there are strategies.

    References
    ----------
    L. Marris et al., "Deviation ratings: a general, clone-invariant rating method", 2025, arXiv:2502.11645.
    """
    games = require_game(payoffs)
    gains = [gains_of_player(game, player) for player, game in enumerate(games)]
    size = sum(map(len, gains)) * gains[0].shape[1]
    if size > MOST_CELLS:
        raise UsageError(
            f"a game may have {MOST_CELLS:,} strategies times outcomes; this one has {size:,}. Leave strategies out."
        )
    found = strictest_gains(np.concatenate(gains))
    return tuple(np.split(found, np.cumsum([len(one) for one in gains])[:-1]))


def require_game(payoffs: Sequence[ArrayLike]) -> tuple[Floats, ...]:
    """Return the payoffs of a game as arrays, or raise unless they are one.

    >>> require_game([[[1, 2]], [[1, 2]], [[1, 2]]])
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `payoffs` must be an array a player, each with as many axes as players and all of one shape; \
got 3 of shapes (1, 2), (1, 2), (1, 2).
    """
    games = tuple(np.asarray(game, dtype=np.float64) for game in payoffs)
    shapes = [game.shape for game in games]
    if not games or len(set(shapes)) > 1 or len(shapes[0]) != len(games) or 0 in shapes[0]:
        said = ", ".join(map(str, shapes[:4])) or "none"
        raise UsageError(
            "`payoffs` must be an array a player, each with as many axes as players and all of one shape; got "
            f"{len(games)} of shapes {said}."
        )
    if not all(np.isfinite(game).all() for game in games):
        raise UsageError("`payoffs` must be finite numbers; some are not.")
    return games


def gains_of_player(game: Floats, player: int) -> Floats:
    """Return what each strategy of a player would gain on each outcome, shape (strategies, outcomes).

    >>> gains_of_player(np.array([[2.0, 0.0], [3.0, 1.0]]), 0)
    array([[ 0.,  0., -1., -1.],
           [ 1.,  1.,  0.,  0.]])
    """
    steps = [game.take([a], axis=player) - game for a in range(game.shape[player])]
    return np.stack(steps).reshape(game.shape[player], -1)
