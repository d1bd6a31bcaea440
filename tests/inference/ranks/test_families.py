"""Each question pays for its own comparisons: first place, and claims that were fixed before the data were seen."""

import numpy as np
import pytest

from beatpath._errors import UsageError
from beatpath.inference.leaderboard import Leaderboard
from beatpath.inference.ranks.claims import claims_of
from beatpath.inference.ranks.rank_sets import rank_sets

N = 12
NAMES = tuple(f"agent {i:02d}" for i in range(N))


def board(truth, rng, error=1.0):
    """Scores with independent errors of known size."""
    score = truth + error * rng.standard_normal(len(truth))
    return Leaderboard(
        NAMES[: len(truth)], score, error**2 * np.eye(len(truth)), np.full((len(truth),) * 2, np.inf), "score"
    )


def test_the_true_first_is_ruled_out_in_a_twentieth_of_boards():
    """Equal agents: each is one of the first, and the set holds it with 95 %; within four standard deviations."""
    rng = np.random.default_rng(0)
    shares = np.mean([rank_sets(board(np.zeros(N), rng), draws=2000).may_be_first for _ in range(200)], axis=0)
    assert (np.abs(shares - 0.95) < 4 * np.sqrt(0.05 * 0.95 / 200) + 0.01).all()


def test_first_place_has_fewer_candidates_than_by_all_pairs():
    rng = np.random.default_rng(1)
    sets = [rank_sets(board(np.linspace(4, 0, N), rng), draws=2000) for _ in range(60)]
    assert all((one.may_be_first <= (one.best == 1)).all() for one in sets)
    assert np.mean([one.may_be_first.sum() for one in sets]) < 0.9 * np.mean([(one.best == 1).sum() for one in sets])
    assert np.mean([one.may_be_first[0] for one in sets]) > 0.95 - 3 * np.sqrt(0.05 * 0.95 / 60)


def test_one_of_two_equal_agents_is_called_first_in_a_twentieth_of_boards():
    """By a one-sided test alone it would be one in ten, as either of the two may lead by chance."""
    rng = np.random.default_rng(2)
    certain = np.mean([rank_sets(board(np.zeros(2), rng), draws=2000).certainly_first.any() for _ in range(600)])
    assert abs(certain - 0.05) < 3 * np.sqrt(0.05 * 0.95 / 600)


@pytest.mark.parametrize("gap", [2.3, 2.5, 2.7, 2.8, 3.0])  # one-sided 2.33, two-sided 2.77
def test_an_agent_is_certainly_first_of_two_where_the_claim_that_it_is_first_is_supported(gap):
    two = Leaderboard(NAMES[:2], np.array([gap, 0.0]), np.eye(2), np.full((2, 2), np.inf), "score")
    sets = rank_sets(two)
    (claim,) = claims_of(f"{NAMES[0]} is first", NAMES)
    assert sets.certainly_first[0] == sets.supports(claim, 1) == (gap > 2.77)


@pytest.mark.parametrize(
    ("gap", "n_claims", "supported"), [(2.8, 1, True), (2.7, 1, False), (2.8, 2, False), (3.2, 2, True)]
)
def test_a_claim_about_a_pair_is_one_two_sided_test(gap, n_claims, supported):
    """The difference has the standard error 1.414: 1.96 of these are 2.77, and 2.24, for one of two claims, are 3.17."""
    one = Leaderboard(NAMES[:3], np.array([gap, 0.0, -9.0]), np.eye(3), np.full((3, 3), np.inf), "score")
    assert rank_sets(one).supports(claims_of("agent 00 > agent 01", NAMES)[0], n_claims) is supported
    with pytest.raises(UsageError, match="`n_claims` must be a positive number of claims"):
        rank_sets(one).difference(NAMES[0], NAMES[1], 0)


@pytest.mark.parametrize("top", [1, 3])
def test_false_claims_of_the_top_are_rare(top):
    """As many agents as there are places are better by a hair, all others far below: the claim is false."""
    rng, claim = np.random.default_rng(2), claims_of(f"agent 00 is in the top {top}", NAMES)[0]
    truth = np.where(np.arange(N) <= top, 0.0, -20.0) + np.where(np.arange(N) == 0, 0.0, 1e-9)
    wrong = np.mean([rank_sets(board(truth, rng), multiplicity="bonferroni").supports(claim, 1) for _ in range(1500)])
    assert wrong < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 1500)
    assert wrong > 0.005  # and the test has power to spare nothing more
