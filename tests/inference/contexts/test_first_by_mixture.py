"""Who is first between two contexts."""

import numpy as np
import pytest

import beatpath as bp
from beatpath.inference.contexts.first_by_mixture import upper_envelope


def test_the_highest_of_many_lines_is_that_of_a_fine_grid():
    rng = np.random.default_rng(0)
    for _ in range(50):
        left, right = rng.random((2, 9))
        order, changes = upper_envelope(left, right)
        ends = [0.0, *changes, 1.0]
        for t in np.linspace(0.0005, 0.9995, 1000):
            k = int(np.searchsorted(ends, t)) - 1
            assert left[order[k]] + t * (right - left)[order[k]] == pytest.approx((left + t * (right - left)).max())


def test_first_place_passes_where_the_scores_meet():
    keys = {"task": bp.Factor.of(["chat", "code"])}
    told = bp.Pairs(("ada", "bob"), [0, 0], [1, 1], [[300, 100, 0, 0], [100, 300, 0, 0]], keys=keys)
    found = bp.resolve(told, mix={"code": 1, "chat": 1}).first
    ((at, one, to),) = found.changes
    assert at == pytest.approx(0.5, abs=1e-6)
    assert (one, to) == ("ada", "bob")
    assert found.may_be_first[0] == ("ada",)
    assert found.may_be_first[5] == ("ada", "bob")
    assert found.may_be_first[-1] == ("bob",)
    assert found.sentence == (
        "From 'chat' alone to 'code' alone the highest score passes from 'ada' to 'bob' at 50 % 'code'; nobody may be first "
        "at every share."
    )
