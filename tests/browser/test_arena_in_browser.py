"""The page of an arena in a real browser: renewed as battles arrive, readable by all, and nothing hostile runs."""

from functools import partial

import pytest

pytest.importorskip("fastapi", reason="the extra `app` is not installed")

import numpy as np

from beatpath.arena.arena import Arena
from beatpath.arena.storage import StorageUnavailable
from beatpath.web.live import create_arena_app
from helpers.axe import barriers
from helpers.browsing import Opened
from helpers.hostile import NAMES
from helpers.serving import serving

AGENTS = ["ada", "bob", "cyd", "dan"]
TOKEN = "a-token-of-twenty-signs"


@pytest.fixture
def opened(opening):
    return partial(opening, Opened)


def play(arena, battles, best="ada", seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(battles // 50):
        arena.tell_many(
            (one, ("a" if one.a == best else "b") if best in (one.a, one.b) else float(rng.random() < 0.5))
            for one in arena.ask(50)
        )


@pytest.fixture
def arena(tmp_path):
    return Arena(tmp_path / "arena.db", agents=AGENTS, goal="first", seed=1)


@pytest.fixture
def service(arena, tmp_path):
    with serving(create_arena_app(tmp_path / "arena.db")) as one:
        yield one


def test_battles_arrive_on_the_board_without_a_reload_until_the_goal_is_settled(opened, service, arena):
    one = opened(service.url)
    page = one.page
    page.get_by_text("0 battles answered").wait_for()
    assert page.locator("#reason").inner_text() == "First place is not settled: any of 4 agents may be first."
    assert page.locator("tbody tr").count() == 4
    assert page.locator("tbody .rank").all_inner_texts() == ["1 to 4"] * 4
    assert page.locator("#far progress").is_hidden()
    page.evaluate("window.same = true")
    play(arena, 50)
    page.get_by_text("50 battles answered").wait_for()
    play(arena, 350, seed=1)
    page.get_by_text("ada is certainly first at every look (95 %).").wait_for()
    assert page.locator("tbody tr").first.inner_text().split()[:3] == ["1", "1", "ada"]
    assert page.locator("#far progress").evaluate("(bar) => bar.value") == 1
    assert page.evaluate("window.same")
    assert one.complaints == []
    assert all(url.startswith(service.url) for url in one.requests)


def test_title_trend_and_one_sentence_on_what_is_settled_and_open(opened, service, arena):
    one = opened(service.url)
    page = one.page
    page.get_by_text("0 battles answered").wait_for()
    assert page.title() == "First place is not settled: any of 4 agents may be first. · 0 battles"
    assert page.locator("#goal").inner_text() == "Arena · goal: first · 0 battles"
    assert page.locator(".trend svg").count() == 0
    play(arena, 400)
    page.get_by_text("400 battles answered").wait_for()
    assert page.locator("tbody .trend polyline").count() == 4
    status = arena.status()
    assert status["done"]
    assert page.locator("h1").inner_text() == status["reason"].replace("95 %", "95\u00a0%").replace("'", "")
    assert "may be first" not in page.locator("#verdict").inner_text()
    assert page.locator("#first").inner_text().endswith("The rest is open, and the goal does not need it.")
    arena.join("eve")
    page.get_by_text("Agents joined or retired.").wait_for()
    grounds = page.locator("#ground p").first.inner_text()
    _, pairs, *rest = arena.status()["sentences"]
    assert page.locator("#first").inner_text() == pairs
    assert all(sentence.replace("95 %", "95\u00a0%") in grounds for sentence in rest)
    assert one.complaints == []


def test_nothing_is_called_open_where_all_is_settled(opened, tmp_path):
    with Arena(tmp_path / "two.db", agents=["ada", "bob", "cyd"], policy="a_optimal", seed=1) as arena:
        while not arena.done:
            arena.tell_many((one, "a" if one.a < one.b else "b") for one in arena.ask(50))
    with serving(create_arena_app(tmp_path / "two.db")) as service:
        page = opened(service.url).page
        page.locator("h1", has_text="at every look").wait_for()
        assert page.locator("#first").inner_text() == "3 of 3 pairs of agents are in a certain order."
        assert "the other 0 pairs" not in page.locator("#next > p").inner_text()


def test_who_plays_next_is_shown_with_its_chance_and_its_reason(opened, service, arena):
    close = {"ada", "bob"}
    for _ in range(6):
        rng = np.random.default_rng(1)
        arena.tell_many(
            (
                one,
                float(rng.random() < 0.5)
                if {one.a, one.b} == close
                else "a"
                if one.a in close
                else "b"
                if one.b in close
                else "tie",
            )
            for one in arena.ask(50)
        )
    arena.ask()
    one = opened(service.url)
    one.page.get_by_text("300 battles answered").wait_for()
    likely = one.page.locator(".pairs li")
    assert 1 <= likely.count() <= 5
    assert "ada against bob" in likely.first.inner_text()
    assert "The goal needs their order, which is not certain yet." in likely.first.inner_text()


def test_progress_and_what_remains_are_those_of_the_status(opened, service, arena):
    rng = np.random.default_rng(3)
    for _ in range(8):
        arena.tell_many((one, float(rng.random() < (0.62 if one.a == "ada" else 0.5))) for one in arena.ask(50))
    left = arena.status()["battles_left"]
    assert left
    one = opened(service.url)
    one.page.get_by_text(f"About {float(f'{left:.2g}'):,.0f} more battles at the current differences.").wait_for()
    value = one.page.locator("#far progress").evaluate("(bar) => bar.value")
    assert abs(value - 400 / (400 + left)) < 1e-9


def test_nothing_runs_from_hostile_names(opened, tmp_path):
    names = [name for name in NAMES if not any(0xD800 <= ord(sign) <= 0xDFFF for sign in name)]
    hostile = Arena(tmp_path / "hostile.db", agents=[*names, "__proto__", "constructor"], goal="first", seed=1)
    hostile.tell_many((one, "a") for one in hostile.ask(200))
    hostile.ask()
    with serving(create_arena_app(tmp_path / "hostile.db")) as service:
        one = opened(service.url)
        one.page.get_by_text("200 battles answered").wait_for()
        shown = one.page.locator("tbody th").all_inner_texts()
        assert {"__proto__", "constructor", "<!-- <script>"} <= set(shown)
        assert one.page.evaluate("window.hit") is None
        assert one.page.evaluate("document.querySelectorAll('img, iframe').length") == 0
        assert one.page.evaluate("document.documentElement.scrollWidth") <= 1280
        assert one.complaints == []


def test_an_unavailable_storage_is_reported_and_the_board_comes_back(opened, service, arena, monkeypatch):
    one = opened(service.url)
    one.page.get_by_text("0 battles answered").wait_for()

    def away(_):
        raise StorageUnavailable("the arena could not be read or written just now.")

    with monkeypatch.context() as patch:
        patch.setattr(Arena, "status", away)
        one.page.get_by_role("alert").get_by_text("The arena could not be read or written just now.").wait_for()
    one.page.get_by_role("alert").wait_for(state="hidden")


def test_a_server_that_ends_is_reported(opened, arena, tmp_path):
    with serving(create_arena_app(tmp_path / "arena.db")) as service:
        one = opened(service.url)
        one.page.get_by_text("Renewed as battles arrive").wait_for()
    one.page.get_by_text("The server does not answer; trying again").wait_for()


def test_a_link_followed_from_another_site_opens_the_page(opened, arena, tmp_path):
    with serving(create_arena_app(tmp_path / "arena.db", token=TOKEN)) as service:
        one = opened(f"http://localhost:{service.port}/docs?token=wrong")
        one.page.set_content(f'<a href="{service.url}/?token={TOKEN}">look</a>')
        one.page.get_by_text("look").click()
        one.page.get_by_text("0 battles answered").wait_for()
        assert TOKEN not in one.page.url


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_keyboards_screen_readers_and_phones_meet_no_barrier(opened, service, arena, width, scheme):
    play(arena, 100)
    arena.ask()
    one = opened(service.url, width=width, color_scheme=scheme)
    one.page.get_by_text("100 battles answered").wait_for()
    assert barriers(one.page) == []
    assert one.page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_interface_of_the_arena_is_listed_for_people(opened, service):
    one = opened(f"{service.url}/docs")
    one.page.get_by_text("POST /api/arena/tell", exact=True).wait_for()
    assert one.page.locator("section").count() == 15
    assert "idempotency-key" in one.page.locator("main").inner_text().lower()
    assert one.complaints == []
