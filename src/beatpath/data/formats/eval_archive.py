"""The members of an Inspect ``.eval`` archive: a zip file whose members may be compressed with Zstandard.

Python's `zipfile` reads that method (93 of the zip specification, APPNOTE 4.4.5) only from version 3.14 on; here such
members are cut out of the file by their local header (APPNOTE 4.3.7) and decompressed by the library `zstandard`.
"""

import io
import json
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from beatpath._errors import MissingExtra, ReadError
from beatpath._text import quoted, shown
from beatpath.data.sources.source import Source

ZSTD = 93
MOST = 1 << 30  # bytes that the members read from one archive may have together, decompressed
_PIECE = 1 << 20  # bytes decompressed at a time
_LOCAL_HEADER = 30  # bytes, before the member's name


class Archive:
    """An open archive: the names of its members, and each as parsed JSON."""

    def __init__(self, source: Source, stream: BinaryIO) -> None:
        self.source = source
        self.stream = stream
        self.zip = zipfile.ZipFile(stream)
        self.names = self.zip.namelist()
        self.left = MOST

    def json(self, name: str) -> Any:
        """Return a member as parsed JSON."""
        place = f"{quoted(name)} of {shown(self.source.name)}"
        data = self._bytes(self.zip.getinfo(name))
        self.left -= len(data)
        if self.left < 0:
            raise ReadError(
                f"a log must hold at most {MOST:,} bytes of summaries; {place} goes beyond. "
                "If the log is sound, rewrite it with fewer samples."
            )
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as error:
            raise ReadError(f"{place} must be JSON; it is not: {error}. Write or fetch the log again.") from None

    def _bytes(self, info: zipfile.ZipInfo) -> bytes:
        """Decompress a member, at most one byte more than is still allowed."""
        if info.compress_type != ZSTD:
            with self.zip.open(info) as member:
                return member.read(self.left + 1)
        try:
            import zstandard
        except ImportError:
            raise MissingExtra("zstandard", "inspect", f"reading {shown(self.source.name)}") from None
        self.stream.seek(info.header_offset)
        name, extra = struct.unpack("<26xHH", self.stream.read(_LOCAL_HEADER))
        self.stream.seek(info.header_offset + _LOCAL_HEADER + name + extra)
        packed = io.BytesIO(_first(self.stream, info.compress_size))
        try:
            data = _first(zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True), self.left + 1)
        except zstandard.ZstdError as error:
            raise zipfile.BadZipFile(str(error)) from None
        if len(data) <= self.left and zlib.crc32(data) != info.CRC:
            raise zipfile.BadZipFile(f"Bad CRC-32 for file {info.filename!r}")
        return data


def _first(stream: BinaryIO, most: int) -> bytes:
    """The first bytes, read piece by piece: a stream may set memory aside for all that is asked of it at once."""
    data = bytearray()
    while len(data) < most and (piece := stream.read(min(_PIECE, most - len(data)))):
        data += piece
    return bytes(data)


@contextmanager
def archive(source: Source) -> Iterator[Archive]:
    """Open an archive; whatever a damaged one raises becomes a sentence."""
    try:
        with source.open() as stream:
            yield Archive(source, stream)
    except (
        zipfile.BadZipFile,
        zlib.error,
        struct.error,
        EOFError,
        OSError,
        NotImplementedError,  # what zipfile raises for a feature of the format that it lacks
        RuntimeError,
    ) as error:
        raise ReadError(
            f"{shown(source.name)} must be a whole Inspect log; it cannot be read: {shown(error, 120)}. "
            "Write or fetch it again."
        ) from None
