"""The application of one arena: behind the same guard as every page."""

import pytest

pytest.importorskip("fastapi", reason="the extra `app` is not installed")

import beatpath as bp
from beatpath.arena.arena import Arena
from beatpath.web.live import create_arena_app
from helpers.serving import serving

TOKEN = "a-token-of-twenty-signs"
CALLS = [("POST", "ask"), ("POST", "tell"), ("POST", "fail"), ("GET", "board"), ("GET", "status"), ("GET", "events")]


@pytest.fixture
def client(tmp_path):
    Arena(tmp_path / "arena.db", agents=["ada", "bob"]).close()
    with serving(create_arena_app(tmp_path / "arena.db", token=TOKEN)) as one:
        yield one


@pytest.mark.parametrize(("method", "name"), CALLS)
def test_without_the_token_nothing_is_asked_answered_or_shown(client, method, name):
    assert client.ask(method, f"/api/arena/{name}", {} if method == "POST" else None)[0] == 401


@pytest.mark.parametrize("name", ["ask", "tell", "fail"])
def test_a_page_of_somebody_else_cannot_ask_or_tell(client, name):
    headers = {"Authorization": f"Bearer {TOKEN}", "Origin": "http://evil.example"}
    assert client.ask("POST", f"/api/arena/{name}", {}, **headers)[0] == 403


def test_a_request_may_not_be_long(client):
    headers = {
        "Authorization": f"Bearer {TOKEN}",
        "Content-Type": "application/json",
        "Content-Length": str((1 << 20) + 1),
    }
    assert client.send("POST", "/api/arena/tell", b"", headers)[0] == 413


def test_the_page_of_the_arena_comes_first_and_no_file_can_be_read(client):
    authorized = {"Authorization": f"Bearer {TOKEN}"}
    status, headers, text = client.send("GET", "/", headers=authorized)
    assert status == 200
    assert b"arena.js" in text
    assert "script-src 'self'" in headers["content-security-policy"]
    assert client.send("GET", "/api/files", headers=authorized)[0] == 404


def test_a_file_without_an_arena_is_a_sentence(tmp_path):
    with pytest.raises(bp.UsageError, match="there is none at"):
        create_arena_app(tmp_path / "nowhere.db")
