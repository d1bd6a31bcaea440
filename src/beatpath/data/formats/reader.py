"""The interface of a file-format reader: a name, a way to recognize its files, and a way to read them.

Any package can add one through the entry-point group ``beatpath.readers``; an entry names a `Reader`.
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
    """The beginning of a file, read once and inspected by every reader."""

    source: Source

    @cached_property
    def start(self) -> bytes:
        """The first decompressed bytes."""
        return self.source.first(HEAD)

    @cached_property
    def text(self) -> str:
        """The first bytes as text; undecodable bytes are replaced."""
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
        """Column names of a table: the header, the keys of the first JSON object, or the Parquet schema.

        Empty if the file is not a table.
        """
        if self.record or self.text.lstrip().startswith(("{", "[")):
            return tuple(self.record)
        from beatpath.data.tables.open_table import header_of, parquet_columns

        try:
            parquet = self.start.startswith(b"PAR1")
            return parquet_columns(self.source)[0] if parquet else header_of(self.source, Options())[1]
        except BeatpathError:
            return ()

    def _whole_document(self) -> Mapping[str, Any]:
        """Parse the whole JSON file, if its first object is longer than the head."""
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
    """A file format that `read` supports.

    Parameters
    ----------
    name : str
        Name of the format in ``--format-in``.
    sentence : str
        Description for ``beatpath formats``.
    claims : function of a `Head`, optional
        Whether a file looks like this format; not needed if `keys` are sufficient.
    read : function of sources and `Options`
        Reads claimed files together into evidence.
    heeds : set of str
        Which of the options ``where``, ``keep``, ``to`` and ``by`` the reader applies itself. The others are applied
        to its result if possible, and raise an error if not.
    keys : sets of str
        The first JSON object of a file has all keys of one of these sets.
    sign : pattern
        Occurs in the first bytes of a file.
    endings : sequence of str
        File extensions.

    Notes
    -----
    If any of `keys`, `sign` and `endings` is given, `claims` is called only for files that match one of them.
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
