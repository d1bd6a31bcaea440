r"""Mean scores over the tasks of a table, paired task by task; where cells are missing, agents plus tasks.

Scores are taken as :math:`x_{at} = \alpha_a + \beta_t + e_{at}` and the score of an agent as its mean over *all* tasks,
:math:`S_a = \alpha_a + \sum_t \pi_t \beta_t`, with :math:`\pi` the tasks' weights: where every cell is there, this is the
plain mean, and where some are not, an agent does not profit from the tasks it was spared. Strengths solve

.. math::  \Big[ \sum_t w_t M_t \Big] \alpha = \sum_t w_t M_t x_t, \qquad M_t = \operatorname{diag}(h_t) - h_t h_t^\top / n_t,

:math:`h_t` telling which of the :math:`n_t` agents have a score on *t*. What leaving a task out does to a score is known to
first order, :math:`u_t = [L^+ w_t e_t - c^\top L^+ w_t e_t] + \pi_t (\beta_t - \bar\beta)` with :math:`c = \sum_t \pi_t h_t /
n_t`, and :math:`\operatorname{cov}(S) = \sum_t u_t u_t^\top / (1 - \ell_t)^\gamma`, :math:`\ell_t` the mean leverage of the
task: :math:`\gamma = 1` where every cell is there, the exact correction :math:`T / (T - 1)`, and 2, the jackknife's, where
some are not. Tasks that belong together, such as items of one task, are added up first.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from beatpath._arrays import Bools, Floats, Ints
from beatpath._errors import DataError, UsageError
from beatpath._text import counted, quoted, suggestion
from beatpath.evidence import Convention, Evidence, Scores
from beatpath.evidence.conventions import DEFAULT, Conventions, task_weights
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.win_rates.estimate import COMPARED

FEW_TASKS = 0.2  # share of the tasks that must make up the differences of means


def mean_scores(
    evidence: Evidence, chosen: Conventions = DEFAULT, cluster: str | Sequence[str] | None = "auto"
) -> Leaderboard:
    """Return mean scores over tasks with their covariance, tasks (or what they belong to) being the clusters.

    >>> table = [[0.9, 0.7, 0.8], [0.6, 0.4, 0.5]]  # always 0.3 apart
    >>> board = mean_scores(Scores.from_table(table, ["ada", "bob"], ["x", "y", "z"]))
    >>> board.score.round(2), bool(abs(board.variance_of_differences[0, 1]) < 1e-12)
    (array([0.8, 0.5]), True)

    Bob has no score on the hard task, and does not profit.

    >>> table = [[0.9, 0.7, 0.2], [0.9, 0.7, np.nan]]
    >>> mean_scores(Scores.from_table(table, ["ada", "bob"], ["x", "y", "z"])).score.round(2)
    array([0.6, 0.6])
    """
    made = task_means(evidence, chosen, cluster)
    return Leaderboard(
        evidence.agents,
        made.score,
        made.moved @ made.moved.T,
        _degrees_of_means(made.share),
        made.estimand,
        {"estimand": "mean_score", "cluster": [made.cluster]},
        made.conventions,
        made.notes,
        made.bounds,
    )


@dataclass(frozen=True, slots=True, eq=False)
class TaskMeans:
    """Mean scores, and what their errors are made of.

    Parameters
    ----------
    score : (n,) float
    moved : (n, clusters) float
        What every task, or cluster of tasks, does to every mean: errors have the covariance ``moved @ moved.T``.
    share : (n, clusters) float
        How much every cluster weighs in a mean, for degrees of freedom.
    estimand, cluster : str
        What a mean is, and what the clusters are.
    conventions, notes, bounds
        As a board has them.
    """

    score: Floats
    moved: Floats
    share: Floats
    estimand: str
    cluster: str
    conventions: tuple[Convention, ...]
    notes: tuple[str, ...]
    bounds: tuple[float, float]

    @property
    def stderr(self) -> Floats:
        """The standard error of every mean."""
        return np.sqrt((self.moved**2).sum(axis=1))

    @property
    def degrees(self) -> Floats:
        """Effective number of clusters behind every mean less one, at least one."""
        v = self.share**2
        return np.maximum(v.sum(axis=1) ** 2 / (v**2).sum(axis=1) - 1, 1.0)


def task_means(
    evidence: Evidence, chosen: Conventions = DEFAULT, cluster: str | Sequence[str] | None = "auto"
) -> TaskMeans:
    """Return mean scores over tasks and what every task does to them; nothing of the size of all pairs."""
    if not isinstance(evidence, Scores):
        raise DataError(
            f"`estimand='mean_score'` needs a table of scores; {evidence.kind} have none. Use `mean_win_rate`."
        )
    per = evidence.who_votes(chosen.per)
    table, tasks = evidence.table(per)
    signs = evidence.voter_signs(per)
    table, together = table * signs, _belong_together(evidence, per, cluster)
    held = ~np.isnan(table)
    if chosen.missing == "drop_task":
        kept = held.all(axis=0)
        table, held, tasks = table[:, kept], held[:, kept], tuple(np.array(tasks, dtype=object)[kept])
        together = (together[0], together[1][kept])
    _require_comparable(evidence.agents, held, per)
    weight, made = task_weights(tasks, chosen.weights) if chosen.weights else (np.ones(len(tasks)), None)
    shares = bool(np.isin(table[held], (0.0, 1.0)).all())
    score, moved = additive_means(table, weight)
    number = int(together[1].max()) + 1
    by_cluster = np.stack([np.bincount(together[1], row, number) for row in moved])
    share = np.stack([np.bincount(together[1], row, number) for row in held * weight])
    few = number / (number - 1) if number < held.shape[1] else 1.0
    return TaskMeans(
        score,
        np.sqrt(few) * by_cluster,
        share / share.sum(axis=1, keepdims=True),
        f"per cent of {per}s with score 1, compared {per} by {per}"
        if shares
        else f"mean score over {per}s, compared {per} by {per}",
        together[0],
        evidence.conventions if made is None else (*evidence.conventions, made),
        tuple(_means_said(held, signs, per)),
        (0.0, 1.0) if shares else (-np.inf, np.inf),
    )


def additive_means(table: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Return the mean of every agent over all tasks, and what every task does to it, (n, tasks), correction included.

    >>> score, moved = additive_means(np.array([[1.0, 3.0], [0.0, 1.0]]), np.ones(2))
    >>> score, float((moved @ moved.T)[0, 0].round(9))  # the variance of 1 and 3 over their number
    (array([2. , 0.5]), 1.0)
    """
    held, pi = ~np.isnan(table), weight / weight.sum()
    if held.all() and len(table) > 1:
        score = table @ pi
        return score, pi * (table - score[:, None]) / np.sqrt(1 - np.minimum(pi, 0.9))
    if len(table) > COMPARED:
        raise DataError(
            f"means over tasks with empty cells are worked out for at most {COMPARED:,} agents; there are {len(table):,}. "
            "Choose agents with `only`, or keep the tasks that all have with `missing='drop_task'`."
        )
    n_t, w, h = held.sum(axis=0), weight, held.astype(np.float64)
    inverse = np.linalg.pinv(np.diag(h @ w) - (h * (w / n_t)) @ h.T, hermitian=True)
    mean = np.where(held, table, 0.0).sum(axis=0) / n_t
    alpha = inverse @ (np.where(held, table - mean, 0.0) @ w)
    beta = mean - (alpha @ h) / n_t
    moved = inverse @ (np.where(held, table - alpha[:, None] - beta, 0.0) * w)
    moved = moved - (((h / n_t) @ pi) @ moved)[None, :] + (pi * (beta - pi @ beta))[None, :]
    own = np.diag(inverse) @ h - np.einsum("at,ab,bt->t", h, inverse, h) / n_t
    leverage = np.clip(w * own / np.maximum(n_t - 1, 1), 0.0, 0.9) if len(table) > 1 else pi
    return alpha + pi @ beta, moved * (1 - leverage) ** (-0.5 if held.all() else -1.0)


def one_unit(table: Floats) -> bool:
    r"""Return whether a mean over tasks is about all of them, and not about the few whose scores are largest.

    With :math:`v_t` the variance of the agents' scores on a task, :math:`(\sum_t v_t)^2 / \sum_t v_t^2` tasks make up the
    differences of means; tasks of one unit are taken to be many that way, and of units of their own few.

    >>> points = np.array([[1.0, 2.0, 3.0, 1.0, 2.0], [2.0, 1.0, 1.0, 3.0, 3.0]])
    >>> one_unit(points), one_unit(np.tile(points, 4) * ([1] * 19 + [1000]))
    (True, False)
    """
    held = ~np.isnan(table)
    n = np.maximum(held.sum(axis=0), 1)
    mean = np.where(held, table, 0.0).sum(axis=0) / n
    v = np.where(held, table - mean, 0.0) ** 2
    total = v.sum(axis=0) / n
    return bool(total.sum() ** 2 >= FEW_TASKS * len(total) * (total**2).sum()) or len(total) < 4


def _belong_together(scores: Scores, per: str, cluster: str | Sequence[str] | None) -> tuple[str, Ints]:
    """The column whose tasks or items belong together, and the code of each; items of one task do."""
    name = scores.cluster(per, cluster)
    if name is None:
        return per, np.arange(len(scores.voters(per).levels))
    if not isinstance(name, str):
        raise UsageError(f"mean scores take one column of clusters; got {', '.join(map(quoted, name))}.")
    column = scores.by_voter(per).get(name)
    if column is None:
        raise UsageError(
            f"`cluster` must be a column in which every {per} has one name ({', '.join(scores.by_voter(per))}); got "
            f"{quoted(name)}.{suggestion(name, scores.by_voter(per))}"
        )
    if len(column.levels) < 2:
        raise UsageError(f"errors by {name} need at least two {name}s; all {per}s are in one.")
    return name, np.unique(column.codes, return_inverse=True)[1].astype(np.int64)


def _require_comparable(agents: Sequence[str], held: Bools, per: str) -> None:
    """Raise unless every agent has two scores and every two agents are connected by tasks they share."""
    if (held.sum(axis=1) < 2).any():
        who = agents[int(np.argmin(held.sum(axis=1)))]
        raise DataError(
            f"a mean score needs at least two {per}s for every agent; {quoted(who)} has {int(held.sum(axis=1).min())}. One "
            f"{per} says nothing of how scores vary: leave the agent out with `--without`."
        )
    a, t = np.nonzero(held)
    both = csr_array((np.ones(len(a)), (a, len(held) + t)), shape=(sum(held.shape),) * 2)
    part = connected_components(both, directed=False)[1][: len(held)]
    if part.any():
        one, other = (agents[int(np.argmax(part == k))] for k in (part[0], part[part != part[0]][0]))
        raise DataError(
            f"mean scores need {per}s that connect all agents; nothing connects {quoted(one)} and {quoted(other)}. Choose agents "
            "with `--only`."
        )


def _means_said(held: Bools, signs: Floats, per: str) -> list[str]:
    """What a reader must know of the means."""
    notes = []
    if not held.all():
        notes.append(
            f"{int((~held).sum()):,} of {held.size:,} cells of the table are empty: scores are means over all {per}s of what "
            f"agents plus {per}s say, so that nobody profits from the {per}s it was spared."
        )
    if (signs < 0).any():
        notes.append(f"Scores of {counted(int((signs < 0).sum()), per)} where lower is better count with a minus sign.")
    return notes


def _degrees_of_means(share: Floats) -> Floats:
    """Effective number of clusters less one, behind every difference and, on the diagonal, every mean; at least one."""
    v = share**2
    square, total = v @ v.T, v.sum(axis=1)
    both, own = np.add.outer(total, total), np.diag(square)
    joint = np.add.outer(own, own) + 2 * square
    np.fill_diagonal(both, total)
    np.fill_diagonal(joint, own)
    return np.maximum(both**2 / joint - 1, 1.0)
