r"""Agreement between judges that judged the same unit: percentage and Krippendorff's alpha."""

import numpy as np
from numpy.typing import NDArray

from beatpath._arrays import Floats


def nominal_alpha(counts: NDArray[np.generic], shares: Floats | None = None) -> float:
    r"""Return Krippendorff's alpha for nominal values, NaN where chance agreement is certain.

    .. math::  \alpha = 1 - \frac{D_o}{D_e}, \qquad
               D_o = \frac1n \sum_u \frac{m_u^2 - \sum_v n_{uv}^2}{m_u - 1}, \qquad
               D_e = \frac{n^2 - \sum_v n_v^2}{n (n - 1)},

    with :math:`n_{uv}` judges that gave unit *u* the value *v*, :math:`m_u = \sum_v n_{uv}`, and sums over the units
    with :math:`m_u \ge 2` only [1]_.

    Parameters
    ----------
    counts : (units, values) int
        How many judges gave which value.
    shares : (values,) float, optional
        Shares of the values to use for :math:`n_v / n` in place of the observed ones.

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
    """Return alpha for values (first agent, second agent, tie) where which agent comes first means nothing.

    Chance gives both sides the same share, so that alpha does not depend on the names of the agents.

    >>> round(side_blind_alpha(np.array([[2, 0, 0], [2, 0, 0], [1, 1, 0]])), 4)
    0.4444
    """
    table = np.asarray(counts, dtype=np.float64)
    total = table[table.sum(axis=1) >= 2].sum(axis=0)
    side = (total[0] + total[1]) / 2
    return nominal_alpha(table, np.array([side, side, total[2]]) / max(total.sum(), 1.0))


def percent_agreement(counts: NDArray[np.generic]) -> float:
    """Return the share of agreeing pairs of judges among all pairs that judged the same unit, NaN where none did.

    >>> percent_agreement(np.array([[2, 0], [1, 2]]))
    0.5
    """
    table = np.asarray(counts, dtype=np.float64)
    m = table.sum(axis=1)
    pairs = (m * (m - 1)).sum()
    return float((table * (table - 1)).sum() / pairs) if pairs else float("nan")
