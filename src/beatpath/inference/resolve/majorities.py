r"""Majorities: who beats whom head to head, and whether that is resolved.

A beats B where its win rate is above one half: the estimated rate where rules that compare pairs take it (battles and
counts), the share of votes or tasks otherwise. One win is resolved when the interval of its rate, by itself, leaves out one
half. That somebody beats *everybody* is a claim with one part a rival; if each part is tested at the level, so is the whole
(an intersection-union test, Berger 1982): no allowance is needed for how many rivals there are.
"""

from dataclasses import dataclass

import numpy as np

from beatpath._arrays import Bools, Floats, Ints
from beatpath.inference.matrix.win_matrix import WinMatrix
from beatpath.inference.ranks.pair_intervals import pair_intervals
from beatpath.inference.win_rates.estimate import WinRateEstimate

DIGITS = 9  # of a rate, as rules take it


@dataclass(frozen=True, slots=True, eq=False)
class Majorities:
    """Who beats whom.

    Attributes
    ----------
    agents : tuple of str
    rate : (n, n) float
        Win rate of the row against the column; NaN where nothing is known.
    resolved : (n, n) bool
        Whether the row's win is resolved, by itself.
    unit : str
        What was counted, such as ``ballot`` or ``task``; empty where rates are estimates.
    """

    agents: tuple[str, ...]
    rate: Floats
    resolved: Bools
    unit: str = ""

    @property
    def by(self) -> str:
        """By what somebody beats another, in words."""
        return f"{self.unit} by {self.unit}" if self.unit else "by the estimated win rates"

    @property
    def beats(self) -> Bools:
        """Whether the row beats the column."""
        return np.nan_to_num(self.rate.round(DIGITS), nan=0.5) > 0.5

    @property
    def won(self) -> Ints:
        """How many rivals each agent beats."""
        return np.asarray(self.beats.sum(axis=1))

    @property
    def lost(self) -> Ints:
        """To how many rivals each agent loses."""
        return np.asarray(self.beats.sum(axis=0))

    @property
    def winner(self) -> str | None:
        """The agent that beats every other, if there is one."""
        found = np.flatnonzero(self.won == len(self.agents) - 1)
        return self.agents[found[0]] if len(found) and len(self.agents) > 1 else None

    @property
    def is_order(self) -> bool:
        """Whether everyone beats everyone below and is even with its equals: no circle anywhere, nor two levels mixed."""
        return bool((self.beats == (self.won[:, None] > self.won[None, :])).all())

    def wins_resolved(self, agent: str) -> int:
        """Return how many of an agent's wins are resolved, each by itself."""
        return int(self.resolved[self.agents.index(agent)].sum())


def majorities(matrix: WinMatrix, counted: WinRateEstimate, level: float, unit: str = "") -> Majorities:
    """Return who beats whom by estimated win rates, or by what was counted of the units named.

    Examples
    --------
    >>> from beatpath import Pairs, win_matrix
    >>> found = win_matrix(Pairs(("ada", "bob", "cyd"), [0, 1], [1, 2], [[900, 100, 0, 0], [900, 100, 0, 0]]))
    >>> told = majorities(found, found.observed, 0.95)
    >>> told.winner, told.wins_resolved("ada"), told.is_order
    ('ada', 2, True)
    """
    if not unit:
        return Majorities(matrix.agents, matrix.rate, matrix.interval(level)[0] > 0.5)
    n = len(counted.agents)
    rate, resolved = np.full((n, n), np.nan), np.zeros((n, n), dtype=bool)
    np.fill_diagonal(rate, 0.5)
    ends = pair_intervals(counted, level)
    rate[counted.a, counted.b], rate[counted.b, counted.a] = counted.rate, 1 - counted.rate
    resolved[counted.a, counted.b], resolved[counted.b, counted.a] = ends.low > 0.5, ends.high < 0.5
    return Majorities(counted.agents, rate, resolved, unit)
