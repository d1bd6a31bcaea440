"""A request with an idempotency key has one response."""

import itertools
import threading

import pytest

from beatpath.web.errors import Conflict
from beatpath.web.live import IdempotencyCache


def test_many_at_once_with_one_name_have_one_answer():
    once, number, found = IdempotencyCache(10), itertools.count(), []
    threads = [
        threading.Thread(target=lambda: found.append(once.answer("x", 1, lambda: next(number)))) for _ in range(20)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert found == [0] * 20


def test_a_name_used_for_another_request_is_refused():
    once = IdempotencyCache(10)
    once.answer("x", 1, list)
    with pytest.raises(Conflict, match="must be new for another request; 'x' was used"):
        once.answer("x", 2, list)


def test_a_failure_is_not_remembered():
    once = IdempotencyCache(10)
    with pytest.raises(ZeroDivisionError):
        once.answer("x", 1, lambda: 1 / 0)
    assert once.answer("x", 1, lambda: 7) == 7


def test_the_one_longest_unused_makes_room():
    once = IdempotencyCache(2)
    for name in "xy":
        once.answer(name, 1, lambda: "old")
    once.answer("x", 1, lambda: "new")
    once.answer("z", 1, lambda: "old")
    assert [once.answer(name, 1, lambda: "new") for name in "xy"] == ["old", "new"]
