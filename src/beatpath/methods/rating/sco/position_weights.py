r"""Position weights of Vigna, and when weighting keeps the Condorcet guarantee: WSCO section 4."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from beatpath._arrays import Floats
from beatpath._errors import UsageError
from beatpath.methods.rating.sco.sco_loss import Cells
from beatpath.methods.rating.sco.sco_settings import require_one_of

SCHEMES: dict[str, Callable[[Floats], Floats]] = {
    "logarithmic": lambda r: 1 / np.log(r + math.e),
    "hyperbolic": lambda r: 1 / (r + 1),
    "quadratic": lambda r: 1 / (r + 1) ** 2,
    "uniform": lambda r: np.full(len(r), 0.5),
}


def position_weights(scheme: str | Sequence[float], positions: int) -> Floats:
    r"""Return the weight of every position, the best first; an exchange of two costs the sum of theirs.

    .. math::  w_{\log}(r) = \frac{1}{\ln(r + e)}, \qquad w_{\text{hyp}}(r) = \frac{1}{r + 1}, \qquad
               w_{\text{quad}}(r) = \frac{1}{(r + 1)^2}

    WSCO section 4, after Vigna; "uniform" is a half, by which every exchange costs one. Numbers given instead are the
    weights themselves.

    Parameters
    ----------
    scheme : str or sequence of float
        A sequence must have a positive weight for every position that occurs.
    positions : int
        The length of the longest vote.

    Examples
    --------
    WSCO Example 3: the exchange of first and second costs 3/2, of second and third 5/6.

    >>> w = position_weights("hyperbolic", 3)
    >>> float(w[0] + w[1]), round(float(w[1] + w[2]), 6)
    (1.5, 0.833333)
    """
    if isinstance(scheme, str):
        require_one_of("position_weight", scheme, tuple(SCHEMES))
        return SCHEMES[scheme](np.arange(positions, dtype=np.float64))
    weights = np.asarray(scheme, dtype=np.float64)
    if weights.ndim != 1 or len(weights) < positions:
        raise UsageError(
            f"`position_weight` must have a weight for each of the {positions} positions of the longest vote; "
            f"got {weights.size}."
        )
    wrong = weights[~(np.isfinite(weights) & (weights > 0))]
    if wrong.size:
        raise UsageError(
            f"`position_weight` must be positive numbers; got {wrong[0]:g}. A position without weight would make its "
            "preferences vanish; give it a small one."
        )
    return weights[:positions]


@dataclass(frozen=True, slots=True)
class Guarantee:
    r"""Whether weighting keeps a Condorcet winner on top, WSCO Theorem 1.

    Attributes
    ----------
    winner : int or None
        The Condorcet winner by unweighted votes; the rest says nothing when there is none.
    ratio : float
        :math:`r = w_{\max} / w_{\min}` over the pairs of positions that occur.
    threshold : float
        :math:`(r - 1) / (r + 1)`.
    share : float
        The winner's smallest margin over the votes that compare it with that rival, :math:`k / n`.
    holds : bool
        Whether the share exceeds the threshold: then a global minimum has the winner on top.
    weighted : bool
        Whether the winner also has a positive weighted margin over every rival, which is what the proof needs and the
        threshold is sufficient for: then a global minimum has it on top, whatever the threshold says.
    """

    winner: int | None
    ratio: float
    threshold: float
    share: float
    holds: bool
    weighted: bool


def guarantee(cells: Cells, weighted: Cells, weights: Floats) -> Guarantee:
    r"""Compute Theorem 1's threshold for the data at hand, and whether it is met.

    The theorem takes complete votes, by which *n* voters compare every pair. Its proof looks at one rival at a time, so
    for incomplete ones *n* is the number of votes that rank both. Positions are those within a vote.

    Parameters
    ----------
    cells : Cells
        Unweighted preference counts.
    weighted : Cells
        Weighted ones, :math:`N_W`.
    weights : (p,) float
        Of the positions.

    Examples
    --------
    Three positions, hyperbolic: r = (3/2) / (5/6) = 9/5, so the threshold is 2/7. A winner of all votes is above it.

    >>> cells = Cells.from_wins(np.array([[0, 4, 4], [0, 0, 3], [0, 1, 0]]))
    >>> found = guarantee(cells, cells, position_weights("hyperbolic", 3))
    >>> found.winner, round(found.ratio, 9), round(found.threshold, 6), found.share, found.holds
    (0, 1.8, 0.285714, 1.0, True)
    """
    ordered = np.sort(weights)[::-1]
    ratio = float((ordered[0] + ordered[1]) / (ordered[-1] + ordered[-2])) if len(weights) > 1 else 1.0
    threshold = (ratio - 1) / (ratio + 1)
    margin, total = cells.margin, cells.n_ab + cells.n_ba
    won = np.bincount(np.concatenate((cells.a[margin > 0], cells.b[margin < 0])), minlength=cells.n_agents)
    strong = np.flatnonzero(won == cells.n_agents - 1)
    if not len(strong):
        return Guarantee(None, ratio, threshold, np.nan, False, False)
    winner = int(strong[0])
    his = (cells.a == winner) | (cells.b == winner)
    share = float((np.abs(margin[his]) / total[his]).min(initial=1.0))
    his = (weighted.a == winner) | (weighted.b == winner)
    lead = np.where(weighted.a[his] == winner, 1, -1) * weighted.margin[his]
    return Guarantee(winner, ratio, threshold, share, share > threshold, bool((lead > 0).all()))
