"""In how many mixtures of contexts everybody is first."""

import numpy as np
import pytest
from hypothesis import given, settings

import beatpath as bp
from beatpath.inference.contexts.context_boards import context_strengths
from beatpath.inference.contexts.context_data import context_counts
from beatpath.inference.contexts.first_by_mixture import first_over_mixtures, may_be_first
from beatpath.inference.options import RankOptions
from beatpath.inference.ranks.rank_sets import rank_sets
from helpers.boards import ANY

RANKED = RankOptions(draws=2000)


def _strengths(wins):
    """Three contexts, in each of which all pairs played 2,000 times."""
    I, J = np.triu_indices(3, 1)
    counts = [[won, 2000 - won, 0, 0] for one in wins for won in one]
    keys = {"task": bp.Factor.of(np.repeat(["x", "y", "z"], 3))}
    pairs = bp.Pairs(("ada", "bob", "cyd"), np.tile(I, 3), np.tile(J, 3), counts, keys=keys)
    return context_strengths(context_counts(pairs, "task"))


def test_with_contexts_that_are_mirror_images_everybody_is_first_in_a_third_of_mixtures():
    strengths = _strengths([(1600, 1600, 1000), (400, 1000, 1600), (1000, 400, 400)])
    regions = first_over_mixtures(strengths, ["x"], RANKED)
    assert list(regions.first.values()) == pytest.approx([1 / 3] * 3, abs=4 * np.sqrt(2 / 9 / 1000))
    assert all(regions.first[name] <= regions.may_be_first[name] for name in regions.first)
    assert sum(regions.may_be_first.values()) > 1


def test_shares_are_those_of_a_fine_grid_of_mixtures():
    strengths = _strengths([(1500, 1500, 1000), (900, 1000, 1100), (950, 900, 1000)])
    grid = np.array([(i, j, 200 - i - j) for i in range(201) for j in range(201 - i)]) / 200
    expected = np.bincount((grid @ strengths.score).argmax(axis=1), minlength=3) / len(grid)
    regions = first_over_mixtures(strengths, [], RANKED)
    for name, share in zip(("ada", "bob", "cyd"), expected, strict=True):
        assert regions.first.get(name, 0.0) == pytest.approx(share, abs=0.05)


def test_the_best_in_every_context_is_reported_first_in_every_mixture():
    strengths = _strengths([(1600, 1600, 1000)] * 3)
    regions = first_over_mixtures(strengths, ["x"], RANKED)
    assert regions.first == {"ada": 1.0}
    assert regions.may_be_first == {"ada": 1.0}
    assert regions.sentence == (
        "In 1,000 mixtures of the contexts drawn at random, the highest score is that of 'ada' in 100.0 %; 'ada' may be first in all of them."
    )
    assert regions.ways[0].may_be_first == (("ada",),) * 6
    assert regions.ways[0].sentence.startswith(
        "From all contexts weighted equally to 'x' alone the highest score is always that of 'ada'"
    )


def test_the_same_seed_gives_the_same_shares():
    strengths = _strengths([(1100, 1050, 1000), (900, 1000, 1100), (950, 900, 1000)])
    one, two = (first_over_mixtures(strengths, [], RANKED, mixtures=50).to_dict() for _ in range(2))
    assert one == two


@pytest.mark.parametrize("simultaneous", [True, False])
@given(ANY)
@settings(max_examples=60)
def test_who_may_be_first_is_what_sets_of_ranks_by_bonferroni_say(simultaneous, board):
    ranks = rank_sets(board, multiplicity="bonferroni", simultaneous=simultaneous)
    possible_first = may_be_first(board.score[None], board.covariance[None], board.df, board.parts, 0.95, simultaneous)
    assert (possible_first[0] == (ranks.best == 1)).all()
