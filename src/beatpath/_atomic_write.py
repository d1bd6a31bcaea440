"""Atomic writes: a file replaces its target only after it is complete on disk, and an interrupted write leaves nothing.

A regular file is written without a name in its target folder and linked at the end; systems without such files use a
temporary name. Devices and pipes are written directly and never replaced.
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
except ModuleNotFoundError:  # on Windows
    fcntl = None  # type: ignore[assignment]

PASSED_ON = ("/dev/", "/proc/")  # paths that lead to open files of a process


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a path to write to; on success its content replaces the target, on failure it is discarded.

    Symbolic links are followed. An existing file keeps its permissions.

    Raises
    ------
    UsageError
        If the target cannot be written, with the reason.
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
    """Let one process at a time read and rewrite a file, among processes that use this function.

    The lock is on the folder, since a lock on the file would be on the version that is replaced. Systems without such
    locks have none.
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
    """Return a path that can be written, as far as that can be checked in advance; otherwise raise an error."""
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
    """Return a folder that can be written to or created; otherwise raise an error."""
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
    """Write text (as UTF-8) or bytes atomically: the path holds the old file or the new one, never a part.

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
    except ValueError:  # a lone surrogate
        return False


def _is_node(target: Path) -> bool:
    """Whether the target is a device or a pipe, or the name of an open one; a folder raises an error."""
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
    """Yield a temporary file in the folder of a regular file, which then replaces that file."""
    mode = stat.S_IMODE(place.stat().st_mode) if place.exists() else None
    part = place.with_name(f".{place.name[:40]}.{token_hex(4)}.part")
    handle, nameless = _draft(part, 0o666 if mode is None else mode)
    try:
        with os.fdopen(handle, "rb") as draft:
            yield Path(f"/proc/self/fd/{handle}") if nameless else part
            if mode is not None:
                os.chmod(draft.fileno() if nameless else part, mode)
            os.fsync(draft.fileno())
            if nameless:  # naming a folder makes the link be followed; the path is absolute, so the folder is not used
                os.link(f"/proc/self/fd/{handle}", part, src_dir_fd=handle, follow_symlinks=True)
        os.replace(part, place)
        _on_the_disk(place.parent)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(part)


def _on_the_disk(folder: Path) -> None:
    """Flush the names in a folder to disk, if the system allows opening a folder."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _draft(part: Path, mode: int) -> tuple[int, bool]:
    """An open file to write to, and whether it has no name."""
    if hasattr(os, "O_TMPFILE") and os.path.isdir("/proc/self/fd"):
        with suppress(OSError):  # not every file system supports them
            return os.open(part.parent, os.O_TMPFILE | os.O_RDWR, mode), True
    return os.open(part, os.O_CREAT | os.O_EXCL | os.O_RDWR, mode), False
