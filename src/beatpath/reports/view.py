"""Views: what a result shows, and its rendering.

A view has a headline, facts, tables, notes and lists. It is rendered as Markdown and HTML here, and for terminals in
`terminal`.

Texts of a view may come from files, so every renderer escapes them.
"""

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from html import escape
from math import isfinite
from pathlib import Path
from typing import Any

from beatpath._atomic_write import write_whole
from beatpath._result import Result, Rows, TableResult
from beatpath._schema import dumps
from beatpath._sentence import Name, Sentence, marked
from beatpath._text import quoted, shown

WHOLE = 10_000  # longest text that is printed whole, in characters
UNBROKEN = re.compile(r"(?<=\d) %|\bp (?:=|<|&lt;) ")  # percentages and p-values, which no line break splits
STRIP = 21  # characters of a picture of an interval: fits beside the numbers in 120 columns


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Parameters
    ----------
    label : str
        The heading.
    text : callable
        Maps a row to the text of the cell.
    left : bool
        Whether it is left-aligned, as words are; numbers are right-aligned.
    folds : bool
        Whether long cells wrap.
    style : str
        Style on a terminal, such as "bold".
    bar : callable, optional
        Maps a row to the first, the estimated and the last rank of a bar, which is drawn before the cell.
    strong : callable, optional
        Whether the bar of a row stands out: whether its agent may be first.
    strip : bool
        Whether cells are pictures of characters of one width, such as those of `strip`.
    """

    label: str
    text: Callable[[Any], str]
    left: bool = False
    folds: bool = False
    style: str = ""
    bar: Callable[[Any], tuple[int, int, int] | None] | None = None
    strong: Callable[[Any], bool | None] = lambda row: False
    strip: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table for people to read.

    If no column wraps, a terminal leaves out the columns and rows that do not fit, and lists them below.

    Parameters
    ----------
    columns : sequence of Column
        The columns.
    rows : sequence
        Rows of any type that the columns accept.
    title : str
        Printed above the table.
    names : str
        Label of the column of names, which is shortened on a narrow terminal and never left out.
    header : bool
        Whether a terminal shows the labels.
    noun : str
        What one of the optional columns is called.
    gap : int
        Spaces between columns.
    rest : str
        How to see the columns that were left out, printed after a colon.
    styles : mapping of str to (str, str)
        Styles of the first cell and of the others, by the text of the first cell.
    once : bool
        Whether a terminal shows the first cell only where it changes.
    """

    columns: Sequence[Column]
    rows: Sequence[Any]
    title: str = ""
    names: str = "agent"
    header: bool = True
    noun: str = "column"
    gap: int = 2
    rest: str = "a wider window or --format csv shows them"
    styles: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    once: bool = False

    def cells(self, most: int | None = None) -> list[list[str]]:
        """Return the texts of the first `most` rows."""
        return [[column.text(row) for column in self.columns] for row in self.rows[:most]]


@dataclass(frozen=True, slots=True)
class View:
    """What a result shows.

    Parameters
    ----------
    headline : str or Sentence
        The main message.
    facts : sequence of str or Sentence
        Sentences, most important first.
    tables : sequence of Table
        The tables.
    notes : sequence of str
        How to read the tables, and what they leave out.
    lists : sequence of (str, sequence of str)
        A title, possibly empty, and lines.
    details : View or callable that returns it, optional
        What is shown on request: reasons, conditions, further tables.
    names : tuple of str
        Names of agents, which renderers with typography show without quotation marks.
    """

    headline: str | Sentence = ""
    facts: Sequence[str | Sentence] = ()
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()
    lists: Sequence[tuple[str, Sequence[str]]] = ()
    details: "View | Callable[[], View] | None" = None
    names: tuple[str, ...] = ()

    def made_details(self) -> "View":
        """Return the details, empty where there are none, with the names of this view."""
        details = self.details() if callable(self.details) else self.details or View()
        return replace(details, names=self.names)

    def parts(self, text: str | Sentence) -> tuple[str, ...]:
        """Return the parts of one of its texts: names of agents and what stands between them."""
        every = text.parts if isinstance(text, Sentence) else (text,)
        return tuple(x for part in every for x in ((part,) if isinstance(part, Name) else marked(part, self.names)))


def plain_table(rows: Rows, digits: int | None = None, **more: Any) -> Table:
    """Return rows as a table, with the names in the first column.

    >>> plain_table([{"agent": "ada", "score": 0.123456, "battles": 1200}]).cells()
    [['ada', '0.1235', '1,200']]
    """
    columns = [
        Column(name, partial(_value, name, digits), left=_are_words([row[name] for row in rows])) for name in rows[0]
    ]
    return Table(columns, rows, names=columns[0].label, **more)


def _are_words(cells: Sequence[object]) -> bool:
    """Return whether cells are words, and not numbers or intervals written out."""
    return all(isinstance(cell, str) and (not cell or cell[0].isalpha()) for cell in cells) and any(cells)


def _value(name: str, digits: int | None, row: Mapping[str, Any]) -> str:
    return figure(row[name], digits)


def figure(value: object, digits: int | None = None) -> str:
    """Return a value as a table shows it.

    None is a dash; numbers have thousands separators, and four significant or `digits` decimal digits.

    >>> figure(None), figure(1200), figure(-0.0001, 3), figure(0.123456), figure(12345.6), figure("ada")
    ('-', '1,200', '0.000', '0.1235', '12,346', 'ada')
    """
    if value is None or (isinstance(value, float) and not isfinite(value)):
        return "-"
    if isinstance(value, float):
        if digits is None and abs(value) >= 1000:
            return f"{value:,.0f}"
        return f"{value:.4g}" if digits is None else f"{round(value, digits) + 0.0:.{digits}f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def span(best: int | None, worst: int | None, dash: str = "-") -> str:
    """Return the range of ranks from best to worst.

    >>> span(1, 3), span(2, 2), span(None, None)
    ('1-3', '2', '-')
    """
    if best is None:
        return "-"
    return f"{best:,}" if best == worst else f"{best:,}{dash}{worst:,}"


def strip(low: float, at: float, high: float, start: float, end: float) -> str:
    """Return an interval as a line of characters with its estimate, on a scale with a mark at zero; empty without ends.

    The mark is covered exactly where the interval contains zero.

    >>> print(strip(2, 4, 6, -2, 8), strip(-1, 1, 3, -2, 8), strip(0.01, 3, 6, -2, 8))
    ────┼───━━━━●━━━━──── ──━━╋━●━━━━────────── ────┼━━━━━●━━━━━━────
    """
    if not isfinite(high - low) or start == end:
        return ""
    zero, first, dot, last = (min(int((x - start) / (end - start) * STRIP), STRIP - 1) for x in (0, low, at, high))
    inside = range(max(first, zero + 1) if low > 0 else first, (min(last, zero - 1) if high < 0 else last) + 1)
    signs = {False: "─┼", True: "━╋"}
    return "".join("●" if k == dot else signs[k in inside][k == zero] for k in range(STRIP))


def capital(text: str) -> str:
    """Return a text with a capital first letter."""
    return f"{text[:1].upper()}{text[1:]}"


def markdown(view: View) -> str:
    """Return a view as Markdown, for a pull request or a build summary, with all rows of all tables."""
    parts = [f"### {_in_bold(view, view.headline)}"] if view.headline else []
    parts += ["\n".join(f"- {_in_bold(view, one).removeprefix('! ')}" for one in view.facts)] if view.facts else []
    for table in view.tables:
        parts += [f"**{escaped(table.title)}**"] if table.title else []
        parts.append("\n".join(markdown_table(table)))
    parts += [escaped(" ".join(view.notes))] if view.notes else []
    for title, lines in view.lists:
        parts += [f"**{escaped(title)}**"] if title else []
        parts.append(bullets(lines))
    if view.details is not None:
        details = markdown(view.made_details())
        parts.append(f"<details>\n<summary>Details</summary>\n\n{details}\n</details>")
    return "\n\n".join(parts) + "\n"


def _in_bold(view: View, text: str | Sentence) -> str:
    """A text of a view in Markdown, names in bold."""
    parts = (f"**{escaped(x)}**" if isinstance(x, Name) else escaped(x) for x in view.parts(text))
    return "".join(parts).strip()


def bullets(lines: Sequence[str]) -> str:
    """Return lines as a Markdown list."""
    return "\n".join(f"- {escaped(line.strip())}" for line in lines)


def markdown_table(table: Table, most: int | None = None) -> list[str]:
    """Return the lines of a table in Markdown."""
    rule = ["---" if column.left or column.label == table.names else "---:" for column in table.columns]
    code = [column.strip for column in table.columns]
    cells = [[f"`{x}`" if c and x else escaped(x) for c, x in zip(code, row, strict=True)] for row in table.cells(most)]
    return [f"| {' | '.join(row)} |" for row in ([escaped(c.label) for c in table.columns], rule, *cells)]


def escaped(text: str) -> str:
    r"""Return text escaped for Markdown; a name after an at sign notifies nobody in a comment.

    >>> print(escaped("a|b <script> *x* @y"))
    a\|b \<script\> \*x\* @<!-- -->y
    """
    text = "".join(f"\\{c}" if c in "\\`*_{}[]<>|#~$&" else c for c in shown(text, WHOLE))
    return text.replace("@", "@<!-- -->")


def csv_text(rows: Rows) -> str:
    """Return rows as CSV; a text that a spreadsheet would take for a formula gets an apostrophe in front."""
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: inert(value) for key, value in row.items()} for row in rows)
    return out.getvalue()


def inert(value: Any) -> Any:
    """Return a cell that no spreadsheet runs and no terminal obeys; nothing for a number that is none.

    >>> inert("=HYPERLINK(1)"), inert(-1.5), inert(float("nan")), inert(-0.0)
    ("'=HYPERLINK(1)", -1.5, '', 0.0)
    """
    if isinstance(value, float):
        return value + 0.0 if isfinite(value) else ""
    if not isinstance(value, str):
        return value
    text = shown(value, 10_000)
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


def saved(result: Result, path: Path) -> Path:
    """Write a result as the ending of a path says, whole or not at all, and return the path."""
    from beatpath._validate import require_known

    forms: dict[str, Callable[[], str]] = {
        ".json": lambda: dumps(result.to_dict(), indent=2) + "\n",
        ".md": result.to_markdown,
        ".html": result._repr_html_,
    }
    if isinstance(result, TableResult):
        forms[".csv"] = partial(csv_text, result.rows())
    require_known(
        path.suffix.lower(),
        forms,
        f"the ending of the path must be one of {', '.join(forms)}; got {quoted(path.name)}.",
    )
    write_whole(path, forms[path.suffix.lower()]())
    return path


ROWS = 15  # rows of a table that a notebook shows at once: the top of a board without scrolling


def html(view: View) -> str:
    """Return a view as an HTML fragment for a notebook: the headline, the top rows with bars, the rest on demand.

    Every text is escaped. Styles are inline and colors those of the notebook, since some front ends drop style sheets.

    >>> html(View(facts=["<b>"], tables=[plain_table([{"agent": "ada", "score": 0.5}])]))[:78]
    '<p style="font-size:1.15em"><strong>&lt;b&gt;</strong></p><table><tr><th style'
    """
    lead, *facts = [line for line in (view.headline, *view.facts) if line] or [""]
    has_names = any(isinstance(part, Name) for part in view.parts(lead))
    bold = _html_parts(view, lead if has_names else Sentence((Name(lead),), "", ""))
    parts = [f'<p style="font-size:1.15em">{bold}</p>'] if lead else []
    said = "".join(f"<p>{_html_parts(view, line)}</p>" for line in facts)
    parts.append(f"<details><summary>Why</summary>{said}</details>" if len(facts) > 3 else said)
    for table in view.tables:
        parts += [f"<p><strong>{_html(table.title)}</strong></p>"] if table.title else []
        parts.append(_html_table(table, table.rows[:ROWS]))
        rest = table.rows[ROWS:]
        parts += [f"<details><summary>{len(rest):,} more</summary>{_html_table(table, rest)}</details>"] if rest else []
    parts += [f'<p style="opacity:.75"><small>{_html(line)}</small></p>' for line in view.notes]
    for title, lines in view.lists:
        parts += [f"<p><strong>{_html(title)}</strong></p>"] if title else []
        parts += [f"<p>{_html(line)}</p>" for line in lines]
    if view.details is not None:
        parts.append(f"<details><summary>Details</summary>{html(view.made_details())}</details>")
    return "".join(parts)


def _html_parts(view: View, text: str | Sentence) -> str:
    """A text of a view, names in bold."""
    parts = view.parts(text)
    return "".join(f"<strong>{_html(x)}</strong>" if isinstance(x, Name) else _html(x) for x in parts).removeprefix(
        "! "
    )


LONG = 50  # characters from which cells wrap in HTML: a sentence, or two names


def _html_table(table: Table, rows: Sequence[Any]) -> str:
    """Some rows of a table: words to the left, numbers to the right, and bars on the scale of all rows.

    Bars are inline by their own style: marimo's style sheet puts every drawing on a line of its own.
    """
    styles = [
        f"vertical-align:top;padding:.1em .6em;text-align:{'left' if one.left or one.label == table.names or wraps else 'right'};"
        + ("min-width:min(16em,40vw)" if wraps else "white-space:nowrap")
        + (";font-family:monospace" if one.strip else "")
        for one in table.columns
        for wraps in (one.folds or any(len(one.text(row)) >= LONG for row in rows),)
    ]
    heads = [_html(column.label).replace("_", "_<wbr>") for column in table.columns]
    cells = [[_html_bar(one, row, len(table.rows)) + _html(one.text(row)) for one in table.columns] for row in rows]
    lines = [("th", heads), *(("td", line) for line in cells)]
    return f"<table>{''.join(_html_row(tag, line, styles) for tag, line in lines)}</table>"


def _html_bar(column: Column, row: Any, n: int) -> str:
    """A bar from the first to the last rank of a row with a tick at the estimate; empty without ranks."""
    if column.bar is None or (ranks := column.bar(row)) is None:
        return ""
    low, at, high = ranks
    step, opacity = 120 / n, ".7" if column.strong(row) else ".3"
    return (
        f'<svg style="display:inline" width="120" height="12" role="img" aria-label="ranks {low} to {high} of {n}"><g fill="currentColor">'
        f'<rect y="5.5" width="120" height="1" opacity=".2"/><rect x="{(low - 1) * step:.1f}" y="2" rx="2" '
        f'width="{(high - low + 1) * step:.1f}" height="8" opacity="{opacity}"/><rect x="{(at - 0.5) * step - 1:.1f}" width="2" '
        'height="12"/></g></svg> '
    )


STYLE = (  # of a page of its own: readable on a phone, light and dark
    ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse;display:block;overflow-x:auto;margin:1rem 0}td,th{padding:.25rem .75rem;text-align:left;"
    "border-bottom:1px solid color-mix(in srgb,currentColor 20%,transparent)}td{font-variant-numeric:tabular-nums}"
)


def page(view: View, title: str) -> str:
    """Return a view as a page of its own, which loads nothing from elsewhere."""
    head = f"<meta charset=utf-8><meta name=viewport content='width=device-width'><title>{_html(title)}</title>"
    return f"<!doctype html><html lang=en>{head}<style>{STYLE}</style><body>{html(view)}</body></html>\n"


def _html_row(tag: str, cells: Sequence[str], styles: Sequence[str]) -> str:
    columns = zip(cells, styles, strict=True)
    texts = ((cell, style.replace("nowrap", "normal") if tag == "th" else style) for cell, style in columns)
    return "<tr>" + "".join(f'<{tag} style="{style}">{cell}</{tag}>' for cell, style in texts) + "</tr>"


def _html(text: str) -> str:
    """A text escaped for HTML, with code for what stands between backticks."""
    return typeset(escape(shown(text, WHOLE)))


def typeset(text: str) -> str:
    """Return an escaped text with code for backticks, and no line breaks in percentages and p-values.

    >>> typeset("`--all` at 95 %, p = 0.02").replace("\u00a0", "~")
    '<code>--all</code> at 95~%, p~=~0.02'
    """
    whole = UNBROKEN.sub(lambda one: one[0].replace(" ", "\u00a0"), text)
    return re.sub("`([^`]+)`", r"<code>\1</code>", whole)
