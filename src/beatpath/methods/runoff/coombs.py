"""Coombs' rule: whoever is ranked last most often leaves, until one is first on most ballots."""

from beatpath._arrays import Bools
from beatpath.methods.profile import Profile
from beatpath.methods.result import Outcome
from beatpath.methods.runoff.rounds import eliminated, without_last
from beatpath.methods.runoff.tallies import Tallies


def coombs(profile: Profile) -> Outcome:
    r"""Rank agents by rounds in which the one ranked last most often leaves, unless one is first on more than half of the votes.

    Each round counts the ballots among the agents left. An agent that is first on more than half of all ballots is put above
    the others left, who are then counted by themselves; otherwise the agent with the most last places leaves: Coombs [1]_.
    He elects and does not rank; the order of those whom the elected agent leaves behind is ours.

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
    B has the fewest last places and no majority of first ones; A leaves, and B has one.

    >>> from beatpath import Ballots, rank
    >>> rank(Ballots.of(["ABC", "CBA", "BCA"], count=[4, 3, 2]), "coombs")
    coombs: B > C > A

    Notes
    -----
    *n* rounds of :math:`O(\text{votes} \cdot n)`. Agents tied first, or last, on a ballot share it. A ballot that ranks no
    two of those left apart blames nobody. Not Condorcet consistent in general; it is where preferences are single-peaked and every vote
    ranks all agents.

    References
    ----------
    .. [1] C. H. Coombs, *A Theory of Data*, Wiley (1964), 397-399.
    """
    votes = Tallies.of(profile.need_ballots("coombs"))
    half = votes.total / 2

    def round_(left: Bools) -> list[Bools]:
        firsts = votes.firsts(left)
        majority = firsts > half + votes.allowed(firsts)
        if majority.any():
            return [majority]
        lasts = votes.lasts(left)
        return without_last(left, -lasts, votes.allowed(lasts))

    return eliminated(profile.agents, round_)
