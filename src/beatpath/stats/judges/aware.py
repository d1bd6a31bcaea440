r"""Strengths that know the judges: a reliability and shifts for every judge, fitted together with the strengths.

.. math::  \operatorname{logit} P_j(a \succ b) = r_j (\theta_a - \theta_b) + x \cdot b_j, \qquad
           \theta \sim N(0, s^2), \quad r_j \sim N(1, \tau^2), \quad b_j \sim N(\bar b, \omega^2).

A judge with :math:`r_j = 0` answers at random and drops out of the equations for the strengths; one with :math:`r_j < 0` answers
the wrong way round, and its votes count turned round. Crowd-BT [1]_ mixes a judge's true and inverted preference where this
bends the slope; both weigh a vote by how much the judge's other votes agree with everyone's. Judges with few votes are drawn to
the mean by as much as the spreads :math:`\tau` and :math:`\omega` say, which are estimated (MacKay's fixed point of the evidence,
to which a spread of 0.25 adds what one judge more would, so that few votes do not pass for judges alike); so is the spread *s*, by
EM, to which one of 1 adds what one agent more would.
The mean of reliability over votes is one.

References
----------
.. [1] X. Chen, P. N. Bennett, K. Collins-Thompson, E. Horvitz, "Pairwise ranking aggregation in a crowdsourced setting",
       *WSDM* (2013), 193-202.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit

from beatpath._arrays import Floats
from beatpath.fit.laplacian import incident, laplacian_matrix
from beatpath.stats.codes import sums_by_code
from beatpath.stats.judges.consensus import Consensus
from beatpath.stats.judges.slopes import Slopes, judge_slopes
from beatpath.stats.judges.votes import Votes

USUAL_SPREAD, MOST_SPREAD = 0.25**2, 4.0  # squared; the first counts as much as one judge
USUAL_PRIOR = 1.0  # variance of strengths, which counts as much as one agent
ROUNDS = 100
SETTLED = 1e-3  # log odds, far below any standard error


@dataclass(frozen=True, slots=True, eq=False)
class Aware:
    """What was fitted.

    Parameters
    ----------
    strength : (n,) float
    coefficient : (judges, 1 + k) float
        Reliability, then what each column adds, of every judge.
    mean, spread : (1 + k,) float
        Of the coefficients over judges; the spread is a variance.
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
        """Of every judge, (judges,)."""
        return self.coefficient[:, 0]


def aware_strengths(votes: Votes, whole: Consensus) -> Aware:
    """Fit strengths, reliabilities and shifts together, by turns, each turn uphill.

    Parameters
    ----------
    votes : Votes
    whole : Consensus
        Where to begin.

    Examples
    --------
    The second judge gives its votes to the other side.

    >>> votes = Votes(2, 2, *np.array([[0, 1], [0, 0], [1, 1]]), np.zeros((2, 0)), *np.array([[90.0, 40], [100, 100], [0, 0]]))
    >>> from beatpath.stats.judges.consensus import consensus
    >>> found = aware_strengths(votes, consensus(votes))
    >>> bool(found.reliability[0] > 0.8), bool(found.reliability[1] < 0.1)
    (True, True)
    """
    k = 1 + votes.x.shape[1]
    strength, mean = whole.strength, np.concatenate([[1.0], whole.shift])
    coefficient, spread, prior_ = np.tile(mean, (votes.n_judges, 1)), np.full(k, 0.25), whole.spread
    decided = votes.decided()
    gave, share = decided > 0, decided / max(float(decided.sum()), 1.0)
    for _ in range(ROUNDS):
        z = np.column_stack([strength[votes.a] - strength[votes.b], votes.x])
        prior = (np.broadcast_to(mean, coefficient.shape), np.broadcast_to(1 / spread, coefficient.shape))
        fit = judge_slopes(votes, z, *prior, start=coefficient, max_iter=1)
        held = _mean_of_one(fit, share)
        new, open_ = _strengths_given(votes, strength, held, prior_)
        moved = max(_largest(held - coefficient), _largest(new - strength))
        coefficient, strength = held, new
        prior_ = (float((strength**2).sum()) + open_ + USUAL_PRIOR) / (votes.n_agents + 1)
        if gave.any():
            variance = np.linalg.inv(fit.information).diagonal(axis1=1, axis2=2)[gave]
            mean = np.concatenate([[1.0], coefficient[gave, 1:].mean(axis=0)])
            told = np.maximum((1 - variance / spread).sum(axis=0), 0.0)  # judges' worth of coefficients
            off = ((coefficient[gave] - mean) ** 2).sum(axis=0)
            spread = np.minimum((off + USUAL_SPREAD) / (told + 1), MOST_SPREAD)
        if moved < SETTLED:
            break
    return Aware(strength, coefficient, mean, spread, prior_)


def vote_weights(votes: Votes, found: Aware) -> Floats:
    r"""Return what a vote of each judge tells of strengths, none below zero, one on average over votes, (judges,).

    It is :math:`r_j \sum p (1 - p)` over the judge's votes, beside the same sum if it were like the others: in the equations for
    strengths a vote counts :math:`r_j` times, and one that the side shown first decides (:math:`p` near 0 or 1) hardly at all.
    """
    ahead = found.strength[votes.a] - found.strength[votes.b]
    own, common = expit(leads_of(votes, found)), expit(ahead + votes.x @ found.mean[1:])
    open_, usual = (sums_by_code(votes.judge, votes.n * p * (1 - p), votes.n_judges) for p in (own, common))
    weight = np.maximum(found.reliability, 0.0) * np.divide(open_, usual, out=np.ones_like(open_), where=usual > 0)
    decided = votes.decided()
    mean = float(weight @ decided) / max(float(decided.sum()), 1.0)
    return np.asarray(weight / mean) if mean > 0 else weight


def log_posterior(votes: Votes, found: Aware) -> float:
    """Return what `aware_strengths` climbs, for the means and spreads it ended with."""
    off = (found.coefficient - found.mean) ** 2 / found.spread
    held = (found.strength**2).sum() / found.prior + off.sum()
    return float(log_likelihood(votes, found).sum() - held / 2)


def log_likelihood(votes: Votes, found: Aware) -> Floats:
    """Return the log-likelihood of every cell."""
    eta = leads_of(votes, found)
    return np.asarray(votes.wins * log_expit(eta) + (votes.n - votes.wins) * log_expit(-eta))


def leads_of(votes: Votes, found: Aware) -> Floats:
    """Return the log odds that each cell's judge prefers *a*."""
    own = found.coefficient[votes.judge]
    ahead = found.strength[votes.a] - found.strength[votes.b]
    return np.asarray(own[:, 0] * ahead + (votes.x * own[:, 1:]).sum(axis=1))


def _strengths_given(votes: Votes, strength: Floats, coefficient: Floats, square: float) -> tuple[Floats, float]:
    """One Newton step of the strengths, the judges held, and how much is left open: the sum of their variances."""
    n = votes.n_agents
    r = coefficient[votes.judge, 0]
    p = expit(r * (strength[votes.a] - strength[votes.b]) + (votes.x * coefficient[votes.judge, 1:]).sum(axis=1))
    e, w = r * (votes.wins - votes.n * p), r**2 * votes.n * p * (1 - p)
    inverse = np.linalg.inv(laplacian_matrix(n, votes.a, votes.b, w, 1 / square))
    step = inverse @ (incident(n, votes.a, votes.b, e, -e) - strength / square)
    return np.asarray(strength + step * min(1.0, 1.0 / max(_largest(step), 1e-300))), float(np.trace(inverse))


def _mean_of_one(fit: Slopes, share: Floats) -> Floats:
    """Coefficients of a step with the mean reliability held at one, every judge by its share of votes.

    Votes do not tell the unit of reliability from that of the strengths; this says what it is. A judge gives way by as much as
    its own votes leave open.
    """
    room = np.linalg.inv(fit.information)[:, :, 0]
    excess = (share @ fit.coefficient[:, 0] - 1) / max(float(share**2 @ room[:, 0]), 1e-300)
    return np.asarray(fit.coefficient - excess * share[:, None] * room)


def _largest(values: NDArray[np.floating]) -> float:
    return float(np.abs(values).max(initial=0.0))
