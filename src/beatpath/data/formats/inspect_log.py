"""Inspect logs: ``.eval`` archives and ``.json`` files.

An archive is a zip file whose members may be compressed with Zstandard. Python's `zipfile` supports that method (93
in the zip specification, APPNOTE 4.4.5) only from version 3.14 on. Here such members are located by their local
header (APPNOTE 4.3.7) and decompressed with the `zstandard` library.
"""

import io
import json
import math
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO

from beatpath._errors import MissingExtra, ReadError
from beatpath._text import quoted, shown
from beatpath.data.formats.reader import Head, Reader
from beatpath.data.formats.records import Fields, Tally, document, finite_number
from beatpath.data.sources.memory import in_bytes, memory_limit, require_parseable
from beatpath.data.sources.source import HEAD, Options, Source
from beatpath.data.tables.cells import number_of
from beatpath.evidence import Scores

GRADES = {"C": "1", "I": "0", "P": "0.5", "N": "0"}  # correct, incorrect, partial, no answer
# values of scorers that answer in words, as Inspect converts them
WORDS = {"yes": "1", "no": "0"}  # beside true and false
ZSTD = 93  # the zip compression method of Zstandard
MOST_BYTES = 1 << 30  # limit on the decompressed size of the members read from one archive, in bytes
_PIECE = 1 << 20  # bytes decompressed at a time
_LOCAL_HEADER = 30  # bytes before the member's name

Log = tuple[Fields, list[Fields], str]  # header, samples, and a note on their origin


def read_inspect_log(sources: Sequence[Source], options: Options) -> Scores:
    """Read the score of every sample by scorer, and by key for scorers that return several.

    Letter grades follow Inspect: C is 1, P is 1/2, I and N are 0. Samples that ended in an error or have no score are
    dropped. A log that did not end in success is read as far as it goes, with a note.
    """
    tally = Tally("inspect", sources, options)
    setups: dict[str, object] = {}
    for source in sources:
        header, samples, note = _log_of(source, options)
        spec = header.fields("eval")
        names = {"agent": spec.text("model"), "task": spec.text("task"), "run": source.name}
        setup = (spec.get("task_version"), spec.get("task_args"), spec.get("dataset"))
        if setups.setdefault(names["task"], setup) != setup:
            tally.notes.append(
                f"{header.place}: {quoted(names['task'])} differs in version, arguments or dataset from the first log"
            )
        for sample in samples:
            _take_sample(tally, sample, names)
        status = header.optional("status") or "started"
        if status != "success":
            note = f"its status is {quoted(status)}, so samples may be missing"
        if note:
            tally.notes.append(f"{header.place}: {note}")
    tally.replicate()
    return tally.scores()


def _log_of(source: Source, options: Options) -> Log:
    """Header and samples of a JSON log, or sample summaries of an archive; a truncated one has its journal instead."""
    place = shown(source.name)
    if source.suffix != ".eval" and not source.first(HEAD).startswith(b"PK"):
        whole = Fields.of(document(source, options.encoding), place)
        samples = list(whole.objects("samples", needed=False))
        return (whole, samples, "") if samples else (whole, *_reduced(whole))
    with archive(source) as log:
        start = next((name for name in ("header.json", "_journal/start.json") if name in log.names), None)
        if start is None:
            raise ReadError(f"{place} must hold header.json or a journal; it holds neither. Write or fetch it again.")
        header = Fields.of(log.json(start), place, start)
        samples = list(_summaries(log, place))
        if samples or "reductions.json" not in log.names:
            return header, samples, ""
        return header, *_reduced(Fields({"reductions": log.json("reductions.json")}, place))


def _summaries(log: "Archive", place: str) -> Iterator[Fields]:
    """Sample summaries: from one list, otherwise from the journal, otherwise from the samples."""
    journal = [name for name in log.names if name.startswith("_journal/summaries/")]
    lists = ["summaries.json"] if "summaries.json" in log.names else journal
    for name in lists:
        yield from Fields({name: log.json(name)}, place).objects(name)
    for name in log.names:
        if not lists and name.startswith("samples/"):
            yield Fields.of(log.json(name), place, name)


def _reduced(log: Fields) -> tuple[list[Fields], str]:
    """Samples built from scores already reduced over epochs, the first reduction of each scorer."""
    samples, scorers = [], set()
    for reduction in log.objects("reductions", needed=False):
        scorer = reduction.text("scorer")
        if scorer not in scorers:
            scorers.add(scorer)
            for sample in reduction.objects("samples"):
                scores = {scorer: sample.values}
                samples.append(Fields({"id": sample.get("sample_id"), "scores": scores}, log.place))
    return samples, "samples were not logged; scores reduced over epochs are read" if samples else ""


def _take_sample(tally: Tally, sample: Fields, names: Mapping[str, str]) -> None:
    """Add every score of one sample."""
    item = sample.text("id")
    sample = Fields(sample.values, f"sample {quoted(item)} of {sample.place}")
    scores = sample.fields("scores", needed=False)
    if sample.get("error") is not None:
        tally.drop("sample ended in an error")
    elif not scores.values:
        tally.drop("sample has no score")
    else:
        columns = {**names, "item": item, "replicate": sample.optional("epoch")}
        for scorer in scores.values:
            value = scores.fields(scorer).get("value")
            parts = value if isinstance(value, dict) else dict(enumerate(value)) if isinstance(value, list) else None
            for metric, part in [(scorer, value)] if parts is None else parts.items():
                name = scorer if parts is None else f"{scorer}/{metric}"
                _take_score(tally, name, part, sample.place, columns)


def _take_score(tally: Tally, metric: str, value: object, place: str, columns: Mapping[str, str | None]) -> None:
    """Add one score; NaN is how Inspect marks a sample that was not scored."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        tally.drop("sample has no score")
        return
    if isinstance(value, str):
        known = value if math.isfinite(number_of(value)) else WORDS.get(value.lower())
        meaning = tally.meaning(value, GRADES if known is None else {value: known})
        if meaning is None:
            return
        if meaning == "drop":
            tally.drop("label to be dropped")
            return
        value = number_of(meaning) if math.isfinite(number_of(meaning)) else meaning
    tally.use(**columns, metric=metric, value=finite_number(value, place, metric))


class Archive:
    """An open archive: the names of its members, each readable as JSON."""

    def __init__(self, source: Source, stream: BinaryIO) -> None:
        self.source = source
        self.stream = stream
        self.zip = zipfile.ZipFile(stream)
        self.names = self.zip.namelist()
        self.left = MOST_BYTES

    def json(self, name: str) -> Any:
        """Return a member, parsed as JSON."""
        place = f"{quoted(name)} of {shown(self.source.name)}"
        self.left = min(self.left, memory_limit() // 2)
        data = self._bytes(self.zip.getinfo(name))
        self.left -= len(data)
        if self.left < 0:
            raise ReadError(
                f"a log must hold at most {in_bytes(min(MOST_BYTES, memory_limit() // 2))} of summaries; {place} goes beyond. "
                "If the log is sound, rewrite it with fewer samples, or allow more memory with `--memory`."
            )
        require_parseable(data, place)
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as error:
            raise ReadError(f"{place} must be JSON; it is not: {error}. Write or fetch the log again.") from None

    def _bytes(self, info: zipfile.ZipInfo) -> bytes:
        """Decompress a member, up to one byte over the remaining limit."""
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
        packed = io.BytesIO(_first_bytes(self.stream, info.compress_size))
        try:
            data = _first_bytes(
                zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True), self.left + 1
            )
        except zstandard.ZstdError as error:
            raise zipfile.BadZipFile(str(error)) from None
        if len(data) <= self.left and zlib.crc32(data) != info.CRC:
            raise zipfile.BadZipFile(f"Bad CRC-32 for file {info.filename!r}")
        return data


def _first_bytes(stream: BinaryIO, most: int) -> bytes:
    """The first bytes, read in pieces, since a stream may allocate memory for the full requested size."""
    data = bytearray()
    while len(data) < most and (piece := stream.read(min(_PIECE, most - len(data)))):
        data += piece
    return bytes(data)


@contextmanager
def archive(source: Source) -> Iterator[Archive]:
    """Open an archive; errors of a damaged one become a `ReadError`."""
    try:
        with source.open() as stream:
            yield Archive(source, stream)
    except (
        zipfile.BadZipFile,
        zlib.error,
        struct.error,
        EOFError,
        OSError,
        NotImplementedError,  # raised by zipfile for features that it does not support
        RuntimeError,
    ) as error:
        raise ReadError(
            f"{shown(source.name)} must be a whole Inspect log; it cannot be read: {shown(error, 120)}. "
            "Write or fetch it again."
        ) from None


def claims_inspect_log(head: Head) -> bool:
    """Whether a file is an archive with extension .eval, or its first record is the header of a log."""
    if head.source.suffix == ".eval":
        return head.start.startswith(b"PK")
    spec = head.record["eval"]
    return isinstance(spec, dict) and {"task", "model"} <= set(spec)


reader = Reader(
    "inspect",
    "Inspect logs (.eval or .json)",
    claims_inspect_log,
    read_inspect_log,
    keys=({"version", "status", "eval"},),
    endings=(".eval",),
)
