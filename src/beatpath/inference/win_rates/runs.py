r"""Repeated runs on one task: every run of one agent against every run of the other.

With :math:`r` runs of *a* and :math:`q` of *b* on a task, *a* beats *b* there to the degree

.. math::  \psi_t = \frac{1}{r q} \sum_{i, j} [x_{ai} > x_{bj}] + \tfrac12 [x_{ai} = x_{bj}],

the probabilistic index of the task. A comparison of means would call the luckier of two equal agents the winner, every time.
"""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from beatpath.evidence import Convention, Factor, Pairs, Scores
from beatpath.evidence.conventions import DEFAULT, Conventions, task_weights

Array = NDArray[np.float64]


def compared_runs(scores: Scores, chosen: Conventions = DEFAULT) -> Pairs | None:
    """Return soft comparisons by task, or None where no agent ran twice or a task has items to be averaged first.

    Examples
    --------
    Two of Ada's runs beat Bob's 2, and two lose to it or tie.

    >>> runs = Scores(("ada", "bob"), [0, 0, 0, 0, 1], [1.0, 3.0, 2.0, 4.0, 2.0], {"task": Factor.of(["maths"] * 5)})
    >>> compared_runs(runs).counts
    array([[0.625, 0.375, 0.   , 0.   ]])
    """
    per = scores.who_votes(chosen.per)
    voter = scores.voters(per)
    at = voter.codes.astype(np.int64) * len(scores.agents) + scores.agent
    if (
        chosen.missing != "unranked"
        or ("item" in scores.factors and per == "task")
        or np.bincount(at).max(initial=0) < 2
    ):
        return None
    order = np.lexsort((scores.agent, voter.codes))
    value, agent, task = (scores.value * scores.sign())[order], scores.agent[order], voter.codes[order]
    edges = np.searchsorted(task, np.arange(len(voter.levels) + 1))
    rows = [
        _one_task(t, agent[low:high], value[low:high], chosen.tolerance)
        for t, (low, high) in enumerate(pairwise(edges))
    ]
    t, a, b, share = (np.concatenate(part) for part in zip(*rows, strict=True))
    made = [Convention("runs", "compared", "every run of one agent on a task is compared with every run of the other")]
    weight = None
    if chosen.weights:
        by_task, weighing = task_weights(voter.levels, chosen.weights)
        weight, made = by_task[t], [*made, weighing]
    return Pairs.from_outcomes(
        scores.agents,
        a,
        b,
        share,
        weight=weight,
        square=None if weight is None else weight**2,
        keys={"ballot": Factor.coded(t, voter.levels)},
        conventions=(*scores.conventions, *made),
        reading=scores.reading,
    )


def _one_task(
    task: int, agent: NDArray[np.int32], value: Array, tolerance: float
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], Array]:
    """All pairs of agents with runs on a task: the task, both agents, the share that the first wins."""
    present, start = np.unique(agent, return_index=True)
    ahead = value[:, None] - value[None, :]
    score = np.where(np.abs(ahead) <= tolerance, 0.5, ahead > 0)
    total = np.add.reduceat(np.add.reduceat(score, start, axis=0), start, axis=1)
    runs = np.diff(np.append(start, len(agent)))
    share = total / np.multiply.outer(runs, runs)
    i, j = np.triu_indices(len(present), 1)
    return np.full(len(i), task), present[i].astype(np.int64), present[j].astype(np.int64), share[i, j]
