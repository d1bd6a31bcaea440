"""JSON for programs: how it is written, and the JSON Schema (draft 2020-12) of every document.

`beatpath._documents` describes the documents; nothing here knows one of them.
"""

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from math import isfinite
from typing import Any

from beatpath._errors import UsageError
from beatpath._result import SCHEMA_VERSION
from beatpath._text import quoted, suggestion

DRAFT = "https://json-schema.org/draft/2020-12/schema"
_PLAIN = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "num": {"type": "number"},
    "bool": {"type": "boolean"},
    "any": {},
}
_FIELD = re.compile(r"^(?P<name>[\w ]+?)(?P<optional>\??): (?P<kind>\S+(?: \w+)*?\S*)  (?P<what>.+)$")


def dumps(data: Any, *, indent: int | None = None, separators: tuple[str, str] | None = None) -> str:
    r"""Return data as JSON that every reader takes: ASCII, and null for a number that is none.

    >>> print(dumps({"score": float("nan"), "agent": "ä"}))
    {"score": null, "agent": "\u00e4"}
    """
    return json.dumps(_only_finite(data), indent=indent, separators=separators, allow_nan=False)


def _only_finite(data: Any) -> Any:
    """The same data, with nothing in the place of numbers that JSON has no word for."""
    if isinstance(data, float):
        return data if isfinite(data) else None
    if data is None or isinstance(data, str | int):  # most of it, and asking for a mapping is slow
        return data
    if isinstance(data, Mapping):
        return {key: _only_finite(value) for key, value in data.items()}
    return [_only_finite(value) for value in data] if isinstance(data, list | tuple) else data


def verb_schema(verb: str) -> dict[str, Any]:
    """Return the schema of what a verb of the command line prints with ``--format json``.

    >>> verb_schema("rank")["title"]
    'comparison'
    >>> verb_schema("rnak")
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: a schema must be asked for by a verb that prints JSON or the type of a document; 'rnak' is \
neither. Did you mean 'rank'?
    """
    from beatpath._documents import DOCUMENTS, VERBS

    known = {**{name: (name,) for name in DOCUMENTS}, **VERBS}
    if verb not in known:
        raise UsageError(
            "a schema must be asked for by a verb that prints JSON or the type of a document; "
            f"{quoted(verb)} is neither.{suggestion(verb, known)}"
        )
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
    """Return the schema of a document by its type, with everything it refers to.

    >>> made = document_schema("clones")
    >>> made["properties"]["methods"]["items"], list(made["$defs"])
    ({'$ref': '#/$defs/Cloned'}, ['Cloned'])
    """
    own = _described(name)
    head = {"$schema": DRAFT, "$id": f"urn:beatpath:schema:{SCHEMA_VERSION}:{name}", "title": name}
    needed = _referred_to(own)
    return {**head, **own, **({"$defs": needed} if needed else {})}


def _described(name: str) -> dict[str, Any]:
    """A document or a part as an object whose fields are all known."""
    from beatpath._documents import DOCUMENTS, PARTS

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
    """The schema of a type in the words of `beatpath._documents`.

    >>> _of("[num?]"), _of("a|b")
    ({'type': 'array', 'items': {'anyOf': [{'type': 'number'}, {'type': 'null'}]}}, {'enum': ['a', 'b']})
    """
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
            found[name] = _described(name)
            open_.append(found[name])
    return found
