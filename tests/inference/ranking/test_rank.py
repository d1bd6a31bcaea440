"""`rank`: one method on any evidence."""

import numpy as np
import pytest

import beatpath as bp
from beatpath.inference.matrix.win_matrix import win_matrix
from beatpath.methods.registry import METHODS

VOTES = bp.Ballots.of([[["A"], ["B"]]])
NAMES = ("ada", "bob", "cyd", "dan")
UNEVEN = bp.Pairs(
    NAMES,
    [0, 0, 0, 1, 1, 2],
    [1, 2, 3, 2, 3, 3],
    [[1800, 1200, 0, 0], [14, 6, 0, 0], [63, 27, 0, 0], [320, 80, 0, 0], [6, 4, 0, 0], [56, 14, 0, 0]],
)
COMPARING = sorted(key for key, method in METHODS.items() if method.compares)


def test_a_setting_nobody_knows_is_refused_with_its_neighbor():
    with pytest.raises(bp.UsageError, match=r"copeland takes no settings; got 'tiees'. Did you mean 'ties'"):
        bp.rank(VOTES, "copeland", tiees="drop")


def test_evidence_that_a_method_cannot_take_names_those_that_can():
    with pytest.raises(bp.DataError, match="borda needs ballots or scores; battles are neither"):
        bp.rank(bp.Battles.of([("x", "y", 1)]), "borda")
    with pytest.raises(bp.UsageError, match="got list"):
        bp.rank([[1]], "copeland")


def test_names_are_put_to_levels_and_scores():
    ranking = bp.rank(VOTES, "copeland")
    assert ranking.levels == (("A",), ("B",))
    assert ranking.scores == {"A": 1.0, "B": 0.0}
    assert ranking.condorcet.strong == "A"


@pytest.mark.parametrize("key", COMPARING)
def test_rules_that_compare_pairs_take_the_estimated_win_rates_of_counts(key):
    rate = np.round(win_matrix(UNEVEN).rate, 9)
    rate = np.triu(rate, 1) + np.tril(1 - rate.T, -1) + np.eye(4) / 2
    ranking, expected = bp.rank(UNEVEN, key), bp.rank(bp.WinRates(rate, NAMES), key)
    assert ranking.levels == expected.levels
    assert ranking.scores == pytest.approx(expected.scores, nan_ok=True)
    assert ("matrix", "estimated") in {(made.name, made.value) for made in ranking.conventions}


@pytest.mark.parametrize(
    "key", [key for key in COMPARING if key not in ("nash_averaging", "deviation_ratings")]
)  # of which margins are a game
def test_raw_takes_the_counts_themselves(key):
    ranking, expected = bp.rank(UNEVEN, key, matrix="raw"), bp.rank(UNEVEN.margins(), key)
    assert ranking.levels == expected.levels
    assert ("matrix", "raw") in {(made.name, made.value) for made in ranking.conventions}


def test_a_pair_with_one_battle_outweighs_nothing():
    rows = [[700, 300, 0, 0], [700, 300, 0, 0], [0, 1, 0, 0]]
    once = bp.Pairs(("ada", "bob", "cyd"), [0, 1, 0], [1, 2, 2], rows)
    assert bp.rank(once, "copeland", matrix="raw").levels == (("ada", "bob", "cyd"),)
    assert bp.rank(once, "copeland").levels == (("ada",), ("bob",), ("cyd",))


@pytest.mark.parametrize("key", ["bradley_terry", "hodge_rank", "rank_centrality", "sco"])
def test_ratings_take_counts_whatever_the_matrix_option(key):
    raw, estimated = (bp.rank(UNEVEN, key, matrix=matrix) for matrix in ("raw", "estimated"))
    assert raw.to_dict() == estimated.to_dict()


def test_votes_stay_votes():
    votes = bp.Ballots.of([list("ABC"), list("BCA"), list("ABC")])
    auto, raw = (bp.rank(votes, "minimax", matrix=matrix) for matrix in ("auto", "raw"))
    assert auto.to_dict() == raw.to_dict()
    assert auto.scores != bp.rank(votes, "minimax", matrix="estimated").scores


def test_requested_shares_are_used():
    shares = bp.rank(UNEVEN, "minimax", pair_weight="rate")
    assert shares.to_dict() == bp.rank(UNEVEN, "minimax", pair_weight="rate", matrix="raw").to_dict()


def test_agents_that_no_chain_of_battles_connects_are_not_ordered():
    apart = bp.Pairs(("ada", "bob", "cyd", "dan"), [0, 2], [1, 3], [[9, 1, 0, 0], [9, 1, 0, 0]])
    with pytest.raises(bp.DataError, match=r"2 components .*'ada', 'bob'; 'cyd', 'dan'.*by itself with `bp.only`"):
        bp.rank(apart, "copeland")
    assert bp.rank(bp.only(apart, ["ada", "bob"]), "copeland").winners == ("ada",)
    assert len(bp.rank(apart, "copeland", matrix="raw").levels) == 2


@pytest.mark.parametrize("key", COMPARING)
def test_the_planted_leaders_of_the_example_are_its_first_three(key):
    ranking = bp.rank(bp.example(), key)
    first = {name for name in ranking.agents if ranking.rank(name) <= 3}
    assert first == {"aurora", "basalt", "cinder"}
