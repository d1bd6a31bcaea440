"""Maximal lotteries: the draw to which no other draw is preferred."""

import numpy as np

from beatpath._arrays import Floats, Ints
from beatpath.methods.game.zero_sum import Equilibrium, symmetric_equilibrium
from beatpath.methods.graph.relation import dominance_blocks
from beatpath.methods.profile import Profile
from beatpath.methods.result import Outcome, levels_by_score


def maximal_lottery(profile: Profile) -> Outcome:
    """Rank agents by their probability in the maximal lottery of maximum entropy.

    Agents with equal probability, up to 1e-8, share a level; those outside the lottery share the last one.

    Returns
    -------
    Outcome
        Scores are probabilities. Details: ``certificate``, the least expected margin of the lottery against any agent
        over the largest margin (zero up to rounding); ``unique``, whether no other lottery is maximal; ``support``;
        ``entropy`` in nats; ``smith_set_size``.

    Examples
    --------
    >>> from beatpath import Ballots
    >>> from beatpath.methods.profile import profile_of
    >>> votes = [[["A"], ["B"], ["C"]], [["A"], ["C"], ["B"]], [["C"], ["A"], ["B"]], [["B"], ["C"], ["A"]]]
    >>> outcome = maximal_lottery(profile_of(Ballots.of(votes, count=[1, 1, 2, 1])))
    >>> outcome.score
    array([0., 0., 1.])
    """
    smith = dominance_blocks(profile.margins.matrix)[0]
    found = _lottery_on(profile.margins.matrix, smith)
    p = np.zeros(len(profile.agents))
    p[smith] = found.row
    used = p[p > 0]
    details = {
        "certificate": found.certificate,
        "unique": found.row_unique,
        "support": [profile.agents[a] for a in np.flatnonzero(p)],
        "entropy": max(0.0, float(-(used * np.log(used)).sum())),
        "smith_set_size": len(smith),
    }
    return Outcome(levels_by_score(p, 1e-8), p, details=details)


def maximal_lottery_probabilities(margins: Floats) -> Floats:
    r"""Return the maximal lottery of maximum entropy.

    A lottery *x* is maximal when no other is preferred to it on average,

    .. math::  \max_{x \in \Delta} \min_{y \in \Delta} x^\top M y \ge 0,

    eq. (6) of VasE [1]_: an optimal strategy of the symmetric zero-sum game whose payoffs are the margins. The paper
    leaves open which one is meant when there are several, as ties in the margins can cause; here it is the one of
    maximum entropy, so that the answer is unique and agents that nobody distinguishes get equal shares.

    Parameters
    ----------
    margins : (n, n) float
        Equal to minus its transpose. Only ratios matter: a positive factor changes nothing.

    Returns
    -------
    (n,) float
        Probabilities.

    Examples
    --------
    VasE's pentathlon: C beats both.

    >>> maximal_lottery_probabilities(np.array([[0, 3, -1], [-3, 0, -1], [1, 1, 0]]))
    array([0., 0., 1.])

    A weak win is worth less than a strong one, and gives its loser the larger share.

    >>> maximal_lottery_probabilities(np.array([[0, 1, -2], [-1, 0, 3], [2, -3, 0]])).round(4)
    array([0.5   , 0.3333, 0.1667])

    Notes
    -----
    Optimal strategies lie within the Smith set, so the game is solved there, by a double oracle over linear programs.
    With odd integer margins between all agents the maximal lottery is unique [2]_. Probabilities below 1e-9 count as
    zero.

    References
    ----------
    .. [1] M. Lanctot et al., "Evaluating Agents using Social Choice Theory" (VasE), 2023, arXiv:2312.03121.
    .. [2] G. Laffond, J.-F. Laslier, M. Le Breton, "A theorem on symmetric two-player zero-sum games",
           *Journal of Economic Theory* 72 (1997), 426-431.
    """
    M = np.asarray(margins, dtype=np.float64)
    smith = dominance_blocks(M)[0]
    p = np.zeros(len(M))
    p[smith] = _lottery_on(M, smith).row
    return p


def _lottery_on(M: Floats, agents: Ints) -> Equilibrium:
    if len(agents) == 1:
        one = np.ones(1)
        return Equilibrium(one, one, 0.0, True, True, 0.0)
    return symmetric_equilibrium(M[np.ix_(agents, agents)])
