"""Engines: DuckDB, Spark, Dask or Ray open and count the files, one module each; only counts come back."""

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from beatpath._errors import ReadError, UsageError
from beatpath._result import BROUGHT, frame_of_columns
from beatpath._result import frame as frame_of_rows
from beatpath._text import listed, quoted, shown
from beatpath._typing import Engine
from beatpath.data.formats.tables import is_lmarena, layout_for, read_as, with_sessions
from beatpath.data.layouts.battles import NUMBER_ROLES, agents_of
from beatpath.data.layouts.roles import BATTLES, Layout
from beatpath.data.sources.source import Options, unchanged
from beatpath.data.tables.cells import condition
from beatpath.data.tables.engine_files import Files, files_of
from beatpath.data.tables.words import AGENT_WORDS, tokens
from beatpath.evidence import Evidence, Pairs

if TYPE_CHECKING:
    from beatpath.data.tables.frames import FrameTable


def read_with(
    engine: Engine,
    options_of_engine: Mapping[str, object],
    source: Any,
    format_name: str | None,
    options: Options,
    *,
    by_cluster: bool,
) -> Evidence:
    """Read files with an engine; with `by_cluster`, battles are split by their cluster if they have one."""
    if format_name not in (None, "table", "lmarena"):
        raise UsageError(f"engines read tables and lmarena battles; {quoted(format_name)} is read without an engine.")
    files = files_of(source, options)
    module = import_module(f"beatpath.data.engines.on_{engine}")
    open_in_engine = getattr(module, f"open_in_{engine}")
    with unchanged(files.sources), open_in_engine(files, options_of_engine, options) as table:
        if format_name == "lmarena" or (format_name is None and is_lmarena(table.names)):
            format_name, options = "lmarena", with_sessions(table.names, options)
        layout = layout_for(table, options)
        if engine != "duckdb" and (layout.name not in BATTLES or options.to == "battles"):
            what = "rows" if layout.name in BATTLES else layout.name
            raise UsageError(
                f"{engine} counts battles where they lie, and hands back counts alone; {what} are read without an engine, or with "
                "engine='duckdb'."
            )
        if by_cluster and layout.name in BATTLES and options.to != "battles":
            own = [name for name in ("cluster",) if name in layout.roles and layout.roles[name] not in options.keep]
            options = replace(options, by=(*own, *options.keep), keep=())
        files.require(_used(layout, options))
        return _accounted(read_as(layout, table, options, format_name or "table"), files)


def frame_table(native: Any, filters: tuple[str, ...]) -> "FrameTable":
    """Return a data frame as a table, with what its engine needs."""
    import narwhals.stable.v2 as nw

    from beatpath.data.tables.frames import FrameTable

    native = one_frame(native)
    if type(native).__module__.startswith("ray.data"):
        from beatpath.data.engines.on_ray import dataset_table

        return dataset_table(native, ("the ray dataset",), filters)
    try:
        frame: Any = nw.from_native(native)
    except TypeError:
        raise UsageError(
            "`source` must be a path, a list of paths, '-', or a frame of pandas, Polars, PyArrow, DuckDB, Dask, Spark or "
            f"Ray; got {type(native).__name__}."
        ) from None
    BROUGHT.set(str(frame.implementation.name).lower())
    table = FrameTable(frame, (f"the {BROUGHT.get()} frame",), filters)
    _require_named_columns(table)
    if table.engine.startswith("pyspark"):
        from beatpath.data.engines.on_spark import plainly_named

        native, columns = plainly_named(native)
        return replace(table, frame=nw.from_native(native), columns=columns)
    if table.engine == "dask":
        from beatpath.data.engines.on_dask import DaskTable

        return DaskTable(frame, table.sources, filters)
    return table


def _require_named_columns(table: "FrameTable") -> None:
    """Raise an error if a frame has no columns, or columns whose names are not text, as those of several levels in pandas."""
    if not table.names:
        raise ReadError(f"{table.sources[0]} must have columns; it has none. Check how it was made.")
    other = next((name for name in table.names if not isinstance(name, str)), None)
    if other is not None:
        joined = '"_".join(map(str, name))' if isinstance(other, tuple) else "str(name)"
        raise ReadError(
            f"the columns of {table.sources[0]} must have one text each as name; got {shown(repr(other))}. Name them first, in "
            f"pandas: `frame.columns = [{joined} for name in frame.columns]`."
        )


def one_frame(source: Any) -> Any:
    """Return a dataset, a dict of columns, a list of records or a dict of frames as one frame; a frame as it is.

    The frames of a dict are stacked, their keys in a column of their own: ``agent`` where the frames have none, else ``task``.

    >>> one_frame([{"agent": "ada", "score": 1.0}, {"agent": "bob", "score": 0.5}]).shape
    (2, 2)
    """
    import narwhals.stable.v2 as nw

    if isinstance(source, list | tuple) and source and all(isinstance(row, Mapping) for row in source):
        return frame_of_rows(source)
    if type(source).__module__.startswith("datasets.") and not isinstance(source, Mapping):
        return source.with_format("arrow")[:]
    if not isinstance(source, Mapping):
        return source
    parts = {name: one_frame(part) for name, part in source.items()}
    if not parts or not all(hasattr(part, "columns") for part in parts.values()):
        return frame_of_columns(source)
    if len({type(part) for part in parts.values()}) > 1:
        raise UsageError("the frames of a dict must be of one library; these are of several.")
    frames = {name: nw.from_native(part) for name, part in parts.items()}
    names = {str(name).lower() for part in frames.values() for name in part.collect_schema().names()}
    has_agents = any(set(tokens(name)) & set(AGENT_WORDS) for name in names)
    column = "agent" if not has_agents else "task" if "task" not in names else "source"
    named = [part.with_columns(nw.lit(str(name)).alias(column)) for name, part in frames.items()]
    return nw.concat(named, how="diagonal").to_native()


def _used(layout: Layout, options: Options) -> list[str]:
    """The columns that a read uses."""
    filters = [condition(text).column for text in options.where]
    if layout.name not in BATTLES or options.to == "battles":
        return [*layout.used, *filters]
    deciding = [layout.roles[role] for role in ("outcome", "weight", *NUMBER_ROLES) if role in layout.roles]
    split = [layout.roles.get(name, name) for name in options.by if name != "position"]
    return [*agents_of(layout), *deciding, *split, *filters]


def _accounted(evidence: Evidence, files: Files) -> Evidence:
    """Raise an error if only part of the rows was counted, and note the files that were skipped."""
    reading = evidence.reading
    assert reading is not None
    if isinstance(evidence, Pairs):
        files.require_all_rows(reading.rows_read)
    if not files.passed_over:
        return evidence
    note = f"files whose names begin with an underscore were passed over: {listed(files.passed_over, 3)}"
    return replace(evidence, reading=replace(reading, notes=(*reading.notes, note)))
