"""Rank centrality: against the walk it is defined by, against known strengths, and what it refuses."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import beatpath as bp
from beatpath import Ballots, Battles, Margins, Pairs, WinRates
from helpers.win_counts import pairs_of, win_matrices


def walk(wins):
    """The stationary distribution of Negahban, Oh and Shah's transition matrix, as its left eigenvector."""
    played = wins + wins.T
    share = np.divide(wins.T, played, out=np.zeros_like(wins), where=played > 0)  # from i to j as often as j beat i
    P = share / (played > 0).sum(axis=1).max()
    P += np.diag(1 - P.sum(axis=1))
    value, vector = np.linalg.eig(P.T)
    mass = np.real(vector[:, np.argmax(np.real(value))])
    return mass / mass.sum()


@settings(max_examples=60)
@given(wins=win_matrices(), prior=st.sampled_from([0.5, 2.0]))
def test_scores_are_the_stationary_distribution_of_the_walk(wins, prior):
    played = (wins + wins.T) > 0
    reach = np.linalg.matrix_power(np.eye(len(wins)) + played, len(wins))
    assume((reach > 0).all())
    ranking = bp.rank(pairs_of(wins), "rank_centrality", prior=prior)
    np.testing.assert_allclose(list(ranking.scores.values()), walk(wins + prior * played), atol=1e-9)
    assert ranking.status == "exact"


@pytest.mark.parametrize("n", [7, 1700])
def test_exact_shares_of_bradley_and_terry_give_back_their_strengths(n):
    """On sparse graphs too, small (one linear system) and large (iteration)."""
    rng = np.random.default_rng(n)
    strength = rng.uniform(1, 8, n)
    low = np.concatenate([np.arange(n), rng.integers(0, n, 6 * n)])
    high = np.concatenate([(np.arange(n) + 1) % n, rng.integers(0, n, 6 * n)])
    keep = low != high
    low, high = low[keep], high[keep]
    won = strength[low] / (strength[low] + strength[high])
    cells = np.stack([won, 1 - won, 0 * won, 0 * won], axis=1)
    names = tuple(f"agent{i:04d}" for i in range(n))
    ranking = bp.rank(Pairs.from_cells(names, low, high, cells), "rank_centrality")
    np.testing.assert_allclose([ranking.scores[name] for name in names], strength / strength.sum(), rtol=1e-7)


def test_win_rates_and_ballots_are_taken_as_shares():
    rates = WinRates([[0.5, 0.8], [0.2, 0.5]], ("x", "y"))
    assert bp.rank(rates, "rank_centrality").scores == pytest.approx({"x": 0.8, "y": 0.2})
    votes = Ballots.of([[["x"], ["y"]], [["y"], ["x"]]], count=[3, 1])
    assert bp.rank(votes, "rank_centrality").scores == pytest.approx({"x": 0.75, "y": 0.25})


def test_only_the_shares_of_a_pair_count():
    wins = np.array([[0, 3, 1], [1, 0, 2], [1, 1, 0]], dtype=float)
    often = wins * np.array([[0, 7, 1], [7, 0, 1], [1, 1, 0]])
    one, other = bp.rank(pairs_of(wins), "rank_centrality"), bp.rank(pairs_of(often), "rank_centrality")
    assert one.scores == pytest.approx(other.scores)


def test_agents_with_equal_records_are_tied_however_many_they_are():
    wins = np.ones((400, 400)) - np.eye(400)
    wins[0, 1:] = 2  # the first beats all others two to one
    assert [len(level) for level in bp.rank(pairs_of(wins), "rank_centrality").levels] == [1, 399]


def test_unconnected_groups_are_refused_by_name():
    games = Battles.of([("ada", "bob", 1), ("bob", "ada", 1), ("cyd", "dan", 1)])
    with pytest.raises(bp.DataError, match=r"2 components that are not connected: \{'ada', 'bob'\}, \{'cyd', 'dan'\}"):
        bp.rank(games, "rank_centrality")


def test_two_unbeaten_agents_are_refused_unless_a_prior_is_given():
    games = Battles.of([("ada", "cyd", 1), ("bob", "cyd", 1)])
    with pytest.raises(bp.DataError, match=r"there are 2: \{'ada'\}, \{'bob'\}. Set `prior` above 0"):
        bp.rank(games, "rank_centrality")
    assert bp.rank(games, "rank_centrality", prior=1).levels == (("ada", "bob"), ("cyd",))


def test_an_unbeaten_agent_takes_all_and_the_status_says_so():
    ranking = bp.rank(Battles.of([("ada", "bob", 1), ("bob", "cyd", 1)]), "rank_centrality")
    assert ranking.levels == (("ada",), ("bob", "cyd"))
    assert ranking.scores == {"ada": 1.0, "bob": 0.0, "cyd": 0.0}
    assert ranking.status == "2 agents never beat the group at the top and score zero: 'bob', 'cyd'"


def test_margins_and_a_prior_that_is_no_number_are_refused():
    with pytest.raises(bp.DataError, match="rank_centrality needs"):
        bp.rank(Margins.from_wins([[0, 1], [0, 0]], ["x", "y"]), "rank_centrality")
    with pytest.raises(bp.UsageError, match="`prior` must be a number of wins"):
        bp.rank(Battles.of([("x", "y", 1)]), "rank_centrality", prior=-1)
