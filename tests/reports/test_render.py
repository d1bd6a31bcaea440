"""The page: everything on it, nothing from outside, and names that cannot act."""

import json
import re

import pytest

import beatpath as bp
from beatpath import Pairs
from beatpath._sentence import OPEN, RESOLVED, UNKNOWN
from beatpath._text import shown
from beatpath.reports.report import Report, report
from helpers.hostile import NAMES, hostile_battles
from helpers.pages import Page

MEGABYTE = 1_000_000

SMALL = Pairs(("ada", "bob", "cyd"), [0, 0, 1], [1, 2, 2], [[70, 30, 0, 0], [90, 10, 0, 0], [75, 20, 3, 2]])


@pytest.fixture(scope="module")
def example() -> Report:
    return report(bp.example(), seed=0)


@pytest.fixture(scope="module")
def page(example):
    return Page(example.html())


@pytest.fixture(scope="module")
def small() -> Report:
    return report(SMALL, seed=0)


@pytest.fixture(scope="module")
def hostile() -> Report:
    return report(hostile_battles(), title=NAMES[1], by="task")


@pytest.fixture(scope="module")
def hostile_page(hostile):
    return Page(hostile.html())


def test_the_verdict_has_two_to_five_sentences_and_one_for_few_tasks_each_with_a_mark_and_evidence(example, page):
    assert 2 <= len([one for one in example.verdict if not one.text.startswith("For other tasks like these")]) <= 5
    for sentence in example.verdict:
        assert sentence.mark in (RESOLVED, OPEN, UNKNOWN)
        assert sentence.evidence in page.ids()


def _unmarked(text):
    """A text without spaces, and without the quotation marks and backticks that the page replaces by typography."""
    return re.sub("[\\s'`\u201c\u201d]", "", text)


def test_every_finding_of_the_check_is_on_the_page(example, page):
    text = _unmarked(page.text)
    for finding in example.check.findings:
        assert _unmarked(finding.text) in text
        assert _unmarked(f"{finding.status} {finding.name}") in text


def test_the_board_has_every_agent_with_its_range_and_score(example, page):
    agents = {a["data-v"] for tag, a in page.elements if tag == "th" and a.get("scope") == "row" and "data-v" in a}
    assert agents == set(bp.example().agents)
    ranks = example.resolution.ranks
    for row in example.board:
        i = ranks.agents.index(row.agent)
        assert (row.best, row.worst) == (ranks.best[i], ranks.worst[i])
        assert row.best <= row.rank <= row.worst


def test_percentages_and_p_values_never_break_across_lines(example):
    for html in (example.html(), example.resolution._repr_html_()):
        text = Page(re.sub("<(title|svg).*?</\\1>", "", html, flags=re.DOTALL)).words  # which have no line breaks
        assert any("\u00a0%" in one for one in text)
        assert [one for one in text if re.search(r"\d %|\bp [=<] ", one)] == []


def test_every_link_inside_the_page_has_a_target(page):
    ids = page.ids()
    assert len(ids) == len(set(ids))
    links = [a["href"] for tag, a in page.elements if tag == "a"]
    assert links
    assert all(link.startswith("#") and link[1:] in ids for link in links)


def test_the_page_asks_for_nothing_from_outside(page):
    for tag, attributes in page.elements:
        assert tag not in ("img", "iframe", "object", "embed", "base", "form")
        assert tag != "link" or attributes["href"].startswith("data:")
        assert "src" not in attributes
        for name, value in attributes.items():
            assert not name.startswith("on"), f"{tag} {name}"
            assert "url(" not in (value or "")
    policy = next(a["content"] for tag, a in page.elements if a.get("http-equiv") == "Content-Security-Policy")
    assert "default-src 'none'" in policy
    assert "unsafe-eval" not in policy
    assert not re.search(r"script-src[^;]*unsafe-inline", policy)


def test_without_scripts_verdict_board_and_pictures_are_there(example, page):
    pictures = [a["data-picture"] for tag, a in page.elements if tag == "figure" and "data-picture" in a]
    assert set(pictures) == set(example.figures()) - {"rank_intervals"}
    labelled = [a for tag, a in page.elements if tag == "svg" and a.get("class") == "marks"]
    assert len(labelled) == len(pictures)
    assert all(a["role"] == "img" and a["aria-label"] for a in labelled)


def test_the_data_in_the_page_are_the_report(example, page):
    assert page.data("report") == json.loads(example.text("json"))


def test_the_same_input_and_seed_give_the_same_page(small):
    assert report(SMALL, seed=0).html() == small.html()


def test_tasks_are_contexts_and_each_has_its_own_board(example, page):
    assert sorted(context.name for context in example.contexts) == ["chat", "code", "math", "writing"]
    assert sum("context" in (a.get("class") or "").split() for _, a in page.elements) == 4
    assert (
        sum(int(context.size.split(", ", 1)[1].split()[0].replace(",", "")) for context in example.contexts) == 12_000
    )


def test_hostile_names_leave_no_element_and_no_attribute_of_their_own(hostile_page):
    page = hostile_page
    assert [kind.get("type") for kind, _ in page.scripts] == ["application/json", "application/json", None]
    for tag, attributes in page.elements:
        assert tag not in ("img", "b script")
        assert not any(name.startswith("on") for name in attributes)
    assert page.data("report")["title"] == NAMES[1]
    assert {row["agent"] for row in page.data("report")["board"]} == set(NAMES)


def test_hostile_names_are_read_as_they_are_written(hostile_page):
    for name in NAMES:
        assert " ".join(shown(name, 40).split()) in hostile_page.text


def test_a_template_in_a_name_is_not_filled_in(hostile_page):
    assert "{{ 7 * 7 }}" in hostile_page.text


def test_the_page_of_129_agents_stays_small():
    rows = [
        (i, j, [10 + (j - i) % 7, 10, 3, 1])
        for i in range(129)
        for j in range(i + 1, 129)
        if (i + j) % 3 == 0 or j == i + 1
    ]
    pairs = Pairs(tuple(f"agent-with-a-name-{i:03d}" for i in range(129)), *map(list, zip(*rows, strict=True)))
    made = report(pairs, methods=["copeland", "bradley_terry"], title="Many")
    assert len(made.html()) < 3 * MEGABYTE
    assert len(made.board) == 129


def test_the_judges_have_a_section_where_there_are_two_or_more(example, page, small):
    assert "judges" in page.ids()
    assert _unmarked("echo takes the side shown first in 66.6 % of battles between equals") in _unmarked(page.text)
    assert all(one.name in page.text for one in example.judges.judges)
    assert small.judges is None
    assert "judges" not in Page(small.html()).ids()
