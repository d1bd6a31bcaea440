"""A table of agents that fits its width: names shortened in the middle, columns and rows that do not fit named below it."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from beatpath._text import counted, shown

MOST_ROWS = 40
NARROWEST = 24  # that names are shortened to before a column is left out
SHARES = (0.5, 0.25, 0.75, 0.0, 1.0)  # of a shortened name that its head is, tried in turn


@dataclass(frozen=True, slots=True)
class Board:
    """Rows for a terminal, one of whose columns holds names.

    Parameters
    ----------
    columns : sequence of str
        Headings, shown one word a line.
    rows : sequence of sequences of str
        The cells, as people read them; names as they are.
    names : str
        The heading of the column of names, which is shortened where the width is scarce and never left out.
    left : collection of str
        Columns to align at their left; the others are numbers.
    title : str
        Stands above.
    noun : str
        What one of the columns that can be left out is.
    gap : int
        Blanks between columns.
    rest : str
        How to see the columns that were left out, after "...: ".
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    names: str = "agent"
    left: Collection[str] = ("agent",)
    title: str = ""
    noun: str = "column"
    gap: int = 2
    rest: str = "a wider window or --format csv shows them"

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The table in the width there is, then what it leaves out."""
        at, rows = self.columns.index(self.names), self.rows[:MOST_ROWS]
        natural = max([cell_len(self.names), *(cell_len(shown(row[at], 10_000)) for row in rows)])
        widths = [self._width(k, rows) + self.gap for k in range(len(self.columns))]
        kept = list(_that_fit(widths, at, options.max_width - min(natural, NARROWEST) - self.gap))
        room = options.max_width - sum(widths[k] for k in kept if k != at) - self.gap
        short = short_names([row[at] for row in rows], max(min(natural, room), 1))
        table = Table(box=None, padding=(0, self.gap, 0, 0), title=self.title, title_justify="left", title_style="bold")
        for k in kept:
            justify = "left" if self.columns[k] in self.left else "right"
            table.add_column(Text(_heading(self.columns[k])), justify=justify, vertical="bottom", no_wrap=True)  # type: ignore[arg-type]
        for name, row in zip(short, rows, strict=True):
            table.add_row(*(Text(name if k == at else row[k]) for k in kept))
        yield table
        yield from (Text(said, style="dim") for said in self._left_out(kept))

    def _width(self, k: int, rows: Sequence[Sequence[str]]) -> int:
        return max(map(cell_len, (*_heading(self.columns[k]).split("\n"), *(row[k] for row in rows))))

    def _left_out(self, kept: Sequence[int]) -> Iterator[str]:
        """What the table does not show, and how to see it."""
        if len(self.rows) > MOST_ROWS:
            yield f"{MOST_ROWS} of {len(self.rows):,} rows are shown; --format csv or md prints all."
        out = [name for k, name in enumerate(self.columns) if k not in kept]
        if out:
            yield f"{counted(len(out), f'more {self.noun}')} ({', '.join(out)}): {self.rest}."


def _heading(column: str) -> str:
    return column.replace("_", "\n").replace(" ", "\n")


def _that_fit(widths: Sequence[int], always: int, room: int) -> Iterator[int]:
    """The columns, from the left, that fit beside the one that always stands."""
    full = False
    for k, width in enumerate(widths):
        if k == always:
            yield k
            continue
        room -= width
        full = full or room < 0
        if not full:
            yield k


def short_names(names: Sequence[str], width: int) -> list[str]:
    """Return every name in at most `width` cells of a terminal, shortened in the middle, different names differently.

    Where two names are alike at both ends, more of one end is kept; where that is not enough, they are numbered.

    >>> short_names(["gpt-4-0613", "claude-3-5-sonnet-20241022", "claude-3-5-sonnet-20240620"], 12)
    ['gpt-4-0613', 'claude…41022', 'claude…40620']
    >>> short_names(["run-a-0001-final", "run-b-0001-final"], 8)
    ['run-a…al', 'run-b…al']
    >>> short_names(["xxxxxxxxxa1yyyyyyyyy", "xxxxxxxxxa2yyyyyyyyy"], 8)
    ['xx…yyy~1', 'xx…yyy~2']
    """
    safe = [shown(name, 10_000) for name in names]
    found = [_short(name, width, SHARES[0]) for name in safe]
    for share in SHARES[1:]:
        if not (alike := _repeated(found)):
            break
        other = [_short(name, width, share) if text in alike else text for name, text in zip(safe, found, strict=True)]
        found = other if len(_repeated(other)) < len(alike) else found
    return _numbered(safe, found, width)


def _numbered(names: Sequence[str], short: list[str], width: int) -> list[str]:
    """The short names, with a number at the end of those that are alike."""
    alike = _repeated(short)
    taken = {text for text in short if text not in alike}
    for k in [k for k, text in enumerate(short) if text in alike]:
        number = 1
        while (text := _short(names[k], width - len(f"~{number}"), SHARES[0]) + f"~{number}") in taken:
            number += 1
        taken.add(text)
        short[k] = text
    return short


def _repeated(texts: Sequence[str]) -> set[str]:
    seen: set[str] = set()
    return {text for text in texts if text in seen or seen.add(text)}  # type: ignore[func-returns-value]


def _short(text: str, width: int, share: float) -> str:
    """A text in at most `width` cells: its head and its tail, with an ellipsis between."""
    if cell_len(text) <= width:
        return text
    width = max(width, 1)
    head = round((width - 1) * share)
    return f"{_within(text, head)}…{_within(text[::-1], width - 1 - head)[::-1]}"


def _within(text: str, width: int) -> str:
    """As much of the beginning of a text as `width` cells hold."""
    used = 0
    for k, sign in enumerate(text):
        used += cell_len(sign)
        if used > width:
            return text[:k]
    return text
