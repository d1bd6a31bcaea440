"""The single transferable vote: elect who reaches a quota, pass on the surplus, eliminate the last."""

from math import isnan
from typing import Any

from beatpath.methods.graph.levels import agreed_levels, names, outcome
from beatpath.methods.profile import Profile
from beatpath.methods.result import EXACT, Outcome
from beatpath.methods.voting.approval import require_k
from beatpath.methods.voting.stv_count import count

BROKEN = "ties for the last place or for election make the outcome depend on the order in which they are broken"
TOGETHER = (
    "ties have too many orders to try all; agents tied for election were elected together, for last eliminated so"
)


def stv(profile: Profile, k: int | None = None) -> Outcome:
    r"""Elect `k` agents by the single transferable vote, and rank all: winners by round, then the last eliminated first.

    Each round adds up the ballots for the agent they rank first among those left. If the largest total reaches the
    Droop quota

    .. math::  q = \left\lfloor \frac{n}{k + 1} + 1 \right\rfloor,

    with *n* the number of ballots (see `droop_quota` for weights), that agent is elected; otherwise the agent with the smallest total is
    eliminated, and its ballots pass to the next agent on them. Rounds go on until nobody is left; the quota lets no more
    than `k` be elected. VasE, appendix, "Single Transferable Vote (STV)" [1]_.

    Parameters
    ----------
    profile : Profile
        With ballots.
    k : int, optional
        Agents to elect, from 1 to the number of agents. By default half of them, rounded down, at least one: the paper
        prints :math:`\min(1, \lfloor m/2 \rfloor)`, which would always be one and for a single agent none, so that
        the larger of the two must be meant.

    Returns
    -------
    Outcome
        Scores of VasE's appendix; see `stv_count.stv_score`. Details give `k`, the `quota`, the agents `elected` and the `votes` of
        each agent in the round it left, None where that differs. Where ties matter: the "possible winners" (ranked first), the "possible elected"
        sets and some of the "possible rankings".

    Examples
    --------
    VasE's pentathlon: B has one vote, leaves, and its voter makes C the first to reach three.

    >>> from beatpath import Ballots, rank
    >>> votes = [[["A"], ["B"], ["C"]], [["A"], ["C"], ["B"]], [["C"], ["A"], ["B"]], [["B"], ["C"], ["A"]]]
    >>> rank(Ballots.of(votes, count=[1, 1, 2, 1]), "stv").scores
    {'A': 3.2, 'B': 2.1, 'C': 6.3}

    Notes
    -----
    Departures, where the paper leaves a choice. *Surplus*: which votes are surplus would be arbitrary, so every ballot
    for the elected agent keeps the fraction :math:`1 - q / t` of its weight, *t* being the agent's total (weighted
    inclusive Gregory transfer). *Ties on a ballot*: the agents tied at its top share its weight equally. *Weights*:
    the quota scales with them. *Ballots used up* count for nobody; the quota stays.

    *Ties between agents* are followed in every order, equal counts merged, as parallel universes: if these differ, an
    agent is above another only if it is in all of them (`agreed_levels`), and scores that differ are NaN. Agents
    without any vote leave together, tied. Beyond 1,000 counts, or fewer for large tables, tied agents are elected or
    eliminated together instead, and the status says so.

    References
    ----------
    .. [1] M. Lanctot et al., "Evaluating Agents using Social Choice Theory" (VasE), 2023, arXiv:2312.03121.
    """
    ballots = profile.need_ballots("stv")
    n_agents = len(profile.agents)
    k = max(1, n_agents // 2) if k is None else require_k(k, n_agents)
    end, quota, together = count(ballots, k)
    status = TOGETHER if together else EXACT
    level = agreed_levels(end.above)
    if status == EXACT and len(end.rankings) > 1:
        status = BROKEN
    details: dict[str, Any] = {
        "k": k,
        "quota": int(quota) if quota.is_integer() else quota,
        "elected": names(end.always, profile.agents),
        "votes": {a: None if isnan(v) else v for a, v in zip(profile.agents, end.votes.tolist(), strict=True)},
    }
    if status == BROKEN:
        details |= end.possible(profile.agents)
    return outcome(level, end.score, status, details)
