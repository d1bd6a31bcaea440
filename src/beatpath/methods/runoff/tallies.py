"""What elimination rules count: on how many ballots an agent is first, or last, among those left."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Bools, Floats
from beatpath.evidence import Ballots
from beatpath.evidence.ties import ROUNDING, are_whole

FAR = np.iinfo(np.int32).max


@dataclass(frozen=True, slots=True, eq=False)
class Tallies:
    """The places of ballots, ready to be counted among any agents.

    Attributes
    ----------
    place : (ballots, n) int
        0 the best, -1 where unranked.
    weight : (ballots,) float
    """

    place: NDArray[np.int32]
    weight: Floats

    @classmethod
    def of(cls, ballots: Ballots) -> "Tallies":
        """Take the places and the weights of ballots."""
        return cls(ballots.places(), ballots.total)

    @property
    def total(self) -> float:
        """What all ballots weigh."""
        return float(self.weight.sum())

    def allowed(self, tally: Floats) -> float:
        """By how much totals of weights may differ and still be equal."""
        return 0.0 if are_whole(tally).all() else ROUNDING * self.total

    def firsts(self, left: Bools) -> Floats:
        """Return the weight of the ballots that rank each agent first of those left; agents tied for it share.

        >>> votes = Tallies.of(Ballots.of([[["x"], ["y"], ["z"]], [["y", "z"], ["x"]]]))
        >>> votes.firsts(np.array([True, True, True])), votes.firsts(np.array([False, True, True]))
        (array([1. , 0.5, 0.5]), array([0. , 1.5, 0.5]))
        """
        place = np.where(self.place < 0, FAR, self.place)[:, left]
        top = place.min(axis=1, keepdims=True, initial=FAR)
        return self._shared((place == top) & (top < FAR), left)

    def lasts(self, left: Bools) -> Floats:
        """Return the weight of the ballots that rank each agent last of those left, where they rank any other above it.

        >>> votes = Tallies.of(Ballots.of([[["x"], ["y"], ["z"]], [["y"]]]))
        >>> votes.lasts(np.array([True, True, True]))
        array([0., 0., 1.])
        """
        place = self.place[:, left]
        bottom = place.max(axis=1, keepdims=True, initial=-1)
        last = place == bottom
        return self._shared(last & ((place >= 0) & ~last).any(axis=1, keepdims=True), left)

    def _shared(self, chosen: Bools, left: Bools) -> Floats:
        """Each ballot's weight, shared by the agents it chooses."""
        tally = np.zeros(len(left))
        tally[left] = (self.weight / np.maximum(chosen.sum(axis=1), 1)) @ chosen
        return tally
