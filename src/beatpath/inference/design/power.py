r"""Power: how large a difference of scores must be to be found.

A difference of true size :math:`\delta`, whose estimate has the standard error :math:`s` on :math:`\nu` degrees of freedom, is
found when Student's statistic exceeds its critical value :math:`t`. That happens with probability

.. math::  \Pr(T_\nu(\delta / s) > t),

:math:`T_\nu(\lambda)` being noncentral with noncentrality :math:`\lambda`. A difference counts as found only with its right sign.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beatpath._result import SCHEMA_VERSION, Result, json_number
from beatpath._text import listed
from beatpath.evidence import Evidence
from beatpath.inference.design.aim import Aim, score_amount, standard_errors_needed, times_in_ten
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.ranks.differences import estimable
from beatpath.inference.scores.scored import HasBoard, board_of
from beatpath.inference.win_rates.estimate import WinRateEstimate

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MinimumDetectableEffect(Result):
    """The smallest differences that data of this size find.

    Attributes
    ----------
    agents : tuple of str
    gap : (n, n) float
        For every pair of agents; NaN where a difference has no usable variance, and on the diagonal.
    median : float
        Over all pairs.
    leaders : tuple of str
        The two agents with the highest scores; more where scores are equal.
    between_leaders : float
        The largest gap needed between any two of them.
    settings : mapping
        ``level``, ``power``, ``critical``, ``estimand``.
    """

    agents: tuple[str, ...]
    gap: Array
    median: float
    leaders: tuple[str, ...]
    between_leaders: float
    settings: Mapping[str, Any]

    @property
    def sentences(self) -> tuple[str, ...]:
        """What gap these data can find, in words."""
        return (self._finding(),)

    def _finding(self) -> str:
        if np.isnan(self.median):
            return "What gap these data can find cannot be told: no difference of two scores has a usable variance."
        often = times_in_ten(self.settings["power"])
        found = f"With these data a gap of {score_amount(self.median, self.settings)} between two agents would be found {often}"
        if len(self.agents) < 3 or np.isnan(self.between_leaders):
            return f"{found}."
        return f"{found}; between the leaders, {listed(self.leaders, 3)}, one of {score_amount(self.between_leaders, self.settings)}."

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data that JSON can carry."""
        return {
            "schema_version": SCHEMA_VERSION,
            "type": "minimum_detectable_effect",
            "agents": list(self.agents),
            "gap": [[json_number(value) for value in row] for row in self.gap.tolist()],
            "median": json_number(self.median),
            "leaders": list(self.leaders),
            "between_leaders": json_number(self.between_leaders),
            "sentences": list(self.sentences),
            "settings": dict(self.settings),
        }


def minimum_detectable_effect(
    asked: Evidence | WinRateEstimate | Leaderboard | HasBoard,
    *,
    level: float = 0.95,
    power: float = 0.8,
    critical: float | None = None,
) -> MinimumDetectableEffect:
    """Return the smallest difference between two agents' scores that these data find with probability `power`.

    Parameters
    ----------
    asked : Leaderboard, Battles, Ballots, Scores, Pairs or Resolution
        Evidence is scored by default conventions; `leaderboard` and `resolve` take others.
    level : float
        Of confidence, for one difference.
    power : float
        Probability of finding the difference, with its right sign.
    critical : float, optional
        Critical value on the Gaussian scale, such as the one of simultaneous intervals, in place of that of `level`.

    Returns
    -------
    MinimumDetectableEffect

    Examples
    --------
    Two scores with standard errors of 3 and 4 hundredths: their difference has one of 5, of which 2.80 are needed.

    >>> board = Leaderboard(("ada", "bob"), np.array([0.6, 0.4]), np.diag([0.0009, 0.0016]), np.full((2, 2), np.inf), "mean",
    ...               {"estimand": "mean_win_rate"})
    >>> print(minimum_detectable_effect(board))
    With these data a gap of 14 percentage points between two agents would be found 8 times in 10.

    Notes
    -----
    The errors are those of the data at hand, taken as they would be for any gap; for win rates near one half they are at
    their largest and hardly change.
    """
    aim, board = Aim(level, power, critical), board_of(asked)
    used = estimable(board)
    gap = np.full(used.shape, np.nan)
    gap[used] = standard_errors_needed(aim.value, board.df[used], power) * np.sqrt(board.variance_of_differences[used])
    leaders = _leaders(board)
    between = gap[np.ix_(leaders, leaders)]
    known = ~np.isnan(between)
    return MinimumDetectableEffect(
        board.agents,
        gap,
        float(np.median(gap[used])) if used.any() else np.nan,
        tuple(board.agents[i] for i in leaders),
        float(between[known].max()) if known.any() else np.nan,
        {**aim.settings(), "estimand": board.settings.get("estimand", board.estimand)},
    )


def _leaders(board: Leaderboard) -> NDArray[np.int64]:
    """The agents that score at least as much as the second."""
    scored = np.flatnonzero(~np.isnan(board.score))
    if len(scored) < 2:
        return scored
    second = np.sort(board.score[scored])[-2]
    leading = scored[board.score[scored] >= second]
    return leading[np.argsort(-board.score[leading], kind="stable")]
