"""Stable voting: who stays the winner when the rival it beats most clearly is gone."""

import numpy as np

from beatpath._arrays import Bools, Floats
from beatpath.evidence.ties import snapped
from beatpath.methods.profile import Profile
from beatpath.methods.refinement.undefeated import elected_in_turn
from beatpath.methods.result import Outcome
from beatpath.methods.voting.split_cycle import split_cycle_defeats

MOST_SETS = 2_000  # of agents that are elected from in finding one winner


def stable_voting(profile: Profile) -> Outcome:
    r"""Rank agents by electing who is undefeated and would win without some rival, the rival beaten most clearly first.

    From one agent that agent is elected. From more, go through the pairs *a*, *b* with *a* undefeated under Split Cycle by
    falling margin :math:`\delta(a, b)`: the first *a* that is elected when *b* is gone is elected [1]_; of equal margins all such *a*
    are. Holliday and Pacuit elect and do not rank: below, those elected come out and the others elect again, which is ours.

    Parameters
    ----------
    profile : Profile
        With margins.

    Returns
    -------
    Outcome
        The rule gives no score: all are NaN. The sets of agents to elect from can be exponentially many: beyond 2,000 those left
        are ranked as `split_cycle` does, whose first level holds the winner, and the status says so.

    Examples
    --------
    A circle: A beats B by 5, B beats C by 3, C beats A by 1. Without B, C would win; A is elected without B's help: without C.

    >>> from beatpath import Margins, rank
    >>> rank(Margins([[0, 5, -1], [-5, 0, 3], [1, -3, 0]], ("A", "B", "C")), "stable_voting")
    stable_voting: A > B > C

    Notes
    -----
    Where Split Cycle leaves one agent undefeated that agent is elected without more ado, which settles nearly all sets.
    Condorcet consistent; elects from the undefeated of Split Cycle.

    References
    ----------
    .. [1] W. H. Holliday and E. Pacuit, "Stable Voting", *Constitutional Political Economy* 34 (2023), 421-433.
    """
    margins = snapped(profile.margins.matrix, profile.margins.allowed)
    return elected_in_turn(margins, profile.agents, stable_winners)


def stable_winners(margins: Floats, most: int = MOST_SETS) -> Bools | None:
    """Return who is elected; None where more than `most` sets of agents would have to be looked at.

    >>> stable_winners(np.array([[0.0, 5, -1], [-5, 0, 3], [1, -3, 0]]))
    array([ True, False, False])
    """
    known: dict[tuple[int, ...], frozenset[int]] = {}

    def elected(left: tuple[int, ...]) -> frozenset[int]:
        if left in known:
            return known[left]
        if len(known) >= most:
            raise _TooManyError
        among = margins[np.ix_(left, left)]
        undefeated = [left[i] for i in np.flatnonzero(~split_cycle_defeats(among).any(axis=0))]
        if len(undefeated) == 1 or not among.any():
            known[left] = frozenset(undefeated)
            return known[left]
        known[left] = frozenset()  # counted before those it leads to
        found: set[int] = set()
        level = np.inf
        matches = sorted((-margins[a, b], a, b) for a in undefeated for b in left if a != b)
        for size, a, b in matches:
            if found and -size < level:
                break
            if a not in found and a in elected(tuple(c for c in left if c != b)):
                found.add(a)
                level = -size
        known[left] = frozenset(found)
        return known[left]

    chosen = np.zeros(len(margins), dtype=bool)
    try:
        chosen[list(elected(tuple(range(len(margins)))))] = True
    except (_TooManyError, RecursionError):
        return None
    return chosen


class _TooManyError(Exception):
    """More sets than may be looked at."""
