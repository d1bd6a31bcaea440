"""Files must stay as they are while they are read: what is counted of a file in the making is of no file at all."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from beatpath._errors import BeatpathError, ReadError
from beatpath._text import listed


@contextmanager
def unchanged(paths: Sequence[Path]) -> Iterator[None]:
    """Refuse what was read between the two looks at the files if any of them has changed in between.

    A file that has changed is also the likeliest reason of an error in between, so it is named first.
    """
    before = [_mark(path) for path in paths]
    try:
        yield
    except BeatpathError as error:
        _require(paths, before, error)
        raise
    _require(paths, before)


def _require(paths: Sequence[Path], before: list[object], cause: Exception | None = None) -> None:
    changed = [str(path) for path, mark in zip(paths, before, strict=True) if _mark(path) != mark]
    if changed:
        raise ReadError(
            f"files must stay as they are while they are read; {listed(changed, 3)} changed meanwhile. Nothing was counted: "
            "read again once the writing has ended."
        ) from cause


def _mark(path: Path) -> object:
    """What tells a file from its former self: size, time of change, and where it lies."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns, found.st_ino
