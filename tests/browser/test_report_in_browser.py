"""The page of a report in a real browser: nothing fails, nothing is requested, nothing hostile runs, and it can be used."""

import csv
import io
import json
import re
from pathlib import Path

import pytest

import beatpath as bp
from beatpath._text import shown
from beatpath.reports.report import report
from beatpath.reports.view import inert
from beatpath.reports.words import board_markdown, verdict_markdown
from helpers.axe import barriers
from helpers.browsing import Opened
from helpers.hostile import NAMES, hostile_battles

PROTOTYPES = [
    "__proto__",
    "constructor",
    "toString",
]  # what every object of a script has, whether it was put there or not


def chain(agents):
    """Everyone beats the next two, 40 to 20; fewer agents have witnesses than there are."""
    pairs = [(i, j) for i in range(len(agents)) for j in (i + 1, i + 2) if j < len(agents)]
    return bp.Pairs(tuple(agents), *map(list, zip(*pairs, strict=True)), [[40, 20, 0, 0]] * len(pairs))


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    many = [
        (i, j, [12 + (j - i) % 7, 10, 2, 0]) for i in range(60) for j in range(i + 1, 60) if (i + j) % 2 or j == i + 1
    ]
    pairs = bp.Pairs(tuple(f"agent-{i:02d}" for i in range(60)), *map(list, zip(*many, strict=True)))
    made = {
        "example": report(bp.example()),
        "hostile": report(hostile_battles(), title=NAMES[1], by="task"),
        "many": report(pairs, methods=["copeland", "bradley_terry"]),
        "prototypes": report(chain([f"agent-{i:02d}" for i in range(21)] + PROTOTYPES), methods=["copeland"]),
    }
    return {name: one.save(folder / f"{name}.html") for name, one in made.items()}


class Report(Opened):
    """The page of a report."""

    def look_at_everything(self):
        """Scroll through the page, so that every picture is shown, and return their names."""
        return self.page.evaluate(
            """async () => {
                document.querySelectorAll("details").forEach((part) => (part.open = true));
                const figures = [...document.querySelectorAll("figure[data-picture]")];
                for (const figure of figures) {
                    figure.scrollIntoView();
                    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
                }
                return figures.map((figure) => figure.dataset.picture);
            }"""
        )


@pytest.fixture
def opened(opening, pages):
    return lambda name, **how: opening(Report, pages[name].as_uri(), **how)


@pytest.mark.parametrize("name", ["example", "hostile"])
def test_every_picture_is_shown_without_a_complaint_or_a_request(opened, name):
    one = opened(name)
    assert len(one.look_at_everything()) > 5
    assert one.complaints == []
    assert len(one.requests) == 1


@pytest.mark.parametrize("name", ["example", "hostile"])
def test_every_line_of_text_lies_within_its_picture_in_the_font_of_the_reader(opened, name):
    one = opened(name, width=1440)
    one.look_at_everything()
    outside = one.page.evaluate(
        """[...document.querySelectorAll("figure svg text")].filter((text) => {
            const [own, frame] = [text, text.ownerSVGElement].map((part) => part.getBoundingClientRect());
            return frame.width && (own.left < frame.left || own.right > frame.right || own.top < frame.top || own.bottom > frame.bottom);
        }).map((text) => text.textContent)"""
    )
    assert outside == []


def test_pointing_at_a_mark_tells_what_it_says_and_leaving_it_stops(opened):
    page = opened("example").page
    cell = page.locator("[data-picture=win_rates] rect[fill*=color-mix]").first
    cell.scroll_into_view_if_needed()
    cell.hover()
    tip = page.locator("#tip")
    assert re.fullmatch(r"basalt against aurora: won [\d.]+ % of \d+ battles.*", tip.inner_text())
    page.locator("#h-pairs").hover()
    assert not tip.is_visible()


def test_tapping_a_mark_tells_what_it_says_until_another_place_is_tapped(opened):
    page = opened("example", width=390, has_touch=True).page
    cell = page.locator("[data-picture=win_rates] rect[fill*=color-mix]").first
    cell.scroll_into_view_if_needed()
    cell.tap()
    assert "basalt against aurora" in page.locator("#tip").inner_text()
    page.locator("#h-pairs").tap()
    assert not page.locator("#tip").is_visible()


def test_pointing_at_an_agent_makes_its_line_strong(opened):
    page = opened("example").page
    dot = page.locator("[data-picture=bump] circle").nth(10)
    dot.scroll_into_view_if_needed()
    dot.hover()
    line = page.locator(f"[data-picture=bump] path[data-over='{dot.get_attribute('data-over')}']")
    assert line.evaluate("line => getComputedStyle(line).strokeWidth") == "3px"
    page.locator("#h-methods").hover()
    assert line.evaluate("line => getComputedStyle(line).strokeWidth") != "3px"


def test_nothing_runs_from_a_hostile_name(opened):
    one = opened("hostile")
    one.look_at_everything()
    for button in one.page.query_selector_all("button[data-agent]")[:4]:
        button.click()
        one.page.keyboard.press("Escape")
    assert one.page.evaluate("window.hit") is None
    assert one.page.evaluate("document.querySelectorAll('img').length") == 0
    answer = one.page.evaluate("JSON.parse(document.querySelector('#report').textContent).answer.sentence")
    assert one.page.title() == " ".join(answer.split())
    assert one.page.locator("meta[property='og:title']").get_attribute("content") == answer
    assert one.page.locator("#verdict p").first.inner_text().startswith(shown(NAMES[1], 200)[:20])


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
        "[...document.querySelectorAll('#board tbody tr')].filter(r => !r.hidden).map(r => r.querySelector('th').dataset.v)"
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
    one.look_at_everything()
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
    assert page.get_by_role("link", name="Core and cycles").is_visible()
    assert page.locator("figure svg").count() == page.locator("figure[data-picture]").count() > 5
    assert page.locator("[data-picture=win_rates] svg").is_visible()
    assert all(page.locator("#board tbody tr").nth(k).is_visible() for k in range(30))
    page.get_by_text("Each task by itself").click()
    assert page.locator(".context").count() == 4
    assert all(page.locator(".context").nth(k).is_visible() for k in range(4))
    assert not page.get_by_label("Find an agent").is_visible()


def test_contexts_are_tabs_that_keys_move_between(opened):
    page = opened("example").page
    page.get_by_text("Each task by itself").click()
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
    one.look_at_everything()
    assert one.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(21, 24, 29)"
    for name, dark in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(21, 24, 29)")):
        one.page.emulate_media(color_scheme=name)
        fill = "getComputedStyle(document.querySelector('figure svg > rect')).fill"
        assert one.page.evaluate(fill) == dark
    cells = "new Set([...document.querySelectorAll('[data-picture=win_rates] rect[fill*=color-mix]')].map(r => getComputedStyle(r).fill)).size"
    assert one.page.evaluate(cells) > 50


def test_verdict_and_board_stand_on_the_first_printed_page(opened):
    page = opened("example").page
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 703, "height": 1032})  # A4 less its margins, at 96 dots an inch
    bottom = page.evaluate("document.querySelector('#board table').getBoundingClientRect().bottom + scrollY")
    assert bottom <= 1032
    assert page.evaluate("document.documentElement.scrollWidth") <= 703


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("name", "width"), [("example", 1440), ("example", 390), ("hostile", 1024)])
def test_keyboards_and_screen_readers_meet_no_barrier(opened, name, width, scheme):
    one = opened(name, width=width, color_scheme=scheme)
    one.look_at_everything()
    one.page.evaluate("document.querySelectorAll('details').forEach((part) => (part.open = true))")
    assert barriers(one.page) == []
    one.page.locator("button[data-agent]").first.click()
    assert barriers(one.page) == []


def test_agents_called_like_parts_of_every_object_open_like_others(opened):
    one = opened("prototypes")
    one.page.locator("#board .more").click()
    for name in PROTOTYPES:
        one.page.get_by_role("button", name=name, exact=True).click()
        dialog = one.page.get_by_role("dialog")
        assert dialog.locator("h2").inner_text() == name
        assert dialog.locator("tbody tr").count() > 0
        one.page.keyboard.press("Escape")
    assert one.complaints == []


def box(page, selector):
    return page.locator(selector).first.bounding_box()


@pytest.mark.parametrize(("width", "height", "screens"), [(1440, 900, 1), (1280, 900, 1), (390, 844, 2)])
def test_the_finding_tiles_and_first_rows_with_their_rank_bars_come_first(opened, width, height, screens):
    page = opened("example", width=width).page
    assert "No single agent is best" in page.locator("h1").inner_text()
    assert page.locator(".tiles li").count() == 5
    for part in (".tiles li >> nth=4", "#board tbody tr >> nth=4", "#board .range svg >> nth=4"):
        place = box(page, part)
        assert place["y"] + place["height"] <= screens * height
    assert page.evaluate("[...document.querySelectorAll('.tiles b')].every((b) => b.scrollWidth <= b.clientWidth)")
    if width > 390:
        assert box(page, "aside")["x"] > box(page, "#board")["x"] + box(page, "#board")["width"]
        assert box(page, ".claims")["y"] + box(page, ".claims")["height"] <= height


def test_the_page_is_short_and_no_screen_of_it_is_empty(opened):
    page = opened("example", width=1280).page
    height = page.evaluate("document.documentElement.scrollHeight")
    assert height <= 6700  # half of what it was with every table and sentence in the open
    page.set_viewport_size({"width": 1280, "height": height})
    assert page.evaluate("document.documentElement.scrollHeight") == height
    bottoms = page.evaluate(
        "[...document.querySelectorAll('main section > *')].map((e) => e.getBoundingClientRect()).map((r) => [r.top, r.bottom])"
    )
    spans = sorted((top, bottom) for top, bottom in bottoms if bottom > top)
    reached = spans[0][1]
    for top, bottom in spans[1:]:
        assert top - reached < 150
        reached = max(reached, bottom)


def test_rows_beyond_the_first_are_shown_on_demand_and_whenever_the_board_is_sorted(opened):
    page = opened("example").page
    shown_rows = "[...document.querySelectorAll('#board tbody tr')].filter(r => r.offsetParent).length"
    assert page.evaluate(shown_rows) == 14
    page.get_by_role("button", name="16 more agents, tiers 3 to 5").click()
    assert page.evaluate(shown_rows) == 30
    page.reload()
    page.locator("#board").get_by_role("columnheader", name="agent").get_by_role("button").click()
    assert page.evaluate(shown_rows) == 30


def test_every_picture_has_a_finding_and_can_be_saved_as_an_image(opened):
    one = opened("example")
    one.look_at_everything()
    for figure in one.page.locator("figure[data-picture]").all():
        assert figure.locator(".finding").inner_text().endswith(".")
    with one.page.expect_download() as waiting:
        one.page.locator("[data-picture=majorities] .save").click()
    assert waiting.value.suggested_filename == "majorities.png"
    content = Path(waiting.value.path()).read_bytes()
    assert content.startswith(b"\x89PNG")
    assert len(content) > 5000
    assert one.complaints == []


def test_a_picture_wider_than_its_frame_says_that_it_scrolls(opened):
    page = opened("example", width=390).page
    hint = "f => getComputedStyle(f.querySelector('figcaption'), '::before').content"
    assert "Scroll sideways" in page.locator("[data-picture=bump]").evaluate(hint)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.locator("[data-picture=bump] .scrolls").wait_for(state="detached")
    assert "Scroll sideways" not in page.locator("[data-picture=bump]").evaluate(hint)


def test_tables_of_a_phone_name_every_cell(opened):
    page = opened("example", width=390).page
    page.get_by_text("What each method does").click()
    cells = page.locator("#methods table tbody tr").first.locator("td")
    names = [cells.nth(k).evaluate("c => getComputedStyle(c, '::before').content").strip('"') for k in range(4)]
    heads = page.locator("#methods table thead th").all_text_contents()
    assert names == heads[1:]


def test_contents_stay_beside_a_wide_page_and_say_where_one_is(opened):
    page = opened("example", width=1440).page
    page.locator("nav.contents").get_by_role("link", name="Does a Bradley-Terry model fit?").click()
    page.locator("nav.contents [aria-current][href='#scale']").wait_for(state="attached")
    place = box(page, "nav.contents")
    assert 0 <= place["y"]
    assert place["y"] + place["height"] <= 900
    assert 0 <= box(page, "#h-scale")["y"] <= 300


def test_contents_of_a_narrow_page_open_by_key_close_when_followed_and_stay_at_the_top(opened):
    page = opened("example", width=390).page
    links = page.locator("nav.contents ol")
    assert not links.is_visible()
    page.locator("nav.contents summary").press("Enter")
    assert links.is_visible()
    page.keyboard.press("Escape")
    assert not links.is_visible()
    page.locator("nav.contents summary").click()
    page.locator("nav.contents").get_by_role("link", name="Core and cycles").click()
    assert not links.is_visible()
    while page.evaluate("scrollY") <= 1000:  # the page's policy forbids to evaluate text in it
        page.wait_for_timeout(50)
    assert box(page, "nav.contents summary")["y"] < 60
    assert box(page, "#h-core")["y"] > box(page, "nav.contents")["y"] + box(page, "nav.contents")["height"] - 1


@pytest.mark.parametrize("allowed", [True, False])
def test_verdict_and_board_can_be_copied_as_markdown(opened, allowed):
    page = opened("hostile", permissions=["clipboard-read", "clipboard-write"]).page
    if not allowed:  # as in a frame that is shut off: there is a selection still
        page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')) }")
    made = report(hostile_battles(), title=NAMES[1], by="task")
    for label, text in (("Copy the verdict", verdict_markdown(made)), ("Copy the board", board_markdown(made))):
        button = page.get_by_role("button", name=label)
        button.click()
        button.locator("xpath=following-sibling::*[@role='status']").get_by_text("Copied.").wait_for()
        assert page.evaluate("navigator.clipboard.readText()").replace("\r\n", "\n") == text
    assert len(text.splitlines()) == len(NAMES) + 2


@pytest.mark.slow
def test_a_report_of_500_agents_opens_within_three_seconds(browser, tmp_path):
    names = [f"agent-{i:03d}" for i in range(500)]
    path = report(chain(names), methods=["copeland"]).save(tmp_path / "large.html")
    painted = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))"
    took = []
    for _ in range(3):  # the best of three, for others use the machine too
        one = Report(browser, path.as_uri())
        took.append(one.page.evaluate(painted))
        assert one.page.locator("#board tbody tr").count() == 500
        one.context.close()
    assert min(took) < 3000


@pytest.mark.parametrize("name", ["example", "many"])
def test_a_report_of_any_length_is_printed_on_two_pages_and_says_what_it_leaves_out(opened, name):
    page = opened(name).page
    pages = re.findall(rb"/Type\s*/Page[^s]", page.pdf(prefer_css_page_size=True))
    assert len(pages) == 2
    page.emulate_media(media="print")
    rows = page.locator("#board tbody tr").evaluate_all("(rows) => rows.filter((row) => row.offsetHeight).length")
    left = page.locator("#board .printed").all_inner_texts()
    assert (rows, left) == {"example": (30, []), "many": (24, ["36 more agents in the file itself."])}[name]
