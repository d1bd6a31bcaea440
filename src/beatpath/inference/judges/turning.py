"""The fewest votes of one judge that, dropped or reversed, change the winner.

Votes are taken in the order of their influence on the gap between the first agent and a rival (one Newton step), and
the result is verified by refitting; so the number certainly suffices. That fewer would not suffice is likely but not
proved.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from beatpath._arrays import Floats, Ints
from beatpath._result import Record
from beatpath.stats.codes import sums_by_code
from beatpath.stats.judges.consensus import Consensus, refitted
from beatpath.stats.judges.votes import Votes
from beatpath.stats.smallest import first_units, predicted_number, shortest_prefix

RIVALS = 3  # rivals searched: those with the smallest gap relative to the judge's influence on it
LEVEL = 1e-6  # log odds within which two agents are tied


@dataclass(frozen=True, slots=True)
class Turn(Record):
    """Votes of one judge that suffice to make another agent first.

    Attributes
    ----------
    votes : int or None
        Their number; None where all of them do not suffice.
    rival : str or None
        Who is first then.
    """

    votes: int | None
    rival: str | None


def votes_to_turn(rows: Votes, own: Votes, whole: Consensus, agents: tuple[str, ...], *, round_: bool) -> Turn:
    """Return how many of a judge's votes, dropped or reversed, suffice to make another agent first.

    Parameters
    ----------
    rows : Votes
        Of all judges, pooled.
    own : Votes
        Of the judge.
    whole : Consensus
        Of `rows`.
    agents : tuple of str
        Names.
    round_ : bool
        Whether votes are reversed, or dropped.
    """
    first = int(np.argmax(whole.strength))
    gap = whole.strength[first] - whole.strength
    both, votes = np.vstack(_effects(own, whole, first, round_)), np.concatenate([own.wins, own.n - own.wins])
    rivals = []
    for m in np.flatnonzero(np.arange(len(agents)) != first).tolist():
        cells = np.flatnonzero((both[:, m] > 0) & (votes > 0))
        cells = cells[np.argsort(-both[cells, m], kind="stable")]
        left = float(gap[m] - both[cells, m] @ votes[cells])  # of the gap, after all votes
        rivals.append((predicted_number(both[cells, m], votes[cells], float(gap[m])), left, m, cells))
    best = Turn(None, None)
    for guess, *_, cells in sorted(rivals, key=lambda one: one[:3])[:RIVALS]:
        number = votes[cells]

        def look(k: int, cells: Ints = cells, number: Floats = number) -> tuple[bool, str]:
            less = _taken(own, cells, first_units(number, k), round_)
            strength = refitted(rows, less, whole).ended.x[: rows.n_agents]
            ahead = int(np.argmax(strength))
            return bool(strength[ahead] > strength[first] + LEVEL), agents[ahead]

        most = int(number.sum()) if best.votes is None else min(int(number.sum()), best.votes - 1)
        fewest = shortest_prefix(look, int(np.ceil(min(guess, most))), most)
        best = best if fewest is None else Turn(*fewest)
    return best


def _effects(own: Votes, whole: Consensus, first: int, round_: bool) -> tuple[Floats, Floats]:
    """Return the effect of each vote for *a*, and for *b*, on every agent's lead over the first, (c, n) each."""
    n, here = own.n_agents, whole.parameters
    across = whole.covariance[own.a] - whole.covariance[own.b] + own.x @ whole.covariance[n:]
    g = across[:, :n] - across[:, [first]]
    if round_:
        return -g, g
    p = expit(here[own.a] - here[own.b] + own.x @ here[n:])[:, None]
    return -g * (1 - p), g * p


def _taken(own: Votes, cells: Ints, some: NDArray[np.generic], round_: bool) -> Votes:
    """Return some votes of cells (votes for *b* last) as cells to subtract."""
    c = len(own)
    wins, losses = (sums_by_code(cells[at] % c, some[at], c) for at in (cells < c, cells >= c))
    if round_:
        return replace(own, wins=wins - losses, n=np.zeros(c))
    return replace(own, wins=wins, n=wins + losses)
