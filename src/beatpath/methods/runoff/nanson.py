"""Nanson's rule: whoever is below the average leaves, until nobody is."""

import numpy as np

from beatpath._arrays import Bools, Floats
from beatpath.evidence.ties import slack
from beatpath.methods.profile import Profile
from beatpath.methods.result import Outcome
from beatpath.methods.runoff.rounds import eliminated


def nanson(profile: Profile) -> Outcome:
    r"""Rank agents by rounds in which all leave whose Borda points are below the average.

    Points count the agents left alone. Where every vote ranks all agents, an agent's points are above the average by half the
    sum of its margins over those left, so that the rule needs no more than margins:

    .. math::  a \text{ leaves } L \iff \sum_{b \in L} \delta(a, b) < 0.

    When nobody leaves, those left are tied for the first place. Nanson [1]_ elects and does not rank. The order below is ours:
    who leaves later is above who leaves earlier, and those who leave together are counted among themselves by the same rule.

    Parameters
    ----------
    profile : Profile
        With margins.

    Returns
    -------
    Outcome
        The rule gives no score: all are NaN.

    Examples
    --------
    VasE's pentathlon: B's margins add up to -4, and C beats A.

    >>> from beatpath import Ballots, rank
    >>> rank(Ballots.of(["ABC", "ACB", "CAB", "BCA"], count=[1, 1, 2, 1]), "nanson")
    nanson: C > A > B

    Notes
    -----
    At most *n* rounds of :math:`O(n^2)`. Condorcet consistent: margins of an agent that beats all others add up to more than
    the average whoever is left. Elects no Condorcet loser, stays in the Smith set; not independent of clones. Some tell the rule with those *at*
    the average leaving too; on votes without ties the two seldom differ.

    References
    ----------
    .. [1] E. J. Nanson, "Methods of election", *Transactions and Proceedings of the Royal Society of Victoria* 19 (1882), 197-240.
    """
    margins = profile.margins.matrix
    allowed = sum_slack(margins)

    def round_(left: Bools) -> list[Bools]:
        below = left & (margins @ left < -allowed)
        return [left & ~below] if below.any() else []

    return eliminated(profile.agents, round_)


def sum_slack(margins: Floats) -> float:
    """Return by how much sums of an agent's margins may differ and still be equal, 0 where all are whole.

    >>> sum_slack(np.array([[0.0, 3], [-3, 0]]))
    0.0
    """
    return slack(margins, float(np.abs(margins).sum(axis=1).max(initial=0.0)))
