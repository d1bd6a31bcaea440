"""Memory that workers of Dask ask for again and again, kept by them as any other process keeps it.

Dask starts its workers with ``MALLOC_TRIM_THRESHOLD_=65536``, so that memory goes back to the system at once. Then every array
of more than 128 kB is mapped and zeroed anew, and a report took a third more processor seconds.
"""

import ctypes
import os

TRIM = "MALLOC_TRIM_THRESHOLD_"
OF_DASK = "65536"  # another value is somebody's choice
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # of malloc.h
MAPPED = (
    32 << 20
)  # bytes: what glibc comes to by itself, where nobody tells it anything, once so large an array was freed
TRIMMED = 2 * MAPPED


def keep_memory() -> None:
    """Let a process that Dask started keep up to 64 MB that it freed; elsewhere, and without glibc, do nothing."""
    if os.environ.get(TRIM) != OF_DASK:
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_MMAP_THRESHOLD, MAPPED)
        mallopt(M_TRIM_THRESHOLD, TRIMMED)
