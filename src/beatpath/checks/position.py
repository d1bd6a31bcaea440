r"""Position: does the side shown first win more often than it should.

The plain share of decided battles won by the side shown first mixes position with strength wherever stronger agents
were shown first more often. The *balanced* share compares each pair with itself in the other order; see
`beatpath.stats.balanced_share`. A soft preference counts for the side that it leans to.
"""

from typing import Any

import numpy as np

from beatpath._arrays import Floats
from beatpath._text import counted, percent
from beatpath.checks.finding import CheckLimits, Finding, not_run
from beatpath.evidence import Battles
from beatpath.stats.balanced_share import Shown, balanced_share
from beatpath.stats.codes import apart, dense, joint, sums_by_code
from beatpath.stats.intervals import Interval, effective_number, jackknife_error, wilson

GROUPS = ("cluster", "task", "judge")


def grouping(battles: Battles, limits: CheckLimits) -> str | None:
    """Return the column whose groups are taken as independent of each other, or ``None`` where battles themselves are.

    It is the cluster, else the task, else the judge; a few judges are not a sample of judges, and do not count.
    """
    least = {"cluster": 2, "task": 2, "judge": limits.clusters}
    names = (name for name in GROUPS if name in battles.factors and len(battles.factors[name].levels) >= least[name])
    return next(names, None)


def decided(battles: Battles, limits: CheckLimits) -> Shown:
    """Return the decided battles with a known order."""
    assert battles.position is not None
    rows = np.flatnonzero((battles.position != 0) & (battles.outcome != 0.5))
    a, b, sign = battles.a[rows], battles.b[rows], battles.position[rows]
    low, high = np.minimum(a, b).astype(np.int64), np.maximum(a, b)
    name = grouping(battles, limits)
    return Shown(
        dense(low * len(battles.agents) + high)[0],
        (a < b) != (sign > 0),
        ((battles.outcome[rows] > 0.5) == (sign > 0)).astype(np.float64),
        None if name is None else dense(apart(battles.factors[name].codes[rows]))[0],
    )


def first_share(shown: Shown, level: float) -> Interval:
    """Return the share won by the side shown first: Wilson's interval, with clusters on their effective sample size.

    The variance between clusters comes from leaving one out at a time; battles are worth ``n / D`` independent ones,
    *D* being its ratio to the binomial variance. Where it vanishes, each cluster counts as one battle.
    """
    n, share = len(shown.won), float(shown.won.mean())
    if shown.cluster is None:
        return wilson(share, n, level)
    size = np.bincount(shown.cluster).astype(np.float64)
    won = sums_by_code(shown.cluster, shown.won, len(size))
    if len(size) < 2:
        return Interval(share, 0.0, 1.0)
    df = max(effective_number(size) - 1, 1.0)
    variance = jackknife_error((won.sum() - won) / (n - size)) ** 2
    worth = share * (1 - share) / variance if variance > 1e-15 else float(len(size))
    return wilson(share, min(worth, n) if 0 < share < 1 else len(size), level, df)


def position_bias(battles: Battles, limits: CheckLimits) -> Finding:
    """Say whether the side shown first is preferred, agents being equal."""
    if battles.position is None or not (battles.position != 0).any():
        return not_run("position bias", "No column says which side was shown first.")
    shown = decided(battles, limits)
    if not len(shown.won):
        return not_run("position bias", "No battle with a known order was decided.")
    plain, balanced = first_share(shown, limits.level), balanced_share(shown, limits.level)
    figures: dict[str, Any] = {"battles": len(shown.won), "share": plain.to_dict()}
    figures["grouped by"] = grouping(battles, limits)
    figures["balanced"] = None if balanced is None else balanced.to_dict()
    sentence = f"The side shown first won {_share_in_words(plain)} of {counted(len(shown.won), 'decided battle')}"
    if balanced is None:
        sentence += "; too few pairs were shown in both orders to compare them with themselves."
        consequence = "Position and strength cannot be told apart: show every pair in both orders."
        return Finding("position bias", "warning", sentence, consequence, figures)
    sentence += f", and {_share_in_words(balanced)} when each pair is compared with itself in the other order."
    apart = abs(balanced.estimate - 0.5) >= limits.position
    if not apart or balanced.low <= 0.5 <= balanced.high:
        return Finding("position bias", "passed", sentence, "", figures)
    consequence = "Agents shown first more often look better than they are: balance the orders, or model position."
    return Finding("position bias", "warning", sentence, consequence, figures)


def _share_in_words(share: Interval) -> str:
    """A share with its interval, in per cent."""
    return f"{100 * share.estimate:.1f} % ({100 * share.low:.1f} to {100 * share.high:.1f})"


def order_flips(battles: Battles, limits: CheckLimits) -> Finding:
    """Say how often a verdict changed where a judge saw a pair in both orders on the same cluster or task."""
    names = [name for name in GROUPS if name in battles.factors]
    if battles.position is None or not set(names) & {"cluster", "task"}:
        return not_run("order flips", "Flips need a column for the order shown and one for cluster or task.")
    table = both_orders(battles, names)
    if not len(table):
        return not_run("order flips", "No pair was judged in both orders on the same cluster or task.")
    changed, first, second = flip_shares(table)
    share = wilson(changed, len(table), limits.level)
    figures = {"units": len(table), "changed": share.to_dict(), "to first": first, "to second": second}
    sentence = (
        f"Of {counted(len(table), 'unit')} judged in both orders, {percent(changed)} changed verdict: {percent(first)} "
        f"preferred whichever side was shown first, {percent(second)} whichever was shown second."
    )
    if len(table) < limits.clusters:
        return Finding("order flips", "not run", f"{sentence} Too few to say more.", "", figures)
    if share.low < limits.flips:
        return Finding("order flips", "passed", sentence, "", figures)
    consequence = "Single verdicts depend on the order of showing: judge every pair in both orders and average."
    return Finding("order flips", "warning", sentence, consequence, figures)


def both_orders(battles: Battles, names: list[str]) -> Floats:
    """Return how often each unit seen in both orders was judged how, shape (units, 2 orders, 3 verdicts)."""
    assert battles.position is not None
    keys = [battles.factors[name].codes for name in names]
    rows = np.flatnonzero((battles.position != 0) & np.all([key >= 0 for key in keys], axis=0))
    a, b, s = battles.a[rows], battles.b[rows], battles.outcome[rows]
    if not len(rows):
        return np.zeros((0, 2, 3))
    unit, n = joint([np.minimum(a, b), np.maximum(a, b), *(key[rows] for key in keys)])
    lean = np.where(a < b, s - 0.5, 0.5 - s)
    verdict = np.select([lean > 0, lean < 0], [0, 1], 2)
    order = ((a < b) != (battles.position[rows] > 0)).astype(np.int64)
    table = np.bincount((unit * 2 + order) * 3 + verdict, minlength=6 * n).reshape(n, 2, 3).astype(np.float64)
    return table[(table.sum(axis=2) > 0).all(axis=1)]


def flip_shares(table: Floats) -> tuple[float, float, float]:
    """Return the mean share of changed verdicts over units, and of those that went to the first and second side.

    Where a unit was judged several times in an order, every verdict of one order meets every one of the other.

    >>> flip_shares(np.array([[[1, 0, 0], [0, 1, 0]], [[0, 1, 0], [0, 1, 0]]]))
    (0.5, 0.5, 0.0)
    """
    rate = table / table.sum(axis=2, keepdims=True)
    same = (rate[:, 0] * rate[:, 1]).sum(axis=1)
    first, second = rate[:, 0, 0] * rate[:, 1, 1], rate[:, 0, 1] * rate[:, 1, 0]
    return float((1 - same).mean()), float(first.mean()), float(second.mean())
