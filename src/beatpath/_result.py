"""What every result offers: sentences, plain data, rows, a frame, a picture, and a short name for itself."""

import sys
from collections.abc import Sequence
from html import escape
from importlib.util import find_spec
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeAlias

from beatpath._errors import UsageError
from beatpath._text import quoted, shown

if TYPE_CHECKING:
    from beatpath.reports.figures.pictures import Picture

SCHEMA_VERSION = "1"
LIBRARIES = ("polars", "pandas", "pyarrow")
Rows: TypeAlias = Sequence[dict[str, Any]]


class Result:
    """A frozen answer.

    A result says what was found in `sentences` and gives everything as plain data in `to_dict`, both of its own; where it
    has one row an agent (or a pair, or a level) it gives them in `rows`. The rest follows from these three.
    """

    __slots__ = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """What was found, in words, most important first."""
        raise NotImplementedError  # every kind of result has its own

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data that JSON can carry."""
        raise NotImplementedError  # every kind of result has its own

    def rows(self) -> Rows:
        """Return the answer as rows that a table shows; none where it is not a table."""
        return ()

    def to_frame(self, library: str | None = None) -> Any:
        """Return the rows as a frame of polars, pandas or pyarrow: the one named, in use already, or installed."""
        rows = self.rows()
        if not rows:
            raise UsageError(f"{type(self).__name__} is no table; `to_dict` gives it as plain data.")
        return frame(rows, library)

    def plot(self) -> "Picture":
        """Draw the result, where there is a picture for it."""
        from beatpath.reports.figures.pictures import plot

        return plot(self)

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    def __repr__(self) -> str:
        said = self.sentences
        return f"<{type(self).__name__}: {shown(said[0], 200)}>" if said else f"<{type(self).__name__}>"

    def _repr_html_(self) -> str:
        """The sentences and the rows for a notebook, every name escaped."""
        said = "".join(f"<p>{escape(sentence)}</p>" for sentence in self.sentences)
        return said + html_table(self.rows())


def json_number(value: Any) -> Any:
    """Return a number, of numpy or plain, as JSON can carry it: None where it is not finite.

    >>> json_number(1.5), json_number(float("nan")), json_number(float("inf"))
    (1.5, None, None)
    """
    plain = value.item() if hasattr(value, "item") else value
    return plain if isfinite(plain) else None


def html_table(rows: Rows) -> str:
    """Return rows as an HTML table; numbers with four figures, every text escaped.

    >>> html_table([{"agent": "<b>", "score": 0.123456}])
    '<table><tr><th>agent</th><th>score</th></tr><tr><td>&lt;b&gt;</td><td>0.1235</td></tr></table>'
    """
    if not rows:
        return ""
    head = "".join(f"<th>{escape(str(name))}</th>" for name in rows[0])
    body = "".join(f"<tr>{''.join(f'<td>{_cell(value)}</td>' for value in row.values())}</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else escape(shown(value))


def to_frame(result: Result, library: str | None = None) -> Any:
    """Return the rows of a result as a frame; the same as its own `to_frame`.

    Parameters
    ----------
    result : Result
        Whatever `rank`, `compare`, `core`, `resolve` or `bootstrap` return, and other results that are tables.
    library : {"polars", "pandas", "pyarrow"}, optional
        By default the one that is in use already, else the first that is installed.

    Examples
    --------
    >>> import beatpath as bp
    >>> told = bp.Pairs(("ada", "bob"), [0], [1], [[30, 10, 0, 0]])
    >>> to_frame(bp.rank(told, "copeland"), "pandas").to_dict("records")
    [{'rank': 1, 'agent': 'ada', 'score': 1.0}, {'rank': 2, 'agent': 'bob', 'score': 0.0}]
    """
    if not isinstance(result, Result):
        raise UsageError(
            f"`to_frame` takes what rank, compare, core, resolve or bootstrap return; got {type(result).__name__}."
        )
    return result.to_frame(library)


def frame(rows: Rows, library: str | None = None) -> Any:
    """Return rows as a frame of whichever library is named, in use already, or installed."""
    import narwhals.stable.v2 as nw

    columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
    return nw.from_dict(columns, backend=_library(library)).to_native()


def _library(asked: str | None) -> Any:
    """The library to use, or why there is none."""
    if asked is not None and asked not in LIBRARIES:
        raise UsageError(f"`library` must be one of {', '.join(LIBRARIES)}; got {quoted(asked)}.")
    able = [name for name in ((asked,) if asked else LIBRARIES) if find_spec(name) is not None]
    if not able:
        raise UsageError(
            f"a frame needs {asked or 'polars, pandas or pyarrow'}, which is not installed: `pip install {asked or 'polars'}`. "
            "`to_dict` needs none."
        )
    return next((name for name in able if name in sys.modules), able[0])
