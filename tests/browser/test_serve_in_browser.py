"""The live page in a real browser: upload, map, ask, change, cancel, share; nothing hostile runs."""

import pytest

pytest.importorskip("fastapi", reason="the extra `app` is not installed")

from beatpath.web.files import Limits
from helpers.axe import barriers
from helpers.browsing import Opened
from helpers.hostile import NAMES
from helpers.serving import battles_csv, served

TOKEN = "a-token-of-twenty-signs"


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    path = tmp_path_factory.mktemp("offered") / "games.csv"
    path.write_bytes(battles_csv())
    return path


@pytest.fixture(scope="module")
def service(games):
    with served([games], limits=Limits(upload=1_000_000, running=1)) as one:
        yield one


class Reported(Opened):
    """A page with a report on it."""

    @property
    def report(self):
        """The report that is shown."""
        return self.page.frame_locator("#answer iframe:not(.coming)")

    def answered(self, text=""):
        """Wait for a report whose verdict or header holds a text, and for the work to be over."""
        self.report.locator("body", has_text=text).wait_for()
        self.page.locator("#strip").wait_for(state="hidden")
        return self.report

    def upload(self, name, content):
        self.page.locator("#upload").set_input_files({"name": name, "mimeType": "text/csv", "buffer": content})

    def role(self, column, role):
        """Give a column a role, and wait for the page to have looked at the file again."""
        with self.page.expect_response("**/api/preview"):
            self.page.get_by_label(f"role of {column}", exact=True).select_option(role)
        self.page.locator("#strip").wait_for(state="hidden")


@pytest.fixture
def opened(opening, service):
    return lambda query="", url=None, **how: opening(Reported, (url or f"{service.url}/") + query, **how)


def test_an_upload_is_mapped_and_answered_and_a_link_shows_the_same(opened):
    one = opened("?file=example&level=0.9")
    page = one.page
    one.upload(
        "odd names.csv", battles_csv(columns=("p", "q", "said", "where")).replace(b"left", b"L").replace(b"right", b"R")
    )
    page.locator("#wrong", has_text="must show what they mean").wait_for()
    assert page.locator("#columns tbody tr").count() == 8
    for column, role in (("p", "agent_a"), ("q", "agent_b"), ("said", "outcome")):
        one.role(column, role)
    page.locator("#wrong", has_text="'L', 'R' are not").wait_for()
    assert "“What outcomes mean” (under Columns): “left out”" in page.locator("#wrong").inner_text()
    page.get_by_label("meaning of L", exact=True).select_option("a")
    page.locator("#wrong", has_text="'R' is not").wait_for()
    page.get_by_label("meaning of R", exact=True).select_option("b")
    one.answered("90 %")
    assert "ada is certainly first" in one.report.locator("#verdict").inner_text()
    page.get_by_label("Confidence").fill("99.9")
    page.get_by_label("Confidence").press("Enter")
    one.answered("99.9 %")
    assert "level=0.999" in page.url
    assert "map=agent_a%3Dp" in page.url

    other = opened(url=page.url)
    other.answered("99.9 %")
    assert other.report.locator("#verdict").inner_text() == one.report.locator("#verdict").inner_text()

    page.go_back()
    one.answered("90 %")
    assert page.get_by_label("Confidence").input_value() == "90"
    page.go_forward()
    one.answered("99.9 %")
    assert one.complaints == other.complaints == []
    assert all(url.startswith(("http://127.0.0.1:", "blob:")) for url in one.requests)


def test_verdict_and_board_are_shown_before_the_rest_is_computed(opened):
    one = opened("?file=example&seed=31")
    one.page.locator("#strip", has_text="Verdict and board are ready; the rest follows.").wait_for()
    one.report.locator("#board tbody tr").nth(29).wait_for(state="attached")
    assert one.report.locator("#board tbody tr").count() == 30
    one.page.locator("#strip").wait_for(state="hidden")
    one.report.locator("#contexts").wait_for()
    assert one.complaints == []


def test_a_strip_says_what_a_setting_changed(opened):
    one = opened("?file=example")
    one.answered("95 %")
    changed = one.page.locator("#changed")
    assert changed.is_hidden()
    certain = {}
    for level in ("95", "99"):
        one.page.get_by_label("Confidence").fill(level)
        one.page.get_by_label("Confidence").press("Enter")
        one.answered(f"{level} %")
        certain[level] = one.report.locator(".tiles b").nth(1).inner_text()
    changed.wait_for()
    sentence = f"Confidence 99 %: {certain['95']} certain pairs become {certain['99']}"
    assert changed.inner_text().replace("\u00a0", " ").startswith(sentence)
    assert one.complaints == []


def test_rows_methods_opponents_and_tasks_can_be_chosen(opened, service):
    one = opened()
    page = one.page
    one.answered("4 agents, 120 battles")
    page.get_by_role("button", name="Use only some rows").click()
    page.get_by_label("column", exact=True).select_option("language")
    page.get_by_label("value", exact=True).fill("en")
    page.get_by_label("value", exact=True).press("Enter")
    one.answered("4 agents, 60 battles")
    page.get_by_label("use these rows too").click()
    one.answered("4 agents, 120 battles")
    page.locator("#ties").select_option("drop")
    page.get_by_text("the usual ones", exact=True).click()
    for name in ("schulze", "copeland"):
        page.locator("#methods").get_by_label(name, exact=True).click()
    page.locator("#estimand").select_option("mixture")
    page.locator("#mixture").get_by_label("bob").fill("3")
    page.locator("#mixture").get_by_label("bob").press("Enter")
    page.wait_for_url("**estimand=bob%3D3*")
    one.answered()
    job = page.locator("[data-form=json]").get_attribute("href").split("/")[3]
    made = service.report(job)["provenance"]
    assert made["settings"]["estimand"] == {"ada": 1, "bob": 3, "cyd": 1, "dan": 1}
    assert not {"schulze", "copeland"} & set(made["settings"]["methods"])
    assert {one["name"]: one["value"] for one in made["conventions"]}["ties"] == "drop"
    page.get_by_text("Weights of tasks").click()
    with page.expect_request("**/api/jobs") as requested:
        page.locator("#weights").get_by_label("de").fill("2")
        page.locator("#weights").get_by_label("de").press("Enter")
    assert requested.value.post_data_json["weights"] == {"de": 2}
    assert "weights=de%3D2" in page.url
    assert one.complaints == []


def test_long_work_can_be_canceled_and_requested_again(opened):
    one = opened("?file=example&seed=4711")
    one.page.get_by_role("button", name="Cancel").click()
    one.page.locator("#wrong", has_text="Cancelled.").wait_for()
    assert one.page.locator("#strip").is_hidden()
    assert one.page.locator("#answer iframe").count() == 0
    one.page.locator("#file").select_option(index=1)
    one.answered("4 agents, 120 battles")
    assert one.complaints == []


def test_nothing_runs_from_a_hostile_file(opened):
    names = [name for name in NAMES if not any(0xD800 <= ord(sign) <= 0xDFFF for sign in name)]
    columns = ("left", "right", "winner", "<img src=x onerror='window.hit = 9'>")
    one = opened()
    one.upload("<img src=x onerror='window.hit = 5'>.csv", battles_csv(names, 4, columns))
    one.answered(f"{len(names)} agents")
    one.page.get_by_role("tab", name="Columns").click()
    one.page.get_by_role("button", name="Use only some rows").click()
    one.page.locator("#estimand").select_option("mixture")
    one.page.wait_for_timeout(300)
    one.page.locator("#strip").wait_for(state="hidden")  # no answer is on its way that would take the frame's place
    frame = next(frame for frame in one.page.frames if frame.parent_frame)
    for where in (one.page, frame):
        assert where.evaluate("window.hit") is None
        assert where.evaluate("document.querySelectorAll('img').length") == 0
    assert (
        frame.evaluate("(() => { try { return parent.document.title } catch (error) { return error.name } })()")
        == "SecurityError"
    )
    assert one.complaints == []


def test_a_file_that_is_too_large_or_no_data_is_a_sentence(opened):
    one = opened()
    one.answered()
    one.upload("large.csv", b"x" * 1_000_001)
    one.page.locator("#wrong", has_text="An upload may have 1 MB").wait_for()
    one.upload("picture.png", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9)
    one.page.locator("#wrong", has_text="must be in a format that beatpath knows").wait_for()
    one.complaints[:] = [complaint for complaint in one.complaints if "415" not in complaint]
    assert one.complaints == []


def test_a_phone_does_not_scroll_sideways_and_has_its_settings(opened):
    one = opened(width=390)
    one.answered("4 agents, 120 battles")
    frame = next(frame for frame in one.page.frames if frame.parent_frame)
    for where in (one.page, frame):
        assert where.evaluate("document.documentElement.scrollWidth") <= 390
    assert one.page.locator("#controls").is_hidden()
    one.page.get_by_role("button", name="Settings").click()
    one.page.get_by_label("Confidence").fill("80")
    one.page.get_by_label("Confidence").press("Enter")
    one.page.get_by_role("button", name="Close").click()
    one.answered("80 %")
    one.page.get_by_role("tab", name="Columns").click()
    assert one.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert one.page.evaluate(
        "document.querySelector('#data').scrollWidth <= document.querySelector('#data').clientWidth"
    )
    assert one.complaints == []


def test_with_a_token_the_page_works_without_it_nothing_does_and_a_server_that_has_gone_is_a_sentence(opened, games):
    with served([games], token=TOKEN) as guarded:
        without = opened(url=f"{guarded.url}/")
        assert "needs its token" in without.page.locator("body").inner_text()
        one = opened(url=f"{guarded.url}/?token={TOKEN}&level=0.9")
        one.answered("4 agents, 120 battles")
        assert TOKEN not in one.page.url
        assert "level=0.9" in one.page.url
        assert one.complaints == []
    one.page.locator("#ties").select_option("drop")
    one.page.locator("#wrong", has_text="The server does not answer").wait_for()


def test_the_interface_for_programs_is_listed_without_a_network(opened):
    one = opened("docs")
    one.page.get_by_text("POST /api/jobs", exact=True).wait_for()
    assert one.page.locator("section").count() == 11
    one.page.locator("main", has_text="Confidence of whatever is called certain.").wait_for()
    assert one.complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_keyboards_and_screen_readers_meet_no_barrier(opened, scheme):
    one = opened(color_scheme=scheme)
    one.answered("4 agents, 120 battles")
    one.page.get_by_role("button", name="Use only some rows").click()
    one.page.locator("#estimand").select_option("mixture")
    one.answered()
    assert barriers(one.page) == []
    one.page.get_by_role("tab", name="Columns").click()
    one.page.evaluate("document.querySelectorAll('details').forEach((part) => (part.open = true))")
    assert barriers(one.page) == []
    one.page.goto(one.page.url.split("?")[0] + "docs")
    one.page.get_by_text("POST /api/jobs", exact=True).wait_for()
    assert barriers(one.page) == []


def test_errors_use_the_words_of_the_page_and_its_controls_fix_them(opened):
    one = opened()
    one.answered()
    one.upload("own.csv", battles_csv() + b"ada,ada,left,en\n")
    one.answered("own.csv")
    one.page.get_by_role("tab", name="Columns").click()
    one.page.get_by_text("How the file is written", exact=True).click()
    one.page.get_by_label("An agent against itself").select_option("error")
    wrong = one.page.locator("#wrong", has_text="against itself")
    wrong.wait_for()
    assert "“An agent against itself”" in wrong.inner_text()
    assert "--" not in wrong.inner_text()
    one.page.get_by_label("An agent against itself").select_option("drop")
    one.answered("4 agents, 120 battles")
