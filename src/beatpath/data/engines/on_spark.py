"""Read and count files with Spark: in a new session, or in the one that already runs."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from typing import Any

import narwhals.stable.v2 as nw

from beatpath._errors import ReadError, UsageError
from beatpath._text import listed, quoted
from beatpath.data.sources.source import COMPRESSED, Options, is_address
from beatpath.data.tables.cells import Groups
from beatpath.data.tables.engine_files import Files, Piece, require_texts_here
from beatpath.data.tables.frames import (
    FrameTable,
    engine_errors,
    engine_library,
    inner_names,
    refuse_options_of_running,
)
from beatpath.data.tables.open_table import has_header

REPLACED = "\ufffd"  # the replacement character that Java substitutes for invalid UTF-8
# Options of a session of our own: no output, one time zone, and counts of any size, of which Spark takes home 1 GB by default.
OWN = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.driver.maxResultSize": "0",
}
# Options of the CSV reader.
SEPARATED = {
    "header": True,
    "multiLine": True,
    "quote": '"',
    "escape": '"',
    "mode": "FAILFAST",
    "columnPruning": False,  # otherwise rows with too few or too many cells pass unnoticed
    "maxCharsPerColumn": -1,
}


@dataclass(frozen=True)
class SparkTable(FrameTable):
    """Files in Spark, which accepts invalid UTF-8 without an error."""

    def groups(self, agents: Sequence[str], others: Sequence[str], weight: str | None) -> Groups:
        """Group the filtered rows by these columns as strings, in Spark."""
        groups = super().groups(agents, others, weight)
        if self.files is not None and self.files.kind != "parquet":
            for name, factor in groups.texts.items():
                if any(REPLACED in level for level in factor.levels):
                    raise ReadError(
                        f"{listed(self.sources, 2)} must be UTF-8 text; {quoted(name)} holds bytes that are none, or the sign "
                        "U+FFFD that stands for such. Save the files as UTF-8."
                    )
        return groups


@contextmanager
def open_in_spark(files: Files, engine_values: Mapping[str, object], options: Options) -> Iterator[SparkTable]:
    """Open files in Spark; `engine_values` may have ``master`` and any setting that begins with ``spark.``."""
    require_texts_here(files, options, "spark")
    for piece in files.pieces:  # Spark goes by the names
        if piece.compression and not piece.path.lower().endswith(tuple(COMPRESSED)):
            raise UsageError(
                f"spark tells compressed files by the endings {' and '.join(COMPRESSED)}; {quoted(piece.name)} is "
                f"{piece.compression} without one. Rename it."
            )
    sql = engine_library("pyspark.sql", "spark")
    session, own = _session(sql, engine_values)
    try:
        with engine_errors("spark"):
            native, columns = _spark_frame(session, files)
        yield SparkTable(nw.from_native(native), files.names, tuple(options.where), columns, files)
    finally:
        if own:
            session.stop()


def _session(sql: Any, engine_values: Mapping[str, object]) -> tuple[Any, bool]:
    """The running session, or a new one with these options; and whether it is ours to stop."""
    running = sql.SparkSession.getActiveSession()
    if running is not None:
        refuse_options_of_running(engine_values, "a Spark session")
        return running, False
    wrong = [name for name in engine_values if name != "master" and not name.startswith("spark.")]
    if wrong:
        raise UsageError(f"`engine_options` of spark must be master or begin with spark.; got {quoted(wrong[0])}.")
    settings = {"spark.master": "local[*]", **OWN, **engine_values}
    settings["spark.master"] = settings.pop("master", settings["spark.master"])
    builder = sql.SparkSession.builder.appName("beatpath").config(map={k: str(v) for k, v in settings.items()})
    with engine_errors("spark"):
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("ERROR")
    return session, True


def _spark_frame(session: Any, files: Files) -> tuple[Any, dict[str, str]]:
    if files.kind == "separated":
        return _separated_frame(session, files)
    if files.kind == "json":
        lines = session.read.options(primitivesAsString=True, mode="FAILFAST")
        return plainly_named(lines.json([_uri(path) for path in files.paths]))
    reader = session.read if files.sources else session.read.option("mergeSchema", True)
    return plainly_named(reader.parquet(*map(_uri, files.paths)), files.common)


def _separated_frame(session: Any, files: Files) -> tuple[Any, dict[str, str]]:
    """Read files with the same header together, and combine all by column name."""
    alike: dict[tuple[str, tuple[str, ...]], list[Piece]] = {}
    for piece in files.pieces:
        alike.setdefault((piece.delimiter, piece.columns), []).append(piece)
    parts = []
    for (delimiter, header), pieces in alike.items():
        reader = session.read.schema(", ".join(f"h{i} STRING" for i in range(len(header))))
        reader = reader.options(sep=delimiter, **{**SEPARATED, "header": has_header(header)})
        rows = reader.csv([_uri(piece.path) for piece in pieces])
        parts.append(rows.select([f"h{header.index(name)}" for name in files.common]))
    columns = inner_names(files.common)
    return reduce(lambda one, other: one.union(other), parts).toDF(*columns.values()), columns


def plainly_named(native: Any, names: Sequence[str] = ()) -> tuple[Any, dict[str, str]]:
    """Return a Spark frame, or these columns of it, under internal names, and the name of each."""
    if names:
        native = native.select([f"`{name.replace('`', '``')}`" for name in names])
    columns = inner_names(tuple(native.columns))
    return native.toDF(*columns.values()), columns


def _uri(path: str) -> str:
    r"""A path in the form that Spark expects: local paths with wildcards escaped, addresses as they are.

    >>> _uri("/x/[a] b.csv"), _uri("s3://bucket/*.parquet")
    ('file:///x/\\[a\\] b.csv', 's3://bucket/*.parquet')
    """
    return path if is_address(path) else "file://" + re.sub(r"([*?\[\]{}\\,])", r"\\\1", os.path.abspath(path))
