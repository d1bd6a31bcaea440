"""Nash averaging: agents scored against the hardest mixture of rivals or tasks."""

from typing import Any

import numpy as np

from beatpath._arrays import Floats
from beatpath.evidence.ties import levels_of
from beatpath.methods.game.payoffs import Payoffs, payoffs
from beatpath.methods.game.zero_sum import Equilibrium, equilibrium, symmetric_equilibrium
from beatpath.methods.profile import Profile
from beatpath.methods.result import Outcome
from beatpath.methods.status import EXACT

ACCURACY = 1e-8  # of the equilibrium, in units of the largest payoff


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
    found = symmetric_equilibrium(game.matrix) if game.tasks is None else equilibrium(game.matrix)
    score = game.matrix @ found.column
    details = {**game.details, **_equilibrium_details(found, profile.agents), **_tasks(game, found)}
    level = levels_of(score, ACCURACY * float(np.abs(game.matrix).max()))
    return Outcome(level, score, "; ".join(game.remarks) or EXACT, details)


def _equilibrium_details(found: Equilibrium, agents: tuple[str, ...]) -> dict[str, Any]:
    return {
        "equilibrium": _support_by_name(agents, found.row),
        "value": found.value,
        "certificate": found.certificate,
        "unique": found.row_unique and found.column_unique,
    }


def _tasks(game: Payoffs, found: Equilibrium) -> dict[str, Any]:
    """Which tasks decide, which are ignored, and how hard each is for the agents' equilibrium."""
    if game.tasks is None:
        return {}
    n = len(game.tasks) + len(game.details["constant_tasks"])
    used = _support_by_name(game.tasks, found.column)
    difficulty = 1.0 - found.row @ game.matrix
    return {
        "task_weights": used,
        "ignored_tasks": 1.0 - len(used) / n,
        "task_difficulty": dict(zip(game.tasks, difficulty.tolist(), strict=True)),
    }


def _support_by_name(names: tuple[str, ...], p: Floats) -> dict[str, float]:
    """The probabilities that are not zero, by name, largest first."""
    order = np.argsort(-p, kind="stable")
    return {names[i]: float(p[i]) for i in order if p[i] > 0}
