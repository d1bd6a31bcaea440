"""The client of a served arena: the same answers as from the arena itself."""

import subprocess
import sys
from itertools import pairwise

import pytest

pytest.importorskip("fastapi", reason="the extra `app` is not installed")

import beatpath as bp
import beatpath.client as of_client
from beatpath.arena.arena import Arena
from beatpath.arena.storage import StorageUnavailable
from beatpath.client import ArenaClient
from beatpath.web.live import create_arena_app
from helpers.serving import serving

TOKEN = "0123456789abcdef"


@pytest.fixture
def place(tmp_path):
    Arena(tmp_path / "arena.db", agents=["ada", "bob", "cyd"], goal="first", prompts=["why?"], seed=1).close()
    return tmp_path / "arena.db"


@pytest.fixture
def served(place):
    with serving(create_arena_app(place, token=TOKEN)) as one:
        yield f"http://127.0.0.1:{one.port}/?token={TOKEN}"


def test_a_whole_evaluation_over_http(served, place):
    client = ArenaClient(served)
    while not client.status()["done"]:
        client.tell_many(
            [(one, "a" if one.a == "ada" else "b" if one.b == "ada" else "tie") for one in client.ask(50)], judge="stub"
        )
    assert client.status()["reason"] == "'ada' is certainly first at every look (95 %)."
    battle = client.ask()
    assert (battle.prompt, battle.first in (battle.a, battle.b)) == ("why?", True)
    client.tell(battle, {"gpt": "a", "claude": "b"}, criteria={"short": "tie"}, comment="hm", style={"length": 0.1})
    client.join("dan")
    assert client.add([{"a": "dan", "b": "ada", "outcome": 0.25}]) == 1
    assert client.change(goal="top 2", patience=5)[0].startswith("The error was reserved for the goal 'first'")
    client.retire("dan")
    assert client.board(judges=["stub"])["battles"] < client.board()["battles"]
    assert client.board(style={"length": 0.2})["battles"] == 1
    assert client.voters(per_person=5)["price"]["accounts"] > 1
    assert [one["comment"] for one in client.comments()] == ["hm"]
    assert client.export(criterion="gpt").count("\n") == 1
    with Arena(place) as arena:
        assert client.board() == arena.board().to_dict()


def test_refusals_are_the_sentences_of_the_arena(served):
    client = ArenaClient(served)
    battle = client.ask(key="turn 1")
    assert client.ask(key="turn 1") == battle
    client.tell(battle, "a")
    with pytest.raises(bp.DataError, match="was answered already, with another outcome"):
        client.tell(battle, "b")
    with pytest.raises(bp.DataError, match="must be requested before it is answered"):
        client.tell("nobody asked", "b")
    with pytest.raises(bp.UsageError, match="needs its token"):
        ArenaClient(served.partition("?")[0]).status()
    with pytest.raises(bp.UsageError, match="must be that of a server"):
        ArenaClient("arena.db")
    with pytest.raises(bp.DataError, match=r"an arena must answer at 'http://127\.0\.0\.1:9/api/arena/'"):
        ArenaClient("http://127.0.0.1:9", tries=1).status()


def test_what_the_storage_cannot_take_is_sent_again_and_counts_once(place, monkeypatch):
    monkeypatch.setattr(of_client, "PAUSE", 0.01)
    tell_all, failing = Arena._tell_all, [True, True]

    def sometimes(self, tellings):
        done = tell_all(self, tellings)
        if failing:
            failing.pop()
            raise StorageUnavailable("it is stored, and nobody knows.")
        return done

    monkeypatch.setattr(Arena, "_tell_all", sometimes)
    with serving(create_arena_app(place)) as one:
        client = ArenaClient(one.url)
        client.tell(client.ask(), "a")
        assert (client.status()["battles"], failing) == (1, [])
        failing += [True] * 5
        with pytest.raises(bp.DataError, match="nobody knows"):
            client.tell(client.ask(), "a")


def test_the_first_try_waits_for_nothing_and_every_later_one_at_least_twice_as_long(monkeypatch):
    waits = []
    monkeypatch.setattr(of_client.time, "sleep", waits.append)
    with pytest.raises(bp.DataError, match="must answer"):
        ArenaClient("http://127.0.0.1:9", tries=5).status()
    assert (len(waits), waits[0]) == (5, 0)
    assert waits[1] == of_client.PAUSE
    assert all(later >= 2 * earlier for earlier, later in pairwise(waits))


def test_it_needs_no_extra():
    code = "import sys; sys.modules.update(sqlalchemy=None, fastapi=None, pydantic=None); import beatpath.client"
    subprocess.run([sys.executable, "-c", code], check=True)
