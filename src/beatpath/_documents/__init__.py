"""What every JSON document of this package holds, one line a field: ``name: type  what it is``.

A name that ends in ``?`` need not be there. Types are ``str``, ``int``, ``num``, ``bool`` and ``any``; ``T?`` may be null, ``[T]``
is a list, ``{T}`` maps texts to *T*, ``a|b`` is one of these words, ``=a`` this word, ``Name`` a part, ``@name`` another document.
Every document also has ``schema_version`` and ``type``, and may have ``sentences``, what was found in words.
`beatpath._schema` makes JSON Schemas of this.
Every file here describes the documents of a verb, or of what stands near to it, and the parts that only these hold.
"""

from beatpath._documents import (
    arena,
    check,
    core,
    diff,
    judges,
    lists,
    plan,
    rank,
    report,
    resolve,
    robustness,
    runs,
    scale,
    shared,
)

_FILES = (check, rank, core, resolve, scale, report, diff, judges, runs, robustness, plan, arena, lists)
PARTS = {name: text for one in (shared, *_FILES) for name, text in one.PARTS.items()}
DOCUMENTS = {name: text for one in _FILES for name, text in one.DOCUMENTS.items()}

VERBS = {
    "check": ("check",),
    "rank": ("comparison",),
    "core": ("core", "cores"),
    "resolve": ("resolution",),
    "report": ("report",),
    "diff": ("diff",),
    "judges": ("judges",),
    "runs": ("runs",),
    "methods": ("methods",),
    "formats": ("formats",),
    "convert": ("convert",),
    "reproduce": ("reproduction",),
    "arena": ("arena_status",),
}
