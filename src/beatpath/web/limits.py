"""What the service gives to those who ask: how much, how many, how long."""

import os
from dataclasses import dataclass, field


def _half_of_memory() -> int:
    """Half of the memory there is, though not below 2 GB; 4 GB where the system does not say."""
    try:
        return max(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2, 2 << 30)
    except (AttributeError, OSError, ValueError):
        return 4 << 30


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
        Bytes that one job may fill.
    results : int
        Finished jobs that are kept; the oldest makes room.
    forsaken : float
        Seconds after which a job that nobody asks about is stopped.
    """

    upload: int = 200 << 20
    uploads: int = 20
    preview: int = 500 << 20
    running: int = 2
    waiting: int = 20
    seconds: float = 600.0
    preview_seconds: float = 60.0
    memory: int = field(default_factory=_half_of_memory)
    results: int = 30
    forsaken: float = 60.0
