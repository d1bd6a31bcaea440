r"""What stages add up to, each weighed by how sure it was expected to be.

A stage whose chances were expected to leave the difference of two scores with a variance of :math:`v` a battle counts with
weight :math:`1 / v` for that difference. Chances and predictions were there before its battles, so that weights are too: weighted
sums stay martingales, and stages that hardly drew the battles of two agents do not blur what others say of them. Weights add up to
the information that was gathered: one over the variance of the estimate.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from beatpath._arrays import Floats
from beatpath.inference.anytime.stage import Stage, base_scores, expected_variances, variances


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
        The information that a battle of the latest stage was expected to bring.
    battles, total : float
        Battles that were told, and what the first agent won of them.
    """

    score: Floats
    score_weight: Floats
    difference: Floats
    weight: Floats
    variance: Floats
    pace: Floats
    battles: float = 0.0
    total: float = 0.0

    @classmethod
    def none(cls, n_agents: int) -> "Sums":
        """Sums over no stage."""
        none, square = np.zeros(n_agents), np.zeros((n_agents, n_agents))
        return cls(none, none, square, square, square, square)

    def plus(self, stage: Stage) -> "Sums":
        """Return the sums with one stage more."""
        n = len(self.score)
        told = float(stage.battles.sum())
        gain = stage.gains / (n - 1)
        found = told * base_scores(stage, n) + np.bincount(stage.a, gain, n) - np.bincount(stage.b, gain, n)
        of_score, of_difference = expected_variances(stage.a, stage.b, stage.chance, stage.predicted, n)
        h, H = 1 / of_score, 1 / (of_difference + np.eye(n))
        np.fill_diagonal(H, 0.0)
        return Sums(
            self.score + h * found,
            self.score_weight + h * told,
            self.difference + H * (found[:, None] - found[None, :]),
            self.weight + H * told,
            self.variance + H**2 * variances(stage.a, stage.b, stage.squared_gains, n)[1],
            H,
            self.battles + told,
            self.total + float(stage.total[stage.a == 0].sum()),
        )

    @classmethod
    def over(cls, stages: Iterable[Stage], n_agents: int) -> "Sums":
        """Return the sums over many stages."""
        sums = cls.none(n_agents)
        for stage in stages:
            sums = sums.plus(stage)
        return sums
