r"""Answers of agents to items: which items are scored the wrong way round, and which repeat another.

An answer is *high* if it is above the mean of its item: right, where items are right or wrong. The *lead* of an agent on
an item is the share of the others that it beats there minus the share that it loses to, and its *rest* the mean of its
leads on all other items.

If an item has nothing to do with the others, every choice of *k* agents is as likely to be those with high answers. So the
chance that the ranks of their rests have a sum as small as observed is a sum over subsets, computed exactly by a recursion
over agents; it is larger still if the item agrees with the others.

In a Rasch model the agents with high answers are a set *H* of *k* agents with probability

.. math::  \pi(H) = \prod_{a \in H} e^{\theta_a} \Big/ \sum_{|G| = k} \prod_{a \in G} e^{\theta_a},

whatever the difficulty. Two independent items with *k* high answers each have both the set *H* with probability
:math:`\pi(H)^2`, so calling them copies where :math:`\pi(H) \le \alpha / N` errs with probability :math:`\alpha` at most over
all *N* pairs of items with as many high answers.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, ndtr
from scipy.stats import binom, rankdata

from beatpath._arrays import Bools, Floats, Ints

ROUNDING = 1e-10  # of the mean absolute score of an item: a score that near to its mean is equal to it
# Of the recursion over agents, about a second; beyond, a normal distribution with larger tails
MOST_CELLS = 200_000_000
SCREENED = 0.2  # p-values of the normal approximation above which the exact one is of no interest


@dataclass(frozen=True, eq=False)
class Answers:
    """Scores of agents on items, higher being better.

    Parameters
    ----------
    value : (n, m) float
        NaN where an agent has no score.
    """

    value: Floats

    @cached_property
    def held(self) -> Bools:
        """Which cells have a score."""
        return ~np.isnan(self.value)

    @cached_property
    def centered(self) -> Floats:
        """Scores minus the mean of their item; 0 where missing, and where they differ from it by rounding alone."""
        value, n = np.where(self.held, self.value, 0.0), np.maximum(self.held.sum(axis=0), 1)
        gap = np.where(self.held, self.value - value.sum(axis=0) / n, 0.0)
        return np.where(np.abs(gap) > ROUNDING * np.abs(value).sum(axis=0) / n, gap, 0.0)

    @cached_property
    def live(self) -> Bools:
        """Which items do not have the same score for all agents."""
        return np.asarray(
            np.where(self.held, self.value, -np.inf).max(axis=0) > np.where(self.held, self.value, np.inf).min(axis=0)
        )

    @cached_property
    def high(self) -> Bools:
        """Which scores lie above the mean of their item."""
        return (self.centered > 0) & self.held & self.live

    @cached_property
    def lead(self) -> Floats:
        """Share of the other agents beaten on an item minus the share lost to; 0 where missing."""
        ranks = rankdata(self.value, axis=0, nan_policy="omit")
        n = self.held.sum(axis=0)
        return np.where(self.held, (2 * ranks - n - 1) / np.maximum(n - 1, 1), 0.0)

    @cached_property
    def rest(self) -> Floats:
        """Mean lead of every agent on the items other than each; NaN where it has no other."""
        number = self.held.sum(axis=1)[:, None] - self.held
        others, none = self.lead.sum(axis=1)[:, None] - self.lead, np.full(self.value.shape, np.nan)
        return np.divide(others, number, out=none, where=number > 0)

    def correlations(self) -> Floats:
        """Return the correlation of every item with the rest of the agents that have it; NaN for items that are not live."""
        some = self.held & np.isfinite(self.rest)
        x, y = (np.where(some, one, 0.0) for one in (self.value, self.rest))
        n = np.maximum(some.sum(axis=0), 1)
        x, y = (np.where(some, one - one.sum(axis=0) / n, 0.0) for one in (x, y))
        scale = np.sqrt((x**2).sum(axis=0) * (y**2).sum(axis=0))
        return np.divide((x * y).sum(axis=0), scale, out=np.full(len(n), np.nan), where=self.live & (scale > 0))

    def reversed_p(self) -> Floats:
        """Return the p-value of every item: how likely its high answers would be with agents as bad, by chance.

        The better agent fails, and of six sets of two agents one is as bad or worse.

        >>> Answers(np.array([[1.0, 1, 1, 0], [1, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 1]])).reversed_p()[3].round(3)
        np.float64(0.167)
        """
        return np.array([self._reversed_p(j) if live else 1.0 for j, live in enumerate(self.live.tolist())])

    def _reversed_p(self, item: int) -> float:
        some = self.held[:, item] & np.isfinite(self.rest[:, item])
        rank = np.rint(2 * rankdata(np.round(self.rest[some, item], 12))).astype(np.int64)
        high = self.high[some, item]
        return 1.0 if high.all() or not high.any() else smallest_sum_p(rank, high)

    def copies(self, strength: Floats, error: float) -> list[Ints]:
        """Return groups of items with the same scores, where that is no chance: `error` is that of any false pair.

        Parameters
        ----------
        strength : (n,) float
            Log odds of a high answer of every agent.
        error : float
            Chance of any false pair, if answers are independent given strengths.
        """
        at = np.flatnonzero(self.live)
        _, group, size = np.unique(
            np.where(self.held, self.value, np.inf)[:, at], axis=1, return_inverse=True, return_counts=True
        )
        per_number = np.unique(self.high[:, at].sum(axis=0), return_counts=True)[1]
        pairs = int((per_number * (per_number - 1) // 2).sum())
        same = [at[group.ravel() == k] for k in np.flatnonzero(size > 1).tolist()]
        held = [self.held[:, one[0]] for one in same]
        chance = [pattern_chance(strength[h], self.high[h, one[0]]) for h, one in zip(held, same, strict=True)]
        return [one for one, p in zip(same, chance, strict=True) if p <= error / pairs]


def smallest_sum_p(rank: Ints, chosen: Bools) -> float:
    """Return the chance that as many random agents have ranks with a sum no larger than that of those chosen.

    Of ten sets of two agents of five, only {1, 2} has a sum of 3, and {1, 3} one of 4.

    >>> rank = np.array([1, 2, 3, 4, 5])
    >>> round(smallest_sum_p(rank, np.array([True, False, True, False, False])), 9)
    0.2
    """
    n, k = len(rank), int(chosen.sum())
    if 2 * k > n:  # those not chosen have a sum that is as large
        rank, chosen, k = rank.max() + rank.min() - rank, ~chosen, n - k
    rank = rank - rank.min()
    total = int(rank[chosen].sum())
    spread = float(rank.var()) * k * (n - k) / (n - 1)
    if spread == 0:
        return 1.0
    normal = float(ndtr((total + 0.5 - k * rank.mean()) / np.sqrt(spread)))
    if normal > SCREENED or n * k * total > MOST_CELLS:
        return normal
    ways, share = np.zeros((k + 1, total + 1)), k / n  # every agent is drawn with chance k / n, and k of them are
    ways[0, 0] = 1.0
    for one in rank[rank <= total].tolist():
        more = share * ways[:-1, : total + 1 - one]
        ways *= 1 - share
        ways[1:, one:] += more
    far = int((rank > total).sum())  # too high to be drawn
    return float(min(ways[k].sum() * (1 - share) ** far / binom.pmf(k, n, share), 1.0))


def pattern_chance(strength: Floats, high: Bools) -> float:
    """Return the chance that of all sets of as many agents this one has the high answers, in a Rasch model.

    >>> round(pattern_chance(np.log([3.0, 1.0]), np.array([True, False])), 9)
    0.75
    """
    k = int(high.sum())
    # the difficulty at which this many are expected, so that nothing underflows
    ease = brentq(lambda ease: expit(strength + ease).sum() - k, -strength.max() - 40, 40 - strength.min())
    p, number = expit(strength + ease), np.ones(1)
    for one in p.tolist():
        number = np.append(number * (1 - one), 0.0) + np.append(0.0, number * one)
    return float(np.exp(np.log(np.where(high, p, 1 - p)).sum()) / number[k])
