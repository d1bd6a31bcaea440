r"""Inter-rater agreement on common units: percentage, Krippendorff's alpha, Cohen's and Fleiss' kappa.

Intervals are jackknifed over units, in closed form.

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

from beatpath._arrays import Floats, Ints
from beatpath.stats.intervals import Interval, jackknife_error, t_quantile


def nominal_alpha(counts: NDArray[np.generic], shares: Floats | None = None) -> float:
    r"""Return Krippendorff's alpha for nominal values; NaN where chance agreement is certain.

    .. math::  \alpha = 1 - \frac{D_o}{D_e}, \qquad
               D_o = \frac1n \sum_u \frac{m_u^2 - \sum_v n_{uv}^2}{m_u - 1}, \qquad
               D_e = \frac{n^2 - \sum_v n_v^2}{n (n - 1)},

    with :math:`n_{uv}` judges that gave unit *u* the value *v*, :math:`m_u = \sum_v n_{uv}`, and sums over the units
    with :math:`m_u \ge 2` only [1]_.

    Parameters
    ----------
    counts : (units, values) int
        Number of judges by unit and value.
    shares : (values,) float, optional
        Marginals to use for :math:`n_v / n` instead of the observed ones.

    Examples
    --------
    Two judges, three units, one disagreement.

    >>> round(nominal_alpha(np.array([[2, 0], [0, 2], [1, 1]])), 4)
    0.4444

    References
    ----------
    .. [1] K. Krippendorff, *Content Analysis*, 2nd ed., Sage (2004), chapter 11.
    """
    table = np.asarray(counts, dtype=np.float64)
    table = table[table.sum(axis=1) >= 2]
    m = table.sum(axis=1)
    n = m.sum()
    if not n:
        return float("nan")
    values = table.sum(axis=0) if shares is None else n * shares
    expected = (n**2 - (values**2).sum()) / (n * (n - 1))
    observed = ((m**2 - (table**2).sum(axis=1)) / (m - 1)).sum() / n
    return float(1 - observed / expected) if expected > 1e-12 else float("nan")


def side_blind_alpha(counts: NDArray[np.generic]) -> float:
    """Return alpha for values (first agent, second agent, tie), symmetric in the two agents.

    Both sides have equal marginals, so alpha does not depend on the names of the agents.

    >>> round(side_blind_alpha(np.array([[2, 0, 0], [2, 0, 0], [1, 1, 0]])), 4)
    0.4444
    """
    table = np.asarray(counts, dtype=np.float64)
    total = table[table.sum(axis=1) >= 2].sum(axis=0)
    side = (total[0] + total[1]) / 2
    return nominal_alpha(table, np.array([side, side, total[2]]) / max(total.sum(), 1.0))


def percent_agreement(counts: NDArray[np.generic]) -> float:
    """Return the share of agreeing pairs of judges among all pairs on the same unit; NaN without any.

    >>> percent_agreement(np.array([[2, 0], [1, 2]]))
    0.5
    """
    table = np.asarray(counts, dtype=np.float64)
    m = table.sum(axis=1)
    pairs = (m * (m - 1)).sum()
    return float((table * (table - 1)).sum() / pairs) if pairs else float("nan")


MOST_UNITS = 2000  # most distinct units left out one at a time; beyond it, units are left out in groups
GROUPS = 50  # number of those groups, enough for a standard error


def cohen_kappa(table: NDArray[np.generic]) -> float:
    """Return Cohen's kappa of a square table, first judge by second judge; NaN where chance agreement is certain.

    >>> round(cohen_kappa(np.array([[20, 5], [10, 15]])), 3)
    0.4
    """
    counts = np.asarray(table, dtype=np.float64)
    n = counts.sum()
    if not n:
        return float("nan")
    expected = float(counts.sum(axis=1) @ counts.sum(axis=0)) / n**2
    return float((np.trace(counts) / n - expected) / (1 - expected)) if expected < 1 - 1e-12 else float("nan")


def fleiss_kappa(counts: NDArray[np.generic]) -> float:
    """Return Fleiss' kappa of numbers of judges by unit and value; units with one judge are dropped.

    >>> round(fleiss_kappa(np.array([[2, 0], [0, 2], [1, 1]])), 4)
    0.3333
    """
    table = np.asarray(counts, dtype=np.float64)
    table = table[table.sum(axis=1) >= 2]
    if not len(table):
        return float("nan")
    m = table.sum(axis=1)
    observed = (((table**2).sum(axis=1) - m) / (m * (m - 1))).mean()
    expected = float(((table.sum(axis=0) / m.sum()) ** 2).sum())
    return float((observed - expected) / (1 - expected)) if expected < 1 - 1e-12 else float("nan")


def fleiss_interval(counts: NDArray[np.generic], level: float) -> Interval:
    """Return Fleiss' kappa, symmetric in the two agents (see `side_blind_alpha`), with a jackknife interval over units.

    Parameters
    ----------
    counts : (units, 3) int
        Numbers of judges for the first agent, for the second, for neither.
    level : float
    """
    return _over_units(counts, lambda table: fleiss_kappa(np.vstack([table, table[:, [1, 0, 2]]])), level)


def alpha_interval(counts: NDArray[np.generic], level: float) -> Interval:
    """Return Krippendorff's alpha, symmetric in the two agents, with a jackknife interval over units."""
    return _over_units(counts, side_blind_alpha, level)


def cohen_interval(first: NDArray[np.integer], second: NDArray[np.integer], level: float) -> Interval:
    """Return Cohen's kappa of two judges' verdicts (0, 1 or 2 for a tie) on the same units, symmetric in the agents.

    >>> both = np.array([0, 1, 2, 0, 1, 0, 1, 2])
    >>> cohen_interval(both, both, 0.95).estimate
    1.0
    """
    number = np.bincount(np.asarray(first) * 3 + np.asarray(second), minlength=9)

    def blind(verdicts: Ints, number: Ints) -> float:
        table = np.bincount(verdicts, number, 9).reshape(3, 3)
        return cohen_kappa(table + table[[1, 0, 2]][:, [1, 0, 2]])

    rated = np.flatnonzero(number)
    return _jackknifed(rated, number[rated], blind, level)


def grade_interval(unit: NDArray[np.integer], value: Floats, level: float) -> Interval:
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

    def alpha(n: Floats, s: Floats, q: Floats, within: Floats) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            return 1 - within / n / ((n * q - s**2) / (n * (n - 1)))

    sums = np.column_stack([m, s, q, (m * q - s**2) / np.maximum(m - 1, 1)])
    estimate = float(alpha(*sums.sum(axis=0)))
    if len(m) < 2 or not np.isfinite(estimate):
        return Interval(float("nan"), float("nan"), float("nan"))
    return _around(estimate, jackknife_error(alpha(*(sums.sum(axis=0) - sums).T)), len(m), level)


def _over_units(counts: NDArray[np.generic], statistic: Callable[[Ints], float], level: float) -> Interval:
    """Return a statistic of a table of units, with a jackknife interval."""
    table, number = np.unique(np.asarray(counts, dtype=np.int64), axis=0, return_counts=True)
    return _jackknifed(table, number, lambda rows, number: statistic(np.repeat(rows, number, axis=0)), level)


def _jackknifed(rows: Ints, number: Ints, statistic: Callable[[Ints, Ints], float], level: float) -> Interval:
    """Return a statistic of distinct rows with multiplicities, with a jackknife interval."""
    estimate, n = statistic(rows, number), int(number.sum())
    if n < 2 or np.isnan(estimate):
        return Interval(estimate, float("nan"), float("nan"))
    if len(rows) > MOST_UNITS:
        each, group = np.repeat(np.arange(len(rows)), number), np.arange(n) % GROUPS
        remaining = (np.bincount(each[group != g], minlength=len(rows)) for g in range(GROUPS))
        return _around(
            estimate, jackknife_error(np.array([statistic(rows, some) for some in remaining])), GROUPS, level
        )
    values, share = np.array([statistic(rows, number - one) for one in np.eye(len(rows), dtype=np.int64)]), number / n
    variance = (n - 1) * float(share @ (values - share @ values) ** 2)
    return _around(estimate, np.sqrt(variance), n, level)


def _around(estimate: float, error: float, n: float, level: float) -> Interval:
    half = t_quantile(level, max(n - 1, 1)) * error
    return Interval(estimate, estimate - half, estimate + half).clipped(-1.0, 1.0)
