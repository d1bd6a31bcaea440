"""How much memory reading may fill: what the user says, else half of what is there; and the sentence where that is too little.

A few kilobytes can unpack to gigabytes. So whatever grows with a file is estimated before it is set aside.
"""

import os
from functools import lru_cache

from beatpath._errors import ReadError
from beatpath._memory import ALLOWED, memory_there, size_of

VARIABLE = ALLOWED
_LEAST = 1 << 20
_UNKNOWN = 4 << 30  # taken where the system does not say what it has
# Bytes that an object, a list, an entry and a value take, by the sign before them.
_JSON_BYTES = {"{": 64, "[": 56, ",": 64, ":": 40}


def memory_limit() -> int:
    """Return the bytes that reading may fill."""
    text = os.environ.get(VARIABLE, "")
    return size_of(text, VARIABLE) if text else _half_of_free()


def in_bytes(size: float) -> str:
    """Return a size in words.

    >>> in_bytes(300), in_bytes(3 << 20), in_bytes(2.5 * (1 << 30))
    ('0.0003 MB', '3 MB', '2.5 GB')
    """
    if size >= 1 << 30:
        return f"{size / (1 << 30):,.3g} GB"
    return f"{size / (1 << 20):,.{4 if size >= 1 << 20 else 1}g} MB"


def require_memory(need: float, what: str, instead: str = "") -> None:
    """Refuse what would fill more memory than reading may.

    Parameters
    ----------
    need : float
        Bytes.
    what : str
        What would be filled with them, as it stands at the beginning of a sentence.
    instead : str
        What would do, a sentence.
    """
    limit = memory_limit()
    if need > limit:
        more = f" {instead}" if instead else ""
        raise ReadError(
            f"{what} must fit into the memory that reading may fill, {in_bytes(limit)}; it takes about {in_bytes(need)} or more."
            f"{more} If the file is sound, allow more with `--memory` or the variable {VARIABLE}."
        )


def require_parseable(text: str | bytes, what: str) -> None:
    """Refuse JSON whose values would fill more memory than reading may: an empty object takes 64 bytes of it, and two of text.

    Parameters
    ----------
    text : str or bytes
        Not parsed yet.
    what : str
        Where it stands, as at the beginning of a sentence.
    """
    if len(text) * max(_JSON_BYTES.values()) > memory_limit():  # else no text of this length can be too much
        need = 2 * len(text)
        for sign, size in _JSON_BYTES.items():
            need += size * (text.count(sign.encode()) if isinstance(text, bytes) else text.count(sign))
        require_memory(need, f"{what}, as JSON,")


@lru_cache(maxsize=1)
def _half_of_free() -> int:
    """Half of the memory that was free when first asked."""
    there = memory_there()
    return max(int(_UNKNOWN if there is None else there) // 2, _LEAST)
