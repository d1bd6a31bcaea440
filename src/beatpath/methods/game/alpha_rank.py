"""alpha-Rank: the long-run share of time of each agent in an evolutionary process, with one or several populations."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import coo_array, csr_array

from beatpath._arrays import Floats, Ints
from beatpath._validate import require_few, require_number
from beatpath.methods.game.payoffs import payoffs, require_game
from beatpath.methods.numeric.markov import SMALL, Stationary, stationary
from beatpath.methods.profile import Profile
from beatpath.methods.result import EXACT, Outcome, levels_by_score

POPULATION = 50  # population size *m*
# tolerance for equal scores on a task, which run from 0 to 1, and for equal payoffs relative to the largest
TIE = 1e-12
# Total variation within which alpha counts as converged; most states for which that is searched; most transitions.
SETTLED = 1e-3
SWEPT = 600
MOST_MOVES = 50_000_000


def alpha_rank(profile: Profile, *, alpha: float | None = None, against: str = "auto") -> Outcome:
    r"""Rank agents by alpha-Rank: the share of time that a population spends on them as fitter mutants take over.

    A population plays one agent, *s*. A mutant *r* appears, all equally often, and takes over with the fixation
    probability

    .. math::  \rho = \frac{1 - e^{-u}}{1 - e^{-mu}}, \qquad u = \alpha\,(f_r - f_s),

    :math:`1/m` if *u* is zero [1]_. The score is the share of time that the resulting Markov chain spends on an
    agent. Against agents there is one population, and :math:`f_r - f_s = A_{rs} - A_{sr}`. Against tasks there are
    two, of agents and of tasks; the tasks gain what the agents lose, and an agent's score is its share of time over
    all tasks.

    Parameters
    ----------
    profile : Profile
        Any evidence with margins, or a score table.
    alpha : float, optional
        Selection strength. By default its limit: better mutants always take over, worse ones never, equal ones with
        probability :math:`1/m`.
    against : {"auto", "agents", "tasks"}
        What agents play against; "auto" (default) is tasks if there is a score table.

    Returns
    -------
    Outcome
        Details, besides how the payoffs were computed: ``alpha``, None for the limit; ``settled_alpha``, the alpha
        from which the distribution stays within 1e-3 of the limit in total variation, among alphas tried by doubling,
        None beyond 600 states; ``population``, *m* = 50; ``recurrent_classes`` and ``recurrent_states``, the closed
        classes of states; and against tasks ``task_mass``.

    Examples
    --------
    Rock, paper and scissors share the time; a stone that loses to all gets none.

    >>> from beatpath import Margins
    >>> from beatpath.methods.profile import profile_of
    >>> wins = [[0, 0, 1, 1], [1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 0, 0]]
    >>> alpha_rank(profile_of(Margins.from_wins(wins, ["rock", "paper", "scissors", "stone"]))).score.round(4)
    array([0.3333, 0.3333, 0.3333, 0.    ])

    Notes
    -----
    Fitness is local, as in the reference implementation [2]_: payoffs against the current rival only. In the limit
    the chain of one population ends in the Smith set, and that of two in the single sink component that every
    zero-sum game has [3]_, so the stationary distribution is unique. Scores on a task within 1e-12 count as equal.

    References
    ----------
    .. [1] S. Omidshafiei et al., "alpha-Rank: Multi-Agent Evaluation by Evolution", *Scientific Reports* 9 (2019).
    .. [2] M. Lanctot et al., "OpenSpiel: A Framework for Reinforcement Learning in Games", 2019, arXiv:1908.09453.
    .. [3] O. Biggar, I. Shames, "The Attractor of the Replicator Dynamic in Zero-Sum Games", *ALT* 2024.
    """
    _require_alpha(alpha)
    game = payoffs(profile, against)
    if not game.matrix.shape[1]:
        score = np.full(len(profile.agents), 1.0 / len(profile.agents))
        return Outcome(levels_by_score(score), score, "no task tells the agents apart: all are tied", game.details)

    if game.tasks is None:
        # from each agent to each other, by the gain of the mutant
        s, r = np.nonzero(~np.eye(len(game.matrix), dtype=bool))
        moves = s, r, game.matrix[r, s] - game.matrix[s, r], len(game.matrix)
    else:
        moves = _agent_and_task_moves(game.matrix)
    chain = stationary(fixation_rates(moves, alpha))
    mass = chain.mass.reshape(len(profile.agents), -1)
    score = mass.sum(axis=1)
    details: dict[str, Any] = {
        **game.details,
        "alpha": alpha,
        "settled_alpha": _settled_alpha(moves, chain.mass) if alpha is None else None,
        "population": POPULATION,
        "recurrent_classes": len(chain.classes),
        "recurrent_states": sum(map(len, chain.classes)),
    }
    if game.tasks is not None:
        details["task_mass"] = dict(zip(game.tasks, mass.sum(axis=0).tolist(), strict=True))
    return Outcome(levels_by_score(score), score, _chain_status(chain, game.remarks), details)


def _require_alpha(alpha: float | None) -> None:
    """Raise an error unless alpha is positive, or None for its limit."""
    if alpha is not None:
        require_number("alpha", alpha, "positive and finite, or left out for its limit", above=0)


def log_fixation(u: Floats, m: int = POPULATION) -> Floats:
    r"""Return the logarithm of :math:`(1 - e^{-u}) / (1 - e^{-mu})` without overflow.

    >>> log_fixation(np.array([-1e6, 0.0, 1e6]), m=50).round(4)
    array([-4.900e+07, -3.912e+00,  0.000e+00])
    """
    size = np.maximum(np.abs(u), 1e-14)
    ratio = np.log(-np.expm1(-size)) - np.log(-np.expm1(-m * size))
    return np.where(np.abs(u) < 1e-14, -np.log(m), ratio - (m - 1) * np.maximum(0.0, -u))


# Transitions: from, to, gain of the mutant, and the number of states.
Moves = tuple[Ints, Ints, Floats, int]


def _agent_and_task_moves(S: Floats) -> Moves:
    """Transitions from each pair of an agent and a task to those that differ in one of the two."""
    k, n = S.shape
    limit = "alpha_rank against tasks takes at most {} moves between pairs of an agent and a task"
    require_few(k * n * (k + n - 2), MOST_MOVES, limit, "Use against='agents', or per='task'.")
    return _moves((S, -S))


def fixation_rates(moves: Moves, alpha: float | None) -> csr_array:
    """Fixation probabilities of all transitions, or their limits; negligible ones are left out.

    Transitions without a loss have probability at least 1/m and lead from everywhere to the single sink component. So
    leaving out transitions of probability 1e-20 changes no mass by more than rounding.
    """
    start, end, gain, n = moves
    if alpha is None:
        rate = np.where(gain > 0, 1.0, np.where(gain < 0, 0.0, 1.0 / POPULATION))
    else:
        rate = np.exp(log_fixation(alpha * gain))
    possible = rate > SMALL
    return coo_array((rate[possible], (start[possible], end[possible])), shape=(n, n)).tocsr()


def _settled_alpha(moves: Moves, limit: Floats) -> float | None:
    """The smallest alpha, by halving from a large one, down to which the distribution stays near its limit."""
    size = np.abs(moves[2])
    if len(limit) > SWEPT or not size.any():
        return None
    alpha, settled = 20.0 / float(size[size > 0].min()), None
    for _ in range(60):
        if np.abs(stationary(fixation_rates(moves, alpha)).mass - limit).sum() / 2 > SETTLED:
            break
        alpha, settled = alpha / 2, alpha
    return settled


def _chain_status(chain: Stationary, remarks: tuple[str, ...]) -> str:
    notes = list(remarks)
    if len(chain.classes) > 1:
        notes.append(
            f"the stationary distribution is not unique: the chain has {len(chain.classes):,} recurrent classes, "
            "which count equally"
        )
    if not chain.converged:
        notes.append("the stationary distribution was still changing when iteration stopped")
    return "; ".join(notes) or EXACT


def alpha_rank_populations(payoffs: Sequence[ArrayLike], *, alpha: float | None = None) -> Floats:
    r"""Return the share of time of every outcome of a game, with one evolving population per player (alpha-Rank).

    A population plays one strategy. In one of them a mutant appears, every other strategy equally often, and takes
    over with the fixation probability of `alpha_rank`, given its gain while the other populations stay the same: the
    multi-population model.

    Parameters
    ----------
    payoffs : sequence of arrays
        One per player, each with one axis per player: ``payoffs[p][a, b, ...]`` is the payoff of player *p* if the
        first plays *a*, the second *b*, and so on. Any number of players, any payoffs.
    alpha : float, optional
        Selection strength. By default its limit: better mutants always take over, worse ones never, equal ones with
        probability 1 / 50.

    Returns
    -------
    array of float with one axis per player
        Sums to 1. The mass of a player's strategies is its sum over all other axes.

    See Also
    --------
    alpha_rank : The rating of agents by evaluation data.
    deviation_ratings : Ratings that cloning does not change.

    Examples
    --------
    Matching pennies cycles; the prisoner's dilemma ends in confession.

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
    If the chain has several closed classes, each has equal weight. OpenSpiel instead takes a large `alpha`, which
    separates them by transitions that almost never happen.

    References
    ----------
    S. Omidshafiei et al., "alpha-Rank: Multi-Agent Evaluation by Evolution", *Scientific Reports* 9 (2019).
    """
    _require_alpha(alpha)
    games = require_game(payoffs)
    shape = games[0].shape
    n_moves = games[0].size * sum(size - 1 for size in shape)
    require_few(n_moves, MOST_MOVES, "populations may have {} moves between outcomes", "Leave strategies out.")
    chain = stationary(fixation_rates(_moves(games), alpha))
    return chain.mass.reshape(shape)


def _moves(games: tuple[Floats, ...]) -> tuple[Ints, Ints, Floats, int]:
    """Transitions from each outcome to those that differ in one player's strategy, and the gain of that player."""
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
