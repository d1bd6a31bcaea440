"""Games from evaluation data, and ratings by them: Nash averaging and deviation ratings.

Nash averaging scores agents against the maximum-entropy equilibrium of rivals or tasks. Deviation ratings score
agents by their gains in the strictest equilibrium, the mixture that minimizes the largest gain, then the next
largest, and so on.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from beatpath._arrays import Bools, Floats
from beatpath._errors import DataError, UsageError
from beatpath._text import counted
from beatpath._validate import require_choice, require_few
from beatpath.evidence.ties import levels_of
from beatpath.methods.game.zero_sum import equilibrium, symmetric_equilibrium
from beatpath.methods.numeric.linear_program import linear_program
from beatpath.methods.profile import Profile
from beatpath.methods.result import EXACT, Outcome

# What agents may play against; how missing scores are filled, by policy.
AGAINST = ("auto", "agents", "tasks")
FILLED = {
    "last": "the lowest score on the task",
    "unranked": "the mean score on the task",
    "error": "the mean score on the task",
}


@dataclass(frozen=True, slots=True, eq=False)
class Payoffs:
    """A payoff matrix: one row per agent, one column per rival or task.

    Attributes
    ----------
    matrix : (agents, columns) float
        Against agents antisymmetric; against tasks between 0 and 1.
    tasks : tuple of str or None
        Names of the columns, None if they are the agents.
    details : mapping
        How it was computed, as plain data.
    remarks : tuple of str
        Sentences for the status.
    """

    matrix: Floats
    tasks: tuple[str, ...] | None
    details: dict[str, Any] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()


def payoffs(profile: Profile, against: str) -> Payoffs:
    """Build the game against rivals or tasks; "auto" is tasks if there is a score table."""
    require_choice("against", against, AGAINST)
    if against == "tasks" or (against == "auto" and profile.scores is not None):
        return against_tasks(profile)
    return against_agents(profile)


def against_agents(profile: Profile) -> Payoffs:
    r"""Return the mean margin of an agent against each rival, between -1 and 1.

    .. math::  A_{ab} = \frac{N_{ab} - N_{ba}}{N_{ab} + N_{ba}} = 2 P_{ab} - 1,

    zero for a pair never compared directly. Margins without counts are payoffs already and are used unchanged.
    """
    M = profile.margins.matrix
    if profile.pairs is None:
        return Payoffs((M - M.T) / 2, None, {"against": "agents", "payoff": "margins as given"})
    met = profile.wins + profile.wins.T
    A = np.divide(M, met, out=np.zeros_like(M), where=met > 0)
    return Payoffs((A - A.T) / 2, None, {"against": "agents", "payoff": "mean margin of a comparison"})


def against_tasks(profile: Profile) -> Payoffs:
    r"""Return the score table with every task rescaled from 0, its lowest score, to 1, its highest.

    Tasks on which all agents score the same cannot be rescaled and separate no agents, so they are left out. Missing
    cells follow the profile's policy for missing scores: the lowest score on the task for "last", otherwise its mean,
    or the task is left out with "drop_task".
    """
    if profile.scores is None:
        raise DataError("playing against tasks needs a score table; this evidence has none. Use against='agents'.")
    table, names, missing = profile.score_table()
    keep = ~np.isnan(table).all(axis=0)
    table, named = table[:, keep], np.array(names, dtype=object)[keep]
    hole = np.isnan(table)
    fill = np.nanmin(table, axis=0) if missing == "last" else np.nanmean(table, axis=0)
    table = np.where(hole, fill, table)
    low, high = table.min(axis=0), table.max(axis=0)
    flat = high <= low
    matrix = (table[:, ~flat] - low[~flat]) / (high - low)[~flat]

    details: dict[str, Any] = {
        "against": "tasks",
        "payoff": "scores stretched to run from 0 to 1 on each task",
        "constant_tasks": named[flat].tolist(),
        "filled_cells": int(hole.sum()),
    }
    remarks = []
    if flat.any():
        remarks.append(f"{counted(int(flat.sum()), 'task')} on which all agents score the same left out")
    if hole.any():
        details["filled_with"] = FILLED[missing]
        remarks.append(f"{counted(int(hole.sum()), 'missing score')} taken as {FILLED[missing]}")
    if any(one.name == "weights" for one in profile.conventions):
        remarks.append("task weights not used: the game weighs the tasks")
    return Payoffs(matrix, tuple(named[~flat]), details, tuple(remarks))


NASH_ACCURACY = 1e-8  # accuracy of the equilibrium relative to the largest payoff


def nash_averaging(profile: Profile, *, against: str = "auto", iterated: bool = False) -> Outcome:
    r"""Rank agents by Nash averaging: their payoff against the opponent's maximum-entropy equilibrium strategy.

    Against agents, with :math:`A = -A^\top` and :math:`p^*` the maximum-entropy equilibrium, the scores are :math:`A
    p^*`: zero for every agent in the equilibrium, at most zero for all others [1]_. Against tasks, with scores
    :math:`S` and :math:`q^*` the task player's maximum-entropy equilibrium strategy, they are :math:`S q^*`. The task
    player chooses the tasks on which agents do badly, and often ignores most others; VasE calls this adversarial task
    selection [2]_, and the details state how much of the data is unused.

    Parameters
    ----------
    profile : Profile
        Any evidence with margins, or a score table.
    against : {"auto", "agents", "tasks"}
        What agents play against; "auto" (default) is tasks if there is a score table.
    iterated : bool
        Whether to remove the agents of the equilibrium, which share the first level, and to repeat with the rest, as `iml`
        does with lotteries; proposed in VasE's appendix [2]_. The score is then the level, 1 at the bottom, and the
        details of each ``round`` are its ``value`` and, against tasks, ``task_weights``.

    Returns
    -------
    Outcome
        Scores that differ by less than 1e-8 of the largest payoff share a level. Details, besides how the payoffs
        were computed: ``equilibrium``, the agents' own probabilities; ``value``; ``certificate``, the distance from
        an exact equilibrium relative to the largest payoff; ``unique``; and against tasks ``task_weights``, the tasks
        with weight; ``ignored_tasks``, the share of tasks without; ``task_difficulty``, one minus the payoff of the
        agents' equilibrium on each task.

    Examples
    --------
    Only Ada does well on both tasks, and is sure of 0.8.

    >>> from beatpath import Scores
    >>> from beatpath.methods.profile import profile_of
    >>> table = [[0.8, 0.8], [1.0, 0.0], [0.0, 1.0]]
    >>> nash_averaging(profile_of(Scores.from_table(table, ["ada", "bob", "cyd"], ["math", "code"]))).score
    array([0.8, 0.5, 0.5])

    Notes
    -----
    Payoffs against agents are mean margins, :math:`2P - 1`, instead of the log odds that [1]_ uses for win rates,
    since log odds of 0 and 1 are infinite. Ties at the top are the rule, since all agents in an equilibrium have the
    same payoff.

    References
    ----------
    .. [1] D. Balduzzi et al., "Re-evaluating Evaluation", *NeurIPS* 2018, arXiv:1806.02643.
    .. [2] M. Lanctot et al., "Evaluating Agents using Social Choice Theory" (VasE), 2023, arXiv:2312.03121.
    """
    game = payoffs(profile, against)
    if not game.matrix.shape[1]:
        score = np.zeros(len(profile.agents))
        return Outcome(levels_of(score), score, "no task tells the agents apart: all are tied", game.details)
    if iterated:
        return _iterated(game, len(profile.agents))
    solution = symmetric_equilibrium(game.matrix) if game.tasks is None else equilibrium(game.matrix)
    score = game.matrix @ solution.column
    details = {
        **game.details,
        "equilibrium": _support_by_name(profile.agents, solution.row),
        "value": solution.value,
        "certificate": solution.certificate,
        "unique": solution.row_unique and solution.column_unique,
    }
    if game.tasks is not None:  # task weights, ignored tasks, and the difficulty of each for the agents' equilibrium
        used, n = _support_by_name(game.tasks, solution.column), len(game.tasks) + len(game.details["constant_tasks"])
        difficulty = 1.0 - solution.row @ game.matrix
        details |= {
            "task_weights": used,
            "ignored_tasks": 1.0 - len(used) / n,
            "task_difficulty": dict(zip(game.tasks, difficulty.tolist(), strict=True)),
        }
    level = levels_of(score, NASH_ACCURACY * float(np.abs(game.matrix).max()))
    return Outcome(level, score, "; ".join(game.remarks) or EXACT, details)


def _iterated(game: Payoffs, n: int) -> Outcome:
    """Levels by the round in which the maximum-entropy equilibrium of the remaining agents has an agent."""
    level, left = np.zeros(n, dtype=np.int64), np.arange(n)
    rounds: list[dict[str, Any]] = []
    while left.size:
        if game.tasks is None:
            solution = symmetric_equilibrium(game.matrix[np.ix_(left, left)])
            rounds.append({"value": solution.value})
        else:
            solution = equilibrium(game.matrix[left])
            rounds.append({"value": solution.value, "task_weights": _support_by_name(game.tasks, solution.column)})
        chosen = solution.row > 0
        level[left[chosen]], left = len(rounds) - 1, left[~chosen]
    details = {**game.details, "rounds": rounds}
    return Outcome(level, (len(rounds) - level).astype(np.float64), "; ".join(game.remarks) or EXACT, details)


def _support_by_name(names: tuple[str, ...], p: Floats) -> dict[str, float]:
    """The nonzero probabilities by name, largest first."""
    order = np.argsort(-p, kind="stable")
    return {names[i]: float(p[i]) for i in order if p[i] > 0}


PRICED = 1e-7  # dual value above which a row is tight under every optimal mixture
ROOM = 1e-11  # slack of settled rows, relative to the largest gain


def strictest_gains(gain: Floats) -> Floats:
    r"""Return the gains :math:`G p` whose sorted vector is lexicographically smallest, over probability vectors *p*.

    The largest gain is minimized first, then the next, and so on. The gains are unique, though *p* need not be. For a
    matrix game this is the nucleolus [1]_.

    Parameters
    ----------
    gain : (k, n) float
        Gain of row *i* under the pure choice of column *j*.

    Returns
    -------
    (k,) float

    Examples
    --------
    The largest gain is at least 1; among the mixtures that achieve it, the second column minimizes the second row.

    >>> strictest_gains(np.array([[1.0, 1.0], [0.0, -1.0]]))
    array([ 1., -1.])

    Notes
    -----
    Each linear program minimizes the bound on the gains not settled yet, and settles those whose row has a positive
    dual value, since these reach the bound under every optimal mixture. At most *k* programs.

    References
    ----------
    .. [1] J. A. M. Potters and S. H. Tijs, "The nucleolus of a matrix game and other nucleoli", *Mathematics of Operations
           Research* 17 (1992), 164-174.
    """
    largest = float(np.abs(gain).max(initial=0.0))
    if not largest:
        return np.zeros(len(gain))
    gain = gain / largest
    gains = np.full(len(gain), np.inf)
    while np.isinf(gains).any():
        bound, tight = _smallest_bound(gain, gains)
        gains[tight] = bound
    return gains * largest


def _smallest_bound(gain: Floats, settled: Floats) -> tuple[float, Bools]:
    """The smallest bound on the unsettled gains, and the rows that reach it under every optimal mixture."""
    k, n = gain.shape
    free = np.isinf(settled)
    rows = np.zeros((k + 1, n + 1))
    rows[:k, :n], rows[:k, n], rows[k, :n] = gain, -free.astype(np.float64), 1.0
    high = np.append(np.where(free, 0.0, settled + ROOM), 1.0)
    low = np.append(np.full(k, -np.inf), 1.0)
    cost = np.append(np.zeros(n), 1.0)
    x, price = linear_program(
        cost, rows, low, high, x_low=np.append(np.zeros(n), -1.0), x_high=np.append(np.ones(n), 1.0)
    )
    priced = np.where(free, np.abs(price[:k]), 0.0)
    return float(x[n]), free & (priced >= min(PRICED, float(priced.max())))


ACCURACY = 1e-7  # accuracy of gains relative to the largest payoff
MOST_CELLS = 4_000_000  # limit on strategies of all players, times outcomes


def deviation(profile: Profile, *, against: str = "auto") -> Outcome:
    r"""Rank agents by deviation ratings.

    A rating is the gain, at most zero, against the strictest equilibrium of rivals or tasks.

    Two players choose an agent and a rival, or an agent and a task, in a zero-sum game. The rating is that of
    `deviation_ratings` for the player that chooses the agent, which for such games is

    .. math::  r = A q^* - v,

    with *v* the value and :math:`q^*` the optimal mixture under which the sorted gains are smallest [1]_: zero for
    agents that the equilibrium needs, and as low as possible for all others.

    Parameters
    ----------
    profile : Profile
        Any evidence with margins, or a score table.
    against : {"auto", "agents", "tasks"}
        What agents play against; "auto" (default) is tasks if there is a score table.

    Returns
    -------
    Outcome
        Ratings that differ by less than 1e-7 of the largest payoff share a level. Details state how the payoffs were
        computed.

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
    At most as many linear programs as agents. Nash averaging uses the optimal mixture of maximum entropy, which
    cloning an agent may change; here cloning an agent or a task changes no rating.

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
    r"""Rate the strategies of every player by their gain from deviating from the strictest equilibrium.

    With :math:`\sigma` a probability over outcomes, a player that always plays :math:`a'` instead gains

    .. math::  \delta_p^\sigma(a') = \sum_a \sigma(a) \left[ G_p(a', a_{-p}) - G_p(a) \right].

    If no gain is positive, :math:`\sigma` is a coarse correlated equilibrium. The strictest one minimizes the largest
    gain, then the next largest, and so on; a strategy's rating is its gain there.

    Parameters
    ----------
    payoffs : sequence of arrays
        One per player, each with one axis per player: ``payoffs[p][a, b, ...]`` is the payoff of player *p* if the
        first plays *a*, the second *b*, and so on. Any number of players, any payoffs.

    Returns
    -------
    tuple of (n_p,) float
        A rating for every strategy of every player, at most zero; closer to zero is better.

    See Also
    --------
    payoff_ratings : Ratings in units of payoffs.

    Examples
    --------
    The prisoner's dilemma: silence costs one, or two.

    >>> G = np.array([[2.0, 0.0], [3.0, 1.0]])  # silence, confession
    >>> [ratings.round(6) + 0.0 for ratings in deviation_ratings([G, G.T])]
    [array([-1.,  0.]), array([-1.,  0.])]

    Notes
    -----
    Ratings exist and are unique. A clone of a strategy gets the rating of the original and changes no other; so does
    any mixture of strategies, which is rated no better than the best of them. Adding to a player's payoffs a function
    of the others' strategies changes nothing. At most as many linear programs, over all outcomes, as there are
    strategies.

    References
    ----------
    L. Marris et al., "Deviation ratings: a general, clone-invariant rating method", 2025, arXiv:2502.11645.
    """
    games = require_game(payoffs)
    gains = [gains_of_player(game, player) for player, game in enumerate(games)]
    size = sum(map(len, gains)) * gains[0].shape[1]
    require_few(size, MOST_CELLS, "a game may have {} strategies times outcomes", "Leave strategies out.")
    values = strictest_gains(np.concatenate(gains))
    return tuple(np.split(values, np.cumsum([len(one) for one in gains])[:-1]))


def require_game(payoffs: Sequence[ArrayLike]) -> tuple[Floats, ...]:
    """Return the payoffs of a game as arrays, or raise an error if they are not a game.

    >>> require_game([[[1, 2]], [[1, 2]], [[1, 2]]])
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `payoffs` must be an array a player, each with as many axes as players and all of one shape; \
got 3 of shapes (1, 2), (1, 2), (1, 2).
    """
    try:
        games = tuple(np.asarray(game, dtype=np.float64) for game in payoffs)
    except (TypeError, ValueError):
        raise UsageError(
            f"`payoffs` must be an array of numbers a player; got {type(payoffs).__name__}. For battles use `bp.rank`."
        ) from None
    shapes = [game.shape for game in games]
    if not games or len(set(shapes)) > 1 or len(shapes[0]) != len(games) or 0 in shapes[0]:
        text = ", ".join(map(str, shapes[:4])) or "none"
        raise UsageError(
            "`payoffs` must be an array a player, each with as many axes as players and all of one shape; got "
            f"{len(games)} of shapes {text}."
        )
    if not all(np.isfinite(game).all() for game in games):
        raise UsageError("`payoffs` must be finite numbers; some are not.")
    return games


def gains_of_player(game: Floats, player: int) -> Floats:
    """Return the gain of each strategy of a player on each outcome, shape (strategies, outcomes).

    >>> gains_of_player(np.array([[2.0, 0.0], [3.0, 1.0]]), 0)
    array([[ 0.,  0., -1., -1.],
           [ 1.,  1.,  0.,  0.]])
    """
    steps = [game.take([a], axis=player) - game for a in range(game.shape[player])]
    return np.stack(steps).reshape(game.shape[player], -1)
