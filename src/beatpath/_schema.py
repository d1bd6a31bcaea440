"""JSON output: how it is written, and the JSON Schema (draft 2020-12) of every document.

A document is described by its class (see `beatpath._result.Record`): types come from annotations, descriptions from
docstrings. Nothing is stated twice.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Sequence as AbstractSequence
from contextlib import suppress
from importlib import import_module
from inspect import cleandoc
from itertools import pairwise
from types import NoneType, UnionType
from typing import Any, Literal, NotRequired, TypedDict, Union, get_args, get_origin, get_type_hints, is_typeddict

import beatpath
from beatpath._doors import public_modules
from beatpath._errors import MissingExtra, UsageError
from beatpath._result import SCHEMA_VERSION, Delegate, Record, Result, plain, snake_case
from beatpath._text import quoted, suggestion

DRAFT = "https://json-schema.org/draft/2020-12/schema"  # the dialect of the schemas

VERBS = {  # verbs that print JSON, and the classes of their documents
    "check": ("beatpath.checks.finding:Check",),
    "rank": ("beatpath.inference.ranking.compare:Comparison",),
    "core": ("beatpath.inference.core.core_result:Core", "beatpath.inference.core.core_by:Cores"),
    "resolve": (
        "beatpath.inference.resolve.pairwise_resolution:PairwiseResolution",
        "beatpath.inference.resolve.context_resolution:ContextResolution",
        "beatpath.inference.resolve.anytime_resolution:AnytimeResolution",
        "beatpath.inference.resolve.long_board:LongBoard",
        "beatpath.inference.ranks.rank_sets:RankSets",
    ),
    "report": ("beatpath.analysis.analysis:Analysis",),
    "compare": ("beatpath.analysis.run_comparison:RunComparison",),
    "diff": ("beatpath.inference.resolve.diff:Diff",),
    "judges": ("beatpath.inference.judges.judges_result:Judges",),
    "items": ("beatpath.inference.items.items_result:Items",),
    "runs": ("beatpath.analysis.run_findings:RunFindings",),
    "methods": ("beatpath.methods.method_list:MethodList",),
    "formats": ("beatpath.cli.lists:FormatList",),
    "convert": ("beatpath.cli.convert:Conversion",),
    "reproduce": ("beatpath.reports.reproduction:Reproduction",),
    "arena": ("beatpath.arena.standing:Standing",),
}

LOADS_TORCH = ("beatpath.inference.learned", "beatpath.inference.core.core_bootstrap")  # importing it takes seconds

COMMON = {  # fields that many results share, with their descriptions
    "agents": "Agents, in the order of every array of agents.",
    "settings": "The settings that were used.",
    "conventions": "The choices by which evidence became comparisons.",
    "notes": "What a reader must know besides.",
    "level": "The confidence level.",
    "sentences": "The findings in words, most important first.",
    "agent": "The agent.",
    "score": "Its score; null where it has none.",
    "low": "The lower end of the interval.",
    "high": "The upper end of the interval.",
    "best": "The best rank that it may have.",
    "worst": "The worst rank that it may have.",
    "may_be_first": "Whether it may be first of its part, tested by itself: `best` may be 1 where it may not.",
    "tier": "Its tier from the top of its part.",
    "best_tier": "The first tier whose leader is not certainly above it.",
    "letters": "Agents of one part that share none certainly differ.",
    "group": "Its group between certain cuts.",
    "part": "Agents of different parts were never compared.",
    "battles": "Battles that it took part in.",
    "placed": "Whether it has enough data to be placed; without, it has no tier and no ranks.",
}


def dumps(data: Any, *, indent: int | None = None, separators: tuple[str, str] | None = None) -> str:
    r"""Return data as JSON that every parser accepts: ASCII, and null for nonfinite numbers.

    >>> print(dumps({"score": float("nan"), "agent": "ä"}))
    {"score": null, "agent": "\u00e4"}
    """
    return json.dumps(plain(data), indent=indent, separators=separators, allow_nan=False)


def verb_schema(verb: str) -> dict[str, Any]:
    """Return the schema of what a verb prints with ``--format json``, or of a document type.

    >>> verb_schema("judges")["title"]
    'judges'
    >>> verb_schema("rnak")
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: a schema must be requested by a verb that prints JSON or the type of a document; 'rnak' is \
neither. Did you mean 'rank'?
    """
    if verb not in VERBS:
        return document_schema(verb)
    classes = [_load(path) for path in VERBS[verb]]
    return _either(classes, f"verb:{verb}", verb, f"What `beatpath {verb}` prints")


def document_schema(document_type: str) -> dict[str, Any]:
    """Return the schema of a document type, with all its definitions.

    >>> schema = document_schema("judges")
    >>> schema["properties"]["judges"]["items"], schema["$defs"]["Judge"]["description"]
    ({'$ref': '#/$defs/Judge'}, 'One judge.')
    """
    return _either(_classes_of(document_type), document_type, document_type, "A document of this type")


def document_classes() -> dict[str, list[type[Result]]]:
    """Return the classes of documents by type: those of verbs, and public ones except those that import torch.

    Classes that need a library that is not installed are left out.
    """
    paths = [path for paths in VERBS.values() for path in paths]
    light = ((name, module) for name, module in public_modules().items() if not module.startswith(LOADS_TORCH))
    paths += [f"{module}:{name}" for name, module in light if name[0].isupper()]
    classes: dict[str, list[type[Result]]] = {}
    for one in dict.fromkeys(_installed(paths)):
        if issubclass(one, Result) and one.has_documents():
            classes.setdefault(one.document_type(), []).append(one)
    return {
        name: [one for one in some if not any(other is not one and issubclass(other, one) for other in some)]
        for name, some in classes.items()
    }


def document_summaries() -> dict[str, str]:
    """Return every document type with the first sentence of its description."""
    return {name: summary(classes[0]) for name, classes in document_classes().items()}


def verb_documents() -> dict[str, list[str]]:
    """Return the document types that every verb prints."""
    return {
        verb: list(dict.fromkeys(one.document_type() for one in _installed(paths))) for verb, paths in VERBS.items()
    }


def summary(described: object) -> str:
    """Return the first paragraph of a docstring on one line."""
    return " ".join(cleandoc(described.__doc__ or "").split("\n\n")[0].split())


def _either(classes: AbstractSequence[type[Result]], name: str, title: str, what: str) -> dict[str, Any]:
    """The schema of a document of any of these classes."""
    definitions = _Definitions()
    if len(classes) == 1:
        name = title = classes[0].document_type()
        own = definitions.describe(classes[0])
    else:
        names = " or ".join(map(_name, classes))
        own = {"description": f"{what}: {names}.", "oneOf": [definitions.reference(one) for one in classes]}
    head = {"$schema": DRAFT, "$id": f"urn:beatpath:schema:{SCHEMA_VERSION}:{name}", "title": title}
    return {**head, **own, **({"$defs": definitions.schemas} if definitions.schemas else {})}


class Added(TypedDict, total=False):
    """What a verb may add to the document of a result.

    Attributes
    ----------
    reading : Reading or None
        How the rows were read.
    claims : list of ClaimTest
        The claims that were tested.
    tiers : Tiers
        The tiers.
    stability : Stability
        How often rankings stay the same under resampling.
    witness : list
        Why an agent is in each set or not.
    """

    reading: "beatpath.results.Reading | None"
    claims: "list[beatpath.results.ClaimTest]"
    tiers: "beatpath.results.Tiers"
    stability: "beatpath.robustness.Stability"
    witness: list[Any]


class _Definitions:
    """Schemas of the classes that a document refers to."""

    def __init__(self) -> None:
        self.schemas: dict[str, dict[str, Any]] = {}

    def reference(self, cls: type) -> dict[str, Any]:
        """A reference to the schema of a class, which is created on first use."""
        name = _name(cls)
        if name not in self.schemas:
            self.schemas[name] = {}  # a class may refer to itself
            self.schemas[name] = self.describe(cls)
        return {"$ref": f"#/$defs/{name}"}

    def describe(self, cls: type) -> dict[str, Any]:
        """An object schema with all properties of a record or of the rows of a table."""
        known = dict(_attributes(cls))
        properties = {name: {**self.of_type(hint), "description": text} for name, (hint, text) in known.items()}
        required = [name for name, (hint, _) in known.items() if get_origin(hint) is not NotRequired]
        if issubclass(cls, Result):
            head = {
                "schema_version": {"const": SCHEMA_VERSION, "description": "Grows when a field changes its meaning."},
                "type": {"const": cls.document_type(), "description": "What this document is."},
                "sentences": {**self.of_type(list[str]), "description": COMMON["sentences"]},
            }
            properties = {**head, **properties, **self.added(properties)}
            required = list(dict.fromkeys([*head, *required]))
        closed = {"properties": properties, "required": required, "additionalProperties": False}
        return {"type": "object", "description": summary(cls), **closed}

    def added(self, properties: Mapping[str, Any]) -> dict[str, Any]:
        """Properties that a verb may add to a result."""
        optional = self.describe(Added)["properties"]
        return {name: schema for name, schema in optional.items() if name not in properties}

    def of_type(self, hint: Any) -> dict[str, Any]:
        """The schema of an annotation.

        >>> _Definitions().of_type(dict[str, float])
        {'type': 'object', 'additionalProperties': {'type': ['number', 'null']}}
        """
        simple = {str: "string", int: "integer", bool: "boolean", NoneType: "null"}
        if hint in simple:
            return {"type": simple[hint]}
        if hint is float:
            return {"type": ["number", "null"]}  # null if it is not finite
        origin, arguments = get_origin(hint), get_args(hint)
        if origin is NotRequired:
            return self.of_type(arguments[0])
        if origin is Literal:
            return {"enum": list(arguments)}
        if origin in (Union, UnionType):
            return {"anyOf": [self.of_type(one) for one in arguments]}
        kind = origin or hint
        if not isinstance(kind, type):
            return {}
        if issubclass(kind, str):
            return {"type": "string"}
        if issubclass(kind, Record) or is_typeddict(kind):
            return self.reference(kind)
        if issubclass(kind, Mapping):
            return {"type": "object", "additionalProperties": self.of_type(arguments[1]) if arguments else {}}
        if kind.__module__ == "numpy":
            return {"type": "array"}
        if issubclass(kind, tuple) and arguments and arguments[-1] is not Ellipsis:
            items = [self.of_type(one) for one in arguments]
            return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
        if issubclass(kind, AbstractSequence):
            return {"type": "array", "items": self.of_type(arguments[0]) if arguments else {}}
        return {}


def _attributes(cls: type) -> Iterator[tuple[str, tuple[Any, str]]]:
    """The keys of a document in order, each with its type and its description."""
    if is_typeddict(cls):
        texts = described_attributes(cls)
        hints = get_type_hints(cls, localns=_names(cls), include_extras=True)
        yield from ((name, (hint, texts.get(name) or COMMON.get(name, ""))) for name, hint in hints.items())
        return
    assert issubclass(cls, Record)
    for key, name in cls.document_attributes().items():
        yield key, _attribute(cls, name)


def _attribute(cls: type, name: str) -> tuple[Any, str]:
    """The type and the description of a field, a property or a method, or of an attribute of a field."""
    field, _, rest = name.partition(".")
    own, text = getattr(cls, field, None), described_attributes(cls).get(field, "")
    if isinstance(own, Delegate):
        hint, passed_on = _attribute(cls, own.path)
        return hint, text or own.__doc__ or passed_on
    code = getattr(own, "fget", None) or getattr(own, "func", None) or (own if callable(own) else None)
    if code is None:
        hint, text = get_type_hints(cls, localns=_names(cls))[field], text or COMMON.get(field, "")
    else:
        hint, text = get_type_hints(code, localns=_names(cls)).get("return", Any), text or summary(code)
    return _attribute(hint, rest) if rest else (hint, text)


def described_attributes(cls: type) -> dict[str, str]:
    """Return the descriptions in the "Attributes" (or "Parameters") sections of a class and its base classes.

    >>> from beatpath.results import PairwiseResolution
    >>> "pairwise" in described_attributes(PairwiseResolution)
    True
    """
    texts: dict[str, str] = {}
    for one in reversed(cls.__mro__):
        lines = cleandoc(one.__doc__ or "").splitlines()
        begin = next((k for k, line in enumerate(lines) if line in ("Attributes", "Parameters")), len(lines))
        names: list[str] = []
        for line, after in pairwise([*lines[begin + 2 :], ""]):
            if after.startswith("---"):
                break  # the next section
            if line and not line.startswith(" "):
                names = [name.strip() for name in line.partition(" : ")[0].split(",")]
                texts |= dict.fromkeys(names, "")
            elif line:
                texts |= {name: f"{texts[name]} {line.strip()}".strip() for name in names}
    return texts


class _Names(dict[str, Any]):
    """Names that annotations of a module may use: its own, then public ones that it imports for type checkers only."""

    def __missing__(self, name: str) -> Any:
        module = public_modules().get(name)
        return Any if module is None else getattr(import_module(module), name)


def _names(cls: type) -> _Names:
    import builtins

    return _Names({**vars(builtins), **vars(import_module(cls.__module__))})


def _name(cls: type) -> str:
    """Name of a class among the definitions: in snake case for a result, whatever its document type."""
    return snake_case(cls.__name__) if issubclass(cls, Result) else cls.__name__


def _load(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


def _installed(paths: Iterable[str]) -> Iterator[Any]:
    """Load what needs no missing library."""
    for path in paths:
        with suppress(MissingExtra):
            yield _load(path)


def _classes_of(document_type: str) -> list[type[Result]]:
    """The classes of a document type: public ones, or those that are already imported."""
    classes: list[type[Result]] = document_classes().get(document_type, [])
    if not classes:
        loaded = {one.__name__: one for one in _subclasses(Result) if one.document_type() == document_type}
        classes = list(loaded.values())  # by name, since a dataclass with slots is created twice
    if not classes:
        public = public_modules().items()
        named = [_load(f"{m}:{name}") for name, m in public if name[0].isupper() and snake_case(name) == document_type]
        classes = [one for one in named if issubclass(one, Result)]
    if not classes:
        known = {*document_classes(), *VERBS}
        raise UsageError(
            "a schema must be requested by a verb that prints JSON or the type of a document; "
            f"{quoted(document_type)} is neither.{suggestion(document_type, known)}"
        )
    return classes


def _subclasses(cls: type[Result]) -> Iterator[type[Result]]:
    for one in cls.__subclasses__():
        yield one
        yield from _subclasses(one)
