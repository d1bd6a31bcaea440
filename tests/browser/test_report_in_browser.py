"""The page of a report in a real browser: nothing fails, nothing is asked for, nothing hostile runs, and it can be used."""

import csv
import io
import json
import shutil
from pathlib import Path

import pytest

import beatpath as bp
from beatpath._text import shown
from beatpath.cli.output import inert
from beatpath.reports.report import report
from helpers.hostile import NAMES, hostile_battles

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine")


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as started:
        one = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield one
        one.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    many = [
        (i, j, [12 + (j - i) % 7, 10, 2, 0]) for i in range(60) for j in range(i + 1, 60) if (i + j) % 2 or j == i + 1
    ]
    pairs = bp.Pairs(tuple(f"agent-{i:02d}" for i in range(60)), *map(list, zip(*many, strict=True)))
    made = {
        "example": report(bp.example()),
        "hostile": report(hostile_battles(), title=NAMES[1], contexts="task"),
        "many": report(pairs, methods=["copeland", "bradley_terry"]),
    }
    return {name: one.save(folder / f"{name}.html") for name, one in made.items()}


class Opened:
    """A page that was opened, what it complained about and what it asked for."""

    def __init__(self, browser, path, **how):
        self.context = browser.new_context(viewport={"width": how.pop("width", 1280), "height": 900}, **how)
        self.page = self.context.new_page()
        self.complaints, self.asked = [], []
        self.page.on("console", lambda said: self.complaints.append(said.text) if said.type != "log" else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.as_uri())

    def draw_everything(self):
        """Scroll through the page, so that every picture is drawn."""
        self.page.evaluate(
            """async () => {
                for (const figure of document.querySelectorAll("figure[data-picture]")) {
                    figure.scrollIntoView();
                    for (let k = 0; k < 100 && !figure.classList.contains("drawn"); k++)
                        await new Promise((done) => setTimeout(done, 50));
                }
            }"""
        )
        return self.page.evaluate(
            "[...document.querySelectorAll('figure[data-picture]')].map(f => [f.dataset.picture, f.classList.contains('drawn')])"
        )


@pytest.fixture
def opened(browser, pages):
    seen = []

    def open_page(name, **how):
        seen.append(Opened(browser, pages[name], **how))
        return seen[-1]

    yield open_page
    for one in seen:
        one.context.close()


@pytest.mark.parametrize("name", ["example", "hostile"])
def test_every_picture_is_drawn_without_a_complaint_or_a_request(opened, name):
    one = opened(name)
    drawn = one.draw_everything()
    assert drawn
    assert all(done for _, done in drawn), drawn
    assert one.complaints == []
    assert len(one.asked) == 1


def test_nothing_runs_from_a_hostile_name(opened):
    one = opened("hostile")
    one.draw_everything()
    for button in one.page.query_selector_all("button[data-agent]")[:4]:
        button.click()
        one.page.keyboard.press("Escape")
    assert one.page.evaluate("window.hit") is None
    assert one.page.evaluate("document.querySelectorAll('img').length") == 0
    assert one.page.title() == shown(NAMES[1], 200)


def test_the_board_sorts_by_any_column_both_ways_and_back(opened):
    page = opened("example").page
    board = page.locator("#board")
    names = "[...document.querySelectorAll('#board tbody th')].map(th => th.dataset.v)"
    scores = "[...document.querySelectorAll('#board td.score')].map(td => Number(td.dataset.v))"
    before = page.evaluate(names)
    head = board.get_by_role("columnheader", name="agent")
    head.get_by_role("button").click()
    assert page.evaluate(names) == sorted(before)
    assert head.get_attribute("aria-sort") == "ascending"
    head.get_by_role("button").press("Enter")
    assert page.evaluate(names) == sorted(before, reverse=True)
    board.get_by_role("columnheader", name="win rate").get_by_role("button").click()
    assert page.evaluate(scores) == sorted(page.evaluate(scores), reverse=True)
    board.locator("th[data-home]").get_by_role("button").click()
    assert page.evaluate(names) == before


def test_the_board_keeps_agents_whose_name_holds_the_text(opened):
    page = opened("example").page
    page.get_by_label("Find an agent").fill("AUR")
    shown_rows = page.evaluate(
        "[...document.querySelectorAll('#board tbody tr')].filter(r => !r.hidden).map(r => r.cells[1].dataset.v)"
    )
    assert shown_rows == ["aurora"]
    assert page.locator("#kept").inner_text() == "1 of 30 agents"
    page.get_by_label("Find an agent").fill("")
    assert page.evaluate("[...document.querySelectorAll('#board tbody tr')].every(r => !r.hidden)")


def test_an_agent_opens_with_its_rivals_and_closes_by_key(opened):
    page = opened("example").page
    page.get_by_role("button", name="aurora", exact=True).press("Enter")
    dialog = page.get_by_role("dialog")
    assert dialog.is_visible()
    assert dialog.locator("tbody tr").count() == 29
    assert "top cycle" in dialog.inner_text()
    page.keyboard.press("Escape")
    assert not dialog.is_visible()


@pytest.mark.parametrize("name", ["example", "hostile", "many"])
def test_neither_a_phone_nor_a_tablet_scrolls_sideways(opened, name):
    one = opened(name, width=390)
    one.draw_everything()
    assert one.page.evaluate("document.documentElement.scrollWidth") <= 390
    one.page.set_viewport_size({"width": 768, "height": 900})
    assert one.page.evaluate("document.documentElement.scrollWidth") <= 768
    one.page.set_viewport_size({"width": 390, "height": 900})
    assert one.page.evaluate(
        "[...document.querySelectorAll('#board td.score')].every(td => td.getBoundingClientRect().right <= 391)"
    )


def test_without_scripts_everything_that_matters_is_there(opened):
    page = opened("example", java_script_enabled=False).page
    assert "No single agent is best" in page.locator("#verdict").inner_text()
    assert page.locator("#board tbody tr").count() == 30
    assert page.locator("figure .static svg").count() == page.locator("figure[data-picture]").count() > 5
    assert page.locator("figure .static svg").first.is_visible()
    assert page.locator(".context").count() == 4
    assert all(page.locator(".context").nth(k).is_visible() for k in range(4))
    assert not page.get_by_label("Find an agent").is_visible()


def test_contexts_are_tabs_that_keys_move_between(opened):
    page = opened("example").page
    tabs = page.get_by_role("tab")
    assert tabs.count() == 4
    tabs.first.focus()
    page.keyboard.press("ArrowRight")
    assert tabs.nth(1).get_attribute("aria-selected") == "true"
    assert [page.locator(".context").nth(k).is_visible() for k in range(4)] == [False, True, False, False]


def test_downloads_hold_the_report_and_inert_cells(opened):
    one = opened("hostile")
    saved = {}
    for label in ("Leaderboard as CSV", "Pairs as CSV", "Everything as JSON"):
        with one.page.expect_download() as waiting:
            one.page.get_by_role("button", name=label).click()
        saved[waiting.value.suggested_filename] = Path(waiting.value.path()).read_text(encoding="utf-8")
    board = list(csv.DictReader(io.StringIO(saved["board.csv"])))
    assert {row["agent"] for row in board} == {inert(name) for name in NAMES}
    pairs = list(csv.DictReader(io.StringIO(saved["pairs.csv"])))
    assert len(pairs) == len(NAMES) * (len(NAMES) - 1) // 2
    assert {row["agent"] for row in pairs} <= {inert(name) for name in NAMES}
    assert json.loads(saved["report.json"])["title"] == NAMES[1]
    assert one.complaints == []


def test_all_agents_can_be_seen_where_the_picture_shows_forty(opened):
    one = opened("many")
    one.page.get_by_text("All 60 agents", exact=True).click()
    canvas = one.page.locator("#everyone canvas")
    assert canvas.evaluate("c => c.width") > 300
    canvas.hover(position={"x": 30, "y": 5})
    assert "agent-" in one.page.locator("#everyone output").inner_text()


def test_the_page_turns_dark_with_its_pictures(opened):
    one = opened("example", color_scheme="dark")
    one.draw_everything()
    assert one.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(21, 24, 29)"
    picture = one.page.evaluate("document.querySelector('figure .live svg').style.backgroundColor")
    assert picture == "rgb(21, 24, 29)"


def test_verdict_and_board_stand_on_the_first_printed_page(opened):
    page = opened("example").page
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 703, "height": 1032})  # A4 less its margins, at 96 dots an inch
    bottom = page.evaluate("document.querySelector('#board table').getBoundingClientRect().bottom + scrollY")
    assert bottom <= 1032
    assert page.evaluate("document.documentElement.scrollWidth") <= 703
