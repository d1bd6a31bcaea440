"""Whether the schedule seems to follow the outcomes; see `beatpath.stats.steering`."""

from beatpath._text import counted
from beatpath.checks.finding import CheckLimits, Finding, not_run
from beatpath.evidence import Battles
from beatpath.stats.steering import LEAST, steering


def schedule(battles: Battles, limits: CheckLimits) -> Finding:
    """Say whether outcomes seem to have steered who met whom, at an error of one less the level."""
    found = steering(battles.a, battles.b, battles.outcome, battles.time)
    if found is None:
        return not_run(
            "schedule", f"Fewer than {LEAST} battles are of pairs that met again: too few to see a schedule."
        )
    figures = {
        "battles": found.battles,
        "p": found.p_value,
        "by": "row" if battles.time is None else "time",
        **{name: {"seen": seen, "otherwise": other} for name, (seen, other) in found.figures.items()},
    }
    of = f"the order of {counted(found.battles, 'battle')}"
    if found.p_value > 1 - limits.level:
        return Finding(
            "schedule",
            "passed",
            f"Nothing in {of} says that outcomes steered who met whom (p = {found.p_value:.2g}).",
            "",
            figures,
        )
    sentence = f"By {of}, outcomes seem to have steered who met whom (p = {found.p_value:.2g}): {found.sign}."
    consequence = "Errors that are printed take the schedule as given beforehand, and are then too small."
    return Finding("schedule", "warning", sentence, consequence, figures)
