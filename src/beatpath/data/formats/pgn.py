r"""Chess games in PGN (Portable Game Notation): who played White, who played Black, and the result.

Only the tag pairs that precede a game's moves are read::

    [White "Ada"]
    [Black "Bob"]
    [Result "1/2-1/2"]

    1. e4 e5 {A comment may hold anything, [White "Eve"] too.} 1/2-1/2
"""

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from beatpath._errors import ReadError, UsageError
from beatpath._text import quoted, shown, suggestion
from beatpath.data.formats.reader import Head, Reader
from beatpath.data.formats.records import Tally
from beatpath.data.sources.source import HEAD, Options, Source, damage_errors
from beatpath.evidence import Battles

# Results in the standard, and what they mean for White.
RESULTS = {"1-0": "a", "0-1": "b", "1/2-1/2": "tie", "*": "unfinished"}
# the Seven Tag Roster; each tag occurs once per game
ROSTER = frozenset(("Event", "Site", "Date", "Round", "White", "Black", "Result"))
UNKNOWN = ("", "?", "-")  # values that the standard uses for unknown or not applicable

# A tag pair; the same with unescaped quotes inside; the beginning of a damaged one.
_TAG = re.compile(r'[ \t]*+\[[ \t]*+([A-Za-z0-9_]++)[ \t]*+"((?:[^"\\]|\\.)*+)"[ \t]*+\][ \t\r\n]*+')
_LOOSE_TAG = re.compile(r'[ \t]*+\[[ \t]*+([A-Za-z0-9_]++)[ \t]*+"(.*)"[ \t]*+\]\s*')
_BROKEN_TAG = re.compile(r'[ \t]*+\[[ \t]*+[A-Za-z0-9_]++[ \t]*+"')
_COMMENT = re.compile(r";.*|\{[^}]*+(\}?)")  # to the end of the line, or in braces, possibly closed on a later line
# A tag by which a file is recognized.
_HEAD_TAG = re.compile(r'^[ \t]*\[[ \t]*(Event|Site|Date|White|Black|Result)[ \t]+"', re.MULTILINE)
# Escapes inside a value; bytes that could not be decoded; byte-order marks; a date; a time of day.
_ESCAPED = re.compile(r'\\(["\\])')
_UNDECODED = re.compile("[\udc80-\udcff]")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_DATE = re.compile(r"([0-9]{4})[.\-/]([0-9]{1,2})[.\-/]([0-9]{1,2})")
_TIME = re.compile(r"([0-9]{1,2}):([0-9]{2}):([0-9]{2})")


@dataclass
class _Game:
    """The tags of one game, and the line on which it begins."""

    line: int
    tags: dict[str, str] = field(default_factory=dict)

    def known(self, tag: str) -> str | None:
        """The value of a tag, ``None`` if it is absent or unknown."""
        value = self.tags.get(tag, "")
        return None if value in UNKNOWN else value


def read_pgn(sources: Sequence[Source], options: Options) -> Battles:
    """Read one battle per game: White is agent a and moves first; the event is the task, the date the time.

    ``--keep ECO`` keeps a further tag as a factor, and ``--labels`` gives a meaning to a result outside the standard.
    """
    for tag in options.keep:
        if tag in ("a", "b", "outcome", "place", "both_bad", "weight"):
            raise UsageError(f"`keep` must name tags that are not columns of battles already; got {quoted(tag)}.")
    tally = Tally("pgn", sources, options)
    present: set[str] = set()
    tags = ROSTER.union(("UTCDate", "UTCTime"), options.keep)
    for source in sources:
        name = shown(source.name)
        for game in _games(source, options.encoding, tags):
            present.update(game.tags)
            _add(tally, game, f"the game at line {game.line:,} of {name}")
    for tag in options.keep:
        if present and tag not in present:
            raise UsageError(f"`keep` must name tags of the games; {quoted(tag)} is none.{suggestion(tag, present)}")
    undated = sum("time" not in row for row in tally.rows)
    if undated:
        tally.notes.append(f"{undated:,} of {len(tally.rows):,} games have no full date")
    return tally.battles()


def _add(tally: Tally, game: _Game, place: str) -> None:
    """Use a game, or drop it with a reason."""
    white, black, result = game.known("White"), game.known("Black"), game.tags.get("Result")
    if white is None or black is None:
        return tally.drop("a player is not known")
    if not result:
        return tally.drop("no result")
    meaning = tally.meaning(result, RESULTS)
    if meaning == "unfinished":
        return tally.drop("unfinished")
    extra = {tag: game.known(tag) for tag in tally.options.keep}
    columns = {"task": game.known("Event"), "round": game.known("Round"), "time": _day(game.tags), "position": 1}
    tally.battle(place, white, black, meaning, **{**extra, **columns})


def _day(tags: Mapping[str, str]) -> float | None:
    """The day of a game, with the time of day if known; ``None`` for an incomplete date.

    >>> _day({"Date": "0001.01.02"}), _day({"UTCDate": "0001.01.02", "UTCTime": "06:00:00"}), _day({"Date": "1999.??.??"})
    (2.0, 2.25, None)
    """
    utc = _DATE.fullmatch(tags.get("UTCDate", ""))
    match = utc or _DATE.fullmatch(tags.get("Date", ""))
    try:
        day = float(date(int(match[1]), int(match[2]), int(match[3])).toordinal()) if match else None
    except ValueError:  # not a calendar day
        return None
    clock = _TIME.fullmatch(tags.get("UTCTime", "")) if utc else None
    if day is None or clock is None:
        return day
    return day + (int(clock[1]) * 3600 + int(clock[2]) * 60 + int(clock[3])) / 86400


def _games(source: Source, encoding: str | None, needed: frozenset[str]) -> Iterator[_Game]:
    """Yield the games of a file; a game ends where tags follow moves, or where a tag of the roster occurs again.

    Only the needed tags are decoded; the others keep their names.
    """
    game, moves, comment = _Game(1), False, 0
    for number, line in enumerate(_lines(source, encoding), 1):
        tags, rest = ([], line) if comment or "[" not in line else _tags(line, moves, source, number)
        for name, value in tags:
            if game.tags and (moves or (name in ROSTER and name in game.tags)):
                yield game
                game = _Game(number)
            if not game.tags:
                game.line, moves = number, False
            game.tags.setdefault(name, _tag_value(value, encoding, source, number) if name in needed else "")
        if rest and not rest.isspace():
            moves = True
            if comment or rest.rfind("{") > rest.rfind("}"):  # otherwise whatever opened is closed
                comment = _open_comment(rest, comment, number)
    if comment:
        raise ReadError(
            f"a comment in braces must end; the one in line {comment:,} of {shown(source.name)} does not. "
            "The file may be cut short: close the brace or fetch it again."
        )
    if game.tags:
        yield game


def _tags(line: str, moves: bool, source: Source, number: int) -> tuple[list[tuple[str, str]], str]:
    """The tag pairs at the start of a line, and the rest of the line."""
    tags, at = [], 0
    while at < len(line) and (match := _TAG.match(line, at)):
        tags.append((match[1], match[2]))
        at = match.end()
    if tags or not _BROKEN_TAG.match(line):
        return tags, line[at:]
    if loose := _LOOSE_TAG.fullmatch(line):
        return [(loose[1], loose[2])], ""
    if moves:
        return [], line
    raise ReadError(
        f'a tag must be written [Name "value"] on one line; line {number:,} of {shown(source.name)} is '
        f"{quoted(line.strip())}. Correct it."
    )


def _open_comment(line: str, comment: int, number: int) -> int:
    """The line on which a comment began that is still open after this line, 0 if none is."""
    start = line.find("}") + 1 if comment else 0
    if comment and not start:
        return comment
    if line.rfind("{", start) <= line.rfind("}", start):
        return 0
    return number if any(match[1] == "" for match in _COMMENT.finditer(line, start)) else 0


def _tag_value(value: str, encoding: str | None, source: Source, number: int) -> str:
    """A tag's value with escapes removed; it must be valid in the encoding of the file."""
    odd = None if value.isascii() else _UNDECODED.search(value)
    if odd:
        raise ReadError(
            f"{shown(source.name)} must be {encoding or 'utf-8'} text; byte 0x{ord(odd[0]) - 0xDC00:02x} in line {number:,} is not. "
            "Save it as UTF-8, or name its encoding, for example `--encoding latin-1`."
        )
    return _ESCAPED.sub(r"\1", value) if "\\" in value else value


def _lines(source: Source, encoding: str | None) -> Iterator[str]:
    """Read line by line, never the whole file; undecodable bytes, which comments may hold, become lone surrogates."""
    chosen = encoding or ("utf-16" if source.first(HEAD)[:2] in _UTF16 else "utf-8")
    try:
        binary = io.BufferedReader(source.open(), 1 << 20)  # type: ignore[type-var]
        with io.TextIOWrapper(binary, chosen, errors="surrogateescape") as stream:
            yield stream.readline().removeprefix("\ufeff")
            yield from stream
    except damage_errors() as error:
        raise ReadError(
            f"{shown(source.name)} must be a whole file that can be read; it is not: {shown(error, 200)}. Fetch it again."
        ) from None


def claims_pgn(head: Head) -> bool:
    """Whether lines begin with tag pairs; without the extension .pgn, those of both players and the result."""
    ending = head.source.suffix == ".pgn"
    if ending and (not head.text.strip() or head.start[:2] in _UTF16):
        return True
    tags = set(_HEAD_TAG.findall(head.text))
    return bool(tags) if ending else {"White", "Black", "Result"} <= tags


reader = Reader(
    "pgn",
    "chess games in PGN (.pgn): White against Black, the event as the task",
    claims_pgn,
    read_pgn,
    frozenset({"keep"}),
    sign=re.compile(rb'\[[ \t]*White[ \t]+"'),
    endings=(".pgn",),
)
