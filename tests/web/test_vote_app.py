"""The arena of answers: made where there is none, opened where it is of the same answers."""

from urllib.parse import unquote

import pytest

pytest.importorskip("fastapi", reason="the extra `app` is not installed")

import beatpath as bp
from beatpath.web.answers import read_answers
from beatpath.web.live import create_arena_app
from beatpath.web.vote import VoteRules, create_vote_app, links, vote_arena
from helpers.answers import write_answers
from helpers.serving import serving


@pytest.fixture
def answers(tmp_path):
    return read_answers(write_answers(tmp_path / "answers.jsonl"))


def test_it_is_made_then_opened_with_its_votes(tmp_path, answers):
    arena = vote_arena(tmp_path / "answers.db", answers, goal="first")
    battle = arena.ask()
    assert battle.prompt in answers.prompts
    arena.tell(battle, "a")
    arena.close()
    again = vote_arena(tmp_path / "answers.db", answers)
    assert again.board().battles == 1
    assert again.status()["goal"] == "first"


def test_other_prompts_another_goal_or_agents_without_answers_are_sentences(tmp_path, answers):
    vote_arena(tmp_path / "answers.db", answers, goal="first").close()
    other = read_answers(write_answers(tmp_path / "other.jsonl", prompts=("three?",)))
    with pytest.raises(bp.DataError, match="must be of the prompts of the answers"):
        vote_arena(tmp_path / "answers.db", other)
    with pytest.raises(bp.UsageError, match="`goal`"):
        vote_arena(tmp_path / "answers.db", answers, goal="ranking")
    fewer = read_answers(write_answers(tmp_path / "fewer.jsonl", agents=("ada", "bob")))
    with pytest.raises(bp.DataError, match="'cyd' has none"):
        vote_arena(tmp_path / "answers.db", fewer)


def test_voting_stops_with_a_sentence_while_an_agent_without_answers_takes_part(tmp_path, answers):
    arena = vote_arena(tmp_path / "answers.db", answers)
    with serving(create_vote_app(arena, answers)) as client:
        arena.join("eve")
        status, came = client.ask("POST", "/api/vote/pair", {"session": "session-number-1"})
        assert status == 422
        assert "'eve' has none" in came["error"]
        arena.retire("eve")
        assert client.ask("POST", "/api/vote/pair", {"session": "session-number-2"})[0] == 200


def test_without_the_token_nobody_votes(tmp_path, answers):
    app = create_vote_app(vote_arena(tmp_path / "answers.db", answers), answers, token="a-token-of-twenty-signs")
    with serving(app) as client:
        assert client.ask("POST", "/api/vote/pair", {"session": "0123456789abcdef"})[0] == 401
        assert client.send("GET", "/?token=a-token-of-twenty-signs")[0] == 303


def test_a_link_of_ones_own_votes_under_a_name_until_it_is_revoked(tmp_path, answers):
    (tmp_path / "voters.txt").write_text("eve\n\nbob ä.\n")
    rules, token = VoteRules(voters=tmp_path / "voters.txt"), "a-token-of-twenty-signs"
    arena = vote_arena(tmp_path / "answers.db", answers)
    with serving(create_vote_app(arena, answers, rules=rules, token=token)) as client:
        own = dict(links(f"{client.url}/?token={token}", rules))
        assert list(own) == ["eve", "bob ä."]
        session = {"session": "0123456789abcdef"}

        def vote(token):
            head = {"Authorization": f"Bearer {token}"}
            status, pair = client.ask("POST", "/api/vote/pair", session, **head)
            if status == 200:
                vote = {**session, "battle": pair["battle"], "choice": "left"}
                assert client.ask("POST", "/api/vote/cast", vote, **head)[0] == 200
            return status

        eve, bob = (unquote(link.partition("?token=")[2]) for link in own.values())
        assert (vote(eve), vote(bob)) == (200, 200)  # of one session, two voters
        assert arena.evidence().factors["judge"].levels == ("bob ä.", "eve")
        assert vote(token) == 403  # who runs the page has no account
        assert vote(eve[:-1] + ("0" if eve[-1] != "0" else "1")) == 401
        assert vote("mallory." + eve.partition(".")[2]) == 401
        with serving(create_arena_app(tmp_path / "answers.db", token=token)) as board:  # not for those who vote blind
            for path in ("board", "export", "comments"):
                shown = [
                    board.send("GET", f"/api/arena/{path}", headers={"Authorization": f"Bearer {one}"})[0]
                    for one in (eve, token)
                ]
                assert shown == [401, 200]
        status, headers, _ = client.send("GET", own["bob ä."].removeprefix(client.url))
        cookie = next(value for name, value in headers.items() if name.lower() == "set-cookie").partition(";")[0]
        assert (status, client.ask("POST", "/api/vote/pair", session, Cookie=cookie)[0]) == (303, 200)
        (tmp_path / "voters.txt").write_text("bob ä.\n")
        assert (vote(eve), vote(bob)) == (403, 200)
