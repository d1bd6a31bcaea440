"""Copeland's rule: how many rivals an agent beats."""

import numpy as np
from numpy.typing import NDArray

from beatpath.methods.profile import Profile
from beatpath.methods.result import Outcome, levels_by_score


def copeland(profile: Profile) -> Outcome:
    """Rank agents by the rivals they beat head to head; a tie counts half.

    Returns
    -------
    Outcome
        Scores of VasE's appendix; see `copeland_scores`.
    """
    score = copeland_scores(profile.margins.matrix)
    return Outcome(levels_by_score(score), score)


def copeland_scores(margins: NDArray[np.float64]) -> NDArray[np.float64]:
    r"""Return the number of rivals each agent beats, plus half the number it ties with.

    .. math::  |\{b : \delta(a, b) > 0\}| + \tfrac12 |\{b \ne a : \delta(a, b) = 0\}|

    VasE, appendix, "Copeland" [1]_. A pair that never met counts as tied.

    Parameters
    ----------
    margins : (n, n) float
        Equal to minus its transpose.

    Returns
    -------
    (n,) float

    Examples
    --------
    VasE's pentathlon: C beats both, A beats B.

    >>> copeland_scores(np.array([[0, 3, -1], [-3, 0, -1], [1, 1, 0]]))
    array([1., 0., 2.])

    Notes
    -----
    :math:`O(n^2)`. Condorcet consistent; not independent of clones.

    References
    ----------
    .. [1] M. Lanctot et al., "Evaluating Agents using Social Choice Theory" (VasE), 2023, arXiv:2312.03121.
    """
    return (margins > 0).sum(axis=1) + ((margins == 0).sum(axis=1) - 1) / 2
