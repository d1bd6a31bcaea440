"""A method of a user's own, where worker processes can import it."""

import numpy as np


def win_rate(evidence):
    pairs = evidence.pairs().by().settle()
    n = len(pairs.agents)
    won = np.bincount(pairs.a, pairs.counts[:, 0], n) + np.bincount(pairs.b, pairs.counts[:, 1], n)
    played = np.bincount(pairs.a, pairs.counts.sum(axis=1), n) + np.bincount(pairs.b, pairs.counts.sum(axis=1), n)
    return dict(zip(pairs.agents, (won / np.maximum(played, 1)).tolist(), strict=True))
