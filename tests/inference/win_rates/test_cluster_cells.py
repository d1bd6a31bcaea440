"""Counts by pair and cluster: in chunks, of equal ballots, and by the columns there are."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from scipy.special import expit

import beatpath as bp
from beatpath.evidence import Battles, Factor
from beatpath.evidence.conventions import Conventions
from beatpath.inference.win_rates.cluster_cells import cluster_cells, repeats
from beatpath.inference.win_rates.win_rates import estimate_of_profile, win_rate_inference
from beatpath.methods.profile import profile_of
from helpers import strategies


@given(strategies.clustered_battles())
def test_counting_in_chunks_changes_nothing(battles):
    codes = battles.factor("cluster").codes
    lost = 1 if len(set(codes.tolist())) > 2 else -1
    some = bp.Factor.of(None if c == lost else str(c) for c in codes)
    partly = replace(battles, factors={"cluster": some})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("beatpath.inference.win_rates.cluster_cells.SPAN", 3)
        patch.setattr("beatpath.inference.win_rates.cluster_cells.PIECE", 2)
        parts = win_rate_inference(partly)
    whole = win_rate_inference(partly)
    assert parts.variance == pytest.approx(whole.variance, abs=1e-12)
    assert parts.df == pytest.approx(whole.df)
    every = np.eye(len(whole.rate))
    assert parts.covariance(every) == pytest.approx(whole.covariance(every), abs=1e-12)


@pytest.mark.parametrize("piece", [1, 1 << 17])
def test_equal_ballots_are_as_many_clusters(piece, monkeypatch):
    monkeypatch.setattr("beatpath.inference.win_rates.cluster_cells.PIECE", piece)
    one = bp.Ballots.of([[["a"], ["b"], ["c"]], [["b"], ["a"], ["c"]]], count=[3, 2])
    many = bp.Ballots.of([[["a"], ["b"], ["c"]]] * 3 + [[["b"], ["a"], ["c"]]] * 2)
    x, y = win_rate_inference(one), win_rate_inference(many)
    assert x.rate.tolist() == y.rate.tolist()
    assert x.covariance(np.eye(3)) == pytest.approx(y.covariance(np.eye(3)))
    assert x.df == pytest.approx(y.df)
    assert x.battles.tolist() == y.battles.tolist()


@pytest.mark.parametrize("ties", ["half", "drop"])
@pytest.mark.parametrize("weighted", [False, True])
def test_ballots_in_parts_are_clusters_of_their_comparisons(ties, weighted, monkeypatch):
    """Written out as battles in clusters, with the weights that the ballots have; one ballot at a time."""
    monkeypatch.setattr("beatpath.inference.win_rates.cluster_cells.PIECE", 1)
    rng = np.random.default_rng(5)
    votes = [[[f"a{i}"] for i in rng.permutation(5)[: rng.integers(1, 6)]] for _ in range(12)] + [[["a0", "a1"]]]
    weight = rng.choice([1.0, 2.0], len(votes)) if weighted else None
    rows = [
        (one[0], other[0], 1.0, k)
        for k, vote in enumerate(votes[:-1])
        for i, one in enumerate(vote)
        for other in vote[i + 1 :]
    ]
    rows.append(("a0", "a1", 0.5, len(votes) - 1))
    battles = Battles.of(
        [row[:3] for row in rows],
        factors={"cluster": Factor.of(f"{row[3]:02d}" for row in rows)},
        weight=None if weight is None else weight[[row[3] for row in rows]],
    )
    of_ballots = win_rate_inference(replace(bp.Ballots.of(votes), weight=weight), ties=ties)
    of_battles = estimate_of_profile(profile_of(battles, Conventions(ties=ties)), "cluster", weighed=False)
    assert of_ballots.rate == pytest.approx(of_battles.rate)
    every = np.eye(len(of_ballots.rate))
    assert of_ballots.covariance(every) == pytest.approx(of_battles.covariance(every), abs=1e-12)


def test_a_ballot_that_compares_nobody_changes_nothing():
    ballots = bp.Ballots.of([[["c"]], [["a"], ["b"]], [["b"], ["a"]]], count=[5, 2, 3])
    win_rates = win_rate_inference(ballots)
    assert win_rates.rate.tolist() == [0.4]
    assert win_rates.battles.tolist() == [5]


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


def test_runs_are_compared_unless_a_cluster_is_requested():
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
    """Outcomes follow prompts and judges; where some battles name no judge, prompts alone are used, with a note."""
    rng = np.random.default_rng(4)
    prompt, judge = rng.integers(60, size=3000), rng.integers(30, size=3000)
    p = expit(2 * rng.standard_normal(60)[prompt] + 2 * rng.standard_normal(30)[judge])
    rows = [("ada", "bob", float(x)) for x in rng.random(3000) < p]
    names = [f"j{j}" for j in judge]
    both = {"cluster": Factor.of([f"p{k}" for k in prompt]), "judge": Factor.of(names)}
    assert set(cluster_cells(profile_of(Battles.of(rows, factors=both)), "auto").names) == {"cluster", "judge"}
    gaps = Battles.of(rows, factors=both | {"judge": Factor.of([None, *names[1:]])})
    assert tuple(cluster_cells(profile_of(gaps), "auto").names) == ("cluster",)
    notes = " ".join(win_rate_inference(gaps).notes)
    assert "depend on 'judge' too, which standard errors do not allow for: 1 battle has none" in notes
