"""Votes as lists of strict preferences, for methods that draw votes rather than count them."""

from dataclasses import dataclass

import numpy as np

from beatpath._arrays import Floats, Ints
from beatpath.evidence import Ballots
from beatpath.methods.rating.sco.sco_loss import Cells, sums_at


@dataclass(frozen=True, slots=True, eq=False)
class Votes:
    """Every strict preference of every vote, flat.

    Attributes
    ----------
    n_agents : int
    weight : (m,) float
        How many voters cast each vote.
    start : (m + 1,) int
        Where the preferences of each vote begin.
    winner, loser : (k,) int
        Who is preferred to whom; two agents tied on a vote form no preference.
    above_winner, above_loser : (k,) int
        Positions: how many agents the vote ranks above each of the two.
    """

    n_agents: int
    weight: Floats
    start: Ints
    winner: Ints
    loser: Ints
    above_winner: Ints
    above_loser: Ints

    def __len__(self) -> int:
        return len(self.weight)

    @property
    def vote(self) -> Ints:
        """The vote of every preference."""
        return np.repeat(np.arange(len(self)), np.diff(self.start))


def above_of(ballots: Ballots) -> Ints:
    """Return how many agents its ballot ranks above each entry.

    >>> above_of(Ballots.of([[["x"], ["y", "z"]], [["y", "z"], ["x"]]]))
    array([0, 1, 1, 0, 0, 2])
    """
    entry = np.arange(len(ballots.agent))
    begin = np.repeat(ballots.start[:-1], np.diff(ballots.start))
    new = (entry == begin) | (np.diff(ballots.place, prepend=-1) != 0)
    return np.maximum.accumulate(np.where(new, entry, 0)) - begin


def votes_of(ballots: Ballots) -> Votes:
    """List the strict preferences of ballots; unranked agents take no part.

    >>> votes = votes_of(Ballots.of([[["x"], ["y", "z"]], [["z"], ["y"]]], count=[2, 1]))
    >>> votes.winner, votes.loser, votes.start, votes.weight
    (array([0, 0, 2]), array([1, 2, 1]), array([0, 2, 3]), array([2., 1.]))
    """
    above = above_of(ballots)
    length = np.diff(ballots.start)
    entry = np.arange(len(ballots.agent))
    later = np.repeat(ballots.start[1:], length) - entry - 1  # entries that follow on the same ballot
    first = np.repeat(entry, later)
    second = np.arange(len(first)) - np.repeat(np.cumsum(later) - later, later) + first + 1
    strict = above[first] < above[second]
    first, second = first[strict], second[strict]
    ballot = np.repeat(np.arange(len(ballots)), length)[first]
    start = np.concatenate(([0], np.cumsum(np.bincount(ballot, minlength=len(ballots)))))
    agent = ballots.agent.astype(np.int64)
    return Votes(
        len(ballots.agents),
        ballots.total,
        start,
        agent[first],
        agent[second],
        above[first],
        above[second],
    )


def votes_of_two(cells: Cells) -> Votes:
    """Take every preference of pair counts for a vote that ranks two agents.

    >>> votes = votes_of_two(Cells.from_wins(np.array([[0, 3], [1, 0]])))
    >>> votes.winner, votes.loser, votes.weight
    (array([0, 1]), array([1, 0]), array([3., 1.]))
    """
    winner, loser = np.concatenate((cells.a, cells.b)), np.concatenate((cells.b, cells.a))
    weight = np.concatenate((cells.n_ab, cells.n_ba))
    cast = weight > 0
    zero = np.zeros(int(cast.sum()), dtype=np.int64)
    return Votes(cells.n_agents, weight[cast], np.arange(len(zero) + 1), winner[cast], loser[cast], zero, zero + 1)


def cells_of_votes(votes: Votes, worth: Floats) -> Cells:
    r"""Add up preferences by pair, each times what it is worth: :math:`N_W(a, b)` of WSCO's proof of Theorem 1.

    >>> votes = votes_of(Ballots.of([[["x"], ["y"]], [["y"], ["x"]]], count=[2, 1]))
    >>> cells = cells_of_votes(votes, np.array([1.0, 0.5]))
    >>> cells.n_ab, cells.n_ba
    (array([2.]), array([0.5]))
    """
    n = votes.n_agents
    a, b = np.minimum(votes.winner, votes.loser), np.maximum(votes.winner, votes.loser)
    pair, place = np.unique(a * n + b, return_inverse=True)
    value = worth * votes.weight[votes.vote]
    straight = votes.winner < votes.loser
    n_ab, n_ba = sums_at(place, value * straight, len(pair)), sums_at(place, value * ~straight, len(pair))
    return Cells(n, pair // n, pair % n, n_ab, n_ba)
