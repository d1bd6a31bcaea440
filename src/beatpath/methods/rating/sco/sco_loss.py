r"""The sigmoid loss of Soft Condorcet Optimization: a smooth count of the preferences that ratings contradict."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from beatpath._arrays import Floats, Ints
from beatpath._errors import DataError
from beatpath.evidence.ties import net
from beatpath.methods.profile import Profile


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Preference counts by pair: all that the loss asks of the votes, however many there are.

    Attributes
    ----------
    n_agents : int
    a, b : (k,) int
        The two agents of each pair that met; every pair at most once.
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
        """:math:`M(a, b) = N(a, b) - N(b, a)` of every cell, ties at zero."""
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
    """Return the counts of a profile, ties settled by its conventions.

    >>> from beatpath import Battles
    >>> from beatpath.methods.profile import profile_of
    >>> cells_of(profile_of(Battles.of([("ada", "bob", 1), ("ada", "bob", 0.5)])), "sco").n_ab
    array([1.5])
    """
    settled = profile.settled
    if settled is None:
        raise DataError(f"{method} needs counts of preferences; margins have none. Give battles, pairs or ballots.")
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
    temperature : float
        :math:`\tau > 0`.

    Examples
    --------
    WSCO Example 2: a preference for A (5) over B (15) is contradicted almost fully, one for B over C (10) hardly at all.

    >>> wins = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
    >>> round(sigmoid_loss(np.array([5.0, 15.0, 10.0]), Cells.from_wins(wins), 1.0), 4)
    1.0066

    Notes
    -----
    :math:`\sigma(\theta_b - \theta_a)` is the probability that *b* comes before *a* in an order drawn from the
    Plackett-Luce model with strengths :math:`e^{\theta/\tau}`. So the loss is the mean number of preferences that such a
    random order contradicts, and nowhere below what the best order contradicts.
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
    return pull(theta, cells.n_agents, cells.a, cells.b, cells.margin, temperature) / temperature


def pull(theta: Floats, n: int, a: Ints, b: Ints, margin: Floats, temperature: float) -> Floats:
    """Return the gradient times the temperature, from margins alone: what moves each rating, without a unit."""
    share = expit((theta[b] - theta[a]) / temperature)
    force = margin * share * (1.0 - share)
    return sums_at(b, force, n) - sums_at(a, force, n)


def sums_at(place: Ints, values: Floats, n: int) -> Floats:
    """Return the sums of values by place.

    >>> sums_at(np.array([0, 2, 0]), np.array([1.0, 5.0, 2.0]), 3)
    array([3., 0., 5.])
    """
    return np.bincount(place, values, n).astype(np.float64, copy=False)


def disagreement(score: Floats | Ints, cells: Cells) -> float:
    r"""Return the preferences that an order contradicts: the discrete loss, SCO eq. (3), equal scores counting half.

    Eq. (4) counts nothing for equal ratings, by which all agents equal would be best; the limit of the sigmoid loss as
    :math:`\tau \to 0`, which this is, counts half.

    >>> cells = Cells.from_wins(np.array([[0, 4, 2], [1, 0, 2], [3, 3, 0]]))
    >>> disagreement(np.array([20, 10, 30]), cells), disagreement(np.zeros(3), cells)
    (5.0, 7.5)
    """
    sign = np.sign(score[cells.b] - score[cells.a])
    return float((cells.n_ab * (1 + sign) + cells.n_ba * (1 - sign)).sum() / 2)
