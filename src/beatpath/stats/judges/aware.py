r"""Judge-aware strengths: a reliability and shifts for every judge, fitted jointly with the strengths.

.. math::  \operatorname{logit} P_j(a \succ b) = r_j (\theta_a - \theta_b) + x \cdot b_j, \qquad
           \theta \sim N(0, s^2), \quad r_j \sim N(1, \tau^2), \quad b_j \sim N(\bar b, \omega^2).

A judge with :math:`r_j = 0` votes at random and drops out of the equations for the strengths; one with :math:`r_j < 0`
votes in reverse, and its votes count reversed. Crowd-BT [1]_ mixes a judge's true and inverted preference where this
model scales the slope; both weight a vote by how well the judge's other votes agree with everyone's. Judges with few
votes are shrunk toward the mean in proportion to the spreads :math:`\tau` and :math:`\omega`, which are estimated
(MacKay's fixed point of the evidence, with a prior spread of 0.25 worth one judge, so that few votes do not look like
equal judges); so is the spread *s*, by EM, with a prior of 1 worth one agent.

The mean of reliability over votes is one.

References
----------
.. [1] X. Chen, P. N. Bennett, K. Collins-Thompson, E. Horvitz, "Pairwise ranking aggregation in a crowdsourced setting",
       *WSDM* (2013), 193-202.

Covariance of judge-aware strengths at the solution of `aware_strengths`.

With :math:`X` the derivative of the lead of a cell by the strengths, :math:`r_j (e_a - e_b)`, :math:`Z` that by the
coefficients of its judge and :math:`W = \operatorname{diag}(n p (1 - p))`, the information is

.. math::  \begin{pmatrix} A & B \\ B^\top & D \end{pmatrix}, \qquad A = X^\top W X + I / s^2, \quad B = X^\top W Z, \quad
           D = Z^\top W Z + \Omega^{-1},

*D* block-diagonal by judge. The constraint on the mean reliability, :math:`c^\top r = 1`, subtracts :math:`g g^\top /
\kappa` from :math:`D^{-1}`, :math:`g = D^{-1} c` and :math:`\kappa = c^\top g`; the rest is a Schur complement. The
uncertainty of the spreads is neglected.

Held-out log loss, with one reliability for all judges and with one for each.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit, log_expit

from beatpath._arrays import Floats
from beatpath._result import Record
from beatpath.fit.laplacian import incident, laplacian_matrix
from beatpath.stats.codes import sums_by_code
from beatpath.stats.judges.consensus import Consensus, consensus
from beatpath.stats.judges.slopes import Slopes, judge_slopes
from beatpath.stats.judges.votes import Parts, Votes

# prior variance of coefficients over judges, worth one judge, and the largest allowed
USUAL_SPREAD, MOST_SPREAD = 0.25**2, 4.0
USUAL_PRIOR = 1.0  # prior variance of strengths, worth one agent
ROUNDS = 100  # most alternations of strengths and coefficients
SETTLED = 1e-3  # log odds at which the alternation stops, far below any standard error


@dataclass(frozen=True, slots=True, eq=False)
class Aware:
    """The fitted model.

    Parameters
    ----------
    strength : (n,) float
        Strengths of the agents.
    coefficient : (judges, 1 + k) float
        Reliability, then the effect of each column, for every judge.
    mean, spread : (1 + k,) float
        Mean and variance of the coefficients over judges.
    prior : float
        Variance of strengths.
    """

    strength: Floats
    coefficient: Floats
    mean: Floats
    spread: Floats
    prior: float

    @property
    def reliability(self) -> Floats:
        """Reliability of every judge, (judges,)."""
        return self.coefficient[:, 0]


def aware_strengths(votes: Votes, whole: Consensus) -> Aware:
    """Fit strengths, reliabilities and shifts by alternating ascent.

    Parameters
    ----------
    votes : Votes
        Counts by judge and pair.
    whole : Consensus
        The starting point.

    Examples
    --------
    The second judge votes mostly for the other side.

    >>> votes = Votes(2, 2, *np.array([[0, 1], [0, 0], [1, 1]]), np.zeros((2, 0)), *np.array([[90.0, 40], [100, 100], [0, 0]]))
    >>> from beatpath.stats.judges.consensus import consensus
    >>> result = aware_strengths(votes, consensus(votes))
    >>> bool(result.reliability[0] > 0.8), bool(result.reliability[1] < 0.1)
    (True, True)
    """
    k = 1 + votes.x.shape[1]
    strength, mean = whole.strength, np.concatenate([[1.0], whole.shift])
    coefficient, spread, prior_ = np.tile(mean, (votes.n_judges, 1)), np.full(k, 0.25), whole.spread
    decided = votes.decided()
    gave, share = decided > 0, decided / max(float(decided.sum()), 1.0)
    for _ in range(ROUNDS):
        z = np.column_stack([strength[votes.a] - strength[votes.b], votes.x])
        fit = judge_slopes(votes, z, mean, 1 / spread, start=coefficient, max_iter=1)
        held = _mean_of_one(fit, share)
        new, open_ = _strengths_for(votes, strength, held, prior_)
        moved = max(_largest(held - coefficient), _largest(new - strength))
        coefficient, strength = held, new
        prior_ = (float((strength**2).sum()) + open_ + USUAL_PRIOR) / (votes.n_agents + 1)
        if gave.any():
            variance = np.linalg.inv(fit.information).diagonal(axis1=1, axis2=2)[gave]
            mean = np.concatenate([[1.0], coefficient[gave, 1:].mean(axis=0)])
            effective = np.maximum((1 - variance / spread).sum(axis=0), 0.0)  # effective numbers of judges
            off = ((coefficient[gave] - mean) ** 2).sum(axis=0)
            spread = np.minimum((off + USUAL_SPREAD) / (effective + 1), MOST_SPREAD)
        if moved < SETTLED:
            break
    return Aware(strength, coefficient, mean, spread, prior_)


def vote_weights(votes: Votes, fit: Aware) -> Floats:
    r"""Return the information of a vote of each judge, nonnegative, one on average over votes, (judges,).

    It is :math:`r_j \sum p (1 - p)` over the judge's votes, relative to the same sum if it were like the others: in
    the equations for strengths a vote counts :math:`r_j` times, and one that position alone decides (:math:`p` near 0
    or 1) hardly at all.
    """
    ahead = fit.strength[votes.a] - fit.strength[votes.b]
    own, common = expit(leads_of(votes, fit)), expit(ahead + votes.x @ fit.mean[1:])
    open_, usual = (sums_by_code(votes.judge, votes.n * p * (1 - p), votes.n_judges) for p in (own, common))
    weight = np.maximum(fit.reliability, 0.0) * np.divide(open_, usual, out=np.ones_like(open_), where=usual > 0)
    decided = votes.decided()
    mean = float(weight @ decided) / max(float(decided.sum()), 1.0)
    return np.asarray(weight / mean) if mean > 0 else weight


def log_likelihood(votes: Votes, fit: Aware) -> Floats:
    """Return the log-likelihood of every cell."""
    eta = leads_of(votes, fit)
    return np.asarray(votes.wins * log_expit(eta) + (votes.n - votes.wins) * log_expit(-eta))


def leads_of(votes: Votes, fit: Aware) -> Floats:
    """Return the log odds that each cell's judge prefers *a*."""
    z = np.column_stack([fit.strength[votes.a] - fit.strength[votes.b], votes.x])
    return np.asarray((z * fit.coefficient[votes.judge]).sum(axis=1))


def _strengths_for(votes: Votes, strength: Floats, coefficient: Floats, square: float) -> tuple[Floats, float]:
    """Take one Newton step of the strengths with judges fixed; return them and the sum of their variances."""
    n = votes.n_agents
    r = coefficient[votes.judge, 0]
    p = expit(r * (strength[votes.a] - strength[votes.b]) + (votes.x * coefficient[votes.judge, 1:]).sum(axis=1))
    e, w = r * (votes.wins - votes.n * p), r**2 * votes.n * p * (1 - p)
    inverse = np.linalg.inv(laplacian_matrix(n, votes.a, votes.b, w, 1 / square))
    step = inverse @ (incident(n, votes.a, votes.b, e, -e) - strength / square)
    return np.asarray(strength + step * min(1.0, 1.0 / max(_largest(step), 1e-300))), float(np.trace(inverse))


def _mean_of_one(fit: Slopes, share: Floats) -> Floats:
    """Return the coefficients of a step with the mean reliability constrained to one, judges weighted by votes.

    Votes do not identify the unit of reliability separately from that of the strengths; this fixes it. A judge adjusts
    in proportion to the uncertainty of its own votes.
    """
    room = np.linalg.inv(fit.information)[:, :, 0]
    excess = (share @ fit.coefficient[:, 0] - 1) / max(float(share**2 @ room[:, 0]), 1e-300)
    return np.asarray(fit.coefficient - excess * share[:, None] * room)


def _largest(values: NDArray[np.floating]) -> float:
    return float(np.abs(values).max(initial=0.0))


ROWS = 10_000  # coefficients whose variances are computed at a time


@dataclass(frozen=True, slots=True, eq=False)
class AwareErrors:
    """Standard errors of the judge-aware model.

    Parameters
    ----------
    covariance : (n, n) float
        Of the strengths, with dependent votes accounted for.
    coefficient : (judges, 1 + k) float
        Standard errors of reliability, then of the effect of each column.
    design_effect : float
        Inflation of variances by clusters, at least 1.
    clusters : int or None
        Number of clusters.
    """

    covariance: Floats
    coefficient: Floats
    design_effect: float
    clusters: int | None

    @property
    def strength(self) -> Floats:
        """Standard errors of strengths minus their mean, (n,)."""
        V = self.covariance
        middle = V.mean(axis=0)
        return np.asarray(np.sqrt(np.maximum(np.diag(V) - 2 * middle + middle.mean(), 0.0)))

    def lead(self, a: int, b: int) -> float:
        """Return the standard error of the difference of two strengths."""
        V = self.covariance
        return float(np.sqrt(max(V[a, a] + V[b, b] - 2 * V[a, b], 0.0)))


def aware_errors(votes: Votes, model: Aware, clusters: Parts | None = None) -> AwareErrors:
    """Return the covariance of the strengths, and standard errors of the coefficients of each judge.

    Parameters
    ----------
    votes : Votes
        Counts by judge and pair.
    model : Aware
        The fit of `aware_strengths` to them.
    clusters : Parts, optional
        The decided votes by cell and cluster.

    Examples
    --------
    Two equal judges, 100 votes in all: the standard error of the lead is that of a share of 100, slightly reduced by
    the prior.

    >>> votes = Votes(2, 2, *np.array([[0, 1], [0, 0], [1, 1]]), np.zeros((2, 0)), *np.array([[30.0, 30], [50, 50], [0, 0]]))
    >>> from beatpath.stats.judges.aware import aware_strengths
    >>> from beatpath.stats.judges.consensus import consensus
    >>> error = aware_errors(votes, aware_strengths(votes, consensus(votes))).lead(0, 1)
    >>> bool(0.12 < error < (1 / 60 + 1 / 40) ** 0.5)
    True
    """
    n, k = votes.n_agents, model.coefficient.shape[1]
    z = np.column_stack([model.strength[votes.a] - model.strength[votes.b], votes.x])
    fit = judge_slopes(votes, z, model.mean, 1 / model.spread, start=model.coefficient, max_iter=0)
    w = votes.n * fit.p * (1 - fit.p)
    X, Z = _by_strength(votes, model), _by_coefficient(votes, z)
    A = (X.T @ X.multiply(w[:, None])).toarray() + np.eye(n) / model.prior
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
    errors = np.sqrt(np.maximum(D * variance, 0.0)).reshape(-1, k)
    return AwareErrors(D * V, errors, D, number)


def _by_strength(votes: Votes, fit: Aware) -> sparse.csr_array:
    """Return the derivative of each cell's lead by the strengths, (c, n)."""
    r, row = fit.reliability[votes.judge], np.arange(len(votes))
    entries = (np.concatenate([r, -r]), (np.tile(row, 2), np.concatenate([votes.a, votes.b])))
    return sparse.csr_array(entries, shape=(len(votes), votes.n_agents))


def _by_coefficient(votes: Votes, z: Floats) -> sparse.csr_array:
    """Return the derivative of each cell's lead by the coefficients of its judge, (c, judges x (1 + k))."""
    c, k = z.shape
    column = (votes.judge[:, None] * k + np.arange(k)).ravel()
    return sparse.csr_array((z.ravel(), (np.repeat(np.arange(c), k), column)), shape=(c, votes.n_judges * k))


def _answering(through: sparse.csr_array, V: Floats, g: Floats, u: Floats) -> Floats:
    r"""Return the variance of coefficients due to strengths: diagonal of :math:`F V F^\top`, :math:`F = T - g u^\top`."""
    added = [
        np.asarray(rows.multiply(rows @ V).sum(axis=1)).ravel()
        for rows in (through[at : at + ROWS] for at in range(0, through.shape[0], ROWS))
    ]
    Vu = V @ u
    return np.concatenate(added) - 2 * g * (through @ Vu) + g**2 * float(u @ Vu)


def _design_effect(
    votes: Votes, X: sparse.csr_array, p: Floats, V: Floats, clusters: Parts | None
) -> tuple[float, int | None]:
    """Return the variance inflation of strengths with votes summed by cluster, and the number of clusters."""
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


FOLDS = 5  # folds of the cross-validation
ENOUGH = 100_000  # predicted votes at which the standard error is small enough to stop


@dataclass(frozen=True, slots=True)
class HeldOut(Record):
    """Mean log loss per decided vote, on held-out votes.

    Attributes
    ----------
    plain : float
        With one reliability and one shift for all judges.
    aware : float
        With one for each judge.
    gain : float
        Plain minus aware: positive where judge-aware strengths predict better.
    standard_error : float
        Of the gain, with votes treated as independent.
    votes : int
        Number predicted.
    """

    derived: ClassVar = ("verdict",)

    plain: float
    aware: float
    gain: float
    standard_error: float
    votes: int

    @property
    def verdict(self) -> str:
        """Whether either predicts significantly better, in a word."""
        if abs(self.gain) <= 2 * self.standard_error:
            return "alike"
        return "aware" if self.gain > 0 else "plain"


def held_out_loss(votes: Votes, folds: Parts) -> HeldOut | None:
    """Hold out each fold in turn, fit both models to the rest, and predict it; None with too few votes.

    Parameters
    ----------
    votes : Votes
        Counts by judge and pair.
    folds : Parts
        The decided votes by cell and fold.

    Notes
    -----
    Folds are held out only until `ENOUGH` votes are predicted.
    """
    if votes.n.sum() < 2 * FOLDS:
        return None
    loss, square, total = np.zeros(2), 0.0, 0.0
    for fold in range(int(folds.cluster.max()) + 1):
        mine = folds.cluster == fold
        cell, wins, n = folds.cell[mine], folds.wins[mine], folds.n[mine]
        gone, of = (np.bincount(cell, values, len(votes)) for values in (wins, n))
        rest = replace(votes, wins=votes.wins - gone, n=votes.n - of)
        common = consensus(rest)
        fitted = aware_strengths(rest, common)
        ahead = common.strength[votes.a] - common.strength[votes.b] + votes.x @ common.shift
        both = np.stack([ahead, leads_of(votes, fitted)])[:, cell]
        won, lost = -log_expit(both), -log_expit(-both)
        loss += won @ wins + lost @ (n - wins)
        square += float(wins @ (won[0] - won[1]) ** 2 + (n - wins) @ (lost[0] - lost[1]) ** 2)
        total += float(n.sum())
        if total >= ENOUGH:
            break
    plain, aware = (loss / total).tolist()
    spread = max(square / total - (plain - aware) ** 2, 0.0)
    return HeldOut(plain, aware, plain - aware, float(np.sqrt(spread / total)), int(total))
