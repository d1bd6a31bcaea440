"""A diff on the terminal and as Markdown: words first, then who moved, then pairs, hostile names inert."""

from beatpath import Pairs, diff
from beatpath.reports.terminal.diff import diff_markdown, diff_table
from helpers.printing import printed

NAMES = ("a|da", "<b>bob", "cyd\x1b[31m")
OLD = Pairs(NAMES, [0, 0, 1], [1, 2, 2], [[90, 10, 0, 0], [95, 5, 0, 0], [80, 20, 0, 0]])
NEW = Pairs(NAMES, [0, 0, 1], [1, 2, 2], [[10, 90, 0, 0], [95, 5, 0, 0], [99, 1, 0, 0]])


def test_words_come_first_then_who_moved_then_the_pairs():
    text = printed(diff_table(diff(OLD, NEW, claims=["a|da is first"])))
    assert text.startswith("'a|da is first' is lost")
    assert text.index("certainly rose") < text.index("change  ") < text.index("Turned")
    assert "\x1b" not in text


def test_markdown_escapes_names_and_leaves_out_what_did_not_change():
    text = diff_markdown(diff(OLD, NEW))
    assert "<b>" not in text
    assert "| rose |" in text
    assert "cyd" not in text.split("| change")[1].split("**")[0]


def test_without_a_change_there_is_no_table():
    assert "| change" not in diff_markdown(diff(OLD, OLD))
