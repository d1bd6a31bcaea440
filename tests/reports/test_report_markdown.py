"""The report as Markdown: verdict, warnings, board."""

import re

import pytest

import beatpath as bp
from beatpath.reports.report import Report, report
from helpers.hostile import NAMES, hostile_battles


@pytest.fixture(scope="module")
def example() -> Report:
    return report(bp.example(), seed=0)


@pytest.fixture(scope="module")
def hostile() -> Report:
    return report(hostile_battles(), title=NAMES[1], by="task")


def test_markdown_has_verdict_warnings_and_board(example):
    text = example.to_markdown()
    assert "**aurora** beats **basalt**" in text
    assert "position bias" in text
    assert sum(line.startswith("| ") for line in text.splitlines()) == 32


def test_markdown_shows_hostile_names_as_they_are(hostile):
    text = hostile.to_markdown()
    assert not re.search(r"(?<!\\)<(?!/?(details|summary)>|!-- -->)", text)
