"""Read and count files with Dask: on the current client, on a scheduler by address, or in local threads."""

import glob
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
from numpy.typing import NDArray

from beatpath._errors import ReadError, UsageError
from beatpath._text import quoted
from beatpath.data.sources.source import Options
from beatpath.data.tables.engine_files import Files, Piece, json_columns, piece_batches, require_texts_here
from beatpath.data.tables.frames import (
    FrameTable,
    Grouping,
    engine_errors,
    engine_library,
    engine_options,
    fetched,
    inner_names,
)

# Local schedulers.
SCHEDULERS = ("threads", "processes", "synchronous")


@dataclass(frozen=True)
class DaskTable(FrameTable):
    """A Dask frame, whose partitions may differ in type without Dask noticing."""

    def grouped(self, grouping: Grouping) -> dict[str, NDArray[Any]]:
        """Return the columns of the groups, after checking that all partitions have the types of the frame."""
        native = nw.to_native(self.frame)[list(dict.fromkeys(grouping.columns.values()))]
        names = {inner: name for name, inner in grouping.columns.items()}
        checked = native.map_partitions(_of_one_type, native._meta.dtypes.to_dict(), names, meta=native._meta)
        return fetched(grouping.of(nw.from_native(checked)))


@contextmanager
def open_in_dask(files: Files, engine_values: Mapping[str, object], options: Options) -> Iterator[FrameTable]:
    """Open files in Dask; `engine_values` may have the ``address`` of a scheduler, or a local ``scheduler``."""
    require_texts_here(files, options, "dask")
    engine_library("dask.dataframe", "dask")
    engine = engine_options(engine_values, {"address": str, "scheduler": str}, "dask")
    if engine.get("scheduler", SCHEDULERS[0]) not in SCHEDULERS:
        raise UsageError(
            f"`engine_options` scheduler of dask must be one of {', '.join(SCHEDULERS)}; got {quoted(engine['scheduler'])}. "
            "A scheduler elsewhere has an address."
        )
    with ExitStack() as stack:
        with engine_errors("dask"):
            if "address" in engine:
                client = engine_library("distributed", "dask").Client
                stack.enter_context(client(engine["address"]))
            elif "scheduler" in engine:
                stack.enter_context(engine_library("dask", "dask").config.set(scheduler=engine["scheduler"]))
            native, columns = _dask_frame(files)
        yield FrameTable(nw.from_native(native), files.names, tuple(options.where), columns, files)


def _dask_frame(files: Files) -> tuple[Any, dict[str, str]]:
    dd = engine_library("dask.dataframe", "dask")
    if files.kind == "parquet":
        # a bracket in a file name is no pattern
        paths = [glob.escape(path) if files.sources else path for path in files.paths]
        read = dd.read_parquet(paths, columns=list(files.common) or None, dtype_backend="pyarrow")
        columns = inner_names(tuple(map(str, read.columns)))
        return read.rename(columns=columns), columns
    names = files.common
    if files.kind == "json":  # the workers find the keys
        dask = engine_library("dask", "dask")
        columns = dask.compute(*[dask.delayed(json_columns)(piece) for piece in files.pieces])
        names = tuple(dict.fromkeys(name for own in columns for name in own))
    empty = _pandas_rows(None, files.kind, names)
    rows = dd.from_map(_pandas_rows, list(files.pieces), kind=files.kind, names=names, meta=empty)
    return rows, inner_names(names)


def _pandas_rows(piece: Piece | None, kind: str, names: Sequence[str]) -> Any:
    """The rows of one file as a pandas frame with Arrow strings; no rows without a file."""
    import pyarrow as pa

    pandas = engine_library("pandas", "dask")
    schema = pa.schema([(f"c{i}", pa.string()) for i in range(len(names))])
    batches = [] if piece is None else [batch.cast(schema) for batch in piece_batches(piece, kind, names)]
    return pa.concat_tables([schema.empty_table(), *batches]).to_pandas(types_mapper=pandas.ArrowDtype)


def _of_one_type(part: Any, types: Mapping[str, Any], names: Mapping[str, str]) -> Any:
    """Return a partition, or raise an error if a column's type differs from that of the frame."""
    for column, expected in types.items():
        kind, expected_kind = _kind_of_dtype(part[column].dtype), _kind_of_dtype(expected)
        if kind != expected_kind and len(part) and part[column].notna().any():
            raise ReadError(
                f"{quoted(names[column])} must have one type in all partitions; it is {expected_kind} in the frame and {kind} in one "
                "of its partitions. Nothing was counted: cast the column, `frame.astype(...)`."
            )
    return part


def _kind_of_dtype(dtype: Any) -> str:
    """The kind of a pandas type, for messages."""
    types = engine_library("pandas.api.types", "dask")
    if isinstance(dtype, engine_library("pandas", "dask").CategoricalDtype):
        return "text" if dtype.categories is None else _kind_of_dtype(dtype.categories.dtype)
    tests = {"true or false": types.is_bool_dtype, "whole numbers": types.is_integer_dtype}
    tests |= {"numbers": types.is_float_dtype, "times": types.is_datetime64_any_dtype}
    return next((kind for kind, test in tests.items() if test(dtype)), "text")
