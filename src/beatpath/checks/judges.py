"""Who judged how much, how far judges agree, and which judge agrees far less than the others."""

from typing import Any

import numpy as np

from beatpath._text import confidence, counted, listed, percent, quoted
from beatpath.checks.finding import CheckLimits, Finding, not_run
from beatpath.evidence import Battles
from beatpath.stats.agreement import percent_agreement, side_blind_alpha
from beatpath.stats.codes import apart, joint
from beatpath.stats.intervals import effective_number, wilson
from beatpath.stats.judges.alarms import alarms_of
from beatpath.stats.judges.examined import KIN, LEAST, POSITION, examined
from beatpath.stats.judges.votes import Parts, Votes, counted_votes, in_parts, with_kin
from beatpath.stats.verdicts import Verdicts, shared_verdicts

UNITS = ("cluster", "task")
MOST_AGENTS = 2000  # whose strengths are fitted
SHOWN = 5  # judges that a sentence names


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


def single_judges(battles: Battles, limits: CheckLimits) -> Finding:
    """Say which judges do not follow the consensus of the others, always give one answer, or favour a side or their own kin."""
    name = "single judges"
    if "judge" not in battles.factors or len(battles.factors["judge"].levels) < 2:
        return not_run(name, "Judges are held against each other; no column names two or more.")
    if len(battles.agents) > MOST_AGENTS:
        return not_run(name, f"Judges are held against strengths of at most {MOST_AGENTS:,} agents.")
    rows = np.flatnonzero(battles.factors["judge"].codes >= 0)
    votes, columns, parts = _votes(battles.take(rows) if len(rows) < len(battles) else battles)
    if not votes.n.any():
        return not_run(name, "Every battle is a tie.")
    found = examined(votes, columns, parts, error=1 - limits.level)
    levels = battles.factors["judge"].levels
    n, few = len(found.judge), len(levels) - len(found.judge)
    if not n:
        return not_run(name, f"No judge voted for either side {LEAST} times or more.")
    said = {levels[j]: alarms_of(votes, found, k, limits.level) for k, j in enumerate(found.judge.tolist())}
    out = {judge: alarms for judge, alarms in said.items() if alarms}
    slope = found.estimate[:, 0]
    figures: dict[str, Any] = {"judges": n, "too few votes": few, "falls out": {k: list(v) for k, v in out.items()}}
    figures["reliability"] = {} if np.isnan(slope).all() else {"min": np.nanmin(slope), "max": np.nanmax(slope)}
    error = confidence(1 - limits.level)
    if not out:
        sentence = (
            f"None of {counted(n, 'judge')} falls out when held against the others (false alarms: {error} over all)."
        )
        return Finding(name, "passed", sentence, "", figures)
    told = "; ".join(f"{quoted(judge)} {' and '.join(alarms)}" for judge, alarms in list(out.items())[:SHOWN])
    more = f"; and {len(out) - SHOWN:,} more" if len(out) > SHOWN else ""
    verb = "falls" if len(out) == 1 else "fall"
    sentence = f"{len(out):,} of {counted(n, 'judge')} {verb} out (false alarms: {error} over all): {told}{more}."
    consequence = (
        "Their votes count as much as anyone's: look at them, or weigh judges with `rank --judges reliability`."
    )
    return Finding(name, "warning", sentence, consequence, figures)


def _votes(battles: Battles) -> tuple[Votes, tuple[str, ...], Parts | None]:
    """The votes counted, with the order shown and the judge's own name among agents as columns where there are any."""
    factor, ordered = battles.factors["judge"], battles.position is not None and bool(battles.position.any())
    x = None if not ordered or battles.position is None else battles.position.astype(np.float64)[:, None]
    keys = [apart(battles.factors[name].codes) for name in UNITS if name in battles.factors]
    together = joint(keys)[0] if keys else None
    a, b, outcome = battles.a, battles.b, battles.outcome
    votes, cell = counted_votes(
        factor.codes, a, b, outcome, x, n_agents=len(battles.agents), n_judges=len(factor.levels)
    )
    parts = None if together is None else in_parts(cell, together, a, b, outcome)
    columns = [POSITION] if ordered else []
    place = {agent: k for k, agent in enumerate(battles.agents)}
    own = np.array([place.get(judge, -1) for judge in factor.levels])
    kin = with_kin(votes, own[:, None] == np.arange(len(battles.agents))[None, :], len(columns))
    return (votes, tuple(columns), parts) if kin is None else (kin, (*columns, KIN), parts)


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
