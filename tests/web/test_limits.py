"""Bounds that no request can pass."""

from dataclasses import FrozenInstanceError

import pytest

from beatpath.web.limits import Limits


def test_every_bound_is_positive_and_cannot_be_moved():
    limits = Limits()
    assert all(getattr(limits, name) > 0 for name in Limits.__dataclass_fields__)
    with pytest.raises(FrozenInstanceError):
        limits.upload = 1


def test_a_job_may_fill_half_of_the_memory_and_never_less_than_two_gigabytes():
    assert Limits().memory >= 2 << 30
