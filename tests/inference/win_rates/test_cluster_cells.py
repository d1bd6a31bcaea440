"""Counts by pair and cluster: in parts, of equal ballots, and by the columns there are."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from scipy.special import expit

import beatpath as bp
from beatpath.evidence import Battles, Factor
from beatpath.inference.win_rates.cluster_cells import cluster_cells, repeats
from beatpath.inference.win_rates.win_rates import win_rate_inference
from beatpath.methods.profile import profile_of
from helpers import strategies


@given(strategies.clustered_battles())
def test_counting_in_parts_changes_nothing(battles):
    codes = battles.factor("cluster").codes
    lost = 1 if len(set(codes.tolist())) > 2 else -1
    some = bp.Factor.of(None if c == lost else str(c) for c in codes)
    told = replace(battles, factors={"cluster": some})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("beatpath.inference.win_rates.cluster_cells.SPAN", 3)
        patch.setattr("beatpath.inference.win_rates.cluster_cells.PIECE", 2)
        parts = win_rate_inference(told)
    whole = win_rate_inference(told)
    assert parts.variance == pytest.approx(whole.variance, abs=1e-12)
    assert parts.df == pytest.approx(whole.df)
    every = np.eye(len(whole.rate))
    assert parts.covariance(every) == pytest.approx(whole.covariance(every), abs=1e-12)


def test_equal_ballots_are_as_many_clusters():
    one = bp.Ballots.of([[["a"], ["b"], ["c"]], [["b"], ["a"], ["c"]]], count=[3, 2])
    many = bp.Ballots.of([[["a"], ["b"], ["c"]]] * 3 + [[["b"], ["a"], ["c"]]] * 2)
    x, y = win_rate_inference(one), win_rate_inference(many)
    assert x.rate.tolist() == y.rate.tolist()
    assert x.covariance(np.eye(3)) == pytest.approx(y.covariance(np.eye(3)))
    assert x.df == pytest.approx(y.df)
    assert x.battles.tolist() == y.battles.tolist()


def test_a_ballot_that_compares_nobody_changes_nothing():
    told = bp.Ballots.of([[["c"]], [["a"], ["b"]], [["b"], ["a"]]], count=[5, 2, 3])
    found = win_rate_inference(told)
    assert found.rate.tolist() == [0.4]
    assert found.battles.tolist() == [5]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"cluster": "nobody"}, "must name a column"),
        ({"cluster": ("cluster", "cluster")}, "two different"),
        ({"cluster": ("cluster", "task", "judge")}, "one column or two"),
    ],
)
def test_a_column_that_is_not_there_is_refused(change, words):
    with pytest.raises(bp.UsageError, match=words):
        win_rate_inference(bp.example(), **change)


def test_win_rates_without_counts_are_refused():
    with pytest.raises(bp.DataError, match="needs counts"):
        win_rate_inference(bp.WinRates(np.array([[0.5, 0.6], [0.4, 0.5]]), ("a", "b")))


def test_runs_are_compared_unless_a_cluster_is_asked_for():
    runs = bp.Scores(("ada", "bob"), [0, 0, 1, 0, 1], [1.0, 3.0, 2.0, 4.0, 2.0], {"task": bp.Factor.of(list("xxxyy"))})
    compared = [
        any(made.name == "runs" for made in cluster_cells(profile_of(runs), cluster).whole.conventions)
        for cluster in ("auto", None)
    ]
    assert compared == [True, False]


@pytest.mark.parametrize(("names", "yes"), [("xy", False), ("xx", True), ("x", False), ("", False)])
def test_a_column_groups_rows_only_where_a_name_stands_in_two(names, yes):
    assert repeats(bp.Factor.of(list(names))) == yes
    assert repeats(bp.Factor.of([*names, None, None])) == yes  # what has no name belongs to nothing


def test_voters_with_one_ballot_each_are_no_clusters_and_those_with_two_are():
    votes = [[["a"], ["b"]], [["b"], ["a"]], [["a"], ["b"]], [["a"], ["b"]]]
    for voters, names in (("wxyz", ("ballot",)), ("wwyy", ("voter",))):
        ballots = bp.Ballots.of(votes, factors={"voter": bp.Factor.of(list(voters))})
        assert cluster_cells(profile_of(ballots), "auto").names == names


def test_two_columns_are_clustered_by_only_where_every_battle_has_both():
    """Outcomes follow prompts and judges; where some battles name no judge, prompts alone are taken, and that is said."""
    rng = np.random.default_rng(4)
    prompt, judge = rng.integers(60, size=3000), rng.integers(30, size=3000)
    p = expit(2 * rng.standard_normal(60)[prompt] + 2 * rng.standard_normal(30)[judge])
    rows = [("ada", "bob", float(x)) for x in rng.random(3000) < p]
    names = [f"j{j}" for j in judge]
    both = {"cluster": Factor.of([f"p{k}" for k in prompt]), "judge": Factor.of(names)}
    assert set(cluster_cells(profile_of(Battles.of(rows, factors=both)), "auto").names) == {"cluster", "judge"}
    gaps = Battles.of(rows, factors=both | {"judge": Factor.of([None, *names[1:]])})
    assert tuple(cluster_cells(profile_of(gaps), "auto").names) == ("cluster",)
    said = " ".join(win_rate_inference(gaps).notes)
    assert "depend on 'judge' too, which standard errors do not allow for: 1 battle has none" in said
