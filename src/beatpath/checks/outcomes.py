"""Checks of the amount of evidence, of dropped rows, and of outcomes: wins, ties, both bad, one-sided agents."""

from typing import Any

import numpy as np

from beatpath._arrays import Floats
from beatpath._text import counted, listed, percent, shown
from beatpath.checks.finding import CheckLimits, Finding, failed, judged, not_run, passed
from beatpath.evidence import Battles, Pairs, Reading
from beatpath.evidence.pairs import BOTH_BAD, LOSS, TIE, WIN
from beatpath.stats.codes import sums_by_code

SELF = "agent against itself"  # the reason under which self-battles are dropped
# what shares are of, in words
OUTCOMES = {
    "win a": "won by the first agent",
    "win b": "won by the second",
    "decided": "decided",
    "tie": "ties",
    "both bad": "both bad",
    "soft": "between a win and a loss",
}


def amount_of_evidence(n_agents: int, n_units: int, unit: str, figures: dict[str, Any]) -> Finding:
    """Report whether there are at least two agents and one unit of evidence."""
    sentence = f"{counted(n_agents, 'agent')} and {counted(n_units, unit)}."
    if n_agents >= 2 and n_units >= 1:
        return passed(sentence, figures)
    return failed(sentence, figures)


def self_battles(reading: Reading | None) -> Finding:
    """Report how many rows had an agent battle itself."""
    if reading is None:
        return not_run("The evidence has no record of how it was read; it holds no battle of an agent against itself.")
    n = int(reading.dropped.get(SELF, 0))
    figures = {"count": n, "rows": reading.rows_read}
    sentence = (
        f"In {n:,} of {counted(reading.rows_read, 'row')} an agent was compared with itself; these rows were left out."
    )
    return judged(not n, sentence, figures, "No row compares an agent with itself.")


def dropped_rows(reading: Reading | None, limits: CheckLimits) -> Finding:
    """Report how many rows could not be used, and why."""
    if reading is None:
        return not_run("The evidence has no record of how it was read.")
    n, rows = sum(reading.dropped.values()), reading.rows_read
    figures = {"dropped": dict(reading.dropped), "count": n, "rows": rows}
    if not n:
        return passed(f"Every row was used ({counted(rows, 'row')}).", figures)
    share = n / rows if rows else 0.0
    reasons = ", ".join(f"{shown(why)}: {count:,}" for why, count in sorted(reading.dropped.items()))
    sentence = f"{n:,} of {counted(rows, 'row')} ({percent(share)}) were left out ({reasons})."
    return judged(share < limits.dropped, sentence, figures)


def row_shares(battles: Battles) -> dict[str, float]:
    """Return the share of rows by outcome, for *a* and *b* as in the rows.

    >>> row_shares(Battles.of([("x", "y", 1), ("x", "y", 0.5), ("y", "x", 0.9), ("y", "x", 0)]))
    {'win a': 0.25, 'win b': 0.25, 'tie': 0.25, 'both bad': 0.0, 'soft': 0.25}
    """
    s = battles.outcome
    bad = np.zeros(len(s), dtype=bool) if battles.both_bad is None else battles.both_bad
    counts = {
        "win a": (s == 1).sum(),
        "win b": (s == 0).sum(),
        "tie": ((s == 0.5) & ~bad).sum(),
        "both bad": bad.sum(),
        "soft": ((s != 1) & (s != 0) & (s != 0.5)).sum(),
    }
    return {name: float(count) / max(len(s), 1) for name, count in counts.items()}


def pair_shares(pairs: Pairs) -> dict[str, float]:
    """Return the share of weight that was decided, tied and both bad; pairs do not record sides."""
    total = pairs.counts.sum(axis=0)
    whole = max(float(total.sum()), np.finfo(float).tiny)
    return {
        "decided": float(total[WIN] + total[LOSS]) / whole,
        "tie": float(total[TIE]) / whole,
        "both bad": float(total[BOTH_BAD]) / whole,
    }


def outcomes(shares: dict[str, float], n: int, unit: str = "battle") -> Finding:
    """Report the outcomes of battles, and whether anything was decided."""
    text = ", ".join(f"{percent(share)} {OUTCOMES[name]}" for name, share in shares.items() if share > 0)
    sentence = f"{counted(n, unit)}: {text}."
    if sum(share for name, share in shares.items() if name not in ("tie", "both bad")) > 0:
        return passed(sentence, {"shares": shares, "count": n})
    return failed(sentence, {"shares": shares, "count": n})


def ties(shares: dict[str, float], n: int, limits: CheckLimits) -> Finding:
    """Report whether there are so many ties that the tie policy decides the result."""
    tie, bad = shares["tie"], shares["both bad"]
    also = f" and {percent(bad)} are both bad" if bad else ""
    sentence = f"{percent(tie)} of {counted(n, 'battle')} are ties{also}."
    figures = {"tie": tie, "both bad": bad}
    return judged(tie + bad < limits.ties, sentence, figures)


def agent_totals(pairs: Pairs) -> Floats:
    """Return each agent's total weight of wins, losses, ties and both bad, shape (agents, 4).

    >>> agent_totals(Pairs(("ada", "bob"), [0], [1], [[3, 1, 2, 0]]))
    array([[3., 1., 2., 0.],
           [1., 3., 2., 0.]])
    """
    n = len(pairs.agents)
    turned = pairs.counts[:, [LOSS, WIN, TIE, BOTH_BAD]]
    return sums_by_code(pairs.a, pairs.counts, n) + sums_by_code(pairs.b, turned, n)


def one_sided(agents: tuple[str, ...], totals: Floats, unit: str = "battle") -> Finding:
    """Report agents that won, or lost, every battle; a tie is neither."""
    played = totals.sum(axis=1)
    figures = {
        f"always {how}": [agents[i] for i in np.flatnonzero((played > 0) & (totals[:, kind] == played))]
        for how, kind in (("won", WIN), ("lost", LOSS))
    }
    parts = [f"{listed(who)} {name.removeprefix('always ')} every {unit}" for name, who in figures.items() if who]
    return judged(not parts, f"{'; '.join(parts)}.", figures, f"No agent won or lost every {unit}.")
