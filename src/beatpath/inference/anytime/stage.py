"""A stage of a running evaluation: battles drawn by fixed chances while predictions stood still, counted by pair."""

from dataclasses import dataclass

import numpy as np

from beatpath._arrays import Floats, Ints
from beatpath._errors import DataError


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    r"""What was known before a stage, and what came of it.

    Parameters
    ----------
    a, b : (m,) int
        All pairs of agents, ``a < b``.
    chance : (m,) float
        With which each pair was drawn, from what was seen before; above zero, one in all.
    predicted : (m,) float
        The win rate of *a* over *b* as predicted from what was seen before.
    battles : (m,) float
        How many battles of the pair were told.
    total, squares : (m,) float
        Of their outcomes for *a*, in [0, 1].
    """

    a: Ints
    b: Ints
    chance: Floats
    predicted: Floats
    battles: Floats
    total: Floats
    squares: Floats

    def __post_init__(self) -> None:
        if len(self.chance) and (self.chance.min() <= 0 or abs(self.chance.sum() - 1) > 1e-6):
            raise DataError(
                "the chances of a stage must be above zero for every pair and add up to one; these add up to "
                f"{self.chance.sum():g}, the least being {self.chance.min():g}."
            )

    @property
    def gains(self) -> Floats:
        r"""By how much outcomes exceed predictions, each divided by its chance: :math:`\sum (x - \hat p) / \pi`."""
        return (self.total - self.battles * self.predicted) / self.chance

    @property
    def squared_gains(self) -> Floats:
        """The same, each squared before they are added up."""
        return (self.squares - 2 * self.predicted * self.total + self.battles * self.predicted**2) / self.chance**2


def base_scores(stage: Stage, n_agents: int) -> Floats:
    """Return the mean predicted win rate of every agent against all others."""
    won = np.bincount(stage.a, stage.predicted, n_agents) + np.bincount(stage.b, 1 - stage.predicted, n_agents)
    found: Floats = won / (n_agents - 1)
    return found


def variances(a: Ints, b: Ints, of_pair: Floats, n_agents: int) -> tuple[Floats, Floats]:
    """Return the variances of scores, and of their differences, from those that pairs add to win rates.

    A battle between the two moves both, apart, and so counts twice over.

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


def expected_variances(a: Ints, b: Ints, chance: Floats, predicted: Floats, n_agents: int) -> tuple[Floats, Floats]:
    r"""Return what one battle adds to the variances of scores and differences where predictions are right: of :math:`\hat p (1 - \hat p) / \pi`."""
    return variances(a, b, predicted * (1 - predicted) / chance, n_agents)
