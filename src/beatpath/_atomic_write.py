"""Whole files or none: what is written takes its place when all of it is on the disk, and a kill leaves nothing behind.

A regular file is written as a file without a name in the folder it will stand in, and given its name at the end; where the
system has no such files, under a name of its own. Devices and pipes are written into and never replaced.
"""

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from beatpath._errors import UsageError
from beatpath._text import quoted, shown

try:
    import fcntl
except ModuleNotFoundError:  # Windows
    fcntl = None  # type: ignore[assignment]

PASSED_ON = ("/dev/", "/proc/")  # names that lead to what a process has open


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a path to write to; its content takes the place of the target when all went well, and vanishes when not.

    Symbolic links are followed. A file that was there keeps its permissions.

    Raises
    ------
    UsageError
        When the target cannot be written, with the reason.
    """
    target = require_writable(path)
    try:
        if _is_node(target):
            with tempfile.TemporaryDirectory(prefix="beatpath-") as folder:
                draft = Path(folder) / "draft"
                yield draft
                with draft.open("rb") as source, target.open("wb") as node:
                    shutil.copyfileobj(source, node)
        else:
            yield from _draft_of(Path(os.path.realpath(target)))
    except OSError as error:
        raise _unwritable(target, error.strerror or str(error)) from None


@contextmanager
def alone(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let one process at a time look at a file and write it anew, of those that come through here.

    It is the folder that is locked: a lock on the file would be on the one that is replaced. Where the system has no such
    locks, nothing is.
    """
    if fcntl is None:
        yield
        return
    handle = os.open(Path(os.path.realpath(require_writable(path))).parent, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def require_writable(path: str | os.PathLike[str]) -> Path:
    """Return a path that a file can be written to, as far as can be determined before; raise where it cannot."""
    target = Path(os.fspath(path))
    if not _can_be_a_name(target):
        raise _unwritable(target, "no file can have such a name")
    try:
        if not target.parent.is_dir():
            raise UsageError(f"the folder of the output must exist; {quoted(target.parent)} does not.")
        if not _is_node(target) and not os.access(Path(os.path.realpath(target)).parent, os.W_OK):
            raise _unwritable(target, "its folder is missing or write-protected")
    except OSError as error:
        raise _unwritable(target, error.strerror or str(error)) from None
    return target


def require_folder(path: str | os.PathLike[str]) -> Path:
    """Return a folder that files can be written to, or that can be made; raise where it cannot."""
    folder = Path(os.fspath(path))
    if not _can_be_a_name(folder):
        raise _unwritable(folder, "no folder can have such a name")
    there = next(part for part in (folder.absolute(), *folder.absolute().parents) if part.exists())
    if not there.is_dir():
        raise _unwritable(folder, f"{shown(there)} is no folder")
    if not os.access(there, os.W_OK):
        raise _unwritable(folder, f"{shown(there)} is write-protected")
    return folder


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write text, as UTF-8, or bytes so that the place holds the old file or the new one, never a part of either.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(Path(folder) / "greeting.txt", "hello")
    ...     os.listdir(folder)
    ['greeting.txt']
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    with whole_file(path) as draft:
        draft.write_bytes(data)


def _unwritable(target: Path, why: str) -> UsageError:
    return UsageError(f"the output must go where a file can be written; {shown(target)} cannot be: {why}.")


def _can_be_a_name(target: Path) -> bool:
    try:
        return b"\0" not in os.fsencode(target)
    except ValueError:  # half a character
        return False


def _is_node(target: Path) -> bool:
    """Whether the target is a device or a pipe, or the name of one that is open; a folder is refused."""
    if os.path.abspath(target).startswith(PASSED_ON) and target.exists():
        return True
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return False
    if not stat.S_ISREG(mode):
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(None, "it is a folder")
        if stat.S_ISSOCK(mode):
            raise OSError(None, "it is a socket")
        return True
    if not os.access(target, os.W_OK):
        raise PermissionError(None, "it is write-protected")
    return False


def _draft_of(place: Path) -> Iterator[Path]:
    """A draft in the folder of a regular file, which becomes that file."""
    mode = stat.S_IMODE(place.stat().st_mode) if place.exists() else None
    part = place.with_name(f".{place.name[:40]}.{token_hex(4)}.part")
    handle, nameless = _draft(part, 0o666 if mode is None else mode)
    try:
        with os.fdopen(handle, "rb") as draft:
            yield Path(f"/proc/self/fd/{handle}") if nameless else part
            if mode is not None:
                os.chmod(draft.fileno() if nameless else part, mode)
            os.fsync(draft.fileno())
            if nameless:  # a folder is named so that the link is followed; the path is whole, and it is not looked at
                os.link(f"/proc/self/fd/{handle}", part, src_dir_fd=handle, follow_symlinks=True)
        os.replace(part, place)
        _on_the_disk(place.parent)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(part)


def _on_the_disk(folder: Path) -> None:
    """Have the names in a folder written to the disk, where the system lets a folder be opened."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _draft(part: Path, mode: int) -> tuple[int, bool]:
    """An open file to write to, and whether it has no name."""
    if hasattr(os, "O_TMPFILE") and os.path.isdir("/proc/self/fd"):
        with suppress(OSError):  # not every file system has them
            return os.open(part.parent, os.O_TMPFILE | os.O_RDWR, mode), True
    return os.open(part, os.O_CREAT | os.O_EXCL | os.O_RDWR, mode), False
