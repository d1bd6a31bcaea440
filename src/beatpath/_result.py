"""Base classes of results: sentences, plain data, rows, data frames, plots, and a short repr."""

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import fields
from importlib.util import find_spec
from itertools import chain
from math import isfinite
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Never, SupportsIndex, TypeAlias, TypeVar

from beatpath._errors import UsageError
from beatpath._guard import guard_methods
from beatpath._text import listed, missing_attribute, quoted, shown, suggestion

if TYPE_CHECKING:
    from beatpath.reports.figures.pictures import Picture
    from beatpath.reports.view import View

# Version of the JSON documents; libraries of data frames in order of preference; rows of a table.
SCHEMA_VERSION = "1"
ATOMS = {str, int, bool, type(None)}  # what JSON represents as it is, whatever the value
LIBRARIES = ("polars", "pandas", "pyarrow")
BROUGHT: ContextVar[str] = ContextVar("brought", default="")  # the library of the last frame that was read
Rows: TypeAlias = Sequence[Mapping[str, Any]]
T = TypeVar("T")


class Delegate(property, Generic[T]):
    """A property that passes on an attribute of another attribute.

    Parameters
    ----------
    path : str
        Where the value is, such as ``"ranks.score"``.
    doc : str, optional
        What the value is. Without it the JSON Schema describes it as the attribute that it passes on.

    Examples
    --------
    >>> class Board:
    ...     best = Delegate[str]("names.real", "The best.")
    ...     names = 3
    >>> Board().best, Board.best.__doc__
    (3, 'The best.')
    """

    def __init__(self, path: str, doc: str | None = None) -> None:
        super().__init__(attrgetter(path))
        self.path, self.__doc__ = path, doc

    if TYPE_CHECKING:  # the type of the value, which `property` does not know

        def __get__(self, instance: Any, owner: type | None = None, /) -> T: ...  # type: ignore[override]


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

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        guard_methods(cls)

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
        return cls.sentences is not Result.sentences or cls._finding is not Result._finding

    @property
    def sentences(self) -> tuple[str, ...]:
        """The findings in words, most important first."""
        return (self._finding(),)

    def _finding(self) -> str:
        """The finding of a result that has one sentence."""
        raise NotImplementedError  # every subclass has its own, or sentences

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain data that JSON can represent."""
        head = {"schema_version": SCHEMA_VERSION, "type": self.document_type(), "sentences": list(self.sentences)}
        return head | Record.to_dict(self)

    def summary(self) -> str:
        """Return what a terminal shows: the sentences, and the table where there is one."""
        from beatpath.reports.terminal import plain_text

        return plain_text(self.view())

    def to_markdown(self) -> str:
        """Return the same as Markdown, all rows of the table."""
        from beatpath.reports.view import markdown

        return markdown(self.view())

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the result as the ending of the path says (.json, .md, .html; of a table .csv too), and return the path."""
        from beatpath.reports.view import saved

        return saved(self, Path(path))

    if not TYPE_CHECKING:  # or every attribute would be there for type checkers

        def __getattr__(self, name):
            raise missing_attribute(self, name)

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


class TableResult(Result):
    """A result that is a table: it has rows, which it gives one by one, by agent, or as a frame."""

    __slots__ = ()

    def rows(self) -> Rows:
        """Return the answer as rows, every one with the same columns."""
        raise NotImplementedError  # every kind of table has its own

    def to_frame(self, library: str | None = None) -> Any:
        """Return the rows as a frame of pandas, polars or pyarrow: the one named, else that of the frame you brought."""
        return frame(self.rows(), library)

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return iter(self.rows())

    def __len__(self) -> int:
        return len(self.rows())

    def __bool__(self) -> bool:  # a table without rows is an answer too
        return True

    def __contains__(self, key: object) -> bool:
        return any(row[_key_column(row)] == key for row in self.rows())

    def __getitem__(self, key: Any) -> Any:
        """Return the row of an agent (all of them in a list, where it has several), or rows by position."""
        rows = self.rows()
        if not isinstance(key, str | SupportsIndex | slice):
            raise UsageError(
                f"a key must be an agent, a position or a slice; got {quoted(key)}. `bp.win_matrix(evidence)` has a row for every pair."
            )
        if not isinstance(key, str):
            return rows[key]  # type: ignore[index]
        matches = [row for row in rows if row[_key_column(row)] == key]
        if not matches:
            known = dict.fromkeys(str(row[_key_column(row)]) for row in rows)
            raise UsageError(f"{quoted(key)} must be in a row of the table.{suggestion(key, known)}")
        return matches if len(matches) > 1 else matches[0]


def _key_column(row: Mapping[str, Any]) -> str:
    """The column by which rows are looked up: the agent, else the first."""
    return "agent" if "agent" in row else next(iter(row))


def plot_result(result: Result, *path: Never) -> "Picture":
    """Draw the result."""
    from beatpath.reports.figures.pictures import plot

    if path:
        raise UsageError(
            f"`plot()` returns a picture and must be called without arguments; got {listed(path)}. Its `save(path)` writes it."
        )
    return plot(result)


def sentences_html(sentences: Sequence[str]) -> str:
    """Return sentences for a notebook, the first as headline; empty ones are left out."""
    from beatpath.reports.view import View, html

    return html(View(facts=sentences))


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
    if type(value) in (list, tuple):  # first, for a million of them; named tuples have `to_dict`
        kinds = set(map(type, value))
        if kinds <= {list, tuple} and set(map(type, chain.from_iterable(value))) <= ATOMS:
            return list(map(list, value))
        return list(value) if kinds <= ATOMS else [plain(one, digits) for one in value]
    if isinstance(value, float):
        return None if not isfinite(value) else float(value) if digits is None else float(f"{value:.{digits}g}")
    if value is None or isinstance(value, str | bool | int):
        return str(value) if isinstance(value, str) else value
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if hasattr(value, "tolist"):
        return plain(value.tolist(), digits)
    if isinstance(value, Mapping):
        return dict(zip(map(str, value), plain(list(value.values()), digits), strict=True))
    return plain(list(value), digits)


def _attribute(record: Record, name: str) -> Any:
    value = attrgetter(name)(record)
    return value() if callable(value) else value


def rows_of(**columns: Any) -> Any:
    """Return one row for each place of the columns, which are sequences or arrays.

    >>> rows_of(agent=("ada", "bob"), score=(1.5, 0.5))
    [{'agent': 'ada', 'score': 1.5}, {'agent': 'bob', 'score': 0.5}]
    """
    lists = {name: one.tolist() if hasattr(one, "tolist") else one for name, one in columns.items()}
    return [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]


def frame(rows: Rows, library: str | None = None) -> Any:
    """Return rows as a data frame of the library that is named, the user's frames are of, is already imported, or installed."""
    return frame_of_columns({name: [row.get(name) for row in rows] for name in (rows[0] if rows else ())}, library)


def frame_of_columns(columns: Mapping[str, Any], library: str | None = None) -> Any:
    """Return columns as a frame; see `frame`."""
    import narwhals.stable.v2 as nw

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
    return next((name for name in (BROUGHT.get(), *able) if name in able and name in sys.modules), able[0])
