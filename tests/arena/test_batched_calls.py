"""Writes of several threads: one transaction for all that wait, and each gets its own answer."""

import threading
import time

import pytest

from beatpath.arena.storage import BatchedCalls


def in_threads(does, given):
    results = [None] * len(given)

    def run(k):
        try:
            results[k] = does(given[k])
        except (ValueError, OSError) as error:
            results[k] = error

    threads = [threading.Thread(target=run, args=(k,)) for k in range(len(given))]
    for one in threads:
        one.start()
    for one in threads:
        one.join(timeout=30)
        assert not one.is_alive()
    return results


def test_those_who_wait_are_written_together_and_each_gets_its_own_answer():
    sizes = []

    def write(items):
        sizes.append(len(items))
        time.sleep(0.02)
        return [one * one for one in items]

    assert in_threads(BatchedCalls(write), range(40)) == [k * k for k in range(40)]
    assert sum(sizes) == 40
    assert len(sizes) < 20


def test_one_that_is_refused_leaves_the_others_alone():
    def write(items):
        time.sleep(0.01)
        return [ValueError(one) if one % 3 == 0 else one for one in items]

    for k, answer in enumerate(in_threads(BatchedCalls(write), range(30))):
        assert isinstance(answer, ValueError) if k % 3 == 0 else answer == k


def test_what_the_transaction_raises_is_raised_for_all_in_it_and_for_nobody_after():
    broken = threading.Event()
    broken.set()

    def write(items):
        if broken.is_set():
            raise OSError("the disk is full")
        return list(items)

    both = BatchedCalls(write)
    assert all(isinstance(one, OSError) for one in in_threads(both, range(5)))
    broken.clear()
    assert both(7) == 7


def test_a_thread_that_is_stopped_leaves_the_others_to_be_written():
    begun, calls = threading.Event(), []

    def write(items):
        calls.append(list(items))
        if len(calls) == 1:
            begun.set()
            time.sleep(0.1)
            raise KeyboardInterrupt
        return list(items)

    both, others = BatchedCalls(write), []
    later = threading.Thread(target=lambda: others.append(begun.wait(5) and both(2)))
    later.start()
    with pytest.raises(KeyboardInterrupt):
        both(1)
    later.join(timeout=30)
    assert others == [2]
