"""Rank centrality: where a walk that moves on to whoever wins spends its time."""

from math import isfinite
from numbers import Real

import numpy as np
from scipy.sparse import csr_array

from beatpath._arrays import Ints
from beatpath._errors import DataError, UsageError
from beatpath._text import counted, listed, quoted
from beatpath.evidence import Pairs
from beatpath.evidence.pairs import LOSS, WIN
from beatpath.methods.graph.connection import groups_named, require_one_group
from beatpath.methods.numeric.markov import stationary
from beatpath.methods.profile import Profile
from beatpath.methods.result import Outcome, levels_by_score
from beatpath.methods.status import EXACT


def rank_centrality(profile: Profile, *, prior: float = 0.0) -> Outcome:
    r"""Rank agents by the time a random walk spends at them, when it moves from agent to agent as battles were won.

    From *i* the walk picks one of the agents *i* met and moves to it with the share of their battles that it won [1]_:

    .. math::  P_{ij} = \frac{1}{d_{\max}} \frac{w_{ji}}{w_{ij} + w_{ji}} \quad (i \ne j), \qquad \pi P = \pi,

    with :math:`w_{ij}` the wins of *i* over *j*, for pairs that met, and :math:`d_{\max}` the most opponents of an agent,
    which does not change :math:`\pi`. If battles follow Bradley and Terry's model exactly, :math:`\pi` is proportional to
    their strengths.

    Parameters
    ----------
    profile : Profile
        Of counts, rankings or win rates; margins do not say how often the loser won.
    prior : float
        Wins to add to both sides of every pair that met. Anything above zero makes the walk reach everyone.

    Returns
    -------
    Outcome
        The score is :math:`\pi`, which adds up to 1. Scores that differ by less than 1e-9 of their mean share a level.
        Details: ``prior``; ``unreached``, the agents at which the walk spends no time at all.

    Examples
    --------
    Three wins in four are odds of three to one.

    >>> from beatpath import Pairs
    >>> from beatpath.methods.profile import profile_of
    >>> rank_centrality(profile_of(Pairs(("ada", "bob"), [0], [1], [[3, 1, 0, 0]]))).score
    array([0.75, 0.25])

    Notes
    -----
    The stationary distribution is unique when there is one group of agents that, between them, beat and are beaten and that
    nobody outside has won against; agents outside that group then score zero and are tied. When there are several such
    groups the evidence does not compare them and the method refuses, as it does when groups never met. One linear system
    for up to 1500 agents, sparse power iteration for more.

    References
    ----------
    .. [1] S. Negahban, S. Oh, D. Shah, "Rank centrality: ranking from pairwise comparisons", *Operations Research* 65 (2017),
           266-287, arXiv:1209.1688.
    """
    if profile.settled is None:
        raise DataError("rank_centrality needs wins and losses; margins hold only their difference. Give pair counts.")
    if not isinstance(prior, Real) or isinstance(prior, bool) or not (isfinite(prior) and prior >= 0):
        raise UsageError(f"`prior` must be a number of wins, 0 or more; got {quoted(prior)}.")
    rates = _beaten_rates(profile.settled, float(prior))
    source, target = rates.nonzero()
    require_one_group(profile.agents, source, target, "rank_centrality")
    found = stationary(rates)
    if len(found.classes) > 1:
        raise DataError(
            "rank_centrality needs one group that nobody outside has beaten; there are "
            f"{len(found.classes):,}: {_classes_named(profile.agents, found.classes)}. Set `prior` above 0, or rank them apart."
        )
    unreached = sorted(set(profile.agents) - {profile.agents[i] for i in found.classes[0]})
    remarks = []
    if unreached:
        remarks.append(
            f"{counted(len(unreached), 'agent')} never beat the group at the top and score zero: {listed(unreached, 3)}"
        )
    if not found.converged:
        remarks.append("the walk did not settle to full precision")
    score = found.mass
    level = levels_by_score(score * len(score))
    return Outcome(level, score, "; ".join(remarks) or EXACT, {"prior": prior, "unreached": unreached})


def _beaten_rates(settled: Pairs, prior: float) -> csr_array:
    """From the loser's row to the winner's column, the share of the pair's battles; pairs that never met have none."""
    met = settled.counts[:, WIN] + settled.counts[:, LOSS] > 0
    a, b = settled.a[met], settled.b[met]
    won, lost = settled.counts[met, WIN] + prior, settled.counts[met, LOSS] + prior
    n = len(settled.agents)
    share = np.concatenate([lost, won]) / np.concatenate([won + lost, won + lost])
    rates = csr_array((share, (np.concatenate([a, b]), np.concatenate([b, a]))), shape=(n, n))
    rates.eliminate_zeros()
    return rates


def _classes_named(agents: tuple[str, ...], classes: tuple[Ints, ...]) -> str:
    """The unbeaten groups in words."""
    inside = np.concatenate(classes)
    group = np.repeat(np.arange(len(classes)), [len(states) for states in classes])
    return groups_named(tuple(agents[i] for i in inside), group)
