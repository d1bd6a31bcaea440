r"""Position bias: the advantage of the side shown first (the home side), fitted with the strengths and averaged out.

With :math:`s = 1` where *a* is shown first, -1 where *b* is and 0 where the order is unknown,

.. math::  \operatorname{logit} P(a \text{ wins}) = \theta_a - \theta_b + \beta s .

A pair with mean :math:`\bar s` of *s* would win, with balanced positions,

.. math::  r - \bar s h, \qquad h = \tfrac12 \bigl(\sigma(d + \beta) - \sigma(d - \beta)\bigr), \quad d = \theta_a - \theta_b ,

of its battles. This holds for any number of battles per pair, also where a pair was shown in one order only. The
standard error of :math:`\hat\beta` is one more error that all rates share: :math:`\hat\beta` is uncorrelated with
strengths fitted without it, so their variances add. A prior :math:`\beta \sim N(0, 1/2^2)` matters only where the
orders carry little information about :math:`\beta` (one agent is shown first in all its battles, as a baseline may
be); then the standard error is that of the prior.

Judges may rely on the order more where answers are alike. Half the difference of a pair's rates in the two orders
estimates its *h*, independently of its rate. If these vary between pairs by more than chance (Cochran's *Q*), every pair
shown in both orders has its own *h*, with the variance of that estimate; if they may, it is shrunk toward the common one by
the variance between pairs [1]_, which pairs shown in one order have as the variance of theirs.

References
----------
.. [1] R. DerSimonian, N. Laird, "Meta-analysis in clinical trials", *Controlled Clinical Trials* 7 (1986), 177-188.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc

from beatpath._arrays import BLOCK, AnyInts, Codes, Floats, Ints, blocks_of, counted_codes, spans
from beatpath._text import percent
from beatpath.evidence import Battles
from beatpath.evidence.pair_index import PairIndex
from beatpath.evidence.pairs import Pairs
from beatpath.fit.pairs import decided, fit_pairs
from beatpath.fit.ties import Prior, logistic
from beatpath.methods.graph.connection import unconnected
from beatpath.stats.codes import apart, sums_by_code

PRIOR = Prior(precision=1 / 25, coefficients=4.0)  # strengths of standard deviation 5 stay finite; for beta see above
FLAT = 1e-6  # gradient over curvature before the last step of the fit, which squares it
ENOUGH = 4.0  # ratio of the data's to the prior's information from which the prior is dropped: it would shrink the bias by a fifth
MATERIAL = 0.01  # advantage of the side shown first between equal agents, over one half, from which a note reports it
VARIES = 0.1  # p-value below which the bias counts as different between pairs; one for all is the worse error
SPAN = 1 << 22  # battles whose clusters are summed at a time
SURE = 2.0  # standard errors beyond which a note reports the bias


@dataclass(frozen=True, eq=False)
class Position:
    r"""The effect of showing one side first on the win rate of every pair.

    Attributes
    ----------
    beta, stderr : float
        The position bias in log odds, and its standard error.
    shift : (p,) float
        Its effect on every rate, :math:`\bar s h`.
    error : (p,) float
        The effect of one standard error of it.
    own : (p,) float
        The variance of the effect on every rate by itself; zero where the bias is one for all pairs.
    """

    beta: float
    stderr: float
    shift: Floats
    error: Floats
    own: Floats

    @property
    def share(self) -> float:
        """Win rate of the side shown first between equal agents."""
        return 1 / (1 + float(np.exp(-self.beta)))

    @property
    def note(self) -> tuple[str, ...]:
        """A sentence where the bias is statistically significant and material."""
        low, high = (1 / (1 + np.exp(-(self.beta + k * SURE * self.stderr))) for k in (-1, 1))
        if abs(self.share - 0.5) < MATERIAL or low <= 0.5 <= high:
            return ()
        wins = f"{percent(self.share, low, high)} of battles between equal agents"
        return (f"The side shown first wins {wins}; win rates average over both orders.",)


def position_effect(battles: Battles, whole: Pairs, cluster: str | None) -> Position | None:
    """Estimate the position bias; None where positions are unknown.

    Parameters
    ----------
    battles : Battles
        The data.
    whole : Pairs
        The pairs whose rates are adjusted, each once and in sorted order.
    cluster : str, optional
        The column whose battles are dependent.

    Examples
    --------
    Equal agents, the side shown first wins three of four battles, and ada is shown first in two battles of three.

    >>> rows = [("ada", "bob", 1.0)] * 150 + [("ada", "bob", 0.0)] * 50 + [("bob", "ada", 1.0)] * 75 + [("bob", "ada", 0.0)] * 25
    >>> battles = Battles.of(rows, position=[1] * 300)
    >>> effect = position_effect(battles, battles.pairs(), None)
    >>> float(np.round(effect.share, 2)), effect.shift.round(3)
    (0.75, array([0.083]))
    """
    if battles.position is None or not battles.position.any() or not whole.counts.any():
        return None
    sides, cells, pairs = _cells_of(battles, whole), 3 * len(whole), len(whole)
    played, wins, squares = np.zeros((3, cells))
    for _, cell, weight, won in sides.blocks(max(BLOCK, cells)):
        for total, x in ((played, weight), (wins, weight * won), (squares, weight**2)):
            total += np.bincount(cell, x, cells)
    unit = played.sum() / squares.sum()  # so that only ratios of weights count
    played, wins, squares = unit * played, unit * wins, unit**2 * squares
    rows = np.flatnonzero(played)
    order, place = (rows % 3 - 1).astype(np.float64), rows // 3
    a, b = whole.a[place], whole.b[place]
    part = unconnected(len(battles.agents), whole.a, whole.b)[1].astype(np.int64)
    data = decided(len(battles.agents), a, b, wins[rows], played[rows], order[:, None], part=part)
    fit = fit_pairs(data, prior=PRIOR, flat=FLAT)
    beta, information = float(fit.coefficients[0]), fit.information
    through = information.laplacian.solver()(information.side, 1e-9)[:, 0]
    known = float(information.corner[0, 0] - information.side[:, 0] @ through)  # of beta, with strengths free
    free = np.zeros(cells)
    free[rows] = order - (through[a] - through[b])  # the part of the order that strengths do not explain
    lead = fit.strength[whole.a] - fit.strength[whole.b]
    fitted = logistic((lead[:, None] + beta * np.array([-1.0, 0.0, 1.0])).ravel())[0]
    each = _half_differences(played)
    common, repeated = _sums_of_squares(sides, cluster, fitted, unit * free, unit * each)
    beta, stderr = _without_prior(beta, common, known)
    met, shown = (np.bincount(place, x * played[rows], pairs) for x in (1, order))
    mean = np.divide(shown, met, out=np.zeros(pairs), where=met > 0)  # a pair whose battles weigh nothing has no order
    first, second = logistic(lead + beta)[0], logistic(lead - beta)[0]
    slope = np.maximum((first * (1 - first) + second * (1 - second)) / 2, 1e-12)
    half = np.bincount(place, (each * wins)[rows], pairs) - (first - second) / 2
    rate = np.stack([second, (first + second) / 2, first], axis=1).ravel()
    noise = (each**2 * squares * rate * (1 - rate)).reshape(-1, 3).sum(axis=1)
    noise *= max(repeated / max(float(noise.sum()), 1e-300), 1.0)  # the design effect of clusters
    deviation, variance = _deviations(half / slope, noise / slope**2)
    step = mean * slope
    return Position(beta, stderr, mean * (first - second) / 2 + step * deviation, step * stderr, step**2 * variance)


def _half_differences(played: Floats) -> Floats:
    """Return the weight of a battle in half the difference of its pair's rates in the two orders, by pair and order."""
    number = played.reshape(-1, 3)
    both = ((number[:, 0] > 0) & (number[:, 2] > 0))[:, None] & (number > 0)
    return np.divide(np.array([-0.5, 0.0, 0.5]), number, out=np.zeros_like(number), where=both).ravel()


def _deviations(deviation: Floats, noise: Floats) -> tuple[Floats, Floats]:
    """Return deviations of pairs from the common bias and their variances; zero where they vary no more than noise.

    A noise of zero marks pairs shown in one order only.

    >>> _deviations(np.array([0.1, -0.1, 0.0]), np.array([0.1, 0.1, 0.0]))
    (array([0., 0., 0.]), array([0., 0., 0.]))
    >>> _deviations(np.array([1.0, -1.0, 0.0]), np.array([0.1, 0.1, 0.0]))  # (20 - 1) / (20 - 200 / 20) between pairs
    (array([ 1., -1.,  0.]), array([0.1, 0.1, 1.9]))
    """
    both = noise > 0
    precision = np.divide(1.0, noise, out=np.zeros(len(noise)), where=both)
    statistic, free = float(precision @ deviation**2), int(both.sum()) - 1
    if statistic <= free or free < 1:
        return np.zeros(len(noise)), np.zeros(len(noise))
    between = (statistic - free) / (precision.sum() - float(precision @ precision) / precision.sum())
    share = both * (1.0 if chdtrc(free, statistic) < VARIES else between / (between + noise))
    return share * deviation, np.where(both, share * noise, between)


def _without_prior(beta: float, squares: float, information: float) -> tuple[float, float]:
    """Return the bias and its standard error, by one Newton step without the prior where the data suffice."""
    known = information - PRIOR.coefficients
    if known < ENOUGH * PRIOR.coefficients:
        return beta, float(np.sqrt(squares + PRIOR.coefficients)) / information
    return beta * information / known, float(np.sqrt(squares)) / known


class _BattleCells(NamedTuple):
    """Battles and the cell of each: three times the index of its pair, plus 0, 1 or 2 by which of the pair was shown first.

    2 is the first agent of the pair, 1 an unknown order; the cell of a battle of another pair is -1.
    """

    battles: Battles
    cell: AnyInts

    def blocks(
        self, size: int = BLOCK, code: Codes | None = None, low: int = 0, high: int = 0
    ) -> Iterator[tuple[slice | Ints, AnyInts, Floats, Floats]]:
        """Yield rows of these pairs with cells, weights and wins of the pair's first agent, some at a time.

        With a `code` for every row, those for which it is from `low` to `high` - 1.
        """
        battles = self.battles
        for block in blocks_of(len(self.cell), size):
            used = self.cell[block] >= 0
            if code is not None:
                used &= (code[block] >= low) & (code[block] < high)
            rows = block if used.all() else block.start + np.flatnonzero(used)
            cell, outcome = self.cell[rows], battles.outcome[rows]
            won = np.where(battles.a[rows] > battles.b[rows], 1 - outcome, outcome)
            yield rows, cell, np.ones(len(cell)) if battles.weight is None else battles.weight[rows], won


def _cells_of(battles: Battles, whole: Pairs) -> _BattleCells:
    assert battles.position is not None
    pair_index, large = PairIndex.of(whole), 3 * len(whole) > np.iinfo(np.int32).max
    cell: AnyInts = np.empty(len(battles), dtype=np.int64 if large else np.int32)
    for rows in blocks_of(len(battles)):
        a, b = battles.a[rows], battles.b[rows]
        pair = pair_index.at(np.minimum(a, b).astype(np.int64) * pair_index.n + np.maximum(a, b)).astype(cell.dtype)
        sign = np.where(a > b, -battles.position[rows], battles.position[rows])
        cell[rows] = np.where(pair < 0, -1, 3 * pair + sign + 1)
    return _BattleCells(battles, cell)


def _sums_of_squares(
    sides: _BattleCells, cluster: str | None, fitted: Floats, free: Floats, each: Floats
) -> tuple[float, float]:
    """Return the sum of squares of the influence of clusters, and of clusters by pair.

    The influence of a battle is its residual times `free`, or `each`, of its cell; battles without a cluster are one each.
    """

    def influence(cell: AnyInts, weight: Floats, won: Floats) -> tuple[Floats, Floats]:
        residual = weight * (won - fitted[cell])
        return residual * free[cell], residual * each[cell]

    if cluster is None:
        each_block = (influence(cell, weight, won) for _, cell, weight, won in sides.blocks())
        common, repeated = np.sum([(one @ one, other @ other) for one, other in each_block], axis=0).tolist()
        return common, repeated
    factor, common, repeated = sides.battles.factors[cluster], 0.0, 0.0
    size = np.roll(counted_codes(factor.codes, len(factor.levels)), 1)  # battles without a cluster first
    for low, high in spans(size, SPAN):
        inside = [
            (factor.codes[rows], cell // 3, *influence(cell, weight, won))
            for rows, cell, weight, won in sides.blocks(code=factor.codes, low=low - 1, high=high - 1)
        ]
        code, pair, one, other = (np.concatenate(part) for part in zip(*inside, strict=True))
        code, n_pairs = apart(code - max(low - 1, 0)), len(fitted) // 3
        common += float((sums_by_code(code, one) ** 2).sum())
        key = code * n_pairs + pair
        order = np.argsort(key)
        key, first = key[order], np.ones(min(len(key), 1), dtype=bool)
        by_pair = (
            np.add.reduceat(other[order], np.flatnonzero(np.append(first, key[1:] != key[:-1]))) if len(key) else other
        )
        repeated += float(by_pair @ by_pair)
    return common, repeated
