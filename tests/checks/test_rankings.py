"""Ballots looked at without their pairs say what their pairs say."""

import numpy as np
from hypothesis import given

import beatpath as bp
from beatpath.checks.connection import (
    ballot_edges,
    ballot_opponents,
    ballot_totals,
    opponents_of,
    strong_components,
    win_edges,
)
from beatpath.checks.outcomes import agent_totals
from beatpath.evidence_design.design import design
from helpers.strategies import ballots


@given(ballots())
def test_edges_totals_and_opponents_are_those_of_all_pairs(cast):
    pairs = cast.pairs()
    played = pairs.counts.sum(axis=1) > 0
    np.testing.assert_allclose(ballot_totals(cast), agent_totals(pairs), rtol=1e-12)
    assert ballot_opponents(cast).tolist() == opponents_of(len(cast.agents), pairs.a[played], pairs.b[played]).tolist()
    assert strong_components(cast.agents, ballot_edges(cast)) == strong_components(cast.agents, win_edges(pairs))
    assert design(cast).components == design(pairs).components


def test_ballots_that_nobody_cast_connect_nobody():
    cast = bp.Ballots.of([[["a"], ["b"]], [["c", "d"]]], count=[1, 0])
    assert ballot_opponents(cast).tolist() == [1, 1, 0, 0]
    assert design(cast).components == (("a", "b"), ("c",), ("d",))


def test_twenty_thousand_agents_are_checked_without_a_table_of_their_pairs():
    rng = np.random.default_rng(0)
    names = [f"agent {i}" for i in range(20_000)]
    report = bp.check(bp.Scores.from_table(rng.random((20_000, 2)), names, ["t", "u"]))
    assert report["pairs played"].figures["pairs"] == 199_990_000
    assert report["pairs played"].status == "passed"
