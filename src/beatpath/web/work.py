"""Tasks of a worker: recognize a file, preview it, answer a question.

Arguments and results are plain data, in the terms of the page.
"""

import json
import os
import re
from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Any

from beatpath._text import counted, shown
from beatpath.evidence import Evidence
from beatpath.evidence import select as among
from beatpath.web.requests import READ, FileReading, Question

COLUMNS = "under Columns"  # the place on the page that holds the roles of columns
# The control on the page for each option of the command line, and its label for values as ``option=value``.
CONTROLS, VALUES = json.loads((files("beatpath.web") / "controls.json").read_text(encoding="utf-8")).values()
# Patterns that find options in a sentence.
NAMES = "|".join(sorted(CONTROLS, key=len, reverse=True))
OPTION = re.compile(r"`--(?P<name>[a-z][a-z-]*)(?:[ =](?P<text>[^`]*))?`")
SETTING = re.compile(rf"`(?P<name>{NAMES.replace('-', '_')})(?:=(?P<text>[^`]*))?`")
FORMATS = "`beatpath formats`"
MEANING = re.compile(r"or say what (it|each) means instead of drop: [^.]*\.")


def page_words(sentence: str) -> str:
    """Return a sentence with options of the command line replaced by controls of the page.

    >>> page_words("Leave them out with `--self drop`.")
    'Leave them out with “An agent against itself” (under Columns, “How the file is written”): “is left out”.'
    >>> page_words("Map one with `--map position=COLUMN`, or use `--map judge=none`.")
    'Map one with the role “position” of a column (under Columns), or use “no role” for the column of “judge”.'
    >>> page_words("Choose some with `only`.")
    'Choose some with “Use only some rows”.'
    >>> page_words("Leave it out with `--labels L=drop`, or say what it means instead of drop: a, b, tie, both_bad.")
    'Leave it out with “What outcomes mean” (under Columns): “left out”, or say there what it means.'
    """
    text = MEANING.sub(r"or say there what \1 means.", sentence.replace(FORMATS, CONTROLS["format-in"]))
    words, where, rest = SETTING.sub(_control, OPTION.sub(_control, text)).partition(f" ({COLUMNS})")
    return f"{words}{where}{rest.replace(where, '')}" if where else words  # said once


def _control(match: re.Match[str]) -> str:
    """The control for an option, and what to choose there."""
    name, text = match["name"].replace("_", "-"), (match["text"] or "").strip("'\"")
    if name == "map" and "=" in text:
        return _roles(text)
    control = CONTROLS.get(name, f"“{name.replace('-', ' ')}”")
    value = VALUES.get(f"{name}={'drop' if name == 'labels' and 'drop' in text else text}")
    return control if value is None else f"{control}: “{value}”"


def _roles(text: str) -> str:
    """The roles in a mapping, as the page names them.

    >>> _roles("agent_a=COLUMN,agent_b=COLUMN")
    'the roles “agent a”, “agent b” of columns (under Columns)'
    """
    pairs = [pair.partition("=") for pair in text.split(",")]
    names = ", ".join(f"“{role.strip().replace('_', ' ')}”" for role, _, _ in pairs)
    if all(column.strip() == "none" for _, _, column in pairs):
        return f"“no role” for the column of {names} ({COLUMNS})"
    which = f"the roles {names} of columns" if len(pairs) > 1 else f"the role {names} of a column"
    return f"{which} ({COLUMNS})"


Tell = Callable[[str | dict[str, str]], None]  # takes a description of each step, and the first parts of an answer
AGENTS = 1000  # agent names that the page lists
LEVELS = 60  # levels of a column that the page lists

_last: tuple[str, Evidence] | None = None  # the last evidence read, since most questions are about the same rows


def recognized(place: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Return the format that claims a file, or raise an error."""
    from beatpath.data.read import format_of

    os.chdir(place["folder"])
    return {"format": format_of(place["path"])}


def previewed(place: Mapping[str, Any], request: Mapping[str, Any], whole: bool, tell: Tell) -> dict[str, Any]:
    """Return the first rows and the roles of columns and, if the whole file may be read, its content or the error."""
    from beatpath._errors import BeatpathError
    from beatpath.data.read import Preview, preview

    result, reading = Preview("example"), FileReading.model_validate(request)
    if place["path"]:
        os.chdir(place["folder"])
        result = preview(place["path"], **reading.model_dump(include={"format", "map", "encoding", "delimiter"}))
    first = {**result.to_dict(), "evidence": None, "error": None, "note": None}
    if not whole:
        return {**first, "note": f"{shown(place['name'])} is large: how many rows can be used is said with the report."}
    try:
        return {**first, "evidence": described(evidence_of(place, reading, 0))}
    except BeatpathError as error:
        return {**first, "error": page_words(str(error))}


def described(evidence: Evidence) -> dict[str, Any]:
    """Return what the page needs to offer choices.

    These are kind, size, agents and columns of the evidence, and the methods that take it.
    """
    from beatpath.analysis.questions import size_of, usual_methods
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


def answered(place: Mapping[str, Any], request: Mapping[str, Any], tell: Tell) -> dict[str, str]:
    """Return the report that answers a question, in all its forms; `tell` gets a page with verdict and board first."""
    from beatpath.reports.report import FORMS, report_with

    tell("reading the file")
    question = Question.model_validate(request)
    evidence = evidence_of(place, question, question.seed)
    title = None if place["path"] else f"Report on {place['name']}"
    options = question.options(title, place["path"])
    report = report_with(evidence, options, tell, lambda first: tell({"html": first.html()}))
    tell("drawing the page")
    return {form: report.text(form) for form in FORMS}


def evidence_of(place: Mapping[str, Any], reading: FileReading, seed: int) -> Evidence:
    """Return the evidence of a file, read as requested; the last one is cached."""
    global _last
    options = reading.model_dump(include={*READ, "only", "without"})
    key = repr((place, options, None if place["path"] else seed))
    if _last is None or _last[0] != key:
        _last = None
        _last = (key, _read_offer(place, reading, seed))
    return _last[1]


def _read_offer(place: Mapping[str, Any], reading: FileReading, seed: int) -> Evidence:
    """Read from inside the folder, so that messages refer to the file by its name only."""
    if place["path"]:
        from beatpath.data.read import read

        os.chdir(place["folder"])
        evidence = read(place["path"], **reading.model_dump(include=set(READ)))
    else:
        from beatpath.data.example import example
        from beatpath.data.tables.cells import chosen

        evidence = example(seed=seed)
        evidence = chosen(evidence, reading.where) if reading.where else evidence
    evidence = among.only(evidence, reading.only) if reading.only else evidence
    return among.without(evidence, reading.without) if reading.without else evidence
