"""The service behind the routes: a shelf of files, a worker that reads, and workers that answer."""

import threading
from typing import Any

from beatpath.web.asked import FileReading, Question
from beatpath.web.errors import Busy
from beatpath.web.jobs import Jobs
from beatpath.web.limits import Limits
from beatpath.web.shelf import Offer, Shelf
from beatpath.web.uploads import Uploads
from beatpath.web.worker import Worker

READERS_WAITING = 8


class Service:
    """Everything that lives as long as the server.

    Parameters
    ----------
    shelf : Shelf
        What may be read.
    limits : Limits
    """

    def __init__(self, shelf: Shelf, limits: Limits) -> None:
        self.shelf = shelf
        self.limits = limits
        self.uploads = Uploads(shelf, limits)
        self.jobs = Jobs(limits)
        self._reader = Worker(limits.share)
        self._one = threading.Lock()
        self._readers = threading.BoundedSemaphore(READERS_WAITING)

    def start(self) -> None:
        """Have workers ready."""
        self._reader.start()
        self.jobs.start()

    def close(self) -> None:
        """End every process and delete every upload."""
        self.jobs.close()
        with self._one:
            self._reader.stop()
        self.uploads.close()

    def recognise(self, offer: Offer) -> dict[str, Any]:
        """Return the format of a file, or raise where no reader claims it."""
        return self._read("recognised", offer.place())

    def preview(self, reading: FileReading) -> dict[str, Any]:
        """Return the first rows of a file and what its columns mean."""
        place = self.shelf[reading.file].place()
        return self._read("previewed", place, reading.model_dump(), place["bytes"] <= self.limits.preview)

    def ask(self, question: Question) -> str:
        """Put a question in line and return a ticket."""
        return self.jobs.ask("answered", self.shelf[question.file].place(), question.model_dump())

    def _read(self, task: str, *arguments: Any) -> dict[str, Any]:
        """Have the reader do something, one thing at a time."""
        if not self._readers.acquire(blocking=False):
            raise Busy("too many files are looked at just now. Try again in a moment.")
        try:
            with self._one:
                found: dict[str, Any] = self._reader.call(task, *arguments, seconds=self.limits.preview_seconds)
                return found
        finally:
            self._readers.release()
