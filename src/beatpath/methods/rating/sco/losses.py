"""Losses of Soft Condorcet Optimization on pair counts and on votes, and classes of indistinguishable agents.

The sigmoid loss is a smooth count of the preferences that ratings contradict. Votes list strict preferences for
methods that sample votes. Agents are indistinguishable if neither their results nor those of their opponents separate
them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from beatpath._arrays import Floats, Ints, spans
from beatpath.evidence import Ballots
from beatpath.evidence.ties import net
from beatpath.fit.laplacian import incident
from beatpath.methods.profile import Profile
from beatpath.methods.voting.scoring import places_of
from beatpath.stats.codes import dense, first_rows, hashed, sums_by_code


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Preference counts by pair: all that the loss needs of the votes.

    Attributes
    ----------
    n_agents : int
        Number of agents.
    a, b : (k,) int
        The two agents of each compared pair; every pair at most once.
    n_ab, n_ba : (k,) float
        :math:`N(a, b)`, the preferences for a over b, and :math:`N(b, a)`.
    """

    n_agents: int
    a: Ints
    b: Ints
    n_ab: Floats
    n_ba: Floats

    @property
    def margin(self) -> Floats:
        """:math:`M(a, b) = N(a, b) - N(b, a)` of every cell, zero for ties."""
        return net(self.n_ab, self.n_ba)

    @classmethod
    def from_wins(cls, wins: Floats) -> "Cells":
        """Build cells from the matrix N of preference counts.

        >>> Cells.from_wins(np.array([[0, 4, 2], [1, 0, 2], [3, 3, 0]])).margin
        array([ 3., -1., -1.])
        """
        wins = np.asarray(wins, dtype=np.float64)
        a, b = np.nonzero(np.triu(wins + wins.T, 1))
        return cls(len(wins), a, b, wins[a, b], wins[b, a])


def cells_of(profile: Profile, method: str) -> Cells:
    """Return the counts of a profile, with ties settled by its conventions.

    >>> from beatpath import Battles
    >>> from beatpath.methods.profile import profile_of
    >>> cells_of(profile_of(Battles.of([("ada", "bob", 1), ("ada", "bob", 0.5)])), "sco").n_ab
    array([1.5])
    """
    settled = profile.need_counts(method)
    a, b = settled.a.astype(np.int64), settled.b.astype(np.int64)
    return Cells(len(profile.agents), a, b, settled.counts[:, 0], settled.counts[:, 1])


def sigmoid_loss(theta: Floats, cells: Cells, temperature: float) -> float:
    r"""Return the soft number of contradicted preferences, SCO eq. (8).

    .. math::  \tilde L(\theta) = \sum_{a, b} N(a, b) \, \sigma(\theta_b - \theta_a),
               \qquad \sigma(x) = \frac{1}{1 + e^{-x/\tau}} \quad \text{(eq. 5)}

    Parameters
    ----------
    theta : (n,) float
        Ratings.
    cells : Cells
        The preference counts.
    temperature : float
        :math:`\tau > 0`.

    Examples
    --------
    WSCO Example 2: a preference for A (5) over B (15) is contradicted almost fully, one for B over C (10) hardly at
    all.

    >>> wins = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
    >>> round(sigmoid_loss(np.array([5.0, 15.0, 10.0]), Cells.from_wins(wins), 1.0), 4)
    1.0066

    Notes
    -----
    :math:`\sigma(\theta_b - \theta_a)` is the probability that *b* comes before *a* in an order sampled from the
    Plackett-Luce model with strengths :math:`e^{\theta/\tau}`. So the loss is the expected number of preferences that
    such a random order contradicts, and is never below that of the best order.
    """
    share = expit((theta[cells.b] - theta[cells.a]) / temperature)
    return float(cells.n_ab @ share + cells.n_ba @ (1.0 - share))


def sigmoid_gradient(theta: Floats, cells: Cells, temperature: float) -> Floats:
    r"""Return the gradient of the sigmoid loss.

    .. math::  \frac{\partial \tilde L}{\partial \theta_a}
               = - \frac1\tau \sum_b M(a, b) \, \sigma(\theta_b - \theta_a) \, \sigma(\theta_a - \theta_b)

    >>> sigmoid_gradient(np.zeros(2), Cells.from_wins(np.array([[0, 4], [0, 0]])), 0.5)
    array([-2.,  2.])
    """
    return sigmoid_sum(theta, cells.a, cells.b, cells.margin, temperature)[1]


def sigmoid_sum(theta: Floats, a: Ints, b: Ints, margin: Floats, temperature: float) -> tuple[float, Floats]:
    r"""Return the loss up to a constant, :math:`\sum M(a, b) \, \sigma(\theta_b - \theta_a)`, and its gradient.

    >>> sigmoid_sum(np.zeros(2), np.array([0]), np.array([1]), np.array([4.0]), 0.5)
    (2.0, array([-2.,  2.]))
    """
    share = expit((theta[b] - theta[a]) / temperature)
    force = margin * share * (1.0 - share) / temperature
    return float(margin @ share), incident(len(theta), a, b, -force, force)


def disagreement(score: Floats | Ints, cells: Cells) -> float:
    r"""Return the number of preferences that an order contradicts: the discrete loss, SCO eq.

    (3), with equal scores as half.

    Eq. (4) counts nothing for equal ratings, by which all agents equal would be best. This is the limit of the
    sigmoid loss as :math:`\tau \to 0`, which counts half.

    >>> cells = Cells.from_wins(np.array([[0, 4, 2], [1, 0, 2], [3, 3, 0]]))
    >>> disagreement(np.array([20, 10, 30]), cells), disagreement(np.zeros(3), cells)
    (5.0, 7.5)
    """
    sign = np.sign(score[cells.b] - score[cells.a])
    return float((cells.n_ab * (1 + sign) + cells.n_ba * (1 - sign)).sum() / 2)


@dataclass(frozen=True, slots=True, eq=False)
class Votes:
    """Every strict preference of every vote, stored flat.

    Attributes
    ----------
    n_agents : int
        Number of agents.
    weight : (m,) float
        Number of voters of each vote.
    start : (m + 1,) int
        Offset of the preferences of each vote.
    winner, loser : (k,) int
        The preferred agent and the other; two agents tied on a vote form no preference.
    above_winner, above_loser : (k,) int
        Positions: number of agents that the vote ranks above each of the two.
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


def votes_of(ballots: Ballots) -> Votes:
    """List the strict preferences of ballots; unranked agents take no part.

    >>> votes = votes_of(Ballots.of([[["x"], ["y", "z"]], [["z"], ["y"]]], count=[2, 1]))
    >>> votes.winner, votes.loser, votes.start, votes.weight
    (array([0, 0, 2]), array([1, 2, 1]), array([0, 2, 3]), array([2., 1.]))
    """
    above = places_of(ballots, len(ballots.agents)).above
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
    return Votes(len(ballots.agents), ballots.total, start, agent[first], agent[second], above[first], above[second])


def votes_of_two(cells: Cells) -> Votes:
    """Convert every preference of pair counts to a vote that ranks two agents.

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
    r"""Sum preferences by pair, each times its worth: :math:`N_W(a, b)` of WSCO's proof of Theorem 1.

    >>> votes = votes_of(Ballots.of([[["x"], ["y"]], [["y"], ["x"]]], count=[2, 1]))
    >>> cells = cells_of_votes(votes, np.array([1.0, 0.5]))
    >>> cells.n_ab, cells.n_ba
    (array([2.]), array([0.5]))
    """
    a, b = np.minimum(votes.winner, votes.loser), np.maximum(votes.winner, votes.loser)
    value, straight = worth * votes.weight[votes.vote], votes.winner < votes.loser
    return _by_pair(votes.n_agents, a, b, value * straight, value * ~straight)


def _by_pair(n: int, a: Ints, b: Ints, n_ab: Floats, n_ba: Floats) -> Cells:
    """Sum counts by pair."""
    place, number = dense(a * n + b, n * n)
    first = first_rows(place, number)
    return Cells(n, a[first], b[first], sums_by_code(place, n_ab, number), sums_by_code(place, n_ba, number))


def worth_of(votes: Votes, weights: Floats) -> Floats:
    """Return :math:`w(i) + w(j)` of every preference, from the weights of positions."""
    return np.asarray(weights[votes.above_winner] + weights[votes.above_loser])


def cells_of_ballots(ballots: Ballots, weights: Floats) -> Cells:
    """Sum the preferences of ballots by pair, each times its worth; some ballots are listed at a time.

    >>> cells = cells_of_ballots(Ballots.of([[["x"], ["y"]], [["y"], ["x"]]], count=[2, 1]), np.array([1.0, 0.5]))
    >>> cells.n_ab, cells.n_ba
    (array([3.]), array([1.5]))
    """
    length = np.diff(ballots.start)
    some = (votes_of(ballots.take(np.arange(*span))) for span in spans(length * (length - 1) // 2, AT_ONCE))
    parts = [cells_of_votes(votes, worth_of(votes, weights)) for votes in some]
    a, b, n_ab, n_ba = (
        np.concatenate([np.zeros(0, kind), *(getattr(part, name) for part in parts)])
        for name, kind in (("a", np.int64), ("b", np.int64), ("n_ab", np.float64), ("n_ba", np.float64))
    )
    return _by_pair(len(ballots.agents), a, b, n_ab, n_ba)


# Colors of agents as 64-bit hashes.
Colors = NDArray[np.uint64]

_DIGITS = 11  # digits of relative margins that count
AT_ONCE = 1 << 21  # comparisons of ballots that are listed at a time


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """Classes of indistinguishable agents, and the margins between them.

    Attributes
    ----------
    label : (n,) int
        Class of every agent.
    count : int
        Number of classes.
    a, b : (k,) int
        Pairs of classes with a < b and a nonzero margin.
    margin : (k,) float
        Sum of the margins between their members; scaled so that the largest between two agents is one.
    """

    label: Ints
    count: int
    a: Ints
    b: Ints
    margin: Floats


def classes_of(cells: Cells) -> Classes:
    """Group indistinguishable agents, and sum the margins between their classes; an even pair counts as never compared.

    >>> wins = np.array([[0, 2, 0, 2], [0, 0, 2, 2], [2, 0, 0, 2], [0, 0, 0, 0]])
    >>> result = classes_of(Cells.from_wins(wins))
    >>> result.label, result.a, result.b, result.margin
    (array([0, 0, 0, 1]), array([0]), array([1]), array([3.]))
    """
    value = _relative_margins(cells.margin)
    uneven = value != 0
    a, b, value = cells.a[uneven], cells.b[uneven], value[uneven]
    label = indistinct(cells.n_agents, a, b, value)
    count = int(label.max(initial=-1)) + 1
    low, high = np.minimum(label[a], label[b]), np.maximum(label[a], label[b])
    value = np.where(label[a] < label[b], value, -value)
    if count < cells.n_agents:
        keep = low != high
        pair, place = np.unique(low[keep] * count + high[keep], return_inverse=True)
        value = np.round(np.bincount(place, value[keep], len(pair)), _DIGITS - 1)
        low, high = pair // count, pair % count
    met = value != 0
    return Classes(label, count, low[met], high[met], value[met])


def indistinct(n_agents: int, a: Ints, b: Ints, margin: Floats) -> Ints:
    r"""Return a class for every agent: members of a class have the same margins against each class, one by one.

    This is color refinement: all agents start with one color; then an agent's color becomes its old one together with
    the multiset of (color, margin) of its opponents, until no color splits. Agents that a symmetry of the data
    exchanges keep one color, so a rule that treats a color as one agent does not depend on names.

    Parameters
    ----------
    n_agents : int
        Number of agents.
    a, b : (k,) int
        The compared pairs.
    margin : (k,) float
        Margin of a over b. Sizes that agree to eleven digits of the largest are the same.

    Returns
    -------
    (n_agents,) int
        Classes 0, 1, 2, ...; by descending mean margin, then by rivals beaten, and beyond that in an order that
        depends on the margins only, not on names or the order of the rows.

    Examples
    --------
    A cycle of three, each of whom beats a fourth.

    >>> indistinct(4, np.array([0, 1, 0, 0, 1, 2]), np.array([1, 2, 2, 3, 3, 3]), np.array([1.0, 1, -1, 1, 1, 1]))
    array([0, 0, 0, 1])

    Notes
    -----
    Multisets are compared by sums of 64-bit hashes, which do not depend on the order of summation; two different ones
    coincide once in about :math:`10^{19}` pairs. :math:`O(k)` per round.
    """
    value = _relative_margins(margin)
    codes = np.unique(np.concatenate((value, -value)), return_inverse=True)[1].astype(np.uint64)
    forth, back = hashed(codes[: len(value)]), hashed(codes[len(value) :])
    color = np.zeros(n_agents, dtype=np.uint64)
    count = 1
    while True:
        code = _summed(a, hashed(color[b] ^ forth), n_agents) + _summed(b, hashed(color[a] ^ back), n_agents)
        refined = hashed(hashed(color) + code)
        n_classes = len(np.unique(refined))
        if n_classes == count:
            break
        color, count = refined, n_classes
    return _numbered_classes(color, n_agents, a, b, value)


def _relative_margins(margin: Floats) -> Floats:
    """Margins relative to the largest, rounded so that the order of summation leaves no trace."""
    return np.round(margin / (float(np.abs(margin).max(initial=0.0)) or 1.0), _DIGITS) + 0.0


def _summed(place: Ints, values: Colors, n: int) -> Colors:
    """Sums by place modulo 2^64; halves of 32 bits sum exactly as floats."""
    total = np.zeros(n, dtype=np.uint64)
    np.add.at(total, place, values)
    return total


def _numbered_classes(color: Colors, n: int, a: Ints, b: Ints, value: Floats) -> Ints:
    """Number classes by mean margin, rivals beaten, and finally hash."""
    whole = np.rint(value * 10**_DIGITS)
    total = np.bincount(a, whole, n) - np.bincount(b, whole, n)
    beaten = np.bincount(a, np.sign(value), n) - np.bincount(b, np.sign(value), n)
    _, one, label = np.unique(color, return_index=True, return_inverse=True)
    order = np.lexsort((color[one], -beaten[one], -np.round(total[one] / 10**_DIGITS, 9)))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return place[label]


TIE = 1e-3  # difference of ratings, in temperatures, that still counts as equal
# The status if the solver does not converge.
STOPPED = "stopped before the gradient vanished, so the ratings are not final; a higher `temperature` is easier"


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Ratings that minimize a loss, and how the solver ended.

    Attributes
    ----------
    theta : (n,) float
        The ratings.
    temperature : float
        The temperature.
    status : str
        How the solver ended, as a sentence.
    details : mapping
        The ``loss`` and diagnostics of the solver.
    classes : Classes
        Indistinguishable agents.
    tie : float
        Difference of ratings, in temperatures, that still counts as equal.
    """

    theta: Floats
    temperature: float
    status: str
    details: Mapping[str, Any]
    classes: Classes
    tie: float = TIE
