"""The beginning of a file: what every reader looks at before one of them claims it."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from beatpath._errors import BeatpathError
from beatpath.data.sources.memory import require_parseable
from beatpath.data.sources.options import Options
from beatpath.data.sources.source import HEAD, Source
from beatpath.data.tables.separated import delimiter_of, header_names

_JSON_SIGN = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[{}\[\],]', re.DOTALL)  # a text, whole or cut off, or what holds values
_TRIES = 4  # places at which the beginning of a document is cut


@dataclass(frozen=True)
class Head:
    """The beginning of a file, looked at once by every reader that might claim it."""

    source: Source
    whole: bool = True  # whether a document longer than its head may be read to its end

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
            return self._whole_document() if self.whole else begun(text.lstrip("[ \r\n\t"))
        return first if isinstance(first, dict) else {}

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The column names of a table: a header's cells, the keys of the first JSON object, a Parquet schema's fields."""
        return _column_names(self)

    def _whole_document(self) -> Mapping[str, Any]:
        """Parse all of a JSON file whose first object is longer than the head."""
        try:
            data = self.source.read()
            require_parseable(data, self.source.name)
            whole = json.loads(data)
        except (ValueError, RecursionError, BeatpathError):
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
        if head.text.lstrip().startswith(("{", "[")):
            return ()
        return tuple(header_names(head.source, delimiter_of(head.source, Options()), Options()))
    except BeatpathError:
        return ()


def begun(text: str) -> Mapping[str, Any]:
    """Return what the beginning of a JSON object shows: the values that are whole, and the last one as far as it goes.

    >>> begun('{"name": "ada", "games": [{"score": 1}, {"sco')
    {'name': 'ada', 'games': [{'score': 1}, {}]}
    """
    closing: list[str] = []
    ends: list[tuple[int, str]] = [(0, "")]  # where the text may be cut, and what then closes it
    for match in _JSON_SIGN.finditer(text):
        sign = match[0][0]
        if sign in "{[":
            closing.append("}" if sign == "{" else "]")
            ends.append((match.end(), "".join(reversed(closing))))
        elif sign in "}]" and closing:
            closing.pop()
        elif sign == ",":
            ends.append((match.start(), "".join(reversed(closing))))
        if not closing:
            break
    for end, close in ends[:0:-1][:_TRIES]:
        try:
            found = json.loads(text[:end] + close)
        except (ValueError, RecursionError):
            continue
        return found if isinstance(found, dict) else {}
    return {}
