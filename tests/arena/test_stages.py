"""Stages: when one ends, what its counts are, and that a look after a change sees it."""

from dataclasses import replace
from functools import reduce

import numpy as np
import pytest

from beatpath.arena.arena import Arena
from beatpath.arena.stages import Design, stage_length
from beatpath.inference.anytime.stage import Sums


@pytest.fixture
def arena(address):
    made = Arena(address, agents=["ada", "bob", "cyd", "dan"], seed=1)
    yield made
    made.close()


def stages(arena):
    with arena._storage.reading() as db:
        return [stage for _, stage in arena._stages.of(db, (0, 1, 2, 3)).stages]


def test_a_stage_ends_after_enough_outcomes_and_no_sooner(arena):
    first = arena.ask(count=60)
    arena.tell_many((one, "a") for one in first[:49])
    arena.ask()
    assert len(stages(arena)) == 1
    arena.tell(first[49], "a")
    arena.ask()
    assert len(stages(arena)) == 2


def test_counts_of_stages_are_those_of_their_battles_whoever_answered_them(arena, address):
    other = Arena(address, seed=2)
    rng = np.random.default_rng(3)
    late = []
    for k in range(12):
        mine = (arena, other)[k % 2]
        battles = mine.ask(count=30)
        late.append(battles.pop())
        (other, arena)[k % 2].tell_many((one, float(rng.random())) for one in battles)
        arena.board()
    other.tell_many((one, "b") for one in late)  # some of them belong to stages that ended long ago
    fresh = Arena(address)
    for seen, cold in zip(stages(arena), stages(fresh), strict=True):
        for name in ("chance", "predicted", "battles", "total", "squares"):
            np.testing.assert_array_equal(getattr(seen, name), getattr(cold, name))
    evidence = arena.evidence()
    at = {pair: k for k, pair in enumerate(zip(*np.triu_indices(4, 1), strict=True))}
    pair = [at[i, j] for i, j in zip(evidence.a.tolist(), evidence.b.tolist(), strict=True)]
    np.testing.assert_allclose(sum(one.battles for one in stages(arena)), np.bincount(pair, minlength=6))
    np.testing.assert_allclose(sum(one.total for one in stages(arena)), np.bincount(pair, evidence.outcome, 6))
    np.testing.assert_allclose(sum(one.squares for one in stages(arena)), np.bincount(pair, evidence.outcome**2, 6))
    other.close()
    fresh.close()


def test_sums_over_stages_are_those_of_a_look_however_many_stages_an_earlier_look_had(arena):
    """Looks of several threads may see fewer stages than one before."""
    for _ in range(8):
        arena.tell_many((one, "a") for one in arena.ask(count=60))
    agents = (0, 1, 2, 3)
    with arena._storage.reading() as db:
        counted = arena._stages.of(db, agents)
    assert len(counted.stages) > 5
    for number in (len(counted.stages), 3, 5, 4, 0, len(counted.stages)):
        seen = replace(counted, stages=counted.stages[:number])
        added = reduce(Sums.plus, seen.among(agents), Sums.none(4))
        for name in ("score", "weight", "variance", "wins", "played"):
            np.testing.assert_allclose(getattr(arena._stages.sums(seen, agents), name), getattr(added, name))


def test_predictions_come_from_all_battles_also_from_elsewhere(arena):
    arena.add([("ada", "bob", "a")] * 500)
    arena.ask()
    assert stages(arena)[0].predicted[0] > 0.9


def test_pairs_are_sampled_by_their_probabilities():
    design = Design(1, (2, 5, 7), np.array([0.5, 0.3, 0.2]), np.full(3, 0.5))
    sample = design.draw(100_000, np.random.default_rng(0))
    share = [sample.count(pair) / 100_000 for pair in ((2, 5), (2, 7), (5, 7))]
    np.testing.assert_allclose(share, design.chance, atol=5 * np.sqrt(0.25 / 100_000))


def test_stages_grow_with_the_number_of_outcomes_and_of_pairs():
    assert [stage_length(count, 6) for count in (0, 1000, 2000, 1_000_000)] == [50, 50, 100, 50_000]
    assert stage_length(0, 124_750) == 6237


def test_predictions_do_not_follow_outcomes_that_come_early_because_they_are_wins(tmp_path):
    rng = np.random.default_rng(4)
    with Arena(tmp_path / "arena.db", agents=["ada", "bob", "cyd", "dan"], seed=5) as arena:
        battles = arena.ask(count=160)
        won = [battle for battle in battles if rng.random() < 0.5]  # all agents are equal; losses of `a` come later
        arena.tell_many([(battle, "a") for battle in won])
        assert len(won) > 50  # a new stage is due
        arena.ask()
        with arena._storage.reading() as db:
            last = arena._stages._known(db)[-1]
        assert last.number > 1
        assert np.abs(last.predicted - 0.5).max() < 0.1
        arena.tell_many([(battle, "b") for battle in battles if battle not in won])
        arena.ask(count=60)
