"""Condorcet winners: who beats every rival head to head, and who loses to none."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from beatpath._arrays import Bools, Floats, Ints
from beatpath.evidence.ballots import Ballots
from beatpath.evidence.margins import Margins
from beatpath.evidence.pairs import Pairs, net_wins
from beatpath.evidence.ties import net


@dataclass(frozen=True, slots=True)
class Condorcet:
    """The agent that beats all others, if there is one, and those that lose to nobody."""

    strong: str | None
    weak: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return both as plain data."""
        return {"strong": self.strong, "weak": list(self.weak)}


def condorcet(evidence: Margins | Pairs) -> Condorcet:
    r"""Return who beats all others, and who loses to nobody: VasE Definition 1.

    A strong winner has :math:`\delta(a, b) > 0` for every other *b*, a weak one :math:`\delta(a, b) \ge 0`. Pairs must be
    settled; two that never met neither win nor lose.

    >>> condorcet(Margins.from_wins([[0, 4, 2], [1, 0, 2], [3, 3, 0]], ["A", "B", "C"]))
    Condorcet(strong='C', weak=('C',))
    """
    won, lost = won_and_lost(evidence)
    strong, weak = np.flatnonzero(won == len(won) - 1), np.flatnonzero(lost == 0)
    return Condorcet(evidence.agents[strong[0]] if len(strong) else None, tuple(evidence.agents[i] for i in weak))


def condorcet_of_ballots(ballots: Ballots) -> Condorcet:
    """Return the same from ballots that fill a table, without counting all pairs.

    One agent after another is compared with all: whoever loses to it is out, and so is itself if it loses. The first is who
    comes first most often, each next one who beats the last most clearly of those left, so that few have to be tried.

    >>> votes = [[["A"], ["B"], ["C"]], [["A"], ["C"], ["B"]], [["C"], ["A"], ["B"]], [["B"], ["C"], ["A"]]]
    >>> condorcet_of_ballots(Ballots.of(votes, count=[1, 1, 2, 1]))
    Condorcet(strong='C', weak=('C',))
    """
    place, weight = ballots.places(), ballots.total
    ranked = place >= 0
    left = np.ones(len(ballots.agents), dtype=bool)
    worth = _added(weight, place == 0)
    strong, weak = None, []
    while left.any():
        one = int(np.where(left, worth, -np.inf).argmax())
        own = place[:, one, None]
        worth = net(_added(weight, ranked & (place < own)), _added(weight, (own >= 0) & (own < place)))
        left &= worth >= 0
        left[one] = False
        if not (worth > 0).any():
            weak.append(one)
            strong = one if (worth < 0).sum() == len(left) - 1 else strong
    return Condorcet(None if strong is None else ballots.agents[strong], tuple(ballots.agents[i] for i in sorted(weak)))


def _added(weight: Floats, chosen: Bools) -> Floats:
    """The weight of the ballots chosen, for every agent; (ballots, n) chosen."""
    if (weight == 1).all():
        return np.count_nonzero(chosen, axis=0).astype(np.float64)
    return weight @ chosen


def won_and_lost(evidence: Margins | Pairs) -> tuple[Ints, Ints]:
    """Return how many rivals each agent beats head to head, and to how many it loses; pairs must be settled.

    >>> won_and_lost(Margins.from_wins([[0, 4, 2], [1, 0, 2], [3, 2, 0]], ["A", "B", "C"]))
    (array([1, 0, 1]), array([1, 1, 0]))
    """
    if isinstance(evidence, Margins):
        return (evidence.matrix > 0).sum(axis=1), (evidence.matrix < 0).sum(axis=1)
    n, margin = len(evidence.agents), net_wins(evidence)
    winner = np.concatenate([evidence.a[margin > 0], evidence.b[margin < 0]])
    loser = np.concatenate([evidence.b[margin > 0], evidence.a[margin < 0]])
    return np.bincount(winner, minlength=n), np.bincount(loser, minlength=n)
