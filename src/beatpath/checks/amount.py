"""How much evidence there is, and how many rows never became evidence."""

from typing import Any

from beatpath._text import counted, percent, shown
from beatpath.checks.finding import Finding, not_run
from beatpath.checks.limits import Limits
from beatpath.evidence import Reading

SELF = "agent met itself"


def amount(n_agents: int, n_units: int, unit: str, figures: dict[str, Any]) -> Finding:
    """Say whether there are two agents and one unit of evidence at all."""
    sentence = f"{counted(n_agents, 'agent')} and {counted(n_units, unit)}."
    if n_agents >= 2 and n_units >= 1:
        return Finding("amount", "passed", sentence, "", figures)
    return Finding("amount", "failed", sentence, "There is nothing to compare: no method has an answer.", figures)


def self_battles(reading: Reading | None) -> Finding:
    """Say how many rows had an agent meet itself."""
    if reading is None:
        return not_run(
            "self-battles", "The evidence carries no account of its reading; it holds no self-battles itself."
        )
    n = int(reading.dropped.get(SELF, 0))
    figures = {"count": n, "rows": reading.rows_read}
    if not n:
        return Finding("self-battles", "passed", "No row had an agent meet itself.", "", figures)
    sentence = f"In {n:,} of {counted(reading.rows_read, 'row')} an agent met itself; these rows were left out."
    return Finding(
        "self-battles", "warning", sentence, "See that names are not cut short or merged in the source.", figures
    )


def dropped_rows(reading: Reading | None, limits: Limits) -> Finding:
    """Say how many rows could not be used, and why."""
    if reading is None:
        return not_run("dropped rows", "The evidence carries no account of its reading.")
    n, rows = sum(reading.dropped.values()), reading.rows_read
    figures = {"dropped": dict(reading.dropped), "count": n, "rows": rows}
    if not n:
        return Finding("dropped rows", "passed", f"Every one of {counted(rows, 'row')} was used.", "", figures)
    share = n / rows if rows else 0.0
    reasons = ", ".join(f"{shown(why)}: {count:,}" for why, count in sorted(reading.dropped.items()))
    sentence = f"{n:,} of {counted(rows, 'row')} ({percent(share)}) were left out ({reasons})."
    if share < limits.dropped:
        return Finding("dropped rows", "passed", sentence, "", figures)
    consequence = "If rows are missing for a reason that favours some agents, every result is tilted towards them."
    return Finding("dropped rows", "warning", sentence, consequence, figures)
