"""Base classes of results: sentences, plain data, rows, data frames, plots, and a short repr."""

import re
import sys
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields
from importlib.util import find_spec
from math import isfinite
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from beatpath._errors import UsageError
from beatpath._text import quoted, shown

if TYPE_CHECKING:
    from beatpath.reports.figures.pictures import Picture
    from beatpath.reports.view import View

# Version of the JSON documents; libraries of data frames in order of preference; rows of a table.
SCHEMA_VERSION = "1"
LIBRARIES = ("polars", "pandas", "pyarrow")
Rows: TypeAlias = Sequence[Mapping[str, Any]]


class Record:
    """A frozen part of a result with documented fields.

    A subclass is a frozen dataclass. `to_dict` returns its fields as plain data. `beatpath._schema` derives the JSON
    Schema from the annotations and the docstring: the "Attributes" section describes fields, and the first paragraph
    of a property describes the property. Rows of tables are dictionaries typed by a `TypedDict`, documented in the
    same way.
    """

    __slots__ = ()

    document: ClassVar[tuple[str, ...]] = ()
    """The attributes that make up the document, in order: fields, properties, methods without arguments; ``key=attribute``
    where the key has another name, ``key=field.attribute`` where it is an attribute of a field. Empty: all fields whose names do
    not begin with an underscore."""

    hidden: ClassVar[tuple[str, ...]] = ()
    """Fields that the document leaves out."""

    derived: ClassVar[tuple[str, ...]] = ()
    """Properties, and methods without arguments, that the document holds after the fields."""

    @classmethod
    def document_attributes(cls) -> dict[str, str]:
        """Return the attribute behind every key of the JSON document, in order."""
        own = tuple(one.name for one in fields(cls) if not one.name.startswith("_"))  # type: ignore[arg-type]
        names = (cls.document or tuple(name for name in own if name not in cls.hidden)) + cls.derived
        return {key: attribute or key for key, _, attribute in (name.partition("=") for name in names)}

    @classmethod
    def document_names(cls) -> tuple[str, ...]:
        """Return the keys of the JSON document, in order."""
        return tuple(cls.document_attributes())

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain data that JSON can represent."""
        return {key: plain(_attribute(self, name)) for key, name in self.document_attributes().items()}


class Result(Record):
    """What a function or a verb returns: a frozen record that also summarizes itself in sentences.

    A subclass defines `sentences` and, if it is a table, `rows`. The rest follows from these and from its fields.
    """

    __slots__ = ()

    document_name: ClassVar[str] = ""
    """The type that documents of this class name, where it is not the name of the class."""

    @classmethod
    def document_type(cls) -> str:
        """Return the type in documents of this class: the class name in snake case, unless it has another.

        >>> Result.document_type()
        'result'
        """
        return cls.document_name or snake_case(cls.__name__)

    @classmethod
    def has_documents(cls) -> bool:
        """Return whether documents of this very class exist, and not only of its subclasses."""
        return cls.sentences is not Result.sentences

    @property
    def sentences(self) -> tuple[str, ...]:
        """The findings as sentences, most important first."""
        raise NotImplementedError  # every subclass defines its own

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain data that JSON can represent."""
        head = {"schema_version": SCHEMA_VERSION, "type": self.document_type(), "sentences": list(self.sentences)}
        return head | Record.to_dict(self)

    def rows(self) -> Rows:
        """Return the result as rows of a table; empty if it is not a table."""
        return ()

    def to_frame(self, library: str | None = None) -> Any:
        """Return the rows as a data frame of polars, pandas or pyarrow.

        The library is the one named, already imported, or installed.
        """
        rows = self.rows()
        if not rows:
            raise UsageError(f"{type(self).__name__} is not a table; `to_dict` returns plain data.")
        return frame(rows, library)

    def plot(self) -> "Picture":
        """Plot the result, if there is a figure for it."""
        from beatpath.reports.figures.pictures import plot

        return plot(self)

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    def __repr__(self) -> str:
        sentences = self.sentences
        return f"<{type(self).__name__}: {shown(sentences[0], 200)}>" if sentences else f"<{type(self).__name__}>"

    def view(self) -> "View":
        """Return the view that `beatpath.reports` renders: by default the sentences and the rows."""
        from beatpath.reports.result_views import view_of

        return view_of(self)

    def _repr_html_(self) -> str:
        """The same for a notebook, with every name escaped."""
        from beatpath.reports.view import html

        return html(self.view())


def snake_case(name: str) -> str:
    """Return the name of a class in snake case.

    >>> snake_case("LongBoard"), snake_case("AATest")
    ('long_board', 'aa_test')
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def json_number(value: Any) -> Any:
    """Return a number as JSON can represent it: None if it is not finite.

    >>> json_number(1.5), json_number(float("nan")), json_number(float("inf"))
    (1.5, None, None)
    """
    plain = value.item() if hasattr(value, "item") else value
    return plain if isfinite(plain) else None


def plain(value: Any, digits: int | None = None) -> Any:
    """Return a value as JSON can represent it: arrays as lists, records as dictionaries, None for nonfinite numbers.

    Numbers keep all digits, or `digits` of them, so that the order of summation leaves no trace.

    >>> import numpy as np
    >>> plain({"score": np.array([0.5, np.nan]), "agents": ("ada", "bob")}), plain(0.1 + 0.2, digits=12)
    ({'score': [0.5, None], 'agents': ['ada', 'bob']}, 0.3)
    """
    if value is None or isinstance(value, str | bool | int):
        return str(value) if isinstance(value, str) else value
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if hasattr(value, "tolist"):
        return plain(value.tolist(), digits)
    if isinstance(value, float):
        return None if not isfinite(value) else value if digits is None else float(f"{value:.{digits}g}")
    if isinstance(value, Mapping):
        return {str(key): plain(one, digits) for key, one in value.items()}
    if isinstance(value, AbstractSet):
        return sorted(map(plain, value))
    return [plain(one, digits) for one in value]


def _attribute(record: Record, name: str) -> Any:
    value = attrgetter(name)(record)
    return value() if callable(value) else value


def to_frame(result: Result, library: str | None = None) -> Any:
    """Return the rows of a result as a data frame; the same as its method `to_frame`.

    Parameters
    ----------
    result : Result
        The result of `rank`, `compare`, `core`, `resolve`, `bootstrap`, or any other result that is a table.
    library : {"polars", "pandas", "pyarrow"}, optional
        By default the one already imported, otherwise the first that is installed.

    Returns
    -------
    DataFrame or Table
        One row per entry of ``result.rows()``.

    See Also
    --------
    plot : A figure of a result.

    Examples
    --------
    >>> import beatpath as bp
    >>> pairs = bp.Pairs(("ada", "bob"), [0], [1], [[30, 10, 0, 0]])
    >>> to_frame(bp.rank(pairs, "copeland"), "pandas").to_dict("records")
    [{'rank': 1, 'agent': 'ada', 'score': 1.0}, {'rank': 2, 'agent': 'bob', 'score': 0.0}]
    """
    if not isinstance(result, Result):
        raise UsageError(
            f"`to_frame` takes what rank, compare, core, resolve or bootstrap return; got {type(result).__name__}."
        )
    return result.to_frame(library)


def frame(rows: Rows, library: str | None = None) -> Any:
    """Return rows as a data frame of the library that is named, already imported, or installed."""
    import narwhals.stable.v2 as nw

    columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
    return nw.from_dict(columns, backend=_library(library)).to_native()


def _library(library: str | None) -> Any:
    """The library to use; raises an error if there is none."""
    if library is not None and library not in LIBRARIES:
        raise UsageError(f"`library` must be one of {', '.join(LIBRARIES)}; got {quoted(library)}.")
    able = [name for name in ((library,) if library else LIBRARIES) if find_spec(name) is not None]
    if not able:
        raise UsageError(
            f"a frame needs {library or 'polars, pandas or pyarrow'}, which is not installed: `pip install {library or 'polars'}`. "
            "`to_dict` needs none."
        )
    return next((name for name in able if name in sys.modules), able[0])
