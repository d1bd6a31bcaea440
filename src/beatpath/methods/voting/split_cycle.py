"""Split Cycle: in every circle of wins the weakest counts for nothing."""

import numpy as np

from beatpath._arrays import Bools, Floats
from beatpath.evidence.ties import snapped
from beatpath.methods.graph.levels import outcome, unbeaten_layers
from beatpath.methods.graph.widest_paths import widest_paths
from beatpath.methods.profile import Profile
from beatpath.methods.result import Outcome


def split_cycle(profile: Profile) -> Outcome:
    """Rank agents by the wins that no circle of stronger wins contradicts.

    The first level holds the undefeated, whom the rule elects; the next those undefeated by anyone left, and so on,
    which is our way to read levels from the defeats. The rule gives no score: all are NaN.

    Returns
    -------
    Outcome
        Details give the number of defeats that stand and of majority wins that do not.
    """
    margins = snapped(profile.margins.matrix, profile.margins.allowed)
    defeats = split_cycle_defeats(margins)
    dropped = int((margins > 0).sum()) - int(defeats.sum())
    details = {"defeats": int(defeats.sum()), "wins dropped": dropped}
    return outcome(unbeaten_layers(defeats), np.full(len(defeats), np.nan), details=details)


def split_cycle_defeats(margins: Floats) -> Bools:
    r"""Return who defeats whom: whose win is stronger than every path of wins back.

    With :math:`P(b, a)` the strength of the strongest path of wins from *b* to *a*, its weakest margin,

    .. math::  a \text{ defeats } b \iff \delta(a, b) > 0 \text{ and } \delta(a, b) > P(b, a),

    which holds exactly if the win of *a* over *b* is not among the weakest of any circle it lies on [1]_.

    Parameters
    ----------
    margins : (n, n) float
        Equal to minus its transpose; equal wins are exactly equal.

    Returns
    -------
    (n, n) bool
        Without cycles; not transitive in general.

    Examples
    --------
    In the circle x, y, z the win of z over x is weakest and falls; x stays undefeated.

    >>> split_cycle_defeats(np.array([[0.0, 5, -1], [-5, 0, 3], [1, -3, 0]])).astype(int)
    array([[0, 1, 0],
           [0, 0, 1],
           [0, 0, 0]])

    Notes
    -----
    :math:`O(n^3)`. Condorcet consistent, independent of clones; not among VasE's nine.

    References
    ----------
    .. [1] W. H. Holliday and E. Pacuit, "Split Cycle: a new Condorcet-consistent voting method independent of clones
           and immune to spoilers", *Public Choice* 197 (2023), 1-62.
    """
    wins = np.maximum(margins, 0.0)
    return wins > widest_paths(wins).T
