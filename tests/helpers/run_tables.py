"""Tables of runs as evidence."""

import numpy as np

import beatpath as bp


def scores_of(x, names="abcdefgh"):
    """Scores of an array of agents by tasks by runs."""
    agent, task, _ = np.indices(x.shape).reshape(3, -1)
    factor = bp.Factor.coded(task, [f"t{t:02d}" for t in range(x.shape[1])])
    return bp.Scores(tuple(names[: len(x)]), agent, x.ravel(), {"task": factor})
