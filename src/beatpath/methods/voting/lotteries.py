"""Maximal lotteries, and iterated maximal lotteries."""

import numpy as np

from beatpath._arrays import Floats, Ints
from beatpath._text import listed
from beatpath.methods.game.zero_sum import maximal_lottery_equilibrium, symmetric_equilibrium
from beatpath.methods.graph.relation import dominance_blocks
from beatpath.methods.profile import Profile
from beatpath.methods.result import EXACT, Outcome, levels_as_names, levels_by_score

# The status if the choice among maximal lotteries is ours.
SEVERAL = "several lotteries are maximal, as margins of 0 allow, and the one of maximum entropy is taken"


def maximal_lottery(profile: Profile) -> Outcome:
    """Rank agents by their probability in the maximal lottery of maximum entropy.

    A maximal lottery is a mixture of agents to which no agent is preferred on average. Agents with equal probability,
    up to 1e-8, share a level; those with probability zero share the last.

    Parameters
    ----------
    profile : Profile
        Any evidence with margins.

    Returns
    -------
    Outcome
        Scores are probabilities. Details: ``certificate``, the lowest expected margin of the lottery against any
        agent over the largest margin (zero up to rounding); ``unique``, whether no other lottery is maximal;
        ``support``; ``entropy`` in nats; ``smith_set_size``.

    See Also
    --------
    iml : Remove the support and repeat.

    Examples
    --------
    >>> from beatpath import Ballots
    >>> from beatpath.methods.profile import profile_of
    >>> votes = [[["A"], ["B"], ["C"]], [["A"], ["C"], ["B"]], [["C"], ["A"], ["B"]], [["B"], ["C"], ["A"]]]
    >>> outcome = maximal_lottery(profile_of(Ballots.of(votes, count=[1, 1, 2, 1])))
    >>> outcome.score
    array([0., 0., 1.])
    """
    margins = profile.margins.matrix
    lottery = maximal_lottery_equilibrium(margins)
    p, used = lottery.row, lottery.row[lottery.row > 0]
    details = {
        "certificate": lottery.certificate,
        "unique": lottery.row_unique,
        "support": [profile.agents[a] for a in np.flatnonzero(p)],
        "entropy": max(0.0, float(-(used * np.log(used)).sum())),
        "smith_set_size": len(dominance_blocks(margins)[0]),
    }
    status = EXACT if lottery.row_unique else SEVERAL
    return Outcome(levels_by_score(p, 1e-8), p, status, details)


def iml(profile: Profile) -> Outcome:
    """Rank agents by iterated maximal lotteries: the round in which the maximal lottery selects them.

    Agents selected in the same round share a level: they form a cycle, or tie. The scores separate them by
    probability.

    Parameters
    ----------
    profile : Profile
        Any evidence with margins.

    Returns
    -------
    Outcome
        Scores of VasE's appendix; see `iml_levels`. Details: ``levels``, their number; ``cycles``, the levels with
        more than one agent, counted from 0, the best; ``certificate``, the worst over all rounds of the lowest
        expected margin against any remaining agent, over the largest margin; ``unique``, whether every round had only
        one maximal lottery. The status names the levels that had several: a margin of 0 can put a weak agent there.

    Examples
    --------
    >>> from beatpath import Ballots
    >>> from beatpath.methods.profile import profile_of
    >>> votes = [[["A"], ["B"], ["C"]], [["A"], ["C"], ["B"]], [["C"], ["A"], ["B"]], [["B"], ["C"], ["A"]]]
    >>> iml(profile_of(Ballots.of(votes, count=[1, 1, 2, 1]))).score
    array([2., 1., 3.])
    """
    level, p, certificate, several = iml_levels(profile.margins.matrix)
    n_levels = int(level.max()) + 1
    shared = np.flatnonzero(np.bincount(level) > 1)
    details = {"levels": n_levels, "cycles": shared.tolist(), "certificate": certificate, "unique": not several}
    names = levels_as_names(level, profile.agents)
    where = ", ".join(f"level {k + 1} ({listed(names[k], 4)})" for k in several)
    status = f"{SEVERAL}: {where}" if several else EXACT
    return Outcome(level, (n_levels - 1 - level) + p, status, details)


def iml_levels(margins: Floats) -> tuple[Ints, Floats, float, list[int]]:
    r"""Return the round in which each agent is selected, its probability there, and a certificate of accuracy.

    Algorithm 2 of VasE [1]_: find the maximal lottery, make its agents a level, remove them, repeat. The paper's
    score is

    .. math::  \mathrm{LEVEL}(W, a) + x_{|W| - 1 - \mathrm{LEVEL}(W, a)}(a),

    with levels counted from 0 at the bottom. If a round has several maximal lotteries, the paper takes the one its
    solver returns; here it is the one of maximum entropy, whose support contains those of all others.

    Parameters
    ----------
    margins : (n, n) float
        Antisymmetric margins.

    Returns
    -------
    level : (n,) int
        The round of each agent; 0 is the first.
    probability : (n,) float
        Probability of each agent in the lottery of its round.
    certificate : float
        The worst over all rounds of the lowest expected margin over the largest margin; zero up to rounding.
    several : list of int
        The rounds with more than one maximal lottery.

    Examples
    --------
    VasE's pentathlon.

    >>> iml_levels(np.array([[0, 3, -1], [-3, 0, -1], [1, 1, 0]]))
    (array([1, 2, 0]), array([1., 1., 1.]), 0.0, [])

    Notes
    -----
    Agents are first split into blocks that beat all later blocks. Each block is solved independently, since the
    lottery of the remaining agents lies in the first remaining block. An agent that beats all the rest costs nothing.

    References
    ----------
    .. [1] M. Lanctot et al., "Evaluating Agents using Social Choice Theory" (VasE), 2023, arXiv:2312.03121.
    """
    M = np.asarray(margins, dtype=np.float64)
    n = len(M)
    level, probability = np.zeros(n, dtype=np.int64), np.ones(n)
    certificate, now = 0.0, 0
    several: list[int] = []
    waiting = [np.arange(n)]
    while waiting:
        left = waiting.pop()
        blocks = [left[block] for block in dominance_blocks(M[np.ix_(left, left)])]
        if len(blocks) > 1:
            waiting.extend(reversed(blocks))
            continue
        if len(left) > 1:
            lottery = symmetric_equilibrium(M[np.ix_(left, left)])
            certificate = min(certificate, lottery.certificate)
            several += [] if lottery.row_unique else [now]
            chosen = lottery.row > 0
            probability[left[chosen]] = lottery.row[chosen]
            if not chosen.all():
                waiting.append(left[~chosen])
            left = left[chosen]
        level[left] = now
        now += 1
    return level, probability, certificate, several
