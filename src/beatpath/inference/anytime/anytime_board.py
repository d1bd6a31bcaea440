r"""Scores and who is certainly above whom, valid at every look, for adaptive schedules with known probabilities.

Battle *t* is between pair :math:`k_t`, drawn with probability :math:`\pi_t(k)` that may depend on everything before,
with outcome :math:`x_t`; :math:`\hat p_t` are predictions made before. With

.. math::  \phi_t(i) = \frac{1}{n - 1} \Bigl( \sum_{j \ne i} \hat p_t(i, j) + \frac{x_t(i) - \hat p_t(k_t)}{\pi_t(k_t)} [i \in k_t] \Bigr)

the mean of :math:`\phi_t(i)` given the past is the mean win rate of *i* against all others, whatever :math:`\pi` and
:math:`\hat p` are: deviations from it are a martingale, also weighted (see `sums`), and the bound of `boundary` holds
for differences of scores of all pairs of agents, each at its share of the error. Where predictions are close to the
truth its variance is that of the best unbiased estimate from as many battles of each pair, so adaptivity costs little
[1]_. Two agents have an exact bound.

References
----------
.. [1] I. Waudby-Smith, L. Wu, A. Ramdas, N. Karampatziakis, P. Mineiro, "Anytime-valid off-policy inference for contextual
       bandits", *ACM/IMS Journal of Data Science* 1 (2024).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, TypedDict

import numpy as np

from beatpath._arrays import Bools, Floats, Ints
from beatpath._errors import DataError
from beatpath._result import Result
from beatpath._text import counted, listed, shown
from beatpath.inference.anytime.boundary import head_to_head_bound, information_needed, mixture_bound
from beatpath.inference.anytime.stage import Stage, Sums

SCALE = 100.0  # of the bound: it is narrowest where differences of about ten points become certain
# Printed with every board: the conditions of the bound.
CONDITION = (
    "This holds simultaneously at every look and under any adaptive schedule, as the number of battles grows. It assumes that pairs "
    "were drawn with the recorded probabilities, that win rates do not change over time, and that unanswered battles do not depend "
    "on their outcomes."
)


class AnytimeRow(TypedDict):
    """One agent of a board that holds at every look.

    Attributes
    ----------
    agent : str
        The agent.
    rank_low, rank_high : int
        The best rank it may have, and the worst.
    win_rate : float
        Mean win rate against all others.
    """

    agent: str
    rank_low: int
    rank_high: int
    win_rate: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AnytimeBoard(Result):
    """Scores and differences with time-uniform confidence.

    Parameters
    ----------
    agents : tuple of str
        Names.
    score : (n,) float
        Mean win rate against all other agents.
    difference : (n, n) float
        Score of the row minus that of the column. Each is estimated from the stages most informative about it, and so
        is not exactly the difference of two scores.
    radius : (n, n) float
        Half-width of each difference, simultaneous over pairs and looks; infinite before the first battle.
    variance : (n, n) float
        Of each difference.
    information : (n, n) float
        One over its expected variance.
    pace : (n, n) float
        Information per further battle, at the latest probabilities.
    level : float
        Confidence level.
    battles : int
        Battles answered.
    """

    document: ClassVar[tuple[str, ...]] = ("level", "battles", "ranks=rows", "above=above_pairs")

    agents: tuple[str, ...]
    score: Floats
    difference: Floats
    radius: Floats
    variance: Floats
    information: Floats
    pace: Floats
    level: float
    battles: int

    @property
    def alpha(self) -> float:
        """Error allotted to each pair of agents, Bonferroni over all pairs."""
        return (1 - self.level) / (len(self.agents) * (len(self.agents) - 1) / 2)

    def radius_at(self, alpha: float) -> Floats:
        """Return the half-width of each difference, each with time-uniform error `alpha`."""
        return radius_of(self.score, self.variance, self.information, self.battles, alpha)

    def information_missing(self, radius: Floats, alpha: float) -> Floats:
        """Return the information that every difference lacks to reach a half-width."""
        missing: Floats = np.maximum(information_needed(radius, SCALE, alpha) - self.information, 0.0)
        return missing

    @property
    def above(self) -> Bools:
        """Whether the row is certainly above the column."""
        above: Bools = self.difference > self.radius
        return above

    @property
    def low(self) -> Ints:
        """The best rank of every agent: one plus the number certainly above it."""
        return 1 + self.above.sum(axis=0)

    @property
    def high(self) -> Ints:
        """The worst rank of every agent."""
        return len(self.agents) - self.above.sum(axis=1)

    @property
    def may_be_first(self) -> tuple[str, ...]:
        """Agents that nobody is certainly above."""
        return tuple(name for name, rank in zip(self.agents, self.low, strict=True) if rank == 1)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Who may be first, how many pairs are resolved, and the conditions."""
        n = len(self.agents)
        first = self.may_be_first
        opening = (
            f"{shown(first[0], 40)} is certainly first"
            if len(first) == 1 and n > 1
            else f"{len(first):,} of {counted(n, 'agent')} may be first ({listed(first)})"
        )
        return (
            f"{opening} by mean win rate against all others ({100 * self.level:g} %) after {counted(self.battles, 'battle')}.",
            f"{int(self.above.sum()):,} of {n * (n - 1) // 2:,} pairs of agents are in a certain order.",
            CONDITION,
        )

    @property
    def above_pairs(self) -> list[tuple[str, str]]:
        """Pairs of agents, the first certainly above the second."""
        return [(self.agents[i], self.agents[j]) for i, j in np.argwhere(self.above).tolist()]

    def rows(self) -> list[AnytimeRow]:
        """Return one row per agent, best first: its ranks and its score."""
        order = np.lexsort((np.arange(len(self.agents)), -self.score))
        return [
            {
                "agent": self.agents[i],
                "rank_low": int(self.low[i]),
                "rank_high": int(self.high[i]),
                "win_rate": float(self.score[i]),
            }
            for i in order
        ]


def anytime_board(agents: Sequence[str], stages: Sequence[Stage], *, level: float = 0.95) -> AnytimeBoard:
    """Return the board of a running evaluation from its stages.

    Examples
    --------
    >>> one = np.array([0]), np.array([1]), np.array([1.0])
    >>> stage = Stage(*one, np.array([0.5]), np.array([400.0]), np.array([300.0]), np.array([300.0]))
    >>> board = anytime_board(("ada", "bob"), [stage])
    >>> board.may_be_first, board.score.round(2).tolist()
    (('ada',), [0.75, 0.25])
    """
    n = len(agents)
    if n < 2:
        raise DataError(f"a board needs at least two agents; got {counted(n, 'agent')}. Add agents first.")
    return board_of(agents, Sums.over(stages, n), level)


def board_of(agents: Sequence[str], sums: Sums, level: float) -> AnytimeBoard:
    """Return the board of sums over stages."""
    n, n_battles = len(agents), int(sums.battles)
    score = np.divide(sums.score, sums.score_weight, out=np.full(n, 0.5), where=sums.score_weight > 0)
    score = score - score.mean() + 0.5  # scores average one half
    if n == 2 and n_battles:
        score = np.array([sums.total, sums.battles - sums.total]) / sums.battles
    weight = np.where(sums.weight > 0, sums.weight, 1.0)
    difference = score[:, None] - score[None, :] if n == 2 else sums.difference / weight
    variance = sums.variance / weight**2
    radius = radius_of(score, variance, sums.weight, n_battles, (1 - level) / (n * (n - 1) / 2))
    return AnytimeBoard(tuple(agents), score, difference, radius, variance, sums.weight, sums.pace, level, n_battles)


def radius_of(score: Floats, variance: Floats, information: Floats, battles: int, alpha: float) -> Floats:
    """Return half-widths of differences, each with time-uniform error `alpha`; exact for two agents."""
    n = len(score)
    if not battles:
        radius = np.full((n, n), np.inf)
    elif n == 2:
        bound = head_to_head_bound(battles * score[0], battles * score[1], alpha)
        radius = np.full((n, n), 2 * abs(score[0] - bound))
    else:
        weight = information + np.eye(n)
        radius = mixture_bound(variance * weight**2, SCALE, alpha) / weight
    np.fill_diagonal(radius, 0.0)
    return radius
