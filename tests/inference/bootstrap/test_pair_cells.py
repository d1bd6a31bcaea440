"""Counts by pair and cluster that are resampled like the battles they count."""

import numpy as np
import pytest

from beatpath import Ballots, Pairs
from beatpath._errors import DataError
from beatpath.inference.bootstrap.bootstrap import bootstrap
from beatpath.inference.bootstrap.pair_cells import BallotTable, ListedCells, ballot_cells
from helpers.resampled import AGENTS, on_resamples, same, some_ballots, some_battles


def test_short_ballots_are_counted_as_a_list_and_long_ones_as_a_table():
    short = Ballots.of([[[f"a{i:02d}"], [f"a{(i * 7 + 3) % 40:02d}"]] for i in range(30)])
    for ballots in (short, some_ballots()):
        _, weights, answers = on_resamples(ballots, "copeland", {}, None)
        for taken, answer in zip(weights, answers, strict=True):
            cast = [vote for vote, times in zip(ballots, taken.tolist(), strict=True) for _ in range(times)]
            same(answer, Ballots.of(cast, agents=ballots.agents), "copeland", {})
        cells, _ = ballot_cells(ballots, None, None)
        assert isinstance(cells, ListedCells if ballots is short else BallotTable)


def test_counts_split_by_cluster_are_resampled_like_the_battles_they_count():
    battles = some_battles(5)
    for method in ("schulze", "bradley_terry"):
        one = bootstrap(battles, method, draws=70)
        other = bootstrap(battles.pairs(by=["cluster"]), method, draws=70)
        np.testing.assert_array_equal(one.levels, other.levels)
        np.testing.assert_allclose(one.scores, other.scores, atol=1e-9)


def test_counts_that_do_not_tell_single_battles_are_refused():
    for counts in (some_battles(weighted=True).pairs(), Pairs(AGENTS, [0], [1], [[1.5, 1, 0, 0]])):
        with pytest.raises(DataError, match="themselves"):
            bootstrap(counts, "copeland")
