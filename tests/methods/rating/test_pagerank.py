"""PageRank: beside networkx, by its equation, and what it refuses."""

import json

import numpy as np
import pytest
from hypothesis import assume, given, settings

import beatpath as bp
from beatpath import Battles, Margins, Pairs
from helpers.paths import GOLDEN
from helpers.win_counts import pairs_of, win_matrices

CASES = json.loads((GOLDEN / "centrality_and_probit_peers.json").read_text())["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{len(case['wins'])} agents")
def test_networkx_finds_the_same(case):
    pairs = pairs_of(case["wins"])
    for damping, key in ((0.85, "pagerank"), (0.5, "pagerank_half")):
        ranking = bp.rank(pairs, "pagerank", damping=damping)
        assert list(ranking.scores.values()) == pytest.approx(case["networkx"][key], rel=1e-9)


@settings(max_examples=60, deadline=None)
@given(wins=win_matrices())
def test_the_score_solves_its_equation_unbeaten_agents_included(wins):
    assume((wins + wins.T).any(axis=0).all())  # an agent without battles has no score
    n, lost = len(wins), wins.sum(axis=0)
    P = np.where(lost[:, None] > 0, wins.T / np.maximum(lost, 1)[:, None], 1 / n)
    expected = np.linalg.solve(np.eye(n) - 0.85 * P.T, np.full(n, 0.15 / n))
    names = pairs_of(wins).agents
    ranking = bp.rank(pairs_of(wins), "pagerank")
    assert [ranking.scores[name] for name in names] == pytest.approx(expected.tolist(), rel=1e-9)


def test_agents_without_battles_get_the_score_of_a_restart():
    ranking = bp.rank(Pairs(("ada", "bob", "cyd", "dan"), [0], [1], [[1, 0, 0, 0]]), "pagerank")
    assert ranking.levels[-1] == ("bob", "cyd", "dan")


def test_a_damping_that_is_no_probability_and_margins_are_refused():
    for wrong in (1, -0.1, True, "0.5"):
        with pytest.raises(bp.UsageError, match="`damping` must be a probability below 1"):
            bp.rank(Battles.of([("x", "y", 1)]), "pagerank", damping=wrong)
    with pytest.raises(bp.DataError, match="pagerank needs"):
        bp.rank(Margins.from_wins([[0, 1], [0, 0]], ["x", "y"]), "pagerank")
