"""Baldwin's rule: whoever has the fewest Borda points leaves, one at a time."""

from beatpath._arrays import Bools
from beatpath.methods.profile import Profile
from beatpath.methods.result import Outcome
from beatpath.methods.runoff.nanson import sum_slack
from beatpath.methods.runoff.rounds import eliminated, without_last


def baldwin(profile: Profile) -> Outcome:
    r"""Rank agents by rounds in which the one with the fewest Borda points among those left leaves.

    .. math::  \arg\min_{a \in L} \sum_{b \in L} \delta(a, b)

    leaves :math:`L`, the agents left, until one remains: Baldwin [1]_. Where every vote ranks all agents the sum of margins is twice the
    points of Borda, less the average. The ranking is the order of leaving, the last first.

    Parameters
    ----------
    profile : Profile
        With margins.

    Returns
    -------
    Outcome
        The rule gives no score: all are NaN. Where ties for the last place matter, every way of breaking them is followed, and
        details give the "possible winners"; see `eliminated`.

    Examples
    --------
    VasE's pentathlon: B leaves, and C beats A.

    >>> from beatpath import Ballots, rank
    >>> rank(Ballots.of(["ABC", "ACB", "CAB", "BCA"], count=[1, 1, 2, 1]), "baldwin")
    baldwin: C > A > B

    Notes
    -----
    *n* rounds of :math:`O(n^2)`. Condorcet consistent: an agent that beats all others is never below the average, so never
    last while others are left. Not independent of clones, not monotone.

    References
    ----------
    .. [1] J. M. Baldwin, "The technique of the Nanson preferential majority system of election", *Proceedings of the Royal
           Society of Victoria* 39 (1926), 42-52.
    """
    margins = profile.margins.matrix
    allowed = sum_slack(margins)

    def round_(left: Bools) -> list[Bools]:
        return without_last(left, margins @ left, allowed)

    return eliminated(profile.agents, round_)
