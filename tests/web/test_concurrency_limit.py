"""Limits on concurrent requests and on their rate."""

import threading

import pytest

from beatpath.web.app import ConcurrencyLimit
from beatpath.web.live import RateLimit
from helpers.refusals import refused


def test_one_more_than_there_are_places_waits_and_is_refused():
    gate, entered, leave = ConcurrencyLimit(1, 0.05), threading.Event(), threading.Event()

    def hold():
        with gate.inside():
            entered.set()
            leave.wait(10)

    thread = threading.Thread(target=hold)
    thread.start()
    entered.wait(10)
    with refused(503, match="Try again"), gate.inside():
        pass
    leave.set()
    thread.join()
    with gate.inside():
        pass


def test_a_place_is_free_again_after_a_failure():
    gate = ConcurrencyLimit(1, 0.05)
    with pytest.raises(KeyError), gate.inside():
        raise KeyError
    with gate.inside():
        pass


def test_a_pace_lets_a_burst_through_then_refuses_then_recovers(monkeypatch):
    clock = [100.0]
    monkeypatch.setattr("beatpath.web.live.time.monotonic", lambda: clock[0])
    pace = RateLimit(rate=2.0, burst=3)
    for _ in range(3):
        pace.step()
    with refused(429):
        pace.step()
    clock[0] += 0.5
    pace.step()
    with refused(429):
        pace.step()
