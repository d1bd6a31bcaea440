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
from beatpath.stats.codes import dense, sums_by_code
from beatpath.stats.intervals import Interval, jackknife


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
    n_clusters = int(cluster.max(initial=-1)) + 1
    both = [np.bincount(sides.pair, order) for order in (~sides.swapped, sides.swapped)]
    rows = ((both[0] > 0) & (both[1] > 0))[sides.pair]
    cluster, _ = dense(cluster[rows], n_clusters)
    sizes = np.bincount(cluster)
    if len(sizes) < 2:
        return None
    pair, n_pairs = dense(sides.pair[rows])
    cell, n_cells = dense(cluster * n_pairs + pair)
    of_pair, of_cluster = np.zeros((2, n_cells), dtype=np.int64)
    of_pair[cell], of_cluster[cell] = pair, cluster
    swapped, won = sides.swapped[rows], sides.won[rows]
    parts = [sums_by_code(cell, v, n_cells) for v in (~swapped, swapped, won * ~swapped, won * swapped)]
    whole = [sums_by_code(of_pair, part, n_pairs) for part in parts]
    top, bottom = _balanced(*whole)
    tops, bottoms = _balanced(*(w[of_pair] - part for w, part in zip(whole, parts, strict=True)))
    left_top = top.sum() + sums_by_code(of_cluster, tops - top[of_pair], len(sizes))
    left_bottom = bottom.sum() + sums_by_code(of_cluster, bottoms - bottom[of_pair], len(sizes))
    if not (left_bottom > 1e-9).all():
        return None
    estimate = float(top.sum() / bottom.sum())
    return jackknife(estimate, left_top / left_bottom, sizes, level).clipped(0.0, 1.0)


def _balanced(n1: Floats, n2: Floats, s1: Floats, s2: Floats) -> tuple[Floats, Floats]:
    """Return ``w (s1/n1 + s2/n2) / 2`` and ``w = n1 n2 / (n1 + n2)`` of each pair; 0 with one order."""
    both = (n1 > 0) & (n2 > 0)
    n = np.where(both, n1 + n2, 1.0)
    return np.where(both, (n2 * s1 + n1 * s2) / (2 * n), 0.0), np.where(both, n1 * n2 / n, 0.0)
