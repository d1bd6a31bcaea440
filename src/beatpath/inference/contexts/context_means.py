r"""Scores of agents on tasks as mean scores by context, with correlated errors.

A score of agent *a* on task *t* of context *c* is :math:`x_{at} = \eta_{ca} + \beta_t + e_{at}`: a strength in the
context, how easy the task is for all, and an error with covariance :math:`s_c^2 R` over agents, as similar models fail
on the same tasks. Differences of agents on a task are free of :math:`\beta_t`, so strengths have the log-likelihood

.. math::  -\tfrac12 \sum_{t \in c} (x_t - \eta_c)^\top P_t (x_t - \eta_c), \qquad P_t = W_t - \frac{W_t 1 1^\top W_t}{1^\top W_t 1}, \quad
           W_t = (s_c^2 R_{tt})^{-1},

:math:`R_{tt}` being that of the agents with a score on the task. A context has few tasks, so *R* is estimated from
all, and shrunk toward independent errors in proportion to its sampling noise (Ledoit and Wolf 2004); :math:`s_c^2` is
pooled from the context's tasks and four typical ones.

References
----------
O. Ledoit and M. Wolf, "A well-conditioned estimator for large-dimensional covariance matrices", *Journal of
Multivariate Analysis* 88 (2004).
"""

from collections.abc import Sequence

import numpy as np

from beatpath._arrays import Floats, Ints
from beatpath._errors import DataError, UsageError
from beatpath._text import counted, quoted
from beatpath.evidence import Scores
from beatpath.evidence.conventions import DEFAULT, Conventions, convention
from beatpath.evidence.scores import lower_noted
from beatpath.inference.contexts.context_data import ContextData, Levels, require_column, require_contexts
from beatpath.inference.contexts.deviations import Means
from beatpath.inference.leaderboard import connected_parts
from beatpath.stats.one_unit import one_unit

TYPICAL = 4  # prior weight, in tasks, of the typical variance in a context's own variance


def context_means(
    scores: Scores, by: str, chosen: Conventions = DEFAULT, cluster: str | Sequence[str] | None = "auto"
) -> ContextData:
    """Return the scores of each context; tasks are the independent units, or items where contexts are tasks.

    >>> from beatpath import Factor
    >>> table = [[5.0, 7.0, 1.0, 2.0], [4.0, 5.0, 3.0, 5.0]]
    >>> scores = Scores.from_table(table, ["ada", "bob"], ["t", "u", "v", "w"])
    >>> area = Factor.of(["code", "code", "chat", "chat"] * 2)
    >>> result = context_means(Scores(scores.agents, scores.agent, scores.value, {**scores.factors, "area": area}), "area")
    >>> result.contexts, result.levels.mean
    (('chat', 'code'), array([2.75, 5.25]))
    """
    per = "item" if by == "task" and "item" in scores.factors else scores.who_votes(chosen.per)
    require_column(scores.factors, by)
    if cluster not in (None, "auto", per):
        raise UsageError(
            f"by context standard errors of scores come from {per}s; `cluster` must be left out; got {cluster!r}."
        )
    if chosen.weights:
        raise UsageError("by context tasks weigh alike; leave `weights` out, and weigh contexts with `mix`.")
    table = scores.table(per)[0] * scores.voter_signs(per)
    context, names = _context_of_tasks(scores, by, per)
    keep = (context >= 0) & (~np.isnan(table)).any(axis=0)
    if chosen.missing == "drop_task":
        keep &= ~np.isnan(table).any(axis=0)
    lost = int((context < 0).sum())
    table, (used, context) = table[:, keep], np.unique(context[keep], return_inverse=True)
    names = tuple(names[k] for k in used.tolist())
    require_contexts(names, by, len(table), "scores")
    held = ~np.isnan(table)
    number = np.bincount(context, minlength=len(names))
    if (number < 2).all():
        raise DataError(
            f"contexts need two {per}s or more in at least one of them, to estimate how scores vary; every {quoted(by)} has one."
        )
    unit = float(np.nanstd(table - np.nanmean(table, axis=0))) or 1.0
    scaled = table / unit
    left = np.concatenate([_residuals(scaled[:, context == k]) for k in range(len(names))], axis=1)
    order = np.argsort(context, kind="stable")
    R, variance = _errors(left, context[order], number)
    information, pull = _likelihood(scaled, context, R, variance)
    size = np.maximum(held.sum(axis=0), 1)
    mean, share = np.nansum(table, axis=0) / size, held / size
    a, t = np.nonzero(held)
    part = connected_parts(len(table) + len(context), a, len(table) + t)[: len(table)]
    amount = np.stack([held[:, context == k].sum(axis=1) for k in range(len(names))])
    notes = [
        *lower_noted(scores),
        *([f"{counted(lost, per)} without a name in {quoted(by)} left out."] if lost else []),
    ]
    if not one_unit(table):
        notes.append("A few tasks with large numbers dominate the means: scores of all tasks should have one unit.")
    values = table[held]
    return ContextData(
        scores.agents,
        by,
        names,
        Means(information, pull),
        amount,
        number.astype(np.float64),
        np.unique(part, return_inverse=True)[1].astype(np.int64),
        levels=Levels(
            unit,
            np.bincount(context, mean, len(names)) / number,
            np.stack([share[:, context == k].mean(axis=1) for k in range(len(names))]),
            _variance_of_levels(mean, context, number),
            float(max(len(context) - len(names), 1)),
            (0.0, 1.0) if bool(np.isin(values, (0.0, 1.0)).all()) else (-np.inf, np.inf),
            per,
        ),
        conventions=(*scores.conventions, convention("per", per)),
        notes=tuple(notes),
    )


def _context_of_tasks(scores: Scores, by: str, per: str) -> tuple[Ints, tuple[str, ...]]:
    """Return the context of every task, -1 without one, and the names of the contexts."""
    voter, factor = scores.voters(per), scores.factors[by]
    context = np.full(len(voter.levels), -1, dtype=np.int64)
    context[voter.codes] = factor.codes
    if (context[voter.codes] != factor.codes).any():
        task = voter.levels[int(voter.codes[np.flatnonzero(context[voter.codes] != factor.codes)[0]])]
        raise DataError(f"every {per} must belong to one context; {quoted(task)} has several in {quoted(by)}.")
    return context, factor.levels


def _residuals(table: Floats) -> Floats:
    """Return residuals of the additive model of a context, 0 for missing cells; they sum to zero per task."""
    held = ~np.isnan(table)
    left = np.where(held, table, 0.0)
    for _ in range(200):
        before = left
        left = np.where(held, left - left.sum(axis=0) / np.maximum(held.sum(axis=0), 1), 0.0)
        left = np.where(held, left - (left.sum(axis=1) / np.maximum(held.sum(axis=1), 1))[:, None], 0.0)
        if np.abs(left - before).max(initial=0.0) < 1e-10:
            break
    return np.where(held, left - left.sum(axis=0) / np.maximum(held.sum(axis=0), 1), np.nan)


def _errors(left: Floats, context: Ints, number: Ints) -> tuple[Floats, Floats]:
    """Return the error correlation of agents, (n, n), with mean difference variance two, and context variances."""
    held = ~np.isnan(left)
    n, free = len(left), number - 1
    square = np.where(held, left, 0.0) ** 2
    by_task = square.sum(axis=0) / np.maximum(held.sum(axis=0) - 1, 1)
    total = np.bincount(context, by_task, len(number))
    pooled = float(total.sum() / max(int(np.maximum(free, 0).sum()), 1)) or 1e-12
    variance = (total * (free > 0) + TYPICAL * pooled) / (np.maximum(free, 0) + TYPICAL)
    grown = np.sqrt(number / np.maximum(free, 1) / variance)[context]  # corrects for the fitted means
    z = np.where(held, left, 0.0) * grown
    z = z[:, free[context] > 0]
    T = z.shape[1]
    S = z @ z.T / max(T, 1)
    target = float(np.trace(S)) / max(n - 1, 1)  # target of the shrinkage: equal variances of differences
    apart = float(((S - target * (np.eye(n) - 1 / n)) ** 2).sum())
    noise = float((((z**2).sum(axis=0)) ** 2).sum() / max(T, 1) - (S**2).sum()) / max(T, 1)
    shrinkage = min(max(noise / apart, 0.0), 1.0) if apart > 0 else 1.0
    R = (1 - shrinkage) * S / max(target, 1e-300) + shrinkage * np.eye(n)
    return np.asarray(R + 0.02 * np.eye(n)), variance


def _likelihood(table: Floats, context: Ints, R: Floats, variance: Floats) -> tuple[Floats, Floats]:
    """Return information and right-hand side of every context; tasks with the same agents are handled together."""
    C, n = len(variance), len(table)
    held = ~np.isnan(table)
    information, pull = np.zeros((C, n, n)), np.zeros((C, n))
    patterns, which = np.unique(held, axis=1, return_inverse=True)
    for k, here in enumerate(patterns.T):
        at = np.flatnonzero(here)
        W = np.linalg.inv(R[np.ix_(at, at)])
        w = W.sum(axis=1)
        P = W - np.outer(w, w) / w.sum()
        for c in range(C):
            some = table[np.ix_(at, (which.ravel() == k) & (context == c))]
            if some.size:
                information[c][np.ix_(at, at)] += some.shape[1] * P / variance[c]
                pull[c, at] += P @ some.sum(axis=1) / variance[c]
    return information, pull


def _variance_of_levels(mean: Floats, context: Ints, number: Ints) -> Floats:
    """Return the variance of the mean over a context's tasks, pooled over contexts."""
    off = mean - (np.bincount(context, mean, len(number)) / number)[context]
    return np.asarray(float((off**2).sum()) / max(len(mean) - len(number), 1) / number)
