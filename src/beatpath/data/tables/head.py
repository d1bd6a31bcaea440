"""The beginning of a file: what every reader looks at before one of them claims it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from beatpath._errors import BeatpathError
from beatpath.data.sources.options import Options
from beatpath.data.sources.source import HEAD, Source
from beatpath.data.tables.separated import delimiter_of, header_names


@dataclass(frozen=True)
class Head:
    """The beginning of a file, looked at once by every reader that might claim it."""

    source: Source

    @cached_property
    def start(self) -> bytes:
        """The first decompressed bytes."""
        return self.source.first(HEAD)

    @cached_property
    def text(self) -> str:
        """The first bytes as text, whatever they are."""
        return self.start.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")

    @cached_property
    def record(self) -> Mapping[str, Any]:
        """The first JSON object: of a JSON Lines file, of an array, or the document itself; empty if there is none."""
        text = self.text.lstrip()
        if not text.startswith(("{", "[")):
            return {}
        try:
            first = json.JSONDecoder().raw_decode(text.lstrip("[ \r\n\t"))[0]
        except (ValueError, RecursionError):
            return self._whole_document()
        return first if isinstance(first, dict) else {}

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The column names of a table: a header's cells, the keys of the first JSON object, a Parquet schema's fields."""
        return _column_names(self)

    def _whole_document(self) -> Mapping[str, Any]:
        """Parse all of a JSON file whose first object is longer than the head."""
        try:
            whole = json.loads(self.source.read())
        except (ValueError, RecursionError):
            return {}
        first = whole[0] if isinstance(whole, list) and whole else whole
        return first if isinstance(first, dict) else {}


def _column_names(head: Head) -> tuple[str, ...]:
    """The column names that the beginning of a file shows, none where it is no table; never raises."""
    if head.record:
        return tuple(head.record)
    try:
        if head.start.startswith(b"PAR1"):
            from beatpath.data.tables.open_table import parquet_columns

            return parquet_columns(head.source)[0]
        return tuple(header_names(head.source, delimiter_of(head.source, Options()), Options()))
    except BeatpathError:
        return ()
