"""The profile of estimated win rates: one vote a pair, for whom it is taken, and ties that stay ties."""

import numpy as np
import pytest

import beatpath as bp
from beatpath._errors import DataError
from beatpath._progress import Listener, listening
from beatpath.inference.matrix.win_matrix import win_matrix
from beatpath.inference.ranking import rank as estimated
from beatpath.inference.ranking.rank import (
    INTERRUPTED,
    Basis,
    estimated_matrix,
    left_out,
    profile_of_matrix,
    takes_estimate,
)
from beatpath.methods.profile import profile_of
from beatpath.methods.registry import METHODS

CYCLE = bp.Pairs(("x", "y", "z"), [0, 1, 0], [1, 2, 2], [[60, 40, 0, 0], [60, 40, 0, 0], [40, 60, 0, 0]])
UNEVEN = bp.Pairs(("x", "y", "z"), [0, 1, 0], [1, 2, 2], [[60, 40, 0, 0], [60, 40, 0, 0], [4, 6, 0, 0]])


def test_every_pair_is_one_vote_split_by_its_rate():
    pairs = bp.Pairs(("x", "y", "z"), [0, 1], [1, 2], [[900, 100, 0, 0], [2, 1, 0, 0]])
    profile = profile_of(pairs)
    wins = profile_of_matrix(profile, estimated_matrix(profile)).wins
    off = ~np.eye(3, dtype=bool)
    np.testing.assert_allclose((wins + wins.T)[off], 1.0)
    np.testing.assert_allclose(wins[off], win_matrix(pairs).rate[off], atol=1e-8)


@pytest.mark.parametrize("key", ["copeland", "minimax", "schulze", "iml", "alpha_rank", "nash_averaging"])
def test_a_cycle_of_equals_stays_a_tie(key):
    assert bp.rank(CYCLE, key).levels == (("x", "y", "z"),)


@pytest.mark.parametrize(
    ("evidence", "options", "taken"),
    [
        (CYCLE, {}, False),  # every pair played as often as any other
        (UNEVEN, {}, True),
        (CYCLE, {"matrix": "raw"}, False),
        (CYCLE, {"pair_weight": "rate"}, False),
        (CYCLE, {"pair_weight": "rate", "matrix": "estimated"}, True),
        (CYCLE.margins(), {}, False),
        (bp.Ballots.of(["xyz", "yzx"]), {}, False),
        (bp.Battles.of([("x", "y", 1)]), {}, True),
    ],
)
def test_battles_and_counts_are_estimated_and_nothing_else_unasked(evidence, options, taken):
    assert takes_estimate(profile_of(evidence, bp.Conventions(**options))) is taken


def test_battles_of_one_cluster_are_ranked_all_the_same():
    one = bp.Battles.of([("x", "y", 1), ("y", "z", 1)], factors={"cluster": bp.Factor.of(["p", "p"])})
    assert bp.rank(one, "copeland").winners == ("x",)


STRAYS = bp.Pairs(
    ("a", "b", "c", "x", "y"), [0, 0, 1, 3], [1, 2, 2, 4], [[9, 1, 0, 0], [9, 1, 0, 0], [8, 2, 0, 0], [5, 0, 0, 0]]
)


@pytest.mark.parametrize("key", ["copeland", "schulze", "bradley_terry", "hodge_rank"])
def test_most_agents_are_ranked_though_a_few_are_not_connected(key):
    ranking = bp.rank(STRAYS, key)
    assert ranking.levels == (("a",), ("b",), ("c",), ("x", "y"))
    assert "2 agents are listed last, as no chain of battles connects them with the other 3" in ranking.caveat
    assert np.isnan(ranking.scores["x"])
    alone = bp.rank(bp.only(STRAYS, ["a", "b", "c"]), key)
    assert [ranking.scores[name] for name in "abc"] == [alone.scores[name] for name in "abc"]


def test_how_many_signs_are_resolved_comes_with_the_ranking():
    """60 to 40 of a hundred is beyond chance by itself at 95 %, 52 to 48 is not."""
    pairs = bp.Pairs(("x", "y"), [0], [1], [[60, 40, 0, 0]])
    assert bp.rank(pairs, "copeland").details["signs"] == {"pairs": 1, "resolved": 1, "level": 0.95}
    even = bp.Pairs(("x", "y"), [0], [1], [[52, 48, 0, 0]])
    assert bp.rank(even, "copeland").details["signs"]["resolved"] == 0
    assert "signs" not in bp.rank(even, "copeland", matrix="raw").details


def test_with_many_agents_methods_that_need_all_pairs_are_left_out_with_the_reason():
    n = 2001
    many = profile_of(bp.Pairs(tuple(map(str, range(n))), np.arange(n - 1), np.arange(1, n), np.ones((n - 1, 4))))
    reasons = left_out(many, list(METHODS.values()))
    assert "2,001 agents are more than 2,000" in reasons["schulze"]
    assert not {"copeland", "elo", "bradley_terry", "hodge_rank"} & set(reasons)


def test_an_interrupt_ends_what_follows_and_keeps_what_was_done(monkeypatch):
    real = estimated.ranking

    def ranking(profile, method, settings):
        if method.key == "schulze":
            raise KeyboardInterrupt
        return real(profile, method, settings)

    monkeypatch.setattr(estimated, "ranking", ranking)
    with pytest.raises(KeyboardInterrupt):
        bp.compare_methods(CYCLE, "all")
    with listening(Listener(lambda what, share: None, partly=True)):
        comparison = bp.compare_methods(CYCLE, "all")
    assert [one.method for one in comparison.rankings] == ["copeland", "minimax"]
    assert comparison.not_run["schulze"] == comparison.not_run["bradley_terry"] == INTERRUPTED
    basis = Basis(profile_of(CYCLE), interrupted=True)
    with pytest.raises(DataError, match=INTERRUPTED):
        basis.rank(METHODS["copeland"], {})


def test_a_long_table_is_ranked_by_what_lists_no_pairs_and_the_rest_is_left_out_with_the_reason():
    rng = np.random.default_rng(2)
    n = 3_500
    table = rng.random((n, 3)).round(3)
    comparison = bp.compare_methods(bp.Scores.from_table(table, [f"m{i}" for i in range(n)], ["x", "y", "z"]))
    assert [made.method for made in comparison.rankings] == ["plurality", "approval", "borda", "copeland"]
    assert "up to 6,123,250; name it with `--method`" in comparison.not_run["bradley_terry"]
    some = rng.choice(n, 20, replace=False)
    ahead = np.sign(np.sign(table[some, None, :] - table).sum(axis=2))  # who beats whom, by the definition
    copeland = comparison.rankings[3].scores
    assert [copeland[f"m{i}"] for i in some] == ((ahead > 0).sum(axis=1) + ((ahead == 0).sum(axis=1) - 1) / 2).tolist()
    ties = next(made for made in comparison.rankings[3].conventions if made.name == "ties")
    shared = sum(size * (size - 1) / 2 for column in table.T for size in np.unique(column, return_counts=True)[1])
    assert ties.affected == shared


def test_a_million_agents_are_ranked_by_what_looks_once_at_every_battle(monkeypatch):
    monkeypatch.setattr(estimated, "MOST_SOLVED", 2_550)
    n = 2_600
    comparison = bp.compare_methods(bp.Battles.of([(f"m{i}", f"m{(i + 1) % n}", 1.0) for i in range(n)]))
    assert [made.method for made in comparison.rankings] == ["copeland", "elo"]
    assert "2,600 are more than 2,550" in comparison.not_run["bradley_terry"]


def test_a_prior_rates_agents_that_nothing_connects_as_removals_take_them():
    played = [
        ("ada", "bob", 1),
        ("bob", "ada", 1),
        ("bob", "cyd", 1),
        ("cyd", "ada", 1),
        ("dan", "eve", 1),
        ("dan", "eve", 1),
    ]
    battles = bp.Battles.of(played)
    with_prior = bp.rank(battles, "bradley_terry", prior=0.5)
    # dan won twice and nobody else won more than lost: by the prior, which all share, he stands above an average agent
    assert with_prior.winners == ("dan",)
    assert all(np.isfinite(score) for score in with_prior.scores.values())
    assert bp.rank(battles, "bradley_terry").levels[-1] == ("dan", "eve")
    removal = bp.robustness.smallest_influential_set(battles, "bradley_terry", prior=0.5)
    assert removal.below == "dan"  # whom the other passes
