"""Uploads: streamed into a folder of the server's own, whole or not at all."""

import contextlib
import hashlib
import os
import re
import secrets
import tempfile
import threading
from collections import Counter
from collections.abc import AsyncIterable
from pathlib import Path, PurePath

from beatpath._text import shown
from beatpath.web.errors import TooLarge
from beatpath.web.limits import Limits
from beatpath.web.shelf import Offer, Shelf

LONGEST = 80  # signs of a stored name


class Uploads:
    """Where uploads lie: private to this user, and gone with the server."""

    def __init__(self, shelf: Shelf, limits: Limits) -> None:
        self._shelf = shelf
        self._limits = limits
        self._home = tempfile.TemporaryDirectory(prefix="beatpath-uploads-", ignore_cleanup_errors=True)
        self.folder = Path(self._home.name)
        self._lock = threading.Lock()
        self._held: Counter[str] = Counter()

    async def receive(self, name: str, length: int | None, stream: AsyncIterable[bytes]) -> Offer:
        """Write a stream to a file, and return it as something that can be put on the shelf; it stays until it is let go.

        The identifier is the hash of the contents and of the stored name: uploading a file again makes old links work.
        Requests that bring the same file at the same time share it, and each of them holds it.

        Raises
        ------
        TooLarge
            Before anything is written where the length is announced, while it is written where not.
        """
        most = self._limits.upload
        if length is not None and length > most:
            raise _too_large(name, most)
        part = self.folder / f"{secrets.token_hex(8)}.part"
        stored, found, size = stored_name(name), hashlib.sha256(), 0
        found.update(stored.encode() + b"\0")
        try:
            with part.open("xb") as file:
                async for block in stream:
                    size += len(block)
                    if size > most:
                        raise _too_large(name, most)
                    found.update(block)
                    file.write(block)
            return self._settle(part, name, stored, found.hexdigest()[:16])
        finally:
            part.unlink(missing_ok=True)

    def keep(self, offer: Offer) -> None:
        """Put an upload on the shelf; the oldest beyond the limit make room."""
        self._shelf.put(offer)
        mine = [one.id for one in self._shelf if one.kind == "upload"]
        for identifier in mine[: -self._limits.uploads]:
            self.drop(identifier)

    def let_go(self, offer: Offer) -> None:
        """End a request's hold on what it brought; what nobody holds and is not on the shelf is deleted."""
        with self._lock:
            self._held[offer.id] -= 1
            self._delete_unless_wanted(offer)

    def drop(self, identifier: str) -> None:
        """Take an upload off the shelf."""
        offer = self._shelf[identifier]
        if offer.kind == "upload":
            with self._lock:
                self._shelf.drop(identifier)
                self._delete_unless_wanted(offer)

    def _delete_unless_wanted(self, offer: Offer) -> None:
        if self._held[offer.id] or any(one.id == offer.id for one in self._shelf):
            return
        del self._held[offer.id]
        with contextlib.suppress(OSError):
            os.unlink(os.path.join(offer.folder, offer.path))
            os.rmdir(offer.folder)

    def close(self) -> None:
        """Delete everything."""
        self._home.cleanup()

    def _settle(self, part: Path, name: str, stored: str, identifier: str) -> Offer:
        """Move a whole file to its place."""
        folder = self.folder / identifier
        with self._lock:
            self._held[identifier] += 1
            folder.mkdir(exist_ok=True)
            os.replace(part, folder / stored)
        return Offer(identifier, name, "upload", str(folder), stored)


def stored_name(name: str) -> str:
    """Return a name that is safe on any disk; of the given one it keeps letters, digits and its endings.

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


def _too_large(name: str, most: int) -> TooLarge:
    return TooLarge(
        f"an upload may have {most / (1 << 20):,.4g} MB; {shown(name)} has more. Whoever started this page can name the file "
        "there, which has no limit, or allow larger uploads."
    )
