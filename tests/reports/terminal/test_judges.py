"""Judges as a terminal table and Markdown."""

import io

import numpy as np
import pytest
from rich.console import Console

import beatpath as bp
from beatpath.reports.terminal.judges import judges_markdown, judges_table
from helpers.judged import judged_battles


@pytest.fixture(scope="module")
def found():
    return bp.judges(judged_battles(np.random.default_rng(0), agents=5, judges=25, each=30))


def test_the_table_has_the_sentences_a_row_a_judge_and_how_many_more(found):
    out = io.StringIO()
    Console(file=out, width=120, color_system=None).print(judges_table(found))
    text = out.getvalue()
    assert " ".join(found.sentences[0].split()) in " ".join(text.split())
    assert "000000" in text
    assert "5 more judges." in text


def test_markdown_has_the_same_rows(found):
    text = judges_markdown(found)
    assert text.count("\n| 0000") == 20
    assert text.endswith("5 more judges.\n")
