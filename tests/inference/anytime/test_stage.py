"""Stages: what outcomes add to predictions, against sums over battles one by one."""

import numpy as np
import pytest

from beatpath import DataError
from beatpath.inference.anytime.stage import Stage, base_scores


def test_sums_by_pair_are_those_of_battles_one_by_one():
    rng = np.random.default_rng(2)
    a, b = np.triu_indices(3, 1)
    chance, predicted = np.array([0.5, 0.3, 0.2]), np.array([0.6, 0.5, 0.1])
    pair, x = rng.choice(3, 40, p=chance), rng.choice([0.0, 0.5, 1.0, 0.25], 40)
    sums = [np.bincount(pair, w, 3) for w in (np.ones(40), x, x**2)]
    stage = Stage(a, b, chance, predicted, *sums)
    gains = (x - predicted[pair]) / chance[pair]
    np.testing.assert_allclose(stage.gains, np.bincount(pair, gains, 3))
    np.testing.assert_allclose(stage.squared_gains, np.bincount(pair, gains**2, 3))
    np.testing.assert_allclose(base_scores(stage, 3), [(0.6 + 0.5) / 2, (0.4 + 0.1) / 2, (0.5 + 0.9) / 2])


def test_a_pair_that_cannot_be_sampled_is_refused():
    one = np.array([0]), np.array([1])
    with pytest.raises(DataError, match="above zero for every pair"):
        Stage(*one, np.array([0.0]), *(np.zeros(1),) * 4)


def test_a_stage_among_some_agents_holds_their_battles_and_counts_the_others():
    rng, (a, b) = np.random.default_rng(3), np.triu_indices(5, 1)
    chance, predicted = rng.dirichlet(np.full(10, 3.0)), rng.uniform(0.2, 0.8, 10)
    pair, x = rng.choice(10, 80, p=chance), rng.choice([0.0, 0.5, 1.0], 80)
    whole = Stage(a, b, chance, predicted, *(np.bincount(pair, w, 10) for w in (np.ones(80), x, x**2)), others=4.0)
    kept = [0, 2, 3]
    part = whole.with_unknown(np.arange(10.0)).among(kept)
    for k, (i, j) in enumerate(((0, 1), (0, 2), (1, 2))):
        assert (part.a[k], part.b[k]) == (i, j)
        (old,) = np.flatnonzero((a == kept[i]) & (b == kept[j]))
        assert (part.chance[k], part.predicted[k], part.unknown[k]) == (chance[old], predicted[old], old)
        assert part.battles[k] == (pair == old).sum() + old
        assert part.total[k] == pytest.approx(x[pair == old].sum() + old / 2)
    assert part.battles.sum() + part.others == 80 + 45 + 4
