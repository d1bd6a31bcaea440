"""A stage of a running evaluation: battles sampled with fixed probabilities and predictions, counted by pair.

Weighted sums over stages.

A stage whose probabilities give the difference of two scores an expected variance of :math:`v` per battle has weight
:math:`1 / v` for that difference. Probabilities and predictions precede its battles, and so do weights: weighted sums
remain martingales, and stages with few battles of two agents do not blur others. Weights sum to the information
gathered: one over the variance of the estimate.

Which agents are the best *k* is settled by excluding all other sets of *k* agents, each by one martingale. If a set is
the top, nobody outside it scores higher than anybody in it. So every stage bets that the agent predicted best outside it
is above the one predicted worst in it; both are known before the stage, and if the set is the top, the bets lose on
average. Only one set is the top, so that no error has to be divided among sets, or pairs of agents.

Predicted win rates of all pairs: their own battles, shrunk toward the Bradley-Terry fit.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations

import numpy as np

from beatpath._arrays import Bools, Floats, Ints
from beatpath._errors import DataError


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """The probabilities and predictions before a stage, and its outcomes.

    Parameters
    ----------
    a, b : (m,) int
        All pairs of agents, ``a < b``.
    chance : (m,) float
        Sampling probability of each pair, from data before the stage; positive, summing to one over all agents.
    predicted : (m,) float
        The win rate of *a* over *b*, predicted from data before the stage.
    battles : (m,) float
        Battles of the pair that were answered.
    total, squares : (m,) float
        Sum and sum of squares of their outcomes for *a*, in [0, 1].
    unknown : (m,) float or float
        Of these battles, those without an outcome; see `with_unknown`.
    others : float
        Battles of the stage between other agents.
    """

    a: Ints
    b: Ints
    chance: Floats
    predicted: Floats
    battles: Floats
    total: Floats
    squares: Floats
    unknown: Floats | float = 0.0
    others: float = 0.0

    def __post_init__(self) -> None:
        if len(self.chance) and (self.chance.min() <= 0 or self.chance.sum() > 1 + 1e-6):
            raise DataError(
                "the probabilities of a stage must be above zero for every pair and add up to one; these add up to "
                f"{self.chance.sum():g}, the least being {self.chance.min():g}."
            )

    def with_unknown(self, unknown: Floats) -> "Stage":
        """Return the stage with so many more battles of each pair, whose outcomes may be anything from 0 to 1.

        They count as one half, with the largest square that is possible. The bound of a difference widens by what they
        could change (`Sums.slack`).
        """
        square = np.maximum(self.predicted, 1 - self.predicted)  # (x - p)^2 is then that of the farther of 0 and 1
        return replace(
            self,
            battles=self.battles + unknown,
            total=self.total + unknown / 2,
            squares=self.squares + unknown * square,
            unknown=self.unknown + unknown,
        )

    def among(self, places: Sequence[int]) -> "Stage":
        """Return the stage as one of some of its agents: battles of others count only as time."""
        number = np.full(int(self.b.max()) + 1, -1)
        number[list(places)] = np.arange(len(places))
        own = (number[self.a] >= 0) & (number[self.b] >= 0)
        names = ("chance", "predicted", "battles", "total", "squares")
        return replace(
            self,
            a=number[self.a[own]],
            b=number[self.b[own]],
            **{name: getattr(self, name)[own] for name in names},
            unknown=np.broadcast_to(self.unknown, self.a.shape)[own],
            others=self.others + float(self.battles[~own].sum()),
        )

    @property
    def gains(self) -> Floats:
        r"""Inverse-probability weighted residuals: :math:`\sum (x - \hat p) / \pi`."""
        return (self.total - self.battles * self.predicted) / self.chance

    @property
    def squared_gains(self) -> Floats:
        """Sum of the squared weighted residuals."""
        return (self.squares - 2 * self.predicted * self.total + self.battles * self.predicted**2) / self.chance**2


def base_scores(stage: Stage, n_agents: int) -> Floats:
    """Return the mean predicted win rate of every agent against all others."""
    won = np.bincount(stage.a, stage.predicted, n_agents) + np.bincount(stage.b, 1 - stage.predicted, n_agents)
    return won / (n_agents - 1)


def variances(a: Ints, b: Ints, of_pair: Floats, n_agents: int) -> tuple[Floats, Floats]:
    """Return the variances of scores, and of their differences, from those of the pairs' win rates.

    A battle between the two agents moves both scores in opposite directions, and so counts four times in the variance.

    >>> a, b = np.triu_indices(3, 1)
    >>> score, difference = variances(a, b, np.array([4.0, 4.0, 8.0]), 3)
    >>> score.tolist(), difference[0].tolist()
    ([2.0, 3.0, 3.0], [0.0, 7.0, 7.0])
    """
    C = np.zeros((n_agents, n_agents))
    C[a, b] = C[b, a] = of_pair / (n_agents - 1) ** 2
    own = C.sum(axis=1)
    between = own[:, None] + own[None, :] + 2 * C
    np.fill_diagonal(between, 0.0)
    return own, between


MOST_SETS = 5000  # with more sets of agents, pairs of agents are compared instead


@cache
def top_sets(n_agents: int, best: int) -> Bools:
    """Return all sets of `best` agents as rows; none if there are too many, or for two agents, who have an exact bound.

    >>> top_sets(3, 2).astype(int).tolist()
    [[1, 1, 0], [1, 0, 1], [0, 1, 1]]
    """
    few = n_agents > 2 and 0 < best < n_agents and math.comb(n_agents, best) <= MOST_SETS
    sets = np.zeros((math.comb(n_agents, best) if few else 0, n_agents), dtype=bool)
    for row, chosen in zip(sets, combinations(range(n_agents), best), strict=False):
        row[list(chosen)] = True
    return sets


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Weighted sums over stages.

    Parameters
    ----------
    score, score_weight : (n,) float
        Of estimates of each agent's score, and of their weights.
    difference, weight : (n, n) float
        Of estimates of differences, and of their weights: the information.
    variance : (n, n) float
        Of squared increments: the variance of `difference`.
    pace : (n, n) float
        Expected information per battle of the latest stage.
    slack : (n, n) float
        How much the battles without an outcome could change `difference`.
    base : (n,) float
        Scores by the predictions of the latest stage.
    wins, unknown : (n, n) float
        Known outcomes for the row against the column, and battles of the two without an outcome.
    chance : (n, n) float
        Sampling probability of each pair in the latest stage.
    sets : (m, n) bool
        Sets of agents that may be the top; see `top_sets`.
    bets : (4, m) float
        Of the bets against each set: the differences, their weights and variances, and how much the battles without an
        outcome could change them.
    played : float
        Battles of all agents.
    """

    score: Floats
    score_weight: Floats
    difference: Floats
    weight: Floats
    variance: Floats
    pace: Floats
    slack: Floats
    base: Floats
    wins: Floats
    unknown: Floats
    chance: Floats
    sets: Bools
    bets: Floats
    played: float = 0.0

    @classmethod
    def none(cls, n_agents: int, best: int = 0) -> "Sums":
        """Return sums over no stage, with bets against all sets of `best` agents."""
        none, square = np.zeros(n_agents), np.zeros((n_agents, n_agents))
        even, sets = np.full(n_agents, 0.5), top_sets(n_agents, best)
        bets = np.zeros((4, len(sets)))
        return cls(none, none, square, square, square, square, square, even, square, square, square, sets, bets)

    def plus(self, stage: Stage) -> "Sums":
        """Return the sums with one more stage."""
        n = len(self.score)
        n_battles, base = float(stage.battles.sum()) + stage.others, base_scores(stage, n)
        gain, reach = stage.gains / (n - 1), stage.unknown / stage.chance / (2 * (n - 1))
        total = n_battles * base + np.bincount(stage.a, gain, n) - np.bincount(stage.b, gain, n)
        reached = np.bincount(stage.a, reach, n) + np.bincount(stage.b, reach, n)
        expected = stage.predicted * (1 - stage.predicted) / stage.chance  # per battle, if predictions hold
        of_score, of_difference = variances(stage.a, stage.b, expected, n)
        h, H = 1 / of_score, 1 / (of_difference + np.eye(n))
        np.fill_diagonal(H, 0.0)
        won = stage.total - stage.unknown / 2
        moved, weight = H * (total[:, None] - total[None, :]), H * n_battles
        variance = H**2 * variances(stage.a, stage.b, stage.squared_gains, n)[1]
        slack = H * (reached[:, None] + reached[None, :])
        ahead = np.where(self.sets, -np.inf, base).argmax(axis=1)
        behind = np.where(self.sets, base, np.inf).argmin(axis=1)
        bets = np.array([values[ahead, behind] for values in (moved, weight, variance, slack)])

        def both(of_a: Floats | float, of_b: Floats | float) -> Floats:
            """Return what each side of a pair has, as a matrix."""
            values = np.zeros((n, n))
            values[stage.a, stage.b], values[stage.b, stage.a] = of_a, of_b
            return values

        return Sums(
            self.score + h * total,
            self.score_weight + h * n_battles,
            self.difference + moved,
            self.weight + weight,
            self.variance + variance,
            H,
            self.slack + slack,
            base,
            self.wins + both(won, stage.battles - stage.unknown - won),
            self.unknown + both(stage.unknown, stage.unknown),
            both(stage.chance, stage.chance),
            self.sets,
            self.bets + bets * bool(np.ptp(base)),  # before the first outcomes nobody is predicted best
            self.played + n_battles,
        )


PRIOR = 20.0  # weight of the Bradley-Terry prediction, in battles of a pair
EVEN = 2.0  # prior battles of each agent against all others, half of them won


def predictions(a: Ints, b: Ints, battles: Floats, total: Floats, n_agents: int) -> Floats:
    """Return the predicted win rate of *a* over *b* for every pair, strictly between 0 and 1.

    Poor predictions make a board wide, never invalid.

    Examples
    --------
    Two agents never compared directly are predicted from their common opponent.

    >>> a, b = np.triu_indices(3, 1)
    >>> rates = predictions(a, b, np.array([40.0, 0.0, 40.0]), np.array([30.0, 0.0, 30.0]), 3)
    >>> bool(rates[1] > 0.8), bool(rates[1] < 1)
    (True, True)
    """
    from beatpath.fit.pairs import decided, fit_pairs
    from beatpath.fit.ties import slopes

    rate = np.divide(total, battles, out=np.full(len(a), 0.5), where=battles > 0)
    even = np.full(len(a), EVEN / max(n_agents - 1, 1))
    theta = fit_pairs(decided(n_agents, a, b, battles * rate + even / 2, battles + even)).strength
    return (total + PRIOR * slopes(theta, a, b)[0]) / (battles + PRIOR)
