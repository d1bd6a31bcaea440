"""What ballots say of who met whom and who won, without a list of all pairs: of ten thousand agents there are fifty million.

A ballot compares every two of its agents, so what it adds can be read off places: an agent beats those placed after it.
"""

import numpy as np

from beatpath._arrays import Floats, Ints
from beatpath.checks.connection import Edges
from beatpath.evidence import Ballots
from beatpath.evidence.pairs import LOSS, TIE, WIN

_BLOCK = 1 << 10  # kinds of agents whose opponents are counted at a time


def ballot_edges(ballots: Ballots) -> Edges:
    """Return edges with the same paths as the win graph: round the agents that share a place, and on to the next place.

    >>> ballot_edges(Ballots.of([[["ada"], ["bob", "cyd"]]]))
    (array([1, 2, 0]), array([2, 1, 1]))
    """
    agent, ballot, group, _ = _entries(ballots)
    same = np.flatnonzero(np.diff(group) == 0)
    first = np.flatnonzero(np.diff(group, prepend=-1) != 0)
    on = np.flatnonzero(np.diff(ballot[first]) == 0)
    here, there = agent[first[on]], agent[first[on + 1]]
    return (
        np.concatenate([agent[same], agent[same + 1], here]),
        np.concatenate([agent[same + 1], agent[same], there]),
    )


def ballot_totals(ballots: Ballots) -> Floats:
    """Return each agent's total weight of wins, losses, ties and both bad, shape (agents, 4).

    >>> ballot_totals(Ballots.of([[["ada"], ["bob", "cyd"]]], count=[2]))
    array([[4., 0., 0., 0.],
           [0., 2., 2., 0.],
           [0., 2., 2., 0.]])
    """
    agent, ballot, group, weight = _entries(ballots)
    totals = np.zeros((len(ballots.agents), 4))
    if not len(agent):
        return totals
    size = np.bincount(group)[group]
    before = np.flatnonzero(np.diff(group, prepend=-1) != 0)[group] - np.searchsorted(ballot, ballot)
    after = np.bincount(ballot)[ballot] - before - size
    for kind, others in ((WIN, after), (LOSS, before), (TIE, size - 1)):
        totals[:, kind] = np.bincount(agent, weight * others, len(ballots.agents))
    return totals


def ballot_opponents(ballots: Ballots) -> Ints:
    """Return how many others each agent stands with on some ballot.

    >>> ballot_opponents(Ballots.of([[["ada"], ["bob"]], [["bob"], ["cyd"]]]))
    array([1, 2, 1])
    """
    from scipy.sparse import csr_array

    agent, ballot, _, _ = _entries(ballots)
    n = len(ballots.agents)
    order = np.argsort(agent, kind="stable")
    own = np.split(ballot[order], np.cumsum(np.bincount(agent, minlength=n))[:-1])
    kinds: dict[bytes, int] = {}
    kind = np.array([kinds.setdefault(some.tobytes(), len(kinds)) for some in own], dtype=np.int64)
    size, first = np.bincount(kind, minlength=len(kinds)), np.unique(kind, return_index=True)[1]
    length = np.array([len(own[i]) for i in first], dtype=np.int64)
    columns = np.concatenate([own[i] for i in first]) if n else np.zeros(0, dtype=np.int64)
    table = csr_array(
        (np.ones(len(columns), dtype=np.int32), columns, np.concatenate([[0], np.cumsum(length)])),
        shape=(len(kinds), len(ballots)),
    )
    met = [((table[i : i + _BLOCK] @ table.T) > 0) @ size for i in range(0, len(kinds), _BLOCK)]
    found = np.concatenate(met) if met else np.zeros(0)
    return np.maximum(found[kind] - 1, 0).astype(np.int64) if n else np.zeros(0, dtype=np.int64)


def _entries(ballots: Ballots) -> tuple[Ints, Ints, Ints, Floats]:
    """The agent, ballot, group of shared places (numbered throughout) and weight of every entry that weighs anything."""
    ballot = np.repeat(np.arange(len(ballots)), np.diff(ballots.start))
    weight = ballots.total[ballot]
    keep = weight > 0
    ballot, agent, place = ballot[keep], ballots.agent[keep].astype(np.int64), ballots.place[keep]
    changed = (np.diff(ballot, prepend=-1) != 0) | (np.diff(place, prepend=-1) != 0)
    return agent, ballot, np.cumsum(changed) - 1, weight[keep]
