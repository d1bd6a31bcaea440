"""Methods of a user's own, where worker processes can import them too."""

import time

import numpy as np


def slow_win_rate(evidence):
    """A method of a user's own that takes its time."""
    time.sleep(0.002)
    pairs = evidence.pairs().by().settle()
    n = len(pairs.agents)
    won = np.bincount(pairs.a, pairs.counts[:, 0], n) + np.bincount(pairs.b, pairs.counts[:, 1], n)
    return dict(zip(pairs.agents, won.tolist(), strict=True))
