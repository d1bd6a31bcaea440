"""Read and count files and addresses with DuckDB, in a separate database with its own settings."""

import re
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from tempfile import TemporaryDirectory

import duckdb

from beatpath._errors import UsageError
from beatpath._text import quoted, shown, suggestion
from beatpath.data.sources.source import Options
from beatpath.data.tables.database import ended_by_signals, literal, private_database
from beatpath.data.tables.engine_files import Files
from beatpath.data.tables.open_table import TablePart, described_at, json_at, open_parts, parquet_at, table_of
from beatpath.data.tables.table import Table

# Extensions of DuckDB by the scheme of an address.
EXTENSIONS = {
    **dict.fromkeys(("http", "https", "s3", "s3a", "s3n", "gs", "gcs", "r2", "hf"), "httpfs"),
    **dict.fromkeys(("az", "azure", "abfss"), "azure"),
    "file": "",
}


@contextmanager
def open_in_duckdb(files: Files, settings: Mapping[str, object], options: Options) -> Iterator[Table]:
    """Open files in DuckDB; `settings` may have any of its settings, such as ``memory_limit`` or ``threads``."""
    with (
        TemporaryDirectory(prefix="beatpath-", ignore_cleanup_errors=True) as folder,
        closing(private_database()) as con,
        ended_by_signals(con),
    ):
        extension_folders = {name: value for name, value in settings.items() if name.startswith("extension_director")}
        _set(con, {"temp_directory": folder, **extension_folders})
        addresses = () if files.sources else files.paths
        for address in addresses:
            _load_extension(con, address)
        _set(con, {name: value for name, value in settings.items() if name not in extension_folders})
        with open_parts(files.sources, options, con) as (_, parts):
            parts += [_part_at(con, address, files, options) for address in addresses]
            yield replace(table_of(con, parts, options), lazy=True)


def _set(con: duckdb.DuckDBPyConnection, settings: Mapping[str, object]) -> None:
    known = {
        str(name): str(kind) for name, kind in con.execute("SELECT name, input_type FROM duckdb_settings()").fetchall()
    }
    for name, value in settings.items():
        if name not in known:
            near = suggestion(name, known)
            raise UsageError(f"`engine_options` of duckdb must be settings of DuckDB; {quoted(name)} is none.{near}")
        text = literal(str(value))
        try:
            con.execute(f"SET {name} = {f'[{text}]' if known[name].endswith('[]') else text}")
        except duckdb.Error as error:
            raise UsageError(
                f"`engine_options` {name} of duckdb cannot be {quoted(value)}: {shown(str(error).splitlines()[0], 200)}"
            ) from None


def _load_extension(con: duckdb.DuckDBPyConnection, address: str) -> None:
    """Load the extension that an address needs; none is ever downloaded from here."""
    scheme = re.split("://", address)[0].lower()
    if scheme not in EXTENSIONS:
        raise UsageError(
            f"DuckDB reads addresses that begin with {', '.join(f'{name}://' for name in EXTENSIONS)}; got {quoted(address)}."
        )
    extension = EXTENSIONS[scheme]
    if not extension:
        return
    try:
        con.execute(f"LOAD {extension}")
    except duckdb.Error:
        raise UsageError(
            f"reading {quoted(address)} needs the extension {extension} of DuckDB, which is not installed: run "
            f"`python -c \"import duckdb; duckdb.sql('INSTALL {extension}')\"` once, with a network."
        ) from None


def _part_at(con: duckdb.DuckDBPyConnection, address: str, files: Files, options: Options) -> TablePart:
    """Describe what is at an address; files that its wildcards match must be alike, which DuckDB checks."""
    if files.kind == "parquet":
        return parquet_at(con, address, address)
    if files.kind == "json":
        return json_at(con, address, address)
    delimiter = options.delimiter or files.pieces[0].delimiter
    sql = (
        f"read_csv({literal(address)}, header=true, all_varchar=true, delim={literal(delimiter)}, quote='\"', escape='\"', "
        "strict_mode=true, null_padding=false)"
    )
    return replace(described_at(con, sql, address, address), types=())
