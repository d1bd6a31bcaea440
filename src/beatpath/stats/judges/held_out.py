"""Does knowing the judges predict better: log loss on votes held out, with one reliability for all and with one for each."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from scipy.special import log_expit

from beatpath._arrays import Floats, Ints
from beatpath._result import Record
from beatpath.stats.judges.aware import aware_strengths, leads_of
from beatpath.stats.judges.consensus import consensus
from beatpath.stats.judges.votes import Parts, Votes

FOLDS = 5
ENOUGH = 100_000  # votes predicted, which make the standard error as small as anyone needs


@dataclass(frozen=True, slots=True)
class HeldOut(Record):
    """Mean log loss of a vote for either side, on votes held out.

    Attributes
    ----------
    plain : float
        One reliability and one shift for all judges.
    aware : float
        One for each judge.
    gain : float
        Plain less aware: positive where knowing the judges predicts better.
    standard_error : float
        Of the gain, votes taken as independent.
    votes : int
        Predicted.
    """

    derived: ClassVar = ("verdict",)

    plain: float
    aware: float
    gain: float
    standard_error: float
    votes: int

    @property
    def verdict(self) -> str:
        """Whether either predicts better than chance would have it, in a word."""
        if abs(self.gain) <= 2 * self.standard_error:
            return "alike"
        return "aware" if self.gain > 0 else "plain"


def held_out_loss(votes: Votes, folds: Parts) -> HeldOut | None:
    """Hold out each fold in turn, fit both models to the rest, and predict it; nothing where there are too few votes.

    Parameters
    ----------
    votes : Votes
    folds : Parts
        The decided votes by cell and fold.

    Notes
    -----
    Further folds are held out only until `ENOUGH` votes are predicted.
    """
    if votes.n.sum() < 2 * FOLDS:
        return None
    plain, aware, square, total = 0.0, 0.0, 0.0, 0.0
    for fold in range(int(folds.cluster.max()) + 1):
        mine = folds.cluster == fold
        cell, wins, n = folds.cell[mine], folds.wins[mine], folds.n[mine]
        rest = _less(votes, cell, wins, n)
        common = consensus(rest)
        fitted = aware_strengths(rest, common)
        ahead = common.strength[votes.a] - common.strength[votes.b] + votes.x @ common.shift
        own = leads_of(votes, fitted)
        won, lost = ([-log_expit(s * eta)[cell] for eta in (ahead, own)] for s in (1, -1))
        plain += float(wins @ won[0] + (n - wins) @ lost[0])
        aware += float(wins @ won[1] + (n - wins) @ lost[1])
        square += float(wins @ (won[0] - won[1]) ** 2 + (n - wins) @ (lost[0] - lost[1]) ** 2)
        total += float(n.sum())
        if total >= ENOUGH:
            break
    gain = (plain - aware) / total
    spread = max(square / total - gain**2, 0.0)
    return HeldOut(plain / total, aware / total, gain, float(np.sqrt(spread / total)), int(total))


def _less(votes: Votes, cell: Ints, wins: Floats, n: Floats) -> Votes:
    """The votes without some."""
    left_wins, left = votes.wins.copy(), votes.n.copy()
    left_wins[cell] -= wins
    left[cell] -= n
    return replace(votes, wins=left_wins, n=left)
