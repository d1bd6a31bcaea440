r"""A Rasch model of agents and items, and agents whose answers it does not predict.

.. math::  P(\text{agent } a \text{ solves item } i) = \sigma(\theta_a - \beta_i)

is the Bradley-Terry model of battles between agents and items. Half a win and half a loss of everybody against a strength
of zero keep estimates finite.

An agent whose answers have little to do with difficulty has a small

.. math::  z_a = \frac{\sum_i (x_{ai} - p_{ai}) (\bar\beta_a - \beta_i)}{\sqrt{\sum_i p_{ai} (1 - p_{ai}) (\beta_i - \bar\beta_a)^2}},

with :math:`\bar\beta_a` the mean difficulty by weights :math:`p_{ai} (1 - p_{ai})`, so that an error of :math:`\theta_a` has no
effect to first order: the statistic :math:`l_z^*` of Snijders [1]_ in a Rasch model. Difficulties leave the agent out. Since no
table follows the model, an agent is compared with others of its ability: the externally Studentized residual of a quadratic trend of
:math:`z` in :math:`\theta`, with the largest of one, the standard deviation of all others and that of the third of the agents next in ability, has Student's
distribution. With guessing, answers of weak agents vary more and follow difficulty less: :math:`z` itself would flag them.

References
----------
.. [1] T. A. B. Snijders, "Asymptotic null distribution of person fit statistics with estimated person parameter",
       *Psychometrika* 66 (2001), 331-342.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, stdtr

from beatpath._arrays import Floats
from beatpath.fit.pairs import decided, fit_pairs
from beatpath.fit.ties import Prior

SHRINKAGE = Prior(wins=0.5)  # half a win and half a loss against a strength of zero, as in Firth's and Jeffreys' spirit
FEWEST = 8  # agents, below which nobody can stand out from the others
STEPS = 5  # of Newton's method for the ability of one agent, from the joint estimate


@dataclass(frozen=True, slots=True, eq=False)
class Rasch:
    """Estimates of a Rasch model.

    Parameters
    ----------
    ability : (n,) float
        Log odds of every agent; NaN where the model is not identified.
    difficulty : (m,) float
        Log odds of every item.
    within : tuple of two int
        Agents and items that have finite estimates without shrinkage; zero where the model is not identified.
    """

    ability: Floats
    difficulty: Floats
    within: tuple[int, int]

    @property
    def identified(self) -> bool:
        """Whether the data alone give abilities and difficulties on one scale."""
        return min(self.within) > 1


def fit_rasch(solved: Floats, tried: Floats) -> Rasch:
    """Fit a Rasch model to the numbers of times, (n, m), that an item was solved and tried.

    Both agents solve two items of three, of which the first solves an easy and a middle one.

    >>> fit = fit_rasch(np.array([[9.0, 5.0, 1.0], [8.0, 2.0, 1.0]]), np.full((2, 3), 10.0))
    >>> fit.identified, bool(fit.ability[0] > fit.ability[1]), np.argsort(fit.difficulty)
    (True, True, array([0, 1, 2]))
    """
    n, m = solved.shape
    a, i = np.nonzero(tried)
    within = _within(solved, tried)
    if min(within) < 2:
        return Rasch(np.full(n, np.nan), np.full(m, np.nan), (0, 0))
    strength = fit_pairs(decided(n + m, a, n + i, solved[a, i], tried[a, i]), prior=SHRINKAGE).strength
    return Rasch(strength[:n], strength[n:], within)


def _within(solved: Floats, tried: Floats) -> tuple[int, int]:
    """Return the numbers of agents and items of the only group in which everybody won and lost, directly or not."""
    n = len(solved)
    size = sum(solved.shape)
    (a, i), (c, j) = np.nonzero(solved), np.nonzero(tried - solved)
    edges = csr_array((np.ones(len(a) + len(c)), (np.append(a, n + j), np.append(n + i, c))), shape=(size, size))
    part = connected_components(edges, connection="strong")[1]
    groups = np.flatnonzero(np.bincount(part) > 1)
    if len(groups) != 1:
        return 0, 0
    return int((part[:n] == groups[0]).sum()), int((part[n:] == groups[0]).sum())


def oddness(fit: Rasch, solved: Floats, tried: Floats) -> tuple[Floats, Floats]:
    """Return for every agent how well difficulty predicts its answers, compared with the others, and the p-value; (n,) each.

    Low is odd: an agent that solves hard items and fails easy ones. NaN with fewer than eight agents.
    """
    n = len(solved)
    if n < FEWEST or not fit.identified:
        return np.full(n, np.nan), np.full(n, np.nan)
    p = expit(fit.ability[:, None] - fit.difficulty)
    weight = tried * p * (1 - p)
    left = np.maximum(weight.sum(axis=0) - weight, 0.25)
    hard = fit.difficulty + (solved - tried * p) / left  # one step of Newton's method without the agent
    ability = fit.ability.copy()
    for _ in range(STEPS):
        p = expit(ability[:, None] - hard)
        weight = tried * p * (1 - p)
        ability += np.clip((solved - tried * p).sum(axis=1) / np.maximum(weight.sum(axis=1), 1e-9), -1, 1)
    middle = (weight * hard).sum(axis=1) / np.maximum(weight.sum(axis=1), 1e-9)
    pull = middle[:, None] - hard
    z = ((solved - tried * p) * pull).sum(axis=1) / np.sqrt(np.maximum((weight * pull**2).sum(axis=1), 1e-9))
    trend = np.vander(ability - ability.mean(), 3)
    hat = trend @ np.linalg.pinv(trend)
    rest, own = z - hat @ z, 1 - np.diag(hat)
    near = np.argsort(np.abs(ability[:, None] - ability), axis=1, kind="stable")[:, 1 : max(FEWEST, n // 3)]
    around = (rest**2 / own)[near].mean(axis=1)
    spread = np.sqrt(np.maximum(np.maximum((rest @ rest - rest**2 / own) / (n - 4), around), 1.0))
    t = rest / (spread * np.sqrt(own))
    return t, stdtr(min(n - 4, near.shape[1]), t)
