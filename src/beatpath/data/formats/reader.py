"""What a reader of a file format is: a name, a way to recognise its files, and a way to read them.

Anyone can add one through the entry-point group ``beatpath.readers``: an entry names a `Reader`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from beatpath.data.sources.options import Options
from beatpath.data.sources.source import Source
from beatpath.data.tables.head import Head
from beatpath.evidence import Evidence


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
