"""Checks of the order in time: adaptive sampling and drift; see `beatpath.evidence_design.adaptive_sampling` and `drift`."""

import numpy as np

from beatpath._text import counted, joined, quoted
from beatpath.checks.finding import CheckLimits, Finding, not_run, passed, warning
from beatpath.evidence import Battles
from beatpath.evidence_design.adaptive_sampling import LEAST, adaptive_sampling, equal_meetings
from beatpath.stats.drift import Trend, detectable_change, trends

NAMED = 3  # trends that a sentence lists


def schedule(battles: Battles, limits: CheckLimits) -> Finding:
    """Report whether the schedule depended on outcomes (adaptive sampling), at an error rate of one minus the level."""
    met = equal_meetings(battles)
    if met > 1:
        equal = f"Every compared pair has {met:,} battles, so outcomes did not influence how often a pair was compared."
        return passed(equal, {"battles": len(battles), "meetings of every pair": met})
    test = adaptive_sampling(battles)
    if test is None:
        return not_run(f"Fewer than {LEAST} battles repeat a pair: too few to test for adaptive sampling.")
    figures = {
        "battles": test.battles,
        "p": test.p_value,
        "by": "row" if battles.time is None else "time",
        **{name: {"seen": observed, "otherwise": other} for name, (observed, other) in test.statistics.items()},
    }
    of = f"The order of {counted(test.battles, 'battle')}"
    if test.p_value > 1 - limits.level:
        return passed(f"{of} shows no adaptive sampling (p = {test.p_value:.2g}).", figures)
    sentence = (
        f"{of} suggests adaptive sampling, pairs chosen by earlier outcomes (p = {test.p_value:.2g}): {test.sign}."
    )
    return warning(sentence, figures)


def drift(battles: Battles, limits: CheckLimits) -> Finding:
    """Report whether strengths, ties or position bias changed with time, at family-wise error one minus the level."""
    if battles.time is None:
        return not_run("Drift needs a column for the time.")
    timed = battles.take(np.flatnonzero(~np.isnan(battles.time)))
    assert timed.time is not None
    cluster = timed.factors["cluster"].codes if "cluster" in timed.factors else None
    changes = trends(timed.a, timed.b, timed.outcome, timed.time, timed.position, cluster)
    if not changes:
        return not_run("Too few battles repeat a pair at different times with different outcomes.")
    error = 1 - limits.level
    significant = [one for one in changes if one.adjusted <= error]
    reach = detectable_change(changes, error)
    figures = {
        "tests": len(changes),
        "p": changes[0].adjusted,
        "seen with power": reach,
        "trends": [
            {
                "of": one.what if one.agent is None else battles.agents[one.agent],
                "what": one.what,
                "change": one.change,
                "error": one.error,
                "p": one.adjusted,
            }
            for one in changes
        ],
    }
    looked = f"{counted(len(changes), 'share')} tested within pairs that were compared again"
    if not significant:
        power = f"; for half of them a change of {100 * reach:.0f} percentage points is detected with 80 % power"
        text = f"No change over time is significant among {looked} ({p_text(changes[0].adjusted)})"
        return passed(f"{text}{power if reach < 1 else ''}.", figures)
    text = joined([_trend_text(one, battles) for one in significant], NAMED)
    sentence = f"From early to late, {text} ({looked}; {p_text(changes[0].adjusted)})."
    return warning(sentence, figures)


def p_text(p: float) -> str:
    """Return a p-value as text, as precise as a normal approximation allows.

    >>> p_text(0.012), p_text(1e-20)
    ('p = 0.012', 'p < 1e-10')
    """
    return f"p = {p:.2g}" if p >= 1e-10 else "p < 1e-10"


def _trend_text(one: Trend, battles: Battles) -> str:
    """What changed, and by how much.

    >>> _trend_text(Trend(0, "strength", -0.123, 0.02, 0.0), Battles.of([("ada", "bob", 1)]))
    "the win rate of 'ada' fell by 12.3 percentage points"
    """
    of = {
        "ties": "the share of ties",
        "position": "the share won by the side shown first",
        "strength": "" if one.agent is None else f"the win rate of {quoted(battles.agents[one.agent])}",
    }
    return f"{of[one.what]} {'rose' if one.change > 0 else 'fell'} by {100 * abs(one.change):.1f} percentage points"
