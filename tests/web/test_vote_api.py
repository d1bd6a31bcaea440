"""Voting over HTTP."""

import json

import pytest

pytest.importorskip("fastapi", reason="the extra `app` is not installed")

from beatpath.web.answers import read_answers
from beatpath.web.vote import create_vote_app, vote_arena
from helpers.answers import write_answers
from helpers.serving import serving

ME = {"session": "0123456789abcdef"}


@pytest.fixture
def client(tmp_path):
    answers = read_answers(write_answers(tmp_path / "answers.jsonl"))
    with serving(create_vote_app(vote_arena(tmp_path / "answers.db", answers), answers)) as one:
        yield one


def test_a_pair_a_vote_and_its_undoing(client):
    status, pair = client.ask("POST", "/api/vote/pair", ME)
    assert status == 200
    status, reply = client.ask("POST", "/api/vote/cast", {**ME, "battle": pair["battle"], "choice": "tie"})
    assert (status, reply["votes"], reply["choice"]) == (200, 1, "tie")
    assert {reply["left"], reply["right"]} <= {"ada", "bob", "cyd"}
    assert client.ask("POST", "/api/vote/undo", {**ME, "battle": pair["battle"]}) == (200, pair)


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("pair", {}, 400),
        ("pair", {"session": "short"}, 400),
        ("pair", {"session": "x" * 65}, 400),
        ("pair", {"session": "<script>alert(1)</script>"}, 400),
        ("cast", {**ME, "battle": "k", "choice": "ada"}, 400),
        ("cast", {**ME, "battle": "k", "choice": "left"}, 409),
        ("undo", {**ME, "battle": "k"}, 409),
    ],
)
def test_anything_else_is_a_sentence(client, path, body, status):
    got, reply = client.ask("POST", f"/api/vote/{path}", body)
    assert (got, set(reply)) == (status, {"error"})


def test_nothing_that_tells_agents_before_a_vote_is_served(client):
    paths = json.loads(client.send("GET", "/openapi.json")[2])["paths"]
    assert set(paths) == {"/api/vote/pair", "/api/vote/cast", "/api/vote/undo", "/api/vote/skip"}
    for path in ("/api/arena/status", "/api/arena/board", "/api/files", "/api/arena/events"):
        assert client.send("GET", path)[0] == 404
