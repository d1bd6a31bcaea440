"""Find the files to read, open them decompressed, and hold the user's options for them.

Paths, folders, globs and standard input name files, compressed or not, in any usual encoding. A source that cannot be
read twice (a pipe, a terminal, another program's output under a name such as ``/dev/fd/63``) is first written to a
temporary file. A file is opened once to recognize its format: its first bytes are stored, and every reader inspects
these. The file must not change until the end of the read; counts of a file that is still being written would be
wrong.
"""

import codecs
import glob
import gzip
import os
import re
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from io import BufferedIOBase
from pathlib import Path
from typing import BinaryIO, cast, get_args

from beatpath._errors import BeatpathError, MissingExtra, ReadError, UsageError
from beatpath._text import listed, quoted, shown, suggestion
from beatpath._typing import ReadTo, Repeats, SelfBattles
from beatpath._validate import require_choice
from beatpath.data.sources.memory import in_bytes, memory_limit, require_memory

# Compressions by extension.
COMPRESSED = {".gz": "gzip", ".zst": "zstd"}
# first bytes of a SQLite database, whose readers see a snapshot even while others write
SQLITE = b"SQLite format 3\x00"
MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}  # compressions by first bytes
# Byte-order marks and the encodings they imply.
_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
# An address with a scheme, such as s3://.
_ADDRESS = re.compile(r"^[a-z][a-z0-9+.-]*://", re.IGNORECASE)
# Codecs in which no text file is written.
_NO_TEXT = ("idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape")
_PIECE = 1 << 20  # bytes read at a time
_LONGEST_PIPE = 1 << 35  # bytes of a pipe that are stored: ten times a large public arena, minutes of writing
_COPIES = 4  # copies in memory when a file is read whole: bytes, text, and the parsed result
HEAD = 1 << 16  # bytes inspected to recognize a format
BEGINNING = 1 << 20  # bytes inspected to find the delimiter and the header of separated text


@dataclass(frozen=True)
class Source:
    """One file to read: its display name, path, extension and compression.

    `mark` changes if the file changes. `head_bytes` caches the first decompressed bytes, and how many of them were
    requested.
    """

    name: str
    path: Path
    suffix: str
    compression: str = ""
    mark: object = field(default=None, repr=False, compare=False)
    head_bytes: tuple[bytes, int] = field(default=(b"", 0), repr=False, compare=False)

    def open(self) -> BinaryIO:
        """Open for reading, decompressed."""
        if self.compression == "gzip":
            return gzip.open(self.path, "rb")  # type: ignore[return-value]
        if self.compression == "zstd":
            return _open_zstd(self.path)
        return self.path.open("rb")

    def read(self, most: int = -1) -> bytes:
        """Return the decompressed bytes, all or the first `most`."""
        data, encoding = self.head_bytes
        if len(data) < encoding:  # the whole file is cached
            return data if most < 0 else data[:most]
        try:
            with self.open() as stream:
                return stream.read(most) if most >= 0 else self._whole(stream)
        except damage_errors() as error:
            if isinstance(error, OSError) and not isinstance(error, gzip.BadGzipFile):
                raise ReadError(f"{shown(self.name)} cannot be read: {error.strerror or error}.") from None
            raise ReadError(
                f"{shown(self.name)} must be a whole {self.compression} file; it ends early or is damaged ({error}). "
                "Fetch or compress it again."
            ) from None

    def first(self, most: int) -> bytes:
        """Return the first `most` decompressed bytes, from the cache if that is enough."""
        data, encoding = self.head_bytes
        if encoding < most and len(data) == encoding:  # there may be more
            data = self.read(most)
            if most <= HEAD:
                object.__setattr__(self, "head_bytes", (data, most))
        return data[:most]

    def _whole(self, stream: BinaryIO) -> bytes:
        """All bytes; raises an error as soon as they exceed the memory limit."""
        what, most = f"{shown(self.name)}, read whole,", memory_limit() // _COPIES
        if not self.compression:
            require_memory(_COPIES * os.fstat(stream.fileno()).st_size, what)
        data = bytearray()
        while piece := stream.read(_PIECE):
            data += piece
            if len(data) > most:
                unpacked = (
                    f" It unpacks to more than {len(data) / max(self.path.stat().st_size, 1):,.0f} times its size."
                )
                require_memory(_COPIES * len(data), what, unpacked.strip() if self.compression else "")
        return bytes(data)

    def text(self, encoding: str | None = None) -> str:
        """Return the whole decompressed text."""
        return decode(self.read(), self.name, encoding)


def damage_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions that reading a damaged file can raise; zstd's only if a file needed that library."""
    zstd = sys.modules.get("zstandard")
    return (EOFError, OSError, UnicodeError, zlib.error, *((zstd.ZstdError,) if zstd else ()))


def decode(data: bytes, name: str, encoding: str | None = None) -> str:
    r"""Decode bytes by the given encoding, otherwise by their byte-order mark, otherwise as UTF-8.

    >>> decode("é".encode("utf-16"), "x.csv")
    'é'
    >>> decode(b"caf\xe9", "x.csv")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    beatpath._errors.ReadError: x.csv must be UTF-8 text; byte 0xe9 in line 1 is not. ...
    """
    chosen = encoding or next((name for bom, name in _BOMS if data.startswith(bom)), "utf-8")
    try:
        return data.decode(chosen)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        text = "UTF-8 text" if chosen.startswith("utf-8") else f"{chosen} text"
        raise ReadError(
            f"{shown(name)} must be {text}; byte 0x{data[error.start]:02x} in line {line:,} is not. "
            "Save it as UTF-8, or name its encoding, for example `--encoding latin-1`."
        ) from None


def require_encoding(name: str) -> None:
    """Raise an error unless a name is that of an encoding for text files.

    >>> require_encoding("punycode")
    Traceback (most recent call last):
    ...
    beatpath._errors.UsageError: `encoding` must be one of texts that Python knows, such as utf-8 or latin-1; got 'punycode'.
    """
    try:
        codec = codecs.lookup(name)
    except (LookupError, ValueError):  # unknown, or a name with a null character
        codec = None
    if codec is None or not codec._is_text_encoding or codec.name.replace("-", "_") in _NO_TEXT:
        raise UsageError(
            f"`encoding` must be one of texts that Python knows, such as utf-8 or latin-1; got {quoted(name)}."
        )


def is_address(source: object) -> bool:
    r"""Whether a source is an address such as ``s3://bucket/x.parquet``, not a path.

    >>> is_address("s3://bucket/*.parquet"), is_address("logs/2026.csv"), is_address("C:\\logs")
    (True, False, False)
    """
    return isinstance(source, str) and bool(_ADDRESS.match(source))


def source(path: str | os.PathLike[str], name: str | None = None, *, look: int = HEAD) -> Source:
    """Describe one file by its extensions and its first `look` bytes, which are cached."""
    path = Path(path)
    mark = _mark(path)
    with _readable(path) as stream:
        start = stream.read(look)
    suffixes = [s.lower() for s in path.suffixes]
    compression = next((kind for magic, kind in MAGIC.items() if start.startswith(magic)), "")
    if suffixes and suffixes[-1] in COMPRESSED:
        if not compression and start:
            raise ReadError(
                f"{shown(path)} must be {COMPRESSED[suffixes[-1]]} as its name says; it is not. Rename or compress it."
            )
        suffixes.pop()
    if compression == "zstd":
        _require_whole_zstd(path)
    head_bytes = (b"", 0) if compression else (start, look)
    return Source(name or str(path), path, suffixes[-1] if suffixes else "", compression, mark, head_bytes)


@contextmanager
def unchanged(sources: Sequence[Source]) -> Iterator[None]:
    """Raise an error at the end if files changed since they were first opened.

    A changed file is also the likeliest reason for an error in between, so it is reported first.
    """
    cause = None
    try:
        yield
    except BeatpathError as error:
        cause = error
        raise
    finally:
        files = [src for src in sources if not src.head_bytes[0].startswith(SQLITE)]
        changed = [str(src.path) for src in files if _mark(src.path) != src.mark]
        if changed:
            raise ReadError(
                f"files must stay as they are while they are read; {listed(changed, 3)} changed meanwhile. Nothing was counted: "
                "read again once the writing has ended."
            ) from cause


def _mark(path: Path) -> object:
    """What identifies a version of a file: size, modification time, and location."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns, status.st_ino


@contextmanager
def plain_file(src: Source, encoding: str | None) -> Iterator[Path]:
    """Yield a path that DuckDB can read: the file itself if it is UTF-8, otherwise a transcoded temporary file."""
    bom = next((name for mark, name in _BOMS if src.first(HEAD).startswith(mark)), None)
    if (encoding or bom or "utf-8").lower().replace("_", "-") in ("utf-8", "utf8", "utf-8-sig"):
        yield src.path
        return
    with tempfile.TemporaryDirectory(prefix="beatpath-") as folder:
        path = Path(folder) / f"utf8{src.suffix}"
        path.write_text(src.text(encoding), encoding="utf-8", newline="")
        yield path


@contextmanager
def _readable(path: Path) -> Iterator[BufferedIOBase]:
    """Open a file, or raise an error with the reason the system gives."""
    try:
        with path.open("rb") as stream:
            yield stream
    except OSError as error:
        raise ReadError(f"{shown(path)} cannot be read: {error.strerror or error}.") from None


def _open_zstd(path: Path) -> BinaryIO:
    try:
        import zstandard
    except ImportError:
        raise MissingExtra("zstandard", "inspect", f"reading {shown(path)}") from None
    return zstandard.ZstdDecompressor().stream_reader(path.open("rb"), closefd=True, read_across_frames=True)


def _require_whole_zstd(path: Path) -> None:
    """Walk the blocks of every zstd frame without decompressing: a truncated file has no last block.

    The layout is specified in RFC 8878, sections 3.1.1 and 3.1.1.2.
    """
    size, at = path.stat().st_size, 0
    with path.open("rb") as stream:
        while at < size:
            at = _end_of_frame(stream, at)
            if at < 0 or at > size:
                raise ReadError(f"{shown(path)} must be a whole zstd file; it ends early. Fetch or compress it again.")


def _end_of_frame(stream: BinaryIO, at: int) -> int:
    """Return the end of the frame that begins at `at`, or -1 if its headers are truncated."""
    stream.seek(at)
    head = stream.read(18)
    if len(head) >= 8 and 0x184D2A50 <= int.from_bytes(head[:4], "little") <= 0x184D2A5F:  # a skippable frame
        return at + 8 + int.from_bytes(head[4:8], "little")
    if len(head) < 6 or head[:4] != b"\x28\xb5\x2f\xfd":
        return -1
    flags = head[4]
    single, checksum = flags >> 5 & 1, flags >> 2 & 1
    content = (1 if single else 0, 2, 4, 8)[flags >> 6]
    at += 5 + (0 if single else 1) + (0, 1, 2, 4)[flags & 3] + content
    while True:
        stream.seek(at)
        block = stream.read(3)
        if len(block) < 3:
            return -1
        header = int.from_bytes(block, "little")
        at += 3 + (1 if header >> 1 & 3 == 1 else header >> 3)
        if header & 1:
            return at + 4 * checksum


@contextmanager
def open_sources(where: Sequence[str | os.PathLike[str]]) -> Iterator[list[Source]]:
    """Yield the files that several paths, folders, globs or ``-`` name, each once.

    Pipes are stored in temporary files.
    """
    with ExitStack() as stack:
        sources: dict[object, Source] = {}
        for text in (os.fspath(one) for one in where):
            if text == "-":
                some = [stack.enter_context(_spooled(cast(BufferedIOBase, sys.stdin.buffer), "standard input"))]
            elif os.path.exists(text) and not os.path.isdir(text) and not os.path.isfile(text):
                some = [stack.enter_context(_spooled(stack.enter_context(_readable(Path(text))), text))]
            else:
                some = find(text)
            for src in some:
                sources.setdefault(os.path.realpath(src.path), src)
        yield list(sources.values())


def find(where: str | os.PathLike[str]) -> list[Source]:
    """Return the files that a path, folder or glob names, sorted by name."""
    paths = find_paths(where)
    return [source(path, look=BEGINNING if len(paths) == 1 else HEAD) for path in paths]


def find_paths(where: str | os.PathLike[str]) -> list[str]:
    """Return the paths that a path, folder or glob names, sorted; no file is opened."""
    text = os.fspath(where)
    if os.path.isdir(text):
        files = (
            os.path.join(folder, name) for folder, _, names in os.walk(Path(text)) for name in names if name[0] != "."
        )
        paths = sorted(filter(os.path.isfile, files))
        if not paths:
            raise UsageError(f"{quoted(text)} must hold files to read; the folder is empty.")
    elif os.path.exists(text):
        if not os.path.isfile(text):
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


@contextmanager
def _spooled(stream: BufferedIOBase, name: str) -> Iterator[Source]:
    """Write a stream to a temporary file, which may use up to half of the free disk space, and 32 GB."""
    with tempfile.TemporaryDirectory(prefix="beatpath-") as folder:
        path, most = Path(folder) / Path(name).name, min(shutil.disk_usage(folder).free // 2, _LONGEST_PIPE)
        left = most
        with path.open("wb") as out:
            while piece := stream.read1(_PIECE):  # one system call, so that a signal is handled soon
                left -= len(piece)
                if left < 0:
                    raise ReadError(
                        f"{shown(name)} must end within {in_bytes(most)}, half of the disk that is free or less; it does not. "
                        "Read it from a file."
                    )
                out.write(piece)
        yield source(path, name, look=BEGINNING)


@dataclass(frozen=True, slots=True)
class Options:
    """The user's options for reading, beyond the location of the data.

    Parameters
    ----------
    columns : mapping of role to column
        Roles of columns, ``--map agent_a=left,outcome=label``.
    labels : mapping of label to meaning
        ``--labels invalid=drop,x=a``: outcomes ``a``, ``b``, ``tie``, ``both_bad``, ``drop``; places ``last``,
        ``drop``.
    where : sequence of conditions
        ``--where walkover=false``: only rows that satisfy all conditions are read.
    keep : sequence of columns
        Further columns to keep as factors or covariates.
    lower : sequence of metrics or tasks
        Those for which lower scores are better.
    encoding, delimiter : str, optional
        Override what the file implies.
    self_battles : {"drop", "error"}
        What to do with rows in which an agent battles itself.
    repeats : {"error", "best"}
        What to do with an agent that a ballot ranks more than once.
    to : {"battles", "pairs"} or None
        Whether battles are reduced to pair counts while they are read; ``None`` leaves the choice to the reader.
    by : sequence of roles or columns
        What splits the pair counts.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    where: Sequence[str] = ()
    keep: Sequence[str] = ()
    lower: Sequence[str] = ()
    encoding: str | None = None
    delimiter: str | None = None
    self_battles: SelfBattles = "drop"
    repeats: Repeats = "error"
    to: ReadTo | None = None
    by: Sequence[str] = ()

    def __post_init__(self) -> None:
        for name in ("where", "keep", "lower", "by"):  # a single string counts as a list of one
            values = getattr(self, name)
            object.__setattr__(self, name, (values,) if isinstance(values, str) else tuple(values))
        require_choice("self_battles", self.self_battles, get_args(SelfBattles))
        require_choice("repeats", self.repeats, get_args(Repeats))
        if self.encoding is not None:
            require_encoding(self.encoding)
        if self.to is not None:
            require_choice("to", self.to, get_args(ReadTo))
