"""The fewest votes of one judge that, dropped or reversed, change the winner.

Votes are taken in the order of their influence on the gap between the first agent and a rival (one Newton step), and
the result is verified by refitting; so the number certainly suffices. That fewer would not suffice is likely but not
proved.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit

from beatpath._arrays import Floats, Ints
from beatpath._result import Record
from beatpath.stats.codes import sums_by_code
from beatpath.stats.judges.consensus import Consensus, refitted
from beatpath.stats.judges.votes import Votes

RIVALS = 3  # rivals searched: those with the smallest gap relative to the judge's influence on it
GROWTH = 1.25  # factor by which a number of votes that does not suffice grows
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
    effect = _effects(own, whole, first, round_)
    cells, helps, number = _helpful(own, effect)
    gap = whole.strength[first] - whole.strength
    needed = [_linear(helps[m], number[m], float(gap[m])) if m != first else np.inf for m in range(len(agents))]
    best: Turn = Turn(None, None)
    for m in np.argsort(needed, kind="stable")[:RIVALS].tolist():
        if m == first:
            continue
        fewest = _fewest(rows, own, whole, first, cells[m], number[m], needed[m], best.votes, round_)
        if fewest is not None:
            votes, winner = fewest
            best = Turn(votes, agents[winner])
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


def _helpful(own: Votes, effect: tuple[Floats, Floats]) -> tuple[list[Ints], list[Floats], list[Floats]]:
    """For every rival, return cells (votes for *b* last), effects and numbers of votes, largest effect first."""
    both = np.vstack(effect)
    votes = np.concatenate([own.wins, own.n - own.wins])
    cells, helps, number = [], [], []
    for column in both.T:
        some = np.flatnonzero((column > 0) & (votes > 0))
        some = some[np.argsort(-column[some], kind="stable")]
        cells.append(some)
        helps.append(column[some])
        number.append(votes[some])
    return cells, helps, number


def _linear(helps: Floats, number: Floats, gap: float) -> float:
    """Estimate how many votes close a gap."""
    closed = np.cumsum(helps * number)
    at = int(np.searchsorted(closed, gap))
    if at == len(closed):
        return float("inf")
    before = closed[at - 1] if at else 0.0
    return float(number[:at].sum() + (gap - before) / helps[at])


def _fewest(
    rows: Votes,
    own: Votes,
    whole: Consensus,
    first: int,
    cells: Ints,
    number: Floats,
    guess: float,
    most: int | None,
    round_: bool,
) -> tuple[int, int] | None:
    """Return the fewest votes, from the front of the list, that change the winner, and who is first then."""
    total = int(number.sum()) if most is None else min(int(number.sum()), most - 1)
    if total < 1:
        return None

    def winner(k: int) -> int:
        less = _taken(own, cells, number, k, round_)
        strength = refitted(rows, less, whole).ended.x[: rows.n_agents]
        ahead = int(np.argmax(strength))
        return ahead if strength[ahead] > strength[first] + LEVEL else first

    low, high = 0, max(min(int(np.ceil(min(guess, total))), total), 1)
    while winner(high) == first:
        if high == total:
            return None
        low, high = high, min(int(high * GROWTH) + 1, total)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if winner(middle) != first else (middle, high)
    return high, winner(high)


def _taken(own: Votes, cells: Ints, number: Floats, k: int, round_: bool) -> Votes:
    """Return the first `k` votes of the list as cells to subtract."""
    before = np.cumsum(number) - number
    some = np.clip(k - before, 0, number)
    c = len(own)
    wins, losses = (sums_by_code(cells[at] % c, some[at], c) for at in (cells < c, cells >= c))
    if round_:
        return replace(own, wins=wins - losses, n=np.zeros(c))
    return replace(own, wins=wins, n=wins + losses)
