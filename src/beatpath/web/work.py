"""What a worker does: recognise a file, show its beginning, answer a question. Plain data in, plain data out."""

import os
from collections.abc import Callable, Mapping
from typing import Any

from beatpath._text import counted, shown
from beatpath.evidence import Evidence
from beatpath.evidence import select as among
from beatpath.web.asked import ASKED, READING, command, conventions_of
from beatpath.web.wording import page_words

Tell = Callable[[str], None]
AGENTS = 1000  # names that a page offers to choose from
LEVELS = 60

_last: tuple[str, Evidence] | None = None  # what was read last: most questions are about the same rows


def recognised(place: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Return the format that claims a file, or raise."""
    from beatpath.data.read import format_of

    os.chdir(place["folder"])
    return {"format": format_of(place["path"])}


def previewed(place: Mapping[str, Any], reading: Mapping[str, Any], whole: bool, tell: Tell) -> dict[str, Any]:
    """Return the first rows and the roles of columns; and, where the whole may be read, what it holds, or why it cannot be."""
    from beatpath._errors import BeatpathError
    from beatpath.data.read import Preview, preview

    if place["path"]:
        os.chdir(place["folder"])
        chosen = {name: reading[name] for name in ("format", "map", "encoding", "delimiter")}
        found = preview(place["path"], **chosen)
    else:
        found = Preview("example")
    first = {**found.to_dict(), "evidence": None, "error": None, "note": None}
    if not whole:
        return {**first, "note": f"{shown(place['name'])} is large: how many rows can be used is said with the report."}
    try:
        return {**first, "evidence": described(evidence_of(place, reading, 0))}
    except BeatpathError as error:
        return {**first, "error": page_words(str(error))}


def described(evidence: Evidence) -> dict[str, Any]:
    """Return what a page must know of evidence to offer choices: its kind, size, agents, columns, and methods that take it."""
    from beatpath.analysis.contexts import size_of
    from beatpath.analysis.questions import usual_methods
    from beatpath.evidence.select import columns_of
    from beatpath.methods.registry import METHODS

    columns = {name: factor.levels for name, factor in columns_of(evidence).items()}
    return {
        "kind": evidence.kind,
        "size": f"{counted(len(evidence.agents), 'agent')}, {size_of(evidence)}",
        "agents": list(evidence.agents[:AGENTS]),
        "columns": {name: {"count": len(levels), "levels": list(levels[:LEVELS])} for name, levels in columns.items()},
        "methods": [key for key, method in METHODS.items() if evidence.kind in method.takes],
        "usual": list(usual_methods(evidence)[0]),
        "account": "" if evidence.reading is None else str(evidence.reading),
    }


def answered(place: Mapping[str, Any], question: Mapping[str, Any], tell: Tell) -> dict[str, str]:
    """Return the report that answers a question, in all its forms."""
    from beatpath.reports.report import report

    tell("reading the file")
    evidence = evidence_of(place, question, question["seed"])
    made = report(
        evidence,
        title=None if place["path"] else f"Report on {place['name']}",
        progress=tell,
        command=command(question, place["path"]),
        **{name: question[name] for name in ASKED},
        **conventions_of(question).options(),
    )
    tell("drawing the page")
    return {form: made.text(form) for form in ("html", "json", "md")}


def evidence_of(place: Mapping[str, Any], reading: Mapping[str, Any], seed: int) -> Evidence:
    """Return the evidence of a file, read as asked; the last one is kept."""
    global _last
    told = {name: reading[name] for name in READING}
    key = repr((place, told, None if place["path"] else seed))
    if _last is None or _last[0] != key:
        _last = None
        _last = (key, _read_offer(place, told, seed))
    return _last[1]


def _read_offer(place: Mapping[str, Any], told: dict[str, Any], seed: int) -> Evidence:
    """Read from inside the folder, so that whatever is said of the file calls it by its name alone."""
    keep, leave = told.pop("only"), told.pop("without")
    if place["path"]:
        from beatpath.data.read import read

        os.chdir(place["folder"])
        evidence = read(place["path"], **told)
    else:
        from beatpath.data.example import example

        evidence = example(seed=seed)
        if told["where"]:
            from beatpath.data.tables.cells import chosen

            evidence = chosen(evidence, told["where"])
    evidence = among.only(evidence, keep) if keep else evidence
    return among.without(evidence, leave) if leave else evidence
