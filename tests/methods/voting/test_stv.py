"""stv: worked by hand."""

import numpy as np

from beatpath import Ballots
from beatpath.methods.profile import profile_of

VOTES = Ballots.of([[[x] for x in vote] for vote in ("ABC", "ACB", "CAB", "BCA")], count=[1, 1, 2, 1])
from beatpath.methods.voting.stv import common_measure, droop_quota, stv


def test_the_pentathlon_of_vase():
    assert stv(profile_of(VOTES)).score.tolist() == [3.2, 2.1, 6.3]


def test_the_quota_is_the_smallest_that_no_more_than_k_can_reach():
    for total in range(1, 40):
        for k in range(1, 6):
            quota, more = droop_quota(Ballots.of(["A"], count=[total]), k)
            assert not more
            assert quota * (k + 1) > total >= (quota - 1) * (k + 1)


def test_a_common_measure_divides_all_weights():
    assert common_measure(np.array([0.3, 0.2])) == np.float64(0.2) / 2
    assert common_measure(np.array([6.0, 4.0, 0.0])) == 2
    assert common_measure(np.array([1.0, 2**0.5])) is None
