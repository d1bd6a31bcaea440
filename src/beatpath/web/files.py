"""The files that may be read, by identifier, including uploads; and limits. No path ever comes from a request."""

import contextlib
import hashlib
import os
import re
import secrets
import tempfile
import threading
from collections import Counter
from collections.abc import AsyncIterable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from beatpath._errors import UsageError
from beatpath._memory import memory_there
from beatpath._text import quoted, shown
from beatpath.data.sources.source import find, find_paths
from beatpath.web.errors import Refused

MOST_OF_IT = 0.75  # share of the memory that jobs may use
LEAST = 1 << 30  # bytes that a process must be able to reserve: drawing figures reserves that many, and uses few


def _most_of_memory() -> int:
    """Three quarters of the memory that is available to this process; 3 GB if the system does not say."""
    return int(MOST_OF_IT * (memory_there() or 4 << 30))


def _at_once() -> int:
    """Two concurrent jobs, or one if memory does not suffice for two and a reader."""
    return 2 if _most_of_memory() >= 3 * LEAST else 1


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on requests and jobs.

    Parameters
    ----------
    upload : int
        Maximum size of an upload in bytes.
    uploads : int
        Number of stored uploads; the oldest is deleted first.
    preview : int
        Size up to which a file is read whole for its preview, in bytes.
    running, waiting : int
        Number of jobs that run at the same time, and that may wait.
    seconds, preview_seconds : float
        Time limits of a job and of a preview.
    memory : int
        Memory that all processes together may use, each its `share`, in bytes.
    results : int
        Number of stored finished jobs; the oldest is deleted first.
    forsaken : float
        Seconds after which a job that nobody polls is stopped.
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
        """Memory that one process may use, in bytes: all jobs that may run, and one reader, share it.

        It is at least `LEAST`.
        """
        return max(self.memory // (self.running + 1), LEAST)


EXAMPLE = "example"  # the identifier of the built-in example


@dataclass(frozen=True, slots=True)
class ReadableFile:
    """A file that may be read.

    Parameters
    ----------
    id : str
        Identifier in requests.
    name : str
        Display name.
    kind : {"example", "offered", "upload"}
        Its origin.
    folder, path : str
        Its location: a folder, and a path relative to it.
    """

    id: str
    name: str
    kind: str
    folder: str = ""
    path: str = ""

    def _files(self) -> list[os.stat_result]:
        paths = () if self.kind == EXAMPLE else find_paths(os.path.join(self.folder, self.path))
        return [os.stat(path) for path in paths]

    def to_dict(self) -> dict[str, Any]:
        """Return what clients may know."""
        try:
            size = sum(file.st_size for file in self._files())
        except (OSError, UsageError):  # deleted since; reading it will report that
            size = 0
        return {"id": self.id, "name": shown(self.name, 200), "kind": self.kind, "bytes": size}

    def place(self) -> dict[str, Any]:
        """Return what a worker needs to read it, with a mark that changes with the file."""
        files = self._files()
        changed = ";".join(f"{file.st_size},{file.st_mtime_ns}" for file in files)
        place = {"id": self.id, "name": self.name, "folder": self.folder, "path": self.path}
        return {**place, "bytes": sum(file.st_size for file in files), "mark": changed}


class ReadableFiles:
    """The files that may be read: the built-in example, those named on the command line, and uploads."""

    def __init__(self, paths: Iterable[str | os.PathLike[str]] = ()) -> None:
        self._lock = threading.Lock()
        self._offers = {EXAMPLE: ReadableFile(EXAMPLE, "the built-in example", EXAMPLE)}
        for path in paths:
            self.put(offered(path))

    def __getitem__(self, identifier: str) -> ReadableFile:
        """Return the file with this identifier, or raise an error."""
        with self._lock:
            if identifier in self._offers:
                return self._offers[identifier]
        raise Refused(
            404,
            f"`file` must be one that is offered here; {quoted(identifier)} is not. Uploads last as long as the server: "
            "upload the file again, and the same link works.",
        )

    def __iter__(self) -> Iterator[ReadableFile]:
        with self._lock:
            return iter(list(self._offers.values()))

    def put(self, offer: ReadableFile) -> None:
        """Add a file as the newest."""
        with self._lock:
            self._offers.pop(offer.id, None)
            self._offers[offer.id] = offer

    def drop(self, identifier: str) -> None:
        """Remove a file, if it exists."""
        with self._lock:
            self._offers.pop(identifier, None)


def offered(path: str | os.PathLike[str]) -> ReadableFile:
    """Return a file, folder or glob of the command line as a readable file.

    The identifier depends on the path only, so links survive a restart of the server.
    """
    text = os.fspath(path)
    if text == "-":
        raise UsageError("`serve` needs files that stay; standard input is read once. Save it to a file.")
    find(text)
    whole = Path(os.path.abspath(text))
    identifier = hashlib.sha256(str(whole).encode("utf-8", "surrogateescape")).hexdigest()[:12]
    if whole.exists():
        return ReadableFile(identifier, whole.name, "offered", str(whole.parent), whole.name)
    return ReadableFile(identifier, text, "offered", os.getcwd(), text)


LONGEST = 80  # longest stored name, in characters


class Uploads:
    """The folder of uploads: private to this user, and deleted with the server."""

    def __init__(self, readable: ReadableFiles, limits: Limits) -> None:
        self._readable = readable
        self._limits = limits
        self._home = tempfile.TemporaryDirectory(prefix="beatpath-uploads-", ignore_cleanup_errors=True)
        self.folder = Path(self._home.name)
        self._lock = threading.Lock()
        self._held: Counter[str] = Counter()

    async def receive(self, name: str, length: int | None, stream: AsyncIterable[bytes]) -> ReadableFile:
        """Write a stream to a file and return it; the request holds it until `release`.

        The identifier is the hash of the content and the stored name, so old links work again if a file is uploaded
        again. Concurrent requests with the same file share it, and each of them holds it.

        Raises
        ------
        Refused
            Before anything is written if the length is announced, otherwise while it is written.
        """
        most = self._limits.upload
        if length is not None and length > most:
            raise _too_large(name, most)
        part = self.folder / f"{secrets.token_hex(8)}.part"
        stored, digest, size = stored_name(name), hashlib.sha256(), 0
        digest.update(stored.encode() + b"\0")
        try:
            with part.open("xb") as file:
                async for block in stream:
                    size += len(block)
                    if size > most:
                        raise _too_large(name, most)
                    digest.update(block)
                    file.write(block)
            return self._settle(part, name, stored, digest.hexdigest()[:16])
        finally:
            part.unlink(missing_ok=True)

    def keep(self, offer: ReadableFile) -> None:
        """Make an upload readable; the oldest beyond the limit are deleted."""
        self._readable.put(offer)
        mine = [one.id for one in self._readable if one.kind == "upload"]
        for identifier in mine[: -self._limits.uploads]:
            self.drop(identifier)

    def release(self, offer: ReadableFile) -> None:
        """Release a request's hold on its upload, which is deleted if nothing else needs it."""
        with self._lock:
            self._held[offer.id] -= 1
            self._delete_unless_wanted(offer)

    def drop(self, identifier: str) -> None:
        """Remove an upload."""
        offer = self._readable[identifier]
        if offer.kind == "upload":
            with self._lock:
                self._readable.drop(identifier)
                self._delete_unless_wanted(offer)

    def _delete_unless_wanted(self, offer: ReadableFile) -> None:
        if self._held[offer.id] or any(one.id == offer.id for one in self._readable):
            return
        del self._held[offer.id]
        with contextlib.suppress(OSError):
            os.unlink(os.path.join(offer.folder, offer.path))
            os.rmdir(offer.folder)

    def close(self) -> None:
        """Delete everything."""
        self._home.cleanup()

    def _settle(self, part: Path, name: str, stored: str, identifier: str) -> ReadableFile:
        """Move a complete file to its place."""
        folder = self.folder / identifier
        with self._lock:
            self._held[identifier] += 1
            folder.mkdir(exist_ok=True)
            os.replace(part, folder / stored)
        return ReadableFile(identifier, name, "upload", str(folder), stored)


def stored_name(name: str) -> str:
    """Return a name that is safe on any disk, with the letters, digits and extensions of the given one.

    >>> stored_name("../../etc/passwd"), stored_name("arena battles.csv.gz"), stored_name("<img src=x>.csv")
    ('passwd', 'arena_battles.csv.gz', 'img_src_x.csv')
    >>> stored_name(".."), stored_name("-rf"), stored_name("*.csv")
    ('upload', 'rf', 'upload.csv')
    """
    last = PurePath(name.replace("\\", "/")).name
    endings = re.search(r"(\.[A-Za-z0-9]{1,12}){0,2}$", last)
    ending = endings.group() if endings else ""
    stem = re.sub(r"[^A-Za-z0-9]+", "_", last.removesuffix(ending)).strip("_")
    return f"{stem[:LONGEST] or 'upload'}{ending}"


def _too_large(name: str, most: int) -> Refused:
    return Refused(
        413,
        f"an upload may have {most / (1 << 20):,.4g} MB; {shown(name)} has more. Whoever started this page can name the file "
        "there, which has no limit, or allow larger uploads.",
    )
