"""Stages: when one ends, what its counts are, and that a look after a change sees it."""

import numpy as np
import pytest

from beatpath.arena.arena import Arena
from beatpath.arena.stages import Design, stage_length


@pytest.fixture
def arena(address):
    made = Arena(address, agents=["ada", "bob", "cyd", "dan"], seed=1)
    yield made
    made.close()


def stages(arena):
    with arena._storage.reading() as db:
        return [stage for _, stage in arena._stages.of(db, (0, 1, 2, 3)).stages]


def test_a_stage_ends_after_enough_was_told_and_no_sooner(arena):
    first = arena.ask(count=60)
    arena.tell_many((one, "a") for one in first[:49])
    arena.ask()
    assert len(stages(arena)) == 1
    arena.tell(first[49], "a")
    arena.ask()
    assert len(stages(arena)) == 2


def test_counts_of_stages_are_those_of_their_battles_whoever_told_them(arena, address):
    other = Arena(address, seed=2)
    rng = np.random.default_rng(3)
    late = []
    for k in range(12):
        mine = (arena, other)[k % 2]
        asked = mine.ask(count=30)
        late.append(asked.pop())
        (other, arena)[k % 2].tell_many((one, float(rng.random())) for one in asked)
        arena.board()
    other.tell_many((one, "b") for one in late)  # some of them belong to stages that ended long ago
    fresh = Arena(address)
    for seen, cold in zip(stages(arena), stages(fresh), strict=True):
        for name in ("chance", "predicted", "battles", "total", "squares"):
            np.testing.assert_array_equal(getattr(seen, name), getattr(cold, name))
    told = arena.evidence()
    at = {pair: k for k, pair in enumerate(zip(*np.triu_indices(4, 1), strict=True))}
    pair = [at[i, j] for i, j in zip(told.a.tolist(), told.b.tolist(), strict=True)]
    np.testing.assert_allclose(sum(one.battles for one in stages(arena)), np.bincount(pair, minlength=6))
    np.testing.assert_allclose(sum(one.total for one in stages(arena)), np.bincount(pair, told.outcome, 6))
    np.testing.assert_allclose(sum(one.squares for one in stages(arena)), np.bincount(pair, told.outcome**2, 6))
    other.close()
    fresh.close()


def test_predictions_come_from_all_battles_also_from_elsewhere(arena):
    arena.add([("ada", "bob", "a")] * 500)
    arena.ask()
    assert stages(arena)[0].predicted[0] > 0.9


def test_pairs_are_drawn_by_their_chances():
    design = Design(1, (2, 5, 7), np.array([0.5, 0.3, 0.2]), np.full(3, 0.5))
    drawn = design.draw(100_000, np.random.default_rng(0))
    share = [drawn.count(pair) / 100_000 for pair in ((2, 5), (2, 7), (5, 7))]
    np.testing.assert_allclose(share, design.chance, atol=5 * np.sqrt(0.25 / 100_000))


def test_stages_grow_with_what_was_told_and_with_the_number_of_pairs():
    assert [stage_length(told, 6) for told in (0, 1000, 2000, 1_000_000)] == [50, 50, 100, 50_000]
    assert stage_length(0, 124_750) == 6237
