"""Simulated contests between agents of known skill: SCO section 4.3, which WSCO section 5.3 repeats."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from beatpath import Ballots

AGENTS, SEATS, CANDIDATES = 20, 4, 3
DISTRIBUTIONS = ("uniform", "skill-matched")


@dataclass(frozen=True, slots=True, eq=False)
class Contests:
    """True skills, and what came of the contests, best first."""

    skill: NDArray[np.float64]
    orders: NDArray[np.int64]

    @property
    def truth(self) -> dict[str, float]:
        """Skills by name."""
        return dict(zip(self.ballots.agents, self.skill.tolist(), strict=True))

    @property
    def ballots(self) -> Ballots:
        """One ballot a contest, over all agents that there are."""
        contests, seats = self.orders.shape
        names = tuple(f"agent {i + 1}" for i in range(len(self.skill)))
        place = np.tile(np.arange(seats), contests)
        return Ballots(names, self.orders.ravel(), place, np.arange(0, self.orders.size + 1, seats))

    @property
    def missing(self) -> float:
        """The share of pairs never compared."""
        played = np.zeros((len(self.skill),) * 2, dtype=bool)
        for order in self.orders:
            played[np.ix_(order, order)] = True
        pairs = len(self.skill) * (len(self.skill) - 1)
        return 1 - (int(played.sum()) - int(played.diagonal().sum())) / pairs


def contests(n: int, distribution: str, rng: np.random.Generator, skill: NDArray[np.float64] | None = None) -> Contests:
    r"""Simulate `n` contests of four among twenty agents, :math:`\theta_i \sim N(100, 30)`, noise :math:`N(0, 5)`.

    "uniform" draws the four at random; "skill-matched" adds to the contest, of three sampled at random, the agent whose
    skill is nearest to the mean of those in it so far. `skill` takes the place of the sampled skills.
    """
    skill = rng.normal(100.0, 30.0, AGENTS) if skill is None else skill
    orders = np.empty((n, SEATS), dtype=np.int64)
    for k in range(n):
        who = rng.choice(AGENTS, SEATS, replace=False) if distribution == "uniform" else _matched(skill, rng)
        orders[k] = who[np.argsort(-(skill[who] + rng.normal(0.0, 5.0, SEATS)))]
    return Contests(skill, orders)


def _matched(skill: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Four agents of like skill."""
    who = [int(rng.integers(len(skill)))]
    while len(who) < SEATS:
        candidates = rng.choice(np.setdiff1d(np.arange(len(skill)), who), CANDIDATES, replace=False)
        who.append(int(candidates[np.argmin(np.abs(skill[candidates] - skill[who].mean()))]))
    return np.array(who)
