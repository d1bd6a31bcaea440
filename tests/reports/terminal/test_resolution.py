"""A resolution on the terminal and as Markdown: claims first, then the verdict, then the board."""

from beatpath import Pairs, resolve
from beatpath.reports.terminal.resolution import resolution_markdown, resolution_table
from helpers.printing import printed

TOLD = Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[60, 40, 0, 0], [80, 20, 0, 0], [52, 48, 0, 0]])


def test_a_claim_is_answered_before_the_verdict():
    found = resolve(TOLD)
    text = printed(resolution_table(found, [found.test("ada > cyd")]))
    assert text.startswith("'ada > cyd' is supported")
    assert text.index("is supported") < text.index(found.sentences[0])


def test_the_board_has_every_agent_best_first():
    text = resolution_markdown(resolve(TOLD))
    assert text.index("| ada") < text.index("| bob") < text.index("| cyd")
