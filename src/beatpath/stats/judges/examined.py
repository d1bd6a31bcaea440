r"""Every judge held against the others: slope, what else moves its votes, and tests at one error for all of them.

The questions, each with its null hypothesis, for every judge with enough votes:

* ``reliability``: the judge follows the lead by the others as they do, :math:`r_j = 1`; rejected only where it follows less.
* ``position``, ``kin`` and covariates: the column adds nothing, :math:`b_{jk} = 0`.
* ``ties``: the judge calls ties as often as the others would; rejected only where it calls more.

Scores are efficient, their tails saddlepoint tails, drawn in by what the consensus leaves open and by a design effect where
votes come in clusters. Holm's procedure over all questions and judges at once keeps the chance of a single false alarm, when
all judges are honest and alike, at the error stated.

Tail probabilities of sums of votes, good far out and for few votes; and a list of tests at one error for all.

A judge's score is :math:`U = \sum_i a_i (w_i - n_i p_i)` with :math:`w_i` binomial. Its tail is Lugannani and Rice's saddlepoint
approximation [1]_, from

.. math::  K(t) = \sum_i n_i \left[ \ln(1 - p_i + p_i e^{t a_i}) - t\, a_i p_i \right], \qquad K'(\hat t) = U.

With a handful of votes a normal tail can be wrong by orders of magnitude; this one is not.

References
----------
.. [1] R. Lugannani, S. Rice, "Saddle point approximation for the distribution of the sum of independent random variables",
       *Advances in Applied Probability* 12 (1980), 475-490.

What falls out of a judge, in words.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr

from beatpath._arrays import Bools, Floats, Ints
from beatpath._text import quoted
from beatpath.stats.codes import dense, sums_by_code
from beatpath.stats.intervals import Interval, t_quantile
from beatpath.stats.judges.consensus import Consensus, Without, consensus, without_each
from beatpath.stats.judges.slopes import Slopes, efficient, holding, judge_slopes, known, score_by_agent
from beatpath.stats.judges.votes import Parts, Votes, of_judges

PLAIN = 1.0  # standard errors below which the normal tail does


def upper_tail(judge: NDArray[np.integer], a: Floats, wins: Floats, n: Floats, p: Floats, n_judges: int) -> Floats:
    """Return for each judge the normal score of ``P(U >= u)``: large and positive where so much is hardly chance.

    Parameters
    ----------
    judge : (c,) int
    a, wins, n, p : (c,) float
        What a vote counts, votes for, votes in all, and the probability of one.
    n_judges : int

    Examples
    --------
    Ten heads in ten tosses have a probability of 1 in 1,024, a normal score of 3.1.

    >>> score = upper_tail(np.array([0]), np.ones(1), np.array([10.0]), np.array([10.0]), np.array([0.5]), 1)
    >>> bool(2.9 < score[0] < 3.2)
    True
    """
    u = sums_by_code(judge, a * (wins - n * p), n_judges)
    v = sums_by_code(judge, a**2 * n * p * (1 - p), n_judges)
    z = np.divide(u, np.sqrt(v), out=np.zeros(n_judges), where=v > 0)
    far = np.abs(z) > PLAIN
    if far.any():
        cells = far[judge]
        number = np.cumsum(far) - 1
        scores = _saddlepoint(number[judge[cells]], a[cells], wins[cells], n[cells], p[cells], u[far], v[far])
        z[far] = scores
    return z


def _saddlepoint(
    judge: NDArray[np.integer], a: Floats, wins: Floats, n: Floats, p: Floats, u: Floats, v: Floats
) -> Floats:
    """Normal scores of upper tails by Lugannani and Rice; votes all one way are pulled in by half of the smallest step."""
    m = len(u)
    most, least = (sums_by_code(judge, n * (np.maximum(s * a, 0) - s * a * p), m) for s in (1, -1))
    room = 1e-3 * np.sqrt(v)
    step = np.full(m, np.inf)
    np.minimum.at(step, judge, np.where(np.abs(a) > 0, np.abs(a), np.inf))
    edge = np.maximum(np.minimum(step / 2, np.minimum(most, least) / 2), room)
    u = np.clip(u, -(least - edge), most - edge)
    low, high = np.full(m, -60.0), np.full(m, 60.0)
    scale = 1 / np.sqrt(v)
    t = np.clip(u / v, low * scale, high * scale)
    low, high = low * scale, high * scale
    odds = np.log(p) - np.log1p(-p)
    for _ in range(80):
        q = expit(odds + t[judge] * a)
        slope = sums_by_code(judge, n * a * (q - p), m)
        bend = np.maximum(sums_by_code(judge, n * a**2 * q * (1 - q), m), 1e-300)
        low, high = np.where(slope < u, t, low), np.where(slope > u, t, high)
        new = t + (u - slope) / bend
        new = np.where((new > low) & (new < high), new, (low + high) / 2)
        done = np.abs(new - t) <= 1e-9 * scale
        t = new
        if done.all():
            break
    tilted = odds + t[judge] * a
    bend = np.maximum(sums_by_code(judge, n * a**2 * expit(tilted) * expit(-tilted), m), 1e-300)
    K = sums_by_code(judge, n * (np.logaddexp(0, tilted) - np.logaddexp(0, odds) - t[judge] * a * p), m)
    root = np.sign(t) * np.sqrt(np.maximum(2 * (t * u - K), 0.0))
    wald = t * np.sqrt(bend)
    near = np.abs(root) < 1e-4
    root, wald = np.where(near, 1.0, root), np.where(near, 1.0, wald)
    star = root + np.log(wald / root) / root  # Barndorff-Nielsen's form: one normal score, never outside 0 to 1
    return np.where(near, u / np.sqrt(v), star)


def two_sided(score: Floats) -> Floats:
    """Return probabilities of scores as far from zero either way.

    >>> two_sided(np.array([1.959964])).round(4)
    array([0.05])
    """
    return np.asarray(2 * ndtr(-np.abs(score)))


def below(score: Floats) -> Floats:
    """Return probabilities of scores as low as these.

    >>> below(np.array([-1.644854])).round(4)
    array([0.05])
    """
    return np.asarray(ndtr(score))


def holm(p: Floats, error: float) -> Bools:
    """Return which of several tests reject at one error for all of them: Holm's step-down.

    >>> holm(np.array([0.01, 0.04, 0.024]), 0.05)
    array([ True,  True,  True])
    >>> holm(np.array([0.01, 0.04, 0.026]), 0.05)
    array([ True, False, False])
    """
    order = np.argsort(p, kind="stable")
    passes = p[order] <= error / np.arange(len(p), 0, -1)
    rejected = np.zeros(len(p), dtype=bool)
    rejected[order[: int(np.argmin(np.append(passes, False)))]] = True
    return rejected


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
        Probability of so extreme a score under the null, by question; NaN where it was not tested.
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
    identified = known(own, z)
    share = own.decided() / max(float(votes.n.sum()), 1.0)
    opened = _Open(whole.covariance[: votes.n_agents, : votes.n_agents], 1 / np.maximum(1 - share, 0.05))
    free = judge_slopes(own, z, mean, precision)
    p, errors = np.full((own.n_judges, 2 + len(columns)), np.nan), np.full(mean.shape, np.nan)
    for k in range(mean.shape[1]):
        errors[:, k] = _standard_error(own, z, free, k, opened, own_parts)
        null = mean.copy()
        null[:, k] = 1.0 if k == 0 else 0.0
        score = _score(own, z, judge_slopes(own, z, null, holding(precision, k)), k, opened, own_parts)
        p[:, k] = np.where(identified[:, k], below(score) if k == 0 else two_sided(score), np.nan)
    p[:, -1] = _too_many_ties(votes, whole, chosen)
    alarm = np.zeros(p.shape, dtype=bool)
    tested = ~np.isnan(p)
    alarm[tested] = holm(p[tested], error)
    estimate = np.where(identified, free.coefficient, np.nan)
    return Examined(
        np.flatnonzero(chosen),
        (RELIABILITY, *columns, TIES),
        estimate,
        np.where(identified, errors, np.nan),
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
    shrinkage = v / np.maximum(v * design_effect(own, a, fit.p, parts) + extra, 1e-300)
    return score * np.sqrt(np.where(v > 0, shrinkage, 0.0))


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
    group, n = dense(own.judge[parts.cell] * (int(parts.cluster.max(initial=0)) + 1) + parts.cluster)
    weight, share = a[parts.cell], p[parts.cell]
    together = float((sums_by_code(group, weight * (parts.wins - parts.n * share), n) ** 2).sum())
    # beside the same sum with every vote apart, so that a wrong model of single votes is no cluster
    apart = parts.wins * (1 - share) ** 2 + (parts.n - parts.wins) * share**2
    single, expected = float(weight**2 @ apart), float((a**2 * own.n * p * (1 - p)).sum())
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


SAME = 0.9  # share of one answer from which a judge gives it whatever it sees


def coefficient(tests: Examined, k: int, column: int, level: float) -> Interval | None:
    """Return the coefficient of the k-th judge examined with its interval, or nothing where its votes do not say."""
    value, half = float(tests.estimate[k, column]), t_quantile(level) * float(tests.error[k, column])
    return None if np.isnan(value) else Interval(value, value - half, value + half)


def alarms_of(votes: Votes, tests: Examined, k: int, level: float) -> tuple[str, ...]:
    """Return everything that falls out of the k-th judge examined."""
    questions = zip(tests.questions, tests.alarm[k].tolist(), strict=True)
    texts = [_words(votes, tests, k, question, level) for question, alarm in questions if alarm]
    return tuple(one for one in texts if one)


def _words(votes: Votes, tests: Examined, k: int, question: str, level: float) -> str:
    """One thing that falls out; nothing for ties that are many and not all."""
    own = votes.take(votes.judge == tests.judge[k])
    if question == TIES:
        share = own.ties.sum() / (own.ties + own.n).sum()
        return "calls almost every battle a tie" if share >= SAME else ""
    value = coefficient(tests, k, tests.questions.index(question), level)
    assert value is not None
    if question == RELIABILITY:
        if value.high < 0:
            return "votes against the others"
        return (
            "answers as if at random"
            if value.low <= 0
            else "agrees with the others less than they agree with each other"
        )
    more = value.estimate > 0
    if question == POSITION:
        side = "first" if more else "second"
        whatever = _share_of_side(own, more) >= SAME
        return f"almost always prefers the side shown {side}" if whatever else f"favors the side shown {side}"
    if question == KIN:
        return "favors its own family" if more else "disfavors its own family"
    return f"{'rewards' if more else 'punishes'} {quoted(question)}"


def _share_of_side(own: Votes, first: bool) -> float:
    """Share of votes, where the order is known, for the side shown first, or second; the first column of `x` is the order."""
    x = own.x[:, 0]
    for_first = np.where(x > 0, own.wins, own.n - own.wins) * (x != 0)
    share = float(for_first.sum() / max((own.n * (x != 0)).sum(), 1.0))
    return share if first else 1 - share
