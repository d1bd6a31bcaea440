"""Mean scores over the tasks of a table, paired task by task."""

import numpy as np

from beatpath._errors import DataError
from beatpath._text import counted, quoted
from beatpath.evidence import Evidence, Scores
from beatpath.evidence.conventions import Conventions, task_weights
from beatpath.inference.leaderboard import Array, Leaderboard
from beatpath.methods.profile import DEFAULT


def mean_scores(evidence: Evidence, chosen: Conventions = DEFAULT) -> Leaderboard:
    r"""Return mean scores over tasks with their covariance, tasks being the clusters.

    With complete rows :math:`\operatorname{cov}(S_a, S_b) = \sum_t (x_{at} - S_a)(x_{bt} - S_b) / (T (T - 1))`: errors of
    differences are those of paired differences.

    >>> table = [[0.9, 0.7, 0.8], [0.6, 0.4, 0.5]]  # always 0.3 apart
    >>> board = mean_scores(Scores.from_table(table, ["ada", "bob"], ["x", "y", "z"]))
    >>> board.score.round(2), bool(abs(board.variance_of_differences[0, 1]) < 1e-12)
    (array([0.8, 0.5]), True)
    """
    if not isinstance(evidence, Scores):
        raise DataError(f"`estimand='mean_score'` needs a table of scores; {evidence.kind} have none. Use `uniform`.")
    per = evidence.who_votes(chosen.per)
    table, tasks = evidence.table(per)
    signs = evidence.voter_signs(per)
    table = table * signs
    held = ~np.isnan(table)
    if chosen.missing == "drop_task":
        kept = held.all(axis=0)
        table, held, tasks = table[:, kept], held[:, kept], tuple(np.array(tasks, dtype=object)[kept])
    if (held.sum(axis=1) < 2).any():
        who = evidence.agents[int(np.argmin(held.sum(axis=1)))]
        raise DataError(
            f"a mean score needs at least two {per}s for every agent; {quoted(who)} has {int(held.sum(axis=1).min())}. One "
            f"{per} says nothing of how scores vary: leave the agent out with `--without`."
        )
    weight, made = task_weights(tasks, chosen.weights) if chosen.weights else (np.ones(len(tasks)), None)
    w = held * weight
    share = w / w.sum(axis=1, keepdims=True)
    score = (share * np.where(held, table, 0.0)).sum(axis=1)
    number = 1 / (share**2).sum(axis=1)  # effective number of tasks
    moved = share * np.where(held, table - score[:, None], 0.0) * np.sqrt(number / (number - 1))[:, None]
    notes = []
    if not held.all():
        notes.append(
            f"{int((~held).sum()):,} cells of the table are empty; a mean is over the {per}s that an agent has."
        )
    if (signs < 0).any():
        notes.append(f"Scores of {counted(int((signs < 0).sum()), per)} where lower is better count with a minus sign.")
    return Leaderboard(
        evidence.agents,
        score,
        moved @ moved.T,
        _degrees(share),
        f"mean score over {per}s",
        {"estimand": "mean_score", "cluster": [per]},
        evidence.conventions if made is None else (*evidence.conventions, made),
        tuple(notes),
    )


def _degrees(share: Array) -> Array:
    """Effective number of tasks less one, behind every difference and, on the diagonal, every mean; at least one."""
    v = share**2
    square, total = v @ v.T, v.sum(axis=1)
    both, own = np.add.outer(total, total), np.diag(square)
    joint = np.add.outer(own, own) + 2 * square
    np.fill_diagonal(both, total)
    np.fill_diagonal(joint, own)
    return np.maximum(both**2 / joint - 1, 1.0)
