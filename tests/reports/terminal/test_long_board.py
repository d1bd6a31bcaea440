"""A long board in a terminal and in Markdown."""

import numpy as np
from rich.console import Console

from beatpath.inference.resolve.long_board import LongBoard, ranks_by_intervals
from beatpath.reports.terminal.long_board import long_board_markdown, long_board_table


def board(n):
    score = np.linspace(0.9, 0.1, n)
    names = ("\x1b[31mred|", *(f"m{i}" for i in range(1, n)))
    told = {"cluster": [], "estimand": "mean_win_rate"}
    zero = np.zeros(n, dtype=np.int64)
    ranks = ranks_by_intervals(
        agents=names,
        score=score,
        stderr=np.full(n, 0.01),
        df=np.full(n, 100.0),
        part=zero,
        level=0.95,
        bounds=(0.0, 1.0),
        estimand="share",
        settings=told,
    )
    return LongBoard(ranks, zero + 9)


def printed(renderable):
    console = Console(width=400)
    with console.capture() as caught:
        console.print(renderable)
    return caught.get()


def test_the_first_agents_are_shown_and_the_way_to_the_rest():
    text = printed(long_board_table(board(100)))
    assert "\x1b[31mred" not in text
    assert "90.0 %" in text
    assert "m39" in text
    assert "m40 " not in text
    assert "--format csv or json lists all 100 agents" in text


def test_markdown_escapes_names_and_has_a_row_an_agent():
    text = long_board_markdown(board(3))
    assert text.count("\n| ") == 5
    assert "red\\|" in text
