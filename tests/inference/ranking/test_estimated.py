"""The profile of estimated win rates: one vote a pair, for whom it is taken, and ties that stay ties."""

import numpy as np
import pytest

import beatpath as bp
from beatpath.inference.matrix.win_matrix import win_matrix
from beatpath.inference.ranking.estimated import estimated_matrix, profile_of_matrix, takes_estimate
from beatpath.methods.profile import profile_of

CIRCLE = bp.Pairs(("x", "y", "z"), [0, 1, 0], [1, 2, 2], [[60, 40, 0, 0], [60, 40, 0, 0], [40, 60, 0, 0]])


def test_every_pair_is_one_vote_split_by_its_rate():
    told = bp.Pairs(("x", "y", "z"), [0, 1], [1, 2], [[900, 100, 0, 0], [2, 1, 0, 0]])
    profile = profile_of(told)
    wins = profile_of_matrix(profile, estimated_matrix(profile)).wins
    off = ~np.eye(3, dtype=bool)
    np.testing.assert_allclose((wins + wins.T)[off], 1.0)
    np.testing.assert_allclose(wins[off], win_matrix(told).rate[off], atol=1e-8)


@pytest.mark.parametrize("key", ["copeland", "minimax", "schulze", "iml", "alpha_rank", "nash_averaging"])
def test_a_circle_of_equals_stays_a_tie(key):
    assert bp.rank(CIRCLE, key).levels == (("x", "y", "z"),)


@pytest.mark.parametrize(
    ("evidence", "options", "taken"),
    [
        (CIRCLE, {}, True),
        (CIRCLE, {"matrix": "raw"}, False),
        (CIRCLE, {"pair_weight": "rate"}, False),
        (CIRCLE, {"pair_weight": "rate", "matrix": "estimated"}, True),
        (CIRCLE.margins(), {}, False),
        (bp.Ballots.of(["xyz", "yzx"]), {}, False),
        (bp.Battles.of([("x", "y", 1)]), {}, True),
    ],
)
def test_battles_and_counts_are_estimated_and_nothing_else_unasked(evidence, options, taken):
    assert takes_estimate(profile_of(evidence, bp.Conventions(**options))) is taken


def test_battles_of_one_cluster_are_ranked_all_the_same():
    one = bp.Battles.of([("x", "y", 1), ("y", "z", 1)], factors={"cluster": bp.Factor.of(["p", "p"])})
    assert bp.rank(one, "copeland").winners == ("x",)
