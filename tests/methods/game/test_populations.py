"""alpha-Rank of several populations: beside OpenSpiel, by the chain itself, and its limit."""

import json

import numpy as np
import pytest
from hypothesis import given, settings

import beatpath as bp
from beatpath import DataError, UsageError
from helpers.game_cases import table, tables
from helpers.paths import GOLDEN

CASES = json.loads((GOLDEN / "alpha_rank_populations_open_spiel.json").read_text())["cases"]


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_open_spiel_finds_the_same(case):
    mass = bp.games.alpha_rank_populations([np.array(game) for game in case["payoffs"]], alpha=case["alpha"])
    np.testing.assert_allclose(mass.ravel(), case["mass"], atol=1e-9)


@settings(max_examples=25, deadline=None)
@given(tables())
def test_two_populations_of_agents_and_tasks_are_those_of_the_method(S):
    low, high = S.min(axis=0), S.max(axis=0)
    varied = high > low
    if not varied.any():
        return
    T = (S[:, varied] - low[varied]) / (high - low)[varied]
    expected = bp.rank(table(S), "alpha_rank", alpha=2.0)
    mass = bp.games.alpha_rank_populations([T, -T], alpha=2.0).sum(axis=1)
    np.testing.assert_allclose(mass, list(expected.scores.values()), atol=1e-9)


def test_a_large_alpha_comes_near_the_limit():
    rng = np.random.default_rng(3)
    game = [rng.normal(size=(3, 2, 2)) for _ in range(3)]
    limit, near = bp.games.alpha_rank_populations(game), bp.games.alpha_rank_populations(game, alpha=200.0)
    assert limit.sum() == pytest.approx(1)
    assert np.abs(limit - near).sum() < 1e-6


def test_three_players_that_each_win_by_differing_from_the_next_cycle():
    """Each of three players gets 1 for not playing as the next one does: nobody can be content for long."""
    a, b, c = np.indices((2, 2, 2))
    mass = bp.games.alpha_rank_populations([(a != b) * 1.0, (b != c) * 1.0, (c != a) * 1.0])
    assert mass[0, 0, 0] == mass[1, 1, 1] == 0
    assert mass.sum() == pytest.approx(1)
    np.testing.assert_allclose(mass[mass > 0], 1 / 6)


def test_what_cannot_be_is_refused():
    pennies = np.array([[1.0, -1.0], [-1.0, 1.0]])
    with pytest.raises(UsageError, match="`alpha` must be positive"):
        bp.games.alpha_rank_populations([pennies, -pennies], alpha=0)
    with pytest.raises(UsageError, match="`payoffs` must be an array a player"):
        bp.games.alpha_rank_populations([pennies])
    with pytest.raises(DataError, match="moves between outcomes"):
        bp.games.alpha_rank_populations([np.zeros((3000, 3000))] * 2)
