"""A board in any width: no line too long, no name lost, and a word on what was left out."""

import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from beatpath._sentence import Name, Sentence
from beatpath.reports.terminal import MOST_ROWS, SPARE_ROWS, Terminal, plain_text, short_names
from beatpath.reports.view import Column, Table, View

METHODS = ("copeland", "minimax", "schulze", "ranked_pairs", "nash_averaging", "rank_centrality", "bradley_terry")


def table_of(labels, rows, **more):
    return Table([Column(name, lambda row, k=k: row[k]) for k, name in enumerate(labels)], rows, **more)


def lines(table, width):
    console = Console(width=width, color_system=None, markup=False, highlight=False)
    with console.capture() as caught:
        console.print(Terminal(View(tables=[table])))
    return caught.get().splitlines()


def board_of(n_agents, name="agent {} of a very long and a very tiresome name, version {}"):
    rows = [(name.format(k, k), *[str(k + 1)] * len(METHODS)) for k in range(n_agents)]
    return table_of(("agent", *METHODS), rows, noun="method", gap=1)


@pytest.mark.parametrize("width", [40, 80, 100, 120, 200])
@pytest.mark.parametrize("n_agents", [3, 129, 2048])
def test_no_line_is_longer_than_the_width_and_every_row_is_one_line(width, n_agents):
    shown = lines(board_of(n_agents), width)
    assert max(map(cell_len, shown)) <= width
    assert sum(line.startswith("agent ") and line.rstrip()[-1].isdigit() for line in shown) == min(n_agents, MOST_ROWS)


def test_methods_that_do_not_fit_are_named_with_the_way_to_see_them():
    text = " ".join(" ".join(lines(board_of(3), 80)).split())
    assert "1 more method (bradley_terry): a wider window or --format csv shows them." in text
    assert "more method" not in " ".join(lines(board_of(3), 200))


def test_a_picture_of_an_interval_that_does_not_fit_is_no_column_to_ask_for():
    columns = [Column("run", lambda row: "new"), Column("+0..+3", lambda row: "━" * 21, strip=True)]
    assert "more column" not in " ".join(lines(Table(columns, [0], names="run"), 20))
    assert "━" * 21 in " ".join(lines(Table(columns, [0], names="run"), 40))


def test_rows_beyond_the_first_are_counted_with_the_way_to_see_them():
    text = " ".join(lines(board_of(601), 120))
    assert f"… {601 - MOST_ROWS} more: --all" in text
    assert "--all" not in " ".join(lines(board_of(MOST_ROWS + SPARE_ROWS), 120))
    assert "more: rows()" in plain_text(View(tables=[board_of(601)]))


def bars(width, spans, encoding="utf-8"):
    table = Table([Column("agent", lambda row: "ada"), Column("ranks", lambda row: "1", bar=lambda row: row)], spans)
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    Console(file=out, width=width, color_system=None).print(Terminal(View(tables=[table])))
    out.flush()
    return out.buffer.getvalue().decode(encoding).splitlines()[1:]


def test_a_bar_covers_the_possible_ranks_with_a_dot_at_the_estimate():
    ten = bars(60, [(1, 1, 2), (2, 3, 10), (10, 10, 10), None])
    assert [line[7:47] for line in ten[:3]] == [
        "━━●━━━━━" + " " * 32,
        " " * 4 + "━━━━━━●" + "━" * 29,
        " " * 36 + "━━●━",
    ]
    assert "━" not in ten[3]


def test_a_narrow_terminal_has_no_bar_and_a_stream_in_ascii_gets_ascii():
    assert "━" not in "".join(bars(20, [(1, 1, 2)]))
    assert bars(60, [(1, 1, 2), (2, 2, 2)], "ascii")[0].split()[1] == "=" * 10 + "o" + "=" * 29


def test_details_are_shown_on_request_and_otherwise_announced():
    view = View("Ada is first.", details=View(facts=["Because she won."]))
    printed = [Console(width=80, color_system=None), Console(width=80, color_system=None)]
    texts = []
    for console, verbose in zip(printed, (False, True), strict=True):
        with console.capture() as caught:
            console.print(Terminal(view, verbose))
        texts.append(caught.get())
    assert texts == ["Ada is first.\nDetails and conditions: -v\n", "Ada is first.\n\nBecause she won.\n"]


def test_names_have_quotes_unless_color_marks_them():
    view = View(Sentence((Name("ada"), " is first."), "resolved", "board"))
    for color, text in (("standard", "\x1b[1;36mada\x1b[0m\x1b[1m is first.\x1b[0m\n"), (None, "'ada' is first.\n")):
        console = Console(width=80, color_system=color, force_terminal=True, no_color=False)
        with console.capture() as caught:
            console.print(Terminal(view))
        assert caught.get() == text


def test_short_names_stand_whole():
    shown = lines(table_of(("rank", "agent", "score"), [("1", "ada", "3"), ("2", "bob", "1")]), 80)
    assert [line.split() for line in shown] == [["rank", "agent", "score"], ["1", "ada", "3"], ["2", "bob", "1"]]


def test_names_that_act_on_terminals_are_escaped():
    shown = "".join(lines(table_of(("agent",), [("\x1b[31mred\u202e",)]), 80))
    assert "\\x1b[31mred\\u202e" in shown


@given(st.lists(st.text(alphabet="ab日é", min_size=1, max_size=30), unique=True, max_size=40), st.integers(8, 24))
@example(["xxxxxxxxxa1yyyyyyyyy", "xxxxxxxxxa2yyyyyyyyy", "xx…yyy~1"], 8)  # one that looks numbered
def test_different_names_stay_different_within_the_width(names, width):
    short = short_names(names, width)
    assert len(set(short)) == len(names)
    assert all(cell_len(text) <= width for text in short)
    assert all(text == name for text, name in zip(short, names, strict=True) if cell_len(name) <= width)


@pytest.mark.parametrize("width", range(20, 45))
def test_no_line_break_separates_a_number_from_its_percent_sign(width):
    text = "Of these verdicts 51.0 % agree and 6.2 % do not (p = 0.02)."
    folded = Table([Column("finding", str, left=True, folds=True)], [text], names="finding", header=False)
    lines = plain_text(View("", [text], [folded]), width).split("\n")
    assert " ".join(" ".join(lines).split()) == f"{text} {text}"
    assert not any(line.lstrip().startswith(("%", "=", "0.02")) for line in lines)
