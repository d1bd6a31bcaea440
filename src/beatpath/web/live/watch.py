"""One look at an arena for all who follow it: however many do, it is looked at once a beat."""

import threading
import time
from collections.abc import Callable
from typing import Any

from beatpath._errors import BeatpathError
from beatpath._schema import dumps

BEAT = 1.0  # seconds between looks
REST = 4.0  # a look that took long is followed by so many times as long without one


class Watch:
    """What an arena has come to, no older than a beat.

    Parameters
    ----------
    look : function
        Returns plain data; costs something.
    """

    def __init__(self, look: Callable[[], dict[str, Any]]) -> None:
        self._look = look
        self._lock = threading.Lock()
        self._until = 0.0
        self._seen: dict[str, Any] = {}

    def now(self) -> dict[str, Any]:
        """Return what was seen last, or look; where the arena cannot be looked at, what `error` says."""
        with self._lock:
            begun = time.monotonic()
            if begun >= self._until:
                try:
                    self._seen = self._look()
                except BeatpathError as error:
                    self._seen = {"error": str(error)}
                ended = time.monotonic()
                self._until = ended + max(BEAT, REST * (ended - begun))
            return self._seen

    def text(self) -> str:
        """Return it as one line."""
        return dumps(self.now())
