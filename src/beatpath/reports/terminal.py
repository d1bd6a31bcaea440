"""Print a view on a terminal: tables that fit its width, names shortened in the middle, omissions listed below."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO

from rich import table as rich_table
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, JustifyMethod, RenderableType, RenderResult
from rich.segment import Segment
from rich.text import Text

from beatpath._sentence import Name, Sentence
from beatpath._text import counted, shown
from beatpath.reports.view import UNBROKEN, WHOLE, Table, View

MOST_ROWS, SPARE_ROWS = 20, 4  # rows per table, about one screen; a few more are shown rather than left out
NARROWEST = 24  # width to which names are shortened before a column is left out
SHARES = (0.5, 0.25, 0.75, 0.0, 1.0)  # share of a shortened name that its head takes, tried in turn
GLUE = "\ue000"  # a space at which no line breaks; rich breaks at no-break spaces, and names cannot contain it
BAR, BAR_MOST = 16, 40  # least and most width of a bar of ranks
# Signs for streams that cannot encode ours.
PLAIN = {"·": "|", "━": "=", "●": "o", "…": "...", "±": "+-", "→": "->", "─": "-", "┼": "|", "╋": "+"}


# How to see what a terminal leaves out, the other rows and the details: on the command line, and of a result in Python.
COMMAND, PYTHON = ("--all", "-v"), ("rows()", "print(result)")


@dataclass(frozen=True, slots=True)
class Terminal:
    """A view at the width, with the colors and in the encoding of a console.

    It has its details if `verbose`, and at most about `most` rows per table.
    """

    view: View
    verbose: bool = False
    most: int | None = MOST_ROWS
    hints: tuple[str, str] = COMMAND

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the headline, facts, tables, notes, lists, and the details or how to see them."""
        plain = console.color_system is None or console.no_color
        for k, part in enumerate(self._parts(self.view, options.encoding, plain)):
            if k or not isinstance(part, Text) or part:
                for segment in console.render(part, options):
                    yield Segment(segment.text.replace(GLUE, " "), segment.style, segment.control)

    def _parts(self, view: View, encoding: str, plain: bool) -> Iterator[RenderableType]:
        def line(text: str | Sentence, style: str = "") -> Text:
            parts = (str(text),) if plain else view.parts(text)
            marked = (
                (shown(part, WHOLE), "bold cyan") if isinstance(part, Name) else (_glued(shown(part, WHOLE)), style)
                for part in parts
            )
            return Text.assemble(*((encodable(part, encoding), one) for part, one in marked), style=style)

        if view.headline:
            yield line(view.headline, "bold")
        for fact in map(line, view.facts):
            fact.stylize("bold yellow", 0, int(fact.plain.startswith("! ")))
            yield fact
        for table in view.tables:
            yield Text("")
            yield from (line(table.title, "bold"),) if table.title else ()
            folds = any(column.folds for column in table.columns)
            yield _folded(table) if folds else _Fitted(table, self.most, self.hints[0], encoding)
        yield from (line(note, "dim") for note in view.notes)
        for title, lines in view.lists:
            yield Text("")
            yield from (line(title, "bold"),) if title else ()
            yield from map(line, lines)
        if view.details is None:
            return
        if self.verbose:
            yield Text("")
            yield from self._parts(view.made_details(), encoding, plain)
        else:
            yield line(f"Details and conditions: {self.hints[1]}", "dim")


def encodable(text: str, encoding: str) -> str:
    """Return a text whose signs a stream can encode; letters are left to the stream.

    >>> encodable("62.1 ± 3.0 · 日", "ascii"), encodable("62.1 ± 3.0 · 日", "utf-8")
    ('62.1 +- 3.0 | 日', '62.1 ± 3.0 · 日')
    """
    if encoding.startswith("utf"):
        return text
    return "".join(PLAIN.get(c, c) for c in text)


def _frame(table: Table) -> rich_table.Table:
    return rich_table.Table(box=None, padding=(0, table.gap, 0, 0), pad_edge=False, show_header=table.header)


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
        frame.add_row(*(Text(_glued(shown(cell, WHOLE)), style=others if k else first) for k, cell in enumerate(row)))
    return frame


def plain_text(view: View, width: int = 120) -> str:
    """Return a view as a terminal of so many columns shows it, without colors."""
    console = Console(file=StringIO(), highlight=False, markup=False, emoji=False, width=width, color_system=None)
    return printed(console, Terminal(view, hints=PYTHON)).rstrip("\n")


def printed(console: Console, renderable: RenderableType) -> str:
    """Return what a console prints, without spaces at the ends of lines."""
    with console.capture() as caught:
        console.print(renderable)
    return "\n".join(line.rstrip(" ") for line in caught.get().split("\n"))


def _glued(text: str) -> str:
    """A text whose percentages and p-values no line break splits."""
    return UNBROKEN.sub(lambda one: one[0].replace(" ", GLUE), text)


@dataclass(frozen=True, slots=True)
class _Fitted:
    """The part of a table that fits the width: one line per row, headings with one word per line."""

    table: Table
    most: int | None
    hint: str
    encoding: str

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the table at the available width, then a note on what it leaves out."""
        table = self.table
        most = None if self.most is None or len(table.rows) <= self.most + SPARE_ROWS else self.most
        rows = [[encodable(cell, self.encoding) for cell in row] for row in table.cells(most)]
        labels = [column.label for column in table.columns]
        at = labels.index(table.names)
        natural = max([cell_len(labels[at]), *(cell_len(shown(row[at], WHOLE)) for row in rows)])
        widths = [_width(label, [row[k] for row in rows]) + table.gap for k, label in enumerate(labels)]
        fitting = list(_that_fit(widths, at, options.max_width - min(natural, NARROWEST) - table.gap))
        room = options.max_width - sum(widths[k] for k in fitting if k != at) - table.gap
        least = min(natural, max(room - BAR - table.gap, NARROWEST))
        width = min(room - least - table.gap, BAR_MOST)
        drawn = [k for k in fitting if table.columns[k].bar is not None and width >= BAR]
        names = short_names([row[at] for row in rows], max(least if drawn else min(natural, room), 1))
        frame, bars = _frame(table), {k: list(_bars(table, k, width, most, self.encoding)) for k in drawn}
        for k in fitting:
            justify: JustifyMethod = "left" if k == at or table.columns[k].left else "right"
            if k in bars:
                frame.add_column(Text(bars[k][0]), vertical="bottom", no_wrap=True)
            frame.add_column(Text(_heading(labels[k])), justify=justify, vertical="bottom", no_wrap=True)
        last = None
        for i, (name, row) in enumerate(zip(names, rows, strict=True)):
            cells: list[Text] = []
            first, others = table.styles.get(row[0], ("", ""))
            for k in fitting:
                if k in bars:
                    style = "cyan" if table.columns[k].strong(table.rows[i]) else others
                    cells.append(Text(bars[k][i + 1], style=style))
                text = name if k == at else "" if k == 0 and table.once and row[0] == last else shown(row[k], WHOLE)
                cells.append(Text(text, style=others if k else first))
            frame.add_row(*cells)
            last = row[0]
        yield frame
        yield from (Text(line, style="dim") for line in self._left_out(len(rows), [labels[k] for k in fitting]))

    def _left_out(self, rows: int, fitting: Sequence[str]) -> Iterator[str]:
        """State what the table does not show, and how to see it."""
        table = self.table
        if len(table.rows) > rows:
            yield encodable(f"… {len(table.rows) - rows:,} more: {self.hint}", self.encoding)
        out = [column.label for column in table.columns if column.label not in fitting and not column.strip]
        if out:
            yield f"{counted(len(out), f'more {table.noun}')} ({', '.join(out)}): {table.rest}."


def _bars(table: Table, k: int, width: int, most: int | None, encoding: str) -> Iterator[str]:
    """The scale of the bars of a column, then the bar of every row: its ranks as a line, the estimated one as a dot."""
    spans = [table.columns[k].bar(row) for row in table.rows]  # type: ignore[misc]
    last = max([span[2] for span in spans if span is not None], default=1)
    yield f"rank 1{f'{last:,}':>{width - 6}}"
    for span in spans[:most]:
        if span is None:
            yield ""
            continue
        best, estimated, worst = span
        start, end = (best - 1) * width // last, max(-(-worst * width // last), (best - 1) * width // last + 1)
        dot = min(max(int((estimated - 0.5) * width / last), start), end - 1) if estimated else -1
        yield encodable("".join(" " if j < start else "●" if j == dot else "━" for j in range(end)), encoding)


def _width(label: str, cells: Sequence[str]) -> int:
    return max(map(cell_len, (*_heading(label).split("\n"), *cells)))


def _heading(column: str) -> str:
    return column.replace("_", "_\n").replace(" ", "\n")


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
