"""What the page says of an error: it names controls of the page, where the command line would name its options."""

import re
from collections.abc import Mapping

COLUMNS = "under Columns"
WRITTEN = "under Columns, “How the file is written”"
ROWS = "“Use only some rows”"
CONTROLS: Mapping[str, str] = {
    "map": f"the roles of columns ({COLUMNS})",
    "labels": f"“What outcomes mean” ({COLUMNS})",
    "lower": f"“Where lower is better” ({COLUMNS})",
    "format-in": f"“Format” ({WRITTEN})",
    "encoding": f"“Encoding” ({WRITTEN})",
    "delimiter": f"“Sign between cells” ({WRITTEN})",
    "self": f"“An agent against itself” ({WRITTEN})",
    "repeats": f"“An agent twice on a ballot” ({WRITTEN})",
    "where": ROWS,
    "only": ROWS,
    "without": ROWS,
    "keep": "“Clusters” or “Ask by”",
    "cluster": "“Clusters”",
    "by": "“Ask by”",
    "contexts": "“Ask by”",
    "weights": "“Weights of tasks”",
    "level": "“Confidence”",
    "estimand": "what a score is (“Score”)",
    "method": "“Methods”",
    "methods": "“Methods”",
    "ties": "“A tie”",
    "both-bad": "“Both bad”",
    "pair-weight": "“Weighs alike”",
    "matrix": "“Rules of pairs”",
    "unranked": "“Not ranked”",
    "missing": "“Missing score”",
    "per": "“Who votes”",
    "seed": "“Seed”",
}
VALUES: Mapping[tuple[str, str], str] = {
    ("labels", "drop"): "left out",
    ("self", "drop"): "is left out",
    ("repeats", "best"): "keeps its best place",
    ("ties", "drop"): "is left out",
    ("ties", "half"): "is half a win for each",
    ("per", "task"): "tasks",
    ("per", "item"): "items",
    ("matrix", "raw"): "take what was counted",
    ("pair-weight", "rate"): "every pair",
    ("missing", "drop_task"): "drops the task",
    ("unranked", "last"): "is below the ranked",
}
NAMES = "|".join(sorted(CONTROLS, key=len, reverse=True))
OPTION = re.compile(r"`--(?P<name>[a-z][a-z-]*)(?:[ =](?P<text>[^`]*))?`")
SETTING = re.compile(rf"`(?P<name>{NAMES.replace('-', '_')})(?:=(?P<text>[^`]*))?`")
FORMATS = "`beatpath formats`"
MEANING = re.compile(r"or say what (it|each) means instead of drop: [^.]*\.")


def page_words(sentence: str) -> str:
    """Return a sentence that speaks of what the page shows.

    >>> page_words("Leave them out with `--self drop`.")
    'Leave them out with “An agent against itself” (under Columns, “How the file is written”): “is left out”.'
    >>> page_words("Map one with `--map position=COLUMN`, or use `--map judge=none`.")
    'Map one with the role “position” of a column (under Columns), or use “no role” for the column of “judge” (under Columns).'
    >>> page_words("Choose some with `only`.")
    'Choose some with “Use only some rows”.'
    >>> page_words("Leave it out with `--labels L=drop`, or say what it means instead of drop: a, b, tie, both_bad.")
    'Leave it out with “What outcomes mean” (under Columns): “left out”, or say there what it means.'
    """
    said = MEANING.sub(r"or say there what \1 means.", sentence.replace(FORMATS, CONTROLS["format-in"]))
    return SETTING.sub(_control, OPTION.sub(_control, said))


def _control(found: re.Match[str]) -> str:
    """The control that an option is on the page, and what to choose there."""
    name, text = found["name"].replace("_", "-"), (found["text"] or "").strip("'\"")
    if name == "map" and "=" in text:
        return _roles(text)
    control = CONTROLS.get(name, f"“{name.replace('-', ' ')}”")
    value = VALUES.get((name, "drop" if name == "labels" and "drop" in text else text))
    return control if value is None else f"{control}: “{value}”"


def _roles(text: str) -> str:
    """The roles that a mapping speaks of.

    >>> _roles("agent_a=COLUMN,agent_b=COLUMN")
    'the roles “agent a”, “agent b” of columns (under Columns)'
    """
    pairs = [pair.partition("=") for pair in text.split(",")]
    names = ", ".join(f"“{role.strip().replace('_', ' ')}”" for role, _, _ in pairs)
    if all(column.strip() == "none" for _, _, column in pairs):
        return f"“no role” for the column of {names} ({COLUMNS})"
    return (
        f"the roles {names} of columns ({COLUMNS})" if len(pairs) > 1 else f"the role {names} of a column ({COLUMNS})"
    )
