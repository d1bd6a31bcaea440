"""Results as Markdown and as pictures: ratios beside every time, and where we are not ahead it says so."""

import json
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from measure import Goal, Row

BEHIND = "not ahead"


def table(rows: Sequence[Row], *, wide: bool = False) -> str:
    """Return rows as a table: a line each, or, `wide`, a line a case and a column a library.

    A row that stands twice, in two panels of a picture, is shown once.
    """
    shown: dict[tuple[str, str], Row] = {}
    for one in rows:
        shown.setdefault((one.case, one.route), one)
    return "\n".join((_wide if wide else _long)(list(shown.values())))


def _long(rows: Sequence[Row]) -> list[str]:
    lines = ["| case | library | seconds (min to max) | over beatpath (CPU) | CPU s | peak MB (added) | answer |"]
    lines += ["| --- | --- | --: | --: | --: | --: | --- |"]
    last = None
    for one in rows:
        took = _span(one.seconds) or one.note
        memory = "" if one.peak is None else f"{one.peak:.0f} ({one.added:.0f})"
        answer = one.answer + (f"; {one.note}" if one.note and one.seconds else "")
        cells = [
            one.case if one.case != last else "",
            one.route,
            took,
            _times(one, _ours(rows, one.case)),
            _short(one.cpu),
            memory,
        ]
        lines.append(f"| {' | '.join([*cells, answer if one.agrees else f'**{answer}: disagrees**'])} |")
        last = one.case
    return lines


def _wide(rows: Sequence[Row]) -> list[str]:
    routes = list(dict.fromkeys(one.route for one in rows))
    lines = [f"| case | {' | '.join(f'{route} s' for route in routes)} | best peer over beatpath (CPU) |"]
    lines += [f"| --- | {' | '.join('--:' for _ in routes)} | --: |"]
    for case in dict.fromkeys(one.case for one in rows):
        here = {one.route: one for one in rows if one.case == case}
        cells = [_short(here[r].median) or here[r].note if r in here else "" for r in routes]
        peers = [one for one in here.values() if one.median is not None and not one.ours]
        best = min(peers, key=lambda one: one.median or 0.0, default=None)
        wrong = [f"**{one.route} disagrees**" for one in here.values() if not one.agrees]
        notes = [one.note for one in here.values() if one.note and one.seconds]
        last = "; ".join([*([_times(best, _ours(rows, case))] if best else []), *wrong, *notes])
        lines.append(f"| {case} | {' | '.join(cells)} | {last} |")
    return lines


def _ours(rows: Sequence[Row], case: str) -> Row | None:
    """Our row of a case that others answered too."""
    here = [one for one in rows if one.case == case]
    return next((one for one in here if one.ours and one.median), None) if len(here) > 1 else None


def _times(one: Row, ours: Row | None) -> str:
    """How many times as long as ours, in wall and in processor seconds, and whether that is not ahead."""
    if one.median is None or ours is None or not ours.median:
        return ""
    times = one.median / ours.median
    text = _few(times) + (f" ({_few(one.cpu / ours.cpu)})" if one.cpu and ours.cpu else "")
    return f"**{text}, {BEHIND}**" if times < 1 and not one.ours else text


def _few(times: float) -> str:
    return f"{times:,.0f}" if times >= 20 else f"{times:.2g}"


def _span(seconds: Sequence[float]) -> str:
    if not seconds:
        return ""
    low, middle, high = min(seconds), median(seconds), max(seconds)
    return _short(middle) if len(seconds) == 1 else f"{_short(middle)} ({_short(low)} to {_short(high)})"


def _short(value: float | None) -> str:
    """Three digits, as seconds need them."""
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}" if value >= 1e-3 else f"{value:.1e}"


def goals(reached: Sequence[Goal]) -> str:
    """Return goals as a table, or nothing where there are none."""
    if not reached:
        return ""
    lines = ["| goal | required | measured | |", "| --- | --: | --: | --- |"]
    for one in reached:
        sense = "at least" if one.at_least else "at most"
        lines.append(
            f"| {one.what} | {sense} {one.limit:g} | {_short(one.value)} | {'met' if one.met else '**missed**'} |"
        )
    return "\n".join(lines)


def picture(rows: Sequence[Row], file: Path) -> bool:
    """Draw seconds and peak memory against size, a panel a kind of work; False where no work has two sizes."""
    import vl_convert

    plotted = [one for one in rows if one.seconds and one.size is not None]
    works = [w for w in dict.fromkeys(one.work for one in plotted) if len({o.size for o in plotted if o.work == w}) > 1]
    panels = [_panel(plotted, work, field, title) for field, title in MEASURES for work in works]
    if not panels:
        return False
    spec = {"concat": panels, "columns": len(works), "config": {"view": {"continuousWidth": 170}}}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(vl_convert.vegalite_to_svg(spec))
    return True


MEASURES = (("seconds", "seconds"), ("memory", "peak memory, MB"))


def _panel(rows: Sequence[Row], work: str, field: str, title: str) -> dict[str, Any]:
    here = [one for one in rows if one.work == work]
    values = [{"size": o.size, "route": o.route, "seconds": o.median, "memory": o.peak} for o in here]
    log = {"type": "quantitative", "scale": {"type": "log"}}
    axis = {"values": sorted({o.size for o in here}), "format": "~s", "labelOverlap": True}
    return {
        "title": work,
        "width": 170,
        "height": 150,
        "data": {"values": [v for v in values if v[field]]},
        "mark": {"type": "line", "point": True},
        "encoding": {
            "x": {"field": "size", "title": here[0].axis, "axis": axis} | log,
            "y": {"field": field, "title": title, "axis": {"format": "~g"}} | log,
            "color": {"field": "route", "type": "nominal", "title": None},
        },
    }


def put_between(page: Path, marks: dict[str, str]) -> None:
    """Replace what stands between ``<!-- NAME -->`` and ``<!-- end NAME -->`` in a page."""
    text = page.read_text(encoding="utf-8")
    for name, inside in marks.items():
        begin, end = f"<!-- {name} -->", f"<!-- end {name} -->"
        if begin in text:
            head, rest = text.split(begin, 1)
            text = f"{head}{begin}\n\n{inside.strip()}\n\n{end}{rest.split(end, 1)[1]}"
    page.write_text(text, encoding="utf-8")


def dumped(results: dict[str, Any], file: Path) -> None:
    """Write results as JSON."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
