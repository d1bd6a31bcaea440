"""Local stability: how many voters would rather have an agent that is not among the first than any that is."""

import numpy as np

from beatpath._arrays import Bools, Floats
from beatpath._errors import DataError, UsageError
from beatpath._text import quoted
from beatpath.evidence import Ballots, Evidence, Scores
from beatpath.methods.metrics import Order, order_levels

FAR = np.iinfo(np.int32).max  # the place of whoever is not ranked


def objections(evidence: Evidence, order: Order, k: int) -> dict[str, float]:
    r"""Return for each agent outside the first *k* the share of voters who prefer it to all of the first *k*.

    With *S* the first *k* agents of an order and *V* the voters,

    .. math::  o(c) = \frac{|\{v \in V : c \succ_v s \text{ for all } s \in S\}|}{|V|}, \qquad c \notin S.

    The first *k* are locally stable where no share exceeds :math:`1 / k` (Aziz and others): a larger group could claim one of *k* places of
    its own. A board may put the strongest agents on average first and yet leave a large minority without any agent of its
    liking; pluralistic leaderboards (Haghtalab and others) ask that this not be so.

    Parameters
    ----------
    evidence : Ballots or Scores
        Each ballot, or each task (or item) of a table, is a voter.
    order : Ranking, sequence of levels or mapping of ratings
        Of all agents of the evidence.
    k : int
        How many are first. They must be a set: a level may not lie across the border.

    Returns
    -------
    dict of agent to float
        The largest share first.

    Examples
    --------
    Sixty voters have A, B, C in this order before D, forty D before all. D has an objection of 0.4, more than a third.

    >>> votes = Ballots.of(["ABCD", "DCBA"], count=[60, 40])
    >>> objections(votes, ["A", "B", "C", "D"], 3)
    {'D': 0.4}
    >>> objections(votes, ["A", "D", "B", "C"], 2)
    {'B': 0.0, 'C': 0.0}

    Notes
    -----
    A voter who ranks only some agents objects where it ranks *c* above every one of the first *k* that it ranks, and ranks one of
    them. A tie is no objection. Ballots count with their weights.

    References
    ----------
    H. Aziz, E. Elkind, P. Faliszewski, M. Lackner and P. Skowron, "The Condorcet principle for multiwinner elections:
    from shortlisting to proportionality", *IJCAI* 2017, 84-90.

    N. Haghtalab, A. D. Procaccia, H. Shao, S. L. Wang and K. Yang, "Pluralistic leaderboards", 2026, arXiv:2606.02547.
    """
    ballots = evidence.ballots() if isinstance(evidence, Scores) else evidence
    if not isinstance(ballots, Ballots):
        raise DataError(
            "objections are of voters who rank agents; give rankings or a score table. Battles name no voters."
        )
    inside = _first(order, ballots.agents, k)
    place = ballots.places()
    best = np.where(place[:, inside] < 0, FAR, place[:, inside]).min(axis=1)
    total = float(ballots.total.sum())
    if not total > 0:
        raise DataError("there must be voters who weigh something; there are none.")
    object_ = (place >= 0) & (place < best[:, None]) & (best < FAR)[:, None]
    share: Floats = ballots.total @ object_ / total
    outside = [(-float(s), name) for name, s, yes in zip(ballots.agents, share, inside, strict=True) if not yes]
    return {name: -s + 0.0 for s, name in sorted(outside)}


def _first(order: Order, agents: tuple[str, ...], k: int) -> Bools:
    """Who is among the first k, in the order of the agents."""
    level = order_levels(order)
    if set(level) != set(agents):
        odd = min(set(level) ^ set(agents))
        raise UsageError(
            f"the order must be of the agents of the evidence; {quoted(odd)} is in one and not in the other."
        )
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or not 1 <= k < len(agents):
        raise UsageError(
            f"`k` must be a whole number from 1 to {len(agents) - 1}, so that someone is outside; got {quoted(k)}."
        )
    sizes = np.cumsum(np.bincount(list(level.values())))
    if k not in sizes:
        near = ", ".join(str(size) for size in sizes[:-1].tolist())
        raise UsageError(f"the first `k` must be a set; agents tie across place {k}. Choose one of {near or 'none'}.")
    last = int(np.searchsorted(sizes, k))
    return np.array([level[name] <= last for name in agents])
