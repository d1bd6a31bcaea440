"""Whether tasks share a unit."""

import numpy as np
import pytest

import beatpath as bp
from beatpath.stats.one_unit import one_unit


@pytest.mark.parametrize("solved", range(6))
def test_tasks_solved_or_not_share_a_unit_however_few_separate_agents(solved):
    table = np.zeros((2, 40))
    table[0, :solved], table[1, 5:7] = 1.0, 1.0
    assert one_unit(table)
    assert one_unit(100 * table)
    board = bp.resolve(bp.Scores.from_table(table, ["ada", "bob"], [f"t{i}" for i in range(40)])).board
    assert board.score == pytest.approx([solved / 40, 2 / 40])


def test_long_tails_are_no_other_unit():
    rng = np.random.default_rng(0)
    latencies = np.exp(0.6 * rng.normal(size=(100, 1, 100)) + 0.4 * rng.normal(size=(100, 4, 100)))
    changed = (rng.random((100, 2, 100)) < 0.1) * rng.exponential(size=(100, 2, 100))
    few_change = rng.normal(size=(100, 1, 100)) + changed
    assert np.mean([one_unit(table) for table in latencies]) > 0.95
    assert np.mean([one_unit(table) for table in few_change]) > 0.95


def test_a_task_of_large_numbers_is_another_unit():
    rng = np.random.default_rng(1)
    shares, errors = rng.random((6, 5)), rng.uniform(50, 250, (6, 1))
    assert not one_unit(np.hstack([shares, errors]))
    assert not one_unit(10.0 ** rng.integers(0, 5, 30) * rng.uniform(0.5, 1.5, (6, 30)))


def test_shares_from_none_to_all_share_a_unit_and_beyond_them_sizes_count():
    table = np.array(
        [[0.0] * 4 + [1.0], [0.001] * 4 + [0.5]]
    )  # one task has hundreds of times the spread and size of others
    assert one_unit(table)
    assert one_unit(table * 0.9)
    assert not one_unit(table * 1.01)
    assert not one_unit(-table)
