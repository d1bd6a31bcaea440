"""Intervals of scores: of every score by itself, and of all at once."""

import numpy as np

from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.ranks.critical import Critical, between, bonferroni, draws_quantile
from beatpath.inference.ranks.differences import Array, t_critical
from beatpath.inference.ranks.simulation import score_maxima


def score_intervals(board: Leaderboard, critical: Critical) -> tuple[Array, Array]:
    """Return the score less and plus its own critical value times its standard error; NaN where that is not positive.

    >>> board = Leaderboard(("ada", "bob"), np.array([0.5, 0.9]), np.diag([1e-2, 0.0]), np.full((2, 2), np.inf), "mean")
    >>> score_intervals(board, Critical(2.0))
    (array([0.3, nan]), array([0.7, nan]))
    """
    variance = np.diag(board.covariance)
    stderr = np.sqrt(np.where(variance > 0, variance, np.nan))
    reach = t_critical(critical.value, np.diag(board.df)) * stderr
    return np.clip(board.score - reach, *board.bounds), np.clip(board.score + reach, *board.bounds)


def of_all_scores(board: Leaderboard, level: float, draws: int, seed: int) -> Critical:
    """Return the critical value with which the intervals of all scores hold at once; Bonferroni's where nothing is drawn.

    >>> board = Leaderboard(("ada", "bob"), np.array([0.5, 0.9]), np.eye(2), np.full((2, 2), np.inf), "mean")
    >>> round(of_all_scores(board, 0.95, 0, 0).value, 3)
    2.241
    """
    some = np.isfinite(board.score) & (np.diag(board.covariance) > 0)
    shared = bonferroni(level, 2 * int(some.sum()))
    if not draws or not some.any():
        return shared
    per_degree = float((1 / np.diag(board.df)[some]).mean())
    return between(draws_quantile(level, score_maxima(board, draws, seed)), shared, per_degree)
