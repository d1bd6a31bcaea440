"""What a reader of a file format is: a name, a way to recognise its files, and a way to read them.

Anyone can add one through the entry-point group ``beatpath.readers``: an entry names a `Reader`.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from beatpath.data.source import HEAD, Source
from beatpath.evidence import Evidence


@dataclass(frozen=True, slots=True)
class Options:
    """What the user said about the file, beyond where it is.

    Parameters
    ----------
    columns : mapping of role to column
        ``--map agent_a=left,outcome=label``.
    labels : mapping of label to meaning
        ``--labels invalid=drop,x=a``: outcomes ``a``, ``b``, ``tie``, ``both_bad``, ``drop``; places ``last``, ``drop``.
    where : sequence of conditions
        ``--where walkover=false``: only rows that meet all of them are read.
    keep : sequence of columns
        Further columns to carry along as factors or covariates.
    lower : sequence of metrics or tasks
        Those for which lower scores are better.
    encoding, delimiter : str, optional
        Overrides of what the file itself shows.
    self_battles : "error" or "drop"
        What to do with rows in which an agent meets itself.
    repeats : "error" or "best"
        What to do with an agent that stands on a ballot more than once.
    to : "pairs" or ``None``
        Whether battles are reduced to pair counts while they are read.
    by : sequence of roles or columns
        What such pair counts are split by.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    where: Sequence[str] = ()
    keep: Sequence[str] = ()
    lower: Sequence[str] = ()
    encoding: str | None = None
    delimiter: str | None = None
    self_battles: str = "error"
    repeats: str = "error"
    to: str | None = None
    by: Sequence[str] = ()


@dataclass(frozen=True)
class Head:
    """The beginning of a file, looked at once by every reader that might claim it."""

    source: Source

    @cached_property
    def start(self) -> bytes:
        """The first decompressed bytes."""
        return self.source.read(HEAD)

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
        from beatpath.data.table import column_names

        return column_names(self)

    def _whole_document(self) -> Mapping[str, Any]:
        """Parse all of a JSON file whose first object is longer than the head."""
        try:
            whole = json.loads(self.source.read())
        except (ValueError, RecursionError):
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
    claims : function of a `Head`
        Whether a file looks like this format.
    read : function of sources and `Options`
        Reads files that were claimed, together, into evidence.
    heeds : set of str
        Which of the options ``where``, ``keep``, ``to`` and ``by`` the reader itself heeds. The others are applied to
        what it has read, where that can be, and refused where not.
    """

    name: str
    sentence: str
    claims: Callable[[Head], bool]
    read: Callable[[Sequence[Source], Options], Evidence]
    heeds: frozenset[str] = frozenset()
