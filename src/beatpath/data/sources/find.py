"""Which files a reading names: paths, folders, globs, standard input, and pipes, which are kept in a file while they are read.

What cannot be read twice (a pipe, a terminal, another program's output under a name such as ``/dev/fd/63``) would lose what
each look takes of it, so all of it is written to a temporary file first.
"""

import glob
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

from beatpath._errors import ReadError, UsageError
from beatpath._text import quoted, shown, suggestion
from beatpath.data.sources.memory import in_bytes
from beatpath.data.sources.source import BEGINNING, HEAD, Source, source

_PIECE = 1 << 20  # bytes copied at a time


@contextmanager
def found(where: Sequence[str | os.PathLike[str]]) -> Iterator[list[Source]]:
    """Give the files that several paths, folders, globs or ``-`` name, each once; pipes are kept in files until the end."""
    with ExitStack() as stack:
        sources: dict[object, Source] = {}
        for one in where:
            for src in _sources_of(os.fspath(one), stack):
                sources.setdefault(os.path.realpath(src.path), src)
        yield list(sources.values())


def find(where: str | os.PathLike[str]) -> list[Source]:
    """Return the files that a path, folder or glob names, in order of name."""
    paths = find_paths(where)
    return [source(path, look=BEGINNING if len(paths) == 1 else HEAD) for path in paths]


def find_paths(where: str | os.PathLike[str]) -> list[str]:
    """Return the paths that a path, folder or glob names, in order; no file is opened."""
    text = os.fspath(where)
    if os.path.isdir(text):
        paths = sorted(str(p) for p in Path(text).rglob("*") if p.is_file() and not p.name.startswith("."))
        if not paths:
            raise UsageError(f"{quoted(text)} must hold files to read; the folder is empty.")
    elif os.path.exists(text):
        if not _is_regular(text):
            raise UsageError(
                f"{quoted(text)} must be a file to be read more than once; it is a pipe or a device. Save it first."
            )
        paths = [text]
    elif glob.has_magic(text):
        paths = sorted(p for p in glob.glob(text, recursive=True) if os.path.isfile(p))
        if not paths:
            raise UsageError(f"{quoted(text)} must match at least one file; it matches none.")
    else:
        folder = os.path.dirname(text) or "."
        near = os.listdir(folder) if os.path.isdir(folder) else []
        raise UsageError(
            f"{quoted(text)} must be a file, folder or glob; there is none.{suggestion(os.path.basename(text), near)}"
        )
    return paths


def _sources_of(text: str, stack: ExitStack) -> list[Source]:
    """The files that one path, folder, glob or ``-`` names."""
    if text == "-":
        return [stack.enter_context(_spooled(sys.stdin.buffer, "standard input"))]
    if os.path.exists(text) and not os.path.isdir(text) and not _is_regular(text):
        return [stack.enter_context(_spooled(stack.enter_context(_open_pipe(text)), text))]
    return find(text)


def _is_regular(path: str) -> bool:
    return stat.S_ISREG(os.stat(path).st_mode)


@contextmanager
def _open_pipe(path: str) -> Iterator[BinaryIO]:
    try:
        with open(path, "rb") as stream:
            yield stream
    except OSError as error:
        raise ReadError(f"{shown(path)} cannot be read: {error.strerror or error}.") from None


@contextmanager
def _spooled(stream: BinaryIO, name: str) -> Iterator[Source]:
    """Write a stream to a file that is removed afterwards; it may fill half of the disk that is free."""
    with tempfile.TemporaryDirectory(prefix="beatpath-") as folder:
        path, left = Path(folder) / Path(name).name, shutil.disk_usage(folder).free // 2
        most = left
        with path.open("wb") as out:
            while piece := stream.read(_PIECE):
                left -= len(piece)
                if left < 0:
                    raise ReadError(
                        f"{shown(name)} must end before it fills half of the disk that is free, {in_bytes(most)}; it does not. "
                        "Read it from a file."
                    )
                out.write(piece)
        yield source(path, name, look=BEGINNING)
