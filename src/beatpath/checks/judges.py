"""Who judged how much, how far judges agree, and which judge agrees far less than the others."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from beatpath._arrays import Ints
from beatpath._text import counted, listed, percent, quoted
from beatpath.checks.finding import CheckLimits, Finding, not_run
from beatpath.evidence import Battles
from beatpath.stats.agreement import percent_agreement, side_blind_alpha
from beatpath.stats.codes import dense, joint
from beatpath.stats.intervals import effective_number, wilson

UNITS = ("cluster", "task")


@dataclass(frozen=True, slots=True, eq=False)
class Verdicts:
    """One row a judge and unit: the verdict is 0 for the pair's first agent by name, 1 for the second, 2 for a tie."""

    judge: Ints
    unit: Ints
    value: Ints

    def counts(self) -> Ints:
        """Return how many judges gave each unit each verdict, shape (units, 3)."""
        n_units = int(self.unit.max(initial=-1)) + 1
        return np.bincount(self.unit * 3 + self.value, minlength=3 * n_units).reshape(n_units, 3)


def verdicts(battles: Battles) -> Verdicts:
    """Return the verdicts on units (same pair, same cluster and task) that two judges or more judged.

    A judge that judged a unit several times, perhaps in both orders, gives the verdict its outcomes lean to on
    average; where they balance, a tie.
    """
    names = [name for name in UNITS if name in battles.factors]
    keys = [battles.factors[name].codes for name in ("judge", *names)]
    known = np.all([key >= 0 for key in keys], axis=0)
    a, b, s = battles.a[known], battles.b[known], battles.outcome[known]
    unit, n_units = joint([np.minimum(a, b), np.maximum(a, b), *(key[known] for key in keys[1:])])
    code, n = dense(unit * max(len(battles.factors["judge"].levels), 1) + keys[0][known])
    row = np.zeros(n, dtype=np.int64)
    row[code] = np.arange(len(code))
    lean = np.bincount(code, np.where(a < b, s, 1 - s) - 0.5, minlength=n).round(9)
    shared = np.bincount(unit[row], minlength=n_units)[unit[row]] > 1
    value = np.select([lean > 0, lean < 0], [0, 1], 2)
    return Verdicts(keys[0][known][row][shared].astype(np.int64), dense(unit[row][shared])[0], value[shared])


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
