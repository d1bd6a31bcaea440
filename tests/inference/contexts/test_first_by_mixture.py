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
    pairs = bp.Pairs(("ada", "bob"), [0, 0], [1, 1], [[300, 100, 0, 0], [100, 300, 0, 0]], keys=keys)
    first = bp.resolve(pairs, mix={"code": 1, "chat": 1}).first
    (change,) = first.changes
    assert change.share == pytest.approx(0.5, abs=1e-6)
    assert (change.before, change.after) == ("ada", "bob")
    assert first.may_be_first[0] == ("ada",)
    assert first.may_be_first[5] == ("ada", "bob")
    assert first.may_be_first[-1] == ("bob",)
    assert first.sentence == (
        "From 'chat' alone to 'code' alone the highest score passes from 'ada' to 'bob' at 50.0 % 'code'; no agent may be first "
        "at every share."
    )


def test_scores_between_two_contexts_are_straight_lines_with_bands_around_them():
    keys = {"task": bp.Factor.of(["chat", "code"])}
    pairs = bp.Pairs(("ada", "bob"), [0, 0], [1, 1], [[300, 100, 0, 0], [150, 250, 0, 0]], keys=keys)
    resolution = bp.resolve(pairs, by="task")
    way = resolution.first
    assert set(way.contenders) == {"ada", "bob"}
    for j, agent in enumerate(way.contenders):
        i = resolution.agents.index(agent)
        ends = resolution.contexts["chat"], resolution.contexts["code"]
        assert way.score[:, j] == pytest.approx(np.linspace(ends[0].score[i], ends[1].score[i], 11))
        for k, end in ((0, ends[0]), (-1, ends[1])):
            assert (way.low[k, j], way.high[k, j]) == pytest.approx((end.low[i], end.high[i]))
    assert (way.low < way.score).all()
    assert (way.score < way.high).all()
    assert way.stretches[0][1] == way.changes[0].share


def test_from_all_contexts_alike_the_way_starts_at_the_even_mixture():
    keys = {"task": bp.Factor.of(["x", "y", "z"])}
    pairs = bp.Pairs(("ada", "bob"), [0] * 3, [1] * 3, [[300, 100, 0, 0], [150, 250, 0, 0], [20, 20, 0, 0]], keys=keys)
    resolution = bp.resolve(pairs, by="task")
    way = resolution.first_between("x")
    even = resolution.strengths.board(dict.fromkeys("xyz", 1 / 3))
    assert way.score[0] == pytest.approx([even.score[resolution.agents.index(agent)] for agent in way.contenders])
    assert way.other is None
    assert "From all contexts weighted equally to 'x' alone" in way.sentence
