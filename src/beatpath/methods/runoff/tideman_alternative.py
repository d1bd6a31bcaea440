"""Tideman's alternative: the Smith set, and by turns the agent that is first on the fewest votes leaves it."""

import numpy as np

from beatpath._arrays import Bools
from beatpath.methods.graph.relation import dominance_blocks
from beatpath.methods.profile import Profile
from beatpath.methods.result import Outcome
from beatpath.methods.runoff.rounds import eliminated, without_last
from beatpath.methods.runoff.tallies import Tallies


def tideman_alternative(profile: Profile) -> Outcome:
    r"""Rank agents by rounds: those outside the Smith set fall behind, then the one that is first on the fewest votes leaves.

    With *L* the agents left: if the Smith set of *L* is not all of it, its members are above the others; if it is, the agent
    that the fewest ballots rank first among *L* leaves; and again. Tideman [1]_, where it is the "alternative" of the Smith set
    and instant runoff. He elects and does not rank: those whom a Smith set leaves behind are counted among themselves by the same
    rule, which is ours.

    Parameters
    ----------
    profile : Profile
        With ballots.

    Returns
    -------
    Outcome
        The rule gives no score: all are NaN. Where ties for leaving matter, every way of breaking them is followed, and
        details give the "possible winners"; see `eliminated`.

    Examples
    --------
    A, B and C beat each other in a circle, D nobody. B is first on the fewest votes, and without it A beats C.

    >>> from beatpath import Ballots, rank
    >>> rank(Ballots.of(["ACBD", "CBAD", "BACD"], count=[4, 3, 2]), "tideman_alternative")
    tideman_alternative: A > C > B > D

    Notes
    -----
    At most *n* rounds of :math:`O(\text{votes} \cdot n + n^2)`. Condorcet consistent and, ties apart, independent of clones;
    like instant runoff not monotone. Smith-IRV, which takes the Smith set once and then runs off, elects the same agent where no
    smaller Smith set appears on the way.

    References
    ----------
    .. [1] N. Tideman, *Collective Decisions and Voting*, Ashgate (2006), 232.
    """
    votes = Tallies.of(profile.need_ballots("tideman_alternative"))
    margins = profile.margins.matrix

    def round_(left: Bools) -> list[Bools]:
        members = np.flatnonzero(left)
        smith = np.zeros_like(left)
        smith[members[dominance_blocks(margins[np.ix_(members, members)])[0]]] = True
        if (smith != left).any():
            return [smith]
        firsts = votes.firsts(left)
        return without_last(left, firsts, votes.allowed(firsts))

    return eliminated(profile.agents, round_)
