"""The games that evaluation data make, and ratings by them: Nash averaging and deviation ratings.

Nash averaging: agents scored against the hardest mixture of rivals or tasks.

The mixture under which the largest of many linear gains is as small as can be, then the next, and so on.

Deviation ratings: what an agent would gain by stepping out of the strictest equilibrium.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from beatpath._arrays import Bools, Floats
from beatpath._errors import DataError, UsageError
from beatpath._text import counted
from beatpath._validate import require_choice
from beatpath.evidence.ties import levels_of
from beatpath.methods.game.zero_sum import equilibrium, symmetric_equilibrium
from beatpath.methods.numeric.linear_program import linear_program
from beatpath.methods.profile import Profile
from beatpath.methods.result import EXACT, Outcome

AGAINST = ("auto", "agents", "tasks")
FILLED = {
    "last": "the lowest score on the task",
    "unranked": "the mean score on the task",
    "error": "the mean score on the task",
}


@dataclass(frozen=True, slots=True, eq=False)
class Payoffs:
    """What agents get: a row an agent, a column a rival or a task.

    Attributes
    ----------
    matrix : (agents, columns) float
        Against agents equal to minus its transpose; against tasks between 0 and 1.
    tasks : tuple of str or None
        Names of the columns that take part, None when they are the agents.
    details : mapping
        How it was made, as plain data.
    remarks : tuple of str
        Sentences for the status.
    """

    matrix: Floats
    tasks: tuple[str, ...] | None
    details: dict[str, Any] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()


def payoffs(profile: Profile, against: str) -> Payoffs:
    """Make the game against rivals or tasks; "auto" takes tasks when there is a score table."""
    require_choice("against", against, AGAINST)
    if against == "tasks" or (against == "auto" and profile.scores is not None):
        return against_tasks(profile)
    return against_agents(profile)


def against_agents(profile: Profile) -> Payoffs:
    r"""Return what an agent wins from each rival on average, between -1 and 1.

    .. math::  A_{ab} = \frac{N_{ab} - N_{ba}}{N_{ab} + N_{ba}} = 2 P_{ab} - 1,

    zero for a pair that never met. Margins given without counts are taken as they are: they are payoffs already.
    """
    M = profile.margins.matrix
    if profile.pairs is None:
        return Payoffs((M - M.T) / 2, None, {"against": "agents", "payoff": "margins as given"})
    met = profile.wins + profile.wins.T
    A = np.divide(M, met, out=np.zeros_like(M), where=met > 0)
    return Payoffs((A - A.T) / 2, None, {"against": "agents", "payoff": "mean margin of a comparison"})


def against_tasks(profile: Profile) -> Payoffs:
    r"""Return the score table with every task stretched to run from 0, the lowest score on it, to 1, the highest.

    Tasks on which all agents score the same would divide by zero and, at 0, would be the task player's best choice
    against everybody; they tell no agents apart and are left out. Empty cells follow the profile's policy for missing
    scores: the lowest score on the task for "last", else its mean, or no such tasks with "drop_task".
    """
    if profile.scores is None:
        raise DataError("playing against tasks needs a score table; this evidence has none. Use against='agents'.")
    table, names, missing = profile.score_table()
    keep = ~np.isnan(table).all(axis=0)
    table, names = table[:, keep], tuple(np.array(names, dtype=object)[keep])
    hole = np.isnan(table)
    fill = np.nanmin(table, axis=0) if missing == "last" else np.nanmean(table, axis=0)
    table = np.where(hole, fill, table)
    low, high = table.min(axis=0), table.max(axis=0)
    flat = high <= low
    matrix = (table[:, ~flat] - low[~flat]) / (high - low)[~flat]

    details: dict[str, Any] = {
        "against": "tasks",
        "payoff": "scores stretched to run from 0 to 1 on each task",
        "constant_tasks": [name for name, yes in zip(names, flat, strict=True) if yes],
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
    names_kept = tuple(name for name, yes in zip(names, ~flat, strict=True) if yes)
    return Payoffs(matrix, names_kept, details, tuple(remarks))


NASH_ACCURACY = 1e-8  # of the equilibrium, in units of the largest payoff


def nash_averaging(profile: Profile, *, against: str = "auto") -> Outcome:
    r"""Rank agents by what they get against the opponent's maximum-entropy equilibrium strategy.

    Against agents, with :math:`A = -A^\top` and :math:`p^*` the maximum-entropy equilibrium, the scores are
    :math:`A p^*`: zero for every agent in the equilibrium, negative or zero for all others [1]_. Against tasks, with
    scores :math:`S` and :math:`q^*` the task player's maximum-entropy equilibrium strategy, they are :math:`S q^*`. The
    task player seeks the tasks on which agents do badly, and often ignores most of the others; VasE calls this
    adversarial task selection [2]_, and the details say how much of the data it leaves unused.

    Parameters
    ----------
    profile : Profile
    against : {"auto", "agents", "tasks"}
        "auto" plays against tasks when there is a score table.

    Returns
    -------
    Outcome
        Scores that differ by less than 1e-8 of the largest payoff share a level. Details, besides how the payoffs were made:
        ``equilibrium``, the agents' own probabilities; ``value``; ``certificate``, what is missing to an exact
        equilibrium over the largest payoff; ``unique``; and against tasks ``task_weights``, the tasks that decide;
        ``ignored_tasks``, the share of tasks with no weight; ``task_difficulty``, one minus what the agents'
        equilibrium gets on each task.

    Examples
    --------
    Nobody does well on both tasks but Ada, who is sure of 0.8.

    >>> from beatpath import Scores
    >>> from beatpath.methods.profile import profile_of
    >>> table = [[0.8, 0.8], [1.0, 0.0], [0.0, 1.0]]
    >>> nash_averaging(profile_of(Scores.from_table(table, ["ada", "bob", "cyd"], ["maths", "code"]))).score
    array([0.8, 0.5, 0.5])

    Notes
    -----
    Payoffs against agents are mean margins of a comparison, :math:`2P - 1`, rather than the log-odds that [1]_ uses
    for win rates: log-odds of 0 and 1 are infinite. Ties at the top are the rule, since equilibrium makes all agents
    in it worth the same.

    References
    ----------
    .. [1] D. Balduzzi et al., "Re-evaluating Evaluation", *NeurIPS* 2018, arXiv:1806.02643.
    .. [2] M. Lanctot et al., "Evaluating Agents using Social Choice Theory" (VasE), 2023, arXiv:2312.03121.
    """
    game = payoffs(profile, against)
    if not game.matrix.shape[1]:
        score = np.zeros(len(profile.agents))
        return Outcome(levels_of(score), score, "no task tells the agents apart: all are tied", game.details)
    solution = symmetric_equilibrium(game.matrix) if game.tasks is None else equilibrium(game.matrix)
    score = game.matrix @ solution.column
    details = {
        **game.details,
        "equilibrium": _support_by_name(profile.agents, solution.row),
        "value": solution.value,
        "certificate": solution.certificate,
        "unique": solution.row_unique and solution.column_unique,
    }
    if (
        game.tasks is not None
    ):  # which tasks decide, which are ignored, and how hard each is for the agents' equilibrium
        used, n = _support_by_name(game.tasks, solution.column), len(game.tasks) + len(game.details["constant_tasks"])
        difficulty = 1.0 - solution.row @ game.matrix
        details |= {
            "task_weights": used,
            "ignored_tasks": 1.0 - len(used) / n,
            "task_difficulty": dict(zip(game.tasks, difficulty.tolist(), strict=True)),
        }
    level = levels_of(score, NASH_ACCURACY * float(np.abs(game.matrix).max()))
    return Outcome(level, score, "; ".join(game.remarks) or EXACT, details)


def _support_by_name(names: tuple[str, ...], p: Floats) -> dict[str, float]:
    """The probabilities that are not zero, by name, largest first."""
    order = np.argsort(-p, kind="stable")
    return {names[i]: float(p[i]) for i in order if p[i] > 0}


PRICED = 1e-7  # a price above which a row is tight under every best mixture
ROOM = 1e-11  # by which rows that are settled may be exceeded, over the largest gain


def strictest_gains(gain: Floats) -> Floats:
    r"""Return the gains :math:`G p` of which the sorted vector is the smallest, over all probability vectors *p*.

    Compared is the largest gain first, then the next, and so on; the gains themselves are unique, though *p* need not be. For
    a matrix game this is the nucleolus [1]_.

    Parameters
    ----------
    gain : (k, n) float
        What row *i* gains under the pure choice of column *j*.

    Returns
    -------
    (k,) float

    Examples
    --------
    The largest gain is at least 1, at the second column or any mixture with it; the second row is then as small as can be.

    >>> strictest_gains(np.array([[1.0, 1.0], [0.0, -1.0]]))
    array([ 1., -1.])

    Notes
    -----
    Linear programs: each finds the smallest bound on the gains not settled yet, and settles those whose row has a price, for
    these reach the bound under every best mixture. At most *k* programs.

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
    """The smallest bound on the gains not settled, given those that are, and the rows that reach it whatever the mixture."""
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
    values = strictest_gains(np.concatenate(gains))
    return tuple(np.split(values, np.cumsum([len(one) for one in gains])[:-1]))


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
        text = ", ".join(map(str, shapes[:4])) or "none"
        raise UsageError(
            "`payoffs` must be an array a player, each with as many axes as players and all of one shape; got "
            f"{len(games)} of shapes {text}."
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
