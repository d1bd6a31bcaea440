"""Levels of rules that elect: the winners come out, and those left elect again."""

from collections.abc import Callable

import numpy as np

from beatpath._arrays import Bools, Floats
from beatpath.methods.graph.levels import chosen_names, outcome, unbeaten_layers
from beatpath.methods.result import Outcome
from beatpath.methods.status import EXACT
from beatpath.methods.voting.split_cycle import split_cycle_defeats

TOO_MANY = (
    "ties or circles are too many to settle; where it is so those whom Split Cycle leaves undefeated share a level"
)


def elected_in_turn(margins: Floats, agents: tuple[str, ...], elect: Callable[[Floats], Bools | None]) -> Outcome:
    """Rank agents by electing some, taking them out, and electing again.

    Parameters
    ----------
    margins : (n, n) float
        Equal to minus its transpose; equal wins are exactly equal.
    agents : tuple of str
    elect : callable
        From margins to a mask of the elected, who are undefeated under Split Cycle; None where it cannot tell.

    Returns
    -------
    Outcome
        Scores are NaN. Where `elect` cannot tell, those left are ranked as Split Cycle does, and the status says so.

    Examples
    --------
    >>> elected_in_turn(np.array([[0.0, 5, -1], [-5, 0, 3], [1, -3, 0]]), ("x", "y", "z"), lambda m: None).level
    array([0, 1, 2])
    """
    level, left = np.zeros(len(margins), dtype=np.int64), np.arange(len(margins))
    current, status, details = 0, EXACT, {}
    while len(left):
        among = margins[np.ix_(left, left)]
        chosen = elect(among)
        if chosen is None:
            inside = unbeaten_layers(split_cycle_defeats(among))
            level[left] = current + inside
            status = TOO_MANY
            if not current:
                details = {"possible winners, at most": chosen_names(level == 0, agents)}
            break
        level[left[chosen]] = current
        left, current = left[~chosen], current + 1
    return outcome(level, np.full(len(margins), np.nan), status, details)
