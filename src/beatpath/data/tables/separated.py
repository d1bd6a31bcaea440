"""Separated text: the encoding, the delimiter and the header, as the first lines of a file show them."""

import re
from collections.abc import Iterator
from itertools import islice

from beatpath._errors import ReadError, UsageError
from beatpath._text import quoted, shown
from beatpath.data.sources.options import Options
from beatpath.data.sources.source import BEGINNING, HEAD, Source, decode

DELIMITERS = (",", "\t", ";", "|")
MOST_COLUMNS = 100_000
LONGEST_NAME = 10_000  # signs
_SOME = 20  # records by which delimiters are compared


def header_of(src: Source, options: Options) -> tuple[str, tuple[str, ...]]:
    """Return the delimiter of separated text and the names of its columns, each once and none empty."""
    delimiter = delimiter_of(src, options)
    names = header_names(src, delimiter, options)
    named = tuple(name or f"column {i + 1}" for i, name in enumerate(names))
    if len(set(named)) < len(named):
        named = tuple(f"{n} ({named[: i + 1].count(n)})" if n in named[:i] else n for i, n in enumerate(named))
    return delimiter, named


def _first_lines(src: Source, options: Options) -> str:
    """The first whole lines of a text file: enough to see a header and some rows."""
    for most, lines in ((HEAD, _SOME), (BEGINNING, 1), (BEGINNING << 6, 1)):
        data = src.first(most)
        if len(data) < most:
            break
        if data.count(b"\n") >= lines:
            data = data[: data.rfind(b"\n") + 1]
            break
    return decode(data, src.name, options.encoding).removeprefix("\ufeff")


def split_records(text: str, delimiter: str) -> Iterator[list[str]]:
    r"""Yield the records of separated text, up to one of too many columns; cells in quotation marks may hold anything, a mark doubled.

    >>> list(split_records('a,"b ""x"", c"\r\nd,', ","))
    [['a', 'b "x", c'], ['d', '']]
    """
    sign = re.escape(delimiter)  # what is matched is never given back, so that time grows with the text alone
    cell = re.compile(rf'(?:"((?:[^"]++|"")*+)"|([^{sign}\r\n]*))({sign}|\r\n|\n|\r|$)')
    record: list[str] = []
    at = 0
    while at < len(text) or record:
        match = cell.match(text, at)
        if match is None:  # a stray quotation mark: take the cell as it is, up to the next delimiter
            match = re.compile(rf"()([^{sign}\r\n]*)({sign}|\r\n|\n|\r|$)").match(text, at)
            assert match is not None
        record.append(match[1].replace('""', '"') if match[1] else match[2] or "")
        at = match.end()
        if len(record) > MOST_COLUMNS:  # more than anybody can read: how many more is of no use
            yield record
            return
        if match[3] != delimiter:
            yield record
            record = []


def delimiter_of(src: Source, options: Options) -> str:
    """Return the sign that splits the first records into the most cells, the same number in each."""
    if options.delimiter is not None:
        if len(options.delimiter) != 1:
            raise UsageError(f"`delimiter` must be one sign; got {quoted(options.delimiter)}.")
        return options.delimiter
    if src.suffix == ".tsv":
        return "\t"
    text, widths = _first_lines(src, options), {}
    for sign in DELIMITERS:
        sizes = {len(record) for record in islice(split_records(text, sign), _SOME) if record != [""]}
        if len(sizes) == 1 and max(sizes) > 1:
            widths[sign] = max(sizes)
    return max(widths, key=lambda sign: widths[sign]) if widths else ","


def header_names(src: Source, delimiter: str, options: Options) -> list[str]:
    """Return the names in the first record."""
    names = [name.strip() for name in next(split_records(_first_lines(src, options), delimiter), [])]
    long = next((i for i, name in enumerate(names, 1) if len(name) > LONGEST_NAME), 0)
    if long or len(names) > MOST_COLUMNS:
        what = f"the name of column {long:,} has {len(names[long - 1]):,} signs" if long else "there are more columns"
        raise ReadError(
            f"{shown(src.name)} must begin with a header of at most {MOST_COLUMNS:,} columns, their names of at most "
            f"{LONGEST_NAME:,} signs; {what}. If another sign separates the cells, name it: `--delimiter ';'`."
        )
    return names
