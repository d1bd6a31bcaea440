r"""Correlation of the battles within a cluster.

A cell holds the :math:`n_{pc}` battles of pair *p* in cluster *c*, with outcomes for the pair's first agent. Clusters
are independent of each other; battles within one need not be. There are two measures.

*Intra-cluster correlation*: whether repeats of a pair within a cluster agree, by analysis of variance within pairs:

.. math::  \hat\rho = \frac{MS_B - MS_W}{MS_B + (n_0 - 1)\, MS_W}, \qquad
           n_0 = \frac{\sum_p \bigl(m_p - \sum_c n_{pc}^2 / m_p\bigr)}{\sum_p (k_p - 1)},

with :math:`m_p` battles and :math:`k_p` clusters of pair *p*, and the sums of squares between and within clusters
summed over pairs. For one pair this is the usual one-way estimator with unequal sizes (Donner 1986). The order of the
agents of a pair does not matter.

*Design effect*: how much more an agent's win rate varies than with independent battles; see
`beatpath.stats.design_effect`.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from beatpath._arrays import Floats
from beatpath._text import counted, percent, rounded
from beatpath.checks.finding import CheckLimits, Finding, not_run, passed, warning
from beatpath.checks.over_time import p_text
from beatpath.checks.sampling import spread
from beatpath.evidence import Battles, Pairs
from beatpath.evidence.select import columns_of
from beatpath.evidence_design.columns import DEPENDENT, cells_of
from beatpath.stats.design_effect import PairClusterCells
from beatpath.stats.design_effect import dependence as independence_test
from beatpath.stats.intervals import Interval, jackknife, left_out_totals


def dependence(cells: PairClusterCells, name: str, limits: CheckLimits) -> Finding:
    """Report how strongly the battles of one cluster (task, judge) are correlated."""
    sizes = cells.by_cluster(cells.n)
    figures: dict[str, Any] = {"clusters": cells.n_clusters, "sizes": spread(sizes)}
    several = f"{sizes.min():,.6g} to {sizes.max():,.6g} battles"
    many = several if np.ptp(sizes) else f"{counted(sizes[0], 'battle')} each"
    text = f"{counted(cells.n_clusters, name)} of {many}"
    rho, test = correlation(cells, limits), independence_test(cells)
    effect = None if test is None else test.interval(limits.level, limits.clusters)
    figures["correlation"] = None if rho is None else rho.to_dict()
    figures["design effect"] = None if effect is None else effect.to_dict()
    figures["p_value"] = None if test is None else test.p_value
    if test is None:
        reason = f"{text}; too few of them hold two battles of one agent to estimate dependence."
        return not_run(reason, figures)
    known = "unknown (too few repeats)" if rho is None else f"{rho} at {100 * limits.level:g} % confidence"
    size = rounded(test.effect, 2) if effect is None else str(effect)
    sentence = (
        f"{text}. The correlation of repeated battles of a pair within one {name} is {known}. The variance of an agent's win "
        f"rate is {size} times that of independent battles ({p_text(test.p_value)})."
    )
    if test.p_value >= DEPENDENT or test.effect < limits.design_effect:
        return passed(sentence, figures)
    narrow = 1 - test.effect**-0.5
    consequence = (
        f"Intervals that assume independent battles are about {percent(narrow)} too narrow: resample whole {name}s."
    )
    return warning(sentence, figures, consequence)


def anova(cells: PairClusterCells) -> tuple[float, Floats]:
    """Return the intra-cluster correlation, and its values with one cluster left out at a time."""
    between = cells.s**2 / cells.n
    sums = np.column_stack([cells.n, cells.s, np.ones(len(cells.n)), cells.n**2, between, cells.q - between])
    whole, left_out = left_out_totals(sums, cells.pair, cells.cluster, _squares)
    return float(_rho(whole)), _rho(left_out)


def _squares(sums: Floats) -> Floats:
    """Return sums of squares between and within clusters, degrees of freedom and the numerator of n0, by pair."""
    m, t, k, squares, between, within = sums.T
    m = np.where(k > 0, m, 1.0)
    columns = [between - t**2 / m, within, k - 1, m - k, m - squares / m]
    return np.column_stack(columns) * (k > 0)[:, None]


def _rho(sums: Floats) -> Floats:
    """Return the correlation from what `_squares` sums up, (..., 5); NaN if undefined."""
    ssb, ssw, dfb, dfw, top = np.moveaxis(np.where(np.abs(sums) < 1e-9, 0.0, sums), -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        msb, msw, n0 = ssb / dfb, ssw / dfw, top / dfb
        whole = msb + (n0 - 1) * msw
        return np.where((dfb > 0) & (dfw > 0) & (whole > 1e-12), (msb - msw) / whole, np.nan)


def correlation(cells: PairClusterCells, limits: CheckLimits) -> Interval | None:
    """Return the intra-cluster correlation with its jackknife interval, or None if there are too few repeats."""
    repeats = cells.by_cluster(cells.n * (cells.n - 1))
    if (repeats > 0).sum() < limits.clusters:
        return None
    rho, left_out = anova(cells)
    if not (np.isfinite(rho) and np.isfinite(left_out).all()):
        return None
    return jackknife(rho, left_out, repeats, limits.level).clipped(-1.0, 1.0)


def dependence_by_column(evidence: Battles | Pairs, limits: CheckLimits) -> dict[str, Callable[[], Finding]]:
    """Return one check for each column that groups battles, or one that says why there is none, by name."""
    columns = columns_of(evidence)
    names = [name for name in ("cluster", "task", "judge") if name in columns and columns[name].levels]
    if isinstance(evidence, Pairs) and (evidence.weighted or not evidence.counts.any()):
        return {"dependence": partial(not_run, "Dependence needs counts of battles that weigh one.")}
    if not names:
        return {"dependence": partial(not_run, "No column (cluster, task, judge) groups the battles.")}
    return {f"dependence by {name}": partial(dependence, cells_of(evidence, name), name, limits) for name in names}
