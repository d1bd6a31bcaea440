"""The memory that reading may use.

It is the user's limit, otherwise half of the free memory; exceeding it is an error.

A few kilobytes can decompress to gigabytes, so the size of everything that grows with a file is estimated before it
is allocated.
"""

import os
from functools import lru_cache

from beatpath._errors import ReadError
from beatpath._memory import ALLOWED, memory_there, size_of

_LEAST = 1 << 20  # the lowest limit, in bytes
_UNKNOWN = 4 << 30  # assumed if the system does not report its memory
# Bytes that an object, a list, an entry and a value take, by the character before them.
_JSON_BYTES = {"{": 64, "[": 56, ",": 64, ":": 40}


def memory_limit() -> int:
    """Return the number of bytes that reading may use."""
    text = os.environ.get(ALLOWED, "")
    return size_of(text, ALLOWED) if text else _half_of_free()


def in_bytes(size: float) -> str:
    """Return a size with its unit.

    >>> in_bytes(300), in_bytes(3 << 20), in_bytes(2.5 * (1 << 30))
    ('0.0003 MB', '3 MB', '2.5 GB')
    """
    if size >= 1 << 30:
        return f"{size / (1 << 30):,.3g} GB"
    return f"{size / (1 << 20):,.{4 if size >= 1 << 20 else 1}g} MB"


def require_memory(need: float, what: str, instead: str = "") -> None:
    """Raise an error if an allocation exceeds the memory that reading may use.

    Parameters
    ----------
    need : float
        Size in bytes.
    what : str
        What needs the memory, as the subject of the sentence.
    instead : str
        An alternative, as a sentence.
    """
    limit = memory_limit()
    if need > limit:
        more = f" {instead}" if instead else ""
        raise ReadError(
            f"{what} must fit into the memory that reading may fill, {in_bytes(limit)}; it takes about {in_bytes(need)} or more."
            f"{more} If the file is sound, allow more with `--memory`."
        )


def require_parseable(text: str | bytes, what: str) -> None:
    """Raise an error if parsed JSON would exceed the memory limit: an empty object takes 64 bytes and two characters.

    Parameters
    ----------
    text : str or bytes
        Text that is not parsed yet.
    what : str
        Its location, as the subject of the sentence.
    """
    if len(text) * max(_JSON_BYTES.values()) > memory_limit():  # otherwise no text of this length can exceed it
        need = 2 * len(text)
        for sign, size in _JSON_BYTES.items():
            need += size * (text.count(sign.encode()) if isinstance(text, bytes) else text.count(sign))
        require_memory(need, f"{what}, as JSON,")


@lru_cache(maxsize=1)
def _half_of_free() -> int:
    """Half of the memory that was free at the first call."""
    there = memory_there()
    return max(int(_UNKNOWN if there is None else there) // 2, _LEAST)
