"""A core on the terminal and as Markdown: sentences first, one line an agent."""

from beatpath import Battles, Factor, core, core_by
from beatpath.reports.terminal.core import core_markdown, core_table, cores_markdown, cores_table
from helpers.printing import printed

ROWS = [("ada", "bob", 1), ("bob", "cyd", 1), ("cyd", "ada", 1)] * 5 + [("ada", "dan", 1), ("bob", "dan", 1)] * 5


def test_sentences_come_before_the_table_and_the_witness_after_the_notes():
    found = core(Battles.of(ROWS))
    text = printed(core_table(found, "dan"))
    assert text.startswith(found.sentences[0][:40])
    why = " ".join(found.witness("dan")[0].sentence.split())
    said = " ".join(text.split())
    assert said.index(why) < said.index("bradley agent cycle set")


def test_markdown_has_one_row_an_agent():
    text = core_markdown(core(Battles.of(ROWS)))
    assert sum(line.startswith(("| ada", "| bob", "| cyd", "| dan")) for line in text.splitlines()) == 4


def test_contexts_have_a_line_each_and_their_most_probable_core():
    task = Factor.of(["circle"] * 15 + ["rest"] * 10)
    found = core_by(Battles.of(ROWS, factors={"task": task}), "task")
    for text in (printed(cores_table(found)), cores_markdown(found)):
        assert "circle" in text
        assert "rest" in text
