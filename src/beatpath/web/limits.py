"""What the service gives to those who ask: how much, how many, how long."""

import os
from dataclasses import dataclass, field
from pathlib import Path

MOST_OF_IT = 0.75  # of the memory there is
LEAST = 1 << 30  # bytes that a process must be able to set aside: what draws pictures takes so many, and fills few


def _most_of_memory() -> int:
    """Three quarters of the memory that this process may have; 3 GB where the system does not say."""
    try:
        there = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        there = 4 << 30
    return int(MOST_OF_IT * min(there, _allowed()))


def _allowed(place: Path = Path("/sys/fs/cgroup/memory.max")) -> float:
    """The memory that a container may have; no bound where there is none."""
    try:
        return float(place.read_text().strip().replace("max", "inf"))
    except (OSError, ValueError):
        return float("inf")


def _at_once() -> int:
    """Two jobs, or one where memory has no room for two and a reader."""
    return 2 if _most_of_memory() >= 3 * LEAST else 1


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds that no request can pass.

    Parameters
    ----------
    upload : int
        Bytes of one upload.
    uploads : int
        Uploads that are kept; the oldest makes room.
    preview : int
        Bytes up to which a file is read whole for its preview.
    running, waiting : int
        Jobs that are computed at once, and that may wait in line.
    seconds, preview_seconds : float
        After which a job, or a preview, is stopped.
    memory : int
        Bytes that all processes together may fill, each its `share`.
    results : int
        Finished jobs that are kept; the oldest makes room.
    forsaken : float
        Seconds after which a job that nobody asks about is stopped.
    """

    upload: int = 200 << 20
    uploads: int = 20
    preview: int = 500 << 20
    running: int = field(default_factory=_at_once)
    waiting: int = 20
    seconds: float = 600.0
    preview_seconds: float = 60.0
    memory: int = field(default_factory=_most_of_memory)
    results: int = 30
    forsaken: float = 60.0

    @property
    def share(self) -> int:
        """The bytes that one process may fill: as many compute as jobs may run at once, and one reads; `LEAST` at least."""
        return max(self.memory // (self.running + 1), LEAST)
