r"""Soft majority edges: how far a probability of winning counts as a majority."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from beatpath._arrays import Floats
from beatpath._errors import DataError
from beatpath._text import quoted
from beatpath.methods.soft_core.soft_extremum import require_temperature


def soft_majority_edge(
    P: ArrayLike, tau: float, *, weight: ArrayLike | None = None, present: ArrayLike | None = None
) -> Floats:
    r"""Return how strongly each agent has a majority over each other.

    .. math::  D_\tau(a, b) = \sigma \Bigl( \frac{W_{ab} (P_{ab} - 1/2)}{\tau} \Bigr), \quad a \ne b; \qquad D_\tau(a, a) = 0,

    eq. (4) of Soft Tournament Equilibrium [1]_; the weights :math:`W` are those of its section F.3.

    Parameters
    ----------
    P : (n, n) float
        Probability that the row beats the column; the two of a pair add up to one. The diagonal is not looked at.
    tau : float
        Edge temperature, above zero.
    weight : (n, n) float, optional
        How much each comparison counts, symmetric; one by default.
    present : (n, n) bool, optional
        False for pairs to leave without an edge in either direction; all are present by default.

    Returns
    -------
    (n, n) float
        In [0, 1], with a diagonal of zeros.

    Examples
    --------
    >>> soft_majority_edge([[0.5, 0.7], [0.3, 0.5]], 0.05).round(3)
    array([[0.   , 0.982],
           [0.018, 0.   ]])

    References
    ----------
    .. [1] S. Alqithami, "Soft Tournament Equilibrium" (STE), 2026, arXiv:2604.04328, sections 4.2 and F.3.
    """
    require_temperature("tau", tau)
    D = np.asarray(P, dtype=np.float64) - 0.5
    if weight is not None:
        D *= np.asarray(weight, dtype=np.float64)
    D /= tau
    expit(D, out=D)
    np.fill_diagonal(D, 0.0)
    if present is not None:
        D[~np.asarray(present, dtype=bool)] = 0.0
    return D


def evidence_edge(posterior: ArrayLike) -> Floats:
    r"""Return how far the evidence for a majority exceeds an even chance of it.

    .. math::  D_{ab} = \max \{ 0,\ 2 \Pr(\theta_{ab} > 1/2 \mid w_{ab}, w_{ba}) - 1 \},

    eq. (20) of Soft Tournament Equilibrium. Of the two edges of a pair one is always zero, and a pair about which nothing is
    known has none.

    Parameters
    ----------
    posterior : (n, n) float
        Probability that the row has the majority over the column.

    Returns
    -------
    (n, n) float
        In [0, 1], with a diagonal of zeros.

    Examples
    --------
    >>> evidence_edge([[0.5, 0.9], [0.1, 0.5]])
    array([[0. , 0.8],
           [0. , 0. ]])
    """
    D = np.maximum(0.0, 2.0 * np.asarray(posterior, dtype=np.float64) - 1.0)
    np.fill_diagonal(D, 0.0)
    return D


def probabilistic_tournament(P: ArrayLike, agents: Sequence[str]) -> Floats:
    r"""Return a matrix of win probabilities, checked, with one half on its diagonal.

    Definition 3.1 of Soft Tournament Equilibrium: :math:`P_{ab} \in [0, 1]`, :math:`P_{ab} + P_{ba} = 1` (here up to 1e-9),
    :math:`P_{aa} = 1/2`, which is set whatever came.

    Raises
    ------
    DataError
        For another shape, a value that is no probability, or a pair that does not add up to one, by name.

    Examples
    --------
    >>> probabilistic_tournament([[0, 0.7], [0.3, 0]], ["ada", "bob"])
    array([[0.5, 0.7],
           [0.3, 0.5]])
    >>> try:
    ...     probabilistic_tournament([[0, 0.7], [0.4, 0]], ["ada", "bob"])
    ... except DataError as error:
    ...     print(str(error)[:90])
    the two probabilities of a pair must add up to 1; got 0.7 for 'ada' over 'bob' and 0.4 for
    """
    matrix = np.array(P, dtype=np.float64)
    n = len(agents)
    if matrix.shape != (n, n):
        raise DataError(f"`P` must have shape ({n}, {n}), one row for each of the {n} agents; got {matrix.shape}.")
    np.fill_diagonal(matrix, 0.5)
    wrong = ~((matrix >= 0) & (matrix <= 1))
    if wrong.any():
        a, b = np.argwhere(wrong)[0]
        raise DataError(
            f"`P` must hold probabilities, from 0 to 1; got {matrix[a, b]:g} for {quoted(agents[a])} over "
            f"{quoted(agents[b])}. For pairs that never met give 0.5, or counts as `Pairs` and a policy for missing pairs."
        )
    uneven = np.abs(matrix + matrix.T - 1) > 1e-9
    if uneven.any():
        a, b = np.argwhere(uneven)[0]
        raise DataError(
            f"the two probabilities of a pair must add up to 1; got {matrix[a, b]:g} for {quoted(agents[a])} over "
            f"{quoted(agents[b])} and {matrix[b, a]:g} for {quoted(agents[b])} over {quoted(agents[a])}. "
            "For counts of wins use `Pairs`."
        )
    return matrix
