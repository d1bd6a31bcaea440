"""Sentences of a verdict: text and names, whether the data settle it, and the section with its numbers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from beatpath._result import Record
from beatpath._text import quoted

RESOLVED, OPEN, UNKNOWN = "resolved", "not resolved", "unknown"  # values of `Sentence.mark`
MOST_NAMES = 4  # names listed before "and N more"


class Name(str):
    """The name of an agent inside a sentence, so that a page can format it."""

    __slots__ = ()


class Caution(str):
    """A note that limits what one may conclude, so that a short view shows it."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Sentence(Record):
    """One sentence of the verdict.

    Parameters
    ----------
    parts : tuple of str
        Text and names in turn; joined they form the sentence.
    mark : {"resolved", "not resolved", "unknown"}
        Whether the data settle what it is about.
    evidence : str
        The section of the report with its numbers.

    >>> print(Sentence((Name("ada"), " is certainly first."), RESOLVED, "board"))
    'ada' is certainly first.
    """

    document: ClassVar = ("sentence=text", "mark", "evidence")

    parts: tuple[str, ...]
    mark: str
    evidence: str

    @property
    def text(self) -> str:
        """The sentence as plain text, with names in quotation marks."""
        return plain_text(self.parts)

    def __str__(self) -> str:
        return self.text


def plain_text(parts: Sequence[str]) -> str:
    """Return the parts joined, with names in quotation marks.

    >>> plain_text((Name("ada"), " is first"))
    "'ada' is first"
    """
    return "".join(quoted(part) if isinstance(part, Name) else part for part in parts)


def marked(text: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the parts of a text in which these names stand in quotation marks.

    >>> marked("'ada' beats 'bob' in 'code'", ("ada", "bob"))
    ('ada', ' beats ', 'bob', " in 'code'")
    """
    by_quote, pattern = _quotes(names)
    parts = pattern.split(text) if names else [text]
    return tuple(Name(by_quote[part]) if k % 2 else part for k, part in enumerate(parts) if part)


@lru_cache(maxsize=8)
def _quotes(names: tuple[str, ...]) -> tuple[dict[str, str], re.Pattern[str]]:
    """The names by their quotations, and a pattern of these; the longest first, since a name may hold quotation marks."""
    by_quote = {quoted(name): name for name in names}
    every = "|".join(re.escape(text) for text in sorted(by_quote, key=len, reverse=True))
    return by_quote, re.compile(rf"(?<!\w)({every})(?!\w)")


def named(names: Sequence[str], most: int = MOST_NAMES, last: str = "and") -> tuple[str, ...]:
    """Return the parts of a list of names.

    >>> "".join(named(["a", "b", "c"])), "".join(named(["a", "b", "c"], most=2)), "".join(named(["a", "b"], last="or"))
    ('a, b and c', 'a, b and 1 more', 'a or b')
    """
    return together([(Name(name),) for name in names], most, last)


def together(items: Sequence[tuple[str, ...]], most: int = MOST_NAMES, last: str = "and") -> tuple[str, ...]:
    """Return the parts of a list whose items consist of parts.

    >>> "".join(together([("a", " (1)"), ("b", " (2)"), ("c", " (3)")]))
    'a (1), b (2) and c (3)'
    """
    parts: list[str] = []
    for k, item in enumerate(items[:most]):
        ends = k == len(items) - 1
        parts += [] if k == 0 else [f" {last} " if ends else ", "]
        parts += item
    left = len(items) - most
    return (*parts, f" {last} {left:,} more") if left > 0 else tuple(parts)
