"""Parcels of work: opened once by whoever does it, and only the last is stored."""

from functools import partial
from operator import add

import joblib
import pytest

from beatpath.inference.bootstrap import workers
from beatpath.inference.bootstrap.workers import do_parcel, packed, team_for

opened = []


class Held:
    """Something that tells when it is made of its bytes."""

    def __reduce__(self):
        return _unpacked, ()


def _unpacked():
    opened.append("once")
    return 7


def test_a_parcel_is_opened_once_and_the_last_one_cached():
    opened.clear()
    parcels = [packed(partial(add, Held())) for _ in range(2)]
    assert [do_parcel(*parcels[0], [1, 2]), do_parcel(*parcels[0], [3])] == [[8, 9], [10]]
    assert opened == ["once"]
    assert do_parcel(*parcels[1], [4]) == [11]
    assert list(workers._opened) == [parcels[1][0]]


def test_threads_share_the_work_itself():
    seen = []
    with joblib.parallel_config(backend="threading"):
        done = list(team_for(seen.append, 2)([[1], [2, 3]]))
    assert done == [[None], [None, None]]
    assert sorted(seen) == [1, 2, 3]


@pytest.mark.parametrize("work", [abs, lambda number: -number, partial(add, 3)])
def test_functions_without_a_name_travel_too(work):
    assert do_parcel(*packed(work), [-2]) == [work(-2)]
