"""Rounds that part the agents left into those that go on and those that fall behind, on every way of breaking ties.

What a round does depends on who is left, and on nothing else. So a count is a tree of sets, and ways of breaking ties that leave
the same agents go on alike: the work grows with the sets that may be left, not with the orders in which agents leave.
"""

from collections.abc import Callable

import numpy as np

from beatpath._arrays import Bools, Floats, Ints
from beatpath.evidence.ties import slack
from beatpath.methods.graph.levels import agreed_levels, chosen_names, outcome
from beatpath.methods.result import Outcome
from beatpath.methods.status import EXACT

MOST_SETS = 2_000  # of agents left that are followed, over all ways of breaking ties
MOST_CELLS = 20_000_000  # the same, times pairs of agents
BROKEN = "ties for leaving make the outcome depend on the order in which they are broken"
TOGETHER = "ties for leaving have too many orders to try all; agents tied for leaving left together"

Round = Callable[[Bools], list[Bools]]
Sets = dict[bytes, list[Bools]]


def eliminated(agents: tuple[str, ...], round_: Round) -> Outcome:
    r"""Rank agents by rounds until nobody is left to part.

    A round takes the agents left and returns, for every way of breaking its ties, those who go on. They are above the others;
    both parts are then counted by themselves in the same way. A round that returns no way leaves its agents tied.

    Where there are several ways, each is followed: an agent is above another only if it is on all of them (`agreed_levels`), and
    details give the "possible winners". Where the sets that may be left are too many, agents tied for leaving leave together.

    Parameters
    ----------
    agents : tuple of str
    round_ : callable
        From an (n,) mask of at least two agents left to masks of those who go on, each a proper part of them.

    Returns
    -------
    Outcome
        These rules give no score: all are NaN.

    Examples
    --------
    Whoever has the least leaves; the last two tie, and so do those who leave at once.

    >>> have = np.array([3.0, 1, 3, 2])
    >>> eliminated(("a", "b", "c", "d"), lambda left: without_last(left, have)).level
    array([0, 2, 0, 1])
    """
    level, status, first = np.zeros(len(agents), dtype=np.int64), EXACT, None
    waiting, current = [np.ones(len(agents), dtype=bool)], 0
    while waiting:
        left = waiting.pop()
        ways = round_(left) if left.sum() > 1 else []
        if len(ways) == 1:
            waiting += [left & ~ways[0], ways[0]]
            continue
        found = _followed(left, round_) if ways else (np.zeros(np.sum(left), dtype=np.int64), left)
        if found is None:
            status, on = TOGETHER, np.logical_and.reduce(ways)
            if on.any():
                waiting += [left & ~on, on]
                continue
            found = np.zeros(np.sum(left), dtype=np.int64), left
        elif ways and status == EXACT:
            status = BROKEN
        inside, firsts = found
        first = firsts if first is None else first
        level[left] = current + inside
        current = int(level.max()) + 1
    details = {}
    if status == BROKEN:
        assert first is not None
        details = {"possible winners": chosen_names(first, agents)}
    return outcome(level, np.full(len(agents), np.nan), status, details)


def without_last(left: Bools, tally: Floats, allowed: float | None = None) -> list[Bools]:
    """Return who goes on when one agent with the smallest total leaves: a way for each; none where but two are left, and tie.

    >>> [way.astype(int).tolist() for way in without_last(np.ones(3, dtype=bool), np.array([2.0, 1, 1]))]
    [[1, 0, 1], [1, 1, 0]]
    """
    have = tally[left]
    allowed = slack(have) if allowed is None else allowed
    last = np.flatnonzero(left)[have <= have.min() + allowed]
    if len(have) == 2 == len(last):
        return []
    ways = np.repeat(left[None], len(last), axis=0)
    ways[np.arange(len(last)), last] = False
    return list(ways)


def _followed(left: Bools, round_: Round) -> tuple[Ints, Bools] | None:
    """Levels within a set on which all ways agree, and who is first on some; nothing where the sets are too many."""
    members = np.flatnonzero(left)
    most = min(MOST_SETS, MOST_CELLS // len(members) ** 2)
    found: Sets = {}
    waiting = [left]
    while waiting:
        here = waiting.pop()
        if here.tobytes() in found:
            continue
        if len(found) == most:
            return None
        ways = round_(here) if here.sum() > 1 else []
        found[here.tobytes()] = ways
        for on in ways:
            waiting += [on, here & ~on]
    above: dict[bytes, Bools] = {}
    firsts: dict[bytes, Bools] = {}
    for key in sorted(found, key=lambda key: key.count(b"\x01")):  # a part is smaller than the whole
        here = np.frombuffer(key, dtype=bool)
        ways = found[key]
        made = [_joined(on, here & ~on, above, members) for on in ways]
        above[key] = np.logical_and.reduce(made) if made else np.zeros((len(members),) * 2, dtype=bool)
        firsts[key] = np.logical_or.reduce([firsts[on.tobytes()] for on in ways]) if ways else here
    return agreed_levels(above[left.tobytes()]), firsts[left.tobytes()]


def _joined(on: Bools, behind: Bools, above: dict[bytes, Bools], members: Ints) -> Bools:
    """Who is above whom when one part stands above another."""
    across: Bools = np.outer(on[members], behind[members])
    return above[on.tobytes()] | above[behind.tobytes()] | across
