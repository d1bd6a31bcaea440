"""Black's rule: the agent that beats all others, and Borda where there is none."""

import numpy as np

from beatpath._arrays import Floats, Ints
from beatpath.evidence.ties import levels_of
from beatpath.methods.graph.levels import outcome
from beatpath.methods.profile import Profile
from beatpath.methods.result import Outcome
from beatpath.methods.status import EXACT
from beatpath.methods.voting.borda import UNEVEN, borda_points


def black(profile: Profile) -> Outcome:
    """Rank the Condorcet winner first, where there is one, and everyone else by Borda's points.

    Returns
    -------
    Outcome
        Scores are Borda's for all, or their means as `borda` has them, so that a Condorcet winner may have fewer than agents below it; see `black_levels`.
    """
    profile.need_ballots("black")
    return black_of_counts(profile)


def black_of_counts(profile: Profile) -> Outcome:
    """Return what `black` does of any profile that has ballots or counts by pair, which say all that the rule asks for."""
    (score, uneven), strong = borda_points(profile), profile.condorcet.strong
    level = black_levels(score, None if strong is None else profile.agents.index(strong))
    return outcome(level, score, UNEVEN if uneven else EXACT)


def black_levels(points: Floats, winner: int | None) -> Ints:
    r"""Return levels by falling points, with the Condorcet winner, if there is one, above all of them.

    .. math::  a \succ b \iff a = w \;\text{ or }\; \left(b \ne w \text{ and } \mathrm{Borda}(a) > \mathrm{Borda}(b)\right)

    with *w* the agent that beats all others; without such an agent Borda's ranking. Several agents that lose to nobody but
    tie with one another are no Condorcet winner, and Borda decides.

    Black [1]_ elects and does not rank. The order of the others is ours: their points on the whole ballots, the winner
    still on them, so that the ranking is Borda's with at most one agent moved.

    Parameters
    ----------
    points : (n,) float
        Borda's, of `borda_scores`.
    winner : int or None
        Which agent beats all others.

    Returns
    -------
    (n,) int

    Examples
    --------
    VasE's pentathlon: A and C have six points, and C beats both others.

    >>> black_levels(np.array([6.0, 3, 6]), 2)
    array([1, 2, 0])
    >>> black_levels(np.array([6.0, 3, 6]), None)
    array([0, 1, 0])

    Notes
    -----
    Pairs are not counted: Borda's points and the Condorcet winner come from the ballots. Condorcet consistent; not independent of clones, not population consistent. Elects no
    Condorcet loser, but may elect an agent outside the top cycle. It is not among VasE's nine.

    References
    ----------
    .. [1] D. Black, *The Theory of Committees and Elections*, Cambridge University Press (1958).
    """
    if winner is None:
        return levels_of(points)
    level = np.zeros(len(points), dtype=np.int64)
    others = np.arange(len(points)) != winner
    level[others] = 1 + levels_of(points[others])
    return level
