r"""Every judge held against the others: slope, what else moves its votes, and tests at one error for all of them.

The questions, each with its null hypothesis, for every judge with enough votes:

* ``reliability``: the judge follows the lead by the others as they do, :math:`r_j = 1`; rejected only where it follows less.
* ``position``, ``kin`` and covariates: the column adds nothing, :math:`b_{jk} = 0`.
* ``ties``: the judge calls ties as often as the others would; rejected only where it calls more.

Scores are efficient, their tails saddlepoint tails, drawn in by what the consensus leaves open and by a design effect where
votes come in clusters. Holm's procedure over all questions and judges at once keeps the chance of a single false alarm, when
all judges are honest and alike, at the error stated.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from beatpath._arrays import Bools, Floats, Ints
from beatpath.stats.codes import dense, sums_by_code
from beatpath.stats.judges.consensus import Consensus, Without, consensus, without_each
from beatpath.stats.judges.slopes import Slopes, efficient, holding, judge_slopes, known, score_by_agent
from beatpath.stats.judges.tails import below, holm, two_sided, upper_tail
from beatpath.stats.judges.votes import Parts, Votes, of_judges

LEAST = 20  # votes for either side below which nothing is concluded of a judge
WEAK = 1 / 25  # prior precision of a coefficient: holds it finite
RELIABILITY, POSITION, KIN, TIES = "reliability", "position", "kin", "ties"


@dataclass(frozen=True, slots=True, eq=False)
class Examined:
    """What was found of every judge with enough votes.

    Parameters
    ----------
    judge : (m,) int
        The judges examined.
    questions : tuple of str
        ``reliability``, then the columns, then ``ties``.
    estimate, error : (m, 1 + k) float
        Reliability and coefficients in log odds, with standard errors; NaN where a judge's votes say nothing of one.
    p : (m, 2 + k) float
        Probability of so extreme a score under the null, by question; NaN where it was not asked.
    alarm : (m, 2 + k) bool
        Which are rejected, at the error stated for all of them together.
    consensus : Consensus
        Of everyone.
    without : Without
        Of everyone but each.
    """

    judge: Ints
    questions: tuple[str, ...]
    estimate: Floats
    error: Floats
    p: Floats
    alarm: Bools
    consensus: Consensus
    without: Without


def examined(
    votes: Votes, columns: Sequence[str] = (), parts: Parts | None = None, *, error: float = 0.05, least: int = LEAST
) -> Examined:
    """Hold every judge with `least` decided votes or more against the consensus of all others.

    Parameters
    ----------
    votes : Votes
        With one column of `x` for each of the names in `columns`.
    columns : sequence of str
    parts : Parts, optional
        The votes by cluster.
    error : float
        Chance of any false alarm at all, over judges and questions.
    least : int
    """
    whole = consensus(votes)
    chosen = votes.decided() >= least
    own, own_parts = of_judges(votes, chosen, parts)
    without = without_each(own, whole, votes)
    z = np.column_stack([without.lead, own.x])
    mean = np.column_stack([np.ones(own.n_judges), without.shift])
    precision = np.full(mean.shape, WEAK)
    says = known(own, z)
    share = own.decided() / max(float(votes.n.sum()), 1.0)
    opened = _Open(whole.covariance[: votes.n_agents, : votes.n_agents], 1 / np.maximum(1 - share, 0.05))
    free = judge_slopes(own, z, mean, precision)
    p, errors = np.full((own.n_judges, 2 + len(columns)), np.nan), np.full(mean.shape, np.nan)
    for k in range(mean.shape[1]):
        errors[:, k] = _standard_error(own, z, free, k, opened, own_parts)
        null = mean.copy()
        null[:, k] = 1.0 if k == 0 else 0.0
        score = _score(own, z, judge_slopes(own, z, null, holding(precision, k)), k, opened, own_parts)
        p[:, k] = np.where(says[:, k], below(score) if k == 0 else two_sided(score), np.nan)
    p[:, -1] = _too_many_ties(votes, whole, chosen)
    alarm = np.zeros(p.shape, dtype=bool)
    asked = ~np.isnan(p)
    alarm[asked] = holm(p[asked], error)
    estimate = np.where(says, free.coefficient, np.nan)
    return Examined(
        np.flatnonzero(chosen),
        (RELIABILITY, *columns, TIES),
        estimate,
        np.where(says, errors, np.nan),
        p,
        alarm,
        whole,
        without,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Open:
    """What the consensus leaves open: the covariance of strengths, and how much wider it is without each judge."""

    covariance: Floats
    wider: Floats

    def variance(self, own: Votes, weight: Floats) -> Floats:
        """Of a sum over each judge's cells that answers to the strengths by `weight`."""
        c = score_by_agent(own, weight)
        return np.asarray(((c @ self.covariance) * c).sum(axis=1) * self.wider)


def _score(own: Votes, z: Floats, fit: Slopes, column: int, opened: _Open, parts: Parts | None) -> Floats:
    """Normal scores under a null, drawn in by the consensus' own error and by clusters."""
    a, w = efficient(own, z, fit, column), own.n * fit.p * (1 - fit.p)
    score = upper_tail(own.judge, a, own.wins, own.n, fit.p, own.n_judges)
    v = sums_by_code(own.judge, a**2 * w, own.n_judges)
    slope = fit.coefficient[:, 0]
    extra = slope**2 * opened.variance(own, a * w)
    drawn = v / np.maximum(v * design_effect(own, a, fit.p, parts) + extra, 1e-300)
    return score * np.sqrt(np.where(v > 0, drawn, 0.0))


def _standard_error(own: Votes, z: Floats, fit: Slopes, column: int, opened: _Open, parts: Parts | None) -> Floats:
    """Standard errors of a coefficient."""
    a, w = efficient(own, z, fit, column), own.n * fit.p * (1 - fit.p)
    v = sums_by_code(own.judge, a**2 * w, own.n_judges)
    extra = fit.coefficient[:, 0] ** 2 * opened.variance(own, a * w)
    return np.sqrt(v * design_effect(own, a, fit.p, parts) + extra) / (v + WEAK)


def design_effect(own: Votes, a: Floats, p: Floats, parts: Parts | None) -> float:
    """Return how much clusters of a judge's votes add to the variance of scores, one figure for all judges, 1 or more."""
    if parts is None or not len(parts.cell):
        return 1.0
    judge = own.judge[parts.cell]
    group, n = dense(judge * (int(parts.cluster.max(initial=0)) + 1) + parts.cluster)
    value = a[parts.cell] * (parts.wins - parts.n * p[parts.cell])
    expected = float((a**2 * own.n * p * (1 - p)).sum())
    together = float((sums_by_code(group, value, n) ** 2).sum())
    # beside the same sum with every vote apart, so that a wrong model of single votes is no cluster
    single = float(
        (
            a[parts.cell] ** 2 * (parts.wins * (1 - p[parts.cell]) ** 2 + (parts.n - parts.wins) * p[parts.cell] ** 2)
        ).sum()
    )
    return max(together / single, 1.0) if single > 0 and expected > 0 else 1.0


def _too_many_ties(votes: Votes, whole: Consensus, chosen: Bools) -> Floats:
    r"""Probabilities of so many ties as each judge calls, in Davidson's model with one :math:`\nu` for all judges."""
    if not votes.ties.any():
        return np.full(int(chosen.sum()), np.nan)
    total = votes.n + votes.ties
    lead = whole.strength[votes.a] - whole.strength[votes.b] + votes.x @ whole.shift
    even = np.log(2 * np.cosh(lead / 2))
    at = float(np.log(votes.ties.sum() / max(votes.n.sum(), 0.5)) + np.log(2.0))
    for _ in range(20):
        p = expit(at - even)
        step = float((votes.ties - total * p).sum() / max((total * p * (1 - p)).sum(), 1e-9))
        at += float(np.clip(step, -1, 1))
        if abs(step) < 1e-6:
            break
    p = np.clip(expit(at - even), 1e-12, 1 - 1e-12)
    score = upper_tail(votes.judge, np.ones(len(votes)), votes.ties, total, p, votes.n_judges)
    return np.asarray(below(-score))[chosen]
