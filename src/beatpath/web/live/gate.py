"""How many may be inside at once, and how often anybody may come."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from beatpath.web.errors import Busy, TooOften


class Gate:
    """So many at once; others wait in line, and not for long.

    Parameters
    ----------
    most : int
    patience : float
        Seconds after which one that waits is refused.
    """

    def __init__(self, most: int, patience: float) -> None:
        self._places = threading.BoundedSemaphore(most)
        self._patience = patience

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Hold a place."""
        if not self._places.acquire(timeout=self._patience):
            raise Busy("too many requests are answered just now. Try again in a moment.")
        try:
            yield
        finally:
            self._places.release()


class Pace:
    """So many a second, and so many at once after a rest.

    Parameters
    ----------
    rate : float
    burst : int
    """

    def __init__(self, rate: float, burst: int) -> None:
        self._rate, self._burst = rate, burst
        self._left, self._then = float(burst), time.monotonic()
        self._lock = threading.Lock()

    def step(self) -> None:
        """Take one, or be refused."""
        with self._lock:
            now = time.monotonic()
            self._left = min(self._burst, self._left + self._rate * (now - self._then))
            self._then = now
            if self._left < 1:
                raise TooOften("more requests came than there is time for. Try again in a moment.")
            self._left -= 1
