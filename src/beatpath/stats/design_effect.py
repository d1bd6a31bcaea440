r"""The design effect of a column: how much more agents' win rates vary than with independent battles.

A cell holds the :math:`n_{pc}` battles of pair *p* in cluster *c*. With residuals :math:`r = s - \bar s_p` summed over
the battles of one agent in one cluster,

.. math::  D = \frac{\sum_{x, c} \bigl(\sum_{i \in x, c} \pm r_i\bigr)^2}
                    {\sum_{x, c} \sum_{p \ni x} \hat\sigma_p^2 (n_{pc} - n_{pc}^2 / m_p)},

whose denominator is the expected numerator under independence. It captures dependence between *different* pairs: a task
that suits an agent suits it against everyone.

Whether *D* exceeds 1 beyond noise is tested by its numerator, a quadratic form of residuals. Under independence the
residuals of clusters *c* and *d* on pair *p* have covariance :math:`\hat\sigma_p^2 (\delta_{cd} n_{pc} - n_{pc} n_{pd}
/ m_p)`, which gives the form's mean and variance, matched by Satterthwaite's scaled chi-squared distribution. Two
clusters suffice.

The share of runs in the variance of scores within a task (variance components).

On a task with *A* agents and *N* runs, :math:`n_a` of an agent, let :math:`W` be the mean square of runs around the
means of their agents and :math:`B` that of the means. One-way analysis of variance gives

.. math::  \hat\sigma^2_{\text{runs}} = W, \qquad \hat\sigma^2_{\text{agents}} = \max\Big(0, \frac{B - W}{n_0}\Big), \qquad
           n_0 = \frac{N - \sum_a n_a^2 / N}{A - 1},

and the share is :math:`\hat\sigma^2_{\text{runs}}` over the sum of the two: the part of the variance of single runs
that is unrelated to the agents. It has no unit, so tasks can be averaged.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc

from beatpath._arrays import AnyInts, Codes, Floats, Ints
from beatpath.stats.codes import apart, dense, first_rows, joint, sums_by_code
from beatpath.stats.intervals import Interval, effective_number, jackknife_error, t_quantile

# below it a jackknife over clusters is unreliable; covariances between clusters are then summed exactly
FEW_CLUSTERS = 20


def share_of_runs(agent: Codes | Ints, task: Ints, value: Floats, tasks: int) -> Floats:
    """Return the share of runs in the variance of every task, (tasks,); NaN without repeated runs or without variance.

    >>> share_of_runs(np.array([0, 0, 1, 1]), np.zeros(4, int), np.array([1.0, 3.0, 6.0, 8.0]), 1).round(3)
    array([0.148])
    """
    at, cells = joint([task, agent])
    of_task = task[first_rows(at, cells)]
    n = np.bincount(at)
    mean = np.bincount(at, value) / n
    A, N = (np.bincount(of_task, x, tasks) for x in (np.ones(cells), n))
    with np.errstate(invalid="ignore", divide="ignore"):
        middle = np.bincount(of_task, n * mean, tasks) / N
        within = np.bincount(task, (value - mean[at]) ** 2, tasks) / (N - A)
        between = np.bincount(of_task, n * (mean - middle[of_task]) ** 2, tasks) / (A - 1)
        n0 = (N - np.bincount(of_task, n**2, tasks) / N) / (A - 1)
        agents = np.maximum(between - within, 0.0) / n0
        return np.asarray(within / (within + agents))


@dataclass(frozen=True, slots=True, eq=False)
class PairClusterCells:
    """Battles of one pair in one cluster: their number, the sum of outcomes, the sum of their squares."""

    a: AnyInts
    b: AnyInts
    pair: Ints
    cluster: Ints
    n: Floats
    s: Floats
    q: Floats

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return int(self.cluster.max(initial=-1)) + 1

    def by_pair(self, values: Floats) -> Floats:
        """Sum over the cells of each pair."""
        return sums_by_code(self.pair, values)

    def by_cluster(self, values: Floats) -> Floats:
        """Sum over the cells of each cluster."""
        return sums_by_code(self.cluster, values)


def cells_by_code(a: AnyInts, b: AnyInts, outcome: Floats, codes: AnyInts, n_agents: int) -> PairClusterCells:
    """Return the cells of battles by the codes of a column; a battle of code -1 is its own cluster.

    >>> result = cells_by_code(np.array([0, 1, 0]), np.array([1, 0, 1]), np.array([1.0, 0.0, 0.5]), np.array([7, 7, 8]), 2)
    >>> result.n, result.s
    (array([2., 1.]), array([2. , 0.5]))
    """
    turned = a > b
    low, high = np.where(turned, b, a), np.where(turned, a, b)
    s = np.where(turned, 1 - outcome, outcome)
    pair, n_pairs = dense(low.astype(np.int64) * n_agents + high)
    cluster, n_clusters = dense(apart(codes))
    cell, n_cells = dense(cluster * n_pairs + pair, n_clusters * n_pairs)
    row = first_rows(cell, n_cells)
    n, total, square = (sums_by_code(cell, w, n_cells) for w in (np.ones(len(s)), s, s * s))
    return PairClusterCells(low[row], high[row], pair[row], cluster[row], n, total, square)


@dataclass(frozen=True, slots=True, eq=False)
class Dependence:
    """The design effect of a column, and the p-value of independence.

    Parameters
    ----------
    effect, p_value : float
        The ratio of the form to its mean under independence, and how often it would be as large.
    observed, expected : (clusters,) float
        Squared residuals of agents, and their means under independence.
    repeating : int
        Clusters with two battles of one agent.
    """

    effect: float
    p_value: float
    observed: Floats
    expected: Floats
    repeating: int

    def interval(self, level: float, least: int) -> Interval | None:
        """Return the design effect with a jackknife interval on the log scale; None with fewer than `least` clusters."""
        tops, bottoms = self.observed.sum() - self.observed, self.expected.sum() - self.expected
        if self.repeating < least or not ((tops > 0) & (bottoms > 0)).all():
            return None
        df = max(effective_number(self.expected) - 1, 1.0)
        times = float(np.exp(t_quantile(level, df) * jackknife_error(np.log(tops / bottoms))))
        return Interval(self.effect, self.effect / times, self.effect * times)


def dependence(cells: PairClusterCells) -> Dependence | None:
    """Test whether outcomes depend on a column; None if no cluster has two battles of one agent.

    >>> judge = np.repeat([0, 1], 50)
    >>> same = cells_by_code(np.zeros(100, int), np.ones(100, int), (judge == 0) * 1.0, judge, 2)
    >>> dependence(same).p_value < 1e-6
    True
    """
    m, t, q = (cells.by_pair(values) for values in (cells.n, cells.s, cells.q))
    variance = np.maximum(np.divide(q - t**2 / m, m - 1, out=np.zeros(len(m)), where=m > 1), 0.0)
    residual = cells.s - cells.n * (t / m)[cells.pair]
    own = variance[cells.pair] * (cells.n - cells.n**2 / m[cells.pair])  # the variance of a cell's residual
    expected = cells.by_cluster(2 * own)
    agent, cluster = np.concatenate([cells.a, cells.b]).astype(np.int64), np.tile(cells.cluster, 2)
    group, n_groups = dense(agent * cells.n_clusters + cluster)  # an agent in a cluster
    owner = cluster[first_rows(group, n_groups)]
    residuals, variances, battles = (
        sums_by_code(group, values, n_groups)
        for values in (np.concatenate([residual, -residual]), np.tile(own, 2), np.tile(cells.n, 2))
    )
    repeating = int((sums_by_code(owner, battles > 1, cells.n_clusters) > 0).sum())
    mean = float(expected.sum())
    if repeating == 0 or not mean > 1e-9:
        return None
    observed = sums_by_code(owner, residuals**2, cells.n_clusters)
    squares = float(variances @ variances + 2 * own @ own)
    if cells.n_clusters < FEW_CLUSTERS:  # with many, covariances between two are negligible
        squares += _between_clusters(cells, variance / m)
    total, spread = float(observed.sum()), 2 * squares  # twice the sum of squared covariances
    p_value = float(chdtrc(2 * mean**2 / spread, 2 * mean * total / spread))
    return Dependence(total / mean, p_value, observed, expected, repeating)


def _between_clusters(cells: PairClusterCells, unit: Floats) -> float:
    """Return the sum of squared covariances of agents' residuals in different clusters."""
    count, n_agents = np.zeros((cells.n_clusters, len(unit))), int(max(cells.a.max(), cells.b.max())) + 1
    count[cells.cluster, cells.pair] = cells.n
    a, b = (side[first_rows(cells.pair, len(unit))] for side in (cells.a, cells.b))
    total = 0.0
    for c in range(1, cells.n_clusters):
        shared = (unit * count[c] * count[:c]).T
        agents = sums_by_code(a, shared, n_agents) + sums_by_code(b, shared, n_agents)
        total += 2 * float((agents**2).sum() + 2 * (shared**2).sum())
    return total
