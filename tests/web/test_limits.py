"""Bounds that no request can pass."""

import os
from dataclasses import FrozenInstanceError

import pytest

from beatpath.web.files import LEAST, Limits


def test_every_bound_is_positive_and_cannot_be_moved():
    limits = Limits()
    assert all(getattr(limits, name) > 0 for name in Limits.__dataclass_fields__)
    with pytest.raises(FrozenInstanceError):
        limits.upload = 1


@pytest.mark.parametrize("running", [1, 2, 7])
def test_what_all_processes_may_fill_is_less_than_there_is(running):
    limits = Limits(running=running)
    there = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert limits.memory < there
    assert (running + 1) * limits.share <= max(limits.memory, (running + 1) * LEAST)


@pytest.mark.parametrize(("gigabytes", "running"), [(1, 1), (2, 1), (4, 2), (64, 2), (None, 2)])
def test_a_small_machine_runs_one_job_with_room_to_draw_its_pictures(monkeypatch, gigabytes, running):
    monkeypatch.setattr("beatpath.web.files.memory_there", lambda: gigabytes and float(gigabytes << 30))
    limits = Limits()
    assert limits.running == running
    assert limits.share >= LEAST


def test_what_the_user_allows_counts(monkeypatch):
    monkeypatch.setenv("BEATPATH_MEMORY", "2GB")
    assert Limits().memory <= 1_500_000_000
