r"""Inter-rater agreement on common units: percentage, Krippendorff's alpha, Cohen's and Fleiss' kappa.

Every statistic is a function of sums over units, so that leaving out each unit in turn (jackknife) needs no second count.

Kappa is :math:`(P_o - P_e) / (1 - P_e)`. Cohen [1]_ uses two judges and the marginals of each; Fleiss [2]_ any number,
with pooled marginals. Where units have different numbers of judges, :math:`P_o` of Fleiss is the mean over units of
the share of agreeing pairs, and the marginals are those of all verdicts.

References
----------
.. [1] J. Cohen, "A coefficient of agreement for nominal scales", *Educational and Psychological Measurement* 20 (1960), 37-46.
.. [2] J. L. Fleiss, "Measuring nominal scale agreement among many raters", *Psychological Bulletin* 76 (1971), 378-382.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import AnyInts, Floats
from beatpath.stats.intervals import Interval, jackknife_error, t_quantile

SIDES = [1, 0, 2]  # verdicts (first agent, second agent, tie) with the agents exchanged
CERTAIN = 1e-12  # expected disagreement below which chance agreement is certain


def percent_agreement(counts: NDArray[np.generic]) -> float:
    """Return the share of agreeing pairs of judges among all pairs on the same unit; NaN without any.

    >>> percent_agreement(np.array([[2, 0], [1, 2]]))
    0.5
    """
    table = np.asarray(counts, dtype=np.float64)
    m = table.sum(axis=1)
    pairs = (m * (m - 1)).sum()
    return float((table * (table - 1)).sum() / pairs) if pairs else float("nan")


def side_blind_alpha(counts: NDArray[np.generic]) -> float:
    """Return alpha for values (first agent, second agent, tie), symmetric in the two agents.

    Both sides have equal marginals, so alpha does not depend on the names of the agents.

    >>> round(side_blind_alpha(np.array([[2, 0, 0], [2, 0, 0], [1, 1, 0]])), 4)
    0.4444
    """
    return float(alpha(terms(counts, blind=True).sum(axis=0)))


def alpha_interval(counts: NDArray[np.generic], level: float) -> Interval:
    """Return Krippendorff's alpha, symmetric in the two agents, with a jackknife interval over units."""
    return _jackknifed(terms(counts, blind=True), alpha, level)


def fleiss_interval(counts: NDArray[np.generic], level: float) -> Interval:
    """Return Fleiss' kappa, symmetric in the two agents (see `side_blind_alpha`), with a jackknife interval over units.

    Parameters
    ----------
    counts : (units, 3) int
        Numbers of judges for the first agent, for the second, for neither.
    level : float
    """
    return _jackknifed(terms(counts, blind=True), fleiss, level)


def cohen_interval(first: AnyInts, second: AnyInts, level: float) -> Interval:
    """Return Cohen's kappa of two judges' verdicts (0, 1 or 2 for a tie) on the same units, symmetric in the agents.

    >>> both = np.array([0, 1, 2, 0, 1, 0, 1, 2])
    >>> cohen_interval(both, both, 0.95).estimate
    1.0
    """
    table = np.eye(9).reshape(9, 3, 3)[np.asarray(first) * 3 + np.asarray(second)]
    return _jackknifed(table + table[:, SIDES][:, :, SIDES], cohen, level)


def grade_interval(unit: AnyInts, value: Floats, level: float) -> Interval:
    r"""Return Krippendorff's alpha of grades (interval metric), with a jackknife interval over units.

    .. math::  \alpha = 1 - \frac{\frac1n \sum_u \frac{1}{m_u - 1} \sum_{i, j \in u} (x_i - x_j)^2}
               {\frac{1}{n (n - 1)} \sum_{i, j} (x_i - x_j)^2}

    Parameters
    ----------
    unit : (r,) int
        What every grade is about; units with one grade do not count.
    value : (r,) float
        The grades.
    level : float

    Examples
    --------
    Two judges, three units; one disagrees by one.

    >>> round(grade_interval(np.array([0, 0, 1, 1, 2, 2]), np.array([1.0, 1, 2, 2, 3, 4]), 0.95).estimate, 4)
    0.878
    """
    m, s, q = (np.bincount(unit, one) for one in (np.ones(len(unit)), value, value**2))
    m, s, q = m[m > 1], s[m > 1], q[m > 1]

    def interval_alpha(sums: Floats) -> Floats:
        n, total, squares, within = np.moveaxis(sums, -1, 0)
        with np.errstate(invalid="ignore", divide="ignore"):
            return 1 - within / n / ((n * squares - total**2) / (n * (n - 1)))

    return _jackknifed(np.column_stack([m, s, q, (m * q - s**2) / (m - 1)]), interval_alpha, level)


def terms(counts: NDArray[np.generic], *, blind: bool = False) -> Floats:
    """Return for every unit with two judges or more: one, the share of agreeing pairs, the same times judges, the counts.

    Parameters
    ----------
    counts : (units, values) int
        Number of judges by unit and value.
    blind : bool
        Whether to count each of the first two values as often as both on average.
    """
    table = np.asarray(counts, dtype=np.float64)
    table = table[table.sum(axis=1) >= 2]
    m = table.sum(axis=1)
    agree = (table * (table - 1)).sum(axis=1) / (m * (m - 1))
    values = (table + table[:, SIDES]) / 2 if blind else table
    return np.column_stack([np.ones(len(m)), agree, m * agree, values])


def alpha(sums: Floats) -> Floats:
    r"""Return Krippendorff's alpha for nominal values from sums of `terms`; NaN where chance agreement is certain.

    .. math::  \alpha = 1 - \frac{D_o}{D_e}, \qquad
               D_o = \frac1n \sum_u \frac{m_u^2 - \sum_v n_{uv}^2}{m_u - 1}, \qquad
               D_e = \frac{n^2 - \sum_v n_v^2}{n (n - 1)},

    with :math:`n_{uv}` judges that gave unit *u* the value *v*, :math:`m_u = \sum_v n_{uv}`, and sums over the units
    with :math:`m_u \ge 2` only [1]_.

    Examples
    --------
    Two judges, three units, one disagreement.

    >>> alpha(terms(np.array([[2, 0], [0, 2], [1, 1]])).sum(axis=0)).round(4)
    np.float64(0.4444)

    References
    ----------
    .. [1] K. Krippendorff, *Content Analysis*, 2nd ed., Sage (2004), chapter 11.
    """
    n, squares = sums[..., 3:].sum(axis=-1), (sums[..., 3:] ** 2).sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = (n**2 - squares) / (n * (n - 1))
        return np.where(expected > CERTAIN, 1 - (1 - sums[..., 2] / n) / expected, np.nan)


def fleiss(sums: Floats) -> Floats:
    """Return Fleiss' kappa from sums of `terms`; NaN where chance agreement is certain.

    >>> fleiss(terms(np.array([[2, 0], [0, 2], [1, 1]])).sum(axis=0)).round(4)
    np.float64(0.3333)
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        share = sums[..., 3:] / sums[..., 3:].sum(axis=-1, keepdims=True)
        return _beyond_chance(sums[..., 1] / sums[..., 0], (share**2).sum(axis=-1))


def cohen(table: Floats) -> Floats:
    """Return Cohen's kappa of tables, first judge by second judge, (..., values, values); NaN as above.

    >>> cohen(np.array([[20.0, 5.0], [10.0, 15.0]])).round(3)
    np.float64(0.4)
    """
    n = table.sum(axis=(-2, -1))
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = (table.sum(axis=-1) * table.sum(axis=-2)).sum(axis=-1) / n**2
        return _beyond_chance(np.trace(table, axis1=-2, axis2=-1) / n, expected)


def _beyond_chance(observed: Floats, expected: Floats) -> Floats:
    return np.where(expected < 1 - CERTAIN, (observed - expected) / (1 - expected), np.nan)


def _jackknifed(each: Floats, statistic: Callable[[Floats], Floats], level: float) -> Interval:
    """Return a statistic of sums over units, `each` (units, ...), with a jackknife interval."""
    total, n = each.sum(axis=0), len(each)
    estimate = float(statistic(total))
    if n < 2 or np.isnan(estimate):
        return Interval(estimate, float("nan"), float("nan"))
    half = t_quantile(level, n - 1) * jackknife_error(statistic(total - each))
    return Interval(estimate, estimate - half, estimate + half).clipped(-1.0, 1.0)
