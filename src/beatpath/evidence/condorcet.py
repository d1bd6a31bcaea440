"""Condorcet winners: agents that beat, or at least never lose to, every other agent in direct comparison."""

from dataclasses import dataclass

import numpy as np

from beatpath._arrays import Bools, Floats, Ints
from beatpath._errors import DataError
from beatpath._result import Record
from beatpath._text import counted
from beatpath.evidence.ballots import Ballots
from beatpath.evidence.margins import Margins
from beatpath.evidence.pairs import Pairs, net_wins
from beatpath.evidence.ties import net

_BLOCK = 4_000_000  # pairs compared in one block
_MOST = 2_000_000_000  # most comparisons of places; beyond this the computation is refused


@dataclass(frozen=True, slots=True)
class Condorcet(Record):
    """The Condorcet winners: agents that beat, or at least do not lose to, every other agent.

    Attributes
    ----------
    strong : str
        The agent that beats every other; ``None`` if there is none.
    weak : tuple of str
        The agents that lose to nobody.
    """

    strong: str | None
    weak: tuple[str, ...]


def condorcet(evidence: Margins | Pairs | Ballots) -> Condorcet:
    r"""Return the strong and the weak Condorcet winners (VasE, Definition 1).

    A strong Condorcet winner has :math:`\delta(a, b) > 0` for every other *b*, a weak one :math:`\delta(a, b) \ge 0`.
    The ties of `Pairs` must be settled. Two agents that were never compared count as neither a win nor a loss.

    >>> condorcet(Margins.from_wins([[0, 4, 2], [1, 0, 2], [3, 3, 0]], ["A", "B", "C"]))
    Condorcet(strong='C', weak=('C',))
    """
    return winners(evidence.agents, *won_and_lost(evidence))


def winners(agents: tuple[str, ...], won: Ints, lost: Ints) -> Condorcet:
    """Return the Condorcet winners, given how many rivals each agent beats and loses to.

    >>> winners(("A", "B", "C"), np.array([1, 0, 2]), np.array([1, 2, 0]))
    Condorcet(strong='C', weak=('C',))
    """
    strong, weak = np.flatnonzero(won == len(won) - 1), np.flatnonzero(lost == 0)
    return Condorcet(agents[strong[0]] if len(strong) else None, tuple(agents[i] for i in weak))


def condorcet_of_ballots(ballots: Ballots) -> Condorcet:
    """Return the Condorcet winners of ballots that fill a table, without counting all pairs.

    One agent after another is compared with all others. Agents that lose to it are eliminated, and so is the agent
    itself if it loses. The first is the agent with the most first places; each next one is the remaining agent that
    beats the last by the most. So few agents need a comparison.

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
    """Total weight of the chosen ballots for every agent; `chosen` has shape (ballots, n)."""
    if (weight == 1).all():
        return np.count_nonzero(chosen, axis=0).astype(np.float64)
    return weight @ chosen


def won_and_lost(evidence: Margins | Pairs | Ballots) -> tuple[Ints, Ints]:
    """Return how many rivals each agent beats, and how many it loses to; the ties of `Pairs` must be settled.

    Ballots are compared one block of agents at a time, so the list of their pairs is never held in memory.

    >>> won_and_lost(Margins.from_wins([[0, 4, 2], [1, 0, 2], [3, 2, 0]], ["A", "B", "C"]))
    (array([1, 0, 1]), array([1, 1, 0]))
    """
    if isinstance(evidence, Margins):
        return (evidence.matrix > 0).sum(axis=1), (evidence.matrix < 0).sum(axis=1)
    if isinstance(evidence, Ballots):
        return _won_and_lost_on_ballots(evidence)
    n, margin = len(evidence.agents), net_wins(evidence)
    some = margin != 0
    a, b, lead = (one if some.all() else one[some] for one in (evidence.a, evidence.b, margin))
    winner = np.where(lead > 0, a, b)
    return np.bincount(winner, minlength=n), np.bincount(a + b - winner, minlength=n)


def _won_and_lost_on_ballots(ballots: Ballots) -> tuple[Ints, Ints]:
    """Like `won_and_lost`, for ballots; two agents that no ballot ranks together neither win nor lose."""
    n, compared = len(ballots.agents), float(len(ballots)) * len(ballots.agents) ** 2
    if compared > _MOST:
        raise DataError(
            f"who beats whom of {counted(n, 'agent')} on {counted(len(ballots), 'ballot')} takes {compared:,.0f} comparisons, "
            f"and at most {_MOST:,} are made. Choose agents with `--only`; mean scores of a table, which `resolve` gives, need none."
        )
    place = ballots.places().astype(np.float64)
    best, worst = np.where(place < 0, -np.inf, place), np.where(place < 0, np.inf, place)
    won, lost = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    step = max(_BLOCK // max(n, 1), 1)
    for low in range(0, n, step):
        some = slice(low, min(low + step, n))
        for_them, against = (np.zeros((some.stop - low, n)) for _ in range(2))
        for high, deep, weight in zip(worst, best, ballots.total, strict=True):
            for_them += weight * (high[some, None] < deep)
            against += weight * (deep[some, None] > high)
        margin = net(for_them, against)
        won[some], lost[some] = (margin > 0).sum(axis=1), (margin < 0).sum(axis=1)
    return won, lost
