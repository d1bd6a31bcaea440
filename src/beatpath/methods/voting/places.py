"""What scoring rules ask of ballots: how many agents stand above each, and how many share its place."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Floats
from beatpath.evidence import Ballots


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Ranked agents of every ballot, flat.

    Attributes
    ----------
    n_agents : int
    agent : (k,) int
        Who is ranked.
    above : (k,) int
        How many agents the ballot ranks strictly above.
    tied : (k,) int
        How many agents share its place, itself included.
    weight : (k,) float
        Count times weight of the ballot.
    """

    n_agents: int
    agent: NDArray[np.int32]
    above: NDArray[np.int32]
    tied: NDArray[np.int32]
    weight: Floats

    def scores(self, points: Floats) -> Floats:
        """Add up what each ranked agent is given, by agent."""
        return np.bincount(self.agent, points * self.weight, self.n_agents).astype(np.float64)


def places_of(ballots: Ballots, k: int) -> Places:
    """Return the ranked agents among which the first `k` of every ballot are: those in its first `k` places.

    >>> found = places_of(Ballots.of([[["x"], ["y", "z"], ["u"]]]), 2)
    >>> found.above, found.tied
    (array([0, 1, 1], dtype=int32), array([1, 2, 2], dtype=int32))
    """
    agent, place, start = ballots.agent, ballots.place, ballots.start
    if place.max(initial=0) >= k:
        kept = np.flatnonzero(place < k)
        agent, place, start = agent[kept], place[kept], np.searchsorted(kept, start)
    length = np.diff(start)
    weight = np.repeat(ballots.total, length)
    if ballots.strict:
        return Places(len(ballots.agents), agent, place, np.broadcast_to(np.int32(1), place.shape), weight)
    first = np.ones(len(place), dtype=bool)  # of its place on its ballot
    first[1:] = place[1:] != place[:-1]
    first[start[:-1][length > 0]] = True
    begin = np.flatnonzero(first)
    size = np.diff(begin, append=len(place))
    above = (np.repeat(begin, size) - np.repeat(start[:-1], length)).astype(np.int32)
    return Places(len(ballots.agents), agent, above, np.repeat(size.astype(np.int32), size), weight)
