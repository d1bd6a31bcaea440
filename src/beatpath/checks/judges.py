r"""Checks of judges.

They report how much each judged, how far they agree, which judge deviates, and whether there is position bias.

The plain share of decided battles won by the side shown first confounds position with strength if stronger agents
were shown first more often. The *balanced* share compares each pair with itself in the other order; see
`beatpath.stats.balanced_share`. A soft preference counts for the side it favors.
"""

from typing import Any

import numpy as np

from beatpath._arrays import Floats
from beatpath._errors import DataError
from beatpath._text import counted, listed, percent
from beatpath.checks.finding import CheckLimits, Finding, judged, not_run, warning, with_most
from beatpath.evidence import Battles
from beatpath.methods.rating.judged import UNITS, verdicts, voted
from beatpath.stats.agreement import percent_agreement, side_blind_alpha
from beatpath.stats.balanced_share import Shown, balanced_share
from beatpath.stats.codes import apart, dense, joint, sums_by_code
from beatpath.stats.intervals import Interval, effective_number, jackknife_error, wilson
from beatpath.stats.judges.examined import LEAST, alarms_of, examined, flagged
from beatpath.stats.verdicts import Verdicts

GROUPS = ("cluster", "task", "judge")  # columns that may group battles, in order of preference


def judges(battles: Battles, limits: CheckLimits) -> Finding:
    """Report who judged, and whether one judge dominates the evidence."""
    if "judge" not in battles.factors:
        return not_run("No column names the judges.")
    factor = battles.factors["judge"]
    sizes = np.bincount(factor.codes[factor.codes >= 0], minlength=len(factor.levels))
    if not sizes.sum():
        return not_run("No battle names its judge.")
    top, most = with_most(sizes, factor.levels), sizes.max()
    share = most / sizes.sum()
    figures: dict[str, Any] = {"number": len(sizes), "effective": effective_number(sizes), "missing": factor.n_missing}
    figures |= {"largest": {"judges": top, "battles": most, "share": share}}
    figures |= {"min": sizes.min(), "median": np.median(sizes), "max": sizes.max()}
    sentence = (
        f"{counted(len(sizes), 'judge')} gave {counted(int(sizes.sum()), 'verdict')}; {listed(top, 3)} "
        f"{'gave' if len(top) == 1 else 'each gave'} {percent(float(share))} of them."
    )
    fine = len(sizes) > 1 and share <= max(limits.effective, 1.5 / len(sizes))  # two judges never share exactly
    return judged(fine, sentence, figures)


def judge_agreement(battles: Battles, limits: CheckLimits) -> Finding:
    """Report how far judges of the same unit agree beyond chance."""
    if "judge" not in battles.factors or not any(name in battles.factors for name in UNITS):
        return not_run("Agreement needs a judge column and a cluster or task column.")
    votes_shared = verdicts(battles)
    if not len(votes_shared.unit):
        return not_run("No two judges judged the same pair on the same cluster or task.")
    table = votes_shared.counts()
    share, alpha = percent_agreement(table), side_blind_alpha(table)
    outliers = low_judges(votes_shared, limits)
    names = [battles.factors["judge"].levels[judge] for judge in outliers]
    figures: dict[str, Any] = {"units": len(table), "agreement": share, "alpha": alpha}
    figures |= {"low judges": {name: value for name, value in zip(names, outliers.values(), strict=True)}}
    text = "is not defined (chance agreement is certain)" if np.isnan(alpha) else f"is {alpha:.2f}"
    sentence = (
        f"On {counted(len(table), 'comparison')} with two judges or more, {percent(share)} of the pairs of verdicts agree; "
        f"Krippendorff's alpha {text}."
    )
    sentence += f" Agreement far below the others: {listed(names)}." if names else ""
    if len(table) < limits.clusters:
        return not_run(f"{sentence} These are too few to conclude anything.", figures)
    return judged(not names and not alpha < limits.alpha, sentence, figures)


def single_judges(battles: Battles, limits: CheckLimits) -> Finding:
    """Report judges that disagree with the others, always give one answer, or favor a side or their own family."""
    try:
        data = voted(battles)
    except DataError as error:
        return not_run(f"{str(error)[:1].upper()}{str(error)[1:]}")
    votes, levels = data.votes, data.battles.factors["judge"].levels
    tests = examined(votes, data.columns, data.clusters, error=1 - limits.level)
    n, few = len(tests.judge), len(levels) - len(tests.judge)
    if not n:
        return not_run(f"No judge cast {LEAST} or more votes that are not ties.")
    order = np.argsort(-votes.decided()[tests.judge], kind="stable").tolist()
    alarms = {levels[tests.judge[k]]: alarms_of(votes, tests, k, limits.level) for k in order}
    out = {judge: list(texts) for judge, texts in alarms.items() if texts}
    slope = tests.estimate[:, 0]
    figures: dict[str, Any] = {"judges": n, "too few votes": few, "flagged": out}
    figures["reliability"] = {} if np.isnan(slope).all() else {"min": np.nanmin(slope), "max": np.nanmax(slope)}
    return judged(not out, flagged(alarms, n, limits.level), figures)


def low_judges(shared: Verdicts, limits: CheckLimits) -> dict[int, dict[str, float]]:
    """Return the judges that agree with others far less than the others agree among themselves.

    A judge's agreement is its mean over units. It is flagged if even the upper end of its Wilson interval, at a level
    divided among all judges, is below the agreement among the others by at least `judge_gap`.
    """
    table = shared.counts()
    agree = table[shared.unit, shared.value] - 1.0
    others = table.sum(axis=1)[shared.unit] - 1.0
    n = np.bincount(shared.judge)
    own = np.divide(np.bincount(shared.judge, agree / others), n, out=np.ones(len(n)), where=n > 0)
    remaining = others.sum() - 2 * np.bincount(shared.judge, others)
    others = agree.sum() - 2 * np.bincount(shared.judge, agree)
    rest = np.divide(others, remaining, out=np.zeros(len(n)), where=remaining > 0)
    level = 1 - (1 - limits.level) / max(int((n > 0).sum()), 1)
    low = np.flatnonzero(rest - own >= limits.judge_gap)
    far = [int(j) for j in low if wilson(float(own[j]), int(n[j]), level).high < rest[j]]
    return {j: {"agreement": own[j], "others": rest[j], "units": int(n[j])} for j in far}


def grouping(battles: Battles, limits: CheckLimits) -> str | None:
    """Return the column whose groups are independent of each other, or ``None`` if the battles themselves are.

    It is the cluster, otherwise the task, otherwise the judge; a few judges are not a sample of judges and do not
    count.
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


def first_share(sides: Shown, level: float) -> Interval:
    """Return the share won by the side shown first, with a Wilson interval on the effective sample size.

    The variance between clusters is a jackknife estimate; the battles are worth ``n / D`` independent ones, with *D*
    its ratio to the binomial variance. If it vanishes, each cluster counts as one battle.
    """
    n, share = len(sides.won), float(sides.won.mean())
    if sides.cluster is None:
        return wilson(share, n, level)
    size = np.bincount(sides.cluster).astype(np.float64)
    won = sums_by_code(sides.cluster, sides.won, len(size))
    if len(size) < 2:
        return Interval(share, 0.0, 1.0)
    df = max(effective_number(size) - 1, 1.0)
    variance = jackknife_error((won.sum() - won) / (n - size)) ** 2
    worth = share * (1 - share) / variance if variance > 1e-15 else float(len(size))
    return wilson(share, min(worth, n) if 0 < share < 1 else len(size), level, df)


def position_bias(battles: Battles, limits: CheckLimits) -> Finding:
    """Report whether the side shown first is preferred, other things being equal."""
    if battles.position is None or not (battles.position != 0).any():
        return not_run("No column says which side was shown first.")
    sides = decided(battles, limits)
    if not len(sides.won):
        return not_run("No battle with a known order was decided.")
    plain, balanced = first_share(sides, limits.level), balanced_share(sides, limits.level)
    figures: dict[str, Any] = {"battles": len(sides.won), "share": plain.to_dict()}
    figures["grouped by"] = grouping(battles, limits)
    figures["balanced"] = None if balanced is None else balanced.to_dict()
    sentence = f"The side shown first won {plain.in_percent} of {counted(len(sides.won), 'decided battle')}"
    if balanced is None:
        sentence += "; too few pairs were shown in both orders to compare the orders."
        consequence = "Position and strength cannot be distinguished: show every pair in both orders."
        return warning(sentence, figures, consequence)
    sentence += f", and {balanced.in_percent} when each pair is compared between its two orders."
    apart = abs(balanced.estimate - 0.5) >= limits.position
    return judged(not apart or balanced.low <= 0.5 <= balanced.high, sentence, figures)


def order_flips(battles: Battles, limits: CheckLimits) -> Finding:
    """Report how often a verdict changed if a judge saw a pair in both orders on the same cluster or task."""
    names = [name for name in GROUPS if name in battles.factors]
    if battles.position is None or not set(names) & {"cluster", "task"}:
        return not_run("Flips need a column for the order shown and one for cluster or task.")
    table = both_orders(battles, names)
    if not len(table):
        return not_run("No pair was judged in both orders on the same cluster or task.")
    changed, first, second = flip_shares(table)
    share = wilson(changed, len(table), limits.level)
    figures = {"units": len(table), "changed": share.to_dict(), "to first": first, "to second": second}
    sentence = (
        f"Of {counted(len(table), 'comparison')} judged in both orders, {percent(changed)} changed verdict: {percent(first)} "
        f"chose the side shown first both times, {percent(second)} the side shown second."
    )
    if len(table) < limits.clusters:
        return not_run(f"{sentence} These are too few to conclude anything.", figures)
    return judged(share.low < limits.flips, sentence, figures)


def both_orders(battles: Battles, names: list[str]) -> Floats:
    """Return verdict counts of each unit seen in both orders, shape (units, 2 orders, 3 verdicts)."""
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

    If a unit was judged several times in an order, every verdict of one order is compared with every one of the
    other.

    >>> flip_shares(np.array([[[1, 0, 0], [0, 1, 0]], [[0, 1, 0], [0, 1, 0]]]))
    (0.5, 0.5, 0.0)
    """
    rate = table / table.sum(axis=2, keepdims=True)
    same = (rate[:, 0] * rate[:, 1]).sum(axis=1)
    first, second = rate[:, 0, 0] * rate[:, 1, 1], rate[:, 0, 1] * rate[:, 1, 0]
    return float((1 - same).mean()), float(first.mean()), float(second.mean())
