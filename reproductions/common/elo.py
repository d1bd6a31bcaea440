"""Elo at rest: the ratings to which many passes of Elo with a small step converge, which are Bradley and Terry's."""

import numpy as np
from numpy.typing import NDArray

# Wins added to both sides of every pair. VasE names no regularization; this one value reproduces its three tables of
# Elo ratings (Table 5, left and right, and Table 10) to about one point.
VASE_PRIOR = 0.02


def elo_at_rest(wins: NDArray[np.float64], prior: float = 0.0, rounds: int = 20_000) -> NDArray[np.float64]:
    """Ratings in Elo points with mean zero, by Hunter's minorize-maximize steps."""
    wins = wins + prior * (1 - np.eye(len(wins)))
    strength = np.zeros(len(wins))
    for _ in range(rounds):
        gamma = np.exp(strength)
        after = np.log(wins.sum(axis=1)) - np.log(((wins + wins.T) / np.add.outer(gamma, gamma)).sum(axis=1))
        after -= after.mean()
        if np.abs(after - strength).max() < 1e-10:
            break
        strength = after
    return strength * 400 / np.log(10)
