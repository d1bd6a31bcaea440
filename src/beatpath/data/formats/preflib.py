"""PrefLib orders: ``.soc``, ``.soi``, ``.toc`` and ``.toi``, in the current format and in the older one without ``#``.

Strict orders or orders with ties, complete or incomplete::

    # NUMBER ALTERNATIVES: 3          3                   (older)
    # ALTERNATIVE NAME 1: ada         1,ada
    ...                               ...
    # NUMBER VOTERS: 5                5,5,2               voters, sum of counts, distinct orders
    3: 1,{2,3}                        3,1,{2,3}
    2: 3,1                            2,3,1
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from beatpath._errors import DataError, ReadError
from beatpath._text import counted, listed, quoted, shown
from beatpath.data.formats.reader import Head, Reader
from beatpath.data.sources.memory import require_memory
from beatpath.data.sources.source import Options, Source
from beatpath.evidence import Ballots, Factor, Reading

# The four types: strict or with ties, complete or incomplete.
TYPES = {
    "soc": "strict complete orders",
    "soi": "strict incomplete orders",
    "toc": "complete orders with ties",
    "toi": "incomplete orders with ties",
}
_COPIES = 20  # copies of the text, as lines and as numbers, that are in memory at the same time
_LINE_BYTES = 400  # bytes per line besides its characters
# Totals that a header states.
NUMBERS = ("NUMBER ALTERNATIVES", "NUMBER VOTERS", "NUMBER UNIQUE ORDERS")
# The grammar of an order: a number, a group of tied numbers, and an order by separator.
_NUMBER = r"[ \t]*+[0-9]{1,9}+[ \t]*+"
_GROUP = rf"(?:{_NUMBER}|[ \t]*+\{{{_NUMBER}(?:,{_NUMBER})*+\}}[ \t]*+)"
_ORDER = {
    separator: re.compile(rf"[ \t]*+([0-9]{{1,18}}+)[ \t]*+{separator}(?:{_GROUP}(?:,{_GROUP})*+|[ \t]*+)")
    for separator in ":,"
}
# Headers of the current format, by which a file is recognized.
_NEW_HEAD = re.compile(r"^#[ \t]*NUMBER ALTERNATIVES[ \t]*:", re.MULTILINE)
_NEW_TYPE = re.compile(r"^#[ \t]*DATA TYPE[ \t]*:[ \t]*(?:soc|soi|toc|toi)\b", re.MULTILINE)
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_PLACE = re.compile(r"\{[^}]*\}|[0-9]+")  # one place of an order that fits the grammar


@dataclass
class PreflibFile:
    """One parsed file: its header and its orders, not yet checked against each other."""

    name: str
    type: str
    separator: str = ":"
    header: dict[str, str] = field(default_factory=dict)
    alternatives: dict[int, str] = field(default_factory=dict)
    orders: list[tuple[int, str]] = field(default_factory=list)  # each with its line number

    def at(self, line: int) -> str:
        """The location of a line, for messages."""
        return f"line {line:,} of {shown(self.name)}"


def parsed_file(source: Source, encoding: str | None) -> PreflibFile:
    """Parse a file into header and orders."""
    text = source.text(encoding).removeprefix("\ufeff")
    require_memory(_COPIES * len(text) + _LINE_BYTES * text.count("\n"), f"the orders of {shown(source.name)}")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line and not line.isspace()]
    if not lines:
        raise ReadError(f"{shown(source.name)} must hold a PrefLib header and orders; it is empty. Fetch it again.")
    file = PreflibFile(source.name, source.suffix[1:] if source.suffix[1:] in TYPES else "")
    file.orders = (_new_header if lines[0][1].startswith("#") else _old_header)(file, lines)
    file.type = file.type or file.header.get("DATA TYPE", "").lower()
    if file.type and file.type not in TYPES:
        raise ReadError(
            f"a PrefLib file must be one of {', '.join(TYPES)} to be read as orders; {shown(file.name)} says its data "
            f"type is {quoted(file.type)}. Fetch the instance in one of these types."
        )
    _require_names(file)
    return file


def _new_header(file: PreflibFile, lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Read the lines ``# KEY: value`` and return the others."""
    for number, line in (one for one in lines if one[1].startswith("#")):
        key, _, value = line[1:].partition(":")
        key = key.strip().upper()
        if key.startswith("ALTERNATIVE NAME"):
            _add_alternative(file, number, key.removeprefix("ALTERNATIVE NAME").strip(), value)
        else:
            file.header[key] = value.strip()
    return [one for one in lines if not one[1].startswith("#")]


def _old_header(file: PreflibFile, lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Read the number of alternatives, their names and ``voters,sum,distinct``, and return the remaining lines."""
    file.separator = ","
    first = lines[0][1].strip()
    if not re.fullmatch(r"[0-9]{1,9}", first):
        raise ReadError(
            f"a PrefLib file must begin with `#` or with the number of alternatives; line {lines[0][0]:,} of "
            f"{shown(file.name)} is {quoted(first)}. It may be another format: name it with `--format-in`."
        )
    n = int(first)
    if len(lines) < n + 2:
        raise ReadError(
            f"{shown(file.name)} must have {counted(n, 'alternative')} and a line of totals after its first line; it "
            f"ends after {counted(len(lines) - 1, 'line')}. Fetch it again."
        )
    for number, line in lines[1 : n + 1]:
        index, _, name = line.partition(",")
        _add_alternative(file, number, index.strip(), name)
    number, line = lines[n + 1]
    totals = [part.strip() for part in line.split(",")]
    if len(totals) != 3:
        raise ReadError(
            f"the line after the alternatives must be `voters,sum,distinct orders`; line {number:,} of "
            f"{shown(file.name)} is {quoted(line)}. Correct it, or the number of alternatives in the first line."
        )
    file.header = dict(zip(NUMBERS, [first, *totals[1:]], strict=True))
    return lines[n + 2 :]


def _add_alternative(file: PreflibFile, number: int, index: str, name: str) -> None:
    """Add the name of one alternative: the text after the colon or comma and one space, up to blanks at its end."""
    if not re.fullmatch(r"[0-9]{1,9}", index) or int(index) in file.alternatives:
        raise ReadError(
            f"alternatives must have whole numbers, each once; line {number:,} of {shown(file.name)} names alternative "
            f"{quoted(index)}. Correct the header."
        )
    file.alternatives[int(index)] = name.removeprefix(" ").rstrip(" \t")


def _require_names(file: PreflibFile) -> None:
    """Raise an error unless there are as many alternatives as the header states, with distinct names."""
    require_total(file, "NUMBER ALTERNATIVES", len(file.alternatives), "names")
    seen: dict[str, int] = {}
    for index, name in file.alternatives.items():
        if seen.setdefault(name, index) != index:
            raise ReadError(
                f"alternatives must have distinct names; {quoted(name)} stands for {seen[name]} and {index} in "
                f"{shown(file.name)}. Rename one of them in the header."
            )


def require_total(file: PreflibFile, key: str, number: int, verb: str) -> None:
    """Raise an error if a total in the header differs from the file; a header without totals is accepted."""
    if key not in file.header:
        return
    stated = file.header[key]
    if not re.fullmatch(r"[0-9]{1,18}", stated):
        raise ReadError(f"{key} must be a whole number; {shown(file.name)} has {quoted(stated)}. Correct the header.")
    if int(stated) != number:
        raise ReadError(
            f"the header must agree with the file; {shown(file.name)} says {key} {int(stated):,} and {verb} {number:,}. "
            "It may be cut short: fetch it again, or correct the header."
        )


def read_preflib(sources: Sequence[Source], options: Options) -> Ballots:
    """Read orders with their counts; several files must have the same alternatives, and ``file`` distinguishes them."""
    files = [parsed_file(source, options.encoding) for source in sources]
    names = [set(file.alternatives.values()) for file in files]
    orders = [order for file in files for order in _orders(file)]
    for file, own in zip(files[1:], names[1:], strict=True):
        differ = sorted(names[0] ^ own)
        if differ:
            has, lacks = (files[0], file) if differ[0] in names[0] else (file, files[0])
            raise ReadError(
                f"files read together must have the same alternatives; {quoted(differ[0])} stands in {shown(has.name)} "
                f"and not in {shown(lacks.name)} ({counted(len(differ), 'name')} differ). Read them one at a time."
            )
    notes = [(f"{shown(file.name)}: " if len(files) > 1 else "") + note for file in files for note in _notes(file)]
    named = tuple(file.name for file in files)
    file_of_order = Factor.coded(np.repeat(np.arange(len(files)), [len(file.orders) for file in files]), named)
    agents = sorted(names[0])
    code = {name: i for i, name in enumerate(agents)}
    return Ballots(
        tuple(agents),
        np.array([code[name] for _, ranked, _ in orders for name in ranked], dtype=np.int32),
        np.array([place for _, _, places in orders for place in places], dtype=np.int32),
        np.cumsum([0, *(len(ranked) for _, ranked, _ in orders)]),
        np.array([count for count, _, _ in orders], dtype=np.int64),
        factors={"file": file_of_order} if len(files) > 1 else {},
        reading=Reading(named, "preflib", len(orders), len(orders), notes=tuple(notes)),
    )


def _orders(file: PreflibFile) -> Iterator[tuple[int, Sequence[str], Sequence[int]]]:
    """Yield the number of voters of every order, the names on it, and the place of each."""
    if not file.alternatives:
        raise ReadError(f"{shown(file.name)} must name its alternatives; its header names none. Fetch it again.")
    for count, (line, order) in zip(_order_counts(file), file.orders, strict=True):
        rest = order.partition(file.separator)[2]
        groups = [place.strip("{}").split(",") for place in _PLACE.findall(rest)]
        numbers = [int(number) for group in groups for number in group]
        _require_order(file, line, numbers, len(groups))
        places = [i for i, group in enumerate(groups) for _ in group] if "{" in rest else range(len(groups))
        yield count, [file.alternatives[number] for number in numbers], places


def _require_order(file: PreflibFile, line: int, numbers: Sequence[int], n_places: int) -> None:
    """Raise an error unless an order ranks known alternatives once each, as complete and strict as the type."""
    known, distinct = file.alternatives, set(numbers)
    if not distinct <= known.keys():
        strange = next(number for number in numbers if number not in known)
        raise ReadError(
            f"an order must hold only alternatives that the header names; {strange} in {file.at(line)} is none of its "
            f"{len(known):,}. Correct the order or the header."
        )
    if len(distinct) < len(numbers):
        twice = next(number for number in numbers if numbers.count(number) > 1)
        raise ReadError(
            f"an order must rank an alternative at most once; {file.at(line)} ranks {twice} ({quoted(known[twice])}) twice. "
            "Correct it or leave the order out."
        )
    if file.type.endswith("c") and len(numbers) != len(known):
        raise ReadError(
            f"a .{file.type} file must hold complete orders; {file.at(line)} ranks {len(numbers):,} of "
            f"{counted(len(known), 'alternative')}. Name it .{file.type[:2]}i or complete the order."
        )
    if file.type.startswith("so") and n_places < len(numbers):
        raise ReadError(
            f"a .{file.type} file must hold strict orders; {file.at(line)} has a tie. "
            f"Name it .to{file.type[2]} or break the tie."
        )


def preflib_type(ballots: Ballots) -> str:
    """Return the narrowest of soc, soi, toc and toi that can hold these ballots.

    >>> preflib_type(Ballots.of([[["ada"], ["bob", "cyd"]]])), preflib_type(Ballots.of([[["ada"], ["bob"]], [["bob"]]]))
    ('toc', 'soi')
    """
    complete = bool((np.diff(ballots.start) == len(ballots.agents)).all())
    return ("so" if ballots.strict else "to") + ("c" if complete else "i")


def preflib_text(ballots: Ballots, *, title: str, kind: str | None = None) -> tuple[str, list[str]]:
    """Return ballots as PrefLib text, by default of the narrowest type, and notes on what it cannot hold.

    Equal orders become one line with their counts summed, as the format requires. Reading the text gives back the
    same agents, orders and counts.

    >>> text, lost = preflib_text(Ballots.of([[["bob"], ["ada", "cyd"]]], count=[4]), title="Lunch")
    >>> print(text.splitlines()[-1], lost)
    4: 2,{1,3} []
    """
    _require_one_line(ballots.agents)
    orders: dict[str, int] = {}
    for order, count in zip(_order_texts(ballots), ballots.count, strict=True):
        orders[order] = orders.get(order, 0) + int(count)
    lines = [
        f"# TITLE: {' '.join(title.split()).encode(errors='replace').decode()}",
        f"# DATA TYPE: {kind or preflib_type(ballots)}",
        f"# NUMBER ALTERNATIVES: {len(ballots.agents)}",
        f"# NUMBER VOTERS: {sum(orders.values())}",
        f"# NUMBER UNIQUE ORDERS: {len(orders)}",
        *(f"# ALTERNATIVE NAME {i}: {name}" for i, name in enumerate(ballots.agents, 1)),
        *(f"{count}: {order}" for order, count in orders.items()),
    ]
    return "\n".join(lines) + "\n", _lost(ballots, len(orders))


def _lost(ballots: Ballots, n_orders: int) -> list[str]:
    """What these ballots hold but PrefLib's format cannot, as sentences."""
    lost = []
    if ballots.weight is not None and (ballots.weight != 1).any():
        lost.append(f"weights other than one ({counted(int((ballots.weight != 1).sum()), 'ballot')})")
    lost += [f"the column {quoted(name)}" for name in ballots.factors]
    lost += [f"blanks at the end of {quoted(name)}" for name in ballots.agents if name != name.rstrip(" \t")]
    if n_orders < len(ballots):
        lost.append(f"rows with equal orders, now added up ({len(ballots):,} rows, {n_orders:,} orders)")
    return lost


def _require_one_line(names: Sequence[str]) -> None:
    """Raise an error for names with line breaks, lone surrogates, or blanks alone to tell them from another."""
    wrong = [name for name in names if {"\n", "\r"} & set(name) or name.encode(errors="ignore").decode() != name]
    ends = Counter(name.rstrip(" \t") for name in names)
    wrong += [name for name in names if ends[name.rstrip(" \t")] > 1]
    if wrong:
        raise DataError(
            "an agent's name must be one line of Unicode text, its own without blanks at its end, to be written as PrefLib; "
            f"{listed(wrong)} cannot be. "
            "Rename the agents first, or write another format."
        )


def _order_texts(ballots: Ballots) -> Iterator[str]:
    """Yield each ballot as ``1,{2,3}``, with alternatives numbered from 1."""
    number = {name: str(i) for i, name in enumerate(ballots.agents, 1)}
    for places in ballots:
        groups = [",".join(number[name] for name in place) for place in places]
        yield ",".join(f"{{{group}}}" if "," in group else group for group in groups)


def _order_counts(file: PreflibFile) -> list[int]:
    """Check every order against the grammar, and return the number of voters of each."""
    counts = []
    for line, order in file.orders:
        match = _ORDER[file.separator].fullmatch(order)
        if match is None:
            raise ReadError(f"{_fault(order, file.separator)}; {file.at(line)} is {quoted(order)}.")
        counts.append(int(match[1]))
    require_total(file, "NUMBER VOTERS", sum(counts), "has counts that sum to")
    if file.header.get("NUMBER UNIQUE ORDERS") != str(len(counts)):
        distinct = {order.partition(file.separator)[2].replace(" ", "") for _, order in file.orders}
        require_total(file, "NUMBER UNIQUE ORDERS", len(distinct), "has")
    return counts


def _fault(order: str, separator: str) -> str:
    """State what is wrong with a line that does not fit the grammar."""
    count, mark, rest = order.partition(separator)
    if not mark:
        return f"an order must be written `count{separator} 1,2,{{3,4}}`"
    if not re.fullmatch(r"[0-9]{1,18}", count.strip()):
        return f"the count of an order must be a whole number, 0 or more and below 10^18, not {quoted(count.strip())}"
    if not re.fullmatch(r"[^{}]*(?:\{[^{}]*\}[^{}]*)*", rest):
        return "braces in an order must be balanced and not nested"
    wrong = [part.strip() for part in re.split("[,{}]+", rest.strip("{} \t"))]
    wrong = [part for part in wrong if not re.fullmatch("[0-9]{1,9}", part)]
    if wrong:
        return f"an order must hold numbers of alternatives between its commas, not {quoted(wrong[0])}"
    return f"an order must be written `count{separator} 1,2,{{3,4}}` with one comma between places"


def _notes(file: PreflibFile) -> tuple[str, ...]:
    """Title and type, for the account of the reading."""
    kind = file.header.get("DATA TYPE", "").lower()
    notes = [f"title {quoted(file.header['TITLE'])}"] if file.header.get("TITLE") else []
    notes += [f"data type {file.type}, {TYPES[file.type]}"] if file.type else []
    return (*notes, *([f"the header says data type {shown(kind)}"] if kind and kind != file.type else []))


def claims_preflib(head: Head) -> bool:
    """Whether a file has a PrefLib extension and a plausible first line, or a header that only PrefLib has."""
    ending = head.source.suffix[1:] in TYPES
    text = head.text
    first = text.lstrip().partition("\n")[0].strip()
    if ending and (not first or first.startswith("#") or first.isdecimal() or head.start[:2] in _UTF16):
        return True
    return bool(_NEW_HEAD.search(text) and _NEW_TYPE.search(text)) or _has_old_header(text)


def _has_old_header(text: str) -> bool:
    """Whether a text begins with a number, that many numbered names, and three totals."""
    lines = text.split("\n")
    n = int(lines[0]) if re.fullmatch(r"[0-9]{1,6}\s*", lines[0]) else 0
    return (
        0 < n < len(lines) - 1
        and all(re.match(r"\s*[0-9]+\s*,", line) for line in lines[1 : n + 1])
        and bool(re.fullmatch(r"\s*[0-9]+\s*,\s*[0-9]+\s*,\s*[0-9]+\s*", lines[n + 1]))
    )


reader = Reader(
    "preflib",
    "PrefLib orders (.soc, .soi, .toc, .toi), with or without # header",
    claims_preflib,
    read_preflib,
    sign=re.compile(rb"^#[ \t]*NUMBER ALTERNATIVES|\A[0-9]{1,6}[ \t\r]*\n", re.MULTILINE),
    endings=tuple(f".{kind}" for kind in TYPES),
)
