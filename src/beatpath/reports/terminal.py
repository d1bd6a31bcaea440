"""Print a view on a terminal: tables that fit its width, names shortened in the middle, omissions listed below."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich import table as rich_table
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, JustifyMethod, RenderableType, RenderResult
from rich.text import Text

from beatpath._text import counted, shown
from beatpath.reports.view import WHOLE, Table, View

MOST_ROWS = 40  # rows per table, about one screen
NARROWEST = 24  # width to which names are shortened before a column is left out
SHARES = (0.5, 0.25, 0.75, 0.0, 1.0)  # share of a shortened name that its head takes, tried in turn


def terminal(view: View) -> RenderableType:
    """Return a view as a rich renderable."""
    parts: list[RenderableType] = [Text(view.headline, style="bold")] if view.headline else []
    parts += [Text(shown(line, WHOLE)) for line in view.facts]
    for table in view.tables:
        parts += [Text("")] if parts else []
        parts.append(_folded(table) if any(column.folds for column in table.columns) else _Fitted(table))
    parts += [Text(shown(line, WHOLE), style="dim") for line in view.notes]
    for title, lines in view.lists:
        parts += [
            Text(""),
            *([Text(title, style="bold")] if title else []),
            *(Text(shown(one, WHOLE)) for one in lines),
        ]
    return Group(*parts)


def _frame(table: Table) -> rich_table.Table:
    return rich_table.Table(
        box=None,
        padding=(0, table.gap, 0, 0),
        pad_edge=False,
        title=table.title or None,
        title_justify="left",
        title_style="bold",
        show_header=table.header,
    )


def _folded(table: Table) -> rich_table.Table:
    """A complete table, with long cells wrapped."""
    frame = _frame(table)
    for column in table.columns:
        justify: JustifyMethod = "left" if column.left else "right"
        frame.add_column(
            Text(column.label), justify=justify, overflow="fold", no_wrap=not column.folds, style=column.style
        )
    for row in table.cells():
        first, others = table.styles.get(row[0], ("", ""))
        frame.add_row(*(Text(shown(cell, WHOLE), style=others if k else first) for k, cell in enumerate(row)))
    return frame


@dataclass(frozen=True, slots=True)
class _Fitted:
    """The part of a table that fits the width: one line per row, headings with one word per line."""

    table: Table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the table at the available width, then a note on what it leaves out."""
        table, rows = self.table, self.table.cells(MOST_ROWS)
        labels = [column.label for column in table.columns]
        at = labels.index(table.names)
        natural = max([cell_len(labels[at]), *(cell_len(shown(row[at], WHOLE)) for row in rows)])
        widths = [_width(label, [row[k] for row in rows]) + table.gap for k, label in enumerate(labels)]
        fitting = list(_that_fit(widths, at, options.max_width - min(natural, NARROWEST) - table.gap))
        room = options.max_width - sum(widths[k] for k in fitting if k != at) - table.gap
        short = short_names([row[at] for row in rows], max(min(natural, room), 1))
        frame = _frame(table)
        for k in fitting:
            justify: JustifyMethod = "left" if k == at or table.columns[k].left else "right"
            frame.add_column(Text(_heading(labels[k])), justify=justify, vertical="bottom", no_wrap=True)
        for name, row in zip(short, rows, strict=True):
            frame.add_row(*(Text(name if k == at else shown(row[k], WHOLE)) for k in fitting))
        yield frame
        yield from (Text(line, style="dim") for line in self._left_out([labels[k] for k in fitting]))

    def _left_out(self, fitting: Sequence[str]) -> Iterator[str]:
        """State what the table does not show, and how to see it."""
        table = self.table
        if len(table.rows) > MOST_ROWS:
            yield f"{MOST_ROWS} of {len(table.rows):,} rows are shown; --format csv or md prints all."
        out = [column.label for column in table.columns if column.label not in fitting]
        if out:
            yield f"{counted(len(out), f'more {table.noun}')} ({', '.join(out)}): {table.rest}."


def _width(label: str, cells: Sequence[str]) -> int:
    return max(map(cell_len, (*_heading(label).split("\n"), *cells)))


def _heading(column: str) -> str:
    return column.replace("_", "\n").replace(" ", "\n")


def _that_fit(widths: Sequence[int], always: int, room: int) -> Iterator[int]:
    """The leftmost columns that fit next to the one that is always shown."""
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
    """Return every name in at most `width` terminal cells, shortened in the middle; distinct names stay distinct.

    If two names agree at both ends, more of one end is kept; if that is not enough, they are numbered.

    >>> short_names(["gpt-4-0613", "claude-3-5-sonnet-20241022", "claude-3-5-sonnet-20240620"], 12)
    ['gpt-4-0613', 'claude…41022', 'claude…40620']
    >>> short_names(["run-a-0001-final", "run-b-0001-final"], 8)
    ['run-a…al', 'run-b…al']
    >>> short_names(["xxxxxxxxxa1yyyyyyyyy", "xxxxxxxxxa2yyyyyyyyy"], 8)
    ['xx…yyy~1', 'xx…yyy~2']
    """
    safe = [shown(name, 10_000) for name in names]
    best = [_short(name, width, SHARES[0]) for name in safe]
    for share in SHARES[1:]:
        if not (alike := _repeated(best)):
            break
        other = [_short(name, width, share) if text in alike else text for name, text in zip(safe, best, strict=True)]
        best = other if len(_repeated(other)) < len(alike) else best
    return _numbered(safe, best, width)


def _numbered(names: Sequence[str], short: list[str], width: int) -> list[str]:
    """The short names, with a number at the end of those that coincide."""
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
    """The longest prefix of a text that fits into `width` cells."""
    used = 0
    for k, sign in enumerate(text):
        used += cell_len(sign)
        if used > width:
            return text[:k]
    return text
