r"""What votes leave open of strengths that know the judges: the covariance where `aware_strengths` ended.

With :math:`X` what the lead of a cell answers to in the strengths, :math:`r_j (e_a - e_b)`, :math:`Z` what it answers to in the
coefficients of its judge and :math:`W = \operatorname{diag}(n p (1 - p))`, the information is

.. math::  \begin{pmatrix} A & B \\ B^\top & D \end{pmatrix}, \qquad A = X^\top W X + I / s^2, \quad B = X^\top W Z, \quad
           D = Z^\top W Z + \Omega^{-1},

*D* a block a judge. The mean reliability is held at one, :math:`c^\top r = 1`, which takes :math:`g g^\top / \kappa` off
:math:`D^{-1}`, :math:`g = D^{-1} c` and :math:`\kappa = c^\top g`; the rest is a Schur complement. That the spreads are estimated
too is left out.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from beatpath._arrays import Floats
from beatpath.stats.judges.aware import Aware
from beatpath.stats.judges.slopes import judge_slopes
from beatpath.stats.judges.votes import Parts, Votes

ROWS = 10_000  # coefficients whose variances are worked out at once


@dataclass(frozen=True, slots=True, eq=False)
class AwareErrors:
    """What is left open.

    Parameters
    ----------
    covariance : (n, n) float
        Of the strengths, votes that hang together counted as such.
    coefficient : (judges, 1 + k) float
        Standard errors of reliability, then of what each column adds.
    design_effect : float
        How much wider clusters make variances, 1 or more.
    clusters : int or None
    """

    covariance: Floats
    coefficient: Floats
    design_effect: float
    clusters: int | None

    @property
    def strength(self) -> Floats:
        """Standard errors of strengths less their mean, (n,)."""
        V = self.covariance
        middle = V.mean(axis=0)
        return np.asarray(np.sqrt(np.maximum(np.diag(V) - 2 * middle + middle.mean(), 0.0)))

    def lead(self, a: int, b: int) -> float:
        """Return the standard error of the difference of two strengths."""
        V = self.covariance
        return float(np.sqrt(max(V[a, a] + V[b, b] - 2 * V[a, b], 0.0)))


def aware_errors(votes: Votes, found: Aware, clusters: Parts | None = None) -> AwareErrors:
    """Return the covariance of the strengths, and standard errors of what was fitted of each judge.

    Parameters
    ----------
    votes : Votes
    found : Aware
        What `aware_strengths` made of them.
    clusters : Parts, optional
        The decided votes by cell and cluster.

    Examples
    --------
    Two judges alike, 100 votes in all: the lead is as sure as a share of 100, and a prior makes it a little surer.

    >>> votes = Votes(2, 2, *np.array([[0, 1], [0, 0], [1, 1]]), np.zeros((2, 0)), *np.array([[30.0, 30], [50, 50], [0, 0]]))
    >>> from beatpath.stats.judges.aware import aware_strengths
    >>> from beatpath.stats.judges.consensus import consensus
    >>> error = aware_errors(votes, aware_strengths(votes, consensus(votes))).lead(0, 1)
    >>> bool(0.12 < error < (1 / 60 + 1 / 40) ** 0.5)
    True
    """
    n, k = votes.n_agents, found.coefficient.shape[1]
    z = np.column_stack([found.strength[votes.a] - found.strength[votes.b], votes.x])
    shape = found.coefficient.shape
    prior = (np.broadcast_to(found.mean, shape), np.broadcast_to(1 / found.spread, shape))
    fit = judge_slopes(votes, z, *prior, start=found.coefficient, max_iter=0)
    w = votes.n * fit.p * (1 - fit.p)
    X, Z = _by_strength(votes, found), _by_coefficient(votes, z)
    A = (X.T @ X.multiply(w[:, None])).toarray() + np.eye(n) / found.prior
    B = (X.T @ Z.multiply(w[:, None])).tocsr()
    inverse = sparse.block_diag(list(np.linalg.inv(fit.information)), format="csr")
    c = np.zeros(votes.n_judges * k)
    c[::k] = votes.decided() / max(float(votes.n.sum()), 1.0)
    g = inverse @ c
    kappa, u = max(float(c @ g), 1e-300), B @ g
    through = (B @ inverse).T.tocsr()
    V = np.linalg.inv(A - (B @ through).toarray() + np.outer(u, u) / kappa)
    D, number = _design_effect(votes, X, fit.p, V, clusters)
    variance = inverse.diagonal() - g**2 / kappa + _answering(through, V, g / kappa, u)
    errors = np.sqrt(np.maximum(D * variance, 0.0)).reshape(shape)
    return AwareErrors(D * V, errors, D, number)


def _by_strength(votes: Votes, found: Aware) -> sparse.csr_array:
    """What each cell's lead answers to in the strengths, (c, n)."""
    r, row = found.reliability[votes.judge], np.arange(len(votes))
    entries = (np.concatenate([r, -r]), (np.tile(row, 2), np.concatenate([votes.a, votes.b])))
    return sparse.csr_array(entries, shape=(len(votes), votes.n_agents))


def _by_coefficient(votes: Votes, z: Floats) -> sparse.csr_array:
    """What each cell's lead answers to in the coefficients of its judge, (c, judges x (1 + k))."""
    c, k = z.shape
    column = (votes.judge[:, None] * k + np.arange(k)).ravel()
    return sparse.csr_array((z.ravel(), (np.repeat(np.arange(c), k), column)), shape=(c, votes.n_judges * k))


def _answering(through: sparse.csr_array, V: Floats, g: Floats, u: Floats) -> Floats:
    r"""What open strengths add to the variance of each coefficient: the diagonal of :math:`F V F^\top`, :math:`F = T - g u^\top`."""
    added = [
        np.asarray(rows.multiply(rows @ V).sum(axis=1)).ravel()
        for rows in (through[at : at + ROWS] for at in range(0, through.shape[0], ROWS))
    ]
    Vu = V @ u
    return np.concatenate(added) - 2 * g * (through @ Vu) + g**2 * float(u @ Vu)


def _design_effect(
    votes: Votes, X: sparse.csr_array, p: Floats, V: Floats, clusters: Parts | None
) -> tuple[float, int | None]:
    """How much more the strengths vary with votes added up by cluster than with every vote by itself, and of how many clusters."""
    if clusters is None or not len(clusters.cell):
        return 1.0, None
    own, at = p[clusters.cell], X[clusters.cell]
    over = at.multiply((clusters.wins - clusters.n * own)[:, None])
    row, number = np.arange(len(own)), int(clusters.cluster.max()) + 1
    scores = sparse.csr_array((np.ones(len(own)), (clusters.cluster, row)), shape=(number, len(own))) @ over
    apart = clusters.wins * (1 - own) ** 2 + (clusters.n - clusters.wins) * own**2
    square = V @ V
    single = float((at.T @ at.multiply(apart[:, None])).multiply(square).sum())
    together = float((scores.T @ scores).multiply(square).sum())
    return (max(together / single, 1.0) if single > 0 else 1.0), len(np.unique(clusters.cluster))
