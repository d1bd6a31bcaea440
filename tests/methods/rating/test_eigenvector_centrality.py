"""Eigenvector centrality: beside networkx, by its equation small and large, and what it refuses."""

import json

import numpy as np
import pytest

import beatpath as bp
from beatpath import Battles, Margins
from beatpath.methods.rating import centrality
from helpers.paths import GOLDEN
from helpers.win_counts import pairs_of

CASES = json.loads((GOLDEN / "centrality_and_probit_peers.json").read_text())["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{len(case['wins'])} agents")
@pytest.mark.parametrize("quick", [1000, 1])
def test_networkx_finds_the_same_whichever_way_we_go(case, quick, monkeypatch):
    monkeypatch.setattr(centrality, "QUICK", quick)
    ranking = bp.rank(pairs_of(case["wins"]), "eigenvector_centrality")
    assert list(ranking.scores.values()) == pytest.approx(case["networkx"]["eigenvector_centrality"], rel=1e-8)
    assert ranking.status == "exact"


def test_strengths_are_proportional_to_those_of_the_agents_beaten():
    wins = np.array([[0, 3, 1, 2], [1, 0, 2, 2], [1, 1, 0, 4], [1, 1, 2, 0]], dtype=float)
    ranking = bp.rank(pairs_of(wins), "eigenvector_centrality")
    x = np.array(list(ranking.scores.values()))
    share = np.divide(wins, wins + wins.T, out=np.zeros_like(wins), where=wins + wins.T > 0)
    np.testing.assert_allclose(share @ x, ranking.details["eigenvalue"] * x, rtol=1e-10)


def test_a_ring_of_even_length_does_not_alternate(monkeypatch):
    monkeypatch.setattr(centrality, "DENSE", 1)
    ring = Battles.of([("a", "b", 1), ("b", "c", 1), ("c", "d", 1), ("d", "a", 1)])
    assert bp.rank(ring, "eigenvector_centrality").levels == (("a", "b", "c", "d"),)


def test_agents_without_paths_of_wins_both_ways_are_refused_unless_a_prior_is_given():
    games = Battles.of([("ada", "bob", 1), ("bob", "cyd", 1)])
    with pytest.raises(bp.DataError, match="3 groups without such paths both ways"):
        bp.rank(games, "eigenvector_centrality")
    assert bp.rank(games, "eigenvector_centrality", prior=0.5).levels == (("ada",), ("bob",), ("cyd",))
    with pytest.raises(bp.DataError, match="2 components that are not connected"):
        bp.rank(Battles.of([("ada", "bob", 1), ("cyd", "dan", 1)]), "eigenvector_centrality", prior=0.5)


def test_margins_and_a_prior_that_is_no_number_are_refused():
    with pytest.raises(bp.DataError, match="eigenvector_centrality needs"):
        bp.rank(Margins.from_wins([[0, 1], [0, 0]], ["x", "y"]), "eigenvector_centrality")
    with pytest.raises(bp.UsageError, match="`prior` must be a number of wins"):
        bp.rank(Battles.of([("x", "y", 1)]), "eigenvector_centrality", prior=-1)
