"""What a reader of a file format is: a name, a way to recognise its files by their beginning, and a way to read them.

Anyone can add one through the entry-point group ``beatpath.readers``: an entry names a `Reader`.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from beatpath._errors import BeatpathError
from beatpath.data.sources.memory import require_parseable
from beatpath.data.sources.source import HEAD, Options, Source
from beatpath.evidence import Evidence


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
        if self.start.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] not in (b"{", b"["):
            return {}
        text = self.text.lstrip()
        try:
            first = json.JSONDecoder().raw_decode(text.lstrip("[ \r\n\t"))[0]
        except (ValueError, RecursionError):
            return self._whole_document()
        return first if isinstance(first, dict) else {}

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The column names of a table: a header's cells, the keys of the first JSON object, a Parquet schema's fields; none of no table."""
        if self.record or self.text.lstrip().startswith(("{", "[")):
            return tuple(self.record)
        from beatpath.data.tables.open_table import header_of, parquet_columns

        try:
            parquet = self.start.startswith(b"PAR1")
            return parquet_columns(self.source)[0] if parquet else header_of(self.source, Options())[1]
        except BeatpathError:
            return ()

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


@dataclass(frozen=True, slots=True)
class Reader:
    """One file format.

    Parameters
    ----------
    name : str
        What ``--format-in`` calls it.
    sentence : str
        What it is, for `beatpath formats`.
    claims : function of a `Head`, optional
        Whether a file looks like this format; not needed where `keys` say it all.
    read : function of sources and `Options`
        Reads files that were claimed, together, into evidence.
    heeds : set of str
        Which of the options ``where``, ``keep``, ``to`` and ``by`` the reader itself heeds. The others are applied to
        what it has read, where that can be, and refused where not.
    keys : sets of str
        The first JSON object of a file has all keys of one of them.
    sign : pattern
        Found in the first bytes of a file.
    endings : sequence of str
        Of the names of files.

    Where any of `keys`, `sign` and `endings` is given, `claims` is asked only about files that show one of them.
    """

    name: str
    sentence: str
    claims: Callable[[Head], bool] | None
    read: Callable[[Sequence[Source], Options], Evidence]
    heeds: frozenset[str] = frozenset()
    keys: tuple[set[str], ...] = ()
    sign: re.Pattern[bytes] | None = None
    endings: tuple[str, ...] = ()

    def takes(self, head: Head) -> bool:
        """Whether a file looks like this format."""
        shows = (
            head.source.suffix in self.endings
            or (self.sign is not None and self.sign.search(head.start) is not None)
            or any(keys <= head.record.keys() for keys in self.keys)
            or not (self.keys or self.sign or self.endings)
        )
        return shows and (self.claims is None or self.claims(head))
