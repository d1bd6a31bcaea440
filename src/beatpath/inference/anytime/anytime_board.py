r"""Scores and who is certainly above whom, valid at every look, for adaptive schedules with known probabilities.

Battle *t* is between pair :math:`k_t`, drawn with probability :math:`\pi_t(k)` that may depend on everything before,
with outcome :math:`x_t`; :math:`\hat p_t` are predictions made before. With

.. math::  \phi_t(i) = \frac{1}{n - 1} \Bigl( \sum_{j \ne i} \hat p_t(i, j) + \frac{x_t(i) - \hat p_t(k_t)}{\pi_t(k_t)} [i \in k_t] \Bigr)

the mean of :math:`\phi_t(i)` given the past is the mean win rate of *i* against all others, whatever :math:`\pi` and
:math:`\hat p` are: deviations from it are a martingale, also weighted (see `sums`), and the bound of `boundary` holds
for differences of scores of all pairs of agents, each at its share of the error. Where predictions are close to the
truth its variance is that of the best unbiased estimate from as many battles of each pair, so adaptivity costs little
[1]_. Two agents have an exact bound.

The variance of a difference is the larger of the observed one and the expected one (one over the information): where an
upset is rare and its pair seldom drawn, the observed one is far too small until the first upset comes.

Battles count in the order in which they were requested. If the outcome decides when a battle is answered, those answered
so far are a biased sample, and those requested before some time are not. So a board uses the battles up to one that is
still pending, and bounds what the pending ones before it could change.

References
----------
.. [1] I. Waudby-Smith, L. Wu, A. Ramdas, N. Karampatziakis, P. Mineiro, "Anytime-valid off-policy inference for contextual
       bandits", *ACM/IMS Journal of Data Science* 1 (2024).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, TypedDict

import numpy as np

from beatpath._arrays import Bools, Floats, Ints
from beatpath._result import TableResult, rows_of
from beatpath._text import counted, listed, quoted
from beatpath.inference.anytime.boundary import certain_wins, head_to_head_bound, mixture_bound
from beatpath.inference.anytime.stage import PRIOR, Sums

# Printed where earlier orders are contradicted, and after agents joined or retired.
OVERRULED = (
    "{} contradicted by later battles and no longer listed: a statement was wrong, which has the stated probability, or win rates "
    "changed over time."
)
ROSTERS = (
    "Agents joined or retired. An order is by mean win rate against all who take part now, or against all who took part when it became "
    "certain; all of them hold simultaneously."
)
SCALE = 100.0  # of the bound: it is narrowest where differences of about ten points become certain
# Printed with every board: the conditions of the bound.
CONDITION = (
    "This holds simultaneously at every look and under any adaptive schedule, as the number of battles grows, also where outcomes "
    "decide when, or whether, battles are answered. It assumes that pairs were drawn with the recorded probabilities, that win rates do "
    "not change over time, and that battles do not fail, or wait until they are requested again, because of their outcomes."
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
class AnytimeBoard(TableResult):
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
        Battles that count.
    share : float or (n, n) float
        Share of the error of the board: see `beatpath.arena.stages.rosters`.
    reserved : float
        Share of the error that a goal has for itself.
    slack : float or (n, n) float
        How much battles without an outcome could change each difference.
    claims : (n, n) bool or False
        Whether the row was certainly above the column at an earlier look. What was certain stays certain.
    near : (n, n) bool or False
        Whether the two were certainly nearer than the goal demands at an earlier look.
    rosters : int
        How many sets of agents took part, one after the other.
    wins : (n, n) float
        Known outcomes for the row against the column.
    chance : (n, n) float
        The latest sampling probability of the two.
    beats : (n, n) bool
        Whether the row certainly wins more than half of its battles against the column. It takes the share of the error
        that a goal has for itself.
    sets : (m, n) bool
        Sets of agents that may be the top, if the goal is to find it; see `beatpath.inference.anytime.stage`.
    bets : (4, m) float
        Of the bets against each set: the sums of differences, information and variances, and how much battles without an
        outcome could change the first.
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
    share: float | Floats = 1.0
    reserved: float = 0.0
    slack: float | Floats = 0.0
    claims: bool | Bools = False
    near: bool | Bools = False
    rosters: int = 1
    wins: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    chance: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    beats: Bools = field(default_factory=lambda: np.zeros((0, 0), dtype=bool))
    sets: Bools = field(default_factory=lambda: np.zeros((0, 0), dtype=bool))
    bets: Floats = field(default_factory=lambda: np.zeros((4, 0)))

    @property
    def alpha(self) -> float | Floats:
        """Error allotted to each pair of agents, Bonferroni over all pairs."""
        return self.share * (1 - self.reserved) * (1 - self.level) / (len(self.agents) * (len(self.agents) - 1) / 2)

    def radius_at(self, alpha: float | Floats, scale: float = SCALE) -> Floats:
        """Return the half-width of each difference, each with time-uniform error `alpha`; exact for two agents."""
        if len(self.agents) == 2 or not self.battles:
            return self.radius
        return radius_of(self.variance, self.information, alpha, scale) + self.slack

    def not_top(self, alpha: float | Floats) -> Bools:
        """Return which of `sets` are certainly not the top: each with time-uniform error `alpha`, or by certain orders."""
        moved, information, variance, slack = self.bets
        lost = moved - slack > mixture_bound(np.maximum(variance, information), SCALE, alpha)
        return lost | ((~self.sets @ self.above.astype(float) > 0) & self.sets).any(axis=1)

    @property
    def above(self) -> Bools:
        """Whether the row is certainly above the column; a later statement overrides an earlier one."""
        above: Bools = self.difference > self.radius
        return above | (self.claims & ~above.T)

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
        opening, who = f"{len(first):,} of {counted(n, 'agent')} may be first", f": {listed(first)}"
        if len(first) == 1 and n > 1:
            opening, who = f"{quoted(first[0], 40)} is certainly first", ""
        overruled = int((self.claims & (self.difference.T > self.radius.T)).sum())
        return (
            f"{opening} by mean win rate against all others ({100 * self.level:g} %) after {counted(self.battles, 'battle')}{who}.",
            f"{int(self.above.sum()):,} of {n * (n - 1) // 2:,} pairs of agents are in a certain order.",
            *((OVERRULED.format(counted(overruled, "earlier order is", "earlier orders are")),) if overruled else ()),
            *((ROSTERS,) if self.rosters > 1 else ()),
            CONDITION,
        )

    @property
    def above_pairs(self) -> list[tuple[str, str]]:
        """Pairs of agents, the first certainly above the second."""
        return [(self.agents[i], self.agents[j]) for i, j in np.argwhere(self.above).tolist()]

    def rows(self) -> list[AnytimeRow]:
        """Return one row per agent, best first: its ranks and its score."""
        order = np.lexsort((np.arange(len(self.agents)), -self.score))
        agents = [self.agents[i] for i in order]
        return rows_of(agent=agents, rank_low=self.low[order], rank_high=self.high[order], win_rate=self.score[order])


def board_of(
    agents: Sequence[str], sums: Sums, level: float, share: float = 1.0, reserved: float = 0.0
) -> AnytimeBoard:
    """Return the board of sums over stages.

    Examples
    --------
    >>> from beatpath.inference.anytime.stage import Stage
    >>> one = np.array([0]), np.array([1]), np.array([1.0])
    >>> stage = Stage(*one, np.array([0.5]), np.array([400.0]), np.array([300.0]), np.array([300.0]))
    >>> board = board_of(("ada", "bob"), Sums.none(2).plus(stage), 0.95)
    >>> board.may_be_first, board.score.round(2).tolist()
    (('ada',), [0.75, 0.25])
    """
    n, pairs, n_battles = len(agents), len(agents) * (len(agents) - 1) / 2, int(sums.played - sums.unknown.sum() / 2)
    alpha = share * (1 - reserved) * (1 - level)
    score = (sums.score + PRIOR * sums.base) / (sums.score_weight + PRIOR)  # by predictions while there are few battles
    weight = np.where(sums.weight > 0, sums.weight, 1.0)
    difference = sums.difference / weight
    variance = np.maximum(sums.variance, sums.weight) / weight**2
    slack, radius = sums.slack / weight, np.full((n, n), np.inf)
    lost = sums.wins.T + sums.unknown  # those without an outcome may all be lost
    if n == 2 and lost.any():
        score = (sums.wins.sum(axis=1) + sums.unknown[0, 1] / 2) / (sums.wins + lost)[0, 1]
        difference = score[:, None] - score[None, :]
        i, j = (0, 1) if score[0] >= score[1] else (1, 0)
        bound = head_to_head_bound(sums.wins[i, j], lost[i, j], alpha)
        radius = np.full((n, n), 2 * abs(score.max() - bound))
    elif n > 2 and n_battles:
        radius = radius_of(variance, sums.weight, alpha / pairs) + slack
    np.fill_diagonal(radius, 0.0)
    score = np.clip(score - score.mean() + 0.5, 0.0, 1.0)  # scores average one half
    numbers = (score, difference, radius, variance, sums.weight, sums.pace, level, n_battles)
    beats = certain_wins(sums.wins, lost, share * (reserved or 1.0) * (1 - level) / pairs)
    board = AnytimeBoard(tuple(agents), *numbers, share, reserved, slack)
    return replace(board, wins=sums.wins, chance=sums.chance, beats=beats, sets=sums.sets, bets=sums.bets)


def radius_of(variance: Floats, information: Floats, alpha: float | Floats, scale: float = SCALE) -> Floats:
    """Return half-widths of differences, each with time-uniform error `alpha`."""
    bound = mixture_bound(variance * information**2, scale, alpha)
    radius = np.divide(bound, information, out=np.full_like(bound, np.inf), where=information > 0)
    np.fill_diagonal(radius, 0.0)
    return radius


def combined(board: AnytimeBoard, earlier: Sequence[AnytimeBoard]) -> AnytimeBoard:
    """Return a board with what earlier sets of agents say of the same pairs.

    For a pair whose order is not certain by its score against all who take part now, the score against an earlier set of
    agents counts instead if it separates the two better. Every board has its own share of the error, so that all hold
    simultaneously.
    """
    names = ("difference", "radius", "variance", "information", "pace", "slack", "share")
    merged, wins, beats = _matrices(board, names), board.wins.copy(), board.beats.copy()
    for other in earlier:
        known = {name: k for k, name in enumerate(other.agents)}
        here = [k for k, name in enumerate(board.agents) if name in known]
        there = [known[board.agents[k]] for k in here]
        rows, values = np.ix_(here, here), _matrices(other, names)
        current, candidate = (
            np.divide(np.abs(x["difference"]), x["radius"], out=np.zeros_like(x["radius"]), where=x["radius"] > 0)
            for x in (merged, values)
        )
        better = (current[rows] <= 1) & (candidate[np.ix_(there, there)] > current[rows])
        for name in names:
            merged[name][rows] = np.where(better, values[name][np.ix_(there, there)], merged[name][rows])
        mine, theirs = wins[rows], other.wins[np.ix_(there, there)]
        wins[rows] = np.where(theirs + theirs.T > mine + mine.T, theirs, mine)
        beats[rows] |= other.beats[np.ix_(there, there)] & ~beats[rows].T
    return replace(board, **merged, wins=wins, beats=beats, rosters=1 + len(earlier))


def _matrices(board: AnytimeBoard, names: Sequence[str]) -> dict[str, Any]:
    """Fields of a board, each as a matrix."""
    shape = board.difference.shape
    return {name: np.array(np.broadcast_to(getattr(board, name), shape), dtype=float) for name in names}
