r"""How many independent decided battles a battle is worth, as far as outcomes vary about what strengths say.

A tie counts as half a win and varies less than a win or a loss; battles of one prompt or judge agree and vary more together. With
:math:`r = s - m` what outcomes are above the win rates of a first fit,

.. math::  D = \frac{\sum_{x, k} \bigl(\sum_{i \in x, k} \pm r_i\bigr)^2}{\sum_{x, k} \sum_{i \in x, k} m_i (1 - m_i)} \cdot
               \frac{G}{G - p}

over agents *x* and clusters *k*, of which *G* hold battles, *p* being the strengths that the fit was worth; an agent that met more often
than the median counts as much as that one, so that a baseline that all were held against does not speak for all. Without clusters
:math:`D = 1 - \sum_i s_i (1 - s_i) / \sum_i m_i (1 - m_i)`, which needs no residuals. Counts are divided by *D*: a quasi-likelihood.
"""

from collections.abc import Sequence

import numpy as np
from scipy.special import expit

from beatpath._arrays import Floats, Ints
from beatpath.inference.contexts.deviations import Cells
from beatpath.inference.contexts.shrunken import Shrunken
from beatpath.stats.codes import apart, dense

LEAST, MOST_LOST = 0.05, 0.8


def dispersion(
    cells: Cells, first: Shrunken, *, undecided: float = 0.0, clustered: Sequence[tuple[Cells, Ints]] = ()
) -> float:
    """Return by how much counts are to be divided; one where battles are decided and independent.

    Parameters
    ----------
    cells : Cells
    first : Shrunken
        A fit to them as they are.
    undecided : float
        The total of :math:`s (1 - s)` over outcomes.
    clustered : sequence of (Cells, codes)
        The same battles by cluster, once for every column of clusters.

    Examples
    --------
    Ten battles that are all ties say more of two equal agents than ten that are decided; here as much as may be said.

    >>> from beatpath.inference.contexts.shrunken import shrunken
    >>> cells = Cells(2, 2, np.arange(2), np.zeros(2, int), np.ones(2, int), np.array([2.5, 2.5]), np.array([5.0, 5.0]))
    >>> dispersion(cells, shrunken(cells)), dispersion(cells, shrunken(cells), undecided=2.5)
    (1.0, 0.05)
    """
    variance = float((cells.played * _slope(cells, first)).sum())
    alone = max(1 - undecided / variance, LEAST)
    fitted = _worth_of_fit(cells, first)
    extra = [_of_clusters(one, codes, first, fitted) for one, codes in clustered]
    return alone + sum(max(one - alone, 0.0) for one in extra)


def _slope(cells: Cells, first: Shrunken) -> Floats:
    m = expit(cells.leads(first.full()))
    return np.asarray(m * (1 - m))


def _worth_of_fit(cells: Cells, first: Shrunken) -> float:
    """How many strengths the fit was worth: the trace of covariance times information."""
    n = cells.n_agents
    i, j = cells.context * n + cells.a, cells.context * n + cells.b
    V = first.covariance
    return float((cells.played * _slope(cells, first)) @ (V[i, i] + V[j, j] - 2 * V[i, j])) + cells.n_shifts


def _of_clusters(cells: Cells, codes: Ints, first: Shrunken, fitted: float) -> float:
    """The ratio of variances over agents and clusters."""
    m = expit(cells.leads(first.full()))
    left, expected = cells.won - cells.played * m, cells.played * m * (1 - m)
    cluster = dense(apart(codes))[0]
    group, n_groups = dense(
        np.concatenate([cells.a, cells.b]) * (int(cluster.max(initial=0)) + 1) + np.tile(cluster, 2)
    )
    agent = np.zeros(n_groups, dtype=np.int64)
    agent[group] = np.concatenate([cells.a, cells.b])
    total = np.bincount(group, np.concatenate([left, -left]), n_groups)
    seen = np.bincount(agent, total**2, cells.n_agents)
    known = np.bincount(np.concatenate([cells.a, cells.b]), np.tile(expected, 2), cells.n_agents)
    weight = np.minimum(1.0, np.median(known[known > 0]) / np.maximum(known, 1e-12))
    lost = min(fitted / n_groups, MOST_LOST)
    return float((weight @ seen) / (weight @ known) / (1 - lost))
