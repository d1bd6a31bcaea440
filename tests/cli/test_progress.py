"""One line on standard error at a terminal, and nothing anywhere else."""

import io
import sys

from beatpath._progress import doing
from beatpath.cli.output import CLEAR, set_loudness, shown_progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_at_a_terminal_the_line_comes_and_goes(monkeypatch):
    seen = Terminal()
    monkeypatch.setattr(sys, "stderr", seen)
    with shown_progress():
        doing("counting", 0.25)
    assert seen.getvalue() == f"{CLEAR}counting: 25%{CLEAR}"


def test_nothing_is_written_where_nobody_looks(monkeypatch):
    seen = io.StringIO()
    monkeypatch.setattr(sys, "stderr", seen)
    with shown_progress():
        doing("counting", 0.25)
    assert seen.getvalue() == ""


def test_quiet_writes_nothing(monkeypatch):
    seen = Terminal()
    monkeypatch.setattr(sys, "stderr", seen)
    set_loudness(quiet=True, verbose=False, all_rows=False)
    try:
        with shown_progress():
            doing("counting", 0.25)
    finally:
        set_loudness(quiet=False, verbose=False, all_rows=False)
    assert "counting" not in seen.getvalue()
