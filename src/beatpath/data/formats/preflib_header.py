"""The header of a PrefLib file, in today's form and in the older one: types, totals and names of alternatives."""

import re
from dataclasses import dataclass, field

from beatpath._errors import ReadError
from beatpath._text import counted, quoted, shown
from beatpath.data.sources.memory import require_memory
from beatpath.data.sources.source import Source

TYPES = {
    "soc": "strict complete orders",
    "soi": "strict incomplete orders",
    "toc": "complete orders with ties",
    "toi": "incomplete orders with ties",
}
_COPIES = 6  # of the text, as lines and as numbers, that stand in memory at once
_LINE_BYTES = 400  # that a line takes besides its signs
NUMBERS = ("NUMBER ALTERNATIVES", "NUMBER VOTERS", "NUMBER UNIQUE ORDERS")


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


def parsed(source: Source, encoding: str | None) -> PreflibFile:
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
