"""The shelf: what may be read, each thing known by an identifier; no path ever comes from a request."""

import hashlib
import os
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from beatpath._errors import UsageError
from beatpath._text import quoted, shown
from beatpath.data.sources.source import find, find_paths
from beatpath.web.errors import NotHere

EXAMPLE = "example"


@dataclass(frozen=True, slots=True)
class Offer:
    """One thing that may be read.

    Parameters
    ----------
    id : str
        What requests call it.
    name : str
        What people call it.
    kind : {"example", "offered", "upload"}
    folder, path : str
        Where it lies: a folder, and a path seen from there.
    """

    id: str
    name: str
    kind: str
    folder: str = ""
    path: str = ""

    def _files(self) -> list[os.stat_result]:
        return (
            [] if self.kind == EXAMPLE else [os.stat(path) for path in find_paths(os.path.join(self.folder, self.path))]
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what those who ask may know."""
        try:
            size = sum(file.st_size for file in self._files())
        except (OSError, UsageError):  # gone since; reading it will say so
            size = 0
        return {"id": self.id, "name": shown(self.name, 200), "kind": self.kind, "bytes": size}

    def place(self) -> dict[str, Any]:
        """Return what a worker needs to read it, with a mark that changes when the file does."""
        files = self._files()
        changed = ";".join(f"{file.st_size},{file.st_mtime_ns}" for file in files)
        place = {"id": self.id, "name": self.name, "folder": self.folder, "path": self.path}
        return {**place, "bytes": sum(file.st_size for file in files), "mark": changed}


class Shelf:
    """What may be read: the built-in example, what the command line named, and uploads."""

    def __init__(self, paths: Iterable[str | os.PathLike[str]] = ()) -> None:
        self._lock = threading.Lock()
        self._offers = {EXAMPLE: Offer(EXAMPLE, "the built-in example", EXAMPLE)}
        for path in paths:
            self.put(offered(path))

    def __getitem__(self, identifier: str) -> Offer:
        """Return what has this identifier, or raise with what to do."""
        with self._lock:
            if identifier in self._offers:
                return self._offers[identifier]
        raise NotHere(
            f"`file` must be one that is offered here; {quoted(identifier)} is not. Uploads last as long as the server: "
            "upload the file again, and the same link works."
        )

    def __iter__(self) -> Iterator[Offer]:
        with self._lock:
            return iter(list(self._offers.values()))

    def put(self, offer: Offer) -> None:
        """Add something, as the newest."""
        with self._lock:
            self._offers.pop(offer.id, None)
            self._offers[offer.id] = offer

    def drop(self, identifier: str) -> None:
        """Take something away, if it is there."""
        with self._lock:
            self._offers.pop(identifier, None)


def offered(path: str | os.PathLike[str]) -> Offer:
    """Return a file, folder or glob of the command line as something that may be read.

    The identifier depends on the path alone, so that a link still works when the server is started again.
    """
    text = os.fspath(path)
    if text == "-":
        raise UsageError("`serve` needs files that stay; standard input is read once. Save it to a file.")
    find(text)
    whole = Path(os.path.abspath(text))
    identifier = hashlib.sha256(str(whole).encode("utf-8", "surrogateescape")).hexdigest()[:12]
    if whole.exists():
        return Offer(identifier, whole.name, "offered", str(whole.parent), whole.name)
    return Offer(identifier, text, "offered", os.getcwd(), text)
