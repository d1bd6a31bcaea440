"""Ask and tell over HTTP, as a runner in any language would."""

import http.client
import json
import sqlite3
import threading
import time

import pytest
import sqlalchemy as sa

pytest.importorskip("fastapi", reason="the extra `app` is not installed")

import beatpath as bp
from beatpath.arena.arena import Arena
from beatpath.arena.storage import StorageUnavailable
from beatpath.web import live
from beatpath.web.live import create_arena_app
from helpers.schemas import validated
from helpers.serving import serving

AGENTS = ["ada", "bob", "cyd"]


@pytest.fixture
def place(tmp_path):
    Arena(tmp_path / "arena.db", agents=AGENTS, goal="first", seed=1).close()
    return tmp_path / "arena.db"


@pytest.fixture
def client(place):
    with serving(create_arena_app(place)) as one:
        yield one


def ask(client, count=1, **headers):
    status, reply = client.ask("POST", "/api/arena/ask", {"count": count}, **headers)
    assert status == 200, reply
    return reply["battles"]


def tell(client, **fields):
    return client.ask("POST", "/api/arena/tell", fields)


def battles(client):
    return client.ask("GET", "/api/arena/status")[1]["battles"]


def test_a_runner_asks_tells_and_sees_the_goal_settled(client):
    for _ in range(8):
        battles = ask(client, 50)
        outcomes = [
            {"battle": one["battle"], "outcome": "a" if one["a"] == "ada" else "b" if one["b"] == "ada" else "tie"}
            for one in battles
        ]
        assert tell(client, outcomes=outcomes, judge="stub") == (200, {"recorded": 50})
    status, _, text = client.send("GET", "/api/arena/status")
    assert status == 200
    document = validated(text)
    assert document["done"]
    assert document["battles"] == 400
    assert "'ada' is certainly first" in document["reason"]
    board = validated(client.send("GET", "/api/arena/board")[2])
    assert board["type"] == "anytime_board"
    assert board["ranks"] == document["ranks"]


def test_without_a_body_one_battle_is_requested(client):
    status, reply = client.ask("POST", "/api/arena/ask")
    assert status == 200
    (battle,) = reply["battles"]
    assert set(battle) == {"battle", "a", "b", "first", "prompt"}
    assert battle["first"] in (battle["a"], battle["b"])


def test_a_tell_that_is_repeated_counts_once_and_another_outcome_is_a_conflict(client):
    (battle,) = ask(client)
    for _ in range(3):
        assert tell(client, battle=battle["battle"], outcome="a", judge="eve") == (200, {"recorded": 1})
    assert battles(client) == 1
    status, reply = tell(client, battle=battle["battle"], outcome="b", judge="eve")
    assert status == 409
    assert "answered already, with another outcome" in reply["error"]
    assert battles(client) == 1


def test_an_ask_that_is_repeated_with_its_key_has_the_same_battles(client):
    key = {"Idempotency-Key": "worker-7-42"}
    first = ask(client, 3, **key)
    assert ask(client, 3, **key) == first
    assert ask(client, 3) != first
    status, reply = client.ask("POST", "/api/arena/ask", {"count": 4}, **key)
    assert status == 409
    assert "`key` must be new" in reply["error"]
    assert client.ask("GET", "/api/arena/status")[1]["pending"] == 6


def test_an_unrequested_or_unknown_battle_is_a_sentence_with_its_status(client):
    (battle,) = ask(client)
    key = battle["battle"]
    cases = [
        (404, "must be requested before it is answered", {"battle": "nothing", "outcome": "a"}),
        (422, "an outcome must be one of", {"battle": key, "outcome": "left"}),
        (422, "an outcome must be one of", {"battle": key, "outcome": 1.5}),
        (400, "must have `battle` and `outcome`", {"battle": key}),
        (400, "there is no such field", {"battle": key, "outcome": "a", "winner": "x"}),
    ]
    for expected, words, fields in cases:
        status, reply = tell(client, **fields)
        assert (status, words in reply["error"]) == (expected, True), reply
    assert battles(client) == 0
    for count in (0, 1001, "many"):
        assert client.ask("POST", "/api/arena/ask", {"count": count})[0] == 400
    assert client.ask("POST", "/api/arena/fail", {"battle": "nothing"})[0] == 404


def test_a_batch_is_stored_whole_or_not_at_all(client):
    one, two = (battle["battle"] for battle in ask(client, 2))
    assert tell(client, outcomes=[{"battle": one, "outcome": "a"}, {"battle": "nothing", "outcome": "a"}])[0] == 404
    assert battles(client) == 0
    assert tell(client, outcomes=[{"battle": one, "outcome": "a"}, {"battle": two, "outcome": 0.25}])[0] == 200
    assert battles(client) == 2


def test_a_battle_given_back_comes_again_and_an_answered_one_cannot_be(client):
    (battle,) = ask(client)
    assert client.ask("POST", "/api/arena/fail", {"battle": battle["battle"]}) == (204, None)
    (again,) = ask(client)
    assert again == battle
    tell(client, battle=battle["battle"], outcome="tie")
    assert client.ask("POST", "/api/arena/fail", {"battle": battle["battle"]})[0] == 409


def test_a_battle_of_an_agent_that_has_retired_is_recorded_all_the_same(client, place):
    battles = ask(client, 20)
    other = Arena(place)
    other.retire("cyd")
    other.close()
    gone = next(one for one in battles if "cyd" in (one["a"], one["b"]))
    assert tell(client, battle=gone["battle"], outcome="a")[0] == 200


def test_a_storage_that_is_away_is_503_and_a_sentence_and_nothing_is_lost(client, monkeypatch):
    (battle,) = ask(client)

    def away(*_, **__):
        raise StorageUnavailable("the arena 'x' could not be read or written: gone. Try again once it can be.")

    with monkeypatch.context() as patch:
        for name in ("ask", "tell_many", "board", "status"):
            patch.setattr(Arena, name, away)
        answers = [
            client.ask("POST", "/api/arena/ask"),
            tell(client, battle=battle["battle"], outcome="a"),
            client.ask("GET", "/api/arena/board"),
            client.ask("GET", "/api/arena/status"),
        ]
    assert {status for status, _ in answers} == {503}
    assert all("could not be read or written" in reply["error"] for _, reply in answers)
    assert tell(client, battle=battle["battle"], outcome="a")[0] == 200


def test_a_file_that_another_program_has_locked_is_503(client, place):
    assert battles(client) == 0

    @sa.event.listens_for(client.app.state.service.arena._storage.engine, "checkout")
    def _impatient(connection, *_):
        connection.execute("PRAGMA busy_timeout=100")

    other = sqlite3.connect(place, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    status, reply = client.ask("POST", "/api/arena/ask")
    other.execute("ROLLBACK")
    other.close()
    assert status == 503, reply
    assert "locked" in reply["error"]
    assert client.ask("POST", "/api/arena/ask")[0] == 200


def test_many_workers_at_once_lose_and_double_nothing(client):
    def work(name):
        for k in range(5):
            for one in ask(client, 4, **{"Idempotency-Key": f"{name}-{k}"}):
                for _ in range(2):
                    assert tell(client, battle=one["battle"], outcome="a", judge=name)[0] == 200

    threads = [threading.Thread(target=work, args=(f"worker {k}",)) for k in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert battles(client) == 8 * 5 * 4


class Follower:
    """One who follows the events."""

    def __init__(self, client):
        self.line = http.client.HTTPConnection("127.0.0.1", client.port, timeout=30)
        self.line.request("GET", "/api/arena/events")
        self.answer = self.line.getresponse()

    def heard(self):
        """The next event."""
        while True:
            text = self.answer.readline().decode()
            if text.startswith("data: "):
                return json.loads(text.removeprefix("data: "))

    def close(self):
        self.answer.close()
        self.line.close()


def test_who_follows_hears_of_battles_as_they_arrive(client):
    follower = Follower(client)
    assert follower.answer.getheader("content-type").startswith("text/event-stream")
    assert follower.heard()["battles"] == 0
    for one in ask(client, 3):
        tell(client, battle=one["battle"], outcome="a")
    end = time.monotonic() + 20
    while (now := follower.heard())["battles"] < 3:
        assert time.monotonic() < end
    assert {row["agent"] for row in now["rows"]} == set(AGENTS)
    follower.close()


def test_no_more_may_follow_than_there_is_room_for(client, monkeypatch):
    monkeypatch.setattr(live, "FOLLOWERS", 1)
    follower = Follower(client)
    follower.heard()
    status, _, text = client.send("GET", "/api/arena/events")
    assert status == 503
    assert "follow this arena already" in json.loads(text)["error"]
    follower.close()


def test_who_follows_hears_that_the_storage_is_away(client, monkeypatch):
    follower = Follower(client)
    follower.heard()

    def away(_):
        raise StorageUnavailable("the arena could not be read.")

    monkeypatch.setattr(Arena, "status", away)
    assert follower.heard() == {"error": "the arena could not be read."}
    follower.close()


def test_the_interface_describes_itself(client):
    paths = json.loads(client.send("GET", "/openapi.json")[2])["paths"]
    changes = ("ask", "tell", "fail", "join", "retire", "change", "add")
    reads = ("board", "voters", "comments", "status", "events", "export", "health", "metrics")
    assert set(paths) == {f"/api/arena/{name}" for name in (*changes, *reads)}
    (key,) = paths["/api/arena/ask"]["post"]["parameters"]
    assert (key["name"].lower(), key["in"]) == ("idempotency-key", "header")


def test_the_roster_changes_and_battles_are_added_and_exported(client, place):
    status, answer = client.ask("POST", "/api/arena/join", {"agent": "dee"})
    assert (status, answer["agents"][-1]) == (200, "dee")
    assert client.ask("POST", "/api/arena/retire", {"agent": "cyd"}) == (200, {"agents": ["ada", "bob", "dee"]})
    assert set(Arena(place).agents) == {"ada", "bob", "dee"}
    status, reply = client.ask("POST", "/api/arena/retire", {"agent": "eve"})
    assert status == 422
    assert "eve" in reply["error"]
    rows = [{"a": "ada", "b": "dee", "outcome": "a", "key": "old-1", "judge": "eve"}] * 2
    assert client.ask("POST", "/api/arena/add", {"battles": rows}) == (200, {"added": 1})
    (battle,) = ask(client)
    tell(client, battle=battle["battle"], outcome="tie")
    for form in ("jsonl", "csv"):
        status, _, text = client.send("GET", f"/api/arena/export?format={form}")
        assert status == 200
        (place.parent / f"battles.{form}").write_bytes(text)
        assert len(bp.read(place.parent / f"battles.{form}")) == 2
    assert client.ask("GET", "/api/arena/export?format=exe")[0] == 400


def test_health_and_metrics_say_how_the_service_is(client, place):
    assert client.ask("GET", "/api/arena/health") == (200, {"status": "ok", "agents": 3})
    ask(client, 5)
    status, _, text = client.send("GET", "/api/arena/metrics")
    assert status == 200
    figures = dict(line.split() for line in text.decode().splitlines() if not line.startswith("#"))
    assert figures["beatpath_agents"] == "3"
    assert set(figures) == {f"beatpath_{name}" for name in ("battles", "pending", "agents", "done", "followers")}
    place.rename(place.with_suffix(".gone"))
    assert client.ask("GET", "/api/arena/health")[0] == 503


def test_wrong_requests_say_what_is_wrong(client):
    def refusal(path, body=None, **headers):
        status, _, text = client.send("GET" if body is None else "POST", f"/api/arena/{path}", body, headers)
        return status, json.loads(text)["error"]

    kind = {"Content-Type": "application/json"}
    assert refusal("board?jugde=eve") == (
        400,
        "`jugde` must be left out; there is no such parameter. Did you mean 'judge'?",
    )
    assert refusal("board?judge=eve")[0] == 422
    assert refusal("export") == (422, "a battle must be answered first; none is.")
    status, sentence = refusal("ask", b"{bad", **kind)
    assert (status, sentence.startswith("the request must be JSON; it is not, at character 1: ")) == (400, True)
    assert refusal("ask", b"[]", **kind) == (400, "the request must be a JSON object; got '[]'.")
    assert (
        "must be a JSON object with the header `Content-Type: application/json`" in refusal("ask", b'{"count": 1}')[1]
    )


def test_a_board_of_a_category_over_http(client):
    pool = {"math": ["1 + 1?"], "verse": ["a haiku", "a song"]}
    assert client.ask("POST", "/api/arena/change", {"prompts": pool})[0] == 200
    outcomes = [{"battle": one["battle"], "outcome": "a"} for one in ask(client, 6)]
    assert tell(client, outcomes=outcomes)[0] == 200
    assert client.ask("GET", "/api/arena/board?category=verse")[1]["battles"] == 4
    assert "Did you mean 'math'" in client.ask("GET", "/api/arena/board?category=mat")[1]["error"]


def test_a_board_of_alike_styles_over_http(client):
    outcomes = [
        {"battle": one["battle"], "outcome": "a", "style": {"length": k / 10}} for k, one in enumerate(ask(client, 6))
    ]
    assert tell(client, outcomes=outcomes)[0] == 200
    assert client.ask("GET", "/api/arena/board?style=length:0.3")[1]["battles"] == 4
    assert "must be a style of a battle" in client.ask("GET", "/api/arena/board?style=words:3")[1]["error"]
    status, answer = client.ask("GET", "/api/arena/board?style=length")
    assert (status, answer["error"]) == (
        400,
        "`style` must be a name, a colon and a number, as in length:0.2; got 'length'.",
    )
