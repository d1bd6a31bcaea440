r"""Tests of every judge against the consensus of the others, with one family-wise error.

The questions, each with its null hypothesis, for every judge with enough votes:

* ``reliability``: the judge follows the lead of the others as they do, :math:`r_j = 1`; rejected only where it follows
  less.
* ``position``, ``own_family`` and covariates: the column has no effect, :math:`b_{jk} = 0`.
* ``ties``: the judge calls ties as often as the others would; rejected only where it calls more.

Scores are efficient, with saddlepoint tails, deflated for the uncertainty of the consensus and by a design effect where
votes are clustered. Holm's procedure over all questions and judges controls the probability of any false alarm when all
judges are honest and alike.

Tail probabilities of sums of votes, accurate far out and with few votes, and family-wise tests.

A judge's score is :math:`U = \sum_i a_i (w_i - n_i p_i)` with :math:`w_i` binomial. Its tail is Lugannani and Rice's
saddlepoint approximation [1]_, from

.. math::  K(t) = \sum_i n_i \left[ \ln(1 - p_i + p_i e^{t a_i}) - t\, a_i p_i \right], \qquad K'(\hat t) = U.

With a handful of votes a normal tail can be wrong by orders of magnitude; this one is not.

References
----------
.. [1] R. Lugannani, S. Rice, "Saddle point approximation for the distribution of the sum of independent random variables",
       *Advances in Applied Probability* 12 (1980), 475-490.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, ndtr

from beatpath._arrays import AnyInts, Bools, Floats, Ints
from beatpath._text import confidence, counted, joined, percent, quoted
from beatpath.stats.codes import dense, sums_by_code
from beatpath.stats.intervals import Interval, holm, t_quantile
from beatpath.stats.judges.consensus import Consensus, Without, consensus, without_each
from beatpath.stats.judges.slopes import Slopes, efficient, holding, judge_slopes, known, score_by_agent
from beatpath.stats.judges.votes import Parts, Votes, of_judges
from beatpath.stats.smallest import bisected

FARTHEST = 60.0  # standard errors within which a tail is searched
STEPS = 60  # halvings in a search for log odds: to the last digits of a float
PLAIN = 1.0  # standard errors below which the normal tail suffices


def upper_tail(judge: AnyInts, a: Floats, wins: Floats, n: Floats, p: Floats, n_judges: int) -> Floats:
    """Return the normal score of ``P(U >= u)`` for each judge: large and positive where that is unlikely by chance.

    Parameters
    ----------
    judge : (c,) int
        The judge of each cell.
    a, wins, n, p : (c,) float
        Weight of a vote, votes for, all votes, and the probability of one.
    n_judges : int
        Number of judges.

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
        cells, number = far[judge], np.cumsum(far) - 1
        z[far] = _saddlepoint(number[judge[cells]], a[cells], n[cells], p[cells], u[far], v[far])
    return z


def _saddlepoint(judge: AnyInts, a: Floats, n: Floats, p: Floats, u: Floats, v: Floats) -> Floats:
    """Return normal scores of upper tails by Lugannani and Rice; unanimous votes shift by half a step."""
    m = len(u)
    most, least = (sums_by_code(judge, n * (np.maximum(s * a, 0) - s * a * p), m) for s in (1, -1))
    room = 1e-3 * np.sqrt(v)
    step = np.full(m, np.inf)
    np.minimum.at(step, judge, np.where(np.abs(a) > 0, np.abs(a), np.inf))
    edge = np.maximum(np.minimum(step / 2, np.minimum(most, least) / 2), room)
    u = np.clip(u, -(least - edge), most - edge)
    high = FARTHEST / np.sqrt(v)
    scale, low = high / FARTHEST, -high
    t = np.clip(u / v, low, high)
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
    star = root + np.log(wald / root) / root  # Barndorff-Nielsen's form: always a valid normal score
    return np.where(near, u / np.sqrt(v), star)


LEAST = 20  # fewest decided votes for a judge to be tested
WEAK = 1 / 25  # prior precision of a coefficient, which keeps it finite
RELIABILITY, POSITION, OWN_FAMILY, TIES = "reliability", "position", "own_family", "ties"  # names of the questions


@dataclass(frozen=True, slots=True, eq=False)
class Examined:
    """Test results of every judge with enough votes.

    Parameters
    ----------
    judge : (m,) int
        The judges tested.
    questions : tuple of str
        ``reliability``, then the columns, then ``ties``.
    estimate, error : (m, 1 + k) float
        Reliability and coefficients in log odds, with standard errors; NaN where a judge's votes carry no information.
    p : (m, 2 + k) float
        P-value by question; NaN where not tested.
    alarm : (m, 2 + k) bool
        Which are rejected, at the family-wise error.
    consensus : Consensus
        Of all judges.
    without : Without
        Of all judges but each.
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
    """Test every judge with at least `least` decided votes against the consensus of all others.

    Parameters
    ----------
    votes : Votes
        With one column of `x` for each of the names in `columns`.
    columns : sequence of str, default ()
        Names of the columns.
    parts : Parts, optional
        The votes by cluster.
    error : float, default 0.05
        Family-wise error over judges and questions.
    least : int, default 20
        Fewest decided votes.
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
    noise = whole.covariance[: votes.n_agents, : votes.n_agents], 1 / np.maximum(1 - share, 0.05), own_parts
    free = judge_slopes(own, z, mean, precision)
    p, errors = np.full((own.n_judges, 2 + len(columns)), np.nan), np.full(mean.shape, np.nan)
    for k in range(mean.shape[1]):
        _, v, robust = _variances(own, z, free, k, *noise)
        errors[:, k] = np.sqrt(robust) / (v + WEAK)
        null = mean.copy()
        null[:, k] = 1.0 if k == 0 else 0.0
        fit = judge_slopes(own, z, null, holding(precision, k))
        a, v, robust = _variances(own, z, fit, k, *noise)
        score = upper_tail(own.judge, a, own.wins, own.n, fit.p, own.n_judges)
        score *= np.sqrt(np.where(v > 0, v / np.maximum(robust, 1e-300), 0.0))
        p[:, k] = np.where(identified[:, k], ndtr(score) if k == 0 else 2 * ndtr(-np.abs(score)), np.nan)
    p[:, -1] = _too_many_ties(votes, whole, chosen)
    alarm = np.zeros(p.shape, dtype=bool)
    tested = ~np.isnan(p)
    alarm[tested] = holm(p[tested]) <= error
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


def _variances(
    own: Votes, z: Floats, fit: Slopes, column: int, covariance: Floats, wider: Floats, parts: Parts | None
) -> tuple[Floats, Floats, Floats]:
    """Return the efficient part of a column, by cell, and the variances of its scores, by judge.

    The first variance is that of independent votes about a known consensus; the second allows for clusters and for the
    uncertainty of the consensus: the covariance of strengths, and how much wider it is without each judge.
    """
    a, w = efficient(own, z, fit, column), own.n * fit.p * (1 - fit.p)
    v = sums_by_code(own.judge, a**2 * w, own.n_judges)
    by_strength = score_by_agent(own, a * w)
    extra = fit.coefficient[:, 0] ** 2 * ((by_strength @ covariance) * by_strength).sum(axis=1) * wider
    return a, v, v * design_effect(own, a, fit.p, parts) + extra


def design_effect(own: Votes, a: Floats, p: Floats, parts: Parts | None) -> float:
    """Return the inflation of the variance of scores by clusters of a judge's votes, pooled over judges, at least 1."""
    if parts is None or not len(parts.cell):
        return 1.0
    group, n = dense(own.judge[parts.cell] * (int(parts.cluster.max()) + 1) + parts.cluster)
    weight, share = a[parts.cell], p[parts.cell]
    together = float((sums_by_code(group, weight * (parts.wins - parts.n * share), n) ** 2).sum())
    # relative to the same sum over single votes, so that misfit of single votes does not count as clustering
    single = float(weight**2 @ (parts.wins * (1 - share) ** 2 + (parts.n - parts.wins) * share**2))
    return max(together / single, 1.0) if single > 0 else 1.0


def _too_many_ties(votes: Votes, whole: Consensus, chosen: Bools) -> Floats:
    r"""Return p-values of each judge's number of ties, in Davidson's model with one :math:`\nu` for all judges."""
    if not votes.ties.any():
        return np.full(int(chosen.sum()), np.nan)
    total = votes.n + votes.ties
    lead = whole.strength[votes.a] - whole.strength[votes.b] + votes.x @ whole.shift
    even = np.log(2 * np.cosh(lead / 2))
    most = 100.0 + float(even.max())  # log odds at which every battle, or none, would be a tie
    at, _ = bisected(lambda at: (total * expit(at - even)).sum() < votes.ties.sum(), -most, most, STEPS)
    p = np.clip(expit(at - even), 1e-12, 1 - 1e-12)
    score = upper_tail(votes.judge, np.ones(len(votes)), votes.ties, total, p, votes.n_judges)
    return np.asarray(ndtr(-score))[chosen]


SAME = 0.9  # share of ties from which a judge counts as giving nothing else
SHOWN = 5  # most judges that a sentence names


def coefficient(tests: Examined, k: int, column: int, level: float) -> Interval | None:
    """Return the coefficient of the k-th tested judge with its interval; None where its votes carry no information."""
    value, half = float(tests.estimate[k, column]), t_quantile(level) * float(tests.error[k, column])
    return None if np.isnan(value) else Interval(value, value - half, value + half)


def alarms_of(votes: Votes, tests: Examined, k: int, level: float) -> tuple[str, ...]:
    """Return all significant findings on the k-th tested judge, as text."""
    questions = zip(tests.questions, tests.alarm[k].tolist(), strict=True)
    texts = [_words(votes, tests, k, question, level) for question, alarm in questions if alarm]
    return tuple(one for one in texts if one)


def _words(votes: Votes, tests: Examined, k: int, question: str, level: float) -> str:
    """Return one finding as text; empty for ties that are many but not all."""
    own = votes.take(votes.judge == tests.judge[k])
    if question == TIES:
        share = own.ties.sum() / (own.ties + own.n).sum()
        return "calls almost every battle a tie" if share >= SAME else ""
    value = coefficient(tests, k, tests.questions.index(question), level)
    assert value is not None
    if question == RELIABILITY and value.high < 0:
        return "votes against the others"
    if question == RELIABILITY:
        less = "agrees with the others less than they agree with each other"
        return less if value.low > 0 else "answers as if at random"
    more = value.estimate > 0
    if question == POSITION:
        share = float(expit(abs(value.estimate)))
        often = "over 99 %" if share > 0.99 else percent(share)
        return f"takes the side shown {'first' if more else 'second'} in {often} of battles between equals"
    if question == OWN_FAMILY:
        return "favors its own family" if more else "disfavors its own family"
    return f"{'rewards' if more else 'punishes'} {quoted(question)}"


def flagged(alarms: Mapping[str, Sequence[str]], n: int, level: float) -> str:
    """Return who is flagged, of *n* judges, as a sentence.

    >>> flagged({"x": ["votes against the others"], "y": []}, 2, 0.95)
    "1 of 2 judges is flagged (5 % chance of any false alarm): 'x' votes against the others."
    """
    out, error = {judge: texts for judge, texts in alarms.items() if texts}, confidence(1 - level)
    if not out:
        return f"None of {counted(n, 'judge')} is flagged ({error} chance of any false alarm)."
    text = joined([f"{quoted(judge)} {' and '.join(texts)}" for judge, texts in out.items()], SHOWN)
    verb = "is" if len(out) == 1 else "are"
    return f"{len(out):,} of {counted(n, 'judge')} {verb} flagged ({error} chance of any false alarm): {text}."
