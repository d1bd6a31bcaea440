"""PrefLib orders: ``.soc``, ``.soi``, ``.toc`` and ``.toi``, in today's form and in the older one without ``#``.

Strict orders or orders with ties, complete or incomplete::

    # NUMBER ALTERNATIVES: 3          3                   (older)
    # ALTERNATIVE NAME 1: ada         1,ada
    ...                               ...
    # NUMBER VOTERS: 5                5,5,2               voters, sum of counts, distinct orders
    3: 1,{2,3}                        3,1,{2,3}
    2: 3,1                            2,3,1
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from beatpath._arrays import Ints
from beatpath._errors import BeatpathError, DataError, ReadError
from beatpath._text import counted, listed, quoted, shown
from beatpath.data.formats.reader import Head, Reader
from beatpath.data.sources.memory import require_memory
from beatpath.data.sources.source import Options, Source
from beatpath.evidence import Ballots, Factor, Reading

TYPES = {
    "soc": "strict complete orders",
    "soi": "strict incomplete orders",
    "toc": "complete orders with ties",
    "toi": "incomplete orders with ties",
}
_COPIES = 6  # of the text, as lines and as numbers, that stand in memory at once
_LINE_BYTES = 400  # that a line takes besides its signs
NUMBERS = ("NUMBER ALTERNATIVES", "NUMBER VOTERS", "NUMBER UNIQUE ORDERS")
_NUMBER = r"[ \t]*+[0-9]{1,9}+[ \t]*+"
_GROUP = rf"(?:{_NUMBER}|[ \t]*+\{{{_NUMBER}(?:,{_NUMBER})*+\}}[ \t]*+)"
_ORDER = {
    separator: re.compile(rf"[ \t]*+([0-9]{{1,18}}+)[ \t]*+{separator}(?:{_GROUP}(?:,{_GROUP})*+|[ \t]*+)")
    for separator in ":,"
}
_NEW_HEAD = re.compile(r"^#[ \t]*NUMBER ALTERNATIVES[ \t]*:", re.MULTILINE)
_NEW_TYPE = re.compile(r"^#[ \t]*DATA TYPE[ \t]*:[ \t]*(?:soc|soi|toc|toi)\b", re.MULTILINE)
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_SPACED = str.maketrans(",:{}\n\t", "      ")
_COMMA, _OPEN, _CLOSE = b",{}"


@dataclass
class PreflibFile:
    """One file taken apart: what its header says and where its orders stand, not yet held against each other."""

    name: str
    type: str
    separator: str = ":"
    header: dict[str, str] = field(default_factory=dict)
    alternatives: dict[int, str] = field(default_factory=dict)
    orders: list[str] = field(default_factory=list)
    line: list[int] = field(default_factory=list)

    def at(self, order: int) -> str:
        """Where an order stands, for sentences."""
        return f"line {self.line[order]:,} of {shown(self.name)}"


def parsed_file(source: Source, encoding: str | None) -> PreflibFile:
    """Take a file apart into header and orders."""
    text = source.text(encoding).removeprefix("\ufeff")
    require_memory(_COPIES * len(text) + _LINE_BYTES * text.count("\n"), f"the orders of {shown(source.name)}")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line and not line.isspace()]
    if not lines:
        raise ReadError(f"{shown(source.name)} must hold a PrefLib header and orders; it is empty. Fetch it again.")
    file = PreflibFile(source.name, source.suffix[1:] if source.suffix[1:] in TYPES else "")
    orders = (_new_header if lines[0][1].startswith("#") else _old_header)(file, lines)
    file.line, file.orders = [number for number, _ in orders], [line for _, line in orders]
    _require_known_type(file)
    _require_names(file)
    return file


def _new_header(file: PreflibFile, lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Read the lines ``# KEY: value`` and return the others."""
    for number, line in lines:
        if not line.startswith("#"):
            continue
        key, _, value = line[1:].partition(":")
        key = key.strip().upper()
        if key.startswith("ALTERNATIVE NAME"):
            _add_alternative(file, number, key.removeprefix("ALTERNATIVE NAME").strip(), value)
        else:
            file.header[key] = value.strip()
    return [(number, line) for number, line in lines if not line.startswith("#")]


def _old_header(file: PreflibFile, lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Read the number of alternatives, their names and ``voters,sum,distinct``, and return the lines after them."""
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
    """Keep the name of one alternative: all of it after the colon or comma and the one space that follows."""
    if not re.fullmatch(r"[0-9]{1,9}", index) or int(index) in file.alternatives:
        raise ReadError(
            f"alternatives must have whole numbers, each once; line {number:,} of {shown(file.name)} names alternative "
            f"{quoted(index)}. Correct the header."
        )
    file.alternatives[int(index)] = name.removeprefix(" ")


def _require_known_type(file: PreflibFile) -> None:
    """Take the type from the file's ending, else from its header; only orders can be read."""
    said = file.header.get("DATA TYPE", "").lower()
    file.type = file.type or said
    if file.type and file.type not in TYPES:
        raise ReadError(
            f"a PrefLib file must be one of {', '.join(TYPES)} to be read as orders; {shown(file.name)} says its data "
            f"type is {quoted(file.type)}. Fetch the instance in one of these types."
        )


def _require_names(file: PreflibFile) -> None:
    """As many alternatives as the header says, no two of one name."""
    require_total(file, "NUMBER ALTERNATIVES", len(file.alternatives), "names")
    seen: dict[str, int] = {}
    for index, name in file.alternatives.items():
        if seen.setdefault(name, index) != index:
            raise ReadError(
                f"alternatives must have distinct names; {quoted(name)} stands for {seen[name]} and {index} in "
                f"{shown(file.name)}. Rename one of them in the header."
            )


def require_total(file: PreflibFile, key: str, found: int, verb: str) -> None:
    """What the header counts must be what the file holds; a header that does not count is taken as it is."""
    if key not in file.header:
        return
    said = file.header[key]
    if not re.fullmatch(r"[0-9]{1,18}", said):
        raise ReadError(f"{key} must be a whole number; {shown(file.name)} has {quoted(said)}. Correct the header.")
    if int(said) != found:
        raise ReadError(
            f"the header must agree with the file; {shown(file.name)} says {key} {int(said):,} and {verb} {found:,}. "
            "It may be cut short: fetch it again, or correct the header."
        )


def read_preflib(sources: Sequence[Source], options: Options) -> Ballots:
    """Read orders with their counts; several files must have the same alternatives, and are told apart by ``file``."""
    parts = [_ballots_of_file(parsed_file(source, options.encoding)) for source in sources]
    if len(parts) == 1:
        return parts[0]
    for source, part in zip(sources[1:], parts[1:], strict=True):
        differ = sorted(set(parts[0].agents) ^ set(part.agents))
        if differ:
            has, lacks = (sources[0], source) if differ[0] in parts[0].agents else (source, sources[0])
            raise ReadError(
                f"files read together must have the same alternatives; {quoted(differ[0])} stands in {shown(has.name)} "
                f"and not in {shown(lacks.name)} ({counted(len(differ), 'name')} differ). Read them one at a time."
            )
    return _ballots_of_files(sources, parts)


def preflib_type(ballots: Ballots) -> str:
    """Return the narrowest of soc, soi, toc and toi that holds these ballots.

    >>> preflib_type(Ballots.of([[["ada"], ["bob", "cyd"]]])), preflib_type(Ballots.of([[["ada"], ["bob"]], [["bob"]]]))
    ('toc', 'soi')
    """
    length = np.diff(ballots.start)
    strict = ballots.place.size == 0 or bool((ballots.place == _within(length)).all())
    complete = bool((length == len(ballots.agents)).all())
    return ("so" if strict else "to") + ("c" if complete else "i")


def preflib_text(ballots: Ballots, *, title: str, kind: str | None = None) -> tuple[str, list[str]]:
    """Write ballots in PrefLib's form, by default of the narrowest type; return the text and what it could not hold.

    Equal orders become one line with their counts added up, as the form asks. The agents, the orders and the counts
    come back unchanged when the text is read.

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
    """What these ballots hold and PrefLib's form cannot, in words."""
    lost = []
    if ballots.weight is not None and (ballots.weight != 1).any():
        lost.append(f"weights other than one ({counted(int((ballots.weight != 1).sum()), 'ballot')})")
    lost += [f"the column {quoted(name)}" for name in ballots.factors]
    if n_orders < len(ballots):
        lost.append(f"rows with equal orders, now added up ({len(ballots):,} rows, {n_orders:,} orders)")
    return lost


def _require_one_line(names: Sequence[str]) -> None:
    """A name is the rest of a line of text, so it can hold neither line breaks nor halves of characters."""
    wrong = [name for name in names if "\n" in name or "\r" in name or not _is_text(name)]
    if wrong:
        raise DataError(
            f"an agent's name must be one line of Unicode text to be written as PrefLib; {listed(wrong)} cannot be. "
            "Rename the agents first, or write another format."
        )


def _is_text(name: str) -> bool:
    """Whether a name has no lone surrogates."""
    return not any("\ud800" <= c <= "\udfff" for c in name) if not name.isascii() else True


def _order_texts(ballots: Ballots) -> Iterator[str]:
    """Each ballot as ``1,{2,3}``, alternatives numbered from 1."""
    agent = [str(code + 1) for code in ballots.agent.tolist()]
    place, start = ballots.place.tolist(), ballots.start.tolist()
    for low, high in pairwise(start):
        if high == low or place[high - 1] == high - low - 1:  # places have no gaps: the last tells that nobody ties
            yield ",".join(agent[low:high])
        else:
            groups: list[list[str]] = [[] for _ in range(place[high - 1] + 1)]
            for name, group in zip(agent[low:high], place[low:high], strict=True):
                groups[group].append(name)
            yield ",".join(group[0] if len(group) == 1 else f"{{{','.join(group)}}}" for group in groups)


def _ballots_of_file(file: PreflibFile) -> Ballots:
    """Turn the orders of one file into ballots, agents in order of name."""
    if not file.alternatives:
        raise ReadError(f"{shown(file.name)} must name its alternatives; its header names none. Fetch it again.")
    count = _order_counts(file)
    number, length, place = _order_entries(file)
    agents = tuple(sorted(file.alternatives.values()))
    code = _codes(file, number, length, agents)
    _require_once(file, code, length, agents)
    _require_type(file, length, place, len(agents))
    return Ballots(
        agents,
        code.astype(np.int32),
        place.astype(np.int32),
        np.concatenate([[0], np.cumsum(length)]),
        count,
        reading=Reading((file.name,), "preflib", len(count), len(count), notes=_title_and_type(file)),
    )


def _order_counts(file: PreflibFile) -> Ints:
    """Check every order against the grammar and return how many voters cast it."""
    pattern = _ORDER[file.separator]
    found = [pattern.fullmatch(order) for order in file.orders]
    for i, match in enumerate(found):
        if match is None:
            raise ReadError(f"{_fault(file.orders[i], file.separator)}; {file.at(i)} is {quoted(file.orders[i])}.")
    count = np.array([int(match[1]) for match in found if match], dtype=np.int64)
    require_total(file, "NUMBER VOTERS", sum(count.tolist()), "has counts that sum to")
    if file.header.get("NUMBER UNIQUE ORDERS") != str(len(count)):
        distinct = {order.partition(file.separator)[2].replace(" ", "") for order in file.orders}
        require_total(file, "NUMBER UNIQUE ORDERS", len(distinct), "has")
    return count


def _fault(order: str, separator: str) -> str:
    """What must hold of a line that does not fit the grammar."""
    count, found, rest = order.partition(separator)
    if not found:
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


def _order_entries(file: PreflibFile) -> tuple[Ints, Ints, Ints]:
    """The numbers on all orders one after another, how many each order has, and the place of each number.

    Commas tell everything: within an order they separate the numbers, and those outside braces separate the places.
    """
    extra = 0 if file.separator == "," else 1
    length = np.array([order.count(",") + extra for order in file.orders], dtype=np.int64)
    bare = [i for i, order in enumerate(file.orders) if not order.partition(file.separator)[2].strip()]
    length[bare] = 0
    text = "\n".join(file.orders)
    number = np.fromstring(text.translate(_SPACED), dtype=np.int64, sep=" ")
    ranked = np.ones(len(number), dtype=bool)
    ranked[np.concatenate([[0], np.cumsum(length + 1)[:-1]]) if len(length) else []] = False  # the counts
    place = _tied_places(text)[ranked] if "{" in text else _within(length)
    return number[ranked], length, place


def _within(length: Ints) -> Ints:
    """0, 1, 2, ... within each of several runs."""
    return np.arange(int(length.sum())) - np.repeat(np.cumsum(length) - length, length)


def _tied_places(text: str) -> Ints:
    """For each number of a text, how many commas outside braces stand before it."""
    byte = np.frombuffer(text.encode("ascii"), dtype=np.uint8)
    digit = (byte >= ord("0")) & (byte <= ord("9"))
    depth = np.cumsum((byte == _OPEN).astype(np.int8) - (byte == _CLOSE), dtype=np.int32)
    step = np.cumsum((byte == _COMMA) & (depth == 0), dtype=np.int32)
    return step[digit & ~np.concatenate([[False], digit[:-1]])].astype(np.int64)


def _order_of(entry: int, length: Ints) -> int:
    """The order to which a flat entry belongs."""
    return int(np.searchsorted(np.cumsum(length), entry, side="right"))


def _codes(file: PreflibFile, number: Ints, length: Ints, agents: tuple[str, ...]) -> Ints:
    """Alternatives' numbers as codes of agents; every number must be in the header."""
    known = np.array(sorted(file.alternatives), dtype=np.int64)
    place = {name: i for i, name in enumerate(agents)}
    code = np.array([place[file.alternatives[int(index)]] for index in known], dtype=np.int64)
    at = np.minimum(np.searchsorted(known, number), len(known) - 1)
    wrong = np.flatnonzero(known[at] != number)
    if wrong.size:
        raise ReadError(
            f"an order must hold only alternatives that the header names; {number[wrong[0]]} in "
            f"{file.at(_order_of(int(wrong[0]), length))} is none of its {len(known):,}. Correct the order or the header."
        )
    return code[at]


def _require_once(file: PreflibFile, code: Ints, length: Ints, agents: tuple[str, ...]) -> None:
    """No order may rank an alternative twice."""
    cell = np.sort(np.repeat(np.arange(len(length)), length) * len(agents) + code)
    twice = cell[1:][np.diff(cell) == 0]
    if twice.size:
        name = agents[twice[0] % len(agents)]
        index = next(i for i, other in file.alternatives.items() if other == name)
        raise ReadError(
            f"an order must rank an alternative at most once; {file.at(int(twice[0] // len(agents)))} ranks {index} "
            f"({quoted(name)}) twice. Correct it or leave the order out."
        )


def _require_type(file: PreflibFile, length: Ints, place: Ints, n_agents: int) -> None:
    """Orders must be as complete and as strict as the type of the file promises."""
    if file.type.endswith("c") and (length != n_agents).any():
        i = int(np.flatnonzero(length != n_agents)[0])
        raise ReadError(
            f"a .{file.type} file must hold complete orders; {file.at(i)} ranks {length[i]:,} of "
            f"{counted(n_agents, 'alternative')}. Name it .{file.type[:2]}i or complete the order."
        )
    tied = np.flatnonzero(place != _within(length)) if file.type.startswith("so") else np.zeros(0, int)
    if tied.size:
        raise ReadError(
            f"a .{file.type} file must hold strict orders; {file.at(_order_of(int(tied[0]), length))} has a tie. "
            f"Name it .to{file.type[2]} or break the tie."
        )


def _title_and_type(file: PreflibFile) -> tuple[str, ...]:
    """Title and type, for the account of the reading."""
    said = file.header.get("DATA TYPE", "").lower()
    notes = [f"title {quoted(file.header['TITLE'])}"] if file.header.get("TITLE") else []
    notes += [f"data type {file.type}, {TYPES[file.type]}"] if file.type else []
    return (*notes, *([f"the header says data type {shown(said)}"] if said and said != file.type else []))


def _ballots_of_files(sources: Sequence[Source], parts: Sequence[Ballots]) -> Ballots:
    """The ballots of several files one after another."""
    start = np.cumsum([0, *(len(part.agent) for part in parts)])
    rows = sum(len(part) for part in parts)
    notes = tuple(f"{shown(s.name)}: {note}" for s, p in zip(sources, parts, strict=True) for note in _notes_of(p))
    return Ballots(
        parts[0].agents,
        np.concatenate([part.agent for part in parts]),
        np.concatenate([part.place for part in parts]),
        np.concatenate([[0], *(part.start[1:] + low for part, low in zip(parts, start, strict=False))]),
        np.concatenate([part.count for part in parts]),
        factors={
            "file": Factor.coded(np.repeat(np.arange(len(parts)), [len(p) for p in parts]), [s.name for s in sources])
        },
        reading=Reading(tuple(s.name for s in sources), "preflib", rows, rows, notes=notes),
    )


def _notes_of(ballots: Ballots) -> tuple[str, ...]:
    return () if ballots.reading is None else ballots.reading.notes


def claims_preflib(head: Head) -> bool:
    """The ending and a first line that fits, or else a header that nothing but PrefLib has."""
    ending = head.source.suffix[1:] in TYPES
    try:
        text = head.text
    except BeatpathError:
        return ending  # reading it says what is wrong
    first = text.lstrip().partition("\n")[0].strip()
    if ending and (not first or first.startswith("#") or first.isdecimal() or head.start[:2] in _UTF16):
        return True
    return bool(_NEW_HEAD.search(text) and _NEW_TYPE.search(text)) or _has_old_header(text)


def _has_old_header(text: str) -> bool:
    """Whether a text begins with a number, that many names with numbers, and three totals."""
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
