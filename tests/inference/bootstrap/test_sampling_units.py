"""What is resampled, whatever the order of rows."""

from dataclasses import replace

import numpy as np
import pytest

from beatpath import Ballots, Factor
from beatpath._errors import DataError
from beatpath.inference.bootstrap.bootstrap import bootstrap
from helpers.hostile_resamples import some_battles
from helpers.user_method import win_rate


@pytest.mark.parametrize("method", ["bradley_terry", "copeland", "core", "elo", win_rate])
@pytest.mark.parametrize("cluster", ["auto", None])
def test_the_order_of_rows_decides_nothing(method, cluster):
    battles = some_battles(n=120)
    mixed = battles.take(np.random.default_rng(1).permutation(120))
    one, other = (bootstrap(rows, method, draws=20, cluster=cluster) for rows in (battles, mixed))
    np.testing.assert_array_equal(one.levels, other.levels)
    np.testing.assert_allclose(one.scores, other.scores, atol=1e-9)


@pytest.mark.parametrize("method", ["borda", "plurality", "schulze"])
def test_the_order_of_ballots_decides_nothing(method):
    votes = [[["x"], ["y"], ["z"]], [["z"], ["y"]], [["y"], ["x", "z"]], [["x"], ["z"]]]
    count = [3, 1, 2, 5]
    one = bootstrap(Ballots.of(votes, count=count), method, draws=30)
    other = bootstrap(Ballots.of(votes[::-1], count=count[::-1], agents=("x", "y", "z")), method, draws=30)
    np.testing.assert_array_equal(one.levels, other.levels)


def test_one_cluster_is_not_enough():
    battles = replace(some_battles(n=50), factors={"cluster": Factor.of(["one"] * 50)})
    with pytest.raises(DataError, match="at least two clusters"):
        bootstrap(battles, "copeland", cluster="cluster")
    assert "50 battles" in bootstrap(battles, "copeland", draws=10).resampled
