r"""Position bias within pairs: each pair compared with itself in the other order.

With :math:`n_1, n_2` decided battles of a pair in its two orders, of which the first side won :math:`s_1, s_2`,

.. math::  \hat\beta = \frac{\sum_p w_p \tfrac12 (s_1 / n_1 + s_2 / n_2)}{\sum_p w_p}, \qquad
           w_p = \frac{n_1 n_2}{n_1 + n_2},

the weights of Mantel and Haenszel (1959). Without position bias it is one half, whatever the strengths and the balance
of orders.
"""

from dataclasses import dataclass

import numpy as np

from beatpath._arrays import Bools, Floats, Ints
from beatpath.stats.codes import dense, first_rows, joint, sums_by_code
from beatpath.stats.intervals import Interval, jackknife, left_out_totals


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """Decided battles with known order: the pair, which of its two orders, and whether the first side won."""

    pair: Ints
    swapped: Bools
    won: Floats
    cluster: Ints | None


def balanced_share(sides: Shown, level: float) -> Interval | None:
    """Return the win share of the first side within pairs seen in both orders, with a jackknife interval over clusters.

    Without clusters the jackknife is over battles.
    """
    cluster = np.arange(len(sides.won)) if sides.cluster is None else sides.cluster
    both = [np.bincount(sides.pair, order) for order in (~sides.swapped, sides.swapped)]
    rows = ((both[0] > 0) & (both[1] > 0))[sides.pair]
    cluster, n_clusters = dense(cluster[rows])
    if n_clusters < 2:
        return None
    cell, n_cells = joint([cluster, sides.pair[rows]])
    row, swapped, won = first_rows(cell, n_cells), sides.swapped[rows], sides.won[rows]
    sums = sums_by_code(cell, np.column_stack([~swapped, swapped, won * ~swapped, won * swapped]), n_cells)
    total, left_out = left_out_totals(sums, dense(sides.pair[rows])[0][row], cluster[row], _balanced)
    if not (left_out[:, 1] > 1e-9).all():
        return None
    estimate, others = float(total[0] / total[1]), left_out[:, 0] / left_out[:, 1]
    return jackknife(estimate, others, np.bincount(cluster), level).clipped(0.0, 1.0)


def _balanced(sums: Floats) -> Floats:
    """Return ``w (s1/n1 + s2/n2) / 2`` and ``w = n1 n2 / (n1 + n2)`` of each pair, (p, 2); 0 with one order."""
    n1, n2, s1, s2 = sums.T
    n = np.maximum(n1 + n2, 1.0)
    return np.column_stack([(n2 * s1 + n1 * s2) / (2 * n), n1 * n2 / n]) * ((n1 > 0) & (n2 > 0))[:, None]
