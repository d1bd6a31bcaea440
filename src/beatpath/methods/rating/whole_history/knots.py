"""Where the curves are told: every agent at every time it met anyone."""

from dataclasses import dataclass

import numpy as np

from beatpath._arrays import Bools, Floats, Ints
from beatpath.evidence import Battles
from beatpath.methods.rating.online_state import Schedule


@dataclass(frozen=True, slots=True, eq=False)
class Knots:
    """Points of all curves, agent after agent and in the order of time, and the battles between them.

    Attributes
    ----------
    agent : (n,) int
    time : (n,) float
    first : (n,) bool
        Where an agent's curve begins.
    a, b : (t,) int
        The knots that met.
    outcome, weight : (t,) float
    """

    agent: Ints
    time: Floats
    first: Bools
    a: Ints
    b: Ints
    outcome: Floats
    weight: Floats

    def __len__(self) -> int:
        return len(self.agent)

    @property
    def last(self) -> Ints:
        """The last knot of each agent that has any."""
        return np.flatnonzero(np.append(self.first[1:], True)) if len(self) else np.empty(0, dtype=np.int64)

    @property
    def share(self) -> Floats:
        """What every knot weighs in the mean of all agents: they count alike, and so do the knots of one of them."""
        curve = np.cumsum(self.first) - 1
        own = np.bincount(curve, minlength=0)[curve] if len(self) else np.empty(0)
        return 1 / (own * max(int(self.first.sum()), 1))

    def variance(self, drift: float) -> Floats:
        """Return the variance of each step from the knot before, 1 where a curve begins."""
        gap = np.diff(self.time, prepend=self.time[:1])
        return np.where(self.first, 1.0, drift**2 * gap)


def knots_of(battles: Battles, order: Schedule) -> Knots:
    """Return the knots of battles whose times are all known.

    >>> from beatpath.methods.rating.online_state import schedule
    >>> season = Battles.of([("x", "y", 1), ("y", "z", 1)], time=[1, 2])
    >>> found = knots_of(season, schedule(season))
    >>> found.agent, found.time, found.a, found.b
    (array([0, 1, 1, 2]), array([1., 1., 2., 2.]), array([0, 2]), array([1, 3]))
    """
    assert battles.time is not None
    rows, t = order.rows, len(order.rows)
    times, when = np.unique(battles.time[rows], return_inverse=True)
    cell = np.concatenate([battles.a[rows], battles.b[rows]]).astype(np.int64) * len(times) + np.tile(when, 2)
    kept, knot = np.unique(cell, return_inverse=True)
    agent = kept // len(times) if len(times) else kept
    return Knots(
        agent,
        times[kept % len(times)] if len(times) else np.empty(0),
        np.diff(agent, prepend=-1) != 0,
        knot[:t],
        knot[t:],
        battles.outcome[rows],
        np.ones(t) if battles.weight is None else battles.weight[rows],
    )
