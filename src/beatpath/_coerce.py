"""`as_evidence`: whatever people hold, a path or a frame, becomes evidence at the door of every public function."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar, overload

from beatpath._errors import UsageError
from beatpath.evidence import Evidence

DATASETS = ("datasets.", "ray.data")  # modules of frames that do not name their columns `columns`


class Frame(Protocol):
    """A frame of pandas, Polars, PyArrow, DuckDB, Dask, Spark or anything else narwhals knows."""

    @property
    def columns(self) -> Any:
        """Its columns, or their names."""


EvidenceLike: TypeAlias = (
    Evidence | str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | Frame | Mapping[str, Any]
)
E = TypeVar("E", bound=Evidence)


@overload
def as_evidence(source: E) -> E: ...
@overload
def as_evidence(source: EvidenceLike) -> Evidence: ...
def as_evidence(source: Any) -> Evidence:
    """Return evidence as it is, and anything else as `read` reads it without options.

    Raises
    ------
    UsageError
        Where it is neither evidence nor anything that `read` takes.

    Examples
    --------
    >>> as_evidence({"agent_a": ["ada", "bob"], "agent_b": ["bob", "ada"], "winner": ["a", "tie"]})
    Battles(2 agents, 2 battles)
    """
    if isinstance(source, Evidence):
        return source
    if not is_readable(source):
        rows = " Rows of battles are `bp.Battles.of([('ada', 'bob', 1)])`." if isinstance(source, Sequence) else ""
        rows = " Its battles are `.evidence()`." if hasattr(source, "evidence") else rows
        raise UsageError(
            "`evidence` must be battles, ballots, scores, pairs, margins or win rates, or what `bp.read` takes: a path, several, a "
            f"folder, a data frame, a dict of columns or of frames; got {type(source).__name__}.{rows}"
        )
    from beatpath.data.read import read

    return read(source)


def evidence_frame(evidence: Any, library: str | None = None) -> Any:
    """Return evidence as the table that `write` writes, as a frame; see `beatpath._result.frame`.

    >>> evidence_frame(as_evidence({"agent_a": ["ada"], "agent_b": ["bob"], "winner": ["tie"]}), "pandas")["agent_a"].tolist()
    ['ada']
    """
    from beatpath._result import frame_of_columns
    from beatpath.data.write import sheet_of

    return frame_of_columns(sheet_of(as_evidence(evidence)).columns, library)


def is_readable(source: object) -> bool:
    """Return whether `read` may take something: a path or several, a frame, a dict of columns or of frames, records.

    >>> is_readable("battles.csv"), is_readable([{"agent_a": "ada"}]), is_readable([[0.5, 0.7], [0.3, 0.5]])
    (True, True, False)
    """
    if isinstance(source, list | tuple):
        return all(isinstance(one, str | os.PathLike | Mapping) for one in source)
    known = isinstance(source, str | os.PathLike | Mapping) or hasattr(type(source), "columns")
    return known or type(source).__module__.startswith(DATASETS)
