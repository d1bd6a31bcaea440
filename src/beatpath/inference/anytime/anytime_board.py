r"""Scores and who is certainly above whom, valid at every look at once, whatever the schedule was made to follow.

Battle *t* is of pair :math:`k_t`, drawn with chance :math:`\pi_t(k)` that may depend on everything before, with outcome
:math:`x_t`; :math:`\hat p_t` are predictions made before. With

.. math::  \phi_t(i) = \frac{1}{n - 1} \Bigl( \sum_{j \ne i} \hat p_t(i, j) + \frac{x_t(i) - \hat p_t(k_t)}{\pi_t(k_t)} [i \in k_t] \Bigr)

the mean of :math:`\phi_t(i)` given the past is the mean win rate of *i* against all others, whatever :math:`\pi` and
:math:`\hat p` are: differences from it are a martingale, and the bound of `boundary` holds for differences of scores of all pairs
of agents, each at its share of the error. Where predictions come near the truth its variance is that of the best unbiased
estimate from as many battles of each pair, so that little is paid for the freedom of the schedule [1]_.

References
----------
.. [1] I. Waudby-Smith, L. Wu, A. Ramdas, N. Karampatziakis, P. Mineiro, "Anytime-valid off-policy inference for contextual
       bandits", *ACM/IMS Journal of Data Science* 1 (2024).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from beatpath._arrays import Bools, Floats, Ints
from beatpath._errors import DataError
from beatpath._result import SCHEMA_VERSION, Result, Rows
from beatpath._text import counted, listed, shown
from beatpath.inference.anytime.boundary import mixture_bound
from beatpath.inference.anytime.stage import Stage, base_scores

AIMED = 20  # battles a pair, in tenths of which bounds are narrowest
CONDITION = (
    "This holds at every look at once and under any schedule made from what was seen, as the number of battles grows, if "
    "chances of pairs were as recorded, outcomes of a pair do not change in time, and which battles were never told does not "
    "depend on their outcomes."
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AnytimeBoard(Result):
    """Scores, and differences that are certain at every look at once.

    Parameters
    ----------
    agents : tuple of str
    score : (n,) float
        Mean win rate against all other agents.
    radius : (n, n) float
        By how much a difference of two scores may be off; infinite before the first battle.
    level : float
    battles : int
        Battles that were told.
    """

    agents: tuple[str, ...]
    score: Floats
    radius: Floats
    level: float
    battles: int

    @property
    def difference(self) -> Floats:
        """Score of the row minus that of the column."""
        return self.score[:, None] - self.score[None, :]

    @property
    def above(self) -> Bools:
        """Whether the row is certainly above the column."""
        found: Bools = self.difference > self.radius
        return found

    @property
    def low(self) -> Ints:
        """The best rank of every agent: one more than are certainly above it."""
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
        """Who may be first, how many pairs are settled, and the condition."""
        n = len(self.agents)
        first = self.may_be_first
        opening = (
            f"{shown(first[0], 40)} is certainly first"
            if len(first) == 1 and n > 1
            else f"First is one of {counted(len(first), 'agent')}: {listed(first)}"
        )
        return (
            f"{opening} by mean win rate against all others, at {100 * self.level:g} %, after {counted(self.battles, 'battle')}.",
            f"{int(self.above.sum()):,} of {n * (n - 1) // 2:,} pairs of agents are in a certain order.",
            CONDITION,
        )

    def rows(self) -> Rows:
        """Return an agent a row, best first: its ranks and its score."""
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

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data that JSON can carry."""
        return {
            "schema_version": SCHEMA_VERSION,
            "type": "anytime_board",
            "level": self.level,
            "battles": self.battles,
            "ranks": self.rows(),
            "above": [[self.agents[i], self.agents[j]] for i, j in np.argwhere(self.above)],
            "sentences": list(self.sentences),
        }


def anytime_board(agents: Sequence[str], stages: Sequence[Stage], *, level: float = 0.95) -> AnytimeBoard:
    """Return the board that stages of a running evaluation have come to.

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
    sums, squares, battles = np.zeros(n), np.zeros((n, n)), 0.0
    for stage in stages:
        told = float(stage.battles.sum())
        gains = stage.gains / (n - 1)
        sums += told * base_scores(stage, n) + np.bincount(stage.a, gains, n) - np.bincount(stage.b, gains, n)
        squares[stage.a, stage.b] += stage.squared_gains / (n - 1) ** 2
        battles += told
    if not battles:
        return AnytimeBoard(tuple(agents), np.full(n, 0.5), np.full((n, n), np.inf), level, 0)
    squares = squares + squares.T
    own = squares.sum(axis=1)
    variance = own[:, None] + own[None, :] + 2 * squares  # a battle between the two moves both, apart
    pairs = n * (n - 1) / 2
    a_step = n**2 / (4 * (n - 1))  # variance of a difference that a battle adds, all pairs as often, all equal
    radius = mixture_bound(variance, AIMED * pairs * a_step, (1 - level) / pairs) / battles
    np.fill_diagonal(radius, 0.0)
    return AnytimeBoard(tuple(agents), sums / battles, radius, level, int(battles))
