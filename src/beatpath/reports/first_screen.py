"""The first screen of a report: a subtitle, tiles with the main figures, claims, and whether the checks passed."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from beatpath._sentence import Name, named, plain_text, together
from beatpath._text import counted
from beatpath.analysis.questions import REACH
from beatpath.inference.design.power import about
from beatpath.inference.resolve.who_is_first import (
    FirstPlace,
    brief_measure,
    cycle_at_the_top,
    first_place,
    likeliest_first,
    score_text,
)
from beatpath.reports.view import View
from beatpath.reports.words import board_note, board_table, tiers_note

if TYPE_CHECKING:
    from beatpath.analysis.analysis import Analysis
    from beatpath.inference.resolve.pairwise_resolution import PairwiseResolution

GOOD, CARE, BAD, PLAIN = "good", "care", "bad", "plain"  # what a tile means for the reader, as a class of the page


class Tile(NamedTuple):
    """One main figure: its value, what it counts, whether it is good news, and the section with the evidence."""

    value: str
    label: str
    tone: str
    section: str


class ClaimLine(NamedTuple):
    """A claim that a reader may want to make, whether the board supports it, and why not."""

    parts: tuple[str, ...]
    supported: bool
    why: tuple[str, ...] = ()


def subtitle(report: "Analysis") -> tuple[str, ...]:
    """Return who has the highest score, who else may be first, and how many certainly are not."""
    found = _first(report)
    if found is None:
        return () if report.verdict[0] == report.answer else report.verdict[0].parts
    resolution, place = found
    ranks, lead, n = resolution.ranks, place.leaders[0], len(place.agents)
    others, rest = [name for name in place.may if name not in place.leaders], n - len(place.may)
    battles = next(row.battles for row in report.board if row.agent == lead)
    few = "" if lead in likeliest_first(resolution, place) else f" in only {counted(battles or 0, report.unit)}"
    measure, value, one = brief_measure(resolution), score_text(ranks, lead, short=True), len(place.leaders) == 1
    score = f" {'has' if one else 'have'} the highest {measure} ({value}{few})"
    # the title names the measure and, unless all are equal, the agents
    if f"by {measure}" in report.answer.text and (lead in report.answer.parts or len(place.leaders) == n):
        score = f" {'scores' if one else 'score'} {value}{few}"
    start = (*named(place.leaders, 3), score)
    if not others and rest:
        after = next(name for name in place.agents if name not in place.may)
        return (*start, "; next is ", Name(after), f" ({score_text(ranks, after, short=True)}).")
    too = together([(Name(name), f" ({score_text(ranks, name, short=True)})") for name in others], 3)
    end = " The other one is certainly not." if rest == 1 else f" The other {rest:,} are certainly not."
    return (*start, *(("; ", *too, " may be first as well.") if others else (".",)), end if rest else "")


def tiles(report: "Analysis") -> list[Tile]:
    """Return the main figures: first place, certain pairs, cycles, checks, and what would settle first place."""
    resolution, tiles = report.resolution, []
    if resolution is not None:
        ranks, parts = resolution.ranks, len(resolution.matrix.parts)
        may = len(ranks.top(1))
        in_order = f"{'pair' if ranks.pairs == 1 else 'pairs'} in a certain order"
        is_first = ("may be first", CARE) if may > 1 else ("certainly first", GOOD)
        tiles = [
            Tile(f"{parts:,} groups", "never compared with each other", BAD, "trust")
            if parts > 1
            else Tile(f"{may:,} of {len(ranks.agents):,}", *is_first, "board"),
            Tile(f"{ranks.resolved_pairs:,} of {ranks.pairs:,}", in_order, PLAIN, "pairs"),
        ]
        tiles += [_cycle_tile(resolution)] if resolution.cycles.triads else []
    return [*tiles, _check_tile(report), *_plan_tile(report)]


def _cycle_tile(resolution: "PairwiseResolution") -> Tile:
    real, apparent = resolution.cycles.significant, resolution.cycles.observed
    of = f"certain, of {apparent:,} apparent" if apparent else "among three agents"
    return Tile(counted(real, "cycle"), of, CARE if real else PLAIN if apparent else GOOD, "core")


def _check_tile(report: "Analysis") -> Tile:
    failed, warned = (len(report.check.having(status)) for status in ("failed", "warning"))
    run = len(report.check.findings) - len(report.check.having("not run"))
    if failed or warned:
        what = f"{failed:,} failed" if failed else counted(warned, "warning")
        return Tile(what, f"of {counted(run, 'check')}", BAD if failed else CARE, "trust")
    return Tile(counted(run, "check"), "without a warning", GOOD, "trust")


def _plan_tile(report: "Analysis") -> list[Tile]:
    leaders, number = report.plan.leaders, report.plan.number
    first_is_certain = report.resolution is not None and report.resolution.ranks.certainly_top(1)
    if leaders is None or leaders.certain or leaders.spread is None or first_is_certain:
        return []
    value = f"> {REACH // 10**6} million" if number is None else f"+{about(number).split()[0]}"
    return [Tile(value, f"more battles{report.plan.beyond} to separate the first two", PLAIN, "change")]


def claims(report: "Analysis") -> list[ClaimLine]:
    """Return claims that the board supports at its own confidence, then a tempting one that it does not."""
    found = _first(report)
    if found is None:
        return []
    resolution, place = found
    ranks, order, lead = resolution.ranks, place.agents, likeliest_first(resolution, place)[0]
    top, cycle = int(ranks.worst[ranks.index(lead)]), cycle_at_the_top(resolution)
    others = [name for name in place.may if name != lead]
    above = lead if others else order[1]
    below = next((name for name in order if ranks.certain(above, name)), None)
    holding: list[tuple[str, ...]] = [] if others else [(Name(lead), " is first.")]
    if cycle is not None:
        holding.append((*together([(Name(e.winner), " beats ", Name(e.loser)) for e in cycle.edges]), " head to head."))
    holding += [] if below is None else [(Name(above), " is above ", Name(below), ".")]
    holding += [(Name(lead), f" is in the top {top}.")] if others and 1 < top <= len(order) // 2 else []
    lines = [ClaimLine(parts, True) for parts in holding]
    if others:
        few = len(others) < max(len(order) - 1, 3)
        why = (*named(others, 2), " may be first too") if few else ("any other may be first",)
        return [*lines, ClaimLine((Name(lead), " is the best."), False, why)]
    close = [(x, y) for x, y in pairwise(order[1:]) if not ranks.certain(x, y)]
    return [*lines, *(ClaimLine((Name(x), " is above ", Name(y), "."), False) for x, y in close[:1])]


def _first(report: "Analysis") -> "tuple[PairwiseResolution, FirstPlace] | None":
    """The resolution and who may be first, if comparisons connect the agents and some have a score."""
    resolution = report.resolution
    if resolution is None or len(report.board) < 2 or len(resolution.matrix.parts) > 1:
        return None
    place = first_place(resolution.ranks, resolution.matrix.part)[0]
    return (resolution, place) if place.leaders else None


def trust_line(report: "Analysis") -> str:
    """Return what limits the conclusions, and what the checks of the data found."""
    failed, warned = ([one.name for one in report.check.having(status)] for status in ("failed", "warning"))
    if report.resolution is None:
        return "Not the order: the data do not show its uncertainty."
    limits = [*report.resolution.warnings]
    if failed:
        return " ".join([f"Not before you read {counted(len(failed), 'failed check')}: {', '.join(failed)}.", *limits])
    if warned:
        names = ", ".join(warned[:3]) + (f" and {len(warned) - 3:,} more" if len(warned) > 3 else "")
        limits.append(f"{counted(len(warned), 'check warns', 'checks warn')} ({names}).")
    return " ".join(["With care.", *limits]) if limits else "Yes: the checks of the data passed without a warning."


def report_view(report: "Analysis") -> View:
    """Return the first screen of a report for a notebook."""
    notes = [note for note in (board_note(report), tiers_note(report)) if note]
    return View(report.answer, _facts(report), [board_table(report)], notes, names=report.agents)


def written_view(report: "Analysis", paths: Sequence[str]) -> View:
    """Return the first screen of a report that was written to these paths, without its board; why is a detail."""
    why = View(facts=[f"{sentence} ({sentence.mark})" for sentence in report.verdict])
    return View(report.answer, _facts(report), notes=paths, details=why, names=report.agents)


def _facts(report: "Analysis") -> list[str]:
    """Return the subtitle, the tiles and the line on trust, as text."""
    figures = " · ".join(f"{tile.value} {tile.label}" for tile in tiles(report))
    trust = f"Can you trust this? {trust_line(report)}"
    return [text for text in (plain_text(subtitle(report)), figures, trust) if text]
