"""Who judged how much, how far judges agree, and which judge agrees far less than the others."""

from typing import Any

import numpy as np

from beatpath._text import counted, listed, percent, quoted
from beatpath.checks.finding import CheckLimits, Finding, not_run
from beatpath.evidence import Battles
from beatpath.stats.agreement import percent_agreement, side_blind_alpha
from beatpath.stats.intervals import effective_number, wilson
from beatpath.stats.verdicts import Verdicts, shared_verdicts

UNITS = ("cluster", "task")


def verdicts(battles: Battles) -> Verdicts:
    """Return the verdicts on units (same pair, same cluster and task) that two judges or more judged."""
    keys = [battles.factors[name].codes for name in UNITS if name in battles.factors]
    return shared_verdicts(battles.factors["judge"].codes, battles.a, battles.b, battles.outcome, keys)


def judges(battles: Battles, limits: CheckLimits) -> Finding:
    """Say who judged, and whether one judge carries the evidence."""
    if "judge" not in battles.factors or not len(battles):
        return not_run("judges", "No column names the judges.")
    factor = battles.factors["judge"]
    sizes = np.bincount(factor.codes[factor.codes >= 0], minlength=len(factor.levels))
    if not sizes.sum():
        return not_run("judges", "No battle names its judge.")
    top = int(np.argmax(sizes))
    share = sizes[top] / sizes.sum()
    figures: dict[str, Any] = {"number": len(sizes), "effective": effective_number(sizes), "missing": factor.n_missing}
    figures |= {"largest": {"judge": factor.levels[top], "battles": sizes[top], "share": share}}
    figures |= {"min": sizes.min(), "median": np.median(sizes), "max": sizes.max()}
    sentence = (
        f"{counted(len(sizes), 'judge')} gave {counted(int(sizes.sum()), 'verdict')}; {quoted(factor.levels[top])} "
        f"gave {percent(float(share))} of them."
    )
    if len(sizes) > 1 and share <= max(limits.effective, 1.5 / len(sizes)):  # two judges never share exactly
        return Finding("judges", "passed", sentence, "", figures)
    consequence = "The result is mostly one judge's taste; more verdicts of the same judge do not make it surer."
    return Finding("judges", "warning", sentence, consequence, figures)


def judge_agreement(battles: Battles, limits: CheckLimits) -> Finding:
    """Say how far judges of the same unit agree beyond chance."""
    if "judge" not in battles.factors or not any(name in battles.factors for name in UNITS):
        return not_run("agreement", "Agreement needs a judge column and a cluster or task column.")
    found = verdicts(battles)
    if not len(found.unit):
        return not_run("agreement", "No two judges judged the same pair on the same cluster or task.")
    table = found.counts()
    share, alpha = percent_agreement(table), side_blind_alpha(table)
    outliers = low_judges(found, limits)
    names = [battles.factors["judge"].levels[judge] for judge in outliers]
    figures: dict[str, Any] = {"units": len(table), "agreement": share, "alpha": alpha}
    figures |= {"low judges": {name: value for name, value in zip(names, outliers.values(), strict=True)}}
    said = "is not defined (chance agreement is certain)" if np.isnan(alpha) else f"is {alpha:.2f}"
    sentence = (
        f"On {counted(len(table), 'unit')} with two judges or more, {percent(share)} of the pairs of verdicts agree; "
        f"Krippendorff's alpha {said}."
    )
    sentence += f" Far below the others: {listed(names)}." if names else ""
    if len(table) < limits.clusters:
        return Finding("agreement", "not run", f"{sentence} Too few to say more.", "", figures)
    if not names and not alpha < limits.alpha:
        return Finding("agreement", "passed", sentence, "", figures)
    consequence = "Single verdicts say little: results average over judges who differ, and depend on who they were."
    return Finding("agreement", "warning", sentence, consequence, figures)


def low_judges(found: Verdicts, limits: CheckLimits) -> dict[int, dict[str, float]]:
    """Return the judges that agree with others far less than the others agree among themselves.

    A judge's agreement is its mean over units; it is far lower when even the upper end of its Wilson interval, at a
    level divided among all judges, lies below the agreement among the others, and by `judge_gap` or more.
    """
    table = found.counts()
    agree = table[found.unit, found.value] - 1.0
    others = table.sum(axis=1)[found.unit] - 1.0
    n = np.bincount(found.judge)
    own = np.divide(np.bincount(found.judge, agree / others), n, out=np.ones(len(n)), where=n > 0)
    kept = others.sum() - 2 * np.bincount(found.judge, others)
    rest = np.divide(agree.sum() - 2 * np.bincount(found.judge, agree), kept, out=np.zeros(len(n)), where=kept > 0)
    level = 1 - (1 - limits.level) / max(int((n > 0).sum()), 1)
    low = np.flatnonzero(rest - own >= limits.judge_gap)
    far = [int(j) for j in low if wilson(float(own[j]), int(n[j]), level).high < rest[j]]
    return {j: {"agreement": own[j], "others": rest[j], "units": int(n[j])} for j in far}
