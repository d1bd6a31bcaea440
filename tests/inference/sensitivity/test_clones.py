"""Clones: copies by definition, the methods that promise to be independent of them, and known ones that are not."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import beatpath as bp
from beatpath import Ballots, Battles, Margins, Pairs, Scores, WinRates
from beatpath._errors import UsageError
from beatpath.inference.sensitivity.clones import clone
from beatpath.inference.sensitivity.with_clone import with_clone
from beatpath.methods.registry import METHODS
from helpers import strategies

PROOF = [key for key, made in METHODS.items() if "clone" in made.properties]


@st.composite
def margins(draw):
    n = draw(st.integers(2, 5))
    upper = np.triu(np.array(draw(st.lists(st.integers(-4, 4), min_size=n * n, max_size=n * n))).reshape(n, n), 1)
    return Margins((upper - upper.T).astype(float), tuple("abcde"[:n]))


@given(m=margins(), data=st.data())
@settings(max_examples=30)
def test_methods_that_promise_independence_of_clones_keep_it(m, data):
    told = clone(m, data.draw(st.sampled_from(m.agents)), PROOF)
    unique = bp.rank(m, "maximal_lottery").details["unique"]
    for one in told.methods:
        assert one.promised
        if one.method != "maximal_lottery" or unique:
            assert not one.winner_changes, one.method
            assert not one.order_changes, one.method


def test_copeland_gains_by_a_copy_of_whom_it_beats():
    # a circle; with a second b, a beats two, b one and a half, c one
    circle = Margins([[0, 1, -1], [-1, 0, 1], [1, -1, 0]], ("a", "b", "c"))
    told = clone(circle, "b", ["copeland", "schulze"])
    assert [(one.before, one.after) for one in told.methods] == [
        (("a", "b", "c"), ("a",)),
        (("a", "b", "c"), ("a", "b", "c")),
    ]
    assert told.sentences == (
        "A copy of 'b' changes who is first by copeland, from 'a', 'b', 'c' to 'a'.",
        "A copy of 'b' changes nothing by schulze.",
    )


def test_a_copy_that_wins_counts_as_its_original():
    told = clone(Ballots.of([[["a"], ["b"]]]), "a", ["copeland"])
    assert told.methods[0].after == ("a",)


@given(battles=strategies.battles(soft=False), data=st.data())
@settings(max_examples=20)
def test_battles_and_their_counts_are_copied_alike(battles, data):
    agent = data.draw(st.sampled_from(battles.agents))
    one, other = with_clone(battles, agent).pairs(), with_clone(battles.pairs(), agent)
    assert one.agents == other.agents
    np.testing.assert_array_equal(one.wins(), other.wins())
    np.testing.assert_array_equal(one.counts.sum(axis=0), other.counts.sum(axis=0))


@given(battles=strategies.battles(weighted=True), data=st.data())
@settings(max_examples=20)
def test_the_copy_did_against_everybody_what_the_original_did(battles, data):
    x = data.draw(st.integers(0, len(battles.agents) - 1))
    wins = with_clone(battles, battles.agents[x]).pairs().wins()
    n = len(battles.agents)
    np.testing.assert_array_equal(wins[:n, :n], battles.pairs().wins())
    np.testing.assert_array_equal(np.delete(wins[n, :n], x), np.delete(wins[x, :n], x))
    np.testing.assert_array_equal(np.delete(wins[:n, n], x), np.delete(wins[:n, x], x))
    assert wins[x, n] == wins[n, x]


@given(ballots=strategies.ballots(), data=st.data())
@settings(max_examples=20)
def test_on_ballots_the_copy_shares_the_place_of_its_original(ballots, data):
    agent = data.draw(st.sampled_from(ballots.agents))
    copied = with_clone(ballots, agent, "\x00copy")
    for before, after in zip(ballots, copied, strict=True):
        assert [{*group, "\x00copy"} if agent in group else set(group) for group in before] == [set(g) for g in after]


def test_scores_margins_and_win_rates_are_copied_too():
    scores = with_clone(Scores.from_table([[1, 2], [3, np.nan]], ["a", "b"], ["s", "t"]), "b")
    table, _ = scores.table()
    np.testing.assert_array_equal(table, [[1, 2], [3, np.nan], [3, np.nan]])
    assert with_clone(Margins.from_wins([[0, 3], [1, 0]], ["a", "b"]), "a").matrix.tolist() == [
        [0, 2, 0],
        [-2, 0, -2],
        [0, 2, 0],
    ]
    rates = with_clone(WinRates([[0.5, 0.7], [0.3, 0.5]], ["a", "b"]), "a").matrix
    np.testing.assert_allclose(rates, [[0.5, 0.7, 0.5], [0.3, 0.5, 0.3], [0.5, 0.7, 0.5]])


def test_the_two_tie_as_often_as_the_original_met_a_rival_in_the_median():
    rows = [("x", "a", 1)] * 3 + [("b", "x", 0)] * 5 + [("c", "x", 1)] * 20 + [("a", "b", 1)] * 50
    pairs = with_clone(Battles.of(rows), "x").pairs()
    tied = pairs.counts[:, 2]
    assert tied.sum() == tied.max() == 5


def test_every_method_that_takes_battles_is_tried_or_says_why_not():
    told = clone(bp.only(bp.example(), ["aurora", "basalt", "cinder", "delta", "dune"]), "dune")
    assert {one.method for one in told.methods} | set(told.not_run) == set(METHODS)
    assert "bradley_terry" in {one.method for one in told.methods}
    assert json.loads(json.dumps(told.to_dict(), allow_nan=False))["agent"] == "dune"


def test_names_are_free_and_shown_safely():
    evil = "<b>\x1b"
    told = clone(Pairs((evil, f"{evil} (copy)"), [0], [1], [[2, 1, 0, 0]]), evil, ["copeland"])
    assert told.copy == f"{evil} (copy)*"
    assert "\x1b" not in str(told)
    assert "<b>" not in told._repr_html_()
    with pytest.raises(UsageError, match="new name"):
        with_clone(Battles.of([("a", "b", 1)]), "a", "b")
    with pytest.raises(UsageError, match="must be one of the agents"):
        with_clone(Battles.of([("a", "b", 1)]), "zed")
