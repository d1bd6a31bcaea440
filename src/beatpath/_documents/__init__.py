"""What every JSON document of this package holds, one line a field: ``name: type  what it is``.

A name that ends in ``?`` need not be there. Types are ``str``, ``int``, ``num``, ``bool`` and ``any``; ``T?`` may be null, ``[T]``
is a list, ``{T}`` maps texts to *T*, ``a|b`` is one of these words, ``=a`` this word, ``Name`` a part, ``@name`` another document.
Every document also has ``schema_version`` and ``type``, and may have ``sentences``, what was found in words.
`beatpath._schema` makes JSON Schemas of this.
Every file here describes the documents of a verb, or of what stands near to it, and the parts that only these hold.
"""

import json
import re
from functools import lru_cache
from typing import Any

from beatpath._documents import arena, check, lists, rank, resolve, scale, shared
from beatpath._result import SCHEMA_VERSION

_FILES = (
    arena,
    check,
    lists,
    rank,
    resolve,
    scale,
)
PARTS = {name: text for one in (shared, *_FILES) for name, text in one.PARTS.items()}
DOCUMENTS = {name: text for one in _FILES for name, text in one.DOCUMENTS.items()}

VERBS = {
    "check": ("check",),
    "methods": ("methods",),
    "formats": ("formats",),
    "convert": ("convert",),
    "reproduce": ("reproduction",),
    "arena": ("arena_status",),
}


DRAFT = "https://json-schema.org/draft/2020-12/schema"
_PLAIN = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "num": {"type": "number"},
    "bool": {"type": "boolean"},
    "any": {},
}
_FIELD = re.compile(r"^(?P<name>[\w ]+?)(?P<optional>\??): (?P<kind>\S+(?: \w+)*?\S*)  (?P<what>.+)$")


def verb_schema(verb: str) -> dict[str, Any]:
    """Return the schema of what a verb of the command line prints with ``--format json``."""
    known = {**{name: (name,) for name in DOCUMENTS}, **VERBS}
    names = known[verb]
    if len(names) == 1:
        return document_schema(names[0])
    either = {"$schema": DRAFT, "$id": f"urn:beatpath:schema:{SCHEMA_VERSION}:verb:{verb}", "title": verb}
    shown = " or ".join(names)
    return {
        **either,
        "description": f"What `beatpath {verb}` prints: {shown}.",
        "oneOf": [{"$ref": f"#/$defs/{n}"} for n in names],
        "$defs": _referred_to({"oneOf": [{"$ref": f"#/$defs/{n}"} for n in names]}),
    }


@lru_cache
def document_schema(name: str) -> dict[str, Any]:
    """Return the schema of a document by its type, with everything it refers to."""
    own = _described(name)
    head = {"$schema": DRAFT, "$id": f"urn:beatpath:schema:{SCHEMA_VERSION}:{name}", "title": name}
    needed = _referred_to(own)
    return {**head, **own, **({"$defs": needed} if needed else {})}


def _described(name: str) -> dict[str, Any]:
    """A document or a part as an object whose fields are all known."""
    first, *lines = (DOCUMENTS | PARTS)[name].splitlines()
    properties: dict[str, Any] = {}
    required = []
    if name in DOCUMENTS:
        properties["schema_version"] = {
            "const": SCHEMA_VERSION,
            "description": "Grows when a field changes its meaning.",
        }
        properties["type"] = {"const": name, "description": "What this document is."}
        required += list(properties)
        properties["sentences"] = {**_of("[str]"), "description": "What was found, in words, most important first."}
    for line in lines:
        field = _FIELD.match(line.strip())
        assert field is not None, f"{name}: {line}"
        properties[field["name"]] = {**_of(field["kind"]), "description": field["what"]}
        required += [] if field["optional"] else [field["name"]]
    closed = {"properties": properties, "required": required, "additionalProperties": False}
    return {"type": "object", "description": first, **closed}


def _of(kind: str) -> dict[str, Any]:
    """The schema of a type in the words of `beatpath._documents`."""
    if kind.endswith("?"):
        return {"anyOf": [_of(kind[:-1]), {"type": "null"}]}
    if kind.startswith("["):
        return {"type": "array", "items": _of(kind[1:-1])}
    if kind.startswith("{"):
        return {"type": "object", "additionalProperties": _of(kind[1:-1])}
    if "|" in kind:
        return {"enum": kind.split("|")}
    if kind.startswith("="):
        return {"const": kind[1:]}
    return dict(_PLAIN[kind]) if kind in _PLAIN else {"$ref": f"#/$defs/{kind.removeprefix('@')}"}


def _referred_to(schema: Any) -> dict[str, Any]:
    """Everything that a schema refers to, and what that refers to."""
    found: dict[str, Any] = {}
    open_ = [schema]
    while open_:
        for name in sorted(set(re.findall(r'"#/\$defs/(\w+)"', json.dumps(open_.pop()))) - set(found)):
            found[name] = _described(name) if name in DOCUMENTS | PARTS else {"properties": {}}
            open_.append(found[name])
    return found
