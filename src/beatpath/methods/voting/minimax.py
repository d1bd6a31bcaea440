"""Minimax (Simpson, Kramer): the smaller the worst defeat, the better."""

from beatpath._arrays import Floats
from beatpath.methods.graph.levels import by_score
from beatpath.methods.profile import Profile
from beatpath.methods.result import Outcome


def minimax(profile: Profile) -> Outcome:
    """Rank agents by their worst head-to-head defeat, the smallest first.

    Returns
    -------
    Outcome
        Scores are minus the worst defeat; see `minimax_scores`.
    """
    return by_score(minimax_scores(profile.margins.matrix), allowed=profile.margins.allowed)


def minimax_scores(margins: Floats) -> Floats:
    r"""Return minus the largest margin by which each agent loses; 0 for one that loses to nobody.

    .. math::  -\max\left(0, \max_{b} \delta(b, a)\right)

    The rule of Simpson [1]_ and Kramer [2]_ by margins; it is not among VasE's nine.

    Parameters
    ----------
    margins : (n, n) float
        Equal to minus its transpose.

    Returns
    -------
    (n,) float

    Examples
    --------
    VasE's pentathlon: C never loses, A loses by one, B by three at worst.

    >>> import numpy as np
    >>> minimax_scores(np.array([[0.0, 3, -1], [-3, 0, -1], [1, 1, 0]]))
    array([-1., -3.,  0.])

    Notes
    -----
    :math:`O(n^2)`. Condorcet consistent; may choose a Condorcet loser; not independent of clones. All weak Condorcet
    winners share the first level.

    References
    ----------
    .. [1] P. B. Simpson, "On defining areas of voter choice", *Quarterly Journal of Economics* 83 (1969), 478-490.
    .. [2] G. H. Kramer, "A dynamical model of political equilibrium", *Journal of Economic Theory* 16 (1977), 310-334.
    """
    return 0.0 - margins.max(axis=0, initial=0.0)
