"""The available memory, and an error before too much is allocated.

Available is the minimum of what the machine has free, what the control group of the process leaves, and what the user
allows with ``--memory`` or the environment variable ``BEATPATH_MEMORY``, such as ``8GB``.
"""

import os
import re
from contextlib import suppress
from pathlib import Path

from beatpath._errors import DataError, UsageError
from beatpath._text import quoted

ALLOWED = "BEATPATH_MEMORY"  # the environment variable that limits memory
# Factors of decimal units; binary ones are added below.
UNITS = {"": 1, "B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}
UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
SMALL = 2.0**24  # bytes that are allocated without a check
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*")  # a number and a unit


def size_of(text: str, option: str = ALLOWED) -> int:
    """Return the number of bytes in a string such as ``8GB`` or ``512 MiB``.

    >>> size_of("8GB"), size_of("1.5 KiB")
    (8000000000, 1536)
    """
    match = _SIZE.fullmatch(text)
    if match is None or match[2].upper() not in UNITS or not float(match[1]):
        raise UsageError(f"`{option}` must be a size above 0, such as 8GB or 512MiB; got {quoted(text)}.")
    return int(float(match[1]) * UNITS[match[2].upper()])


def allow_memory(text: str | None, option: str = "--memory") -> None:
    """Limit the memory of this process and of those it starts; ``None`` changes nothing."""
    if text is not None:
        os.environ[ALLOWED] = str(size_of(text, option))


def require_memory(need: float, what: str, instead: str) -> None:
    """Raise an error if so many bytes are not available, naming what is too large and an alternative.

    >>> try:
    ...     require_memory(8e12, "all pairs of 1,000,000 agents", "Choose agents with `only`.")
    ... except DataError as error:
    ...     print(str(error).split(";")[0], str(error)[-26:])
    all pairs of 1,000,000 agents need about 8.0 TB of memory Choose agents with `only`.
    """
    if need <= SMALL and not os.environ.get(ALLOWED):
        return
    there = memory_there()
    if there is not None and need > there:
        raise DataError(
            f"{what} need about {in_words(need)} of memory; {in_words(max(there, 0))} are available. {instead}"
        )


def memory_there() -> float | None:
    """Return the number of bytes still available, or ``None`` if unknown."""
    limits = [free for free in (_machine(), _control_group(), _allowed()) if free is not None]
    return min(limits, default=None)


def in_words(size: float) -> str:
    """Return a number of bytes with its unit.

    >>> in_words(5.4e12), in_words(2e6)
    ('5.4 TB', '2 MB')
    """
    for unit, name in ((1e12, "TB"), (1e9, "GB")):
        if size >= unit:
            return f"{size / unit:,.1f} {name}"
    return f"{size / 1e6:,.0f} MB"


def _allowed() -> float | None:
    text = os.environ.get(ALLOWED)
    return size_of(text) if text else None


def _machine() -> float | None:
    """What the machine can allocate without swapping, or its total if that is all it reports."""
    free = _reported("/proc/meminfo", "MemAvailable:")
    if free is not None:
        return free * 1024
    try:
        return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # Windows has no such function
        return None


def _reported(path: str, name: str) -> float | None:
    """The number behind a name in a file of the system, or None if it reports none."""
    try:
        lines = Path(path).read_text().splitlines()
        return next(float(line.split()[1]) for line in lines if line.startswith(name))
    except (OSError, ValueError, StopIteration):
        return None


def _control_group(group: Path = Path("/sys/fs/cgroup")) -> float | None:
    """What the limit of the container leaves, by version 2 or version 1 of control groups."""
    for folder, limit, used in (
        (group, "memory.max", "memory.current"),
        (group / "memory", "memory.limit_in_bytes", "memory.usage_in_bytes"),
    ):
        with suppress(OSError, ValueError):
            most = (folder / limit).read_text().strip()
            cached = _reported(f"{folder}/memory.stat", "inactive_file ") or 0.0  # file pages, released on demand
            taken = float((folder / used).read_text()) - cached
            return None if most == "max" or float(most) > 2**60 else float(most) - taken
    return None
