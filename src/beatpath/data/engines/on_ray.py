"""Read and count files with Ray Data.

Narwhals does not support Ray datasets. So a worker groups every block by the same expressions as any frame, and the
groups of the blocks are summed here as they arrive.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Never

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
    refuse_options_of_running,
)

# Options of a session and their types; options that suppress its output.
SETTINGS = {"address": str, "namespace": str, "num_cpus": int, "object_store_memory": int}
QUIET = {"include_dashboard": False, "log_to_driver": False, "logging_level": logging.ERROR}


@dataclass(frozen=True)
class RayTable(FrameTable):
    """A Ray dataset; its `frame` is an empty one with the same columns."""

    dataset: Any = None
    engine = "ray"
    lazy = True  # the workers hold the rows

    @cached_property
    def n_rows(self) -> int:
        """Number of rows before any filter."""
        with _quiet_ray():
            return int(self.dataset.count())

    def rows(self, names: Sequence[str]) -> Never:
        """Raise an error: rows are not fetched from Ray."""
        raise UsageError(
            "a dataset of Ray is counted where it lies, if it holds battles; rows are read from what `dataset.to_pandas()` gives."
        )

    def grouped(self, grouping: Grouping) -> dict[str, NDArray[Any]]:
        """Return the columns of the groups: workers group the blocks, and the groups are summed here."""
        schema = nw.to_native(self.frame).schema
        work = partial(_grouped_block, grouping=grouping, schema=schema)
        with _quiet_ray():
            chosen = self.dataset.select_columns(list(dict.fromkeys(grouping.columns.values())))
            blocks = chosen.map_batches(work, batch_size=None, batch_format="pyarrow", zero_copy_batch=True)
            batches = blocks.iter_batches(batch_size=None, batch_format="pyarrow")
            return fetched(nw.from_native(_added_up(batches, len(grouping.names), grouping.weight is not None)))


def _grouped_block(block: Any, grouping: Grouping, schema: Any) -> Any:
    """The groups of one block, whose columns must have the types of the dataset."""
    import pyarrow as pa

    for name, column in grouping.columns.items():
        own, common = block.schema.field(column).type, schema.field(column).type
        if own != common and not pa.types.is_null(own):
            raise ReadError(
                f"{quoted(name)} must have one type in all blocks; it is {common} in the dataset and {own} in one block. "
                "Nothing was counted: cast the column."
            )
    block = block.cast(pa.schema([schema.field(column) for column in block.column_names]))
    return nw.to_native(grouping.of(nw.from_native(block)))


def _added_up(blocks: Iterator[Any], n_keys: int, weighted: bool) -> Any:
    """Sum the groups of all blocks as they arrive."""
    import pyarrow as pa

    keys = [f"g{i}" for i in range(n_keys)]
    parts = {"n": "sum", **({"total": "sum", "square": "sum", "holes": "sum", "low": "min"} if weighted else {})}
    sums = [getattr(nw.col(part), how)().alias(part) for part, how in parts.items()]
    kinds = {**dict.fromkeys(keys, pa.string()), "n": pa.int64(), "holes": pa.int64()}
    order = [*keys, *parts]
    schema = pa.schema([(name, kinds.get(name, pa.float64())) for name in order])
    total = schema.empty_table()
    for block in blocks:
        both = nw.from_native(pa.concat_tables([total, block.select(order).cast(schema)]))
        total = nw.to_native(both.group_by(keys, drop_null_keys=False).agg(*sums)).select(order).cast(schema)
    return total


@contextmanager
def open_in_ray(files: Files, engine_values: Mapping[str, object], options: Options) -> Iterator[RayTable]:
    """Open files in Ray.

    `engine_values` may have ``address``, ``namespace``, ``num_cpus`` and ``object_store_memory``.
    """
    require_texts_here(files, options, "ray")
    engine_library("ray.data", "ray")
    ray = engine_library("ray", "ray")
    own = not ray.is_initialized()
    if own:
        with engine_errors("ray"):
            ray.init(**QUIET, **engine_options(engine_values, SETTINGS, "ray"))
    else:
        refuse_options_of_running(engine_values, "Ray")
    try:
        with _quiet_ray():
            dataset, columns = _dataset(ray, files)
        yield dataset_table(dataset, files.names, tuple(options.where), columns, files)
    finally:
        if own:
            ray.shutdown()


def dataset_table(
    dataset: Any,
    sources: tuple[str, ...],
    filters: tuple[str, ...],
    columns: Mapping[str, str] | None = None,
    files: Files | None = None,
) -> RayTable:
    """Return a dataset as a table."""
    import pyarrow as pa

    with _quiet_ray():
        schema = dataset.schema()
    empty = pa.schema(list(zip(schema.names, schema.types, strict=True))).empty_table()
    names = columns or {name: name for name in schema.names}
    return RayTable(nw.from_native(empty), sources, filters, names, files, dataset)


@contextmanager
def _quiet_ray() -> Iterator[None]:
    """Suppress Ray's progress bars and execution notes, and convert its failures to sentences."""
    context, logger = engine_library("ray.data", "ray").DataContext.get_current(), logging.getLogger("ray.data")
    before = context.enable_progress_bars, logger.level
    context.enable_progress_bars = False
    logger.setLevel(logging.ERROR)
    try:
        with engine_errors("ray"):
            yield
    finally:
        context.enable_progress_bars = before[0]
        logger.setLevel(before[1])


def _dataset(ray: Any, files: Files) -> tuple[Any, dict[str, str]]:
    if files.kind == "parquet":
        alike: dict[object, list[str]] = {}  # Ray refuses files that differ in any column, requested or not
        for piece in files.pieces:
            alike.setdefault((piece.columns, piece.types), []).append(piece.path)
        reads = [ray.data.read_parquet(paths, partitioning=None) for paths in alike.values()]
        columns = inner_names(files.common or tuple(reads[0].schema().names))
        first, *others = [read.select_columns(list(columns)).rename_columns(columns) for read in reads]
        return first.union(*others) if others else first, columns
    pieces = ray.data.from_items([{"piece": piece} for piece in files.pieces], override_num_blocks=len(files.pieces))
    names, kind = files.common, files.kind
    if kind == "json":
        found = pieces.flat_map(lambda row: [{"name": name} for name in json_columns(row["piece"])])
        names = tuple(dict.fromkeys(row["name"] for row in found.iter_rows()))

    def rows(batch: Mapping[str, Sequence[Piece]]) -> Iterator[Any]:
        """The rows of some files."""
        for piece in batch["piece"]:
            yield from piece_batches(piece, kind, names)  # not `files`, which would travel to the workers

    return pieces.map_batches(rows, batch_size=None, batch_format="numpy"), inner_names(names)
