"""Voting in a real browser: blind, by mouse and by keys, on a desk and on a phone; nothing hostile runs."""

from functools import partial

import pytest

pytest.importorskip("fastapi", reason="the extra `app` is not installed")

from beatpath.arena.battles import withdrawn
from beatpath.web.answers import read_answers
from beatpath.web.vote import VoteRules, create_vote_app, vote_arena
from helpers.answers import HOSTILE, write_answers
from helpers.axe import barriers
from helpers.browsing import Opened
from helpers.serving import serving

AGENTS = ("ada", "__proto__", "<b>cyd</b>")
RICH = (
    "# Title\n\nSome **text**, `code` and [a link](https://example.org/).\n\n```\nx = 1 "
    + "+ 1 " * 80
    + "\n```\n\n- one\n- two"
)
TOKEN = "a-token-of-twenty-signs"


@pytest.fixture
def opened(opening):
    return partial(opening, Voter)


class Voter(Opened):
    """Somebody before a pair."""

    def ready(self):
        self.page.locator("#choices").wait_for()
        self.page.locator("#left .text *").first.wait_for()
        return self

    def sides(self):
        """What stands above the two answers."""
        return self.page.locator("#left-name").inner_text(), self.page.locator("#right-name").inner_text()

    def voted(self):
        self.page.locator("#after").wait_for()
        self.page.locator("#next:enabled").wait_for()
        return self

    def following(self):
        self.page.locator("#next").click()
        return self.ready()


@pytest.fixture
def answers(tmp_path):
    return read_answers(
        write_answers(
            tmp_path / "answers.jsonl",
            agents=AGENTS,
            prompts=tuple(f"prompt {k}?" for k in range(6)),
            text=lambda agent, prompt: f"by `{agent}`",
        )
    )


@pytest.fixture
def arena(tmp_path, answers):
    return vote_arena(tmp_path / "answers.db", answers)


@pytest.fixture
def service(arena, answers):
    with serving(create_vote_app(arena, answers)) as one:
        yield one


def recorded(arena):
    """The winner, or the pair of a tie, of every vote."""
    evidence = arena.evidence()
    pairs = [(evidence.agents[i], evidence.agents[j]) for i, j in zip(evidence.a, evidence.b, strict=True)]
    return [
        set(pair) if x == 0.5 else pair[0 if x == 1 else 1] for pair, x in zip(pairs, evidence.outcome, strict=True)
    ]


def test_agents_are_hidden_until_the_vote_is_in_then_shown(opened, service, arena):
    one = opened(service.url).ready()
    assert one.sides() == ("Left answer", "Right answer")
    left = one.page.locator("#left .text code").inner_text()
    one.page.get_by_role("button", name="Left is better").click()
    one.voted()
    assert one.sides()[0] == left
    assert "You chose the left answer." in one.page.locator("#said").inner_text()
    assert one.page.locator("#left").evaluate("(one) => one.classList.contains('chosen')")
    assert recorded(arena) == [left]
    one.following()
    assert one.sides() == ("Left answer", "Right answer")
    assert one.page.locator("#votes").inner_text().startswith("1 vote in this session")
    assert one.complaints == []
    assert all(url.startswith(service.url) for url in one.requests)


@pytest.mark.parametrize(
    ("key", "side"),
    [("1", "left"), ("ArrowLeft", "left"), ("2", "right"), ("ArrowRight", "right"), ("t", None), ("b", None)],
)
def test_every_key_that_the_page_names_votes(opened, service, arena, key, side):
    one = opened(service.url).ready()
    named = one.page.locator("#keys").inner_text()
    assert {"ArrowLeft": "←", "ArrowRight": "→"}.get(key, key) in named
    agents = {name: one.page.locator(f"#{name} .text code").inner_text() for name in ("left", "right")}
    one.page.keyboard.press(key)
    one.voted()
    assert recorded(arena) == [agents[side] if side else set(agents.values())]
    assert bool(arena.evidence().both_bad[0]) == (key == "b")
    one.page.keyboard.press("Enter")
    one.ready()
    assert one.page.locator("#votes").inner_text() == "1 vote in this session"


def test_a_vote_is_undone_by_key_or_mouse_and_can_be_given_again(opened, service, arena):
    one = opened(service.url).ready()
    text = one.page.locator("#pair").inner_text()
    one.page.keyboard.press("1")
    one.voted()
    one.page.keyboard.press("u")
    one.page.get_by_text("Your vote is withdrawn.").wait_for()
    assert one.page.locator("#pair").inner_text() == text
    assert (len(recorded(arena)), withdrawn(arena)) == (0, 1)
    one.page.keyboard.press("2")
    one.voted()
    one.page.get_by_role("button", name="Undo").click()
    one.page.get_by_text("Your vote is withdrawn.").wait_for()
    one.page.keyboard.press("t")
    one.voted()
    assert (len(recorded(arena)), withdrawn(arena)) == (1, 2)
    assert one.complaints == []


def test_a_pair_can_be_skipped_by_key_or_mouse_without_a_vote(opened, service, arena):
    one = opened(service.url).ready()
    for skip in (lambda: one.page.get_by_role("button", name="Skip").click(), lambda: one.page.keyboard.press("s")):
        with one.page.expect_response("**/api/vote/skip") as response:
            skip()
        assert response.value.status == 200
        one.ready()
        one.page.locator("#skip:enabled").wait_for()
    assert recorded(arena) == []
    one.page.get_by_role("button", name="Tie").click()
    one.voted()
    assert len(recorded(arena)) == 1
    assert one.complaints == []


def test_the_next_pair_comes_by_itself_where_one_wants_it_and_not_after_undo(opened, service, arena):
    one = opened(service.url).ready()
    one.page.get_by_label("Go to the next pair automatically").check()
    one.page.get_by_role("button", name="Tie").click()
    one.page.locator("#after").wait_for()
    with one.page.expect_response("**/api/vote/pair"):
        pass
    one.ready()
    assert one.page.title() == "1 vote: Which answer is better?"
    one.page.get_by_role("button", name="Tie").click()
    one.voted()
    one.page.get_by_role("button", name="Undo").click()
    one.page.get_by_text("Your vote is withdrawn.").wait_for()
    one.page.wait_for_timeout(3000)
    assert one.page.get_by_text("Your vote is withdrawn.").is_visible()
    one.page.reload()
    assert one.ready().page.get_by_label("Go to the next pair automatically").is_checked()


def test_progress_toward_the_goal_is_that_of_the_arena(opened, service, arena):
    for _ in range(6):
        arena.tell_many((one, "a" if one.a < one.b else "b") for one in arena.ask(5))
    status = arena.status()
    one = opened(service.url).ready()
    bar = one.page.locator("#progress progress")
    left = 0 if status["done"] else status["battles_left"]
    assert bar.is_visible()
    assert abs(bar.evaluate("(bar) => bar.value") - 30 / (30 + left)) < 1e-9


def test_long_answers_scroll_by_themselves_beside_each_other(opened, tmp_path):
    text = "\n\n".join(["```\nx = 1\n```", *(f"line {k}" for k in range(200))])
    answers = read_answers(
        write_answers(tmp_path / "long.jsonl", agents=AGENTS, text=lambda agent, prompt: f"{agent}\n\n{text}")
    )
    with serving(create_vote_app(vote_arena(tmp_path / "long.db", answers), answers)) as service:
        page = opened(service.url, width=1280).ready().page
        sizes = "[...document.querySelectorAll('#pair .text')].map((e) => [e.clientHeight < e.scrollHeight, e.getBoundingClientRect().top])"
        (one, top), (other, beside) = page.evaluate(sizes)
        assert one
        assert other
        assert top == beside
        assert page.locator("#left pre").inner_text().strip() == "x = 1"
        assert page.evaluate("document.documentElement.scrollHeight") < 1400


def test_a_reload_keeps_the_pair_and_the_count(opened, service, arena):
    one = opened(service.url).ready()
    one.page.keyboard.press("1")
    one.voted().following()
    text = one.page.locator("#pair").inner_text()
    one.page.reload()
    one.ready()
    assert one.page.locator("#pair").inner_text() == text
    assert one.page.locator("#votes").inner_text() == "1 vote in this session"


def test_two_voters_at_once_have_pairs_of_their_own(opened, service, arena):
    one, two = opened(service.url).ready(), opened(service.url).ready()
    for _ in range(3):
        one.page.keyboard.press("1")
        two.page.keyboard.press("2")
        one.voted().following()
        two.voted().following()
    assert len(recorded(arena)) == 6
    assert len(arena.evidence().factors["judge"].levels) == 2
    assert one.complaints == two.complaints == []


def test_a_pair_judged_by_somebody_else_is_reported_and_the_next_comes(opened, service, arena):
    one = opened(service.url).ready()
    with one.page.expect_response("**/api/vote/pair") as response:
        one.page.reload()
    battle = response.value.json()["battle"]
    one.ready()
    arena.tell(battle, "tie", judge="else")
    one.page.keyboard.press("1")
    one.page.get_by_role("alert").get_by_text("somebody else has judged it").wait_for()
    one.ready()
    one.page.locator("[data-choice=left]:enabled").wait_for()
    one.page.keyboard.press("1")
    one.voted()
    assert len(recorded(arena)) == 2


def test_nothing_runs_from_hostile_answers(opened, tmp_path):
    prompts = tuple(f"{text} {k}" for k, text in enumerate(HOSTILE))
    path = write_answers(
        tmp_path / "hostile.jsonl", agents=AGENTS[1:], prompts=prompts, text=lambda agent, prompt: prompt
    )
    answers = read_answers(path)
    with serving(create_vote_app(vote_arena(tmp_path / "hostile.db", answers), answers)) as service:
        one = opened(service.url).ready()
        for k in range(len(HOSTILE)):
            for link in one.page.locator(".text a").all():
                assert link.get_attribute("href").startswith(("https://", "http://", "mailto:"))
            assert (
                one.page.evaluate(
                    "document.querySelectorAll('.text :is(script, img, iframe, svg, style, base, form, button, object)').length"
                )
                == 0
            )
            assert (
                one.page.evaluate(
                    "[...document.querySelectorAll('.text *')].flatMap((one) => [...one.attributes]).filter(({name}) => name.startsWith('on')).length"
                )
                == 0
            )
            one.page.keyboard.press("t")
            one.voted()
            assert set(one.sides()) == {"__proto__", "<b>cyd</b>"}
            if k < len(HOSTILE) - 1:
                one.following()
        assert one.page.evaluate("window.hit") is None
        assert one.page.evaluate("getComputedStyle(document.body).display") == "block"
        assert all(url.startswith(service.url) for url in one.requests)
        assert one.complaints == []
        one.page.locator("#next").click()
        one.page.get_by_role("alert").get_by_text("That was the last pair for you").wait_for()


def test_the_page_lets_through_only_what_is_on_its_list_even_if_the_service_did_not(opened, service):
    one = opened(service.url).ready()
    left = one.page.evaluate(
        """async () => {
          const { fill } = await import("/static/safe.js");
          const made = document.createElement("div");
          fill(made, '<p onclick="x()" style="a">a<img src=x onerror="window.hit=1"><img src="data:image/svg+xml;base64,AA" alt="s"><img onload="window.hit=3" src="data:image/png;base64,AA==" alt="d"><a href="javascript:x">b</a><svg><a href="x">c</a></svg></p><script>window.hit=2</script>');
          return made.innerHTML;
        }"""
    )
    assert left == '<p>a<img alt="d" src="data:image/png;base64,AA=="><a>b</a>c</p>window.hit=2'
    assert one.page.evaluate("window.hit") is None


def test_a_link_followed_from_another_site_opens_the_page(opened, arena, answers):
    with serving(create_vote_app(arena, answers, token=TOKEN)) as service:
        one = opened(f"http://localhost:{service.port}/?token=wrong")
        one.page.set_content(f'<a href="{service.url}/?token={TOKEN}">vote</a>')
        one.page.get_by_text("vote").click()
        one.ready()
        assert TOKEN not in one.page.url


def test_a_server_that_has_gone_is_a_sentence_and_the_vote_can_be_given_later(opened, arena, answers):
    with serving(create_vote_app(arena, answers)) as service:
        one = opened(service.url).ready()
    one.page.keyboard.press("1")
    one.page.get_by_role("alert").get_by_text("The server does not answer").wait_for()
    assert one.page.locator("#choices").is_visible()


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_keyboards_screen_readers_and_phones_meet_no_barrier(opened, tmp_path, width, scheme):
    answers = read_answers(write_answers(tmp_path / "rich.jsonl", text=lambda agent, prompt: RICH))
    with serving(create_vote_app(vote_arena(tmp_path / "rich.db", answers), answers)) as service:
        one = opened(service.url, width=width, color_scheme=scheme).ready()
        assert barriers(one.page) == []
        boxes = [one.page.locator(f"#{side}").bounding_box() for side in ("left", "right")]
        side_by_side = boxes[0]["y"] == boxes[1]["y"]
        assert side_by_side == (width == 1280)
        assert one.page.evaluate("document.documentElement.scrollWidth") <= width
        one.page.keyboard.press("1")
        one.voted()
        assert barriers(one.page) == []


def test_criteria_and_a_comment_go_with_a_vote_and_keys_typed_there_do_not_vote(opened, arena, answers, tmp_path):
    rules = VoteRules(criteria=("<b>helpful</b>", "correct"), per_person=1)
    with serving(create_vote_app(arena, answers, rules=rules)) as service:
        one = opened(service.url).ready()
        left, right = (one.page.locator(f"#{side} .text code").inner_text() for side in ("left", "right"))
        one.page.get_by_label("<b>helpful</b>").select_option("right")
        one.page.get_by_label("Comment").press_sequentially("12tbs why")
        assert one.page.locator("#after").is_hidden()
        assert barriers(one.page) == []
        one.page.get_by_role("button", name="Left is better").click()
        one.voted()
        assert one.page.locator("#more").is_hidden()
        assert recorded(arena) == [left]
        helpful = arena.evidence(criterion="<b>helpful</b>")
        assert helpful.agents[(helpful.a if helpful.outcome[0] else helpful.b)[0]] == right
        assert len(arena.evidence(criterion="correct")) == 0
        assert [row["comment"] for row in arena.comments()] == ["12tbs why"]
        one.page.get_by_role("button", name="Undo").click()  # takes back the choice, not what was written
        one.ready().page.get_by_role("button", name="Right is better").click()
        one.voted()
        assert [row["comment"] for row in arena.comments()] == ["12tbs why"]
        assert len(arena.evidence(criterion="<b>helpful</b>")) == 1
        one.page.locator("#next").click()
        one.page.locator("#wrong", has_text="One person has 1 vote here").wait_for()
        assert one.complaints == [] or all("409" in text for text in one.complaints)
