"""One poll of the arena serves all clients."""

import itertools

import beatpath as bp
from beatpath.web.live import BEAT, REST, ArenaPoller


def test_however_many_ask_it_is_looked_at_once_a_beat(monkeypatch):
    clock, number = [100.0], itertools.count()
    monkeypatch.setattr("beatpath.web.live.time.monotonic", lambda: clock[0])
    watch = ArenaPoller(lambda: {"look": next(number)})
    assert {watch.now()["look"] for _ in range(50)} == {0}
    clock[0] += BEAT
    assert watch.now() == {"look": 1}


def test_a_slow_look_is_followed_by_a_rest(monkeypatch):
    clock, number = [100.0], itertools.count()
    monkeypatch.setattr("beatpath.web.live.time.monotonic", lambda: clock[0])

    def look():
        clock[0] += 3.0
        return {"look": next(number)}

    watch = ArenaPoller(look)
    watch.now()
    clock[0] += 3.0 * REST - 0.1
    assert watch.now() == {"look": 0}
    clock[0] += 0.2
    assert watch.now() == {"look": 1}


def test_an_arena_that_cannot_be_read_is_a_sentence_and_is_looked_at_again(monkeypatch):
    clock, broken = [100.0], [True]
    monkeypatch.setattr("beatpath.web.live.time.monotonic", lambda: clock[0])

    def look():
        if broken[0]:
            raise bp.DataError("the arena could not be read.")
        return {"battles": 1}

    watch = ArenaPoller(look)
    assert watch.now() == {"error": "the arena could not be read."}
    broken[0] = False
    clock[0] += BEAT
    assert watch.now() == {"battles": 1}
