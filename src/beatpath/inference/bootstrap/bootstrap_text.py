"""Bootstrap results in words and as a table."""

from collections.abc import Callable
from functools import partial
from html import escape
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from beatpath._text import counted, percent, quoted, shown

if TYPE_CHECKING:
    from beatpath.inference.bootstrap.bootstrap_result import Bootstrap

LISTED = 3
FREQUENCIES = "These are frequencies over resamples: how the answer varies with the data drawn, not how probable it is to be true."


def sentences(found: "Bootstrap") -> tuple[str, ...]:
    """Return who is first or chosen how often, what these numbers are, and what went wrong."""
    head = f"{found.method} on {counted(found.draws, 'resample')} of {found.drawn}."
    points = f"{50 / found.answered**0.5:.2g} percentage points"
    drawing = f"Drawing only so many leaves a frequency a standard error of at most {points}."
    chosen = _chosen(found) if found.members else _first(found)
    return (head, *chosen, FREQUENCIES, drawing, *_wrong(found), *found.notes)


def table(found: "Bootstrap") -> str:
    """Return the sentences and a table as HTML, every name escaped."""
    columns = _columns(found)
    rows = "".join(
        f"<tr><td>{escape(shown(found.agents[i]))}</td>"
        + "".join(f"<td>{cell(i)}</td>" for cell in columns.values())
        + "</tr>"
        for i in _order(found)
    )
    head = "".join(f"<th>{escape(name)}</th>" for name in ("agent", *columns))
    return f'<p>{escape(found.sentence)}</p><table class="beatpath-bootstrap"><tr>{head}</tr>{rows}</table>'


def _first(found: "Bootstrap") -> list[str]:
    """Who is first how often, the most frequent before the others."""
    first, alone = found.first, found.first_alone
    order = [i for i in np.argsort(-first, kind="stable") if first[i] > 0]
    said = [
        f"{quoted(found.agents[i])} is first in {percent(first[i])} of them"
        + ("" if alone[i] == first[i] else f" (alone in {percent(alone[i])})")
        for i in order[:LISTED]
    ]
    more = f"; {counted(len(order) - LISTED, 'more agent')} at least once" if len(order) > LISTED else ""
    return ["; ".join(said) + more + ".", *_leader(found)]


def _chosen(found: "Bootstrap") -> list[str]:
    """Who is in each set how often."""
    sentences = []
    for name, frequency in found.membership.items():
        order = [i for i in np.argsort(-frequency, kind="stable") if frequency[i] > 0]
        said = ", ".join(f"{quoted(found.agents[i])} in {percent(frequency[i])}" for i in order[: 2 * LISTED])
        more = (
            f", and {counted(len(order) - 2 * LISTED, 'more agent')} at least once" if len(order) > 2 * LISTED else ""
        )
        sentences.append(f"In the {name.replace('_', ' ')}: {said}{more}.")
    return sentences


def _wrong(found: "Bootstrap") -> list[str]:
    """Which resamples have no answer, and which come with a remark."""
    said, failed = [], found.draws - found.answered
    if failed:
        why = "; ".join(f"{reason} ({times:,})" for reason, times in list(found.failures.items())[:LISTED])
        said.append(
            f"{failed:,} of {counted(found.draws, 'resample')} have no answer: {why}. Frequencies leave them out; bounds of "
            "scores and ranks count them as beyond."
        )
        if not found.members and failed >= (1 - found.level) / 2 * found.draws:
            said.append(f"They are more than {50 * (1 - found.level):g} %, so that a score has no bound at this level.")
    if found.caveats:
        remark, times = next(iter(found.caveats.items()))
        kinds = f" and {counted(len(found.caveats) - 1, 'more kind')} of remark" if len(found.caveats) > 1 else ""
        said.append(f"In {counted(times, 'resample')} the method adds: {remark}{kinds}.")
    return said


def _order(found: "Bootstrap") -> list[int]:
    """Agents as the evidence ranks them; sets by the frequency of membership."""
    if found.members:
        frequency = list(found.membership.values())
        return sorted(range(len(found.agents)), key=lambda i: ([-f[i] for f in frequency], found.agents[i]))
    return sorted(range(len(found.agents)), key=lambda i: (found.place[i], found.mean_rank[i], found.agents[i]))


def _columns(found: "Bootstrap") -> dict[str, Callable[[int], str]]:
    """Names of the columns of the table, and what stands in each for an agent."""
    if found.members:
        return {name.replace("_", " "): partial(_percent_of, frequency) for name, frequency in found.membership.items()}
    bounds, (best, worst), first = found.intervals(), found.ranks, found.first
    return {
        "score": lambda i: "" if np.isnan(found.score[i]) else f"{found.score[i]:.4g}",
        f"{100 * found.level:g} % interval": lambda i: _span(bounds.low[i], bounds.high[i]),
        "ranks": lambda i: f"{best[i]}" if best[i] == worst[i] else f"{best[i]} to {worst[i]}",
        "first": partial(_percent_of, first),
    }


def _percent_of(frequency: NDArray[np.float64], i: int) -> str:
    return percent(float(frequency[i]))


def _leader(found: "Bootstrap") -> list[str]:
    """The score of who is best on the evidence itself, where it has bounds."""
    best, bounds = _order(found)[0], found.intervals()
    if not (np.isfinite(bounds.low[best]) and np.isfinite(bounds.high[best])):
        return []
    span = _span(bounds.low[best], bounds.high[best])
    score = f"{quoted(found.agents[best])} scores {found.score[best]:.4g}"
    return [f"{score}; {100 * found.level:g} % percentile interval {span}."]


def _span(low: float, high: float) -> str:
    return "" if np.isnan(low) else f"{low:.4g} to {high:.4g}"
